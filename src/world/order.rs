//! The orderer: the nodes' streams and the host's own records become one causal order.
//!
//! A record whose cause is not on record waits. After a second the orderer looks whether the cause can still come: not
//! if the stream that would tell it has passed the record's stamp, nor if nothing has come of that stream for a second.
//! A stream that is behind is waited for: a backlog is no loss.
//!
//! Invariants: a node's records keep their order, and the records behind a blocked one wait with it; what happened to a
//! datagram (received, dropped, held, tampered with, stale) comes after the step that sent it; a time-out on a node
//! that was ordered to crash comes after the record of that crash; nothing waits longer than half a minute.

use std::collections::VecDeque;

use super::coming_deaths::ComingDeaths;
use super::flight::place_of;
use protocol::{Incarnation, NodeId, NodeMap, NodeSet, Roster};
use record::{Body, EffectText, Input, MessageId, Record};

/// How long a record waits before the orderer looks whether its cause can still come, in nanoseconds.
const PATIENCE: i64 = 1_000_000_000;
/// How long it waits at most.
const PATIENCE_MAX: i64 = 30 * PATIENCE;

/// Merges the nodes' streams into one causal order. Pure: the time is an argument, in nanoseconds since the lab began.
#[derive(Clone, Debug)]
pub struct Orderer {
    streams: NodeMap<Stream>,
    /// The nodes whose first record waits for the death of another.
    behind_death: NodeSet,
    dying: ComingDeaths,
    longest_wait: i64,
}

/// The records of one node.
#[derive(Clone, Default, Debug)]
struct Stream {
    waiting: VecDeque<Waiting>,
    /// The nodes whose first record waits for a message of this node.
    blocks: NodeSet,
    /// By receiver, up to which number the sends have been released. A younger incarnation's number passes all older
    /// ones.
    passed: Vec<(Incarnation, u64)>,
    /// The stamp of its newest step, released or not.
    newest: Option<i64>,
    /// When its newest record came.
    heard: i64,
}

#[derive(Clone, Debug)]
struct Waiting {
    /// Apart, for a queue keeps its room when it is empty again: after a burst that is the room of thousands of records.
    record: Box<Record>,
    since: i64,
    /// When the orderer will look whether its cause can still come.
    look_at: i64,
}

/// What a record waits for.
enum AwaitedCause {
    Sending(MessageId),
    Death,
}

impl Orderer {
    /// Nothing has been taken in yet.
    pub fn new(roster: Roster) -> Orderer {
        Orderer {
            streams: roster.all().iter().map(|node| (node, Stream::default())).collect(),
            behind_death: NodeSet::EMPTY,
            dying: ComingDeaths::default(),
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
        let free = match record.node {
            Some(node) => {
                let stream = self.streams.get_or_default(node);
                stream.heard = now;
                if record.step().is_some() {
                    stream.newest = stream.newest.max(Some(record.at));
                }
                let look_at = now.saturating_add(PATIENCE);
                stream.waiting.push_back(Waiting { record: Box::new(record), since: now, look_at });
                // Behind a blocked record it waits.
                if stream.waiting.len() == 1 { NodeSet::of(node) } else { NodeSet::EMPTY }
            }
            None => {
                if let Body::FaultInForce { id } | Body::FaultNotInForce { id, .. } | Body::FaultLifted { id } =
                    record.body
                {
                    self.dying.settle(id);
                }
                released.push(record);
                std::mem::take(&mut self.behind_death)
            }
        };
        self.drain(free, now, &mut released);
        released
    }

    /// Returns the records whose cause cannot come any more: they go on as unmatched. Call it when every record that
    /// has come was taken in.
    pub fn release(&mut self, now: i64) -> Vec<Record> {
        let mut released = Vec::new();
        while let Some(node) = self.given_up(now) {
            let free = self.pop(node, now, &mut released);
            self.drain(free.union(&NodeSet::of(node)), now, &mut released);
        }
        released
    }

    /// When [`Orderer::release`] will next have something to do by time alone.
    pub fn wake_at(&self) -> Option<i64> {
        self.blocked().iter().filter_map(|node| Some(self.streams.get(&node)?.waiting.front()?.look_at)).min()
    }

    /// The nodes whose first record waits.
    fn blocked(&self) -> NodeSet {
        self.streams.values().fold(self.behind_death, |all, stream| all.union(&stream.blocks))
    }

    /// Passes on what is free of these nodes, and of those that waited for it.
    fn drain(&mut self, mut free: NodeSet, now: i64, released: &mut Vec<Record>) {
        while let Some(node) = free.iter().next() {
            free.remove(node);
            while let Some(head) = self.streams.get(&node).and_then(|stream| stream.waiting.front()) {
                match self.cause_of(node, &head.record) {
                    None => {}
                    Some(AwaitedCause::Sending(id)) => {
                        self.streams.get_or_default(id.from).blocks.insert(node);
                        break;
                    }
                    Some(AwaitedCause::Death) => {
                        self.behind_death.insert(node);
                        break;
                    }
                }
                free = free.union(&self.pop(node, now, released));
            }
        }
    }

    /// Passes on the node's first record; returns the nodes that may be free now.
    fn pop(&mut self, node: NodeId, now: i64, released: &mut Vec<Record>) -> NodeSet {
        let Some(stream) = self.streams.get_mut(&node) else { return NodeSet::EMPTY };
        let Some(Waiting { record, since, .. }) = stream.waiting.pop_front() else { return NodeSet::EMPTY };
        self.longest_wait = self.longest_wait.max(now.saturating_sub(since).min(PATIENCE_MAX));
        let free = match &record.body {
            Body::Step(step) if !step.effects.is_empty() => {
                for effect in &step.effects {
                    if let EffectText::Send { id, .. } = effect {
                        stream.pass(*id);
                    }
                }
                std::mem::take(&mut stream.blocks)
            }
            Body::Died { .. } => {
                self.dying.has_died(node);
                std::mem::take(&mut self.behind_death)
            }
            _ => NodeSet::EMPTY,
        };
        released.push(*record);
        free
    }

    /// What the node's record still waits for.
    fn cause_of(&self, node: NodeId, record: &Record) -> Option<AwaitedCause> {
        let sending = sent_before(record).filter(|id| id.from != node);
        if let Some(id) = sending.filter(|id| self.streams.get(&id.from).is_none_or(|stream| !stream.has_passed(*id))) {
            return Some(AwaitedCause::Sending(id));
        }
        if self.dying.waited_for(record).is_empty() { None } else { Some(AwaitedCause::Death) }
    }

    /// A node whose first record waits in vain: its cause cannot come any more. If there is none, one whose first record
    /// has waited long enough.
    fn given_up(&mut self, now: i64) -> Option<NodeId> {
        let mut over = None;
        for node in self.blocked().iter() {
            let Some(head) = self.streams.get(&node).and_then(|stream| stream.waiting.front()) else { continue };
            if head.look_at > now {
                continue;
            }
            if head.since.saturating_add(PATIENCE_MAX) <= now {
                over.get_or_insert(node);
            }
            let can_come = match self.cause_of(node, &head.record) {
                Some(AwaitedCause::Sending(id)) => {
                    self.streams.get(&id.from).is_some_and(|sender| sender.may_tell(id, head.record.at, now))
                }
                Some(AwaitedCause::Death) | None => false,
            };
            if !can_come {
                return Some(node);
            }
            if let Some(head) = self.streams.get_mut(&node).and_then(|stream| stream.waiting.front_mut()) {
                head.look_at = now.saturating_add(PATIENCE / 4);
            }
        }
        over
    }
}

impl Stream {
    /// The sending of this message is released.
    fn pass(&mut self, id: MessageId) {
        let place = place_of(id.to);
        if self.passed.len() <= place {
            self.passed.resize(place + 1, (Incarnation::default(), 0));
        }
        self.passed[place] = self.passed[place].max((id.incarnation, id.sequence));
    }

    fn has_passed(&self, id: MessageId) -> bool {
        self.passed.get(place_of(id.to)).is_some_and(|passed| *passed >= (id.incarnation, id.sequence))
    }

    /// Whether the sending of a message that was received at this stamp may still be told.
    fn may_tell(&self, id: MessageId, received: i64, now: i64) -> bool {
        let is_behind = || self.newest.is_none_or(|newest| newest <= received);
        let is_heard = || self.heard.saturating_add(PATIENCE) > now;
        let sends = |waiting: &Waiting| {
            let effects = waiting.record.step().map_or(&[][..], |step| &step.effects[..]);
            effects.iter().any(|effect| matches!(effect, EffectText::Send { id: sent, .. } if *sent == id))
        };
        is_behind() && is_heard() || self.waiting.iter().any(sends)
    }
}

/// The datagram whose sending comes before this record.
fn sent_before(record: &Record) -> Option<MessageId> {
    match &record.body {
        Body::Dropped { id, .. }
        | Body::Held { id, .. }
        | Body::Released { id, .. }
        | Body::PutFirst { id, .. }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_room_for_a_waiting_record_is_small() {
        let most = size_of::<Box<Record>>() + 2 * size_of::<i64>();
        assert!(size_of::<Waiting>() <= most, "{} bytes", size_of::<Waiting>());
    }
}
