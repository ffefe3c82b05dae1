//! Dice that are a function, not a stream.
//!
//! Invariant: a datagram's fate depends only on the seed, the fault and the datagram, never on earlier arrivals, so a
//! live lab's faults repeat.

use super::{LinkFault, Passage};

/// A number in [0, 1) for this fault and this datagram at this receiver.
///
/// `salt` tells apart several throws about one datagram (its loss, its delay).
pub fn throw(seed: u64, fault: &LinkFault, passage: &Passage, salt: u8) -> f64 {
    let mut hasher = blake3::Hasher::new();
    hasher.update(&seed.to_le_bytes());
    hasher.update(&fault.id.0.to_le_bytes());
    hasher.update(fault.text.as_bytes());
    hasher.update(&[0, salt, passage.multicast.into()]);
    hasher.update(&passage.from.get().to_le_bytes());
    hasher.update(&passage.to.get().to_le_bytes());
    hasher.update(&passage.incarnation.0.to_le_bytes());
    hasher.update(&passage.sequence.to_le_bytes());
    let mut bytes = [0; 8];
    bytes.copy_from_slice(&hasher.finalize().as_bytes()[..8]);
    // 53 bits are what a float holds exactly.
    (u64::from_le_bytes(bytes) >> 11) as f64 / (1u64 << 53) as f64
}
