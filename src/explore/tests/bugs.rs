//! Planted bugs that the explorer finds.

use super::labs::three_comes_back;
use super::{ENOUGH, Heed, found};
use crate::explore::explore_as;
use crate::fault::{Bug, Mutant};
use crate::protocol::Property;
use crate::sim::mutants::bully::{GoesOnWhenHalted, HaltNotSent};

fn is_found<B: Bug>() -> bool {
    let terms = three_comes_back("", "1300ms");
    let report = explore_as::<Mutant<B>>(&terms, ENOUGH, &mut |_| Heed::GoOn).expect("all timers can be counted");
    found(&report, Property::Assertion1) == "false"
}

#[test]
fn two_planted_bugs_of_bully_break_assertion_1() {
    assert!(is_found::<HaltNotSent>(), "a Halt that is not sent");
    assert!(is_found::<GoesOnWhenHalted>(), "an Election that goes on when it is halted");
}
