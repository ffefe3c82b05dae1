//! The world around a node's machine: host, watchers, sockets, store, clock.
//!
//! Invariant: a record goes to the host and to the watchers alike, and nothing here waits.

use std::io;
use std::net::SocketAddrV4;

use crate::attach::Observers;
use crate::clock::{LabClock, monotonic};
use crate::host_channel::HostChannel;
use crate::load::LoadMeter;
use crate::sockets::Sockets;
use crate::store::{Store, StoreError};
use crate::wire::{OpenedDatagram, Via, Wire};
use driver::{Armed, Environment, Stamp};
use link::BroadcastId;
use protocol::{Delivery, Incarnation, MachineKind, NodeId, Payload, SavedCells};
use record::{Body, MessageId, Record, Refusal, Report, SpeedFile};

/// The world around the machine.
pub(super) struct NodeEnvironment {
    pub(super) kind: MachineKind,
    pub(super) me: NodeId,
    pub(super) channel: HostChannel,
    pub(super) observers: Observers,
    pub(super) sockets: Sockets,
    pub(super) store: Store,
    pub(super) wire: Wire,
    pub(super) clock: LabClock,
    pub(super) armed: Armed,
    /// Events before the lab's clock was known, by this computer's clock.
    early: Vec<(u64, Body)>,
    load: LoadMeter,
    incarnation: Incarnation,
    /// Ordered broadcasts that have left this node, and that its own layer does not know yet.
    pub(super) own: Vec<(BroadcastId, Payload)>,
}

/// The node, as all others know it.
pub(super) struct Identity {
    pub(super) kind: MachineKind,
    pub(super) me: NodeId,
    pub(super) incarnation: Incarnation,
}

impl NodeEnvironment {
    /// Nothing has happened yet.
    pub(super) fn new(
        Identity { kind, me, incarnation }: Identity,
        channel: HostChannel,
        observers: Observers,
        sockets: Sockets,
        store: Store,
        wire: Wire,
        clock: LabClock,
    ) -> NodeEnvironment {
        let (armed, early, own) = (Armed::default(), Vec::new(), Vec::new());
        let load = LoadMeter::begin();
        NodeEnvironment {
            kind,
            me,
            channel,
            observers,
            sockets,
            store,
            wire,
            clock,
            armed,
            early,
            load,
            incarnation,
            own,
        }
    }

    pub(super) fn answer(&mut self, report: Report) {
        self.channel.answer(self.clock.now(), &report);
    }

    /// The datagram of these bytes, if it is one of this lab and of this kind of machine.
    pub(super) fn open(
        &self,
        bytes: &[u8],
        via: Via,
        source: SocketAddrV4,
    ) -> Result<OpenedDatagram<Payload>, Refusal> {
        self.wire.open(bytes, via, source, |body| self.kind.read_message(body))
    }

    fn broadcast(&mut self, id: &MessageId, message: &Payload) -> io::Result<()> {
        let body = encoded(message);
        if self.kind.card().delivery != Delivery::OrderedBroadcast {
            let datagram = self.wire.seal(id.incarnation, Via::Multicast, id.sequence, &body);
            return self.sockets.send(None, &datagram);
        }
        let MessageId { from, incarnation, sequence, .. } = *id;
        // Stamped when it leaves: the time of its step until then, with its record, is not taken from Delta.
        let original = BroadcastId { stamp: self.clock.now().lab(), from, incarnation, sequence };
        let datagram = self.wire.seal_copy(incarnation, &original, &body);
        self.sockets.send(None, &datagram)?;
        // All or nothing holds for the sender too: a broadcast that did not leave does not come back to it.
        self.own.push((original, message.clone()));
        Ok(())
    }

    /// Records events besides the machine's; before the lab's clock is known it keeps them.
    pub(super) fn happened(&mut self, body: Body) {
        let reading = monotonic();
        match self.clock.get().map(|clock| clock.stamp(reading)) {
            Some(stamp) => {
                self.record(stamp, body);
            }
            None => self.early.push((reading, body)),
        }
    }

    pub(super) fn begin(&mut self, epoch: u64, speeds: SpeedFile) {
        let clock = self.clock.begin(epoch, speeds).clone();
        for (reading, body) in std::mem::take(&mut self.early) {
            self.record(clock.stamp(reading), body);
        }
    }
}

impl Environment for NodeEnvironment {
    type Error = StoreError;

    fn now(&self) -> Stamp {
        self.clock.now()
    }

    fn record(&mut self, stamp: Stamp, body: Body) -> bool {
        let record = stamp.record(Some(self.me), body);
        let wall = self.clock.get().and_then(|clock| clock.other_wall(stamp));
        let record = Record { wall, ..record };
        let is_out = self.channel.record(stamp, &record);
        self.observers.publish(record);
        is_out
    }

    fn send(&mut self, id: &MessageId, message: Payload) -> io::Result<()> {
        let Some(to) = id.to else { return self.broadcast(id, &message) };
        let datagram = self.wire.seal(id.incarnation, Via::Unicast, id.sequence, &encoded(&message));
        self.sockets.send(Some(self.wire.address(to)), &datagram)
    }

    fn relay(&mut self, original: &BroadcastId, message: &Payload) -> io::Result<()> {
        let datagram = self.wire.seal_copy(self.incarnation, original, &encoded(message));
        self.sockets.send(None, &datagram)
    }

    fn take_own(&mut self) -> Vec<(BroadcastId, Payload)> {
        std::mem::take(&mut self.own)
    }

    fn save(&mut self, saved: SavedCells) -> Result<(), StoreError> {
        self.store.save(&saved.encode())
    }

    fn idleness(&mut self) -> i64 {
        self.load.idleness()
    }

    fn armed(&mut self) -> &mut Armed {
        &mut self.armed
    }

    fn become_held(&mut self, by: &str) {
        self.answer(Report::Held { step: by.to_owned() });
    }
}

fn encoded(message: &Payload) -> Vec<u8> {
    message.encode().expect("what a Card's most nodes allow fits a datagram")
}
