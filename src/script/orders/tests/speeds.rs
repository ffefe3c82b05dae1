//! `speed`: one at a time for the whole lab, and how it ends.
//!
//! Invariant: running processes are told and answer; what stands still or is dead holds nothing up.

use super::*;

/// What each of these nodes is told of a speed.
fn told(nodes: &str) -> Vec<String> {
    nodes.parse::<NodeSet>().unwrap().iter().map(|node| format!("{node} told of the speed")).collect()
}

fn of(first: &[&str], nodes: &str, then: &[&str]) -> Vec<String> {
    let texts = |texts: &[&str]| texts.iter().map(ToString::to_string).collect::<Vec<_>>();
    [texts(first), told(nodes), texts(then)].concat()
}

#[test]
fn a_speed_is_the_labs_until_another_one_takes_its_place() {
    let mut five = Five::new();
    let slow = of(&["f1 speed 0.2x: -"], "1-5", &["lab time at 0.2x by f1", "f1 in force"]);
    assert_eq!(five.step("speed 0.2x"), slow);
    let other = of(&["f2 speed 0.5x: -"], "1-5", &["lab time at 0.5x by f2", "f2 in force", "f1 lifted"]);
    assert_eq!(five.step("speed 0.5x"), other);
    let plain = of(&["f3 speed 1x: -"], "1-5", &["lab time at 1x by f3", "f3 in force", "f2 lifted", "f3 lifted"]);
    assert_eq!(five.step("speed 1x"), plain);
    assert_eq!(five.step("speed 1x"), ["f4 speed 1x: -", "f4 not in force: the lab runs at 1x already"]);
}

#[test]
fn it_ends_as_other_faults_do() {
    let mut five = Five::new();
    five.step("speed 0.2x");
    let lifted = of(&["f2 lift f1: -"], "1-5", &["lab time at 1x by f2", "f2 in force", "f1 lifted", "f2 lifted"]);
    assert_eq!(five.step("lift f1"), lifted);
    five.step("speed 2x");
    let undone = of(&["f4 undo: -"], "1-5", &["lab time at 1x by f4", "f4 in force", "f3 lifted", "f4 lifted"]);
    assert_eq!(five.step("undo"), undone);
    five.step("speed 3x");
    let healed = five.step("heal all");
    assert!(
        healed.contains(&"lab time at 1x by f6".to_owned()) && healed.contains(&"f5 lifted".to_owned()),
        "{healed:?}"
    );
    five.step("speed 4x");
    assert!(!five.step("heal").contains(&"lab time at 1x by f8".to_owned()), "it is no fault of links");
}

#[test]
fn who_runs_answers_and_who_does_not_run_holds_nothing_up() {
    let mut five = Five::new();
    five.step("pause 2");
    five.step("crash 3");
    let slow = of(&["f3 speed 0.5x: -"], "1,2,4,5", &["lab time at 0.5x by f3", "f3 in force"]);
    assert_eq!(five.step("speed 0.5x"), slow);
    five.silent = "4".parse().unwrap();
    five.step("speed 0.25x");
    five.pass_to(1_000 * MS);
    assert_eq!(five.seen(), ["f4 not in force: no answer from 4"]);
}

#[test]
fn what_the_computer_does_not_bear_is_refused_with_the_fastest_that_it_does() {
    let mut five = Five::new();
    five.speed_effect = SpeedEffect::Changes { fastest: "2.5x".parse().unwrap() };
    let why = "3x is faster than this computer bears; the fastest for this lab, here and now, is 2.5x".to_owned();
    assert_eq!(five.line("speed 3x"), Some(Answer::Refused { why }));
    assert_eq!(five.seen(), Vec::<String>::new());
    five.speed_effect = SpeedEffect::Changes { fastest: "0.2x".parse().unwrap() };
    five.step("speed 0.5x");
    assert!(five.step("speed 1x").contains(&"f2 in force".to_owned()), "nobody is kept from going back");
}

#[test]
fn a_table_that_cannot_be_written_leaves_the_speed_as_it_was() {
    let mut five = Five::new();
    five.step("speed 0.5x");
    assert_eq!(
        five.step("speed 0.02x"),
        ["f2 speed 0.02x: -", "f2 not in force: the speed cannot be changed: no room"]
    );
    assert_eq!(five.step("speed 0.5x"), ["f3 speed 0.5x: -", "f3 not in force: the lab runs at 0.5x already"]);
}

#[test]
fn in_virtual_time_it_is_taken_and_changes_nothing() {
    let mut five = Five::new();
    five.speed_effect = SpeedEffect::Virtual;
    let said = "this lab runs in virtual time, where a speed changes nothing";
    assert_eq!(five.step("speed 0.05x"), ["f1 speed 0.05x: -", said, "f1 in force"]);
}
