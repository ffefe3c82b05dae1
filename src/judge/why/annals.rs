//! The records of a session up to a moment, with what a walk back through them looks up.
//!
//! Records may be missing between them; the numbers tell where. What is the latest of its kind is told only if none is
//! missing since.
//!
//! Invariant: a place counts the records before it, so of two records of one session the earlier has the smaller place.

use std::collections::{BTreeMap, HashMap};

use crate::fault::{FaultId, FaultLine};
use crate::protocol::{Course, NodeId, NodeSet, PlaysDead, Rank, Span, StateVector, ToldLie};
use crate::record::{
    Body, CONTINUED_BY_SOMEBODY, EffectText, Head, Input, MessageId, MessageText, Record, STOPPED_BY_SOMEBODY, Step,
};

/// The records of a session up to a moment.
#[derive(Debug)]
pub struct Annals<'a> {
    head: Option<&'a Head>,
    records: Vec<&'a Record>,
    /// The places before which records are missing; 0 if the beginning is.
    holes: Vec<usize>,
    /// By node, the places of its steps.
    steps: BTreeMap<NodeId, Vec<usize>>,
    /// By node, the places at which its process began, ended, stopped or went on.
    lives: BTreeMap<NodeId, Vec<usize>>,
    /// Where each message was sent.
    sendings: HashMap<MessageId, usize>,
    /// By message, the places at which it came, or at which something happened to it.
    ends: HashMap<MessageId, Vec<usize>>,
    /// Where each fault was ordered.
    orders: BTreeMap<FaultId, usize>,
    /// Where each fault was lifted.
    lifted: BTreeMap<FaultId, usize>,
    /// The places of the steps in which a liar told a lie.
    lying: Vec<usize>,
}

impl<'a> Annals<'a> {
    /// The annals of these records, which are in the session's order and end with the moment that is asked about.
    pub fn new(head: Option<&'a Head>, records: impl IntoIterator<Item = &'a Record>) -> Annals<'a> {
        let mut annals = Annals {
            head,
            records: Vec::new(),
            holes: Vec::new(),
            steps: BTreeMap::new(),
            lives: BTreeMap::new(),
            sendings: HashMap::new(),
            ends: HashMap::new(),
            orders: BTreeMap::new(),
            lifted: BTreeMap::new(),
            lying: Vec::new(),
        };
        records.into_iter().for_each(|record| annals.take(record));
        annals
    }

    fn take(&mut self, record: &'a Record) {
        let place = self.records.len();
        let follows = match self.records.last() {
            Some(last) => last.number == 0 || record.number.saturating_sub(last.until().0) <= 1,
            None => record.number <= 1,
        };
        if !follows {
            self.holes.push(place);
        }
        self.records.push(record);
        if let Some(id) = message_of(record) {
            self.ends.entry(id).or_default().push(place);
        }
        match (&record.body, record.node) {
            (Body::Step(step), Some(node)) => {
                self.steps.entry(node).or_default().push(place);
                if !step.lies.is_empty() {
                    self.lying.push(place);
                }
                for effect in &step.effects {
                    if let EffectText::Send { id, .. } = effect {
                        self.sendings.insert(*id, place);
                    }
                }
            }
            (Body::Spawned { .. } | Body::Died { .. }, Some(node)) => {
                self.lives.entry(node).or_default().push(place);
            }
            (body, Some(node)) if begins(body).is_some() || ends(body) => {
                self.lives.entry(node).or_default().push(place);
            }
            (Body::FaultOrdered { id, .. }, _) => {
                self.orders.insert(*id, place);
            }
            (Body::FaultLifted { id }, _) => {
                self.lifted.insert(*id, place);
            }
            _ => {}
        }
    }

    /// The stamp of the first record, if records are missing before it.
    pub(super) fn begins_at(&self) -> Option<i64> {
        self.records.first().filter(|_| self.holes.first() == Some(&0)).map(|first| first.at)
    }

    /// How many records there are: the place after the last one.
    pub(super) fn end(&self) -> usize {
        self.records.len()
    }

    /// The record at this place.
    pub(super) fn at(&self, place: usize) -> &'a Record {
        self.records[place]
    }

    /// The records from this place up to that one, with their places.
    pub(super) fn between(&self, from: usize, to: usize) -> impl Iterator<Item = (usize, &'a Record)> {
        let to = to.min(self.records.len());
        (from.min(to)..to).map(|place| (place, self.records[place]))
    }

    /// The place of the record of this number.
    pub(super) fn numbered(&self, number: u64) -> Option<usize> {
        self.records.iter().position(|record| record.number == number)
    }

    /// The place after the last record whose stamp is not after this one.
    pub(super) fn place_of_stamp(&self, at: i64) -> usize {
        self.records.iter().rposition(|record| record.at <= at).map_or(0, |place| place + 1)
    }

    /// The step at this place, and its node.
    pub(super) fn step(&self, place: usize) -> Option<(NodeId, &'a Step)> {
        let record = self.records.get(place)?;
        Some((record.node?, record.step()?))
    }

    /// The places of the node's steps before this place, the latest first.
    pub(super) fn steps_before(&self, node: NodeId, place: usize) -> impl Iterator<Item = usize> + '_ {
        let steps = self.steps.get(&node).map_or(&[][..], Vec::as_slice);
        let end = steps.partition_point(|step| *step < place);
        steps[..end].iter().rev().copied()
    }

    /// The state of the node's process before this place, and the place of the step that brought it.
    pub(super) fn state_before(&self, node: NodeId, place: usize) -> Option<(usize, &'a StateVector)> {
        let began = |life: &&usize| matches!(self.at(**life).body, Body::Spawned { .. } | Body::Died { .. });
        let lives = self.lives.get(&node).map_or(&[][..], Vec::as_slice);
        let after = lives[..lives.partition_point(|life| *life < place)].iter().rev().find(began).copied().unwrap_or(0);
        let mut steps = self.steps_before(node, place).take_while(|step| *step >= after);
        steps.find_map(|step| Some((step, self.step(step)?.1.state.as_ref()?)))
    }

    /// Whether the node was in no election before this place.
    pub(super) fn rested_before(&self, node: NodeId, place: usize) -> bool {
        self.state_before(node, place).is_none_or(|(_, state)| state.course() != Course::Electing)
    }

    /// The latest record before this place about the beginning, end, stop or going on of the node's process.
    pub(super) fn latest_life(&self, node: NodeId, place: usize) -> Option<usize> {
        let lives = self.lives.get(&node)?;
        lives[..lives.partition_point(|life| *life < place)].last().copied()
    }

    /// The records between these places about the beginning, end, stop or going on of the node's process.
    pub(super) fn lives_between(&self, node: NodeId, (from, to): (usize, usize)) -> &[usize] {
        let lives = self.lives.get(&node).map_or(&[][..], Vec::as_slice);
        let until = lives.partition_point(|life| *life < to);
        let after = lives.partition_point(|life| *life <= from).min(until);
        &lives[after..until]
    }

    /// Where the message was sent.
    pub(super) fn sending(&self, id: MessageId) -> Option<usize> {
        self.sendings.get(&id).copied()
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
        let ends = self.ends.get(&id).map_or(&[][..], Vec::as_slice);
        ends.iter().copied().filter(move |place| self.at(*place).node == Some(receiver))
    }

    /// The place since which no record is missing before this place.
    pub(super) fn whole_since(&self, place: usize) -> usize {
        self.hole_before(place).unwrap_or(0)
    }

    /// The last place up to this one before which records are missing, if any are.
    pub(super) fn hole_before(&self, place: usize) -> Option<usize> {
        let before = self.holes.partition_point(|hole| *hole <= place);
        before.checked_sub(1).map(|last| self.holes[last])
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
        let place = *self.orders.get(&id)?;
        match &self.at(place).body {
            Body::FaultOrdered { line, .. } => Some((place, line)),
            _ => None,
        }
    }

    /// The faults ordered before this place, the latest first, with the place of each order.
    pub(super) fn faults_before(&self, place: usize) -> impl Iterator<Item = (FaultId, usize, &'a FaultLine, NodeSet)> {
        let orders = self.orders.iter().rev().filter(move |(_, order)| **order < place);
        orders.filter_map(|(id, order)| match &self.at(*order).body {
            Body::FaultOrdered { line, nodes, .. } => Some((*id, *order, line, *nodes)),
            _ => None,
        })
    }

    /// Whether the fault was over before this place.
    pub(super) fn is_lifted(&self, id: FaultId, place: usize) -> bool {
        self.lifted.get(&id).is_some_and(|lifted| *lifted < place)
    }

    /// The lies that were told, with the place of each and the liar.
    pub(super) fn lies(&self) -> impl Iterator<Item = (usize, NodeId, &'a ToldLie)> {
        let steps = self.lying.iter().filter_map(|place| Some((*place, self.step(*place)?)));
        steps.flat_map(|(place, (liar, step))| step.lies.iter().map(move |told| (place, liar, told)))
    }

    /// All nodes that have taken a step.
    pub(super) fn nodes(&self) -> impl Iterator<Item = NodeId> + '_ {
        self.steps.keys().copied()
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

/// Who stopped a process.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
pub(super) enum StoppedBy {
    /// This fault.
    Fault(FaultId),
    /// Nobody of the lab.
    Somebody,
}

/// Who stopped a process, if the record says that one was stopped.
pub(super) fn begins(body: &Body) -> Option<StoppedBy> {
    match body {
        Body::Stopped { by } => Some(StoppedBy::Fault(*by)),
        Body::Note { text } if text == STOPPED_BY_SOMEBODY => Some(StoppedBy::Somebody),
        _ => None,
    }
}

/// Whether the record says that a stopped process goes on.
pub(super) fn ends(body: &Body) -> bool {
    matches!(body, Body::Continued) || matches!(body, Body::Note { text } if text == CONTINUED_BY_SOMEBODY)
}

impl StoppedBy {
    /// The fault, if it was one.
    pub fn fault(self) -> Option<FaultId> {
        match self {
            StoppedBy::Fault(by) => Some(by),
            StoppedBy::Somebody => None,
        }
    }
}

/// The message that the step was given.
pub(super) fn heard(step: &Step) -> Option<MessageId> {
    match &step.input {
        Input::Message { id, .. } => Some(*id),
        _ => None,
    }
}

/// The messages that the step sent.
pub(super) fn sent(step: &Step) -> impl Iterator<Item = (MessageId, &MessageText)> {
    step.effects.iter().filter_map(|effect| match effect {
        EffectText::Send { id, message } => Some((*id, message)),
        _ => None,
    })
}

/// The message that the record tells about, at its receiver; a failed sending tells it at the sender.
fn message_of(record: &Record) -> Option<MessageId> {
    match &record.body {
        Body::Step(step) => heard(step),
        Body::Dropped { id, .. }
        | Body::Held { id, .. }
        | Body::Released { id, .. }
        | Body::PutFirst { id, .. }
        | Body::Spoiled { id, .. }
        | Body::Duplicated { id, .. }
        | Body::Reordered { id, .. }
        | Body::Garbled { id, .. }
        | Body::Stale { id }
        | Body::Copy { id, .. }
        | Body::Late { id, .. }
        | Body::SendFailed { id, .. } => Some(*id),
        _ => None,
    }
}
