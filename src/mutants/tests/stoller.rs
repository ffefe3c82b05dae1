//! The bugs of Stoller's two algorithms, one by one.
//!
//! Invariant: every bug of that file has a test here.

use super::{Apart, Twins, without};
use crate::stoller::{
    FirstDownIsEnough, HaltNotAcknowledged, IncarnationNotRead, NeverNotNorm, PlaysDeadForEver, RepeatObeyed,
};
use bench::node;
use bench::{call, send};
use election::detector;
use election::stoller::{ElectionId, Said, asynchronous, fd};
use fault::Bug;
use protocol::{Incarnation, Span, Timing};

const TIMING: Timing =
    Timing { t: Span::from_millis(100), check: Span::from_millis(500), silence: Span::from_millis(300) };

fn started<B: Bug>(me: u16, of: u16) -> Twins<B> {
    Twins::start(me, of, TIMING, |settings| settings).alike()
}

/// The first election that this node starts in its first life.
const fn first(starter: protocol::NodeId) -> ElectionId {
    ElectionId { starter, incarnation: Incarnation(1), sequence: 1 }
}

#[test]
fn one_that_is_down_is_enough() {
    let timer = |timer| fd::Timer::Detector(timer);
    let twins = started::<FirstDownIsEnough>(3, 4).time_out(timer(detector::Timer::Ask(node(1))));
    let apart = twins.apart_at(timer(detector::Timer::Answer(node(1))));
    assert_eq!((apart.plain_state.word.as_ref(), apart.mutant_state.word.as_ref()), ("Elec1", "Elec2"));
}

#[test]
fn a_halt_is_not_acknowledged() {
    let election = first(node(1));
    let halt = fd::Message::Election(Said::Halt { election });
    let Apart { plain, mutant, plain_state, mutant_state } =
        started::<HaltNotAcknowledged>(2, 3).apart_hearing(1, halt);
    assert_eq!(mutant, without(&plain, &[send(1, fd::Message::Election(Said::Ack { election }))]));
    assert_eq!(plain_state, mutant_state);
}

#[test]
fn nobody_says_not_norm() {
    let election = first(node(1));
    let question = fd::Message::Election(Said::IsNorm { election });
    let apart = started::<NeverNotNorm>(2, 3).apart_hearing(1, question);
    assert_eq!(apart.plain, [send(1, fd::Message::Election(Said::NotNorm { election }))]);
    assert_eq!(apart.mutant, []);
}

fn said(said: Said) -> fd::Message {
    fd::Message::Election(said)
}

/// 3, which 2 has halted; then 1 comes to lead it, and 2's Halt comes once more.
#[test]
fn a_halt_that_is_sent_again_is_obeyed_again() {
    let (of_2, of_1) = (first(node(2)), first(node(1)));
    let Apart { plain, mutant, plain_state, mutant_state } = started::<RepeatObeyed>(3, 3)
        .hear(2, said(Said::Halt { election: of_2 }))
        .hear(1, said(Said::Halt { election: of_1 }))
        .hear(1, said(Said::Ldr { election: of_1 }))
        .apart_hearing(2, said(Said::Halt { election: of_2 }));
    assert_eq!(plain, [send(2, said(Said::Ack { election: of_2 }))]);
    assert!(mutant.contains(&plain[0]), "{mutant:?}");
    assert_eq!((plain_state.coordinator, mutant_state.halted_by), (Some(node(1)), Some(node(2))));
}

#[test]
fn the_incarnation_is_not_read() {
    let apart =
        started::<IncarnationNotRead>(1, 3).recovered(asynchronous::Stable { incarnation: Incarnation(1) }).apart();
    let counter = |state: protocol::StateVector| state.group.unwrap().counter;
    assert_eq!((counter(apart.plain_state), counter(apart.mutant_state)), (2_000_000_001, 1_000_000_001));
}

#[test]
fn who_was_halted_plays_dead_for_ever() {
    let message = asynchronous::Message::Detector;
    let halt = asynchronous::Message::Election(Said::Halt { election: first(node(1)) });
    let question = message(detector::Message::AreYouAlive { call: call(4) });
    let apart = started::<PlaysDeadForEver>(2, 3).hear(1, halt).elect().apart_hearing(3, question);
    assert_eq!(apart.plain, [send(3, message(detector::Message::Alive { call: call(4) }))]);
    assert_eq!(apart.mutant, []);
}
