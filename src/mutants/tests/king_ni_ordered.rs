//! The bugs of A and B.2, one by one.
//!
//! Invariant: every bug of that file has a test here.

use super::{Apart, Twins, without};
use crate::king_ni_ordered::{CallSetsNoTimer, OwnCapacityIgnored, OwnInitIgnored, SecondTimerForgotten};
use bench::node;
use bench::set;
use election::king_ni::b2::{self, AlgorithmB2};
use election::king_ni::{ElectionNumber, a, succession};
use fault::{Bug, Given};
use protocol::{SettingValue, Span, Timing};

const T: Span = Span::from_millis(200);
const TIMING: Timing = Timing { t: T, check: Span::from_millis(500), silence: Span::from_millis(2000) };
const FIRST: ElectionNumber = ElectionNumber(1);

#[test]
fn a_does_not_count_itself() {
    let ready = a::Timer::Succession(succession::Timer::Ready);
    let twins = Twins::<OwnCapacityIgnored>::start(3, 5, TIMING, |settings| settings).alike().time_out(ready).elect();
    let mut twins = twins.hear(1, a::Message::Capacity { election: FIRST, capacity: 1 });
    twins.give(Given::Message(node(3), a::Message::Capacity { election: FIRST, capacity: 3 }));
    let Apart { plain_state, mutant_state, .. } = twins.apart_at(a::Timer::Table);
    assert_eq!((plain_state.coordinator, mutant_state.coordinator), (Some(node(3)), Some(node(1))));
}

#[test]
fn a_begins_by_a_call_and_sets_no_timer() {
    let ready = a::Timer::Succession(succession::Timer::Ready);
    let twins = Twins::<CallSetsNoTimer>::start(3, 5, TIMING, |settings| settings).alike().time_out(ready);
    let Apart { plain, mutant, plain_state, mutant_state } =
        twins.apart_hearing(1, a::Message::Call { election: FIRST });
    assert_eq!(mutant, without(&plain, &[set(a::Timer::Table, T)]));
    assert_eq!(plain_state, mutant_state);
}

/// Process 3 of 5, with lengths for lists, which has asked at its start, and begins.
fn beginning<B: Bug<Machine = AlgorithmB2>>() -> Twins<B> {
    let lengths = |settings: protocol::Settings| {
        let lengths = SettingValue::Word("lengths".to_owned());
        settings.with("lists", lengths).with("t", SettingValue::Number(4))
    };
    let ready = b2::Timer::Succession(succession::Timer::Ready);
    Twins::start(3, 5, TIMING, lengths).alike().time_out(ready).elect()
}

fn init(capacity: i64) -> b2::Message {
    b2::Message::Init { election: FIRST, capacity }
}

#[test]
fn b2_does_not_log_its_own_init() {
    let mut twins = beginning::<OwnInitIgnored>();
    twins.give(Given::Message(node(3), init(3)));
    twins.give(Given::Message(node(1), init(1)));
    twins.give(Given::Timer(b2::Timer::Table));
    twins.give(Given::Message(node(1), b2::Message::Vect { election: FIRST, list: b2::List::Length(2) }));
    let Apart { plain_state, mutant_state, .. } = twins.apart_at(b2::Timer::Table);
    assert_eq!((plain_state.coordinator, mutant_state.coordinator), (Some(node(3)), Some(node(1))));
}

#[test]
fn b2_collects_lists_for_ever() {
    let twins = beginning::<SecondTimerForgotten>().hear(3, init(3));
    let Apart { plain, mutant, plain_state, mutant_state } = twins.apart_at(b2::Timer::Table);
    assert_eq!(mutant, without(&plain, &[set(b2::Timer::Table, T * 2)]));
    assert_eq!(plain_state, mutant_state);
}
