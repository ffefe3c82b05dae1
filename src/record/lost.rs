//! How many records a session lacks.
//!
//! Invariant: a line that cannot be used and the number that it would have had count once.

/// Counts them while a session is read, from its first record on.
#[derive(Copy, Clone, Default, Debug)]
pub struct LostRecords {
    /// Before the last record that was read.
    before: u64,
    /// The number of that record.
    last: u64,
    /// The lines since then that cannot be used.
    unusable: u64,
}

impl LostRecords {
    /// A record of this number was read.
    pub fn take(&mut self, number: u64) {
        // A number that is out of all order must not make up for those that are missing.
        let left_out = number.saturating_sub(self.last.saturating_add(1));
        let before = self.count().saturating_add(left_out.saturating_sub(self.unusable));
        *self = LostRecords { before, last: number, unusable: 0 };
    }

    /// A line cannot be used.
    pub fn skip(&mut self) {
        self.unusable += 1;
    }

    /// How many, so far.
    pub fn count(&self) -> u64 {
        self.before.saturating_add(self.unusable)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_that_are_left_out_and_lines_that_cannot_be_used_are_lost_once() {
        let mut lost = LostRecords::default();
        [1, 2, 5].into_iter().for_each(|number| lost.take(number));
        assert_eq!(lost.count(), 2);
        lost.skip();
        assert_eq!(lost.count(), 3);
        lost.take(7);
        assert_eq!(lost.count(), 3, "it was number 6");
        lost.take(9);
        lost.skip();
        assert_eq!(lost.count(), 5);
        [u64::MAX, 10, 11].into_iter().for_each(|number| lost.take(number));
        assert!(lost.count() > 5, "{lost:?}");
    }
}
