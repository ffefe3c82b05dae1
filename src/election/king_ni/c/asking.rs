//! `ask` (mends of holes 5, 14 and 15): a process that has heard of no master asks for one before it gives up, and a
//! process that has announced itself says so again to those that may have missed it.
//!
//! Invariant: an `ask` ends nothing at its hearers; one of a higher number opens that election, as its first message.

use super::super::watch::{self, Claim};
use super::candidates::HeardFrom;
use super::phase::Phase;
use super::{AlgorithmC, ElectionNumber, Fx, Hole, Message, Timer};
use protocol::{CallNumber, NodeId};

/// How often a process asks before it gives up: one `ask` or its answer may be lost, three hardly.
pub const ASKS: u32 = 3;

/// Asking, and repeating what was announced.
impl AlgorithmC {
    /// Mend of hole 5: a process that was down may have missed an election. No answer is no reason to begin one.
    pub(super) fn ask_at_start(&mut self, fx: &mut Fx) {
        if self.mends(Hole::H6) && self.asked < ASKS {
            fx.line(105);
            self.ask(fx);
        }
    }

    /// Transition 18, and what the mend of hole 15 does before it.
    pub(super) fn end_wait1(&mut self, fx: &mut Fx) {
        if self.mends(Hole::H6) && self.asked < ASKS {
            fx.line(115);
            self.ask(fx);
        } else if self.mends(Hole::H6) && fx.capacity() >= 0 {
            fx.line(135);
            self.begin_anew(self.highest, fx);
        } else {
            fx.line(18);
            self.become_helpless(fx);
        }
    }

    pub(super) fn on_ask(&mut self, from: NodeId, election: ElectionNumber, fx: &mut Fx) {
        if !self.mends(Hole::H6) {
            return;
        }
        if election > self.election {
            if self.admits(from, election, Message::Ask { election }, fx) {
                self.start_unnamed(fx);
            }
        } else if matches!(self.phase, Phase::Coll2 | Phase::Coll3 | Phase::Master) {
            fx.line(125);
            self.repeat_elected(fx);
        }
    }

    /// A follower asks whether this process is still master. The follower may have missed this election and know an
    /// earlier one only. If the master then crashed, it would begin a new election under the number of this one. So the
    /// master repeats its `elected`.
    pub(super) fn on_query(&mut self, from: NodeId, call: CallNumber, election: ElectionNumber, fx: &mut Fx) {
        self.watch.answer(from, call, fx);
        if self.phase == Phase::Master && election < self.election {
            fx.line(175);
            self.repeat_elected(fx);
        }
    }

    /// A process at rest tells under whom it is. A process that is at its end without a master asks for one.
    pub(super) fn on_claim(&mut self, from: NodeId, claim: Claim, fx: &mut Fx) {
        if !self.mends(Hole::H6) {
            return;
        }
        match self.phase {
            Phase::Master | Phase::Stop => {
                if let Some(master) = self.master
                    && watch::meet(from, claim, Claim { election: self.election, master }, fx)
                {
                    self.begin_above(claim.election, fx);
                }
            }
            Phase::Normal | Phase::Help => {
                fx.line(165);
                // No answer may count as of too early a round: the latest round that this process knows may be garbled.
                self.round = u32::from(self.mends(Hole::H3));
                fx.broadcast(Message::Ask { election: self.highest });
            }
            _ => {}
        }
    }

    /// The first message of an election is an `ask`: it starts this process as an init would. It does not tell its
    /// sender's capacity, so the sender is not entered in `S`: nobody would ever give way to it as a non-candidate.
    fn start_unnamed(&mut self, fx: &mut Fx) {
        if fx.capacity() >= 0 {
            fx.line(2);
            self.become_collector(fx);
        } else {
            fx.line(3);
            self.become_waiting(Phase::Wait1, Some(5), fx);
        }
    }

    /// Mend of hole 14: an init in coll2, coll3 or master is that of a late candidate.
    pub(super) fn hear_late_init(&mut self, from: NodeId, capacity: i64, fx: &mut Fx) {
        if self.mends(Hole::H14) {
            fx.line(114);
            self.candidates.learn(from, capacity, HeardFrom::Itself);
            self.repeat_elected(fx);
        }
    }

    /// The announcement of this round once more; neither phase nor timer changes.
    pub(super) fn repeat_elected(&self, fx: &mut Fx) {
        let capacity = self.name(self.me).capacity;
        fx.broadcast(Message::Elected { election: self.election, round: self.round, capacity });
    }

    fn ask(&mut self, fx: &mut Fx) {
        self.asked += 1;
        fx.broadcast(Message::Ask { election: self.highest });
        fx.set_timer(Timer::Table, self.t * 2);
    }
}
