//! Bugs planted in the algorithms B.1 and C of King, Gendreau and Ni 1988.
//!
//! Invariant: each is one small mistake, as a person might make it; the comment above it says what it does and what
//! follows.

use election::king_ni::ElectionNumber;
use election::king_ni::b1::{self, AlgorithmB1};
use election::king_ni::c::{self, AlgorithmC};
use election::king_ni::watch;
use fault::{Bug, Given, Reaction, pretend};
use protocol::{Algorithm, Effect, Effects, NodeId, NodeSet, Setup, StateVector};

/// B.1 collects for T and not for 2T: a process that began has stopped before the capacities of the others come.
#[derive(Clone, Default, Eq, PartialEq, Hash, Debug)]
pub struct CollectsTooShort;

impl Bug for CollectsTooShort {
    type Machine = AlgorithmB1;

    fn done(&mut self, _: &mut AlgorithmB1, mut step: Reaction<AlgorithmB1>, _: i64) -> Reaction<AlgorithmB1> {
        for effect in &mut step.effects {
            if let Effect::SetTimer { timer: b1::Timer::Table, shortest, longest } = effect {
                (*shortest, *longest) = (*shortest / 2, *longest / 2);
            }
        }
        step
    }
}

/// B.1, transition 2 without its broadcast: a candidate counts itself and tells nobody.
#[derive(Clone, Default, Eq, PartialEq, Hash, Debug)]
pub struct CapacityNotSent;

impl Bug for CapacityNotSent {
    type Machine = AlgorithmB1;

    fn give(&mut self, machine: &mut AlgorithmB1, given: Given<AlgorithmB1>, capacity: i64) -> Reaction<AlgorithmB1> {
        let is_heard = matches!(given, Given::Message(_, b1::Message::Capacity { .. }));
        given
            .to(machine, capacity)
            .without(|effect| is_heard && matches!(effect, Effect::Broadcast { message: b1::Message::Capacity { .. } }))
    }
}

/// B.1, transition 2 with (j,w) alone in S: its own capacity should come back by its own broadcast, and what comes back
/// is ignored. So nobody counts itself.
#[derive(Clone, Default, Eq, PartialEq, Hash, Debug)]
pub struct OwnCapacityIgnored {
    me: Option<NodeId>,
}

impl Bug for OwnCapacityIgnored {
    type Machine = AlgorithmB1;

    fn start(&mut self, setup: &Setup, saved: Option<ElectionNumber>, fx: &mut Effects<AlgorithmB1>) -> AlgorithmB1 {
        self.me = Some(setup.me);
        AlgorithmB1::start(setup, saved, fx)
    }

    fn give(&mut self, machine: &mut AlgorithmB1, given: Given<AlgorithmB1>, capacity: i64) -> Reaction<AlgorithmB1> {
        if matches!(&given, Given::Message(from, b1::Message::Capacity { .. }) if Some(*from) == self.me) {
            return Reaction::none();
        }
        let before = machine.state().word;
        let is_heard = matches!(given, Given::Message(_, b1::Message::Capacity { .. }));
        // A non-candidate by transition 3 has (j,w) alone in S; the broadcast that it does not make is added.
        let mut step = given.to(machine, if is_heard { -1 } else { capacity });
        let StateVector { word, election, .. } = machine.state();
        if let (true, "collect", Some(election)) = (is_heard && before != "collect", word.as_ref(), election) {
            let message = b1::Message::Capacity { election: ElectionNumber(election), capacity };
            step.effects.push(Effect::Broadcast { message });
        }
        step
    }
}

/// B.1: an election that begins after another has the number of the first, and a process that has stopped takes it for
/// that one, silently.
#[derive(Clone, Default, Eq, PartialEq, Hash, Debug)]
pub struct NumberNotRaised {
    /// The difference between the number of the machine within and the mutant's.
    ahead: u64,
}

impl NumberNotRaised {
    fn shown(&self, number: ElectionNumber) -> ElectionNumber {
        ElectionNumber(number.0.saturating_sub(self.ahead))
    }

    fn within(&self, number: ElectionNumber) -> ElectionNumber {
        ElectionNumber(number.0 + self.ahead)
    }
}

impl Bug for NumberNotRaised {
    type Machine = AlgorithmB1;

    fn give(&mut self, machine: &mut AlgorithmB1, given: Given<AlgorithmB1>, capacity: i64) -> Reaction<AlgorithmB1> {
        let begins = !matches!(given, Given::Message(..));
        let before = machine.state().election;
        let given = match given {
            Given::Message(from, message) => Given::Message(from, renumbered(message, |number| self.within(number))),
            given => given,
        };
        if let Given::Message(_, b1::Message::Capacity { election, .. }) = &given
            && machine.state().word == "stop"
            && Some(election.0) <= before
        {
            return Reaction::none();
        }
        let step = given.to(machine, capacity);
        if let (true, Some(1..), Some(after)) = (begins, before, machine.state().election) {
            self.ahead += after - before.unwrap_or_default();
        }
        step
    }

    fn done(&mut self, _: &mut AlgorithmB1, mut step: Reaction<AlgorithmB1>, _: i64) -> Reaction<AlgorithmB1> {
        for effect in &mut step.effects {
            match effect {
                Effect::Send { message, .. } | Effect::Broadcast { message } => {
                    *message = renumbered(*message, |number| self.shown(number));
                }
                Effect::Save { saved } => *saved = self.shown(*saved),
                Effect::SetTimer { .. } | Effect::CancelTimer { .. } | Effect::Help { .. } => {}
            }
        }
        step
    }

    fn state(&self, machine: &AlgorithmB1) -> StateVector {
        let state = machine.state();
        StateVector { election: state.election.map(|number| self.shown(ElectionNumber(number)).0), ..state }
    }
}

/// The message with another election number.
fn renumbered(mut message: b1::Message, number: impl Fn(ElectionNumber) -> ElectionNumber) -> b1::Message {
    match &mut message {
        b1::Message::Capacity { election, .. }
        | b1::Message::Elected { election }
        | b1::Message::Ask { election }
        | b1::Message::UnderWay { election }
        | b1::Message::Ended { election, .. } => *election = number(*election),
        b1::Message::Watch(watch::Message::Claim(claim)) => claim.election = number(claim.election),
        b1::Message::Watch(_) => {}
    }
    message
}

/// C, transition 16 without `ms=j` where there is an `ms` already: after a second election the followers still name the
/// first one's master.
#[derive(Clone, Default, Eq, PartialEq, Hash, Debug)]
pub struct MasterSetOnce {
    me: Option<NodeId>,
}

impl Bug for MasterSetOnce {
    type Machine = AlgorithmC;

    fn start(&mut self, setup: &Setup, saved: Option<ElectionNumber>, fx: &mut Effects<AlgorithmC>) -> AlgorithmC {
        self.me = Some(setup.me);
        AlgorithmC::start(setup, saved, fx)
    }

    fn give(&mut self, machine: &mut AlgorithmC, given: Given<AlgorithmC>, capacity: i64) -> Reaction<AlgorithmC> {
        let first = machine.state().coordinator.filter(|first| Some(*first) != self.me);
        match (given, first) {
            (Given::Message(_, message @ c::Message::Elected { .. }), Some(first)) => {
                Given::Message(first, message).to(machine, capacity)
            }
            (given, _) => given.to(machine, capacity),
        }
    }
}

/// C, the comparison of 8 reversed: any capacity that it hears counts as larger, so nobody takes itself for the
/// largest.
#[derive(Clone, Default, Eq, PartialEq, Hash, Debug)]
pub struct NobodyIsLargest;

impl Bug for NobodyIsLargest {
    type Machine = AlgorithmC;

    fn give(&mut self, machine: &mut AlgorithmC, given: Given<AlgorithmC>, capacity: i64) -> Reaction<AlgorithmC> {
        match given {
            Given::Message(from, c::Message::Init { election, .. }) => {
                Given::Message(from, c::Message::Init { election, capacity: i64::MAX }).to(machine, capacity)
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

    fn done(&mut self, _: &mut AlgorithmC, step: Reaction<AlgorithmC>, _: i64) -> Reaction<AlgorithmC> {
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
            drop(pretend(machine, Given::Message(node, message), own));
        }
    }
}

impl Bug for NobodyGivesWay {
    type Machine = AlgorithmC;

    fn start(&mut self, setup: &Setup, saved: Option<ElectionNumber>, fx: &mut Effects<AlgorithmC>) -> AlgorithmC {
        self.others = setup.roster.others(setup.me);
        AlgorithmC::start(setup, saved, fx)
    }

    fn give(&mut self, machine: &mut AlgorithmC, given: Given<AlgorithmC>, capacity: i64) -> Reaction<AlgorithmC> {
        if (machine.state().word.as_ref(), &given) != ("coll3", &Given::Timer(c::Timer::Table)) {
            return given.to(machine, capacity);
        }
        self.believe(machine, capacity, |_| -1);
        let step = given.to(machine, capacity);
        // Unless a lab says otherwise, the capacity of a process is its number.
        self.believe(machine, capacity, |node| node.get().into());
        step
    }
}
