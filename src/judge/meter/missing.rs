//! Messages that never came, and no record tells why: the kernel lost them, on its way between two sockets.
//!
//! A message is missing at a receiver if the receiver had neither received nor dropped it when the bound was over, and
//! ran all the time: its process had started before the sending, and a step of it is on record after the bound. The time
//! during which the receiver was stopped does not count. Where links keep their order, a message is missing as soon as a
//! later one of its channel has come.
//!
//! It explains things from the moment at which it should have come, counted from its sending: what its sender does next,
//! and by when it has left for certain, may itself be what came of the loss. A finding does not wait until the bound is
//! over since then ([`Meter::not_come`]).
//!
//! Invariant: a message that was sent in its sender's last step is never missing, for it may not have left; nor is a
//! message whose reception may have been told in a gap.

use std::collections::VecDeque;

use super::{Meter, STANDING};
use crate::breaks::{Break, Cause};
use protocol::{Assumption, NodeId, NodeSet, Roster};
use record::{Body, BreakManner, Input, MessageId, Record, Step};
use world::flight::{AwaitedMessage, Flights};
use world::index;

/// What each receiver still awaits although its time may be over.
#[derive(Clone, Debug)]
pub(super) struct Missing {
    /// By receiver, oldest first.
    awaited: Vec<VecDeque<AwaitedMessage>>,
    /// By receiver, what its latest step overtook, and the stamp of that step. Its next record may tell why.
    overtaken: Vec<(i64, Vec<AwaitedMessage>)>,
    /// By receiver, the stamp of the latest gap in its records.
    gap_at: Vec<i64>,
    /// By receiver, the stamp of its latest step.
    stepped: Vec<i64>,
}

impl Missing {
    /// Nothing is awaited yet.
    pub fn new(roster: Roster) -> Missing {
        let nodes = usize::from(roster.len());
        Missing {
            awaited: vec![VecDeque::new(); nodes],
            overtaken: vec![(i64::MIN, Vec::new()); nodes],
            gap_at: vec![i64::MIN; nodes],
            stepped: vec![i64::MIN; nodes],
        }
    }

    /// The receiver's process died.
    pub fn forget(&mut self, receiver: NodeId) {
        self.awaited[index(receiver)].clear();
        self.overtaken[index(receiver)].1.clear();
    }

    /// Records of these nodes are missing before this stamp.
    pub fn take_gap(&mut self, receivers: &NodeSet, at: i64) {
        for receiver in receivers.iter() {
            self.forget(receiver);
            self.gap_at[index(receiver)] = at;
        }
    }
}

impl Meter {
    /// Takes in a step: with it the receiver's records may have passed the bound of what it awaits.
    pub(super) fn take_missing(&mut self, node: NodeId, record: &Record, step: &Step, flights: &mut Flights) {
        self.missing.stepped[index(node)] = record.at;
        for awaited in flights.take_overdue(record.at.saturating_sub(self.one_way_bound)) {
            for receiver in awaited.receivers.iter() {
                self.missing.awaited[index(receiver)].push_back(awaited.clone());
            }
        }
        if let Input::Message { id, .. } = &step.input
            && self.needs.contains(&Assumption::Order)
        {
            let mut overtaken = flights.overtaken(*id, node);
            overtaken.retain(|awaited| self.should_have_come(node, awaited));
            self.missing.overtaken[index(node)] = (record.at, overtaken);
        }
        while let Some(awaited) = self.missing.awaited[index(node)].front() {
            let late_from = awaited.left_by.saturating_add(self.bound_of(awaited.id));
            if record.at - late_from - self.stopped_for(node, awaited.left_by, record.at) <= 0 {
                return;
            }
            let Some(awaited) = self.missing.awaited[index(node)].pop_front() else { return };
            if flights.is_awaited(awaited.id, node) && self.should_have_come(node, &awaited) {
                self.miss(node, &awaited, i64::MAX);
            }
        }
    }

    /// The node's next record: it tells whether a fault let the latest message overtake another.
    pub(super) fn settle_overtaken(&mut self, node: NodeId, record: &Record) {
        let (at, overtaken) = &mut self.missing.overtaken[index(node)];
        let at = *at;
        for awaited in std::mem::take(overtaken) {
            let is_told = matches!(&record.body, Body::Reordered { id, .. } if *id == awaited.id);
            if !is_told {
                self.miss(node, &awaited, at);
            }
        }
    }

    /// The messages that their receivers should have had by their latest steps, and did not have. It is not certain yet
    /// that they will not come; then they are late.
    pub(super) fn not_come<'a>(&'a self, flights: &'a Flights) -> impl Iterator<Item = Break> {
        let queues =
            self.missing.awaited.iter().zip(1..).filter_map(|(queue, number)| Some((NodeId::new(number)?, queue)));
        let overdue = queues.flat_map(|(receiver, queue)| queue.iter().map(move |awaited| (receiver, awaited.clone())));
        let others = flights.on_their_way().flat_map(|awaited| {
            let receivers: Vec<NodeId> = awaited.receivers.iter().collect();
            receivers.into_iter().map(move |receiver| (receiver, awaited.clone()))
        });
        let is_over = |receiver: NodeId, sent: i64| {
            let stepped = self.missing.stepped[index(receiver)];
            stepped.saturating_sub(sent) - self.stopped_for(receiver, sent, stepped) > self.one_way_bound
        };
        let awaited = overdue.chain(others).filter(|(receiver, awaited)| {
            flights.is_awaited(awaited.id, *receiver) && self.should_have_come(*receiver, awaited)
        });
        // The receiver's next record has not told yet whether a fault let these be overtaken.
        let overtaken =
            self.missing.overtaken.iter().zip(1..).filter_map(|((_, all), number)| Some((NodeId::new(number)?, all)));
        let overtaken =
            overtaken.flat_map(|(receiver, all)| all.iter().map(move |awaited| (receiver, awaited.clone())));
        let late = awaited.chain(overtaken).filter(move |(receiver, awaited)| is_over(*receiver, awaited.sent));
        late.map(|(receiver, awaited)| {
            let due = self.due(&awaited);
            let bite = BreakManner::Missing { from: awaited.id.from, to: receiver, count: 1 };
            let (assumption, cause) = (Assumption::DeliveryInTime, Cause::Machine);
            Break { serial: STANDING, assumption, cause, from: due, to: Some(due), bite }
        })
    }

    /// When it should have come. An ordered broadcast is delivered at a moment of its own, before the bound.
    fn due(&self, awaited: &AwaitedMessage) -> i64 {
        let way = if awaited.id.to.is_some() { self.one_way_bound } else { self.copies.delivered_after() };
        awaited.sent.saturating_add(way)
    }

    /// A broadcast may come by two ways, one behind the other.
    fn bound_of(&self, id: MessageId) -> i64 {
        if id.to.is_some() { self.one_way_bound } else { self.one_way_bound.saturating_mul(2) }
    }

    /// Whether the receiver would have had it if nothing had lost it.
    fn should_have_come(&self, receiver: NodeId, awaited: &AwaitedMessage) -> bool {
        let since = self.started[index(receiver)];
        let has_run = since != i64::MIN && since < awaited.left_from;
        has_run
            && self.missing.gap_at[index(receiver)] < awaited.left_from
            && !self.copies.may_know(awaited.id, awaited.left_from, receiver)
    }

    fn miss(&mut self, receiver: NodeId, awaited: &AwaitedMessage, passed_at: i64) {
        let bite = BreakManner::Missing { from: awaited.id.from, to: receiver, count: 1 };
        let at = self.due(awaited).min(passed_at);
        self.note(Assumption::DeliveryInTime, Cause::Machine, at, at, bite);
    }
}
