//! When each event of a way may happen in a lab with true clocks: a system of differences between moments.
//!
//! The model lets timers of one tick run out in any order; in a lab they run out exactly when they are due. So the
//! events of each node keep their order and their timers their spans, messages come within their bound, and everything
//! else may move.
//!
//! Invariant: a schedule that is found keeps every difference that was asked for.

/// Moments that are to be found, and the least differences between them, in milliseconds.
#[derive(Clone, Debug)]
pub struct Timetable {
    moments: Vec<i64>,
    /// The second moment comes at least so much later than the first.
    differences: Vec<(usize, usize, i64)>,
}

impl Timetable {
    /// So many moments, none before the first one, which is 0.
    pub fn new(count: usize) -> Timetable {
        Timetable { moments: vec![0; count], differences: (1..count).map(|moment| (0, moment, 0)).collect() }
    }

    /// The second comes at least so much later than the first.
    pub fn at_least(&mut self, first: usize, second: usize, later: i64) {
        self.differences.push((first, second, later));
    }

    /// The second comes at most so much later than the first.
    pub fn at_most(&mut self, first: usize, second: usize, later: i64) {
        self.differences.push((second, first, -later));
    }

    /// The second comes exactly so much later than the first.
    pub fn exactly(&mut self, first: usize, second: usize, later: i64) {
        self.at_least(first, second, later);
        self.at_most(first, second, later);
    }

    /// The earliest moments that keep all differences, if there are any.
    pub fn solved(mut self) -> Option<Vec<i64>> {
        for _ in 0..=self.moments.len() {
            let mut is_kept = true;
            for (first, second, later) in &self.differences {
                let earliest = self.moments[*first] + later;
                if self.moments[*second] < earliest {
                    self.moments[*second] = earliest;
                    is_kept = false;
                }
            }
            if self.moments[0] > 0 {
                return None;
            }
            if is_kept {
                return Some(self.moments);
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_keep_their_differences_or_there_are_none() {
        let mut schedule = Timetable::new(4);
        schedule.exactly(0, 2, 900);
        schedule.at_least(1, 2, 25);
        schedule.at_least(0, 1, 500);
        schedule.at_least(2, 3, 10);
        assert_eq!(schedule.clone().solved(), Some(vec![0, 500, 900, 910]));
        schedule.at_most(1, 3, 400);
        assert_eq!(schedule.clone().solved(), Some(vec![0, 510, 900, 910]));
        schedule.at_most(0, 1, 505);
        assert_eq!(schedule.solved(), None);
    }
}
