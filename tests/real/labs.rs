//! Labs of `labs/` on real processes, of every algorithm one at least; all of them run in the simulator.
//!
//! Invariant: where this computer kept what the papers assume, all that a lab expects is asserted; where it did not,
//! and the run says so, what no load changes: no violation without a cause, and nodes that do what their machines do. In
//! the simulator every lab meets all that it expects.

use crate::bench::{Bench, Printed, bully_lab, lab_folders, slowed_lab};

/// Runs a lab with one expectation made false: everything else must be met, the exit code must be 4,
/// and every node must have done what its machine does.
fn run_with_one_false(name: &str) {
    run_with_one_false_at(&Bench::new(), name);
}

/// The same at this bench; answers where the session is.
pub fn run_with_one_false_at(bench: &Bench, name: &str) -> String {
    let mut text = slowed_lab(name);
    // Of several violations none can go unexpected without the others' failing too: one more is expected there.
    if text.matches("that = \"violation").count() > 1 {
        text.push_str("\n[[expect]]\nthat = \"violation uniqueness\"\n");
    }
    // The last expectation of every lab is about violations, so that making it false costs no waiting.
    let (from, to) = if text.contains("that = \"no violation\"") {
        ("that = \"no violation\"", "that = \"violation assertion-1 because 9\"")
    } else {
        let start = text.rfind("that = \"violation").unwrap_or_else(|| panic!("{name} expects nothing of violations"));
        let end = start + text[start..].find('\n').unwrap();
        (&text[start..end], "that = \"no violation\"")
    };
    assert_eq!(text.matches(from).count(), 1, "{name}");
    let file = bench.file(name, &text.replace(from, to));
    let printed = bench.run(&["run", &file]);
    assert_eq!(printed.code, 4, "{printed:?}");
    let count = |what: &str| printed.out.lines().filter(|line| line.starts_with(what)).count();
    let (met, failed) = (count("met"), count("FAILED"));
    let falsified = to.trim_start_matches("that = ").trim_matches('"');
    assert!(printed.out.lines().any(|line| line.starts_with(&format!("FAILED {falsified}"))), "{printed:?}");
    assert!(failed == 1 || was_held_up(&printed), "{printed:?}");
    // What the paper itself leaves open has no other cause.
    let is_open = text.contains("because hole") || text.contains("because unpromised");
    assert!(!printed.out.contains("no assumption was broken") || is_open, "{printed:?}");
    let lab = name.trim_end_matches(".toml");
    let all = met + failed;
    assert!(printed.last_line().starts_with(&format!("{lab}: {met} of {all} expectations met")), "{printed:?}");
    let session = printed.last_line().rsplit(' ').next().unwrap().to_owned();
    bench.must(&["verify", &session]);
    session
}

/// Whether this computer itself broke what the lab's algorithm needs, and the run says so.
fn was_held_up(printed: &Printed) -> bool {
    let counts = printed.err.lines().filter(|line| line.ends_with(" by this computer"));
    counts.into_iter().any(|line| !line.ends_with(" 0 by this computer"))
}

#[test]
fn first() {
    run_with_one_false("first.toml");
}

#[test]
fn bully_pause() {
    run_with_one_false("bully-pause.toml");
}

#[test]
fn bully_one_step() {
    run_with_one_false("bully-one-step.toml");
}

#[test]
fn invitation_orphans_invite() {
    run_with_one_false("invitation-orphans-invite.toml");
}

#[test]
fn partition_and_merge() {
    run_with_one_false("partition-and-merge.toml");
}

#[test]
fn king_ni_a() {
    run_with_one_false("king-ni-a.toml");
}

#[test]
fn king_ni_b1() {
    run_with_one_false("king-ni-b1.toml");
}

#[test]
fn king_ni_b2() {
    run_with_one_false("king-ni-b2-lengths.toml");
}

#[test]
fn king_ni_5_3() {
    run_with_one_false("king-ni-5-3.toml");
}

#[test]
fn partial() {
    run_with_one_false("partial.toml");
}

#[test]
fn textbook_bully() {
    run_with_one_false("textbook-bully.toml");
}

#[test]
fn ring() {
    run_with_one_false("ring.toml");
}

#[test]
fn bully_fd() {
    run_with_one_false("bully-fd.toml");
}

#[test]
fn async_bully() {
    run_with_one_false("async-bully.toml");
}

#[test]
fn app_fencing() {
    run_with_one_false("app-fencing.toml");
}

/// On real processes only: a load is measured.
#[test]
fn king_ni_load() {
    run_with_one_false("king-ni-load.toml");
}

#[test]
fn raft() {
    run_with_one_false("raft.toml");
}

#[test]
fn every_algorithm_has_a_lab_here() {
    let here = include_str!("labs.rs");
    let labs = lab_folders().into_iter().flat_map(|folder| std::fs::read_dir(folder).unwrap());
    let run = labs.map(|entry| entry.unwrap().path()).filter(|path| {
        let name = path.file_name().unwrap().to_str().unwrap();
        here.contains(&format!("(\"{name}\")"))
    });
    let texts: Vec<String> = run.map(|path| std::fs::read_to_string(path).unwrap()).collect();
    for card in hustings::registry::BUILT_IN.cards() {
        let line = format!("algorithm = \"{}\"", card.name);
        assert!(texts.iter().any(|text| text.contains(&line)), "no lab of {} is run", card.name);
    }
}

#[test]
fn a_wrong_expectation_says_what_was_there_instead() {
    let bench = Bench::new();
    let file = bench.file("lab.toml", &bully_lab("[[expect]]\nthat = \"coordinator 3\"\nwithin = \"2T\"\n"));
    let printed = bench.run(&["run", "--no-record", &file]);
    assert_eq!(printed.code, 4, "{printed:?}");
    let failed = printed.out.lines().find(|line| line.starts_with("FAILED coordinator 3")).unwrap();
    assert!(failed.contains("by 1.000 s") && failed.contains("instead"), "{failed}");
}
