//! One run in twenty is played twice, and both must give the same records.
//!
//! Invariant: a run that is played twice counts once, with its first outcome.

use super::lies::LieWatch;
use super::{Campaign, Case, Player, StepSource};
use crate::SimEnd;
use crate::coverage::{Counting, Coverage};
use record::Record;

/// One run out of this many is played twice.
const ONE_TWICE_IN: u64 = 20;

/// What a run did that shows a bug of this program.
#[derive(Copy, Clone, Eq, PartialEq, Debug, thiserror::Error)]
pub enum Defect {
    /// The same run did something else the second time.
    #[error("played twice, its records differ: blake3 {first} and {second}")]
    Differs {
        /// The hash of its records the first time.
        first: blake3::Hash,
        /// And the second.
        second: blake3::Hash,
    },
    /// Never ended.
    #[error("it panicked")]
    Panicked,
}

impl Campaign {
    pub(super) fn play_once_or_twice(
        &self,
        case: Case,
        player: Player<'_>,
    ) -> Result<(SimEnd, Coverage, LieWatch), Defect> {
        let counted = |also: &mut dyn FnMut(&Record)| {
            let plan = self.plan(case);
            let (mut counting, mut watch) = (Counting::of(&plan.lab), LieWatch::of(&plan.lab));
            let listener = |record: &Record| {
                counting.take(record);
                if self.steps == StepSource::Liars {
                    watch.take(record);
                }
                also(record);
            };
            let end = player(&plan, Box::new(listener));
            (end, counting.finished(), watch)
        };
        if !case.is_played_twice() {
            return Ok(counted(&mut |_| {}));
        }
        let hashed = || {
            let mut hasher = blake3::Hasher::new();
            let played = counted(&mut |record| {
                hasher.update(record.to_line().as_bytes()).update(b"\n");
            });
            (hasher.finalize(), played)
        };
        let ((first, played), (second, _)) = (hashed(), hashed());
        if first == second { Ok(played) } else { Err(Defect::Differs { first, second }) }
    }
}

impl Case {
    /// A function of the seed alone, so a campaign of one lab and this one seed checks the run too.
    pub(super) fn is_played_twice(self) -> bool {
        self.seed.is_multiple_of(ONE_TWICE_IN)
    }
}
