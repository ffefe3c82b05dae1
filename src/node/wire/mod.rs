//! The wire: one datagram.
//!
//! A datagram, all numbers in network order:
//!
//! | bytes | what |
//! |---|---|
//! | 4 | magic, `HUST` |
//! | 1 | version, 1 |
//! | 16 | lab id |
//! | 2 | sender |
//! | 4 | sender's incarnation |
//! | 8 | sequence, counted from 1 for each receiver, and for the multicast apart |
//! | 1 | channel: 0 unicast, 1 multicast, 2 multicast by the ordered broadcast |
//! | 1 | the algorithm's wire number |
//! | rest | body, bincode |
//! | 16 | tag: blake3 keyed with the lab's key over all bytes before it |
//!
//! On channel 2 the body begins with the broadcast that the datagram is a copy of: its stamp in nanoseconds of lab time
//! (8), its sender (2), the sender's incarnation (4), its sequence (8). In a direct copy the header names the same
//! sender and sequence; in a relay it names the relayer, with the number that [`BroadcastId::relay_number`] makes.
//!
//! Invariant: a body that does not decode exactly is refused: each message has one encoding, and everything before the
//! tag is authenticated as it was received. No length allocates memory before it was checked.

#[cfg(test)]
mod tests;

use std::net::{Ipv4Addr, SocketAddrV4};

use fault::Passage;
use link::BroadcastId;
use protocol::codec::{BODY_BYTES_MAX, bytes_of, flip_bit};
use protocol::{Incarnation, NodeId};
use record::Refusal;

/// The longest datagram.
pub const DATAGRAM_BYTES_MAX: usize = 1_200;
/// The least size of a receive buffer, so that a datagram that is too long is told from the longest allowed one.
pub const RECEIVE_BYTES: usize = DATAGRAM_BYTES_MAX + 1;

const MAGIC: [u8; 4] = *b"HUST";
const VERSION: u8 = 1;
const HEADER_BYTES: usize = 4 + 1 + 16 + 2 + 4 + 8 + 1 + 1;
const TAG_BYTES: usize = 16;
/// The bytes before the message in a copy of an ordered broadcast.
const ORIGINAL_BYTES: usize = 8 + 2 + 4 + 8;
// The ordered broadcast's own bytes are always kept free for it.
const _: () = assert!(BODY_BYTES_MAX == DATAGRAM_BYTES_MAX - HEADER_BYTES - ORIGINAL_BYTES - TAG_BYTES);

/// The common data of all datagrams of one lab, as one node sees it.
#[derive(Clone, Debug)]
pub struct Wire {
    lab_id: [u8; 16],
    key: [u8; 32],
    base_port: u16,
    nodes: u16,
    algorithm: u8,
    me: NodeId,
}

impl Wire {
    /// The wire of this node in this lab. `lab_id` and `key` are hex, 32 and 64 digits; `None` if they are not.
    /// Node N is 127.0.0.1:`base_port`+N, and there are `nodes` of them.
    pub fn new(lab_id: &str, key: &str, base_port: u16, nodes: u16, algorithm: u8, me: NodeId) -> Option<Wire> {
        Some(Wire { lab_id: from_hex(lab_id)?, key: from_hex(key)?, base_port, nodes, algorithm, me })
    }

    /// The address of a node of this lab.
    pub fn address(&self, node: NodeId) -> SocketAddrV4 {
        SocketAddrV4::new(Ipv4Addr::LOCALHOST, self.base_port + node.get())
    }

    /// The datagram with this body. The body is no longer than [`BODY_BYTES_MAX`]: the codec makes sure of that.
    pub fn seal(&self, incarnation: Incarnation, via: Via, sequence: u64, body: &[u8]) -> Vec<u8> {
        assert!(body.len() <= BODY_BYTES_MAX + ORIGINAL_BYTES, "{} bytes do not fit a datagram", body.len());
        let mut datagram = Vec::with_capacity(HEADER_BYTES + body.len() + TAG_BYTES);
        datagram.extend_from_slice(&MAGIC);
        datagram.push(VERSION);
        datagram.extend_from_slice(&self.lab_id);
        datagram.extend_from_slice(&self.me.get().to_be_bytes());
        datagram.extend_from_slice(&incarnation.0.to_be_bytes());
        datagram.extend_from_slice(&sequence.to_be_bytes());
        datagram.push(via as u8);
        datagram.push(self.algorithm);
        datagram.extend_from_slice(body);
        datagram.extend_from_slice(&self.tag(&datagram));
        datagram
    }

    /// A copy of an ordered broadcast: a direct one if this node is its sender, else a relay.
    pub fn seal_copy(&self, incarnation: Incarnation, original: &BroadcastId, body: &[u8]) -> Vec<u8> {
        let sequence = if original.from == self.me { original.sequence } else { original.relay_number() };
        let mut copy = Vec::with_capacity(ORIGINAL_BYTES + body.len());
        copy.extend_from_slice(&original.stamp.to_be_bytes());
        copy.extend_from_slice(&original.from.get().to_be_bytes());
        copy.extend_from_slice(&original.incarnation.0.to_be_bytes());
        copy.extend_from_slice(&original.sequence.to_be_bytes());
        copy.extend_from_slice(body);
        self.seal(incarnation, Via::Ordered, sequence, &copy)
    }

    /// Reads a datagram that came through this channel from this address. Checked in this order: length, magic and
    /// version, lab id, tag, sender against address, body. `read` makes a message of the body.
    pub fn open<M>(
        &self,
        datagram: &[u8],
        via: Via,
        source: SocketAddrV4,
        read: impl FnOnce(&[u8]) -> Option<M>,
    ) -> Result<OpenedDatagram<M>, Refusal> {
        let (passage, mut rest) = self.check(datagram, via, source)?;
        let original = if via == Via::Ordered { Some(self.original(&passage, &mut rest)?) } else { None };
        let message = read(rest).ok_or(Refusal::Malformed)?;
        Ok(OpenedDatagram { passage, original, message })
    }

    fn original(&self, passage: &Passage, rest: &mut &[u8]) -> Result<BroadcastId, Refusal> {
        if rest.len() < ORIGINAL_BYTES {
            return Err(Refusal::Malformed);
        }
        let stamp = u64::from_be_bytes(take(rest));
        let from = self.member(u16::from_be_bytes(take(rest))).ok_or(Refusal::Malformed)?;
        let incarnation = Incarnation(u32::from_be_bytes(take(rest)));
        let original = BroadcastId { stamp, from, incarnation, sequence: u64::from_be_bytes(take(rest)) };
        let is_direct = from == passage.from;
        let number = if is_direct { original.sequence } else { original.relay_number() };
        let agrees = passage.sequence == number && (!is_direct || passage.incarnation == incarnation);
        if agrees { Ok(original) } else { Err(Refusal::Malformed) }
    }

    /// All of a datagram but its body.
    fn check<'a>(&self, datagram: &'a [u8], via: Via, source: SocketAddrV4) -> Result<(Passage, &'a [u8]), Refusal> {
        if datagram.len() > DATAGRAM_BYTES_MAX {
            return Err(Refusal::TooLong);
        }
        if datagram.len() < HEADER_BYTES + TAG_BYTES {
            return Err(Refusal::Malformed);
        }
        let (sealed, tag) = datagram.split_at(datagram.len() - TAG_BYTES);
        let mut rest = sealed;
        if take::<4>(&mut rest) != MAGIC || take::<1>(&mut rest) != [VERSION] {
            return Err(Refusal::Malformed);
        }
        if take::<16>(&mut rest) != self.lab_id {
            return Err(Refusal::Foreign);
        }
        if self.tag(sealed) != tag {
            return Err(Refusal::WrongTag);
        }
        let from = self.member(u16::from_be_bytes(take(&mut rest))).ok_or(Refusal::WrongSource)?;
        if self.address(from) != source {
            return Err(Refusal::WrongSource);
        }
        let incarnation = Incarnation(u32::from_be_bytes(take(&mut rest)));
        let sequence = u64::from_be_bytes(take(&mut rest));
        if take::<1>(&mut rest) != [via as u8] || take::<1>(&mut rest) != [self.algorithm] {
            return Err(Refusal::Malformed);
        }
        let multicast = via != Via::Unicast;
        Ok((Passage { from, to: self.me, multicast, incarnation, sequence }, rest))
    }

    /// The node of that number, if the lab has it.
    fn member(&self, number: u16) -> Option<NodeId> {
        NodeId::new(number).filter(|node| node.get() <= self.nodes)
    }

    fn tag(&self, sealed: &[u8]) -> [u8; TAG_BYTES] {
        let mut tag = [0; TAG_BYTES];
        tag.copy_from_slice(&blake3::keyed_hash(&self.key, sealed).as_bytes()[..TAG_BYTES]);
        tag
    }
}

/// The channel that a datagram travels on.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
pub enum Via {
    /// To one node.
    Unicast = 0,
    /// To the group.
    Multicast = 1,
    /// To the group, by the ordered broadcast.
    Ordered = 2,
}

/// A datagram that was opened.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct OpenedDatagram<M> {
    /// The sender and its channel.
    pub passage: Passage,
    /// The ordered broadcast that it is a copy of, if it is a copy.
    pub original: Option<BroadcastId>,
    /// The content.
    pub message: M,
}

/// Flips one bit of a sealed datagram, in its body or its tag, before the tag is checked: this is what a fault does.
/// The `place` is a share of these in [0, 1). (The header is spared: with another lab's id the datagram would be
/// foreign.)
pub fn flip_sealed_bit(datagram: &mut [u8], place: f64) {
    if datagram.len() > HEADER_BYTES {
        flip_bit(&mut datagram[HEADER_BYTES..], place);
    }
}

fn from_hex<const N: usize>(hex: &str) -> Option<[u8; N]> {
    bytes_of(hex)?.try_into().ok()
}

/// The next bytes of a datagram whose length was checked against the whole header.
fn take<const N: usize>(rest: &mut &[u8]) -> [u8; N] {
    let (head, tail) = rest.split_first_chunk::<N>().expect("the length was checked against the header's");
    *rest = tail;
    *head
}
