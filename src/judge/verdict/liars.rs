//! Liars: nothing is promised about them, and nothing about what they say of themselves.
//!
//! Invariant: while a process lies it makes no claim, takes no part and is not among those that run; honest again, it is
//! judged by the state that it then has.

use super::Judge;
use crate::judge::liars::Turned;
use crate::judge::numbers::ProcessLife;
use crate::protocol::NodeId;
use crate::world::clock::Event;
use crate::world::index;

impl Judge {
    /// The node's process has turned.
    pub(super) fn take_turn(&mut self, node: NodeId, turned: Turned, event: &Event, at: i64) {
        self.processes.turn(node, turned);
        match (turned, &event.moment) {
            (Turned::Liar, moment) => {
                self.states[index(node)] = None;
                if let Some(took_part) = &mut self.took_part {
                    took_part.take_crash(node);
                }
                if let Some(moment) = moment {
                    self.change_claim(None, moment, at);
                }
                self.intervals.forget(node);
                self.disputes.refresh(&self.intervals);
                self.endings.forget(node);
                self.figure(node, at);
            }
            (Turned::Honest, Some(moment)) => {
                if let Some(state) = self.of_liars.remove(&node) {
                    self.take_state(moment, &state, ProcessLife::GoesOn, at);
                }
            }
            (Turned::Honest, None) => {}
        }
    }
}
