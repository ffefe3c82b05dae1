//! Bugs planted in the counting of Algorithm B.2 of King, Gendreau and Ni 1988: which inits and lists count, from when on
//! and until when.
//!
//! What all make alike of the one order parts nobody, be it right or wrong: a list too many in Y', or one too few. So each
//! bug here makes something depend on a process's own time, or believes one process where t+1 are asked for.
//!
//! Invariant: each is one small mistake, as a person might make it; the comment above it says what it does and what
//! follows.

use election::king_ni::b2::{self, AlgorithmB2, Message};
use election::king_ni::{ElectionNumber, succession};
use fault::{Bug, Given, Reaction};
use protocol::{Algorithm, Effect, Effects, NodeId, SettingValue, Setup};

type Step = Reaction<AlgorithmB2>;

/// Line 101 left out: a list that comes in coll1 is lost, though its sender may have started earlier.
#[derive(Clone, Default, Eq, PartialEq, Hash, Debug)]
pub struct EarlyListLost;

impl Bug for EarlyListLost {
    type Machine = AlgorithmB2;

    fn give(&mut self, machine: &mut AlgorithmB2, given: Given<AlgorithmB2>, capacity: i64) -> Step {
        let is_early = machine.state().word == "coll1";
        match given {
            Given::Message(_, Message::Vect { .. }) if is_early => Reaction::none(),
            given => given.to(machine, capacity),
        }
    }
}

/// Line 110 left out: an init that comes in coll2 is lost, and a longer list is cut to what is left.
#[derive(Clone, Default, Eq, PartialEq, Hash, Debug)]
pub struct LateInitLost;

impl Bug for LateInitLost {
    type Machine = AlgorithmB2;

    fn give(&mut self, machine: &mut AlgorithmB2, given: Given<AlgorithmB2>, capacity: i64) -> Step {
        let is_late = machine.state().word == "coll2";
        match given {
            Given::Message(_, Message::Init { .. }) if is_late => Reaction::none(),
            given => given.to(machine, capacity),
        }
    }
}

/// Transition 6 with T for 2T: a value is taken before the last round is over, and others wait for lists in vain.
#[derive(Clone, Default, Eq, PartialEq, Hash, Debug)]
pub struct SecondRoundTooShort;

impl Bug for SecondRoundTooShort {
    type Machine = AlgorithmB2;

    fn done(&mut self, machine: &mut AlgorithmB2, mut step: Step, _: i64) -> Step {
        if machine.state().word == "coll2" {
            for effect in &mut step.effects {
                if let Effect::SetTimer { timer: b2::Timer::Table, shortest, longest } = effect {
                    (*shortest, *longest) = (*shortest / 2, *longest / 2);
                }
            }
        }
        step
    }
}

/// Line 301 with t-1 for t: a process waits for one list too many, and one that is silent keeps all from an end.
#[derive(Clone, Default, Eq, PartialEq, Hash, Debug)]
pub struct OneListMore;

impl Bug for OneListMore {
    type Machine = AlgorithmB2;

    fn start(&mut self, setup: &Setup, saved: Option<ElectionNumber>, fx: &mut Effects<AlgorithmB2>) -> AlgorithmB2 {
        let fewer = SettingValue::Number(setup.settings.number("t").saturating_sub(1));
        let settings = setup.settings.clone().with("t", fewer);
        AlgorithmB2::start(&Setup { settings, ..setup.clone() }, saved, fx)
    }
}

/// Line 125 with a process counted twice: what half of t+1 say, t+1 seem to have said.
#[derive(Clone, Default, Eq, PartialEq, Hash, Debug)]
pub struct AnswerCountedTwice {
    nodes: u16,
}

impl Bug for AnswerCountedTwice {
    type Machine = AlgorithmB2;

    fn start(&mut self, setup: &Setup, saved: Option<ElectionNumber>, fx: &mut Effects<AlgorithmB2>) -> AlgorithmB2 {
        self.nodes = setup.roster.len();
        AlgorithmB2::start(setup, saved, fx)
    }

    fn give(&mut self, machine: &mut AlgorithmB2, given: Given<AlgorithmB2>, capacity: i64) -> Step {
        let Given::Message(from, Message::Succession(message @ succession::Message::Ended { .. })) = &given else {
            return given.to(machine, capacity);
        };
        let (message, again) = (*message, NodeId::new(self.nodes + 1 - from.get()));
        let step = given.to(machine, capacity);
        match again {
            Some(again) => step.then(Given::Message(again, message.into()).to(machine, capacity)),
            None => step,
        }
    }
}
