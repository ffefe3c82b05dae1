//! A lab's step at a protocol moment, read out of the session: what left, and what did not.
//!
//! Invariant: these tests assert what the session says that every node did, not when.

use serde_json::Value;

use crate::bench::{Bench, slowed_lab};
use crate::labs::run_with_one_false_at;
use crate::verify::conforms_and_altered_or_cut_it_does_not;

/// The records of a session, one JSON value each, without its head.
fn session(bench: &Bench, printed: &str) -> Vec<Value> {
    let path = printed.trim().rsplit(' ').next().unwrap();
    let exported = bench.must(&["export", path, "--format", "jsonl"]);
    exported.lines().skip(1).map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// The kinds of what a step sends, in order; what is no message is empty.
fn effects(step: &Value) -> Vec<&str> {
    let effects = step["effects"].as_array().map(Vec::as_slice).unwrap_or_default();
    effects.iter().map(|effect| effect["send"]["message"]["kind"].as_str().unwrap_or("")).collect()
}

#[test]
fn the_coordinator_dies_between_its_first_ready_and_its_second() {
    let bench = Bench::new();
    let path = run_with_one_false_at(&bench, "moment-ready.toml");
    let records = session(&bench, &path);
    let death = records.iter().position(|record| record["kind"] == "died").unwrap();
    let dead = &records[death]["node"];
    let last = records[..death].iter().rfind(|record| record["node"] == *dead).unwrap();
    assert_eq!((&last["kind"], &last["held"]["by"]), (&"step".into(), &"ready".into()), "{last}");
    let after = last["held"]["after"].as_u64().unwrap() as usize;
    let kinds = effects(last);
    assert_eq!(kinds.iter().position(|kind| *kind == "Ready"), Some(after - 1), "{kinds:?}");
    assert!(kinds[after..].contains(&"Ready"), "another one would have followed: {kinds:?}");
    let receiver = &last["effects"][after - 1]["send"]["id"]["to"];

    // Nobody else had a Ready of it. The next election begins with a Halt.
    let steps = records.iter().filter(|record| record["kind"] == "step");
    let later = steps.skip_while(|record| record["number"] != last["number"]).skip(1);
    let until_election = later.take_while(|record| !effects(record).contains(&"Halt"));
    let normal: Vec<&Value> = until_election.filter(|record| record["state"]["status"] == "normal").collect();
    assert_eq!(normal.len(), 1, "{normal:?}");
    assert_eq!((&normal[0]["node"], &normal[0]["state"]["coordinator"]), (receiver, dead));
    conforms_and_altered_or_cut_it_does_not(&bench, &path);
}

/// The lab up to its first expectation, with its step at another moment; it orders a delay that hurts nobody, and all
/// become Normal.
fn harmless(moment: &str) -> String {
    let text = slowed_lab("moment-ready.toml").replace("first Ready sent", moment);
    let text = text.replace("crash coordinator", "delay 1->2 1ms");
    let end = text.find("[[expect]]").unwrap();
    format!("{}[[expect]]\nthat = \"all normal\"\nafter = \"ready\"\nwithin = \"50T\"\n", &text[..end])
}

/// Where the next record of the same node stands.
fn next_of_node(records: &[Value], place: usize) -> usize {
    let node = &records[place]["node"];
    place + 1 + records[place + 1..].iter().position(|record| record["node"] == *node).unwrap()
}

#[test]
fn a_node_that_is_held_goes_on_when_the_step_is_in_force() {
    let bench = Bench::new();
    let file = bench.file("held.toml", &harmless("3 enters Reorganization"));
    let records = session(&bench, &bench.must(&["run", &file]));
    let held = records.iter().position(|record| record["held"]["by"] == "ready").unwrap();
    let step = &records[held];
    assert_eq!((&step["node"], &step["state"]["status"]), (&3.into(), &"reorganization".into()));
    let after = step["held"]["after"].as_u64().unwrap() as usize;
    let kinds = effects(step);
    assert_eq!(kinds.iter().position(|kind| !kind.is_empty()), Some(after), "no message has left: {kinds:?}");
    let in_force = records.iter().position(|record| record["kind"] == "fault-in-force").unwrap();
    assert!((held..next_of_node(&records, held)).contains(&in_force), "{held}, {in_force}");
}

#[test]
fn of_nodes_that_come_to_a_moment_together_one_counts_and_all_go_on() {
    let bench = Bench::new();
    // All but 5 ask who is there in their very first step, at the one instant at which the lab begins.
    let file = bench.file("held.toml", &harmless("first AreYouThere sent"));
    let records = session(&bench, &bench.must(&["run", &file]));
    let held: Vec<usize> = (0..records.len()).filter(|place| records[*place]["held"]["by"] == "ready").collect();
    assert!(!held.is_empty());
    held.iter().for_each(|place| assert!(next_of_node(&records, *place) > *place));
    assert_eq!(records[held[0]]["step"], 1, "it was armed before the machines started");
    assert_eq!(records.iter().filter(|record| record["kind"] == "step-taken").count(), 1);
}

/// The steps that were taken, with the node that was held for each.
fn taken(records: &[Value]) -> Vec<(&str, Option<u64>)> {
    let held = |step: &Value| records.iter().find(|record| record["held"]["by"] == *step)?["node"].as_u64();
    let taken = records.iter().filter(|record| record["kind"] == "step-taken");
    taken.map(|record| (record["step"].as_str().unwrap(), held(&record["step"]))).collect()
}

#[test]
fn moments_that_the_step_before_brings_are_met_on_real_processes_as_in_virtual_time() {
    let bench = Bench::new();
    for name in ["own-order", "returns-and-dies", "in-a-row", "answer-and-wait"] {
        let file = format!("{}/tests/moments/{name}.toml", env!("CARGO_MANIFEST_DIR"));
        let real = session(&bench, &bench.must(&["run", &file]));
        let simulated = session(&bench, &bench.must(&["run", "--sim", &file]));
        assert_eq!(taken(&real), taken(&simulated), "{name}");
    }
}

#[test]
fn a_moment_that_the_algorithm_does_not_have_is_an_error_of_the_lab() {
    let bench = Bench::without_labs();
    for (moment, says) in [
        ("first elected sent", "the messages of bully are AreYouThere, "),
        ("2 enters coll2", "the states of bully are Down, Election, Reorganization, Normal"),
    ] {
        let file = bench.file("lab.toml", &slowed_lab("moment-ready.toml").replace("first Ready sent", moment));
        let printed = bench.run(&["check", &file]);
        assert_eq!(printed.code, 3, "{printed:?}");
        assert!(printed.err.contains(says) || printed.out.contains(says), "{printed:?}");
    }
}

#[test]
fn a_moment_that_never_came_is_an_expectation_not_met() {
    let bench = Bench::new();
    let text = slowed_lab("moment-ready.toml").replace("first Ready sent", "Halt sent by 1");
    let text = text.replacen("seed = 1\n", "seed = 1\nlimit = \"2s\"\n", 1);
    let printed = bench.run(&["run", "--no-record", &bench.file("lab.toml", &text)]);
    assert_eq!(printed.code, 4, "{printed:?}");
    assert!(printed.out.contains("FAILED step \"ready\" when Halt sent by 1, by 2"), "{printed:?}");
}
