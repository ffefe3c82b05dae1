//! Labs on real processes, for a measurement: how they are run, which of them count, and how they stand beside the
//! simulated ones.
//!
//! Where this computer was late itself, what it did counts in no mean.
//!
//! Invariant: a lab that does not count is told.

use std::collections::BTreeMap;

use lab::Lab;
use record::Record;
use sim::campaign::CampaignControl;

/// How a lab on real processes came out.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
pub enum RealProgress {
    /// Counts.
    Counts,
    /// Does not count, because this computer was late.
    LeftOut,
    /// This signal ended it, and it does not count. No other one is to be begun.
    Signalled(i32),
}

/// What runs a lab on real processes until its script is finished, or until the other function, which is given each
/// record, wants no further one. It is an error if the lab did not start. Who measures brings it: this room knows no
/// processes.
pub type PlayReal<E> = fn(Lab, &mut dyn FnMut(&Record) -> CampaignControl) -> Result<RealProgress, E>;

/// What was measured on real processes, by the place of its point.
pub type RealSums<S> = BTreeMap<usize, RealSum<S>>;

/// Labs of one point on real processes, added up.
#[derive(Copy, Clone, Default, Eq, PartialEq, Debug)]
pub struct RealSum<S> {
    /// Those that count.
    pub sum: S,
    /// How many do not, because this computer was late.
    pub left_out: u64,
}

impl<S> RealSum<S> {
    /// One more lab came out so; what it came to is added if it counts.
    pub fn take(&mut self, progress: RealProgress, add: impl FnOnce(&mut S)) {
        match progress {
            RealProgress::Counts => add(&mut self.sum),
            RealProgress::LeftOut => self.left_out += 1,
            RealProgress::Signalled(_) => {}
        }
    }
}

/// How many labs do not count, as the end of a sentence; nothing if all do.
pub fn left_out_words(left_out: u64) -> String {
    match left_out {
        0 => String::new(),
        1 => "; 1 more does not count, for this computer was late".to_owned(),
        _ => format!("; {left_out} more do not count, for this computer was late"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_count_is_told_by_its_number() {
        let late = "for this computer was late";
        let words =
            [String::new(), format!("; 1 more does not count, {late}"), format!("; 2 more do not count, {late}")];
        assert_eq!([0, 1, 2].map(left_out_words), words);
    }
}
