//! The world around a node's driver: host, watchers, sockets, store, clock.
//!
//! Invariant: a record goes to the host and to the watchers alike, and nothing here waits.

use std::io;

use crate::link::Original;
use crate::node::attach::Observers;
use crate::node::clock::{LabClock, Stamp, monotonic};
use crate::node::driver::{Surroundings, message_id};
use crate::node::hold::Armed;
use crate::node::reports::Channel;
use crate::node::sockets::Sockets;
use crate::node::store::{Store, StoreError};
use crate::node::wire::{Via, Wire};
use crate::protocol::{Delivery, Incarnation, NodeId};
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
    pub(super) armed: Armed,
    /// What happened before the lab's clock was known, by the machine's.
    early: Vec<(u64, Body)>,
    delivery: Delivery,
    incarnation: Incarnation,
    /// Ordered broadcasts of this node that have not come back to it.
    own: Vec<(Original, Vec<u8>)>,
}

/// What a node is to everybody around it.
pub(super) struct Identity {
    pub(super) me: NodeId,
    pub(super) incarnation: Incarnation,
    pub(super) delivery: Delivery,
}

impl Outside {
    /// Nothing has happened yet.
    pub(super) fn new(
        Identity { me, incarnation, delivery }: Identity,
        channel: Channel,
        observers: Observers,
        sockets: Sockets,
        store: Store,
        wire: Wire,
        clock: LabClock,
    ) -> Outside {
        let (armed, early, own) = (Armed::default(), Vec::new(), Vec::new());
        Outside { me, channel, observers, sockets, store, wire, clock, armed, early, delivery, incarnation, own }
    }

    pub(super) fn answer(&mut self, report: Report) {
        self.channel.answer(self.clock.now(), &report);
    }

    /// The ordered broadcasts that this node has sent since this was last asked.
    pub(super) fn take_own(&mut self) -> Vec<(Original, Vec<u8>)> {
        std::mem::take(&mut self.own)
    }

    /// Sends a copy of somebody's ordered broadcast on to all.
    pub(super) fn relay(&mut self, now: Stamp, original: &Original, body: &[u8]) {
        let datagram = self.wire.seal_copy(self.incarnation, original, body);
        // A relay that does not leave is missing like any datagram that is lost.
        if let Err(error) = self.sockets.send(None, &datagram) {
            let id = message_id(&original.passage(self.me));
            self.record(now, Body::SendFailed { id, error: error.to_string() });
        }
    }

    fn broadcast(&mut self, id: &MessageId, body: &[u8]) -> io::Result<()> {
        if self.delivery != Delivery::OrderedBroadcast {
            let datagram = self.wire.seal(id.incarnation, Via::Multicast, id.sequence, body);
            return self.sockets.send(None, &datagram);
        }
        let MessageId { from, incarnation, sequence, .. } = *id;
        // Stamped when it leaves: what its step took until then, with its record, is not taken from Delta.
        let original = Original { stamp: self.clock.now().lab, from, incarnation, sequence };
        let datagram = self.wire.seal_copy(incarnation, &original, body);
        self.sockets.send(None, &datagram)?;
        // All or nothing holds for the sender too: what did not leave does not come back to it.
        self.own.push((original, body.to_owned()));
        Ok(())
    }

    /// Records what happens beside the machine; before the lab's clock is known it is kept until then.
    pub(super) fn happened(&mut self, body: Body) {
        match self.clock.get() {
            Some(clock) => {
                self.record(clock.stamp(monotonic()), body);
            }
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
    fn record(&mut self, stamp: Stamp, body: Body) -> bool {
        let record = stamp.record(Some(self.me), body);
        let is_out = self.channel.record(stamp, &record);
        self.observers.publish(record);
        is_out
    }

    fn send(&mut self, id: &MessageId, body: &[u8]) -> io::Result<()> {
        let Some(to) = id.to else { return self.broadcast(id, body) };
        let datagram = self.wire.seal(id.incarnation, Via::Unicast, id.sequence, body);
        self.sockets.send(Some(self.wire.address(to)), &datagram)
    }

    fn save(&mut self, saved: &[u8]) -> Result<(), StoreError> {
        self.store.save(saved)
    }

    fn armed(&mut self) -> &mut Armed {
        &mut self.armed
    }

    fn become_held(&mut self, by: &str) {
        self.answer(Report::Held { step: by.to_owned() });
    }
}
