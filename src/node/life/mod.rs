//! A node between `ready` and its end, turn by turn.
//!
//! A turn: the node takes the datagrams that have come (at most 256, half of them of the group) from the sockets. Then
//! the control packets that have come take effect, then the datagrams pass the link and reach the machine, then come
//! the timers that were due when the turn began and, among them at their moments, the ordered broadcasts. Control is
//! read after the sockets and before their datagrams are judged. So faults that were ordered while the process was
//! stopped are in force for every datagram that it reads afterwards, wherever in a turn it was stopped; and a timer
//! that fell due meanwhile waits for the next turn, behind the answers in the buffer.
//!
//! A node that is held at a protocol moment hears its host and does nothing else: what it has read waits in its inbox,
//! and the rest in the sockets, until it goes on. An order waits too; it is acknowledged, because the node carries it
//! out before anything else when it goes on.
//!
//! Invariant: a turn never waits; of a foreign datagram only its kind is counted, and no fault throws dice for it.

mod environment;
#[cfg(test)]
mod tests;

use std::collections::VecDeque;
use std::net::SocketAddrV4;

use environment::{Identity, NodeEnvironment};

use super::attach::Observers;
use super::clock::{LabClock, monotonic};
use super::drop_counts::DropTally;
use super::host_channel::{FromHost, HostChannel};
use super::replay::ReplayGuard;
use super::sockets::{Arrived, Sockets};
use super::stderr::complain;
use super::store::{Found, Store, StoreError};
use super::wire::{OpenedDatagram, RECEIVE_BYTES, Via, Wire, flip_sealed_bit};
use driver::{Environment, Participant, Stamp};
use fault::{ClockFault, CourierRefusal, LinkFault};
use protocol::{Delivery, MachineKind, Order, SavedCells, Setup};
use record::{Body, Control, Refusal, Report, SpeedFile};

/// The most datagrams of one turn.
const DATAGRAMS_MAX: usize = 256;

/// What a node has opened when it is ready.
pub struct OpenedNode {
    /// The kind of its machine.
    pub kind: MachineKind,
    /// The seed of dice and draws.
    pub seed: u64,
    /// What the machine will be told.
    pub setup: Setup,
    /// What the safe cells hold.
    pub saved: Option<SavedCells>,
    /// How the store was found.
    pub found: Found,
    /// What was found changed in the safe cells, and what a fault has taken of them, as records.
    pub lost: Vec<Body>,
    /// The link faults in force.
    pub faults: Vec<LinkFault>,
    /// The rate of its clock, if that is not the lab's.
    pub clock_fault: Option<ClockFault>,
    /// The datagrams that earlier processes had.
    pub seen: ReplayGuard,
    pub wire: Wire,
    pub store: Store,
    pub sockets: Sockets,
    /// The watchers.
    pub observers: Observers,
    /// The lab's clock, which the host will set.
    pub clock: LabClock,
    /// The speeds of lab time.
    pub speeds: SpeedFile,
}

/// A node that is ready or runs.
pub struct NodeLoop {
    stage: LifeStage,
    /// The orders that wait for the machine, each with its version until that is acknowledged.
    orders: VecDeque<(Option<u64>, Order)>,
    /// Read, and not yet judged.
    inbox: VecDeque<Inbound>,
    seen: ReplayGuard,
    speeds: SpeedFile,
    tally: DropTally,
    buffer: Box<[u8; RECEIVE_BYTES]>,
    outside: NodeEnvironment,
}

/// What happens after a turn.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
pub enum Turn {
    /// Wait until something comes or is due.
    Wait,
    /// There is more to do.
    Again,
    /// The host is gone, and the node must end.
    HostGone,
}

/// A datagram as it was received.
struct Inbound {
    bytes: Vec<u8>,
    via: Via,
    source: SocketAddrV4,
}

enum LifeStage {
    /// Waits for the host to name the moment, or for the moment.
    Ready {
        setup: Setup,
        seed: u64,
        saved: Option<SavedCells>,
        faults: Vec<LinkFault>,
        clock: Option<ClockFault>,
        start: Option<u64>,
    },
    /// The machine runs.
    Runs(Box<Participant>),
}

/// When the machine was started.
enum Start {
    NotYet,
    Now,
    Before,
}

impl NodeLoop {
    /// Tells the host that the node is ready.
    pub fn new(channel: HostChannel, opened: OpenedNode) -> NodeLoop {
        let OpenedNode {
            kind,
            seed,
            setup,
            saved,
            found,
            lost,
            faults,
            clock_fault,
            seen,
            wire,
            store,
            sockets,
            observers,
            clock,
            speeds,
        } = opened;
        let (me, incarnation) = (setup.me, setup.incarnation);
        let identity = Identity { kind, me, incarnation };
        let mut outside = NodeEnvironment::new(identity, channel, observers, sockets, store, wire, clock);
        lost.into_iter().for_each(|lost| outside.happened(lost));
        outside.happened(Body::Ready { incarnation });
        if found == Found::Spoiled {
            let text = "one of the two copies of the safe cells cannot be read; the node uses the other one, and a \
                        save may be lost (assumption 4)";
            outside.happened(Body::Note { text: text.to_owned() });
        }
        outside.channel.answer(Stamp::default(), &Report::Ready { incarnation });
        NodeLoop {
            stage: LifeStage::Ready { setup, seed, saved, faults, clock: clock_fault, start: None },
            orders: VecDeque::new(),
            inbox: VecDeque::new(),
            seen,
            speeds,
            tally: DropTally::default(),
            buffer: Box::new([0; RECEIVE_BYTES]),
            outside,
        }
    }

    /// The channel to the host, to wait on.
    pub fn channel(&self) -> &HostChannel {
        &self.outside.channel
    }

    /// The sockets, to wait on.
    pub fn sockets(&self) -> &Sockets {
        &self.outside.sockets
    }

    /// The watchers, to be served.
    pub fn observers(&self) -> Observers {
        self.outside.observers.clone()
    }

    /// The reading of CLOCK_MONOTONIC at which a turn is due, whatever comes.
    pub fn next_wake(&self) -> Option<u64> {
        match (&self.stage, self.outside.clock.get()) {
            (LifeStage::Ready { start, .. }, _) => *start,
            // It waits for its host alone.
            (LifeStage::Runs(participant), _) if participant.is_held() => None,
            (LifeStage::Runs(participant), Some(clock)) => {
                let due = [participant.next_due(), self.tally.next_due()];
                due.into_iter().flatten().min().map(|lab| clock.reading(lab))
            }
            (LifeStage::Runs(_), None) => None,
        }
    }

    /// One turn.
    ///
    /// # Errors
    /// The safe cells could not be written: the node is to end. The host has been told.
    pub fn turn(&mut self) -> Result<Turn, StoreError> {
        let turn = self.take_turn();
        if let Err(error) = &turn {
            self.outside.happened(Body::Note { text: format!("{error}; the node ends") });
        }
        turn
    }

    fn take_turn(&mut self) -> Result<Turn, StoreError> {
        let began = monotonic();
        // Before its start, and while it is held, a node reads nothing: what comes then waits in the socket's buffer.
        let was_held = self.is_held();
        let mut after = match &self.stage {
            LifeStage::Runs(_) if !was_held => self.receive(),
            LifeStage::Runs(_) | LifeStage::Ready { .. } => Turn::Wait,
        };
        if !self.hear()? {
            return Ok(Turn::HostGone);
        }
        if was_held {
            self.acknowledge_waiting();
            self.outside.channel.flush(self.outside.clock.now());
            // What came meanwhile was announced when nobody read, and it goes before the overdue timers.
            return Ok(if self.is_held() { Turn::Wait } else { Turn::Again });
        }
        let Some(clock) = self.outside.clock.get().cloned() else { return Ok(Turn::Wait) };
        match self.start_if_due(began)? {
            Start::NotYet => return Ok(Turn::Wait),
            // What has come meanwhile was announced before anybody read.
            Start::Now => after = Turn::Again,
            Start::Before => {}
        }
        self.obey()?;
        self.pass()?;
        if let LifeStage::Runs(participant) = &mut self.stage {
            participant.ring(clock.stamp(began).lab(), &mut self.outside)?;
        }
        let now = clock.stamp(monotonic());
        if !self.is_held() {
            for body in self.tally.take_due(now.lab()) {
                self.outside.record(now, body);
            }
        }
        self.outside.channel.flush(now);
        Ok(after)
    }

    /// Takes what has come, a share of each channel. A datagram is read here and judged later. Returns whether more may
    /// be waiting.
    /// be waiting.
    fn receive(&mut self) -> Turn {
        let group = match self.outside.kind.card().delivery {
            Delivery::OrderedBroadcast => Via::Ordered,
            Delivery::InOrder | Delivery::AsItComes => Via::Multicast,
        };
        let emptied = [Via::Unicast, group].map(|via| self.receive_share(via));
        self.tally.overflowed(self.outside.sockets.take_overflow());
        if let LifeStage::Runs(participant) = &mut self.stage {
            self.tally.overflowed(participant.take_overflow());
        }
        if emptied == [true, true] { Turn::Wait } else { Turn::Again }
    }

    /// True if the channel was read until there was nothing more.
    fn receive_share(&mut self, via: Via) -> bool {
        for _ in 0..DATAGRAMS_MAX / 2 {
            match self.outside.sockets.receive(via, &mut self.buffer) {
                Ok(None) => return true,
                Ok(Some(Arrived { bytes, source })) => {
                    self.inbox.push_back(Inbound { bytes: self.buffer[..bytes].to_vec(), via, source });
                }
                // An error of one receive says nothing of the next datagram.
                Err(_) => {}
            }
        }
        false
    }

    /// Carries out the host's messages, except orders, which wait for the machine. False if the host is gone.
    fn hear(&mut self) -> Result<bool, StoreError> {
        loop {
            match self.outside.channel.hear() {
                FromHost::Nothing => return Ok(true),
                FromHost::Gone => return Ok(false),
                FromHost::Unreadable(why) => {
                    complain(format_args!("node {}: a control packet cannot be read: {why}", self.outside.me))
                }
                FromHost::Control(Control::Plan(_)) => {
                    complain(format_args!("node {}: a second plan is ignored", self.outside.me))
                }
                FromHost::Control(Control::Begin { at, epoch }) => {
                    if let LifeStage::Ready { start, .. } = &mut self.stage {
                        *start = Some(at);
                        self.outside.begin(epoch, self.speeds.clone());
                    }
                }
                FromHost::Control(Control::Faults { version, faults }) => {
                    match &mut self.stage {
                        LifeStage::Ready { faults: before, .. } => *before = faults,
                        LifeStage::Runs(participant) => participant.set_faults(faults, &mut self.outside),
                    }
                    self.outside.answer(Report::Acknowledged { version });
                }
                FromHost::Control(Control::Courier { version, act }) => {
                    let done = match &mut self.stage {
                        // Nothing is held before the machine starts.
                        LifeStage::Ready { .. } => Err(CourierRefusal::NotThere),
                        LifeStage::Runs(participant) => participant.act(&act, &mut self.outside),
                    };
                    self.outside.answer(match done {
                        Ok(()) => Report::Acknowledged { version },
                        Err(why) => Report::Refused { version, why },
                    });
                }
                FromHost::Control(Control::Clock { version, clock }) => {
                    match &mut self.stage {
                        LifeStage::Ready { clock: before, .. } => *before = clock,
                        LifeStage::Runs(participant) => participant.set_clock(clock, &mut self.outside),
                    }
                    self.outside.answer(Report::Acknowledged { version });
                }
                // What it waits for is reckoned by the table each time that it waits.
                FromHost::Control(Control::Speed { version }) => self.outside.answer(Report::Acknowledged { version }),
                FromHost::Control(Control::Order { version, order }) => self.orders.push_back((Some(version), order)),
                FromHost::Control(Control::Arm { step, moment }) => self.outside.armed.arm(step, moment),
                FromHost::Control(Control::Reach { step }) => {
                    if let LifeStage::Runs(participant) = &mut self.stage {
                        participant.reach_hold(&step, &mut self.outside)?;
                    }
                }
                FromHost::Control(Control::Disarm { step }) => {
                    self.outside.armed.disarm(&step);
                    if let LifeStage::Runs(participant) = &mut self.stage {
                        participant.go_on(&step, &mut self.outside)?;
                    }
                }
            }
        }
    }

    /// Starts the machine if its moment has come.
    fn start_if_due(&mut self, reading: u64) -> Result<Start, StoreError> {
        let LifeStage::Ready { setup, seed, saved, faults, clock, start } = &mut self.stage else {
            return Ok(Start::Before);
        };
        if start.is_none_or(|start| start > reading) {
            return Ok(Start::NotYet);
        }
        let faults = std::mem::take(faults);
        let participant = Participant::start(
            self.outside.kind,
            setup.clone(),
            *seed,
            saved.take(),
            faults,
            *clock,
            &mut self.outside,
        )?;
        self.stage = LifeStage::Runs(Box::new(participant));
        Ok(Start::Now)
    }

    fn obey(&mut self) -> Result<(), StoreError> {
        let LifeStage::Runs(participant) = &mut self.stage else { return Ok(()) };
        while !participant.is_held()
            && let Some((version, order)) = self.orders.pop_front()
        {
            participant.order(order, &mut self.outside)?;
            if let Some(version) = version {
                self.outside.answer(Report::Acknowledged { version });
            }
        }
        self.acknowledge_waiting();
        Ok(())
    }

    /// Acknowledges the orders for which a held node waits with everything else.
    fn acknowledge_waiting(&mut self) {
        if self.is_held() {
            for version in self.orders.iter_mut().filter_map(|(version, _)| version.take()) {
                self.outside.answer(Report::Acknowledged { version });
            }
        }
    }

    /// Lets the read datagrams pass the link, and gives the machine what comes through.
    fn pass(&mut self) -> Result<(), StoreError> {
        let LifeStage::Runs(participant) = &mut self.stage else { return Ok(()) };
        while !participant.is_held()
            && let Some(Inbound { mut bytes, via, source }) = self.inbox.pop_front()
        {
            match self.outside.open(&bytes, via, source) {
                Err(reason) => self.tally.refused(reason),
                Ok(OpenedDatagram { passage, original, .. }) if !self.seen.admits(&passage, original.as_ref()) => {
                    self.tally.refused(Refusal::Replayed);
                }
                Ok(OpenedDatagram { passage, original, message }) => {
                    if let Some((_, place)) = participant.spoils(&passage) {
                        flip_sealed_bit(&mut bytes, place);
                        let opened = self.outside.open(&bytes, via, source);
                        assert!(matches!(opened, Err(Refusal::WrongTag)), "a spoiled datagram passed its tag");
                    }
                    // A datagram does not say when it left. On loopback that was just now.
                    let sent = self.outside.now().lab();
                    participant.arrive(sent, passage, original, message, &mut self.outside)?;
                }
            }
        }
        participant.deliver(&mut self.outside)
    }

    fn is_held(&self) -> bool {
        matches!(&self.stage, LifeStage::Runs(participant) if participant.is_held())
    }
}
