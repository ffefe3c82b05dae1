//! What the tests of drivers have round a machine: a notebook of all that was done, and a clock that stands where the test
//! puts it.

use std::io;

use crate::{Armed, Environment, Stamp};
use fault::Passage;
use link::BroadcastId;
use protocol::{Delivery, Incarnation, NodeId, Payload, SavedCells};
use record::{Body, MessageId};

pub const MS: u64 = 1_000_000;

pub fn node(number: u16) -> NodeId {
    NodeId::new(number).unwrap()
}

/// The way of this datagram of node 2 to node 1.
pub fn passage(sequence: u64) -> Passage {
    Passage { from: node(2), to: node(1), multicast: false, incarnation: Incarnation(1), sequence }
}

/// What was done, in order.
#[derive(Debug, PartialEq)]
pub enum EnvironmentCall {
    Record(Box<Body>),
    Sent(MessageId, Payload),
    Relayed(Payload),
    Saved(SavedCells),
    Held(String),
}

/// What a test's surroundings refuse.
#[derive(Copy, Clone, Eq, PartialEq)]
pub enum Refuses {
    Nothing,
    Records,
    Sends,
    Saves,
}

/// Whether anybody reads what is recorded.
#[derive(Copy, Clone, Eq, PartialEq)]
pub enum Readers {
    Some,
    None,
}

pub struct TestEnvironment {
    pub done: Vec<EnvironmentCall>,
    pub refuses: Refuses,
    pub readers: Readers,
    pub armed: Armed,
    pub delivery: Delivery,
    pub now: u64,
    pub own: Vec<(BroadcastId, Payload)>,
}

impl TestEnvironment {
    pub fn new(delivery: Delivery) -> TestEnvironment {
        let (refuses, readers, armed) = (Refuses::Nothing, Readers::Some, Armed::default());
        TestEnvironment { done: Vec::new(), refuses, readers, armed, delivery, now: 0, own: Vec::new() }
    }

    pub fn records(&self) -> Vec<&Body> {
        self.done
            .iter()
            .filter_map(|done| if let EnvironmentCall::Record(body) = done { Some(&**body) } else { None })
            .collect()
    }

    /// What was sent and relayed.
    pub fn left(&self) -> Vec<&Payload> {
        let left = self.done.iter().filter_map(|done| match done {
            EnvironmentCall::Sent(_, message) | EnvironmentCall::Relayed(message) => Some(message),
            _ => None,
        });
        left.collect()
    }
}

impl Environment for TestEnvironment {
    type Error = &'static str;

    fn now(&self) -> Stamp {
        Stamp::of(self.now)
    }

    fn keeps_records(&self) -> bool {
        self.readers == Readers::Some
    }

    fn record(&mut self, _: Stamp, body: Body) -> bool {
        assert!(self.keeps_records(), "nobody reads {body:?}");
        self.done.push(EnvironmentCall::Record(Box::new(body)));
        self.refuses != Refuses::Records
    }

    fn send(&mut self, id: &MessageId, message: Payload) -> io::Result<()> {
        if self.refuses == Refuses::Sends {
            return Err(io::Error::other("no room"));
        }
        if id.to.is_none() && self.delivery == Delivery::OrderedBroadcast {
            let MessageId { from, incarnation, sequence, .. } = *id;
            self.own.push((BroadcastId { stamp: self.now, from, incarnation, sequence }, message.clone()));
        }
        self.done.push(EnvironmentCall::Sent(*id, message));
        Ok(())
    }

    fn relay(&mut self, _: &BroadcastId, message: &Payload) -> io::Result<()> {
        self.done.push(EnvironmentCall::Relayed(message.clone()));
        Ok(())
    }

    fn take_own(&mut self) -> Vec<(BroadcastId, Payload)> {
        std::mem::take(&mut self.own)
    }

    fn save(&mut self, saved: SavedCells) -> Result<(), &'static str> {
        if self.refuses == Refuses::Saves {
            return Err("the store takes nothing");
        }
        self.done.push(EnvironmentCall::Saved(saved));
        Ok(())
    }

    fn armed(&mut self) -> &mut Armed {
        &mut self.armed
    }

    fn become_held(&mut self, by: &str) {
        self.done.push(EnvironmentCall::Held(by.to_owned()));
    }
}
