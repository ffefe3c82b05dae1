//! The bugs in B.2's counting, one by one.
//!
//! Invariant: every bug of that file has a test here.

use super::{Apart, Twins};
use crate::king_ni_lists::{AnswerCountedTwice, EarlyListLost, LateInitLost, OneListMore, SecondRoundTooShort};
use bench::node;
use bench::set;
use election::king_ni::b2::{self, AlgorithmB2, List, Message, Timer};
use election::king_ni::{ElectionNumber, succession};
use fault::Bug;
use protocol::{Effect, SettingValue, Span, StateVector, Timing};

const T: Span = Span::from_millis(200);
const TIMING: Timing = Timing { t: T, check: Span::from_millis(500), silence: Span::from_millis(2000) };
const FIRST: ElectionNumber = ElectionNumber(1);

/// Process 3 of five, t = 1, which has just started and asked.
fn started<B: Bug<Machine = AlgorithmB2>>() -> Twins<B> {
    let full = SettingValue::Word("full".to_owned());
    Twins::start(3, 5, TIMING, |settings| settings.with("lists", full.clone()).with("t", SettingValue::Number(1)))
        .alike()
}

/// The same in coll1, which has heard its own init and that of 1.
fn coll1<B: Bug<Machine = AlgorithmB2>>() -> Twins<B> {
    let ready = Timer::Succession(succession::Timer::Ready);
    started().time_out(ready).elect().hear(3, init(3)).hear(1, init(1))
}

fn init(capacity: i64) -> Message {
    Message::Init { election: FIRST, capacity }
}

fn vect(list: &[u16]) -> Message {
    let list = List::Full(list.iter().map(|number| (node(*number), i64::from(*number))).collect());
    Message::Vect { election: FIRST, list }
}

/// How many inits and how many lists it has.
fn counted(state: &StateVector) -> (usize, usize) {
    let lists = state.ballot.as_ref().and_then(|ballot| ballot.lists.as_ref());
    lists.map_or((0, 0), |lists| (lists.candidates.len(), lists.received.len()))
}

#[test]
fn b2_loses_a_list_that_comes_in_coll1() {
    let Apart { plain_state, mutant_state, .. } = coll1::<EarlyListLost>().apart_hearing(1, vect(&[3, 1]));
    assert_eq!((counted(&plain_state), counted(&mutant_state)), ((2, 1), (2, 0)));
}

#[test]
fn b2_loses_an_init_that_comes_in_coll2() {
    let twins = coll1::<LateInitLost>().time_out(Timer::Table);
    let Apart { plain_state, mutant_state, .. } = twins.apart_hearing(2, init(2));
    assert_eq!((counted(&plain_state), counted(&mutant_state)), ((3, 0), (2, 0)));
}

#[test]
fn b2_collects_lists_for_t() {
    let Apart { plain, mutant, .. } = coll1::<SecondRoundTooShort>().apart_at(Timer::Table);
    let own = Effect::Broadcast { message: vect(&[3, 1]) };
    assert_eq!(plain, [own.clone(), set(Timer::Table, T * 2)]);
    assert_eq!(mutant, [own, set(Timer::Table, T)]);
}

#[test]
fn b2_waits_for_a_list_more() {
    let twins = coll1::<OneListMore>().time_out(Timer::Table);
    let twins = [3, 1, 2, 4].into_iter().fold(twins, |twins, from| twins.hear(from, vect(&[3, 1])));
    let Apart { plain_state, mutant_state, .. } = twins.apart_at(Timer::Table);
    assert_eq!((plain_state.word.as_ref(), mutant_state.word.as_ref()), ("stop", "normal"));
}

#[test]
fn b2_believes_half_of_those_that_it_has_to_ask() {
    let told =
        succession::Message::Ended { election: ElectionNumber(4), master: Some(node(5)), taken: ElectionNumber(4) };
    let twins = started::<AnswerCountedTwice>();
    let Apart { plain_state, mutant_state, .. } = twins.apart_hearing(1, b2::Message::Succession(told));
    assert_eq!((plain_state.coordinator, mutant_state.coordinator), (None, Some(node(5))));
}
