//! `clock`: who is told of it, and how it ends.
//!
//! Invariant: a process is told each change of its clock once, and a new one before it starts.

use super::*;

#[test]
fn a_clock_runs_at_another_rate_until_that_is_lifted() {
    let mut five = Five::new();
    let ordered = ["f1 clock 2,3 1.5x: 2,3", "2's clock 1.5x by f1", "3's clock 1.5x by f1", "f1 in force"];
    assert_eq!(five.step("clock 2,3 1.5x"), ordered);
    let again = ["f2 clock 3 2x: -", "f2 not in force: 3 already has a clock of another rate"];
    assert_eq!(five.step("clock 3 2x"), again);
    let other = ["f3 clock 3-5 0.5x: 4,5", "4's clock 0.5x by f3", "5's clock 0.5x by f3", "f3 in force"];
    assert_eq!(five.step("clock 3-5 0.5x"), other);
    let lifted = ["f4 lift f1: 2,3", "2's clock 1x", "3's clock 1x", "f4 in force", "f1 lifted", "f4 lifted"];
    assert_eq!(five.step("lift f1"), lifted);
    let undone = ["f5 undo: 4,5", "4's clock 1x", "5's clock 1x", "f5 in force", "f3 lifted", "f5 lifted"];
    assert_eq!(five.step("undo"), undone);
}

#[test]
fn who_stands_still_takes_its_clock_when_it_goes_on_and_who_is_dead_starts_with_it() {
    let mut five = Five::new();
    five.step("pause 2");
    five.step("crash 3");
    let ordered = ["f3 clock 2,3 10x: 2,3", "2's clock 10x by f3", "f3 in force"];
    assert_eq!(five.step("clock 2,3 10x"), ordered, "a stopped process holds nothing up");
    let back =
        ["f4 recover 3: 3", "3 spawned 3", "3 starts with, and a clock at 10x by f3", "f2 lifted", "f4 in force"];
    assert_eq!(five.step("recover 3")[..5], back);
    five.step("crash 3");
    let healed = five.step("heal all");
    assert!(healed.contains(&"3 starts with".to_owned()) && healed.contains(&"f3 lifted".to_owned()), "{healed:?}");
    assert!(healed.contains(&"2's clock 1x".to_owned()), "{healed:?}");
}

#[test]
fn a_process_that_does_not_answer_keeps_a_clock_from_being_in_force() {
    let mut five = Five::new();
    five.silent = "4".parse().unwrap();
    five.step("clock 4 2x");
    five.pass_to(1_000 * MS);
    assert_eq!(five.seen(), ["f1 not in force: no answer from 4"]);
}
