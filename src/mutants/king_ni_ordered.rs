//! Bugs planted in the algorithms A and B.2 of King, Gendreau and Ni 1988.
//!
//! Invariant: each is one small mistake, as a person might make it; the comment above it says what it does and what
//! follows.

use election::king_ni::ElectionNumber;
use election::king_ni::a::{self, AlgorithmA};
use election::king_ni::b2::{self, AlgorithmB2};
use fault::{Bug, Given, Reaction};
use protocol::{Algorithm, Effect, Effects, NodeId, Setup};

/// A, transition 2 without one's own broadcast, which comes back: S begins empty, so nobody counts itself, and the largest
/// elects the next one.
#[derive(Clone, Default, Eq, PartialEq, Hash, Debug)]
pub struct OwnCapacityIgnored {
    me: Option<NodeId>,
}

impl Bug for OwnCapacityIgnored {
    type Machine = AlgorithmA;

    fn start(&mut self, setup: &Setup, saved: Option<ElectionNumber>, fx: &mut Effects<AlgorithmA>) -> AlgorithmA {
        self.me = Some(setup.me);
        AlgorithmA::start(setup, saved, fx)
    }

    fn give(&mut self, machine: &mut AlgorithmA, given: Given<AlgorithmA>, capacity: i64) -> Reaction<AlgorithmA> {
        match given {
            Given::Message(from, a::Message::Capacity { .. }) if Some(from) == self.me => Reaction::none(),
            given => given.to(machine, capacity),
        }
    }
}

/// A, transition 1 without its timer when a call begins the election: the first election ends, the one after the
/// master's death never does.
#[derive(Clone, Default, Eq, PartialEq, Hash, Debug)]
pub struct CallSetsNoTimer;

impl Bug for CallSetsNoTimer {
    type Machine = AlgorithmA;

    fn give(&mut self, machine: &mut AlgorithmA, given: Given<AlgorithmA>, capacity: i64) -> Reaction<AlgorithmA> {
        let is_called = matches!(given, Given::Message(_, a::Message::Call { .. }));
        let is_timer = |effect: &Effect<AlgorithmA>| matches!(effect, Effect::SetTimer { timer: a::Timer::Table, .. });
        given.to(machine, capacity).without(|effect| is_called && is_timer(effect))
    }
}

/// B.2, transition 5 without one's own init, which comes back: the inits that a length is read in are not the same
/// everywhere, and the largest reads the list that names it without itself.
#[derive(Clone, Default, Eq, PartialEq, Hash, Debug)]
pub struct OwnInitIgnored {
    me: Option<NodeId>,
}

impl Bug for OwnInitIgnored {
    type Machine = AlgorithmB2;

    fn start(&mut self, setup: &Setup, saved: Option<ElectionNumber>, fx: &mut Effects<AlgorithmB2>) -> AlgorithmB2 {
        self.me = Some(setup.me);
        AlgorithmB2::start(setup, saved, fx)
    }

    fn give(&mut self, machine: &mut AlgorithmB2, given: Given<AlgorithmB2>, capacity: i64) -> Reaction<AlgorithmB2> {
        match given {
            Given::Message(from, b2::Message::Init { .. }) if Some(from) == self.me => Reaction::none(),
            given => given.to(machine, capacity),
        }
    }
}

/// B.2, transition 6 without its timer: a process that has sent its list collects lists for ever.
#[derive(Clone, Default, Eq, PartialEq, Hash, Debug)]
pub struct SecondTimerForgotten;

impl Bug for SecondTimerForgotten {
    type Machine = AlgorithmB2;

    fn give(&mut self, machine: &mut AlgorithmB2, given: Given<AlgorithmB2>, capacity: i64) -> Reaction<AlgorithmB2> {
        let is_time_out = matches!(given, Given::Timer(b2::Timer::Table));
        let is_timer =
            |effect: &Effect<AlgorithmB2>| matches!(effect, Effect::SetTimer { timer: b2::Timer::Table, .. });
        given.to(machine, capacity).without(|effect| is_time_out && is_timer(effect))
    }
}
