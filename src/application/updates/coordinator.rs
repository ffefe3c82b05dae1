//! What the coordinator does: it gets what it lacks, brings the others up to date, and does one update after another.
//!
//! Invariant: an attempt begins when no other is under way, nothing is in doubt, and all who are asked have this log.

use std::collections::VecDeque;

use super::card as line;
use super::log::LogReach;
use super::machine::{AskedUpdate, GroupKnowledge, GroupRole, UpdateEffects, UpdateRule, UpdateTimer, Updates};
use super::message::{LogPart, LogStanding, PART_MAX, UpdateMessage};
use super::version::LogVersion;
use protocol::{LineNumber, LogDigest, NodeId, NodeMap, NodeSet, TaskId};

impl Updates {
    pub(super) fn become_coordinator(&mut self, task: TaskId, up: NodeSet, fx: &mut UpdateEffects) {
        fx.line(line::BEGIN);
        let reports = std::mem::take(&mut self.reports);
        self.role = GroupRole::Coordinator(Box::new(GroupKnowledge {
            task,
            among: up.union(&NodeSet::of(self.me)),
            reaches: NodeMap::new(),
            doubts: NodeMap::new(),
            heard: NodeSet::EMPTY,
            awaited: NodeSet::EMPTY,
            attempts: 0,
            voting: None,
            queue: VecDeque::new(),
            blocked: None,
        }));
        for (node, standing) in reports.into_iter().filter(|(node, _)| up.contains(*node)) {
            self.note(node, &standing);
        }
        self.submit(fx);
        self.advance(fx);
        self.knock(fx);
    }

    /// A message of a member.
    pub(super) fn hear_member(&mut self, from: NodeId, message: UpdateMessage, fx: &mut UpdateEffects) {
        match message {
            UpdateMessage::Request { id, value } => {
                let is_done = self.log.position_of(id).is_some();
                let GroupRole::Coordinator(lead) = &mut self.role else { return };
                if !is_done {
                    fx.line(line::TAKE);
                    lead.take(AskedUpdate { id, value });
                }
            }
            UpdateMessage::Yes { attempt } => return self.count_yes(from, attempt, fx),
            UpdateMessage::No { attempt, standing } => {
                self.note(from, &standing);
                if self.is_voting_on(from, attempt) {
                    self.abort(fx);
                }
            }
            UpdateMessage::Ask(standing) | UpdateMessage::Have(standing) => self.note(from, &standing),
            UpdateMessage::Entries(part) => {
                let is_taken = self.take_entries(&part, fx);
                self.end_part(from, is_taken, fx);
            }
            UpdateMessage::Lacking(part) => {
                let is_taken = self.take_lacking(&part, fx);
                self.end_part(from, is_taken, fx);
            }
            UpdateMessage::Known { version, digest } => self.compare_known(from, version, digest, fx),
            UpdateMessage::Report(..)
            | UpdateMessage::Refuse { .. }
            | UpdateMessage::Prepare(_)
            | UpdateMessage::Commit { .. }
            | UpdateMessage::Abort { .. } => return,
        }
        self.advance(fx);
    }

    /// A member has told what is in its log.
    fn compare_known(&mut self, from: NodeId, version: LogVersion, digest: LogDigest, fx: &mut UpdateEffects) {
        // The same numbers of other updates: a coordinator has lost one that it did (assumption 4), or something was
        // garbled.
        let is_other = version == self.log.version() && digest != self.log.digest();
        let GroupRole::Coordinator(lead) = &mut self.role else { return };
        lead.awaited.remove(from);
        if is_other {
            lead.reaches.remove(&from);
            lead.leave_out(from, &self.log);
            fx.set_timer(UpdateTimer::Knock, self.silence);
        } else if let Some(reach) = lead.reaches.get_mut(&from) {
            // Of one that is left out this does not say what it is in doubt about.
            *reach = LogReach::Version(version);
        }
    }

    /// A part of a member's log has come, and was taken or not.
    fn end_part(&mut self, from: NodeId, is_taken: bool, fx: &mut UpdateEffects) {
        let GroupRole::Coordinator(lead) = &mut self.role else { return };
        lead.awaited.remove(from);
        if !is_taken {
            // Its log does not go with this one, or the part came twice. It may tell again what it has.
            lead.leave_out(from, &self.log);
            fx.set_timer(UpdateTimer::Knock, self.t);
        }
    }

    /// A member has told what it has. One whose log does not go with this one takes no part.
    fn note(&mut self, node: NodeId, standing: &LogStanding) {
        let reach = self.log.reach_of(standing);
        let GroupRole::Coordinator(lead) = &mut self.role else { return };
        lead.heard.insert(node);
        lead.awaited.remove(node);
        match &standing.in_doubt {
            Some(prepared) => drop(lead.doubts.insert(node, **prepared)),
            None => drop(lead.doubts.remove(&node)),
        }
        match reach {
            Some(reach) => drop(lead.reaches.insert(node, reach)),
            None => lead.leave_out(node, &self.log),
        }
    }

    /// Goes on with what comes next.
    pub(super) fn advance(&mut self, fx: &mut UpdateEffects) {
        if let Some(source) = self.source() {
            let GroupRole::Coordinator(lead) = &mut self.role else { return };
            if lead.awaited.insert(source) {
                fx.line(self.question_line());
                fx.send(source, self.question());
                self.await_answers(fx);
            }
            return;
        }
        self.settle(fx);
        self.bring_up_to_date(fx);
        let GroupRole::Coordinator(lead) = &self.role else { return };
        let is_lagging = lead.reaches.values().any(|reach| self.log.exceeds(reach));
        if lead.voting.is_none() && !is_lagging {
            self.begin_next(fx);
        }
        if let GroupRole::Coordinator(lead) = &self.role
            && lead.owing().is_empty()
        {
            fx.cancel_timer(UpdateTimer::Resend);
            fx.cancel_timer(UpdateTimer::Silent);
        }
    }

    /// A member that has, or may have, what this log lacks: on a line the one with most.
    fn source(&self) -> Option<NodeId> {
        let GroupRole::Coordinator(lead) = &self.role else { return None };
        // What the voters are asked about follows this log as it is.
        if self.rule == UpdateRule::AnyGroup && lead.voting.is_some() {
            return None;
        }
        let length = |reach: &LogReach| match reach {
            LogReach::Length(length) => *length,
            LogReach::Version(_) | LogReach::Other => 0,
        };
        let more = lead.reaches.iter().filter(|(_, reach)| self.log.may_lack(reach));
        more.max_by_key(|(_, reach)| length(reach)).map(|(node, _)| *node)
    }

    /// What is asked of somebody who has, or may have, more.
    fn question(&self) -> UpdateMessage {
        match self.rule {
            UpdateRule::Majority => UpdateMessage::Have(self.standing()),
            UpdateRule::AnyGroup => self.known(),
        }
    }

    fn question_line(&self) -> LineNumber {
        match self.rule {
            UpdateRule::Majority => line::FETCH,
            UpdateRule::AnyGroup => line::COMPARE,
        }
    }

    /// A member that answers and has a shorter log gets the next part of this one.
    fn bring_up_to_date(&mut self, fx: &mut UpdateEffects) {
        let GroupRole::Coordinator(lead) = &mut self.role else { return };
        let is_behind =
            |(node, reach): &(&NodeId, &LogReach)| self.log.exceeds(reach) && !lead.awaited.contains(**node);
        let behind = lead.reaches.iter().filter(is_behind).map(|(node, reach)| (*node, reach.clone()));
        let behind: Vec<(NodeId, LogReach)> = behind.collect();
        lead.awaited = behind.iter().map(|(node, _)| *node).chain(lead.awaited.iter()).collect();
        for (node, reach) in &behind {
            self.send_entries(*node, reach, fx);
        }
        if !behind.is_empty() {
            self.await_answers(fx);
        }
    }

    /// Somebody whose log goes so far gets the next part of this one.
    pub(super) fn send_entries(&self, to: NodeId, reach: &LogReach, fx: &mut UpdateEffects) {
        match reach {
            LogReach::Length(length) => {
                let Some(before) = self.log.digest_at(*length) else { return };
                fx.line(line::TELL_ENTRIES);
                let part = LogPart { first: length + 1, before, updates: self.log.after(*length, PART_MAX) };
                fx.send(to, UpdateMessage::Entries(Box::new(part)));
            }
            LogReach::Version(version) => {
                fx.line(line::TELL_LACKING);
                fx.send(to, UpdateMessage::Lacking(self.log.lacking(version)));
            }
            LogReach::Other => {}
        }
    }

    /// The silence of those who have not answered is counted from now on.
    pub(super) fn await_answers(&self, fx: &mut UpdateEffects) {
        fx.set_timer(UpdateTimer::Resend, self.t);
        fx.set_timer(UpdateTimer::Silent, self.silence);
    }

    /// Those who have not answered are sent the same again.
    pub(super) fn send_again(&mut self, fx: &mut UpdateEffects) {
        let GroupRole::Coordinator(lead) = &self.role else { return };
        if lead.owing().is_empty() {
            return;
        }
        fx.line(line::RESEND);
        for node in lead.awaited.iter() {
            match lead.reaches.get(&node) {
                Some(reach) if self.log.exceeds(reach) => self.send_entries(node, reach, fx),
                _ => fx.send(node, self.question()),
            }
        }
        if let (Some(prepared), Some(voting)) = (self.prepared, lead.voting) {
            voting.iter().for_each(|node| self.send_proposal(node, prepared, fx));
        }
        fx.set_timer(UpdateTimer::Resend, self.t);
    }

    /// Those who have not answered take no part until they are heard.
    pub(super) fn go_on_without_the_silent(&mut self, fx: &mut UpdateEffects) {
        let GroupRole::Coordinator(lead) = &mut self.role else { return };
        fx.line(line::SILENT);
        lead.owing().iter().for_each(|node| lead.leave_out(node, &self.log));
        lead.awaited = NodeSet::EMPTY;
        let is_voting = lead.voting.is_some();
        if is_voting {
            self.abort(fx);
        }
        fx.set_timer(UpdateTimer::Knock, self.silence);
        self.advance(fx);
    }

    /// Members that do not answer are told how far the log goes.
    pub(super) fn knock(&mut self, fx: &mut UpdateEffects) {
        let GroupRole::Coordinator(lead) = &self.role else { return };
        let absent = lead.among.minus(&lead.present()).minus(&NodeSet::of(self.me));
        if absent.is_empty() {
            return;
        }
        fx.line(line::KNOCK);
        absent.iter().for_each(|node| fx.send(node, UpdateMessage::Have(self.standing())));
        fx.set_timer(UpdateTimer::Knock, self.silence);
    }
}
