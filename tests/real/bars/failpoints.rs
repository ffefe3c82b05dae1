//! Processes that die at a chosen point: what they were storing is then the old or the new state, exactly as the point says.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use hustings::record::SessionReader;
use serde_json::Value;

use super::{RunningLab, count, is_of, lab_text};
use crate::bench::Bench;

/// The points of a store, and whether what is being stored is there afterwards.
const POINTS: [(&str, bool); 5] = [
    ("store-before-write", false),
    ("store-after-write", false),
    ("store-after-sync", false),
    ("store-after-rename", true),
    ("store-after-directory-sync", true),
];

/// The algorithms that keep safe cells.
const ALGORITHMS: [&str; 9] = [
    "bully",
    "invitation",
    "king-ni-a",
    "king-ni-b1",
    "king-ni-b2",
    "king-ni-c",
    "king-ni-5-3",
    "bully-fd",
    "async-bully",
];

/// What a store holds: its highest incarnation, and the newest cells, in hex.
fn stored(directory: &Path) -> (u32, Option<String>) {
    let mut generations: Vec<(u64, u32, Option<String>)> = Vec::new();
    for name in ["even", "odd"] {
        let Ok(bytes) = fs::read(directory.join(name)) else { continue };
        let (body, checksum) = bytes.split_at(bytes.len() - 32);
        assert_eq!(blake3::hash(body).as_bytes(), checksum, "a generation is spoiled");
        let number = u64::from_be_bytes(body[6..14].try_into().unwrap());
        let incarnation = u32::from_be_bytes(body[14..18].try_into().unwrap());
        let hex: String = body[19..].iter().map(|byte| format!("{byte:02x}")).collect();
        generations.push((number, incarnation, (body[18] == 1).then_some(hex)));
    }
    generations.sort();
    let incarnation = generations.iter().map(|generation| generation.1).max().unwrap_or(0);
    (incarnation, generations.pop().and_then(|generation| generation.2))
}

/// What this node has saved, one after the other.
fn saves(records: &[Value], node: u64) -> Vec<Option<String>> {
    let steps = records.iter().filter(|record| is_of(record, "step", node));
    let effects = steps.filter_map(|step| step["effects"].as_array()).flatten();
    effects.filter_map(|effect| effect["save"]["body"].as_str()).map(|body| Some(body.to_owned())).collect()
}

fn deaths(records: &[Value]) -> Vec<u64> {
    records.iter().filter(|record| record["kind"] == "died").map(|record| record["node"].as_u64().unwrap()).collect()
}

fn lab_with_failpoints(bench: &Bench, algorithm: &str) -> RunningLab {
    let path = bench.path("point");
    RunningLab::up(bench, &lab_text(algorithm, 5), |command| {
        command.env("HUSTINGS_FAILPOINT", path);
    })
}

fn arm(bench: &Bench, point: &str, passings: usize) {
    fs::write(bench.path("next"), format!("{point}\n").repeat(passings)).unwrap();
    fs::rename(bench.path("next"), bench.path("point")).unwrap();
}

/// What each node had stored when its last process died, and how many saves it had recorded by then: of a process's saves
/// its death can undo the last one alone.
type Known = BTreeMap<u64, (usize, Option<String>)>;

/// What was stored before a node's last save, and what that save stores.
fn old_and_new(lab: &RunningLab, known: &Known, node: u64) -> (Option<String>, Option<String>) {
    let (seen, stored) = known.get(&node).cloned().unwrap_or_default();
    let saves = saves(&lab.records, node);
    match &saves[seen..] {
        [] => (stored.clone(), stored),
        [new] => (stored, new.clone()),
        [.., old, new] => (old.clone(), new.clone()),
    }
}

/// Notes what a dead node has stored.
fn note(lab: &RunningLab, known: &mut Known, node: u64) -> (u32, Option<String>) {
    let found = stored(&lab.directory.join(format!("store-{node}")));
    known.insert(node, (saves(&lab.records, node).len(), found.1.clone()));
    found
}

#[test]
#[ignore = "scripts/reliability 2"]
fn a_crash_at_any_point_of_a_save_leaves_the_old_or_the_new_state() {
    for algorithm in ALGORITHMS {
        let bench = Bench::new();
        let (mut lab, mut known) = (lab_with_failpoints(&bench, algorithm), Known::new());
        for round in 0..count() {
            for (point, is_new) in POINTS {
                // This one saves at its starts alone.
                if algorithm != "async-bully" {
                    dies_in_a_save(&bench, &mut lab, &mut known, (algorithm, point), is_new, round);
                }
                for passings in [1, 2] {
                    dies_in_a_start(&bench, &mut lab, &mut known, (algorithm, point), is_new, passings);
                }
            }
        }
        let _ = fs::remove_file(bench.path("point"));
        bench.must(&["inject", "heal all"]);
        lab.down(&bench);
    }
}

fn dies_in_a_save(
    bench: &Bench,
    lab: &mut RunningLab,
    known: &mut Known,
    what: (&str, &str),
    is_new: bool,
    round: usize,
) {
    let before = deaths(lab.read()).len();
    arm(bench, what.1, 1);
    let began = Instant::now();
    let mut elections = round;
    while deaths(lab.read()).len() == before {
        assert!(began.elapsed() < Duration::from_secs(30), "{what:?}: nothing is saved");
        elections += 1;
        bench.run(&["inject", &format!("elect {}", elections % 5 + 1)]);
    }
    let node = *deaths(&lab.records).last().unwrap();
    let (old, new) = old_and_new(lab, known, node);
    let (_, found) = note(lab, known, node);
    assert_eq!(found, if is_new { new } else { old }, "{what:?}: node {node}");
    bench.must(&["inject", &format!("recover {node}")]);
}

fn dies_in_a_start(
    bench: &Bench,
    lab: &mut RunningLab,
    known: &mut Known,
    what: (&str, &str),
    is_new: bool,
    passings: usize,
) {
    // All of them, so that no other node passes the point.
    bench.must(&["inject", "crash *"]);
    lab.read();
    for node in 1..=5 {
        let (old, new) = old_and_new(lab, known, node);
        let (_, found) = note(lab, known, node);
        assert!(found == old || found == new, "{what:?}: node {node} has {found:?}, not {old:?} or {new:?}");
    }
    let store = lab.directory.join("store-3");
    let ((incarnation, cells), before) = (stored(&store), deaths(&lab.records).len());
    // With one generation alone there is one save in a start.
    let passings = if store.join("even").exists() && store.join("odd").exists() { passings } else { 1 };
    arm(bench, what.1, passings);
    bench.run(&["inject", "recover 3"]);
    lab.read_until("the death", |records| deaths(records).len() > before);
    // The first of the two raises it already.
    let raised = incarnation + u32::from(is_new || passings == 2);
    assert_eq!(stored(&store), (raised, cells), "{what:?}: start, {passings} of its saves");
    bench.must(&["inject", "recover *"]);
}

#[test]
#[ignore = "scripts/reliability 34"]
fn a_host_that_dies_round_a_write_leaves_whole_records() {
    for round in 0..count() {
        for point in ["recorder-before-write", "recorder-after-write"] {
            let bench = Bench::new();
            let mut lab = lab_with_failpoints(&bench, "bully");
            arm(&bench, point, round % 50 + 1);
            bench.run(&["inject", "elect 3"]);
            Bench::until("the death of the host", || !is_alive(lab.host));
            let records = lab.read().len();
            let session = SessionReader::open(&bench.path("bar.jsonl")).unwrap();
            assert!(session.skipped.is_empty() && session.head.is_some(), "{point}: {:?}", session.skipped);
            // The first line that `read` takes is the head.
            assert_eq!(session.records.len() + 1, records, "{point}");
            Bench::until("the end of its nodes", || {
                !Command::new("pgrep").arg("-f").arg(lab.directory.file_name().unwrap()).status().unwrap().success()
            });
        }
    }
}

fn is_alive(pid: u32) -> bool {
    let status = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    !status.rsplit(") ").next().is_none_or(|rest| rest.is_empty() || rest.starts_with('Z'))
}
