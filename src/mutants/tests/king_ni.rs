//! The bugs of B.1 and C, one by one.
//!
//! Invariant: every bug of that file has a test here.

use super::{Apart, Twins, without};
use crate::king_ni::{
    CapacityNotSent, CollectsTooShort, MasterSetOnce, NobodyIsLargest, NumberNotRaised, OwnCapacityIgnored,
};
use bench::node;
use bench::set;
use election::king_ni::ElectionNumber;
use election::king_ni::b1::{self, AlgorithmB1};
use election::king_ni::c;
use fault::{Bug, Given};
use protocol::{Effect, SettingValue, Settings, Span, Timing};

const T: Span = Span::from_millis(200);
const TIMING: Timing = Timing { t: T, check: Span::from_millis(500), silence: Span::from_millis(2000) };
const FIRST: ElectionNumber = ElectionNumber(1);
const SECOND: ElectionNumber = ElectionNumber(2);

/// Process 3 of 5, which has asked at its start and heard of nothing.
fn ready<B: Bug<Machine = AlgorithmB1>>() -> Twins<B> {
    Twins::start(3, 5, TIMING, |settings| settings).alike().time_out(b1::Timer::Ready)
}

fn v(election: ElectionNumber, capacity: i64) -> b1::Message {
    b1::Message::Capacity { election, capacity }
}

fn broadcast(election: ElectionNumber, capacity: i64) -> Effect<AlgorithmB1> {
    Effect::Broadcast { message: v(election, capacity) }
}

#[test]
fn b1_collects_for_half_the_time() {
    let Apart { plain, mutant, .. } = ready::<CollectsTooShort>().apart_hearing(1, v(FIRST, 1));
    assert_eq!(plain.last(), Some(&set(b1::Timer::Table, T * 2)));
    let before = plain.len() - 1;
    assert_eq!(mutant, [&plain[..before], &[set(b1::Timer::Table, T)]].concat());
}

#[test]
fn b1_counts_itself_and_tells_nobody() {
    let Apart { plain, mutant, .. } = ready::<CapacityNotSent>().apart_hearing(1, v(FIRST, 1));
    assert_eq!(mutant, without(&plain, &[broadcast(FIRST, 3)]));
    ready::<CapacityNotSent>().elect();
}

#[test]
fn b1_tells_all_and_does_not_count_itself() {
    let mut twins = ready::<OwnCapacityIgnored>();
    twins.give(Given::Message(node(1), v(FIRST, 1)));
    let Apart { plain, mutant, .. } = twins.compared();
    assert_eq!(without(&mutant, &[broadcast(FIRST, 3)]), without(&plain, &[broadcast(FIRST, 3)]));
    twins.give(Given::Message(node(3), v(FIRST, 3)));
    let Apart { plain_state, mutant_state, .. } = twins.apart_at(b1::Timer::Table);
    assert_eq!((plain_state.coordinator, mutant_state.coordinator), (Some(node(3)), Some(node(1))));
}

#[test]
fn b1_begins_its_second_election_under_the_number_of_the_first() {
    let mut twins = ready::<NumberNotRaised>().hear(5, v(FIRST, 5)).time_out(b1::Timer::Table);
    twins = twins.hear(5, b1::Message::Elected { election: FIRST }).time_out(b1::Timer::Ready);
    twins.give(Given::Order(protocol::Order::Elect));
    let Apart { plain, plain_state, mutant, mutant_state } = twins.apart();
    assert_eq!((plain_state.election, mutant_state.election), (Some(2), Some(1)));
    assert!(plain.contains(&broadcast(SECOND, 3)) && plain.contains(&Effect::Save { saved: SECOND }));
    assert!(mutant.contains(&broadcast(FIRST, 3)) && mutant.contains(&Effect::Save { saved: FIRST }));
    // Within its election it hears what bears that number.
    let Apart { plain_state, mutant_state, .. } = {
        twins.give(Given::Message(node(4), v(FIRST, 4)));
        twins.apart_at(b1::Timer::Table)
    };
    assert_eq!((plain_state.coordinator, mutant_state.coordinator), (Some(node(3)), Some(node(4))));
}

#[test]
fn c_names_the_first_master_for_ever() {
    let elected = |election| c::Message::Elected { election, round: 1, capacity: None };
    let twins = Twins::<MasterSetOnce>::start(3, 5, TIMING, |settings| settings).alike();
    let twins = twins.hear(5, elected(FIRST)).time_out(c::Timer::Table);
    let Apart { plain, plain_state, mutant, mutant_state } = twins.apart_hearing(4, elected(SECOND));
    assert_eq!(plain, mutant);
    assert_eq!((plain_state.coordinator, mutant_state.coordinator), (Some(node(4)), Some(node(5))));
}

#[test]
fn c_takes_nobody_for_the_largest() {
    let to_the_letter = |settings: Settings| settings.with("errata", SettingValue::Flag(false));
    let init = |capacity| c::Message::Init { election: ElectionNumber(0), capacity };
    let twins = Twins::<NobodyIsLargest>::start(3, 3, TIMING, to_the_letter).alike();
    let mut twins = twins;
    twins.give(Given::Message(node(1), init(1)));
    let Apart { plain_state, mutant_state, .. } = twins.apart_at(c::Timer::Table);
    assert_eq!((plain_state.word.as_ref(), mutant_state.word.as_ref()), ("coll2", "wait1"));
}
