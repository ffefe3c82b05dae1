//! Elections and their numbers (mend of hole 6), and who may begin one (mend of hole 7).
//!
//! Invariant: the highest number seen never goes back, not across a crash either: it is saved before it is sent.

use super::phase::Phase;
use super::{AlgorithmC, CandidateList, Early, ElectionNumber, Fx, Hole, Message};
use protocol::{Algorithm, NodeId};

/// Elections and their numbers.
impl AlgorithmC {
    /// `begins`: to the letter, a candidate begins in normal; mended, any process does, and in a final phase too; never
    /// in mid-election.
    pub(super) fn begin(&mut self, fx: &mut Fx) {
        self.begin_above(self.highest, fx);
    }

    /// The same, with a number above this one too.
    pub(super) fn begin_above(&mut self, taken: ElectionNumber, fx: &mut Fx) {
        let is_in_time = self.phase == Phase::Normal || (self.mends(Hole::H6) && self.phase.is_final());
        let may = fx.capacity() >= 0 || self.mends(Hole::H7);
        if !(is_in_time && may) {
            return;
        }
        if self.phase.is_final() {
            fx.line(146);
        }
        self.begin_anew(taken, fx);
    }

    /// Transition 1, and its mend for a non-candidate, under a number above any seen and above this one.
    pub(super) fn begin_anew(&mut self, taken: ElectionNumber, fx: &mut Fx) {
        if self.mends(Hole::H6) {
            self.raise_highest(self.highest.max(taken).next(), fx);
        }
        self.become_normal(fx);
        if fx.capacity() >= 0 {
            fx.line(1);
            self.become_collector(fx);
        } else {
            fx.line(107);
            fx.broadcast(Message::Init { election: self.election, capacity: -1 });
            self.become_waiting(Phase::Wait1, Some(5), fx);
        }
    }

    /// Whether the table hears a message of that election now; opens a fresh machine for a higher one.
    pub(super) fn admits(&mut self, from: NodeId, election: ElectionNumber, message: Message, fx: &mut Fx) -> bool {
        if !self.mends(Hole::H6) {
            return true;
        }
        if election > self.highest {
            self.raise_highest(election, fx);
        }
        if election == self.election {
            // In normal this election was another incarnation's: it may have stood in it, so this process only follows.
            return self.phase != Phase::Normal || !matches!(message, Message::Init { .. });
        }
        if election < self.highest {
            fx.line(136);
            if matches!(self.phase, Phase::Normal | Phase::Help) {
                // Its sender would never hear of the higher number from a process that is at its end without a master.
                fx.line(156);
                fx.broadcast(Message::Ask { election: self.highest });
            }
            return false;
        }
        if !self.has_ended() {
            fx.line(116);
            if !self.kept.contains(&(from, message)) {
                self.kept.push((from, message));
            }
            return false;
        }
        fx.line(106);
        self.become_normal(fx);
        true
    }

    fn raise_highest(&mut self, election: ElectionNumber, fx: &mut Fx) {
        self.highest = election;
        self.kept.clear();
        fx.save(election);
    }

    pub(super) fn take_up_kept(&mut self, fx: &mut Fx) {
        if self.has_ended() && !self.kept.is_empty() {
            fx.line(126);
            for (from, message) in std::mem::take(&mut self.kept) {
                self.on_message(from, message, fx);
            }
        }
    }

    /// Whether this election is over for this process, or none has begun. A process that asks in wait1 stands where the
    /// table would have it in help.
    fn has_ended(&self) -> bool {
        match self.phase {
            Phase::Wait1 => self.asked > 0,
            phase => phase == Phase::Normal || phase.is_final(),
        }
    }

    /// A fresh machine for the highest election; `ms` stays for display.
    fn become_normal(&mut self, fx: &mut Fx) {
        self.phase = Phase::Normal;
        self.election = self.highest;
        self.candidates = CandidateList::default();
        self.early = Early::default();
        self.round = u32::from(self.mends(Hole::H3));
        self.stands_with = None;
        self.announcements = 0;
        self.asked = 0;
        self.watch.rest(fx);
    }
}
