//! The orderer: the nodes' streams and the host's own records become one causal order.
//!
//! Invariants: a node's records keep their order, and the records behind a blocked one wait with it; what happened to a
//! datagram (received, dropped, held, tampered with, stale) comes after the step that sent it; a time-out on a node
//! that was ordered to crash comes after the record of that crash; nothing waits longer than a second.

use std::collections::{BTreeMap, VecDeque};

use super::dying::Dying;
use crate::protocol::{Incarnation, NodeId, NodeSet, Roster};
use crate::record::{Body, EffectText, Input, MessageId, Record};

/// How long a record waits for what it depends on, in nanoseconds.
const PATIENCE: i64 = 1_000_000_000;

/// Merges the nodes' streams into one causal order. Pure: the time is an argument, in nanoseconds since the lab began.
#[derive(Clone, Debug)]
pub struct Orderer {
    queues: BTreeMap<NodeId, VecDeque<Waiting>>,
    /// The nodes whose queue holds something.
    waiting: NodeSet,
    /// Up to which number each channel's sends have been released. A younger incarnation's number passes all older
    /// ones.
    passed: BTreeMap<(NodeId, Option<NodeId>), (Incarnation, u64)>,
    dying: Dying,
    longest_wait: i64,
}

#[derive(Clone, Debug)]
struct Waiting {
    record: Record,
    since: i64,
}

impl Orderer {
    /// Nothing has been taken in yet.
    pub fn new(roster: Roster) -> Orderer {
        Orderer {
            queues: roster.all().iter().map(|node| (node, VecDeque::new())).collect(),
            waiting: NodeSet::EMPTY,
            passed: BTreeMap::new(),
            dying: Dying::default(),
            longest_wait: 0,
        }
    }

    /// The longest that a record has waited so far for its cause, in nanoseconds.
    pub fn longest_wait(&self) -> i64 {
        self.longest_wait
    }

    /// Takes in a record, each node's in its own order, and the host's at their place; returns the records that can go
    /// on. A record about no node goes on at once.
    pub fn take(&mut self, record: Record, now: i64) -> Vec<Record> {
        self.dying.take(&record);
        let mut released = Vec::new();
        match record.node {
            Some(node) => {
                self.queues.entry(node).or_default().push_back(Waiting { record, since: now });
                self.waiting.insert(node);
            }
            None => {
                if let Body::FaultInForce { id } | Body::FaultNotInForce { id, .. } | Body::FaultLifted { id } =
                    record.body
                {
                    self.dying.settle(id);
                }
                released.push(record);
            }
        }
        self.drain(now, &mut released);
        released
    }

    /// Returns the records that have waited a second for a send or a death that never came: they go on as unmatched.
    pub fn release(&mut self, now: i64) -> Vec<Record> {
        let mut released = Vec::new();
        self.drain(now, &mut released);
        released
    }

    /// When [`Orderer::release`] will next have something to do by time alone.
    pub fn wake_at(&self) -> Option<i64> {
        self.waiting
            .iter()
            .filter_map(|node| Some(self.queues.get(&node)?.front()?.since.saturating_add(PATIENCE)))
            .min()
    }

    fn drain(&mut self, now: i64, released: &mut Vec<Record>) {
        let mut progressed = true;
        while progressed {
            progressed = false;
            for node in self.waiting.iter() {
                while let Some(record) = self.pop_free(node, now) {
                    self.pass(node, &record);
                    released.push(record);
                    progressed = true;
                }
            }
        }
    }

    fn pop_free(&mut self, node: NodeId, now: i64) -> Option<Record> {
        let Some(head) = self.queues.get(&node).and_then(VecDeque::front) else {
            self.waiting.remove(node);
            return None;
        };
        if head.since.saturating_add(PATIENCE) > now && !self.is_free(node, &head.record) {
            return None;
        }
        let Waiting { record, since } = self.queues.get_mut(&node)?.pop_front()?;
        self.longest_wait = self.longest_wait.max(now.saturating_sub(since).min(PATIENCE));
        Some(record)
    }

    fn is_free(&self, node: NodeId, record: &Record) -> bool {
        if let Some(id) = sent_before(record)
            && id.from != node
            && self.passed.get(&(id.from, id.to)).is_none_or(|passed| *passed < (id.incarnation, id.sequence))
        {
            return false;
        }
        self.dying.waited_for(record).is_empty()
    }

    /// Notes that the release of a node's record may let others go on.
    fn pass(&mut self, node: NodeId, record: &Record) {
        match &record.body {
            Body::Step(step) => {
                for effect in &step.effects {
                    if let EffectText::Send { id, .. } = effect {
                        let passed = self.passed.entry((id.from, id.to)).or_default();
                        *passed = (*passed).max((id.incarnation, id.sequence));
                    }
                }
            }
            Body::Died { .. } => self.dying.has_died(node),
            _ => {}
        }
    }
}

/// The datagram whose sending comes before this record.
fn sent_before(record: &Record) -> Option<MessageId> {
    match &record.body {
        Body::Dropped { id, .. }
        | Body::Held { id, .. }
        | Body::Released { id, .. }
        | Body::Spoiled { id, .. }
        | Body::Duplicated { id, .. }
        | Body::Reordered { id, .. }
        | Body::Garbled { id, .. }
        | Body::Copy { id, .. }
        | Body::Late { id, .. }
        | Body::Stale { id } => Some(*id),
        Body::Step(step) => match &step.input {
            Input::Message { id, .. } => Some(*id),
            _ => None,
        },
        _ => None,
    }
}
