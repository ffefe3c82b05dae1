//! Tests of Algorithm B.1: each transition, each mend, many elections over an ordered broadcast in virtual time.
//!
//! Invariant: one test for each transition of Table 2, which names it.

mod elections;
mod mends;
mod transitions;

use super::{AlgorithmB1, ElectionNumber, Message, Timer};
use crate::king_ni::tests::network::{Errata, settings, t, timing};
use bench::node;
use protocol::{Algorithm, Effect, Effects, Incarnation, LineNumber, Order, Roster, Setup, Timing};

fn setup(me: u16, nodes: u16, errata: Errata) -> Setup {
    let roster = Roster::new(nodes).unwrap();
    Setup {
        me: node(me),
        roster,
        timing: timing(),
        settings: settings::<AlgorithmB1>(nodes, errata),
        incarnation: Incarnation(1),
        keyring: None,
    }
}

/// Effects and lines.
type Answer = (Vec<Effect<AlgorithmB1>>, Vec<LineNumber>);

/// Process 3 of five, one input at a time; its capacity is 3 unless it is no candidate.
struct Bench {
    machine: AlgorithmB1,
    capacity: i64,
}

impl Bench {
    fn to_the_letter(capacity: i64) -> Bench {
        Bench::new(Errata::ToTheLetter, capacity)
    }

    /// Mended, and its time of asking is over.
    fn mended(capacity: i64) -> Bench {
        let mut bench = Bench::new(Errata::Mended, capacity);
        assert_eq!(bench.runs_out(Timer::Ready), (vec![], vec![]));
        bench
    }

    fn new(errata: Errata, capacity: i64) -> Bench {
        let machine = AlgorithmB1::start(&setup(3, 5, errata), None, &mut Effects::new(capacity));
        Bench { machine, capacity }
    }

    fn input(&mut self, input: impl FnOnce(&mut AlgorithmB1, &mut Effects<AlgorithmB1>)) -> Answer {
        let mut fx = Effects::new(self.capacity);
        input(&mut self.machine, &mut fx);
        fx.into_parts()
    }

    fn begins(&mut self) -> Answer {
        self.input(|machine, fx| machine.on_order(Order::Elect, fx))
    }

    fn hears(&mut self, from: u16, message: Message) -> Answer {
        self.input(|machine, fx| machine.on_message(node(from), message, fx))
    }

    fn runs_out(&mut self, timer: Timer) -> Answer {
        self.input(|machine, fx| machine.on_timer(timer, fx))
    }

    fn is_in(&self, word: &str) {
        assert_eq!(self.machine.state().word, word);
    }

    /// Asserts that `S` has these ids, each with a capacity equal to it.
    fn s_is(&self, ids: &[u16]) {
        let expected = ids.iter().map(|id| (node(*id), i64::from(*id))).collect();
        assert_eq!(self.machine.candidates, expected);
    }
}

fn capacity(election: u64, capacity: i64) -> Message {
    Message::Capacity { election: ElectionNumber(election), capacity }
}

fn elected(election: u64) -> Message {
    Message::Elected { election: ElectionNumber(election) }
}

fn broadcast(message: Message) -> Effect<AlgorithmB1> {
    Effect::Broadcast { message }
}

fn set(timer: Timer, times: f64) -> Effect<AlgorithmB1> {
    Effect::SetTimer { timer, shortest: t(times), longest: t(times) }
}

#[test]
fn a_message_fits_64_bytes() {
    assert!(size_of::<Message>() <= 64, "{} bytes", size_of::<Message>());
}

#[test]
fn the_card_states_the_papers_bound_of_3_t() {
    let settings = setup(1, 5, Errata::Mended).settings;
    let facts = AlgorithmB1::CARD.facts(&timing(), 5, &settings);
    assert_eq!((facts.time_bound, facts.quiet_bound), (t(3.0), t(23.0)));
    let rule = &AlgorithmB1::CARD.periods[0];
    assert!((rule.holds)(&timing(), 5, &settings));
    assert!(!(rule.holds)(&Timing { check: t(1.9), ..timing() }, 5, &settings));
}
