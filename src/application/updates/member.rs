//! What a member does: it asks for its own orders, votes, learns outcomes, and asks when it is in doubt.
//!
//! Invariant: a yes is kept before it leaves, and what is prepared stays so until its outcome is known.

use super::card as line;
use super::log::LogReach;
use super::machine::{GroupRole, UpdateEffects, UpdateTimer, Updates};
use super::message::{LogStanding, Proposal, UpdateMessage};
use super::version::LogVersion;
use protocol::{NodeId, NodeSet, PreparedUpdate, TaskId, TransactionId};

impl Updates {
    pub(super) fn become_member(&mut self, task: TaskId, coordinator: NodeId, among: NodeSet, fx: &mut UpdateEffects) {
        self.role = GroupRole::Member { task, coordinator, among };
        self.reports.clear();
        if self.prepared.is_some() {
            fx.set_timer(UpdateTimer::Doubt, self.silence);
        }
        self.submit(fx);
    }

    /// A message of the coordinator.
    pub(super) fn hear_coordinator(&mut self, from: NodeId, message: UpdateMessage, fx: &mut UpdateEffects) {
        match message {
            UpdateMessage::Prepare(proposal) => self.vote(from, &proposal, fx),
            UpdateMessage::Commit { transaction } => self.learn_commit(from, transaction, fx),
            UpdateMessage::Abort { transaction } => self.learn_abort(transaction, fx),
            UpdateMessage::Refuse { id, why } => self.hear_refusal(id, *why, fx),
            UpdateMessage::Have(standing) => self.compare(from, &standing, fx),
            UpdateMessage::Entries(part) => {
                self.take_entries(&part, fx);
                fx.send(from, UpdateMessage::Have(self.standing()));
            }
            UpdateMessage::Known { version, .. } => self.answer(from, version, fx),
            UpdateMessage::Lacking(part) => {
                self.take_lacking(&part, fx);
                fx.send(from, self.known());
            }
            UpdateMessage::Report(..)
            | UpdateMessage::Request { .. }
            | UpdateMessage::Yes { .. }
            | UpdateMessage::No { .. }
            | UpdateMessage::Ask(_) => {}
        }
    }

    /// The coordinator is asked to do the first order that waits here.
    pub(super) fn request(&mut self, fx: &mut UpdateEffects) {
        let (GroupRole::Member { coordinator, .. }, Some(first)) = (&self.role, self.orders.front()) else { return };
        fx.line(line::REQUEST);
        fx.send(*coordinator, UpdateMessage::Request { id: first.asked.id, value: first.asked.value });
        fx.set_timer(UpdateTimer::Request, self.t * 2);
    }

    /// The coordinator is asked what became of the prepared update.
    pub(super) fn ask(&mut self, fx: &mut UpdateEffects) {
        let GroupRole::Member { coordinator, .. } = &self.role else { return };
        if self.prepared.is_some() {
            fx.line(line::ASK);
            fx.send(*coordinator, UpdateMessage::Ask(self.standing()));
            fx.set_timer(UpdateTimer::Doubt, self.silence);
        }
    }

    fn vote(&mut self, from: NodeId, proposal: &Proposal, fx: &mut UpdateEffects) {
        let Proposal { prepared, before } = *proposal;
        let TransactionId { task, attempt } = prepared.update.by;
        let follows = prepared.position == self.log.length() + 1 && before == self.log.digest();
        // The coordinator begins an attempt when all earlier ones of this task are over.
        let is_over = |other: &PreparedUpdate| other.update.by.task == task && other.update.by.attempt < attempt;
        match self.prepared {
            Some(same) if same == prepared => {
                fx.line(line::VOTE_YES);
                fx.send(from, UpdateMessage::Yes { attempt });
            }
            Some(other) if !is_over(&other) || !follows => self.vote_no(from, attempt, fx),
            None if !follows => self.vote_no(from, attempt, fx),
            Some(_) | None => {
                fx.line(line::VOTE_YES);
                self.prepared = Some(prepared);
                self.keep(fx);
                fx.send(from, UpdateMessage::Yes { attempt });
                fx.set_timer(UpdateTimer::Doubt, self.silence);
            }
        }
    }

    fn vote_no(&mut self, from: NodeId, attempt: u32, fx: &mut UpdateEffects) {
        fx.line(line::VOTE_NO);
        fx.send(from, UpdateMessage::No { attempt, standing: self.standing() });
    }

    fn learn_commit(&mut self, from: NodeId, transaction: TransactionId, fx: &mut UpdateEffects) {
        let is_next =
            |prepared: &PreparedUpdate| prepared.update.by == transaction && prepared.position == self.log.length() + 1;
        if let Some(prepared) = self.prepared.take_if(|prepared| is_next(prepared)) {
            fx.line(line::LEARN_COMMIT);
            self.log.append(prepared.update);
            self.keep(fx);
            fx.cancel_timer(UpdateTimer::Doubt);
            self.acknowledge(fx);
        }
        fx.send(from, UpdateMessage::Have(self.standing()));
    }

    fn learn_abort(&mut self, transaction: TransactionId, fx: &mut UpdateEffects) {
        if self.prepared.take_if(|prepared| prepared.update.by == transaction).is_some() {
            fx.line(line::LEARN_ABORT);
            self.keep(fx);
            fx.cancel_timer(UpdateTimer::Doubt);
        }
    }

    /// The coordinator reports its log length: if this log is longer, send the missing entries; otherwise report this
    /// log's length.
    fn compare(&mut self, from: NodeId, standing: &LogStanding, fx: &mut UpdateEffects) {
        let reach = LogReach::Length(standing.length);
        if self.log.exceeds(&reach) {
            self.send_entries(from, &reach, fx);
        } else {
            fx.send(from, UpdateMessage::Have(self.standing()));
        }
    }

    /// Without the majority rule the coordinator says what it has: it gets what it lacks, or learns what this process
    /// has.
    fn answer(&self, from: NodeId, version: LogVersion, fx: &mut UpdateEffects) {
        let reach = LogReach::Version(version);
        if self.log.exceeds(&reach) {
            self.send_entries(from, &reach, fx);
        } else {
            fx.line(line::COMPARE);
            fx.send(from, self.known());
        }
    }
}
