//! A clock that another one drives, at a rate that changes: the arithmetic of a machine's own clock and of lab time.
//!
//! Invariant: it never runs backwards and never jumps; for each of its readings, the first moment counts.

/// A table of stretches, each at one rate. All times are in nanoseconds; before the first stretch it reads what the
/// clock that drives it reads.
#[derive(Clone, Default, Debug)]
pub(super) struct RateTable(Vec<RateSpan>);

/// From a reading of the driving clock on, this one runs at a rate.
#[derive(Copy, Clone, Debug)]
struct RateSpan {
    from: u64,
    shows: u64,
    thousandths: u64,
}

/// The rate of the driving clock itself, in thousandths.
const PLAIN: u64 = 1_000;

impl RateSpan {
    fn at(self, driving: u64) -> u64 {
        self.shows.saturating_add(scaled(driving.saturating_sub(self.from), self.thousandths, PLAIN))
    }

    fn first(self, shown: u64) -> u64 {
        let more = shown.saturating_sub(self.shows);
        let floor = scaled(more, PLAIN, self.thousandths);
        let is_short = scaled(floor, self.thousandths, PLAIN) < more;
        self.from.saturating_add(floor).saturating_add(u64::from(is_short))
    }
}

impl RateTable {
    /// From this reading of the driving clock on it runs at this many thousandths of that clock's rate; not zero. A
    /// reading before the last change is taken for the last change.
    pub fn run_at(&mut self, thousandths: u16, from: u64) {
        let from = self.0.last().map_or(from, |last| last.from.max(from));
        let shows = self.at(from);
        self.0.push(RateSpan { from, shows, thousandths: u64::from(thousandths).max(1) });
    }

    /// The reading when the driving clock reads this.
    pub fn at(&self, driving: u64) -> u64 {
        self.latest(|stretch| stretch.from <= driving).map_or(driving, |stretch| stretch.at(driving))
    }

    /// The first reading of the driving clock at which it shows this, or has passed it.
    pub fn first(&self, shown: u64) -> u64 {
        self.latest(|stretch| stretch.shows < shown).map_or(shown, |stretch| stretch.first(shown))
    }

    /// The latest stretch of which that is so.
    fn latest(&self, is_so: impl Fn(&RateSpan) -> bool) -> Option<RateSpan> {
        // Nearly always the table is empty.
        self.0.iter().rev().find(|stretch| is_so(stretch)).copied()
    }
}

fn scaled(nanos: u64, by: u64, of: u64) -> u64 {
    u64::try_from(u128::from(nanos) * u128::from(by) / u128::from(of)).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn it_runs_at_each_rate_from_when_it_was_given_it() {
        let mut clock = RateTable::default();
        assert_eq!((clock.at(700), clock.first(700)), (700, 700));
        clock.run_at(2_000, 1_000);
        clock.run_at(1_000, 1_500);
        clock.run_at(500, 2_000);
        for (driving, shown) in
            [(900, 900), (1_000, 1_000), (1_200, 1_400), (1_500, 2_000), (2_000, 2_500), (2_200, 2_600)]
        {
            assert_eq!((clock.at(driving), clock.first(shown)), (shown, driving));
        }
    }

    #[test]
    fn a_change_that_is_no_later_than_the_last_one_takes_its_place() {
        let mut clock = RateTable::default();
        clock.run_at(500, 1_000);
        clock.run_at(2_000, 400);
        assert_eq!([900, 1_000, 1_100].map(|driving| clock.at(driving)), [900, 1_000, 1_200]);
    }

    proptest! {
        #[test]
        fn the_first_moment_of_a_reading_is_the_first_at_which_it_reads_so(
            changes in proptest::collection::vec((0..5_000u64, 20..10_000u16), 0..5), shown in 0..60_000u64,
        ) {
            let mut clock = RateTable::default();
            let mut now = 0;
            for (after, thousandths) in changes {
                now += after;
                clock.run_at(thousandths, now);
            }
            let driving = clock.first(shown);
            prop_assert!(clock.at(driving) >= shown);
            prop_assert!(driving == 0 || clock.at(driving - 1) < shown);
            prop_assert!(clock.at(driving + 1) >= clock.at(driving));
        }
    }
}
