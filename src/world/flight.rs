//! Messages in flight: what each carries of its sender's past, until every receiver has had it or never will.
//!
//! A message may take long: a fault holds it back, it waits in the buffer of a stopped process, or its sender was
//! stopped between its record and its sending. So time alone drops no message while its receiver runs. A dead process's
//! messages are dropped with it, except those that may still arrive after its next start: they left shortly before it,
//! or may not have left by then. A message has left when its sender takes another step.
//!
//! A message may also never come, and no record tells it: the kernel lost it. [`Flights::take_overdue`] returns the
//! messages whose time is over, and [`Flights::overtaken`] those that a later message of their channel has passed. What a
//! process sent in its last step may not have left, and is never among them.
//!
//! Invariant: a message's past is kept until all its receivers have received it, dropped it or died; a channel keeps at
//! most [`CHANNEL_MAX`] messages, and any further message is not matched later, but never matched wrongly. A message is
//! overdue or overtaken at a receiver once.

use std::collections::VecDeque;

use super::moment::{CausalMoment, index};
use protocol::{Incarnation, NodeId, NodeSet, Roster};
use record::MessageId;

/// The most messages that one channel keeps. A kernel buffer holds about as many, and keeps the oldest, as this does.
const CHANNEL_MAX: usize = 4096;
/// A message this many numbers behind one that was received on its channel will not come any more, unless it is held. It
/// may never have left: its sender died in the step that was to send it.
const BEHIND_MAX: u64 = 1024;

/// From so many nodes on, an empty channel gives its room back: there are as many channels as pairs of nodes.
const LARGE: u16 = 64;

/// All messages in flight, by channel.
#[derive(Clone, Debug)]
pub struct Flights {
    roster: Roster,
    /// How long after it left a message may arrive, if nothing holds it back, in nanoseconds.
    arrives_within: i64,
    /// By sender: what its latest step sends, which may not have left yet.
    leaving: Vec<Vec<MessageId>>,
    /// The messages that have left, and by when, oldest first, until they are overdue.
    left: VecDeque<(i64, MessageId)>,
    /// The receivers without a process.
    dead: NodeSet,
    /// By sender, then by receiver, the multicast before all receivers. A sender has none before it sends.
    channels: Vec<Vec<VecDeque<Flight>>>,
}

#[derive(Clone, Debug)]
struct Flight {
    number: (Incarnation, u64),
    sending: Sending,
    /// By when it had left, if that is known.
    left_by: Option<i64>,
    waiting: NodeSet,
    /// The receivers where a fault holds it back.
    held: NodeSet,
    /// Receivers where it was doubled: each entry expects one more delivery.
    doubled: Vec<NodeId>,
    /// Whether its time is over.
    is_overdue: bool,
    /// The receivers where it is settled why it has not come: a later message of its channel came first, or faults kept
    /// every copy back.
    settled: NodeSet,
}

/// The sending of a message: its moment, and its step in the sender's past.
#[derive(Clone, Debug)]
pub struct Sending {
    /// When its sender took the step, by the order of causes.
    pub moment: CausalMoment,
    /// The stamp in nanoseconds since the lab began; absent while it may still wait behind a hold.
    pub at: Option<i64>,
    /// The stamp of the step: it was not sent before.
    pub since: i64,
    /// The number of the step among its sender's.
    pub step: u64,
}

/// A message that has left, and that some receivers have not had.
#[derive(Clone, Debug)]
pub struct AwaitedMessage {
    /// Which message it is.
    pub id: MessageId,
    /// When it was sent, in nanoseconds since the lab began: if nothing stopped its sender, it left then.
    pub sent: i64,
    /// Had not left before this stamp.
    pub left_from: i64,
    /// Had left by this stamp.
    pub left_by: i64,
    /// Those that have not had it yet.
    pub receivers: NodeSet,
}

/// What happened to a datagram at a receiver.
#[derive(Clone, Debug)]
pub enum DatagramEnd {
    /// This receiver had not dealt with it before.
    First(Sending),
    /// A copy of one that was dealt with.
    Again(Sending),
    /// The sending is not known.
    Unmatched,
}

impl Flights {
    /// None yet; a message takes no longer than this one way, in nanoseconds, unless something holds it back.
    pub fn new(roster: Roster, one_way_bound: i64) -> Flights {
        let arrives_within = one_way_bound.saturating_mul(2);
        let nodes = usize::from(roster.len());
        let (leaving, channels) = (vec![Vec::new(); nodes], vec![Vec::new(); nodes]);
        Flights { roster, arrives_within, leaving, left: VecDeque::new(), dead: NodeSet::EMPTY, channels }
    }

    fn channel(&mut self, id: MessageId) -> Option<&mut VecDeque<Flight>> {
        self.channels.get_mut(index(id.from))?.get_mut(place_of(id.to))
    }

    fn flight(&mut self, id: MessageId) -> Option<&mut Flight> {
        let channel = self.channel(id)?;
        let place = channel.binary_search_by_key(&(id.incarnation, id.sequence), |flight| flight.number).ok()?;
        channel.get_mut(place)
    }

    /// The node takes another step: the messages of its last step have left.
    pub fn leave(&mut self, sender: NodeId, at: i64) {
        for id in self.end_leaving(sender, at) {
            self.left.push_back((at, id));
        }
    }

    /// The sender's process dies: the messages of its last step have left, or never will.
    pub fn sender_died(&mut self, sender: NodeId, at: i64) {
        self.end_leaving(sender, at);
    }

    fn end_leaving(&mut self, sender: NodeId, at: i64) -> Vec<MessageId> {
        let leaving = std::mem::take(&mut self.leaving[index(sender)]);
        for id in &leaving {
            if let Some(flight) = self.flight(*id) {
                flight.left_by = Some(at);
                flight.sending.at.get_or_insert(at);
            }
        }
        leaving
    }

    /// A message was sent.
    pub fn send(&mut self, id: MessageId, sending: Sending) {
        let waiting = id.to.map_or_else(|| self.roster.others(id.from), NodeSet::of);
        let Some(channels) = self.channels.get_mut(index(id.from)) else { return };
        if channels.is_empty() {
            channels.resize(usize::from(self.roster.len()) + 1, VecDeque::new());
        }
        let Some(channel) = channels.get_mut(place_of(id.to)) else { return };
        if channel.len() >= CHANNEL_MAX {
            // Of the messages to a dead process only the newest may still arrive, at its next start.
            if !waiting.minus(&self.dead).is_empty() {
                return;
            }
            channel.pop_front();
        }
        if waiting.is_empty() {
            return;
        }
        let number = (id.incarnation, id.sequence);
        let place = channel.partition_point(|flight| flight.number < number);
        let flight = Flight {
            number,
            sending,
            left_by: None,
            waiting,
            held: NodeSet::EMPTY,
            doubled: Vec::new(),
            is_overdue: false,
            settled: NodeSet::EMPTY,
        };
        if channel.capacity() == 0 {
            // Most channels never hold more than one.
            channel.reserve_exact(1);
        }
        channel.insert(place, flight);
        self.leaving[index(id.from)].push(id);
    }

    /// A receiver has received or dropped it.
    pub fn arrive(&mut self, id: MessageId, receiver: NodeId) -> DatagramEnd {
        let is_large = self.roster.len() > LARGE;
        let Some(channel) = self.channel(id) else { return DatagramEnd::Unmatched };
        let number = (id.incarnation, id.sequence);
        let is_behind = |flight: &Flight| {
            let (incarnation, sequence) = flight.number;
            // The messages of an earlier process of the sender came before all of this one's.
            let before = if incarnation < number.0 { 0 } else { sequence };
            before + BEHIND_MAX < number.1 && flight.held.is_empty()
        };
        while channel.front().is_some_and(is_behind) {
            channel.pop_front();
        }
        let Ok(place) = channel.binary_search_by_key(&number, |flight| flight.number) else {
            return DatagramEnd::Unmatched;
        };
        let flight = &mut channel[place];
        flight.held.remove(receiver);
        let is_first = flight.waiting.remove(receiver);
        if !is_first && let Some(copy) = flight.doubled.iter().position(|node| *node == receiver) {
            flight.doubled.swap_remove(copy);
        }
        let sending = if flight.waiting.is_empty() && flight.doubled.is_empty() {
            let sending = channel.remove(place).map(|flight| flight.sending);
            if channel.is_empty() && is_large {
                *channel = VecDeque::new();
            }
            sending
        } else {
            Some(flight.sending.clone())
        };
        match sending {
            Some(sending) if is_first => DatagramEnd::First(sending),
            Some(sending) => DatagramEnd::Again(sending),
            None => DatagramEnd::Unmatched,
        }
    }

    /// The messages that had left by that stamp and that some receiver still has not had, nor does a fault hold them
    /// back there. Each is returned once.
    pub fn take_overdue(&mut self, left_by: i64) -> Vec<AwaitedMessage> {
        let mut overdue = Vec::new();
        while let Some((left, id)) = self.left.front().copied().filter(|(left, _)| *left <= left_by) {
            self.left.pop_front();
            let Some(flight) = self.flight(id) else { continue };
            flight.is_overdue = true;
            let receivers = flight.waiting.minus(&flight.held).minus(&flight.settled);
            let left_from = flight.sending.since;
            if !receivers.is_empty() {
                let sent = flight.sending.at.unwrap_or(left);
                overdue.push(AwaitedMessage { id, sent, left_from, left_by: left, receivers });
            }
        }
        overdue
    }

    /// Is settled why this receiver has not had it; it may still come.
    pub fn settle(&mut self, id: MessageId, receiver: NodeId) {
        if let Some(flight) = self.flight(id) {
            flight.settled.insert(receiver);
        }
    }

    /// The messages that have left and are not overdue yet, and that some receiver still has not had, as in
    /// [`Flights::take_overdue`].
    pub fn on_their_way(&self) -> impl Iterator<Item = AwaitedMessage> {
        self.left.iter().filter_map(|(left, id)| {
            let flight = self.known_flight(*id)?;
            let receivers = flight.waiting.minus(&flight.held).minus(&flight.settled);
            let (sent, left_from) = (flight.sending.at.unwrap_or(*left), flight.sending.since);
            Some(AwaitedMessage { id: *id, sent, left_from, left_by: *left, receivers })
        })
    }

    /// Whether this receiver has not had the message yet, no fault holds it back there, and why is not settled.
    pub fn is_awaited(&self, id: MessageId, receiver: NodeId) -> bool {
        self.known_flight(id).is_some_and(|flight| flight.is_awaited_by(receiver))
    }

    fn known_flight(&self, id: MessageId) -> Option<&Flight> {
        let channel = self.channels.get(index(id.from))?.get(place_of(id.to))?;
        let place = channel.binary_search_by_key(&(id.incarnation, id.sequence), |flight| flight.number).ok()?;
        channel.get(place)
    }

    /// The earlier messages of the same process on the same channel that this receiver, which has just had a later one,
    /// has not had, if they are not overdue yet. Each is returned once.
    pub fn overtaken(&mut self, later: MessageId, receiver: NodeId) -> Vec<AwaitedMessage> {
        let Some(channel) = self.channel(later) else { return Vec::new() };
        let end = channel.partition_point(|flight| flight.number < (later.incarnation, later.sequence));
        let earlier = channel.range_mut(..end).rev();
        let same = earlier.take_while(|flight| {
            let is_news = !flight.is_overdue && !flight.settled.contains(receiver);
            flight.number.0 == later.incarnation && is_news
        });
        let mut overtaken = Vec::new();
        for flight in same.filter(|flight| flight.is_awaited_by(receiver)) {
            let Some(left_by) = flight.left_by else { continue };
            flight.settled.insert(receiver);
            let id = MessageId { sequence: flight.number.1, ..later };
            let (sent, left_from) = (flight.sending.at.unwrap_or(left_by), flight.sending.since);
            overtaken.push(AwaitedMessage { id, sent, left_from, left_by, receivers: NodeSet::of(receiver) });
        }
        overtaken
    }

    /// Could not be sent, to one receiver or to the group: nobody gets it.
    pub fn was_not_sent(&mut self, id: MessageId) {
        if let Some(channel) = self.channel(id) {
            channel.retain(|flight| flight.number != (id.incarnation, id.sequence));
        }
    }

    /// A fault doubled it at this receiver: it will arrive there once more.
    pub fn double(&mut self, id: MessageId, receiver: NodeId) {
        if let Some(flight) = self.flight(id) {
            flight.doubled.push(receiver);
        }
    }

    /// A fault now holds it back at this receiver. Returns when it was sent, at the latest, if that is known.
    pub fn hold(&mut self, id: MessageId, receiver: NodeId, now: i64) -> Option<i64> {
        let flight = self.flight(id)?;
        flight.held.insert(receiver);
        Some(*flight.sending.at.get_or_insert(now))
    }

    /// When a message in flight was sent, at the latest.
    pub fn sent_at(&mut self, id: MessageId, now: i64) -> Option<i64> {
        self.flight(id).map(|flight| *flight.sending.at.get_or_insert(now))
    }

    /// The receiver's process died at this stamp, and what was held back for it is gone.
    pub fn receiver_died(&mut self, receiver: NodeId, at: i64) {
        self.dead.insert(receiver);
        self.forget_receiver(receiver, at);
    }

    /// The receiver's next process was started at this stamp: it will not get messages that left long before.
    pub fn receiver_started(&mut self, receiver: NodeId, at: i64) {
        self.dead.remove(receiver);
        self.forget_receiver(receiver, at);
    }

    fn forget_receiver(&mut self, receiver: NodeId, at: i64) {
        let up_to = at.saturating_sub(self.arrives_within);
        let multicast = place_of(None);
        for channels in &mut self.channels {
            let concerned = channels.iter_mut().enumerate();
            let concerned = concerned.filter(|(to, _)| *to == multicast || *to == place_of(Some(receiver)));
            for (_, channel) in concerned {
                channel.retain_mut(|flight| {
                    let is_held = flight.held.remove(receiver);
                    if is_held || flight.left_by.is_some_and(|left_by| left_by <= up_to) {
                        flight.waiting.remove(receiver);
                        flight.doubled.retain(|node| *node != receiver);
                    }
                    !flight.waiting.is_empty() || !flight.doubled.is_empty()
                });
            }
        }
    }

    /// How many bytes the counts of turns take that they carry.
    pub fn bytes_of_counts(&self) -> usize {
        let mut seen = std::collections::BTreeSet::new();
        let flights = self.channels.iter().flatten().flatten();
        flights.map(|flight| flight.sending.moment.known.bytes_unseen(&mut seen)).sum()
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.channels.iter().flatten().map(VecDeque::len).sum()
    }
}

impl Flight {
    fn is_awaited_by(&self, receiver: NodeId) -> bool {
        self.waiting.contains(receiver) && !self.held.contains(receiver) && !self.settled.contains(receiver)
    }
}

/// The place of a sender's channel to this receiver, or of its multicast.
pub(super) fn place_of(to: Option<NodeId>) -> usize {
    to.map_or(0, |to| index(to) + 1)
}
