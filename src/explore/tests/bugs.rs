//! Planted bugs that the explorer finds.

use super::labs::three_comes_back;
use super::{ENOUGH, ExploreWish, FaultKind, ONE, SearchControl, counts, explored, found, terms, text, wish};
use crate::explore_as;
use fault::{Bug, Mutant};
use mutants::bully::{GoesOnWhenHalted, HaltNotSent};
use mutants::stoller::RepeatObeyed;
use protocol::{MachineKind, Property};

fn is_found<B: Bug>() -> bool {
    let terms = three_comes_back("", "1300ms");
    let report = explore_as(MachineKind::of::<Mutant<B>>(), &terms, ENOUGH, ONE, &mut |_| SearchControl::GoOn)
        .expect("all timers can be counted");
    found(&report, Property::Assertion1) == "false"
}

/// What the first mend of hole 1 of Bully-FD broke: a Halt that is sent again, and comes after the receiver has left that
/// election, is obeyed. The receiver then hears the word of a leader that is none any more.
#[test]
fn a_repeated_halt_that_is_obeyed_again_breaks_sle_1_of_bully_fd_and_one_that_is_not_keeps_it() {
    let wish = wish(&[(FaultKind::Recovery, 1)], Some(14), Some(15));
    let lab = text("bully-fd", 3, ("600ms", "1050ms"), "");
    let terms = terms(&lab, &ExploreWish { down: "1".parse().expect("a node"), ..wish });
    let obeyed =
        explore_as(MachineKind::of::<Mutant<RepeatObeyed>>(), &terms, ENOUGH, ONE, &mut |_| SearchControl::GoOn);
    assert_eq!(found(&obeyed.expect("all timers can be counted"), Property::Sle1), "false");
    let mended = explored(&terms);
    assert_eq!((found(&mended, Property::Sle1), counts(&mended)), ("true", (70_793, 30_292)));
}

#[test]
fn two_planted_bugs_of_bully_break_assertion_1() {
    assert!(is_found::<HaltNotSent>(), "a Halt that is not sent");
    assert!(is_found::<GoesOnWhenHalted>(), "an Election that goes on when it is halted");
}
