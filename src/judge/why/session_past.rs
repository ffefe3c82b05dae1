//! The records of a session up to a moment, with what a walk back through them looks up.
//!
//! Records may be missing between them; the numbers tell where. What is the latest of its kind is told only if none is
//! missing since.
//!
//! Records that are kept while they grow keep their index ([`IndexedRecords`](super::IndexedRecords)): then a question
//! reads no more of them than its answer needs.

use std::borrow::Cow;
use std::sync::Arc;

use super::index::{IndexedState, PastIndex};
use super::reading::{count_read, heard};
use fault::{FaultId, FaultLine};
use protocol::{Course, NodeId, NodeSet, PlaysDead, Rank, Span, StateVector, ToldLie};
use record::{Body, EffectText, Head, MessageId, MessageText, Record, Step};

/// The records of a session up to a moment.
#[derive(Debug)]
pub struct SessionPast<'a> {
    head: Option<&'a Head>,
    records: PastRecords<'a>,
    index: Cow<'a, PastIndex>,
}

/// Who holds the records.
#[derive(Debug)]
pub(super) enum PastRecords<'a> {
    /// Read once.
    Borrowed(Vec<&'a Record>),
    /// Kept with their index.
    Shared(&'a [Arc<Record>]),
}

impl<'a> SessionPast<'a> {
    /// The past of these records, which are in the session's order and end with the moment that is asked about.
    pub fn new(head: Option<&'a Head>, records: impl IntoIterator<Item = &'a Record>) -> SessionPast<'a> {
        let records: Vec<&'a Record> = records.into_iter().collect();
        let mut index = PastIndex::default();
        records.iter().for_each(|record| index.take(record));
        SessionPast { head, records: PastRecords::Borrowed(records), index: Cow::Owned(index) }
    }

    /// The past of records that have this index.
    pub(super) fn indexed(head: Option<&'a Head>, records: PastRecords<'a>, index: &'a PastIndex) -> SessionPast<'a> {
        SessionPast { head, records, index: Cow::Borrowed(index) }
    }

    /// The stamp of the first record, if records are missing before it.
    pub(super) fn begins_at(&self) -> Option<i64> {
        (self.index.holes.first() == Some(&0)).then(|| self.at(0).at)
    }

    /// How many records there are: the place after the last one.
    pub(super) fn end(&self) -> usize {
        self.index.len()
    }

    /// The record at this place.
    pub(super) fn at(&self, place: usize) -> &'a Record {
        count_read();
        match &self.records {
            PastRecords::Borrowed(records) => records[place],
            PastRecords::Shared(records) => &records[place],
        }
    }

    /// The records from this place up to that one, with their places.
    pub(super) fn between(&self, from: usize, to: usize) -> impl Iterator<Item = (usize, &'a Record)> {
        let to = to.min(self.end());
        (from.min(to)..to).map(|place| (place, self.at(place)))
    }

    /// The place of the record of this number.
    pub(super) fn numbered(&self, number: u64) -> Option<usize> {
        let place = self.index.numbers.partition_point(|highest| *highest < number);
        (place < self.end() && self.at(place).number == number).then_some(place)
    }

    /// The place after the last record whose stamp is not after this one.
    pub(super) fn place_of_stamp(&self, at: i64) -> usize {
        (0..self.end()).rev().find(|place| self.at(*place).at <= at).map_or(0, |place| place + 1)
    }

    /// The step at this place, and its node.
    pub(super) fn step(&self, place: usize) -> Option<(NodeId, &'a Step)> {
        let record = (place < self.end()).then(|| self.at(place))?;
        Some((record.node?, record.step()?))
    }

    /// The places of the node's steps before this place, the latest first.
    pub(super) fn steps_before(&self, node: NodeId, place: usize) -> impl Iterator<Item = usize> + '_ {
        let steps = self.index.steps.get(&node).map_or(&[][..], Vec::as_slice);
        let end = steps.partition_point(|step| *step < place);
        steps[..end].iter().rev().copied()
    }

    /// The state of the node's process before this place, and the place of the step that brought it.
    pub(super) fn state_before(&self, node: NodeId, place: usize) -> Option<(usize, &'a StateVector)> {
        let known = self.indexed_state_before(node, place)?;
        Some((known.place, self.step(known.place)?.1.state.as_ref()?))
    }

    /// The same state, and the place of the step that began it: what the node believes, or in which word it stands while
    /// it believes nothing.
    pub(super) fn stance_before(&self, node: NodeId, place: usize) -> Option<(usize, &'a StateVector)> {
        let known = self.indexed_state_before(node, place)?;
        Some((known.stance_since, self.step(known.place)?.1.state.as_ref()?))
    }

    /// The place of the step since which the node's process stands in the word that it has before this place.
    pub(super) fn word_since(&self, node: NodeId, place: usize) -> Option<usize> {
        self.indexed_state_before(node, place).map(|known| known.word_since)
    }

    fn indexed_state_before(&self, node: NodeId, place: usize) -> Option<&IndexedState> {
        let began = |life: &&usize| matches!(self.at(**life).body, Body::Spawned { .. } | Body::Died { .. });
        let lives = self.index.lives.get(&node).map_or(&[][..], Vec::as_slice);
        let after = lives[..lives.partition_point(|life| *life < place)].iter().rev().find(began).copied().unwrap_or(0);
        let states = self.index.states.get(&node)?;
        let before = states.partition_point(|known| known.place < place);
        states[..before].last().filter(|known| known.place >= after)
    }

    /// Whether the node was in no election before this place.
    pub(super) fn rested_before(&self, node: NodeId, place: usize) -> bool {
        self.state_before(node, place).is_none_or(|(_, state)| state.course() != Course::Electing)
    }

    /// The latest record before this place about the beginning, end, stop or going on of the node's process.
    pub(super) fn latest_life(&self, node: NodeId, place: usize) -> Option<usize> {
        let lives = self.index.lives.get(&node)?;
        lives[..lives.partition_point(|life| *life < place)].last().copied()
    }

    /// The records between these places about the beginning, end, stop or going on of the node's process.
    pub(super) fn lives_between(&self, node: NodeId, (from, to): (usize, usize)) -> &[usize] {
        let lives = self.index.lives.get(&node).map_or(&[][..], Vec::as_slice);
        let until = lives.partition_point(|life| *life < to);
        let after = lives.partition_point(|life| *life <= from).min(until);
        &lives[after..until]
    }

    /// Where the message was sent.
    pub(super) fn sending(&self, id: MessageId) -> Option<usize> {
        self.index.sendings.get(&id).copied()
    }

    /// The message that was sent under this number at this place.
    pub(super) fn sent_at(&self, place: usize, id: MessageId) -> Option<&'a MessageText> {
        let (_, step) = self.step(place)?;
        step.effects.iter().find_map(|effect| match effect {
            EffectText::Send { id: sent, message } if *sent == id => Some(message),
            _ => None,
        })
    }

    /// Where the message came, or where something happened to it, at this receiver.
    pub(super) fn ends_of(&self, id: MessageId, receiver: NodeId) -> impl Iterator<Item = usize> + '_ {
        let ends = self.index.ends.get(&id).map_or(&[][..], Vec::as_slice);
        ends.iter().copied().filter(move |place| self.at(*place).node == Some(receiver))
    }

    /// The place since which no record is missing before this place.
    pub(super) fn whole_since(&self, place: usize) -> usize {
        self.hole_before(place).unwrap_or(0)
    }

    /// The last place up to this one before which records are missing, if any are.
    pub(super) fn hole_before(&self, place: usize) -> Option<usize> {
        let before = self.index.holes.partition_point(|hole| *hole <= place);
        before.checked_sub(1).map(|last| self.index.holes[last])
    }

    /// The latest step of the node before this place that set this timer.
    pub(super) fn setter(&self, node: NodeId, timer: &str, place: usize) -> Option<usize> {
        let sets = |effect: &EffectText| matches!(effect, EffectText::SetTimer { timer: set, .. } if **set == *timer);
        let since = self.whole_since(place);
        self.steps_before(node, place).take_while(|step| *step >= since).find(|step| {
            let step = self.step(*step);
            step.is_some_and(|(_, step)| step.effects.iter().any(sets))
        })
    }

    /// The latest step of the node before this place to which the other's message was given.
    pub(super) fn last_heard(&self, node: NodeId, of: NodeId, place: usize) -> Option<usize> {
        let since = self.whole_since(place);
        let mut steps = self.steps_before(node, place).take_while(|step| *step >= since);
        steps.find(|step| matches!(self.step(*step), Some((_, step)) if heard(step).is_some_and(|id| id.from == of)))
    }

    /// The line of this fault, and where it was ordered.
    pub(super) fn fault(&self, id: FaultId) -> Option<(usize, &'a FaultLine)> {
        let place = *self.index.orders.get(&id)?;
        match &self.at(place).body {
            Body::FaultOrdered { line, .. } => Some((place, line)),
            _ => None,
        }
    }

    /// The faults ordered before this place, the latest first, with the place of each order.
    pub(super) fn faults_before(&self, place: usize) -> impl Iterator<Item = (FaultId, usize, &'a FaultLine, NodeSet)> {
        let orders = self.index.orders.iter().rev().filter(move |(_, order)| **order < place);
        orders.filter_map(|(id, order)| match &self.at(*order).body {
            Body::FaultOrdered { line, nodes, .. } => Some((*id, *order, line, *nodes)),
            _ => None,
        })
    }

    /// Whether the fault was over before this place.
    pub(super) fn is_lifted(&self, id: FaultId, place: usize) -> bool {
        self.index.lifted.get(&id).is_some_and(|lifted| *lifted < place)
    }

    /// The lies that were told between these places, with the place of each and the liar.
    pub(super) fn lies_between(
        &self,
        (from, to): (usize, usize),
    ) -> impl Iterator<Item = (usize, NodeId, &'a ToldLie)> {
        let lying = within(&self.index.lying, (from, to)).iter();
        lying.filter_map(|place| Some((*place, self.step(*place)?))).flat_map(told_in)
    }

    /// The lies that were told in the step at this place, with the place and the liar.
    pub(super) fn lies_at(&self, place: usize) -> impl Iterator<Item = (usize, NodeId, &'a ToldLie)> {
        self.step(place).map(|step| (place, step)).into_iter().flat_map(told_in)
    }

    /// The records between these places that tell of a message to one of these nodes that was lost or held back.
    pub(super) fn losses_between(
        &self,
        nodes: impl IntoIterator<Item = NodeId>,
        between: (usize, usize),
    ) -> impl Iterator<Item = (usize, &'a Record)> {
        let losses = nodes.into_iter().filter_map(|node| self.index.losses.get(&node));
        let mut places: Vec<usize> = losses.flat_map(|places| within(places, between)).copied().collect();
        places.sort_unstable();
        places.dedup();
        places.into_iter().map(|place| (place, self.at(place)))
    }

    /// All nodes that have taken a step.
    pub(super) fn nodes(&self) -> impl Iterator<Item = NodeId> + '_ {
        self.index.steps.keys().copied()
    }

    /// Which of two nodes outranks the other.
    pub(super) fn rank(&self) -> Rank {
        self.head.map_or_else(Rank::default, |head| head.facts.rank)
    }

    /// The lines between which a process plays dead, if the algorithm has such.
    pub(super) fn plays_dead(&self) -> Option<PlaysDead> {
        self.head?.facts.plays_dead
    }

    /// The lab's T.
    pub(super) fn t(&self) -> Option<Span> {
        self.head.map(|head| head.timing.t)
    }

    /// The lab's `silence`.
    pub(super) fn silence(&self) -> Option<Span> {
        self.head.map(|head| head.timing.silence)
    }

    /// The lab's check period.
    pub(super) fn check(&self) -> Option<Span> {
        self.head.map(|head| head.timing.check)
    }
}

/// The lies of this step, which stands at this place.
fn told_in((place, (liar, step)): (usize, (NodeId, &Step))) -> impl Iterator<Item = (usize, NodeId, &ToldLie)> {
    step.lies.iter().map(move |told| (place, liar, told))
}

/// Those of these places, which are in order, that are not before the first and before the second.
fn within(places: &[usize], (from, to): (usize, usize)) -> &[usize] {
    let until = places.partition_point(|place| *place < to);
    let after = places.partition_point(|place| *place < from).min(until);
    &places[after..until]
}
