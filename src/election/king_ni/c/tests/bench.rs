//! One machine of Algorithm C, one input at a time.
//!
//! Invariant: every phase is reached by inputs alone.

use super::super::candidates::{CandidateList, HeardFrom};
use super::super::{AlgorithmC, ElectionNumber, Message, Name, Timer};
use super::{node, setup, t};
use crate::king_ni::tests::network::Errata;
use protocol::{Algorithm, Effect, Effects, LineNumber, Order};

/// The effects and the listing's lines of one input.
pub type Answer = (Vec<Effect<AlgorithmC>>, Vec<LineNumber>);

/// Process 3 of five. Its capacity is 3, or -1 if it is no candidate. What is made in a phase (`coll2`) runs to the
/// letter.
pub struct Bench {
    pub machine: AlgorithmC,
    pub capacity: i64,
}

impl Bench {
    pub fn candidate() -> Bench {
        Bench::new(Errata::ToTheLetter, 3)
    }

    pub fn follower() -> Bench {
        Bench::new(Errata::ToTheLetter, -1)
    }

    /// A candidate with the mends.
    pub fn mended() -> Bench {
        Bench::new(Errata::Mended, 3)
    }

    pub fn new(errata: Errata, capacity: i64) -> Bench {
        let setup = setup(3, 5, errata, t(4.0));
        Bench { machine: AlgorithmC::start(&setup, None, &mut Effects::new(capacity)), capacity }
    }

    pub fn input(&mut self, input: impl FnOnce(&mut AlgorithmC, &mut Effects<AlgorithmC>)) -> Answer {
        let mut fx = Effects::new(self.capacity);
        input(&mut self.machine, &mut fx);
        fx.into_parts()
    }

    pub fn begins(&mut self) -> Answer {
        self.input(|machine, fx| machine.on_order(Order::Elect, fx))
    }

    pub fn hears(&mut self, from: u16, message: Message) -> Answer {
        self.input(|machine, fx| machine.on_message(node(from), message, fx))
    }

    pub fn times_out(&mut self) -> Answer {
        self.input(|machine, fx| machine.on_timer(Timer::Table, fx))
    }

    pub fn word(&self) -> String {
        self.machine.state().word.into_owned()
    }

    pub fn is_in(&self, word: &str) {
        assert_eq!(self.word(), word);
    }

    /// Asserts that `S` has these names, and that these ids' capacities are known, each equal to its id.
    pub fn s_is(&self, names: &[u16], capacities: &[u16]) {
        let mut expected = CandidateList::default();
        for number in names {
            expected.add(node(*number));
        }
        for number in capacities {
            expected.learn(node(*number), i64::from(*number), HeardFrom::Itself);
        }
        assert_eq!(self.machine.candidates, expected);
    }

    pub fn coll1() -> Bench {
        let mut bench = Bench::candidate();
        bench.begins();
        bench
    }

    pub fn coll2() -> Bench {
        let mut bench = Bench::coll1();
        bench.hears(2, init(2));
        bench.times_out();
        bench
    }

    /// With `S` = {3, other}.
    pub fn coll3(other: u16) -> Bench {
        let mut bench = Bench::coll2();
        bench.hears(other, elected());
        bench
    }

    pub fn wait1() -> Bench {
        let mut bench = Bench::follower();
        bench.hears(5, init(5));
        bench
    }

    pub fn wait2(master: u16) -> Bench {
        let mut bench = Bench::follower();
        bench.hears(master, elected());
        bench
    }

    pub fn wait3() -> Bench {
        let mut bench = Bench::follower();
        bench.hears(4, dup(4, 5));
        bench
    }
}

pub fn init(capacity: i64) -> Message {
    Message::Init { election: ElectionNumber(0), capacity }
}

pub fn elected() -> Message {
    Message::Elected { election: ElectionNumber(0), round: 0, capacity: None }
}

pub fn dup(k: u16, l: u16) -> Message {
    let name = |number| Name { node: node(number), capacity: None };
    Message::Dup { election: ElectionNumber(0), round: 0, k: name(k), l: name(l) }
}

pub fn broadcast(message: Message) -> Effect<AlgorithmC> {
    Effect::Broadcast { message }
}

pub fn timer(times: u64) -> Effect<AlgorithmC> {
    let span = t(times as f64);
    Effect::SetTimer { timer: Timer::Table, shortest: span, longest: span }
}

pub fn nothing() -> Answer {
    (vec![], vec![])
}
