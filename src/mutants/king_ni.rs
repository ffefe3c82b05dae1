//! Bugs planted in the algorithms of King, Gendreau and Ni 1988.
//!
//! Invariant: each is one small mistake, as a person might make it; the comment above it says what it does and what
//! follows.

use election::king_ni::a::{self, AlgorithmA};
use election::king_ni::agreement::{self, Algorithm53};
use election::king_ni::b1::{self, AlgorithmB1};
use election::king_ni::b2::{self, AlgorithmB2};
use election::king_ni::c::{self, AlgorithmC};
use election::king_ni::{ElectionNumber, succession};
use fault::{Bug, MutantInput, MutantOutput, pretend};
use protocol::{Algorithm, Effect, Effects, NodeId, NodeSet, SettingValue, Setup};

/// More than any capacity here.
const CAPACITY_MAX: i64 = 1_000;

/// B.1, transition 2 without its broadcast: a candidate counts itself and tells nobody.
#[derive(Clone, Default, Eq, PartialEq, Hash, Debug)]
pub struct CapacityNotSent;

impl Bug for CapacityNotSent {
    type Machine = AlgorithmB1;

    fn give(
        &mut self,
        machine: &mut AlgorithmB1,
        given: MutantInput<AlgorithmB1>,
        capacity: i64,
    ) -> MutantOutput<AlgorithmB1> {
        let is_heard = matches!(given, MutantInput::Message(_, b1::Message::Capacity { .. }));
        given
            .to(machine, capacity)
            .without(|effect| is_heard && matches!(effect, Effect::Broadcast { message: b1::Message::Capacity { .. } }))
    }
}

/// B.1, the comparison of capacities reversed: the least one is elected.
#[derive(Clone, Default, Eq, PartialEq, Hash, Debug)]
pub struct LeastElected;

impl Bug for LeastElected {
    type Machine = AlgorithmB1;

    fn give(
        &mut self,
        machine: &mut AlgorithmB1,
        given: MutantInput<AlgorithmB1>,
        capacity: i64,
    ) -> MutantOutput<AlgorithmB1> {
        given.to(machine, CAPACITY_MAX - capacity)
    }
}

/// C, the comparison of 8 reversed: any capacity that it hears counts as larger, so nobody takes itself for the
/// largest.
#[derive(Clone, Default, Eq, PartialEq, Hash, Debug)]
pub struct NobodyIsLargest;

impl Bug for NobodyIsLargest {
    type Machine = AlgorithmC;

    fn give(
        &mut self,
        machine: &mut AlgorithmC,
        given: MutantInput<AlgorithmC>,
        capacity: i64,
    ) -> MutantOutput<AlgorithmC> {
        match given {
            MutantInput::Message(from, c::Message::Init { election, .. }) => {
                MutantInput::Message(from, c::Message::Init { election, capacity: i64::MAX }).to(machine, capacity)
            }
            given => given.to(machine, capacity),
        }
    }
}

/// C, 9, 12 and 19 without their broadcast: who hears two announcements tells nobody.
#[derive(Clone, Default, Eq, PartialEq, Hash, Debug)]
pub struct DupNotSent;

impl Bug for DupNotSent {
    type Machine = AlgorithmC;

    fn done(&mut self, _: &mut AlgorithmC, step: MutantOutput<AlgorithmC>, _: i64) -> MutantOutput<AlgorithmC> {
        step.without(|effect| matches!(effect, Effect::Broadcast { message: c::Message::Dup { .. } }))
    }
}

/// C, 15 left out, and 14 without its guard: whoever is in coll3 announces itself again, though others outrank it.
#[derive(Clone, Default, Eq, PartialEq, Hash, Debug)]
pub struct NobodyGivesWay {
    others: NodeSet,
}

impl NobodyGivesWay {
    /// The machine believes these capacities of the others.
    fn believe(&self, machine: &mut AlgorithmC, own: i64, capacity: impl Fn(NodeId) -> i64) {
        let election = ElectionNumber(machine.state().election.unwrap_or_default());
        for node in self.others.iter() {
            let message = c::Message::Init { election, capacity: capacity(node) };
            drop(pretend(machine, MutantInput::Message(node, message), own));
        }
    }
}

impl Bug for NobodyGivesWay {
    type Machine = AlgorithmC;

    fn start(&mut self, setup: &Setup, saved: Option<ElectionNumber>, fx: &mut Effects<AlgorithmC>) -> AlgorithmC {
        self.others = setup.roster.others(setup.me);
        AlgorithmC::start(setup, saved, fx)
    }

    fn give(
        &mut self,
        machine: &mut AlgorithmC,
        given: MutantInput<AlgorithmC>,
        capacity: i64,
    ) -> MutantOutput<AlgorithmC> {
        if (machine.state().word.as_ref(), &given) != ("coll3", &MutantInput::Timer(c::Timer::Table)) {
            return given.to(machine, capacity);
        }
        self.believe(machine, capacity, |_| -1);
        let step = given.to(machine, capacity);
        // Unless a lab says otherwise, the capacity of a process is its number.
        self.believe(machine, capacity, |node| node.get().into());
        step
    }
}

/// A, transition 1 without its timer when a call begins the election: the first election ends, the one after the
/// master's death never does.
#[derive(Clone, Default, Eq, PartialEq, Hash, Debug)]
pub struct CallSetsNoTimer;

impl Bug for CallSetsNoTimer {
    type Machine = AlgorithmA;

    fn give(
        &mut self,
        machine: &mut AlgorithmA,
        given: MutantInput<AlgorithmA>,
        capacity: i64,
    ) -> MutantOutput<AlgorithmA> {
        let is_called = matches!(given, MutantInput::Message(_, a::Message::Call { .. }));
        let is_timer = |effect: &Effect<AlgorithmA>| matches!(effect, Effect::SetTimer { timer: a::Timer::Table, .. });
        given.to(machine, capacity).without(|effect| is_called && is_timer(effect))
    }
}

/// B.2, line 301 with t-1 for t: a process waits for one list too many, and one that is silent keeps all from an end.
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

/// B.2, line 125 with a process counted twice: what half of t+1 say, t+1 seem to have said.
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

    fn give(
        &mut self,
        machine: &mut AlgorithmB2,
        given: MutantInput<AlgorithmB2>,
        capacity: i64,
    ) -> MutantOutput<AlgorithmB2> {
        let MutantInput::Message(from, b2::Message::Succession(message @ succession::Message::Ended { .. })) = &given
        else {
            return given.to(machine, capacity);
        };
        let (message, again) = (*message, NodeId::new(self.nodes + 1 - from.get()));
        let step = given.to(machine, capacity);
        match again {
            Some(again) => step.then(MutantInput::Message(again, message.into()).to(machine, capacity)),
            None => step,
        }
    }
}

/// 5.3, line 404 without its broadcast: nobody hands on a list, so it counts only where its owner has shown it.
#[derive(Clone, Default, Eq, PartialEq, Hash, Debug)]
pub struct ListNotHandedOn;

impl Bug for ListNotHandedOn {
    type Machine = Algorithm53;

    fn done(&mut self, _: &mut Algorithm53, step: MutantOutput<Algorithm53>, _: i64) -> MutantOutput<Algorithm53> {
        step.without(|effect| match effect {
            Effect::Broadcast { message: agreement::Message::Vect { relay, .. } } => relay.signatures.len() > 1,
            _ => false,
        })
    }
}
