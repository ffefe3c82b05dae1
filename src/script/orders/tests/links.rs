//! Orders about links that are more than a rule in the table: holds and what releases them.

use super::*;
use fault::CourierRefusal;

impl Five {
    /// A process is told of an act. No datagram of number 99 waits anywhere.
    pub(super) fn hear_act(&mut self, node: NodeId, version: u64, act: &str) {
        self.see(format!("{node} told to {act}"));
        if act.ends_with(" 99") {
            self.orders.refused(node, version, &CourierRefusal::NotThere.to_string());
        } else {
            self.orders.acknowledged(node, version);
        }
    }
}

#[test]
fn a_release_ends_the_hold_and_stays_in_the_table_until_all_is_healed() {
    let mut five = Five::new();
    assert_eq!(five.step("release 1->3"), ["f1 release 1->3: -", "f1 not in force: nothing is held from 1 to 3"]);
    let mut held = list(&["f2 hold 1,2->3: 1-3"]);
    held.extend(told("1,2,3,4,5", " f2"));
    held.push("f2 in force".to_owned());
    assert_eq!(five.step("hold 1,2->3"), held);
    // Of two links one is free, and the hold stands for the other.
    let mut half = list(&["f3 release 1->*: 1-5"]);
    half.extend(told("1,2,3,4,5", " f2 f3"));
    half.extend(list(&["f3 in force", "f3 lifted"]));
    assert_eq!(five.step("release 1->*"), half);
    assert_eq!(five.step("release 1->3")[1], "f4 not in force: nothing is held from 1 to 3");
    let mut rest = list(&["f5 release 2->3 reversed: 2,3"]);
    rest.extend(told("1,2,3,4,5", " f3 f5"));
    rest.extend(list(&["f5 in force", "f2 lifted", "f5 lifted"]));
    assert_eq!(five.step("release 2->3 reversed"), rest);
    // A release is nothing that could be undone.
    assert_eq!(
        five.step("undo")[1],
        "f6 not in force: there is nothing to undo: every fault that can be undone is over"
    );
    five.step("pause 3");
    five.step("heal");
    assert_eq!(five.step("resume 3")[1], "3 told");
}

#[test]
fn a_stopped_receiver_is_told_of_the_release_before_it_goes_on_and_undo_and_lift_end_a_hold() {
    let mut five = Five::new();
    five.step("hold *->3");
    five.step("pause 3");
    let released = five.step("release *->3 reversed");
    assert!(!released.contains(&"3 told f3".to_owned()) && released.contains(&"f1 lifted".to_owned()), "{released:?}");
    assert_eq!(five.step("resume 3")[1], "3 told f3");
    five.step("hold 1->2");
    assert!(five.step("undo").contains(&"f5 lifted".to_owned()));
    five.step("hold 1->2");
    assert!(five.step("lift f7").contains(&"f7 lifted".to_owned()));
    assert_eq!(five.step("release 1->2")[1], "f9 not in force: nothing is held from 1 to 2");
}

#[test]
fn an_act_on_a_held_datagram_is_told_to_its_receiver_alone_and_the_hold_stands() {
    let mut five = Five::new();
    assert_eq!(five.step("drop 1->3 7")[1], "f1 not in force: nothing is held from 1 to 3");
    five.step("hold 1,2->3");
    let done = ["f3 drop 1->3 7: 1,3", "3 told to drop 1->3 7", "f3 in force", "f3 lifted"];
    assert_eq!(five.step("drop 1->3 7"), done);
    assert_eq!(five.step("undo")[0], "f4 undo: 1-3", "the hold is what stands last");
    five.step("hold 1,2->3");
    assert_eq!(
        five.step("first 1,2->3 7")[1].split(';').next().unwrap(),
        "f6 not in force: `first` is about one datagram, and this names more than one link"
    );
    five.step("pause 3");
    let why = "f8 not in force: 3 does not run, and what is held for it is in its process";
    assert_eq!(five.step("deliver 1->3 next")[1], why);
}

#[test]
fn an_act_that_comes_late_is_refused_with_the_receivers_reason() {
    let mut five = Five::new();
    five.step("hold 1->3");
    let why = "that datagram does not wait there: it has not come, or it was delivered or lost before";
    assert!(matches!(five.line("deliver 1->3 99"), Some(Answer::NotInForce { why: told, .. }) if told == why));
    let refused =
        ["f3 double 1->3 99: 1,3".to_owned(), "3 told to double 1->3 99".to_owned(), format!("f3 not in force: {why}")];
    assert_eq!(five.step("double 1->3 99"), refused);
}
