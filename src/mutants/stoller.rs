//! Bugs planted in Bully-FD and the Asynchronous Bully (Stoller 1997, figures 1 and 3).
//!
//! Invariant: each is one small mistake, as a person might make it; the comment above it says what it does and what
//! follows.

use std::collections::BTreeSet;

use election::detector;
use election::stoller::asynchronous::{self, AsynchronousBully};
use election::stoller::fd::{self, BullyFd};
use election::stoller::{ElectionId, Said};
use fault::{Bug, MutantInput, MutantOutput, pretend};
use protocol::{Algorithm, Effect, Effects, NodeId, Setup, StateVector, Status};

/// Nobody says NotNorm: a node that an election has passed over keeps its state.
#[derive(Clone, Default, Eq, PartialEq, Hash, Debug)]
pub struct NeverNotNorm;

impl Bug for NeverNotNorm {
    type Machine = BullyFd;

    fn done(&mut self, _: &mut BullyFd, step: MutantOutput<BullyFd>, _: i64) -> MutantOutput<BullyFd> {
        step.without(|effect| matches!(effect, sends!(fd::Message::Election(Said::NotNorm { .. }))))
    }
}

/// A repeated Halt is obeyed again: if it comes late, the node goes back to an election that it has left.
#[derive(Clone, Default, Eq, PartialEq, Hash, Debug)]
pub struct RepeatObeyed {
    obeyed: BTreeSet<ElectionId>,
}

impl Bug for RepeatObeyed {
    type Machine = BullyFd;

    fn give(&mut self, machine: &mut BullyFd, given: MutantInput<BullyFd>, capacity: i64) -> MutantOutput<BullyFd> {
        let MutantInput::Message(from, fd::Message::Election(Said::Halt { election })) = given else {
            return given.to(machine, capacity);
        };
        if self.obeyed.insert(election) {
            return given.to(machine, capacity);
        }
        let another = Said::Halt { election: ElectionId { sequence: u32::MAX, ..election } };
        let forgotten = pretend(machine, MutantInput::Message(from, fd::Message::Election(another)), capacity);
        forgotten.then(given.to(machine, capacity))
    }
}

/// PlayAlive is forgotten: a node that was halted once is dead for ever to those below it, even when it leads them.
#[derive(Clone, Default, Eq, PartialEq, Hash, Debug)]
pub struct PlaysDeadForEver {
    me: Option<NodeId>,
    is_dead: bool,
}

impl Bug for PlaysDeadForEver {
    type Machine = AsynchronousBully;

    fn start(
        &mut self,
        setup: &Setup,
        saved: Option<asynchronous::Stable>,
        fx: &mut Effects<AsynchronousBully>,
    ) -> AsynchronousBully {
        self.me = Some(setup.me);
        AsynchronousBully::start(setup, saved, fx)
    }

    fn done(
        &mut self,
        machine: &mut AsynchronousBully,
        step: MutantOutput<AsynchronousBully>,
        _: i64,
    ) -> MutantOutput<AsynchronousBully> {
        self.is_dead |= machine.state().word == "Wait";
        let (me, is_dead) = (self.me, self.is_dead);
        step.without(|effect| match effect {
            Effect::Send { to, message: asynchronous::Message::Detector(detector::Message::Alive { .. }) } => {
                is_dead && Some(*to) > me
            }
            _ => false,
        })
    }
}

/// A node in Normal says that it leads its group itself.
#[derive(Clone, Default, Eq, PartialEq, Hash, Debug)]
pub struct NamesItself {
    me: Option<NodeId>,
}

impl Bug for NamesItself {
    type Machine = AsynchronousBully;

    fn start(
        &mut self,
        setup: &Setup,
        saved: Option<asynchronous::Stable>,
        fx: &mut Effects<AsynchronousBully>,
    ) -> AsynchronousBully {
        self.me = Some(setup.me);
        AsynchronousBully::start(setup, saved, fx)
    }

    fn state(&self, machine: &AsynchronousBully) -> StateVector {
        let state = machine.state();
        match state.status {
            Status::Normal => StateVector { coordinator: self.me, ..state },
            _ => state,
        }
    }
}
