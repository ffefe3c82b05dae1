//! Orders about processes that do not obey, or that obey others.
//!
//! Invariant: what was not done is named, and is not in force.

use super::*;

#[test]
fn a_process_that_was_not_stopped_or_killed_is_named_and_what_was_done_to_the_others_can_be_undone() {
    let mut five = Five::new();
    five.untouchable = "4".parse().unwrap();
    let paused = [
        "f1 pause 4: 4",
        "4 cannot be stopped: it does as it likes",
        "f1 not in force: 4 cannot be stopped: it does as it likes",
    ];
    assert_eq!(five.step("pause 4"), paused);
    assert_eq!(five.step("undo"), ["f2 undo: -", "f2 not in force: there is no fault to undo"]);
    assert_eq!(five.step("crash 4,5")[3..], ["f3 not in force: 4 was killed, but it does as it likes"]);
    let undone = ["f4 undo: 4,5", "5 spawned 5", "5 starts with", "f3 lifted", "f4 in force", "f4 lifted"];
    assert_eq!(five.step("undo"), undone);
}

#[test]
fn a_process_that_somebody_else_continues_is_told_what_it_missed_and_its_pause_is_over() {
    let mut five = Five::new();
    five.step("pause 2");
    five.step("cut 1->2");
    five.seen();
    five.goes_on_by_itself(node(2));
    assert_eq!(five.seen(), ["2 told f2", "2 continued", "f1 lifted"]);
}
