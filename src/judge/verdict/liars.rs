//! Liars: nothing is promised about them, and nothing about what they say of themselves.
//!
//! Invariant: while a process lies it makes no claim, takes no part and is not among those that run; honest again, it is
//! judged by the state that it then has.

use super::Judge;
use crate::judge::liars::Turned;
use crate::judge::numbers::ProcessLife;
use crate::protocol::NodeId;
use crate::world::index;

impl Judge {
    /// The node's process has turned.
    pub(super) fn take_turn(&mut self, node: NodeId, turned: Turned, at: i64) {
        self.processes.turn(node, turned);
        match turned {
            Turned::Liar => {
                if let Some(state) = self.states[index(node)].take() {
                    self.of_liars.insert(node, state);
                }
                if let Some(took_part) = &mut self.took_part {
                    took_part.take_crash(node);
                }
                self.intervals.forget(node);
                self.disputes.refresh(&self.intervals);
                self.endings.forget(node);
                self.figure(node, at);
            }
            Turned::Honest => {
                // For the election that it lied in it is as one that has just returned.
                self.endings.take_crash(node, at);
                if let Some(state) = self.of_liars.remove(&node) {
                    let moment = self.clocks.now_of(node).clone();
                    self.take_state(&moment, &state, ProcessLife::GoesOn, at);
                }
            }
        }
    }
}
