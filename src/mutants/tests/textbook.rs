//! The bugs of the textbook's Bully and ring, one by one.
//!
//! Invariant: every bug of that file has a test here.

use super::{Apart, Twins, without};
use crate::textbook::{AsksOnce, OwnNumberLast, WaitNotCancelled, WaitsForEver};
use bench::node;
use bench::{call, cancel, send, set};
use election::king_ni::ElectionNumber;
use election::textbook::{bully, ring};
use fault::{Bug, Given};
use protocol::{Incarnation, Span, Timing};

const T: Span = Span::from_millis(200);
const TIMING: Timing = Timing { t: T, check: Span::from_millis(500), silence: Span::from_millis(1100) };

/// Process 2 of 4.
fn twins<B: Bug>() -> Twins<B> {
    Twins::start(2, 4, TIMING, |settings| settings)
}

#[test]
fn bully_goes_on_waiting_for_a_word_that_has_come() {
    let twins = twins::<WaitNotCancelled>().alike().hear(4, bully::Message::Answer { call: call(1) });
    let Apart { plain, mutant, .. } = twins.apart_hearing(4, bully::Message::Coordinator);
    assert_eq!(mutant, without(&plain, &[cancel(bully::Timer::Coordinator)]));
}

#[test]
fn bully_sends_one_request() {
    let twins = twins::<AsksOnce>().alike().hear(4, bully::Message::Coordinator);
    let Apart { plain, mutant, .. } = twins.apart_at(bully::Timer::Check);
    assert_eq!(mutant, without(&plain, &[set(bully::Timer::Check, TIMING.check)]));
    assert!(mutant.contains(&send(4, bully::Message::Request { call: call(2) })));
}

fn elect(of: u16) -> ring::Load {
    ring::Load::Elect { election: ElectionNumber(1), of: node(of), incarnation: Incarnation(1) }
}

fn from_left(of: u16) -> ring::Message {
    ring::Message::HandOver { load: elect(of), hand_over: call(9) }
}

#[test]
fn the_ring_passes_on_before_it_sends_its_own() {
    let twins = twins::<OwnNumberLast>().alike();
    let Apart { mut plain, mutant, plain_state, mutant_state } = twins.apart_hearing(1, from_left(1));
    let last = plain.len() - 1;
    plain.swap(last - 1, last);
    assert_eq!((&mutant, mutant_state), (&plain, plain_state));
    assert_eq!(mutant[last], send(3, ring::Message::HandOver { load: elect(2), hand_over: call(3) }));
}

#[test]
fn the_ring_waits_for_ever() {
    let mut twins = twins::<WaitsForEver>();
    let Apart { plain, mutant, .. } = twins.compared();
    assert_eq!(mutant, without(&plain, &[set(ring::Timer::Return, TIMING.silence)]));
    twins.give(Given::Order(protocol::Order::Elect));
    let Apart { plain, mutant, .. } = twins.apart();
    assert_eq!(mutant, without(&plain, &[set(ring::Timer::Return, TIMING.silence)]));
}
