//! How many records a session lacks.
//!
//! Invariant: a line that cannot be used and the number that it would have had count once.

use super::{Body, Record};

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
    /// This record was read. A gap may stand in the place of the last of those that are missing before it: it is none of
    /// them itself.
    pub fn take_record(&mut self, record: &Record) {
        let before = self.count();
        self.take(record.number);
        if let Body::Gap(missed) = &record.body
            && self.count() > before
            && missed.count > self.count() - before
        {
            self.before = before.saturating_add(missed.count);
        }
    }

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
    use crate::Missed;

    #[test]
    fn a_gap_in_the_place_of_missing_records_is_none_of_them() {
        let gap = |number, count| {
            let missed = Missed { count, place: "because part 1 of the session is not there".to_owned() };
            Record { number, ..Record::of_host(0, Body::Gap(missed)) }
        };
        let mut lost = LostRecords::default();
        lost.take(1);
        lost.take_record(&gap(5, 4));
        lost.take(6);
        assert_eq!(lost.count(), 4);
        // The host's own gap has a number of its own; what it tells of never had one.
        lost.take_record(&gap(7, 9));
        assert_eq!(lost.count(), 4);
    }

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
