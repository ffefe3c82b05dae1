//! The copies of an ordered broadcast: whether it was lost at a receiver.
//!
//! A broadcast comes to each receiver from its sender, and once more from every node that took it from its sender (the
//! hop rule). So one lost copy loses nothing: the broadcast is lost at a receiver only if every copy was kept back
//! there, from the sender and from all relaying nodes. If nothing kept one of them back and the receiver still has not
//! taken the broadcast, no fault explains it.
//!
//! Invariant: a missing broadcast is settled once, when all copies should have come; only broadcasts are remembered
//! that came too late, or had a copy that a fault kept back.

use std::collections::BTreeMap;

use super::{Meter, STANDING};
use crate::breaks::{Break, Cause};
use fault::FaultId;
use protocol::{Assumption, NodeId, NodeMap, NodeSet, Span};
use record::{BreakManner, MessageId};
use world::flight::Flights;
use world::index;

/// The most broadcasts that are remembered.
const BROADCASTS_MAX: usize = 1024;

/// The broadcasts with a copy that was kept back.
#[derive(Clone, Debug)]
pub(super) struct Copies {
    /// How long after its stamp a broadcast is delivered, in nanoseconds.
    delta: i64,
    /// How long after its stamp a copy may still be said to have come in time.
    one_way_bound: i64,
    broadcasts: BTreeMap<MessageId, Broadcast>,
    /// The latest sending of a broadcast that was forgotten.
    forgotten: i64,
}

#[derive(Clone, Debug)]
struct Broadcast {
    sent: i64,
    /// The nodes that took it in time.
    takers: NodeSet,
    /// Where copies were kept back, or came too late.
    at: NodeMap<KeptBackCopies>,
}

/// The copies of one broadcast that were kept back at one receiver.
#[derive(Clone, Default, Debug)]
struct KeptBackCopies {
    paths: Vec<Path>,
    /// The layer said that it came too late, and whether a stop of the sender or the receiver explains that.
    too_late: Option<TooLate>,
    is_settled: bool,
}

#[derive(Copy, Clone, Debug)]
struct Path {
    through: NodeId,
    by: FaultId,
    at: i64,
    how: How,
}

#[derive(Copy, Clone, Eq, PartialEq, Debug)]
enum How {
    Lost,
    /// Held for this long, or until its release.
    Held(Option<Span>),
    /// The copy was held, and released at the path's stamp.
    Released,
}

#[derive(Copy, Clone, Eq, PartialEq, Debug)]
enum TooLate {
    ByStop,
    Unexplained,
}

impl Copies {
    /// None yet; the two durations are the longest way of a broadcast and its delivery, in nanoseconds.
    pub fn new(one_way_bound: i64, delta: i64) -> Copies {
        Copies { delta, one_way_bound, broadcasts: BTreeMap::new(), forgotten: i64::MIN }
    }

    /// How long after its stamp a broadcast is delivered, in nanoseconds.
    pub fn delivered_after(&self) -> i64 {
        self.delta
    }

    /// A receiver has taken the message.
    pub fn take(&mut self, id: MessageId, node: NodeId, at: i64) {
        if self.broadcasts.is_empty() || id.to.is_some() {
            return;
        }
        let one_way_bound = self.one_way_bound;
        if let Some(broadcast) = self.broadcasts.get_mut(&id)
            && at - broadcast.sent <= one_way_bound
        {
            broadcast.takers.insert(node);
        }
    }

    /// Whether a copy of this broadcast, sent then, was kept back at that receiver, or may have been, and its loss is
    /// not settled yet.
    pub fn may_know(&self, id: MessageId, sent: i64, receiver: NodeId) -> bool {
        let is_kept = self.broadcasts.get(&id).is_some_and(|broadcast| broadcast.at.contains_key(&receiver));
        is_kept || id.to.is_none() && sent <= self.forgotten
    }

    /// A fault dropped or spoiled the copy that came through that node.
    pub fn lose(&mut self, id: MessageId, node: NodeId, through: NodeId, by: FaultId, at: i64, sent: Option<i64>) {
        self.keep_back(id, node, Path { through, by, at, how: How::Lost }, sent);
    }

    /// A fault holds the copy back that came through that node.
    #[expect(clippy::too_many_arguments, reason = "they are the fields of a record")]
    pub fn hold(
        &mut self,
        id: MessageId,
        node: NodeId,
        through: NodeId,
        by: FaultId,
        span: Option<Span>,
        at: i64,
        sent: Option<i64>,
    ) {
        self.keep_back(id, node, Path { through, by, at, how: How::Held(span) }, sent);
    }

    /// The held copy is released.
    pub fn release(&mut self, id: MessageId, node: NodeId, through: NodeId, at: i64) {
        let Some(kept) = self.broadcasts.get_mut(&id).and_then(|broadcast| broadcast.at.get_mut(&node)) else { return };
        let held = kept.paths.iter_mut().filter(|path| path.through == through && path.how != How::Lost);
        held.for_each(|path| *path = Path { how: How::Released, at, ..*path });
    }

    /// The layer discarded the broadcast at that node, because it came too late.
    pub fn come_too_late(&mut self, id: MessageId, node: NodeId, at: i64, sent: Option<i64>, by_stop: bool) {
        let is_known = self.broadcasts.contains_key(&id);
        // What kept it back was forgotten; or it was settled here before, and this is a copy from outside.
        let is_forgotten = sent.is_none_or(|sent| sent <= self.forgotten);
        if is_forgotten && !is_known {
            return;
        }
        let kept = self.kept(id, node, sent.unwrap_or(at));
        kept.too_late = Some(if by_stop { TooLate::ByStop } else { TooLate::Unexplained });
    }

    fn keep_back(&mut self, id: MessageId, node: NodeId, path: Path, sent: Option<i64>) {
        let kept = self.kept(id, node, sent.unwrap_or(path.at));
        match kept.paths.iter_mut().find(|other| other.through == path.through) {
            // One fault may release a copy that another keeps back.
            Some(other) => *other = path,
            None => kept.paths.push(path),
        }
    }

    fn kept(&mut self, id: MessageId, node: NodeId, sent: i64) -> &mut KeptBackCopies {
        if !self.broadcasts.contains_key(&id) && self.broadcasts.len() == BROADCASTS_MAX {
            let oldest = self.broadcasts.iter().min_by_key(|(_, broadcast)| broadcast.sent).map(|(id, _)| *id);
            if let Some(broadcast) = oldest.and_then(|oldest| self.broadcasts.remove(&oldest)) {
                self.forgotten = self.forgotten.max(broadcast.sent);
            }
        }
        let empty = || Broadcast { sent, takers: NodeSet::EMPTY, at: NodeMap::new() };
        self.broadcasts.entry(id).or_insert_with(empty).at.get_or_default(node)
    }

    fn is_due(&self, broadcast: &Broadcast, now: i64) -> bool {
        now - broadcast.sent > self.one_way_bound * 2
    }
}

/// A broadcast that a receiver did not take.
struct MissedCopy {
    node: NodeId,
    cause: Cause,
    from: i64,
    bite: BreakManner,
}

impl Broadcast {
    /// The nodes where it is missing, and why. It needs two answers: whether a node ran all the time between two
    /// stamps, and whether its process was started after the broadcast was sent.
    fn missed(
        &self,
        id: MessageId,
        delta: i64,
        now: i64,
        ran: impl Fn(NodeId, i64, i64) -> bool,
        is_younger: impl Fn(NodeId) -> bool,
    ) -> Vec<MissedCopy> {
        let (sender, from) = (id.from, self.sent.saturating_add(delta));
        let has_direct = |node: &NodeId| {
            let direct = self.at.get(node).and_then(|kept| kept.path(sender));
            // A copy that a hold releases may be delayed once more, and no record tells that.
            direct.is_none_or(|path| path.how != How::Released && !path.is_longer(delta / 2, self.sent))
                && ran(*node, self.sent, self.sent + delta / 2)
                && !is_younger(*node)
        };
        let relayed: NodeSet = self.takers.iter().filter(has_direct).collect();
        let missed = |(node, kept): (&NodeId, &KeptBackCopies)| {
            let is_open = from <= now && !kept.is_settled && !self.takers.contains(*node) && *node != sender;
            let senders = relayed.union(&NodeSet::of(sender)).minus(&NodeSet::of(*node));
            let (cause, bite) =
                match (kept.explains(&senders, (sender, self.sent), delta, is_younger(*node)), kept.too_late) {
                    _ if !is_open => return None,
                    (Some(path), too_late) => {
                        (Cause::Fault(path.by), path.bite((sender, *node), self.sent, now, too_late))
                    }
                    // Its other copies came to a process that died.
                    (None, Some(TooLate::Unexplained)) if is_younger(*node) => return None,
                    (None, Some(TooLate::Unexplained)) => {
                        (Cause::Machine, BreakManner::TooLate { from: sender, to: *node, count: 1 })
                    }
                    (None, _) => return None,
                };
            Some(MissedCopy { node: *node, cause, from, bite })
        };
        self.at.iter().filter_map(missed).collect()
    }

    /// Whether something that is held may still be heard of.
    fn is_held(&self) -> bool {
        let mut paths = self.at.values().filter(|kept| kept.too_late.is_none()).flat_map(|kept| &kept.paths);
        paths.any(|path| matches!(path.how, How::Held(_) | How::Released))
    }
}

impl KeptBackCopies {
    /// What kept the broadcast back, if every copy through these nodes was kept back too long, or died with an earlier
    /// process.
    fn explains(
        &self,
        senders: &NodeSet,
        (sender, sent): (NodeId, i64),
        delta: i64,
        is_younger: bool,
    ) -> Option<&Path> {
        let taken_within = |through: NodeId| if through == sender { delta / 2 } else { delta };
        let is_kept = |node: NodeId| {
            let path = self.path(node);
            path.map_or(is_younger, |path| self.too_late.is_some() || path.is_longer(taken_within(node), sent))
        };
        if senders.iter().all(is_kept) { self.paths.first() } else { None }
    }

    fn path(&self, through: NodeId) -> Option<&Path> {
        self.paths.iter().find(|path| path.through == through)
    }
}

impl Path {
    /// Whether the copy cannot have come within this time of its sending.
    fn is_longer(&self, within: i64, sent: i64) -> bool {
        match self.how {
            How::Lost | How::Held(None) => true,
            How::Held(Some(span)) => self.at.saturating_add(super::nanos(span.nanos())) - sent > within,
            How::Released => self.at - sent > within,
        }
    }

    fn bite(&self, (sender, to): (NodeId, NodeId), sent: i64, now: i64, too_late: Option<TooLate>) -> BreakManner {
        let from = self.through;
        match (self.how, too_late) {
            (How::Lost, _) => BreakManner::Lost { from, to, count: 1 },
            (_, Some(_)) => BreakManner::TooLate { from: sender, to, count: 1 },
            (How::Held(Some(span)), None) => {
                let took = self.at.saturating_add(super::nanos(span.nanos())) - sent;
                BreakManner::Late { from, to, took, count: 1 }
            }
            (How::Held(None) | How::Released, None) => BreakManner::Late { from, to, took: now - sent, count: 1 },
        }
    }
}

impl Meter {
    /// The missing broadcasts by now that are not settled yet.
    pub(super) fn missed_copies(&self, now: i64) -> impl Iterator<Item = Break> {
        let (serial, assumption) = (STANDING, Assumption::DeliveryInTime);
        let missed = self.copies.broadcasts.iter().flat_map(move |(id, broadcast)| self.missed_of(*id, broadcast, now));
        missed.map(move |MissedCopy { cause, from, bite, .. }| Break {
            serial,
            assumption,
            cause,
            from,
            to: None,
            bite,
        })
    }

    /// Settles what is missing of the broadcasts whose copies should all have come by this stamp.
    pub(super) fn settle_copies(&mut self, now: i64, flights: &mut Flights) {
        let copies = &self.copies;
        let due = copies.broadcasts.iter().filter(|(_, broadcast)| copies.is_due(broadcast, now));
        let due: Vec<(MessageId, Vec<MissedCopy>)> =
            due.map(|(id, broadcast)| (*id, self.missed_of(*id, broadcast, now))).collect();
        for (id, missed) in due {
            let Some(broadcast) = self.copies.broadcasts.get_mut(&id) else { continue };
            broadcast.at.keys().for_each(|node| flights.settle(id, *node));
            for MissedCopy { node, .. } in &missed {
                if let Some(kept) = broadcast.at.get_mut(node) {
                    kept.is_settled = true;
                }
            }
            if !broadcast.is_held() {
                self.copies.broadcasts.remove(&id);
            }
            for MissedCopy { cause, from, bite, .. } in missed {
                self.note(Assumption::DeliveryInTime, cause, from, from, bite);
            }
        }
    }

    fn missed_of(&self, id: MessageId, broadcast: &Broadcast, now: i64) -> Vec<MissedCopy> {
        let ran = |node, from, to| self.stopped_for(node, from, to) == 0;
        broadcast.missed(id, self.copies.delta, now, ran, |node| self.started[index(node)] > broadcast.sent)
    }
}
