//! Every lab of `labs/`, on real processes.

use crate::bench::{Bench, bully_lab, slowed_lab};

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
    let failed: Vec<&str> = printed.out.lines().filter(|line| line.starts_with("FAILED")).collect();
    assert_eq!(failed.len(), 1, "{printed:?}");
    assert!(failed[0].contains(to.trim_start_matches("that = ").trim_matches('"')), "{printed:?}");
    let met = printed.out.lines().filter(|line| line.starts_with("met")).count();
    let lab = name.trim_end_matches(".toml");
    assert!(printed.last_line().starts_with(&format!("{lab}: {met} of {} expectations met", met + 1)), "{printed:?}");
    let session = printed.last_line().rsplit(' ').next().unwrap().to_owned();
    bench.must(&["verify", &session]);
    session
}

#[test]
fn first() {
    run_with_one_false("first.toml");
}

#[test]
fn bully_steps() {
    run_with_one_false("bully-steps.toml");
}

#[test]
fn bully_sequential() {
    run_with_one_false("bully-sequential.toml");
}

#[test]
fn bully_early() {
    run_with_one_false("bully-early.toml");
}

/// What that lab breaks is broken by its form alone: nobody need change a fault or a moment of it.
#[test]
fn bully_pause() {
    run_with_one_false("bully-pause.toml");
}

#[test]
fn bully_pause_mended() {
    run_with_one_false("bully-pause-mended.toml");
}

#[test]
fn bully_partition() {
    run_with_one_false("bully-partition.toml");
}

#[test]
fn invitation_six() {
    run_with_one_false("invitation-six.toml");
}

#[test]
fn partition_and_merge() {
    run_with_one_false("partition-and-merge.toml");
}

#[test]
fn king_ni_c() {
    run_with_one_false("king-ni-c.toml");
}

#[test]
fn duplicates() {
    run_with_one_false("duplicates.toml");
}

#[test]
fn king_ni_b1() {
    run_with_one_false("king-ni-b1.toml");
}

#[test]
fn king_ni_b1_late() {
    run_with_one_false("king-ni-b1-late.toml");
}

#[test]
fn king_ni_c_loss() {
    run_with_one_false("king-ni-c-loss.toml");
}

#[test]
fn king_ni_c_loss_letter() {
    run_with_one_false("king-ni-c-loss-letter.toml");
}

#[test]
fn invitation_wipe() {
    run_with_one_false("invitation-wipe.toml");
}

#[test]
fn invitation_rollback() {
    run_with_one_false("invitation-rollback.toml");
}

#[test]
fn bully_slow() {
    run_with_one_false("bully-slow.toml");
}

#[test]
fn every_lab_is_run_here() {
    let here = [include_str!("labs.rs"), include_str!("moments.rs")].concat();
    let labs = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("labs");
    for entry in std::fs::read_dir(labs).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        assert!(
            here.contains(&format!("(\"{name}\")")) || here.contains(&format!("(&bench, \"{name}\")")),
            "{name} is not run"
        );
    }
}

#[test]
fn a_wrong_expectation_says_what_was_there_instead() {
    let bench = Bench::new();
    let file = bench.file("lab.toml", &bully_lab("[[expect]]\nthat = \"coordinator 3\"\nwithin = \"2T\"\n"));
    let printed = bench.run(&["run", "--no-record", &file]);
    assert_eq!(printed.code, 4, "{printed:?}");
    let failed = printed.out.lines().find(|line| line.starts_with("FAILED coordinator 3")).unwrap();
    assert!(failed.contains("by 1 s") && failed.contains("instead"), "{failed}");
}
