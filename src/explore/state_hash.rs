//! A hash of a state in 64 bits, made quickly: what is hashed is put together to words of 64 bits; each word is multiplied
//! to 128 bits, and the halves are folded into one, as the fast hashes of today do. It does not defend itself against
//! somebody who looks for collisions; nobody does that here.
//!
//! Most of a state are small numbers, so a number takes no more bits than its type has, and a length or the place of a
//! variant eight, if it is small.
//!
//! Invariant: the same state has the same hash in every run; of two values of a type the words differ.

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
pub struct FoldedHash {
    folded: u64,
    /// The word that is not full yet, from its lowest bit on.
    word: u64,
    /// How many bits of it are full: fewer than 64.
    bits: u32,
}

impl Default for FoldedHash {
    fn default() -> FoldedHash {
        FoldedHash { folded: BEGINNING, word: 0, bits: 0 }
    }
}

impl FoldedHash {
    /// Puts a number of so many bits, at most 32, behind what is there.
    fn put(&mut self, number: u64, bits: u32) {
        self.word |= number << self.bits;
        self.bits += bits;
        if self.bits >= 64 {
            self.fold(self.word);
            self.bits -= 64;
            self.word = number >> (bits - self.bits);
        }
    }

    /// The turn makes the order of the words count.
    fn fold(&mut self, word: u64) {
        self.folded = folded(self.folded.rotate_left(23) ^ word).wrapping_add(FACTOR);
    }
}

impl Hasher for FoldedHash {
    fn finish(&self) -> u64 {
        let last = folded(self.folded.rotate_left(23) ^ self.word).wrapping_add(u64::from(self.bits));
        folded(last ^ BEGINNING).rotate_left((last & 63) as u32)
    }

    fn write(&mut self, bytes: &[u8]) {
        let mut words = bytes.chunks_exact(8);
        for word in &mut words {
            self.write_u64(u64::from_le_bytes(word.try_into().expect("a chunk has eight bytes")));
        }
        words.remainder().iter().for_each(|byte| self.write_u8(*byte));
    }

    fn write_u8(&mut self, number: u8) {
        self.put(number.into(), 8);
    }

    fn write_u16(&mut self, number: u16) {
        self.put(number.into(), 16);
    }

    fn write_u32(&mut self, number: u32) {
        self.put(number.into(), 32);
    }

    fn write_u64(&mut self, number: u64) {
        self.fold(self.word | number << self.bits);
        self.word = number.checked_shr(64 - self.bits).unwrap_or(0);
    }

    /// Lengths come so.
    fn write_usize(&mut self, number: usize) {
        let number = number as u64;
        self.put(number.min(u8::MAX.into()), 8);
        if number >= u8::MAX.into() {
            self.write_u64(number);
        }
    }

    /// The places of variants come so.
    fn write_isize(&mut self, number: isize) {
        self.write_usize(number as usize);
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
