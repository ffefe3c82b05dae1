//! What a liar can make of the messages of the textbook's Bully and of the ring.
//!
//! Invariant: a receipt tells nothing, so nothing is made of it.

use crate::king_ni::ElectionNumber;
use crate::textbook::{bully, ring};
use protocol::{CallNumber, Claimant, Deceit, Incarnation, NodeId, Roster};

impl Deceit for bully::Message {
    fn value(&self) -> Option<i64> {
        match self {
            bully::Message::Reply { coordinator: Some(coordinator), .. } => Some(i64::from(coordinator.get())),
            _ => None,
        }
    }

    fn with_value(self, value: i64, roster: Roster) -> Self {
        match self {
            bully::Message::Reply { call, .. } => {
                bully::Message::Reply { call, coordinator: Some(node_of(value, roster)) }
            }
            other => other,
        }
    }

    fn claims(_: &Claimant) -> Vec<Self> {
        vec![bully::Message::Coordinator]
    }
}

impl Deceit for ring::Message {
    /// The process whose number goes round, or the coordinator that is named.
    fn value(&self) -> Option<i64> {
        match self {
            ring::Message::HandOver { load: ring::RingPayload::Elect { of, .. }, .. } => Some(i64::from(of.get())),
            ring::Message::HandOver { load: ring::RingPayload::Reply { coordinator, .. }, .. } => {
                Some(i64::from(coordinator.get()))
            }
            _ => None,
        }
    }

    fn with_value(self, value: i64, roster: Roster) -> Self {
        let named = node_of(value, roster);
        match self {
            ring::Message::HandOver { load, hand_over } => {
                let load = match load {
                    ring::RingPayload::Elect { election, incarnation, .. } => {
                        ring::RingPayload::Elect { election, of: named, incarnation }
                    }
                    ring::RingPayload::Reply { of, call, election, hops, .. } => {
                        ring::RingPayload::Reply { of, call, coordinator: named, election, hops }
                    }
                    inquiry @ ring::RingPayload::Inquiry { .. } => inquiry,
                };
                ring::Message::HandOver { load, hand_over }
            }
            receipt @ ring::Message::Receipt { .. } => receipt,
        }
    }

    fn number(&self) -> Option<u64> {
        match self {
            ring::Message::HandOver {
                load:
                    ring::RingPayload::Elect { election, .. }
                    | ring::RingPayload::Inquiry { election, .. }
                    | ring::RingPayload::Reply { election, .. },
                ..
            } => Some(election.0),
            ring::Message::Receipt { .. } => None,
        }
    }

    /// To each process a reply to an inquiry of its own: the claimant coordinates.
    fn claims(claimant: &Claimant) -> Vec<Self> {
        let Claimant { node, incarnation, number, claims, .. } = *claimant;
        let load = ring::RingPayload::Elect { election: ElectionNumber(number), of: node, incarnation };
        vec![ring::Message::HandOver { load, hand_over: hand_over(incarnation, claims) }]
    }

    fn opening(number: u64, _: i64) -> Option<Self> {
        let incarnation = Incarnation(1);
        let load = ring::RingPayload::Elect { election: ElectionNumber(number), of: NodeId::new(1)?, incarnation };
        Some(ring::Message::HandOver { load, hand_over: hand_over(incarnation, number as u32) })
    }
}

/// A number of a hand-over beyond those that the machine gives out.
fn hand_over(incarnation: Incarnation, count: u32) -> CallNumber {
    CallNumber { incarnation, serial: (1 << 30) + count }
}

/// The node that a value stands for.
pub(super) fn node_of(value: i64, roster: Roster) -> NodeId {
    let place = value.unsigned_abs() % u64::from(roster.len()) + 1;
    NodeId::new(place as u16).expect("a place of the roster, from 1")
}
