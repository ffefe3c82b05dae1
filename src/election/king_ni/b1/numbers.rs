//! Elections and their numbers (mend of hole 6), and who may begin one when (mends of holes 6 and 7).
//!
//! Invariant: the highest number seen never goes back, not across a crash either: it is saved before it is sent. An
//! election in which the last incarnation may have stood is not taken part in.

use super::{AlgorithmB1, ElectionNumber, Fx, Hole, Message, Phase, Readiness, Timer};
use protocol::Order;

/// Elections and their numbers.
impl AlgorithmB1 {
    /// `begins`: to the letter, a candidate begins in normal; mended, any process does, and in stop too; never in
    /// mid-election.
    pub(super) fn begin(&mut self, fx: &mut Fx) {
        self.begin_above(self.highest, fx);
    }

    /// The same, with a number above this one too.
    pub(super) fn begin_above(&mut self, taken: ElectionNumber, fx: &mut Fx) {
        let is_in_time = match self.phase {
            Phase::Normal => true,
            Phase::Stop | Phase::StopWithoutMaster => self.mends(Hole::H6),
            Phase::Collect => false,
        };
        let may = fx.capacity() >= 0 || self.mends(Hole::H7);
        if !(is_in_time && may) {
            return;
        }
        if self.readiness != Readiness::Ready {
            fx.line(156);
            self.learn(taken, fx);
            self.waiting = Some(Order::Elect);
            return;
        }
        if self.mends(Hole::H6) {
            if self.phase == Phase::Stop {
                fx.line(146);
            }
            self.raise_highest(self.highest.max(taken).next(), fx);
        }
        self.become_normal(fx);
        if fx.capacity() >= 0 {
            fx.line(1);
            self.stand(fx);
        } else {
            fx.line(107);
            fx.broadcast(Message::Capacity { election: self.election, capacity: -1 });
        }
        self.become_collector(fx);
    }

    /// Timer Ready has run out: the process now does what was ordered too early. Where it may be elected, and the election
    /// that it stood aside from has elected nobody, it begins one: without it that one may have had no candidate.
    pub(super) fn become_ready(&mut self, fx: &mut Fx) {
        let is_left_out = self.readiness == Readiness::StandsAside && fx.capacity() >= 0;
        self.readiness = Readiness::Ready;
        if self.waiting.take().is_some() || is_left_out {
            self.begin(fx);
        }
    }

    /// Whether the table hears a message of that election now; opens a fresh machine for a higher one.
    pub(super) fn admits(&mut self, election: ElectionNumber, fx: &mut Fx) -> bool {
        if !self.mends(Hole::H6) {
            return true;
        }
        self.learn(election, fx);
        if self.is_starting() {
            self.stand_aside(fx);
            return false;
        }
        if election == self.election {
            // In normal this election was another incarnation's, or this process has stood aside from it.
            let takes_part = self.phase == Phase::Collect;
            if self.phase == Phase::Stop {
                self.answer_taken_number(fx);
            }
            return takes_part;
        }
        if election < self.highest {
            fx.line(136);
            let may_be_missed = self.phase == Phase::Normal && fx.capacity() >= 0;
            if self.phase == Phase::Stop || may_be_missed {
                self.answer_taken_number(fx);
            }
            return false;
        }
        // This does not wait for the end of this election: all hear the message within T, so a process that leaves now
        // starts within T of the rest.
        fx.line(if self.phase == Phase::Collect { 116 } else { 106 });
        self.become_normal(fx);
        true
    }

    /// A process begins an election under a number that is taken, for it has missed that one. T after this process's
    /// own stop, the sender cannot be a latecomer of the same election. All take part in the election that is begun
    /// instead. A candidate in normal has been in none, and without it the sender's election may elect nobody.
    fn answer_taken_number(&mut self, fx: &mut Fx) {
        if self.readiness == Readiness::Ready {
            fx.line(166);
            self.begin(fx);
        }
    }

    pub(super) fn raise_highest(&mut self, election: ElectionNumber, fx: &mut Fx) {
        self.highest = election;
        fx.save(election);
    }

    /// A fresh machine for the highest election; `ms` stays for display.
    pub(super) fn become_normal(&mut self, fx: &mut Fx) {
        self.phase = Phase::Normal;
        self.election = self.highest;
        self.candidates.clear();
        self.announced = None;
        self.waiting = None;
        if self.readiness != Readiness::Ready {
            self.readiness = Readiness::Ready;
            fx.cancel_timer(Timer::Ready);
        }
        fx.cancel_timer(Timer::Elected);
        self.watch.rest(fx);
    }
}
