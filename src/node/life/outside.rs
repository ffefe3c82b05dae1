//! The world around a node's driver: host, watchers, sockets, store, clock.
//!
//! Invariant: a record goes to the host and to the watchers alike, and nothing here waits.

use std::io;

use crate::node::attach::Observers;
use crate::node::clock::{LabClock, Stamp, monotonic};
use crate::node::driver::Surroundings;
use crate::node::reports::Channel;
use crate::node::sockets::Sockets;
use crate::node::store::{Store, StoreError};
use crate::node::wire::{Via, Wire};
use crate::protocol::NodeId;
use crate::record::{Body, MessageId, Report};

/// The world around the driver.
pub(super) struct Outside {
    pub(super) me: NodeId,
    pub(super) channel: Channel,
    pub(super) observers: Observers,
    pub(super) sockets: Sockets,
    pub(super) store: Store,
    pub(super) wire: Wire,
    pub(super) clock: LabClock,
    /// What happened before the lab's clock was known, by the machine's.
    early: Vec<(u64, Body)>,
}

impl Outside {
    /// Nothing has happened yet.
    pub(super) fn new(
        me: NodeId,
        channel: Channel,
        observers: Observers,
        sockets: Sockets,
        store: Store,
        wire: Wire,
        clock: LabClock,
    ) -> Outside {
        Outside { me, channel, observers, sockets, store, wire, clock, early: Vec::new() }
    }

    pub(super) fn answer(&mut self, report: Report) {
        self.channel.answer(self.clock.now(), &report);
    }

    /// Records what happens beside the machine; before the lab's clock is known it is kept until then.
    pub(super) fn happened(&mut self, body: Body) {
        match self.clock.get() {
            Some(clock) => self.record(clock.stamp(monotonic()), body),
            None => self.early.push((monotonic(), body)),
        }
    }

    pub(super) fn begin(&mut self, epoch: u64) {
        let clock = self.clock.begin(epoch);
        for (reading, body) in std::mem::take(&mut self.early) {
            self.record(clock.stamp(reading), body);
        }
    }
}

impl Surroundings for Outside {
    fn record(&mut self, stamp: Stamp, body: Body) {
        let record = stamp.record(Some(self.me), body);
        self.channel.record(stamp, &record);
        self.observers.publish(record);
    }

    fn send(&mut self, id: &MessageId, body: &[u8]) -> io::Result<()> {
        let via = if id.to.is_some() { Via::Unicast } else { Via::Multicast };
        let datagram = self.wire.seal(id.incarnation, via, id.sequence, body);
        self.sockets.send(id.to.map(|node| self.wire.address(node)), &datagram)
    }

    fn save(&mut self, saved: &[u8]) -> Result<(), StoreError> {
        self.store.save(saved)
    }
}
