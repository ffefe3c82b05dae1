//! Datagrams that were refused or dropped, counted by reason and reported at most once a second each.
//!
//! Invariant: each of them is in exactly one record, sooner or later; a flood of them makes no flood of records.

use record::{Body, Refusal};

/// How long a reason is not reported again, in nanoseconds.
const SILENCE_NANOS: u64 = 1_000_000_000;
const REASONS: usize = Refusal::ALL.len();

/// Counts by reason; the kernel's drops are the last one.
#[derive(Clone, Default, Debug)]
pub struct DropTally {
    counts: [Count; REASONS + 1],
}

#[derive(Copy, Clone, Default, Debug)]
struct Count {
    untold: u64,
    /// Is not reported before this moment of lab time.
    silent_until: u64,
}

impl DropTally {
    /// One datagram was refused.
    pub fn refused(&mut self, reason: Refusal) {
        self.counts[reason as usize].untold += 1;
    }

    /// The kernel dropped this many.
    pub fn overflowed(&mut self, count: u64) {
        self.counts[REASONS].untold += count;
    }

    /// The counts that may be reported at this moment of lab time; the caller reports them.
    pub fn take_due(&mut self, now: u64) -> Vec<Body> {
        let mut due = Vec::new();
        for (index, count) in self.counts.iter_mut().enumerate() {
            if count.untold > 0 && count.silent_until <= now {
                let untold = std::mem::take(&mut count.untold);
                count.silent_until = now.saturating_add(SILENCE_NANOS);
                due.push(match Refusal::ALL.get(index) {
                    Some(reason) => Body::Refused { reason: *reason, count: untold },
                    None => Body::Overflowed { count: untold },
                });
            }
        }
        due
    }

    /// When there will be something to report, if nothing more comes.
    pub fn next_due(&self) -> Option<u64> {
        self.counts.iter().filter(|count| count.untold > 0).map(|count| count.silent_until).min()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_reason_is_told_at_once_and_then_once_a_second() {
        let mut tally = DropTally::default();
        assert_eq!(tally.next_due(), None);
        tally.refused(Refusal::WrongSource);
        assert_eq!(tally.take_due(5), [Body::Refused { reason: Refusal::WrongSource, count: 1 }]);
        for _ in 0..1_000 {
            tally.refused(Refusal::WrongSource);
        }
        tally.overflowed(3);
        assert_eq!(tally.take_due(6), [Body::Overflowed { count: 3 }]);
        assert_eq!(tally.next_due(), Some(5 + SILENCE_NANOS));
        assert_eq!(tally.take_due(4 + SILENCE_NANOS), []);
        let rest = [Body::Refused { reason: Refusal::WrongSource, count: 1_000 }];
        assert_eq!(tally.take_due(5 + SILENCE_NANOS), rest);
        assert_eq!(tally.next_due(), None);
    }

    #[test]
    fn a_reasons_number_is_its_place_in_the_list_of_all() {
        for (index, reason) in Refusal::ALL.into_iter().enumerate() {
            assert_eq!(reason as usize, index);
        }
    }
}
