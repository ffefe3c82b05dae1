//! Happened-before: every event of a node with its past, as vector clocks (Lamport's relation, Fidge's and Mattern's
//! vectors), with the one edge of time that the notes allow: from a crash to a time-out on it.
//!
//! What breaks a chain, and for how long: some edges may be hidden by a gap in a node's records, by a received message
//! whose sending is not on record, or by a time-out that was read before the record of the crash behind it. From then
//! on this node's past is too small, and so is the past of every node that hears from it. Such a past is marked broken
//! for ever: it convicts nobody, and the lab's verdicts are unknown.
//!
//! A past counts *turns* of each node (a change of its state, a crash) and not its events: turns begin and end states,
//! and a message without a turn costs nothing that grows with the lab. Each past of a node has an edition, which rises
//! whenever the past grows; after learning an edition of a node there is nothing more to learn from it.
//!
//! Invariant: a moment with a whole chain knows exactly the turns that happened before it.

use std::collections::VecDeque;

use super::coming_deaths::ComingDeaths;
use super::flight::{DatagramEnd, Flights, Sending};
use super::moment::{CausalMoment, PastExtent, index};
use super::past::{Past, StepCause};
use super::turns::KnownTurns;
use protocol::{NodeId, Roster};
use record::{Body, EffectText, Input, MessageId, Missed, Record, Step, Uncertainty};

/// How many crashes of one node are remembered: only the latest before a time-out counts.
const CRASHES_MAX: usize = 16;

/// The clocks of all nodes.
#[derive(Clone, Debug)]
pub struct Clocks {
    nodes: Vec<NodeClock>,
    flights: Flights,
    dying: ComingDeaths,
    past: Past,
}

#[derive(Clone, Debug)]
struct NodeClock {
    now: CausalMoment,
    /// The latest edition of each other node's past that it has learnt: there is nothing more in an earlier one.
    learnt: Box<[u64]>,
    crashes: VecDeque<Crash>,
}

/// A crash, and how long its node was down after it, in lab nanoseconds.
#[derive(Clone, Debug)]
struct Crash {
    moment: CausalMoment,
    from: i64,
    to: Option<i64>,
}

/// The place of a record in the order of events.
#[derive(Clone, Debug, Default)]
pub struct Event {
    /// The node's moment, if the record was a turn of it: its state changed, or its process crashed.
    pub moment: Option<CausalMoment>,
    /// When the message of this record was sent; absent if it was a copy or is not known.
    pub sent: Option<i64>,
    /// Why a chain broke at it.
    pub broke: Option<Uncertainty>,
}

impl Clocks {
    /// Nothing has happened; a message takes no longer than this one way, in nanoseconds, unless something holds it back.
    pub fn new(roster: Roster, one_way_bound: i64) -> Clocks {
        let none = vec![0; usize::from(roster.len())];
        let known = KnownTurns::none(none.len());
        let clock = |node| NodeClock {
            now: CausalMoment { node, own: 0, known: known.clone(), edition: 0, chain: PastExtent::Whole },
            learnt: none.clone().into(),
            crashes: VecDeque::new(),
        };
        Clocks {
            nodes: roster.all().iter().map(clock).collect(),
            flights: Flights::new(roster, one_way_bound),
            dying: ComingDeaths::default(),
            past: Past::new(roster),
        }
    }

    /// Takes in the next record of the causal order.
    pub fn take(&mut self, record: &Record) -> Event {
        if let Body::Gap(missed) = &record.body {
            let node = record.node.filter(|node| index(*node) < self.nodes.len());
            self.past.touch_gap(node, record.at);
            return self.break_at(record.node, missed.clone());
        }
        self.dying.take(record);
        if let Body::FaultNotInForce { id, .. } = record.body {
            self.dying.settle(id);
        }
        let Some(node) = record.node.filter(|node| index(*node) < self.nodes.len()) else { return Event::default() };
        match &record.body {
            Body::Step(step) => self.step(node, record, step),
            Body::Died { .. } => self.crash(node, record),
            Body::Spawned { .. } => {
                self.flights.receiver_started(node, record.at);
                Event::default()
            }
            Body::Dropped { id, .. }
            | Body::Spoiled { id, .. }
            | Body::Garbled { id, became: None, .. }
            | Body::Late { id, .. }
            | Body::Stale { id } => {
                let sent = match self.flights.arrive(*id, node) {
                    DatagramEnd::First(sending) => sending.at.or(Some(record.at)),
                    DatagramEnd::Again(_) | DatagramEnd::Unmatched => None,
                };
                Event { sent, ..Event::default() }
            }
            Body::Duplicated { id, .. } => {
                self.flights.double(*id, node);
                Event::default()
            }
            Body::SendFailed { id, .. } => {
                // A relay that could not be sent is not the broadcast itself.
                if id.from == node {
                    self.flights.was_not_sent(*id);
                }
                Event::default()
            }
            Body::Held { id, .. } => Event { sent: self.flights.hold(*id, node, record.at), ..Event::default() },
            Body::Copy { id, .. } => Event { sent: self.flights.sent_at(*id, record.at), ..Event::default() },
            _ => Event::default(),
        }
    }

    /// How many turns of the node every other node knows.
    pub fn known_to_all(&self, node: NodeId) -> u64 {
        let others = self.nodes.iter().filter(|clock| clock.now.node != node);
        others.map(|clock| clock.now.known.of(index(node))).min().unwrap_or(u64::MAX)
    }

    fn step(&mut self, node: NodeId, record: &Record, step: &Step) -> Event {
        if let Some(crash) = self.nodes[index(node)].crashes.back_mut() {
            crash.to.get_or_insert(record.at);
        }
        let mut event = Event::default();
        let mut came_of = StepCause::Itself;
        match &step.input {
            Input::Message { id, message } => {
                came_of = match self.hear(node, *id, record.at, &mut event) {
                    Some(step) => StepCause::Message { from: id.from, step, kind: message.kind() },
                    None if id.from == node => StepCause::Itself,
                    None => StepCause::Unknown,
                };
            }
            Input::Timer { set, waited_for, .. } => {
                came_of = if waited_for.is_empty() { StepCause::Itself } else { StepCause::Silence(*waited_for) };
                let unread = self.dying.waited_for(record);
                if !unread.is_empty() {
                    self.nodes[index(node)].now.become_broken();
                    event.broke = Some(Uncertainty::DeathsUnread { node, silent: unread });
                }
                let set = i64::try_from(*set).unwrap_or(i64::MAX);
                for other in waited_for.iter().filter(|other| *other != node) {
                    if let Some(moment) = self.crash_within(other, set, record.at) {
                        self.learn(node, &moment);
                    }
                }
            }
            Input::Start { .. } | Input::Order { .. } => {}
        }
        let now = &mut self.nodes[index(node)].now;
        if step.state.is_some() {
            now.take_turn();
            event.moment = Some(now.clone());
        }
        let taken = self.past.next_of(node);
        self.past.take_step(node, (record.at, record.number), came_of, step.state.is_some());
        self.flights.leave(node, record.at);
        let (done, behind_hold) = step.effects_around_hold();
        for (effects, at) in [(done, Some(record.at)), (behind_hold, None)] {
            for id in sends(effects) {
                self.flights.send(id, Sending { moment: now.clone(), at, since: record.at, step: taken });
            }
        }
        event
    }

    /// The node hears that message. Returns in which step of its sender it was sent, if that is known.
    fn hear(&mut self, node: NodeId, id: MessageId, at: i64, event: &mut Event) -> Option<u64> {
        match self.flights.arrive(id, node) {
            DatagramEnd::First(sending) => {
                self.learn(node, &sending.moment);
                event.sent = sending.at.or(Some(at));
                Some(sending.step)
            }
            DatagramEnd::Again(sending) => {
                self.learn(node, &sending.moment);
                Some(sending.step)
            }
            // A node's own messages are in its past anyway.
            DatagramEnd::Unmatched if id.from == node => None,
            DatagramEnd::Unmatched => {
                self.nodes[index(node)].now.become_broken();
                event.broke = Some(Uncertainty::SendingUnknown { node, from: id.from, sequence: id.sequence });
                None
            }
        }
    }

    fn crash(&mut self, node: NodeId, record: &Record) -> Event {
        self.dying.has_died(node);
        self.flights.sender_died(node, record.at);
        self.flights.receiver_died(node, record.at);
        let clock = &mut self.nodes[index(node)];
        clock.now.take_turn();
        if clock.crashes.len() == CRASHES_MAX {
            clock.crashes.pop_front();
        }
        clock.crashes.push_back(Crash { moment: clock.now.clone(), from: record.at, to: None });
        Event { moment: Some(clock.now.clone()), ..Event::default() }
    }

    /// The latest crash up to the time-out, if it kept the node down at some moment of the waiting.
    fn crash_within(&self, node: NodeId, set: i64, out: i64) -> Option<CausalMoment> {
        let crashes = &self.nodes.get(index(node))?.crashes;
        let crash = crashes.iter().rev().find(|crash| crash.from <= out)?;
        crash.to.is_none_or(|to| to >= set).then(|| crash.moment.clone())
    }

    fn learn(&mut self, node: NodeId, past: &CausalMoment) {
        let NodeClock { now, learnt, .. } = &mut self.nodes[index(node)];
        if past.chain == PastExtent::Broken && now.chain == PastExtent::Whole {
            now.become_broken();
        }
        let sender = index(past.node);
        if past.node == node || learnt[sender] >= past.edition {
            return;
        }
        learnt[sender] = past.edition;
        if now.known.of(sender) >= past.own && !now.known.lacks_any_of(&past.known, index(node)) {
            return;
        }
        now.known.learn(&past.known);
        now.known.learn_of(sender, past.own);
        now.edition += 1;
    }

    fn break_at(&mut self, node: Option<NodeId>, missed: Missed) -> Event {
        let touched = self.nodes.iter_mut().filter(|clock| node.is_none_or(|node| clock.now.node == node));
        touched.for_each(|clock| clock.now.become_broken());
        Event { broke: Some(Uncertainty::RecordsMissing { node, missed }), ..Event::default() }
    }

    /// The node's present moment.
    pub fn now_of(&self, node: NodeId) -> &CausalMoment {
        &self.nodes[index(node)].now
    }

    /// The causes of each step.
    pub fn past(&self) -> &Past {
        &self.past
    }

    /// The same, to note which bites hit which nodes, or to forget what nobody will ask for.
    pub fn past_mut(&mut self) -> &mut Past {
        &mut self.past
    }

    /// The messages in flight.
    pub fn flights(&self) -> &Flights {
        &self.flights
    }

    /// The same, to ask which of them have not come.
    pub fn flights_mut(&mut self) -> &mut Flights {
        &mut self.flights
    }

    /// How many messages are in flight.
    pub fn in_flight(&self) -> usize {
        self.flights.count()
    }
}

fn sends(effects: &[EffectText]) -> impl Iterator<Item = MessageId> {
    effects.iter().filter_map(|effect| if let EffectText::Send { id, .. } = effect { Some(*id) } else { None })
}
