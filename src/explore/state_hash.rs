//! A hash of a state in 64 bits, made quickly: each eight bytes are multiplied to 128 bits, and the halves are folded into
//! one, as the fast hashes of today do. It does not defend itself against somebody who looks for collisions; nobody does
//! that here.
//!
//! Invariant: the same state has the same hash in every run.

use std::hash::{Hash, Hasher};

/// Where it begins: the digits of pi, which have no pattern.
const BEGINNING: u64 = 0x2437_3244_3f6a_8885;
/// What is multiplied by: the golden ratio, whose bits are well mixed.
const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;

/// The hash of a state.
pub fn hash_of(state: &impl Hash) -> u64 {
    let mut hasher = FoldedHash::default();
    state.hash(&mut hasher);
    hasher.finish()
}

/// The hash in the making.
pub struct FoldedHash(u64);

impl Default for FoldedHash {
    fn default() -> FoldedHash {
        FoldedHash(BEGINNING)
    }
}

impl Hasher for FoldedHash {
    fn finish(&self) -> u64 {
        folded(self.0 ^ BEGINNING).rotate_left((self.0 & 63) as u32)
    }

    fn write(&mut self, bytes: &[u8]) {
        let mut words = bytes.chunks_exact(8);
        for word in &mut words {
            self.write_u64(u64::from_le_bytes(word.try_into().expect("a chunk has eight bytes")));
        }
        let mut last = [0; 8];
        last[..words.remainder().len()].copy_from_slice(words.remainder());
        // The number of bytes tells a zero from nothing.
        self.write_u64(u64::from_le_bytes(last) ^ (bytes.len() as u64).rotate_right(8));
    }

    fn write_u8(&mut self, number: u8) {
        self.write_u64(u64::from(number));
    }

    fn write_u16(&mut self, number: u16) {
        self.write_u64(u64::from(number));
    }

    fn write_u32(&mut self, number: u32) {
        self.write_u64(u64::from(number));
    }

    fn write_u64(&mut self, number: u64) {
        // The turn makes the order of the numbers count.
        self.0 = folded(self.0.rotate_left(23) ^ number).wrapping_add(FACTOR);
    }

    fn write_usize(&mut self, number: usize) {
        self.write_u64(number as u64);
    }
}

fn folded(number: u64) -> u64 {
    let product = u128::from(number) * u128::from(FACTOR);
    (product as u64) ^ (product >> 64) as u64
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::hash_of;

    #[test]
    fn a_million_states_that_differ_in_little_have_a_million_hashes() {
        let mut seen = HashSet::new();
        for place in 0..20 {
            for number in 0..50_000_u16 {
                let mut bytes = [0_u8; 48];
                bytes[place..place + 2].copy_from_slice(&number.to_le_bytes());
                bytes[47] = place as u8 + 1;
                assert!(seen.insert(hash_of(&bytes)), "{number} at {place}");
            }
        }
        // The low bits and the high ones find a place in a table.
        for shift in [0, 48] {
            let places: HashSet<u64> = seen.iter().map(|hash| (hash >> shift) & 0xffff).collect();
            assert_eq!(places.len(), 1 << 16, "bits from {shift} on");
        }
    }

    #[test]
    fn zeros_order_and_length_count() {
        let all =
            [hash_of(&[0_u8; 8]), hash_of(&[0_u8; 16]), hash_of(&(1_u8, 2_u8)), hash_of(&(2_u8, 1_u8)), hash_of(&0_u8)];
        assert_eq!(all.iter().collect::<HashSet<_>>().len(), all.len());
    }
}
