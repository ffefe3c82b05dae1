//! A lab's step at a protocol moment, read out of the session: what left, and what did not.
//!
//! Invariant: these tests assert what the session says that every node did, not when.

use serde_json::Value;

use crate::bench::{Bench, slowed_lab};

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
    let file = bench.file("moment-ready.toml", &slowed_lab("moment-ready.toml"));
    for _ in 0..3 {
        let records = session(&bench, &bench.must(&["run", &file]));
        let death = records.iter().position(|record| record["kind"] == "died").unwrap();
        let dead = &records[death]["node"];
        let last = records[..death].iter().rfind(|record| record["node"] == *dead).unwrap();
        assert_eq!((&last["kind"], &last["held"]["by"]), (&"step".into(), &"ready".into()), "{last}");
        let after = last["held"]["after"].as_u64().unwrap() as usize;
        let effects = effects(last);
        assert_eq!(effects.iter().position(|kind| *kind == "Ready"), Some(after - 1), "{effects:?}");
        assert!(effects[after..].contains(&"Ready"), "another one would have followed: {effects:?}");
        let receiver = &last["effects"][after - 1]["send"]["id"]["to"];

        // Nobody else had a Ready of it: the first to become Normal afterwards is a member of the next election.
        let steps = records.iter().filter(|record| record["kind"] == "step");
        let later = steps.skip_while(|record| record["number"] != last["number"]).skip(1);
        let until_election = later.take_while(|record| !effects_ask(record));
        let normal: Vec<&Value> = until_election.filter(|record| record["state"]["status"] == "normal").collect();
        assert_eq!(normal.len(), 1, "{normal:?}");
        assert_eq!((&normal[0]["node"], &normal[0]["state"]["coordinator"]), (receiver, dead));
    }
}

/// Whether the step begins an election: it asks who is there of all that stand above it.
fn effects_ask(step: &Value) -> bool {
    effects(step).iter().any(|kind| *kind == "Halt")
}

#[test]
fn a_node_that_is_held_goes_on_when_the_step_is_in_force() {
    let bench = Bench::new();
    let text = slowed_lab("moment-ready.toml").replace("first Ready sent", "3 enters Reorganization");
    let step = |text: &str| text.find("[[expect]]\nthat = \"coordinator 4\"").unwrap();
    let text = format!(
        "{}[[expect]]\nthat = \"all normal\"\nafter = \"ready\"\nwithin = \"50T\"\n",
        text[..step(&text)].replace("crash coordinator", "delay 1->2 1ms")
    );
    let file = bench.file("held.toml", &text);
    let records = session(&bench, &bench.must(&["run", &file]));
    let place = |holds: &dyn Fn(&Value) -> bool| records.iter().position(holds).unwrap();
    let held = place(&|record| record["held"]["by"] == "ready");
    assert_eq!(records[held]["node"], 3);
    assert_eq!(records[held]["state"]["status"], "reorganization");
    assert!(
        effects(&records[held])[..records[held]["held"]["after"].as_u64().unwrap() as usize]
            .iter()
            .all(|kind| kind.is_empty())
    );
    let in_force = place(&|record| record["kind"] == "fault-in-force");
    let next = held + 1 + records[held + 1..].iter().position(|record| record["node"] == 3).unwrap();
    assert!(held < in_force && in_force < next, "held {held}, in force {in_force}, went on {next}");
}

#[test]
fn a_moment_that_the_algorithm_does_not_have_is_an_error_of_the_lab() {
    let bench = Bench::new();
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
    let text = text.replacen("seed = 1\n", "seed = 1\nlimit = \"4s\"\n", 1);
    let printed = bench.run(&["run", "--no-record", &bench.file("lab.toml", &text)]);
    assert_eq!(printed.code, 4, "{printed:?}");
    assert!(printed.out.contains("FAILED step \"ready\" when Halt sent by 1, by 4"), "{printed:?}");
}
