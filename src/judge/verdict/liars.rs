//! Liars: nothing is promised about them, and nothing about what they say of themselves.
//!
//! Invariant: while a process lies it makes no claim, takes no part and is not among those that run; honest again, it is
//! judged by the state that it then has.

use super::Judge;
use crate::finding::{Basis, Finding};
use crate::liars::LiarChange;
use crate::liveness::standing;
use crate::numbers::ProcessLife;
use crate::quiet::Scope;
use protocol::{Assumption, NodeId};
use record::Contradiction;
use world::index;

impl Judge {
    /// The node's process has turned.
    pub(super) fn take_turn(&mut self, node: NodeId, turned: LiarChange, at: i64) {
        self.processes.turn(node, turned);
        match turned {
            LiarChange::Liar => {
                if let Some(state) = self.states[index(node)].take() {
                    self.of_liars.insert(node, state);
                }
                if let Some(took_part) = &mut self.took_part {
                    took_part.take_crash(node);
                }
                self.intervals.forget(node);
                self.disputes.refresh(&self.intervals);
                self.endings.forget(node);
                self.overdue.forget(node);
                self.fruitless.forget(node);
                self.figure(node, at);
            }
            LiarChange::Honest => {
                // For the election that it lied in it is as one that has just returned.
                self.endings.take_crash(node, at);
                self.fruitless.set_aside(node);
                if let Some(state) = self.of_liars.remove(&node) {
                    let moment = self.clocks.now_of(node).clone();
                    self.take_state(&moment, &state, ProcessLife::GoesOn, at);
                }
            }
        }
    }

    /// When an election is overdue although nothing but lies disturbs it, in nanoseconds since the lab began.
    pub(super) fn overdue_at(&self) -> Option<i64> {
        let is_judged =
            self.overdue.property().is_some() && self.unknown.is_none() && !self.processes.lying().is_empty();
        let due = is_judged.then(|| self.overdue.due_at(self.quiet_since(Scope::DespiteLies))).flatten();
        due.filter(|_| self.parts(Scope::DespiteLies).is_some())
    }

    /// Notes the elections that are overdue by now.
    pub(super) fn judge_overdue(&mut self) {
        let Some(due) = self.overdue_at().filter(|due| *due <= self.now) else { return };
        let since = self.quiet_since(Scope::DespiteLies);
        let (Some(property), Some((nodes, began))) = (self.overdue.property(), self.overdue.tell(since, due)) else {
            return;
        };
        let what = Contradiction::NoEnd { began, states: standing(&self.states, nodes) };
        let lasting = &[Assumption::AllCooperate];
        let basis = Basis::Quiet { scope: Scope::DespiteLies, since, lasting };
        let span = (began.saturating_sub(self.time_bound), due);
        let told_by = self.now.saturating_add(self.patience);
        self.pending.push(Finding::of(property, basis, nodes, span, what, told_by));
    }
}
