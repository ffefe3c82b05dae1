//! What a starting process has missed (mend of hole 5): which election numbers are taken, and who is master.
//!
//! A process that recovers in the midst of an election would start later than T after the first one, so it stands aside
//! while it asks; by the master's word it hears who is elected.
//!
//! Invariant: an answer makes nobody stand in an election.

use super::super::watch::{self, Claim};
use super::{AlgorithmB1, ElectionNumber, Fx, Hole, Message, Phase, Readiness, Timer};
use protocol::NodeId;

/// Asking and answering.
impl AlgorithmB1 {
    pub(super) fn ask_at_start(&mut self, fx: &mut Fx) {
        if self.mends(Hole::H6) {
            fx.line(105);
            self.readiness = Readiness::Started;
            fx.broadcast(Message::Ask { election: self.highest });
            fx.set_timer(Timer::Ready, self.t * 2);
        }
    }

    /// An election is under way: it ends within 3T.
    pub(super) fn stand_aside(&mut self, fx: &mut Fx) {
        fx.line(115);
        self.readiness = Readiness::StandsAside;
        // As in mid-election, `begins` counts for nothing.
        self.waiting = None;
        self.election = self.highest;
        fx.set_timer(Timer::Ready, self.t * 3);
    }

    pub(super) fn on_ask(&mut self, from: NodeId, election: ElectionNumber, fx: &mut Fx) {
        if !self.mends(Hole::H6) || from == self.me {
            return;
        }
        self.learn(election, fx);
        let answer = match self.phase {
            Phase::Collect => Message::UnderWay { election: self.highest },
            // If a higher election is known to have begun, this process's master is not the master of that one.
            Phase::Stop | Phase::StopWithoutMaster => {
                let master = self.master.filter(|_| self.election == self.highest);
                Message::Ended { election: self.highest, master }
            }
            Phase::Normal if election < self.highest => Message::Ended { election: self.highest, master: None },
            Phase::Normal => return,
        };
        fx.line(135);
        fx.send(from, answer);
    }

    pub(super) fn on_under_way(&mut self, election: ElectionNumber, fx: &mut Fx) {
        self.learn(election, fx);
        if self.is_starting() {
            self.stand_aside(fx);
        }
    }

    /// Whether it takes part in no election yet.
    pub(super) fn is_starting(&self) -> bool {
        matches!(self.readiness, Readiness::Started | Readiness::StandsAside)
    }

    /// Only the master's own word makes a master; the others' words tell which numbers are taken.
    pub(super) fn on_ended(&mut self, from: NodeId, election: ElectionNumber, master: Option<NodeId>, fx: &mut Fx) {
        if master == Some(from) {
            self.on_elected(from, election, fx);
        } else {
            self.learn(election, fx);
        }
    }

    /// `elected`, of this election or of one that this process took no part in.
    pub(super) fn on_elected(&mut self, from: NodeId, election: ElectionNumber, fx: &mut Fx) {
        if from == self.me {
            return;
        }
        let took_part = election == self.election && self.phase != Phase::Normal;
        if !self.mends(Hole::H6) || took_part {
            return self.hear_master(from, fx);
        }
        self.learn(election, fx);
        if election < self.highest {
            fx.line(136);
        } else {
            fx.line(125);
            // An order that waits is not lost by following a master.
            let waiting = self.waiting.take();
            self.become_normal(fx);
            self.waiting = waiting;
            self.announced = Some(from);
            self.become_stopped(from, fx);
        }
    }

    /// A process at rest tells under whom it is. In normal a master's claim counts as its word, unless it is of an
    /// election before one that this process knows of.
    pub(super) fn on_claim(&mut self, from: NodeId, claim: Claim, fx: &mut Fx) {
        let begins = match (self.phase, self.master) {
            _ if !self.mends(Hole::H6) => false,
            (Phase::Stop, Some(master)) => watch::meet(from, claim, Claim { election: self.election, master }, fx),
            (Phase::Normal, _) if self.readiness == Readiness::Ready && claim.master == from => {
                self.on_elected(from, claim.election, fx);
                claim.election < self.highest
            }
            _ => false,
        };
        if begins {
            self.begin_above(claim.election, fx);
        }
    }

    pub(super) fn learn(&mut self, election: ElectionNumber, fx: &mut Fx) {
        if election > self.highest {
            self.raise_highest(election, fx);
        }
    }
}
