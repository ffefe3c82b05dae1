//! What the final phases do with announcements (mend of hole 13), and coll2 and coll3 with those of a later round (mend
//! of hole 12).
//!
//! Invariant: to the letter nothing here is reached; a master gives way to whom it does not outrank, to nobody else.

use super::phase::Phase;
use super::table::Age;
use super::{AlgorithmC, Fx, Hole};
use protocol::{NodeId, NodeSet};

/// Announcements that come when the table has no row for them.
impl AlgorithmC {
    /// `elected` in master, stop or help.
    pub(super) fn hear_final_elected(&mut self, node: NodeId, age: Age, fx: &mut Fx) {
        if !self.mends(Hole::H3) {
            return;
        }
        match (self.phase, self.master) {
            (Phase::Master, _) if self.candidates.outranks(node, self.me) => {
                fx.line(133);
                self.become_follower(node, Some(3), fx);
            }
            (Phase::Master, _) => {
                fx.line(143);
                self.announce_again(fx);
            }
            (Phase::Stop, Some(master)) if age == Age::Current => self.hear_rival_of(master, node, fx),
            _ => {
                fx.line(163);
                self.become_follower(node, Some(3), fx);
            }
        }
    }

    /// `elected` of an earlier round: dropped, but the announcer must hear that others have gone further.
    pub(super) fn hear_final_of_earlier_round(&mut self, node: NodeId, fx: &mut Fx) {
        match (self.phase, self.master) {
            (Phase::Master, _) => {
                fx.line(193);
                self.repeat_elected(fx);
            }
            (Phase::Stop, Some(master)) if master != node => {
                fx.line(183);
                self.broadcast_dup(master, node, fx);
            }
            _ => {}
        }
    }

    /// `elected` of this round in stop. An announcer that `ms` outranks missed all words of `ms`, or was down and has
    /// begun an election under a number that was taken: it must hear that there is another announcer, as by 19.
    fn hear_rival_of(&mut self, master: NodeId, node: NodeId, fx: &mut Fx) {
        if node == master {
            return;
        }
        if self.candidates.outranks(node, master) {
            fx.line(173);
            self.master = Some(node);
            self.watch.begin(node, fx);
        } else {
            fx.line(183);
            self.broadcast_dup(master, node, fx);
        }
    }

    /// `dup` in master, stop or help.
    pub(super) fn hear_final_dup(&mut self, pair: NodeSet, fx: &mut Fx) {
        if self.mends(Hole::H3) && self.phase == Phase::Master {
            fx.line(153);
            self.candidates.reset_to(self.me);
            self.add(pair);
            self.become_contender(fx);
        }
    }

    /// `elected` of a later round in coll2 or coll3. Returns whether this process goes on as by 9 or 12.
    pub(super) fn stands_against(&mut self, node: NodeId, fx: &mut Fx) -> bool {
        if self.candidates.outranks(node, self.me) {
            fx.line(142);
            self.become_follower(node, Some(3), fx);
            return false;
        }
        fx.line(152);
        true
    }
}
