//! Planted bugs that the explorer finds.

use super::{ENOUGH, FaultKind, Heed, bully, found, terms, wish};
use crate::explore::explore_as;
use crate::fault::{Bug, Mutant};
use crate::protocol::Property;
use crate::sim::mutants::bully::{GoesOnWhenHalted, HaltNotSent};

fn is_found<B: Bug>() -> bool {
    let terms = terms(&bully(3, ""), &wish(&[(FaultKind::Crash, 1), (FaultKind::Recovery, 1)], Some(12), Some(12)));
    let report = explore_as::<Mutant<B>>(&terms, ENOUGH, &mut |_| Heed::GoOn).expect("all timers can be counted");
    found(&report, Property::Assertion1) == "false"
}

#[test]
fn two_planted_bugs_of_bully_break_assertion_1() {
    assert!(is_found::<HaltNotSent>(), "a Halt that is not sent");
    assert!(is_found::<GoesOnWhenHalted>(), "an Election that goes on when it is halted");
}
