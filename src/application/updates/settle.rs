//! What became of an update that somebody is in doubt about, as far as the group knows.
//!
//! Only the coordinator of a group decides, and only while that group exists. So an update can no longer be done when
//! its coordinator is here and has not decided, or when a voter is here that has not prepared it: each of them has left
//! that group for this one, and no message of that group counts for it any more. Once an update cannot be committed,
//! this never changes, no matter which process notices it.
//!
//! Invariant: an outcome that is told here is the only one that any group can come to.

use super::card as line;
use super::machine::{GroupRole, UpdateEffects, Updates};
use super::message::UpdateMessage;
use protocol::{BlockedUpdate, NodeId, NodeSet, PreparedUpdate};

/// What is known of an update.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
enum UpdateOutcome {
    Done,
    Aborted,
    /// This coordinator is just deciding it.
    UnderWay,
    /// Only these may know.
    Unknown(NodeSet),
}

impl Updates {
    /// Everybody who is in doubt is told the outcome, if the group knows enough.
    pub(super) fn settle(&mut self, fx: &mut UpdateEffects) {
        let GroupRole::Coordinator(lead) = &self.role else { return };
        let doubts: Vec<(NodeId, PreparedUpdate)> = lead.doubts.iter().map(|(node, of)| (*node, *of)).collect();
        let was_blocked = lead.blocked;
        let own = self.prepared.filter(|_| lead.voting.is_none());
        // Compute all outcomes before any is applied, because applying one changes the state that the others are
        // computed from.
        let settled: Vec<(NodeId, PreparedUpdate, UpdateOutcome)> = doubts
            .into_iter()
            .chain(own.map(|prepared| (self.me, prepared)))
            .map(|(node, prepared)| (node, prepared, self.outcome(&prepared)))
            .collect();
        let mut blocked = None;
        for (node, prepared, outcome) in settled {
            match outcome {
                UpdateOutcome::Done | UpdateOutcome::Aborted => self.tell_outcome(node, &prepared, outcome, fx),
                UpdateOutcome::UnderWay => {}
                UpdateOutcome::Unknown(knows) => blocked = Some(BlockedUpdate { position: prepared.position, knows }),
            }
        }
        if blocked.is_some() && blocked != was_blocked {
            fx.line(line::BLOCKED);
        }
        if let GroupRole::Coordinator(lead) = &mut self.role {
            lead.blocked = blocked;
        }
    }

    fn tell_outcome(
        &mut self,
        node: NodeId,
        prepared: &PreparedUpdate,
        outcome: UpdateOutcome,
        fx: &mut UpdateEffects,
    ) {
        fx.line(if outcome == UpdateOutcome::Done { line::SETTLE_COMMIT } else { line::SETTLE_ABORT });
        if node == self.me {
            // What is done is in the log already.
            self.prepared = None;
            return self.keep(fx);
        }
        if let GroupRole::Coordinator(lead) = &mut self.role {
            lead.doubts.remove(&node);
        }
        let transaction = prepared.update.by;
        fx.send(
            node,
            match outcome {
                UpdateOutcome::Done => UpdateMessage::Commit { transaction },
                _ => UpdateMessage::Abort { transaction },
            },
        );
    }

    /// What became of it.
    fn outcome(&self, prepared: &PreparedUpdate) -> UpdateOutcome {
        let GroupRole::Coordinator(lead) = &self.role else { return UpdateOutcome::UnderWay };
        let by = prepared.update.by;
        if lead.voting.is_some() && self.prepared.is_some_and(|own| own.update.by == by) {
            return UpdateOutcome::UnderWay;
        }
        if self.log.has(by) {
            return UpdateOutcome::Done;
        }
        if self.log.has_other_than(by, prepared.position) {
            return UpdateOutcome::Aborted;
        }
        let here = lead.heard.union(&NodeSet::of(self.me));
        let author = by.task.author;
        let has_prepared = |node: NodeId| match node == self.me {
            true => self.prepared.is_some_and(|own| own.update.by == by),
            false => lead.doubts.get(&node).is_some_and(|of| of.update.by == by),
        };
        let refuses = |node: &NodeId| here.contains(*node) && !has_prepared(*node);
        if here.contains(author) || prepared.voters.iter().any(|node| refuses(&node)) {
            return UpdateOutcome::Aborted;
        }
        UpdateOutcome::Unknown(prepared.voters.union(&NodeSet::of(author)).minus(&here))
    }
}
