//! What the algorithms have in common: their states, their elections, how groups meet, and the network of their tests.
//!
//! Invariant: what is said here is said of every one of them that it is true of.

mod ballots;
mod elections;
mod meetings;
pub mod network;

use super::{a, agreement, b1, b2, c};
use protocol::{Algorithm, Assumption};

/// Each waits 2T or 3T by its own clock for what others do by their clocks.
#[test]
fn all_need_clocks_of_one_rate_without_pauses() {
    let section_5_3 = agreement::Algorithm53::CARD;
    for card in [a::AlgorithmA::CARD, b1::AlgorithmB1::CARD, b2::AlgorithmB2::CARD, section_5_3, c::AlgorithmC::CARD] {
        for needed in [Assumption::OneClockRate, Assumption::NoPauses] {
            assert!(card.needs.contains(&needed), "{}: {needed}", card.name);
        }
    }
}
