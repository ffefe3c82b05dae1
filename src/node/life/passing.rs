//! A datagram's way through a node: wire, link, machine, and the faults that touch its bytes.
//!
//! The link says which datagram a fault spoils or garbles, and where; the codec is here, so the bytes are changed here:
//! `corrupt` changes one bit of what was received, and the tag tells; `garble` changes one bit of a body behind the tag,
//! and the codec tells only what is no message at all.
//!
//! Invariant: every datagram of the lab that does not reach the machine has its record; of a foreign one only its kind
//! is counted, and no fault has its throw about it.

use super::{Datagram, Life, Stage};
use crate::fault::{FaultId, Passage};
use crate::link::{Arrival, Departure};
use crate::node::clock::{Clock, monotonic};
use crate::node::driver::{Surroundings, message_id};
use crate::node::store::StoreError;
use crate::node::wire::{self, Opened};
use crate::protocol::{Algorithm, Described};
use crate::record::{Body, CopyFate, MessageText, Refusal};

impl<A: Algorithm> Life<A> {
    /// Takes a datagram in, as far as the link's queue.
    pub(super) fn arrive(&mut self, datagram: Datagram, clock: Clock) {
        let Datagram { mut bytes, via, source } = datagram;
        let Opened { passage, original, message } = match self.outside.wire.open::<A::Message>(&bytes, via, source) {
            Ok(opened) => opened,
            Err(reason) => return self.tally.refused(reason),
        };
        let now = clock.stamp(monotonic());
        let id = message_id(&original.map_or(passage, |original| original.passage(passage.to)));
        if let Some((by, place)) = self.link.spoils(&passage) {
            wire::flip_sealed_bit(&mut bytes, place);
            let opened = self.outside.wire.open::<A::Message>(&bytes, via, source);
            assert!(matches!(opened, Err(Refusal::WrongTag)), "a spoiled datagram passed its tag");
            let body = match original {
                Some(_) => Body::Copy { id, through: passage.from, by, fate: CopyFate::Spoiled },
                None => Body::Spoiled { id, by, message: Some(in_words(&message)) },
            };
            self.outside.record(now, body);
            return;
        }
        let bite = match self.link.arrive(now.lab, passage, original, message) {
            Arrival::Passes | Arrival::Own => return,
            Arrival::Dropped { by, .. } if original.is_some() => {
                Body::Copy { id, through: passage.from, by, fate: CopyFate::Dropped }
            }
            Arrival::Held { by, span, .. } if original.is_some() => {
                Body::Copy { id, through: passage.from, by, fate: CopyFate::Held(span) }
            }
            Arrival::Dropped { by, payload } => Body::Dropped { id, by, message: Some(in_words(&payload)) },
            Arrival::Held { by, span, payload } => Body::Held { id, by, span, message: Some(in_words(payload)) },
        };
        self.outside.record(now, bite);
    }

    /// Gives the machine what the link lets go.
    pub(super) fn deliver(&mut self, clock: Clock) -> Result<(), StoreError> {
        while !self.is_held() {
            let now = clock.stamp(monotonic());
            let Some(departure) = self.link.depart(now.lab) else { break };
            match departure {
                Departure::Stale(passage) => {
                    self.outside.record(now, Body::Stale { id: message_id(&passage) });
                }
                Departure::Duplicated { passage, by } => {
                    self.outside.record(now, Body::Duplicated { id: message_id(&passage), by });
                }
                Departure::Overtaken { passage, by } => {
                    self.outside.record(now, Body::Reordered { id: message_id(&passage), by });
                }
                Departure::Relay(original, message) => {
                    let body = encoded(&message);
                    self.outside.relay(now, &original, &body);
                }
                Departure::Late(original, span, message) => {
                    let id = message_id(&original.passage(self.outside.me));
                    self.outside.record(now, Body::Late { id, span, message: Some(in_words(&message)) });
                }
                Departure::Deliver(passage, message) => self.give(&passage, message, clock)?,
                Departure::Garble { passage, payload, by, place } => {
                    if let Some(message) = self.garble(&passage, &payload, by, place, clock) {
                        self.give(&passage, message, clock)?;
                    }
                }
            }
        }
        Ok(())
    }

    /// Gives the ordered broadcast what this node has sent by it.
    pub(super) fn take_own_broadcasts(&mut self) {
        for (original, body) in self.outside.take_own() {
            let message = wire::decode_message(&body).expect("it was encoded here, and has one encoding");
            self.link.broadcast(original, message);
        }
    }

    fn give(&mut self, passage: &Passage, message: A::Message, clock: Clock) -> Result<(), StoreError> {
        let Stage::Runs(driver) = &mut self.stage else { return Ok(()) };
        driver.on_message(passage, message, clock.stamp(monotonic()), &mut self.outside)
    }

    /// What one changed bit makes of a message, if that is a message at all.
    fn garble(
        &mut self,
        passage: &Passage,
        message: &A::Message,
        by: FaultId,
        place: f64,
        clock: Clock,
    ) -> Option<A::Message> {
        let was = in_words(message);
        let garbled: Option<A::Message> = wire::garbled(message, place);
        let became = garbled.as_ref().map(in_words);
        let id = message_id(passage);
        self.outside.record(clock.stamp(monotonic()), Body::Garbled { id, by, was, became });
        garbled
    }
}

fn in_words<M: Described + serde::Serialize>(message: &M) -> MessageText {
    wire::message_text(message, &encoded(message))
}

fn encoded<M: serde::Serialize>(message: &M) -> Vec<u8> {
    wire::encode_message(message).expect("it came in a datagram, and has one encoding")
}
