//! An election on the ring: the page's two rules, and what mends their holes 1 to 4.
//!
//! Why a list is complete when a process's own number is back: each process that sees the first elect(j) of an election
//! sends its own number before it. Links keep their order, so each process's own number comes before mine wherever mine
//! comes.
//!
//! Invariant: in an election a process has sent its own number, and waits for it.

use std::cmp::Ordering;

use super::{Fx, Hole, Phase, Ring, RingPayload, Timer, card as line};
use crate::king_ni::ElectionNumber;
use protocol::{Incarnation, NodeId, NodeSet};

impl Ring {
    /// Rule 1.
    pub(super) fn start_election(&mut self, fx: &mut Fx) {
        fx.line(line::START);
        if self.mends(Hole::H1) {
            self.election = self.election.next();
        }
        self.become_elector(NodeSet::of(self.me), fx);
    }

    /// Rule 2, with the incarnation: a number that an earlier life has sent is not this life's.
    pub(super) fn on_elect(&mut self, election: ElectionNumber, of: NodeId, incarnation: Incarnation, fx: &mut Fx) {
        let load = RingPayload::Elect { election, of, incarnation };
        if !self.mends(Hole::H1) {
            // The page's order of cases. So a process that is back takes what its own earlier life has sent for the
            // first elect that it has seen, and sends its number twice; mended, what an earlier life has sent ends here
            // (hole 2).
            return match self.list.is_empty() {
                true => self.join(load, fx),
                false if of == self.me => self.complete(fx),
                false => self.pass_on(load, fx),
            };
        }
        match (election.cmp(&self.election), self.phase) {
            _ if of == self.me => self.on_own_elect(election, incarnation, fx),
            (Ordering::Greater, _) => {
                fx.line(line::HIGHER);
                self.election = election;
                self.join(load, fx);
            }
            (Ordering::Less, Phase::Election) => fx.line(line::LOWER),
            (Ordering::Less, _) => {
                fx.line(line::TAKEN);
                self.start_election(fx);
            }
            (Ordering::Equal, _) if self.list.contains(of) => fx.line(line::SEEN),
            (Ordering::Equal, Phase::Election) => self.pass_on(load, fx),
            // A coordinator outranks all that took part in its election: a process that it does not outrank is in
            // another election of the same number.
            (Ordering::Equal, _) if self.list.is_empty() && !self.outranks_coordinator(of) => {
                fx.line(line::NO_PART);
                self.send_right(load, fx);
            }
            (Ordering::Equal, _) => {
                fx.line(line::TOO_LATE);
                self.start_election(fx);
            }
        }
    }

    fn outranks_coordinator(&self, node: NodeId) -> bool {
        self.coordinator().is_some_and(|coordinator| self.roster.outranks(node, coordinator))
    }

    fn on_own_elect(&mut self, election: ElectionNumber, incarnation: Incarnation, fx: &mut Fx) {
        let is_this_one = election == self.election && incarnation == self.incarnation;
        if is_this_one && self.phase == Phase::Election {
            return self.complete(fx);
        }
        fx.line(line::SEEN);
        // An earlier life has sent it; its number is taken. A process that knows a coordinator has heard of later
        // elections: a number above those was garbled, and must not make an election of which nobody knows.
        if self.phase == Phase::Recovering {
            self.election = self.election.max(election);
        }
    }

    /// Rule 2a: the own number goes first.
    fn join(&mut self, load: RingPayload, fx: &mut Fx) {
        fx.line(line::FIRST);
        self.become_elector([self.me, load.of()].into_iter().collect(), fx);
        self.send_right(load, fx);
    }

    /// Rule 2b.
    fn pass_on(&mut self, load: RingPayload, fx: &mut Fx) {
        fx.line(line::PASS_ON);
        self.list.insert(load.of());
        self.send_right(load, fx);
    }

    /// Rule 2c.
    fn complete(&mut self, fx: &mut Fx) {
        let Some(largest) = self.list.highest() else { return };
        fx.line(line::COMPLETE);
        self.forget_return(fx);
        self.phase = Phase::Normal(largest);
    }

    fn become_elector(&mut self, list: NodeSet, fx: &mut Fx) {
        self.list = list;
        self.phase = Phase::Election;
        self.inquiry = None;
        self.await_return(fx);
        let own = RingPayload::Elect { election: self.election, of: self.me, incarnation: self.incarnation };
        self.send_right(own, fx);
    }

    /// Hole 3: to the letter a process waits for ever.
    pub(super) fn await_return(&mut self, fx: &mut Fx) {
        if self.mends(Hole::H3) {
            fx.set_timer(Timer::Return, self.timing.silence);
        }
    }

    pub(super) fn forget_return(&mut self, fx: &mut Fx) {
        if self.mends(Hole::H3) {
            fx.cancel_timer(Timer::Return);
        }
    }
}
