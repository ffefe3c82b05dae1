//! Two-phase commit at the coordinator: one attempt after another, each decided once.
//!
//! Invariant: an update is done only if all its voters have said yes, and they are a majority of all nodes, if that is the
//! rule; the decision is kept before anybody is told.

use super::card as line;
use super::machine::{AskedUpdate, GroupRole, UpdateEffects, UpdateRule, Updates};
use super::message::{Proposal, UpdateMessage};
use protocol::{LoggedUpdate, NodeId, NodeSet, PreparedUpdate, RefusalReason, TransactionId};

impl Updates {
    /// The next order that waits is done, or refused.
    pub(super) fn begin_next(&mut self, fx: &mut UpdateEffects) {
        while let Some((first, voters)) = self.next_order() {
            if self.log.position_of(first.id).is_some() {
                self.strike(first);
                continue;
            }
            let Some(why) = self.hindrance(voters) else {
                return self.prepare(first, voters, fx);
            };
            self.strike(first);
            if first.id.node == self.me {
                self.hear_refusal(first.id, why, fx);
            } else {
                fx.line(line::REFUSE);
                fx.send(first.id.node, UpdateMessage::Refuse { id: first.id, why: Box::new(why) });
            }
        }
    }

    /// The order whose turn it is, and those who would vote.
    fn next_order(&mut self) -> Option<(AskedUpdate, NodeSet)> {
        let GroupRole::Coordinator(lead) = &mut self.role else { return None };
        let voters = lead.present().union(&NodeSet::of(self.me));
        if self.rule == UpdateRule::AnyGroup {
            // Another group may have done an order, and this one cannot know. Who took it knows if it is one of the voters
            // each time: then it is in doubt, or has the update, or nobody has done it. It asks again if it is left out.
            lead.queue.retain(|order| voters.contains(order.id.node));
        }
        let first = lead.queue.front().copied()?;
        Some((first, voters))
    }

    /// Why no update can be done with these voters, if none can.
    fn hindrance(&self, voters: NodeSet) -> Option<RefusalReason> {
        let GroupRole::Coordinator(lead) = &self.role else { return None };
        match lead.blocked {
            Some(blocked) => Some(RefusalReason::Blocked(blocked)),
            None if !self.are_enough(voters) => {
                Some(RefusalReason::NoMajority { have: voters.len() as u16, of: self.nodes as u16 })
            }
            None if self.log.length() >= self.log_max => Some(RefusalReason::LogFull(self.log_max)),
            None => None,
        }
    }

    /// The order no longer waits its turn.
    fn strike(&mut self, order: AskedUpdate) {
        if let GroupRole::Coordinator(lead) = &mut self.role {
            lead.queue.retain(|waiting| *waiting != order);
        }
    }

    fn prepare(&mut self, order: AskedUpdate, voters: NodeSet, fx: &mut UpdateEffects) {
        let GroupRole::Coordinator(lead) = &mut self.role else { return };
        fx.line(line::PREPARE);
        lead.attempts += 1;
        let by = TransactionId { task: lead.task, attempt: lead.attempts };
        let others = voters.minus(&NodeSet::of(self.me));
        lead.voting = Some(others);
        let update = LoggedUpdate { id: order.id, value: order.value, by };
        let prepared = PreparedUpdate { update, position: self.log.length() + 1, voters };
        self.prepared = Some(prepared);
        self.keep(fx);
        others.iter().for_each(|node| self.send_proposal(node, prepared, fx));
        match others.is_empty() {
            true => self.commit(fx),
            false => self.await_answers(fx),
        }
    }

    pub(super) fn send_proposal(&self, to: NodeId, prepared: PreparedUpdate, fx: &mut UpdateEffects) {
        let proposal = Proposal { prepared, before: self.log.digest() };
        fx.send(to, UpdateMessage::Prepare(Box::new(proposal)));
    }

    /// Whether the vote of this process in this attempt is still open.
    pub(super) fn is_voting_on(&self, from: NodeId, attempt: u32) -> bool {
        let GroupRole::Coordinator(lead) = &self.role else { return false };
        lead.attempts == attempt && lead.voting.is_some_and(|voting| voting.contains(from))
    }

    pub(super) fn count_yes(&mut self, from: NodeId, attempt: u32, fx: &mut UpdateEffects) {
        if !self.is_voting_on(from, attempt) {
            return;
        }
        let GroupRole::Coordinator(lead) = &mut self.role else { return };
        let Some(voting) = &mut lead.voting else { return };
        voting.remove(from);
        if voting.is_empty() {
            self.commit(fx);
            self.advance(fx);
        }
    }

    /// All have said yes.
    fn commit(&mut self, fx: &mut UpdateEffects) {
        let (GroupRole::Coordinator(lead), Some(prepared)) = (&mut self.role, self.prepared.take()) else { return };
        fx.line(line::COMMIT);
        let others = prepared.voters.minus(&NodeSet::of(self.me));
        lead.voting = None;
        lead.doubts.retain(|_, other| other.update.by != prepared.update.by);
        lead.awaited = lead.awaited.union(&others);
        lead.queue.retain(|waiting| waiting.id != prepared.update.id);
        self.log.append(prepared.update);
        self.keep(fx);
        for node in others.iter() {
            fx.send(node, UpdateMessage::Commit { transaction: prepared.update.by });
        }
        if !others.is_empty() {
            self.await_answers(fx);
        }
        self.acknowledge(fx);
    }

    /// Not all say yes.
    pub(super) fn abort(&mut self, fx: &mut UpdateEffects) {
        let (GroupRole::Coordinator(lead), Some(prepared)) = (&mut self.role, self.prepared.take()) else { return };
        fx.line(line::ABORT);
        lead.voting = None;
        lead.doubts.retain(|_, other| other.update.by != prepared.update.by);
        self.keep(fx);
        for node in prepared.voters.minus(&NodeSet::of(self.me)).iter() {
            fx.send(node, UpdateMessage::Abort { transaction: prepared.update.by });
        }
    }
}
