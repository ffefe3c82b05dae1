//! News about the assumptions: a needed one is broken, and what broke it.
//!
//! Invariant: each pair of assumption and fault is reported once; the machine again after a time in which it broke
//! nothing. So these records are as few as the faults.

use super::super::breaks::{Break, Cause};
use super::Meter;
use protocol::Assumption;
use record::BrokenReport;

/// The news already reported, and the news still to report.
#[derive(Clone, Debug, Default)]
pub(super) struct ReportedBreaks {
    /// Of which assumption, by whom, and when its latest bite was.
    told: Vec<(Assumption, Cause, i64)>,
    fresh: Vec<BrokenReport>,
}

impl Meter {
    /// The news since the last call.
    pub fn take_news(&mut self) -> Vec<BrokenReport> {
        std::mem::take(&mut self.news.fresh)
    }

    /// Notes a hit up to this stamp, which may be news.
    pub(super) fn announce(&mut self, assumption: Assumption, cause: Cause, at: i64) {
        if !self.needs.contains(&assumption) {
            return;
        }
        let before = self.news.told.iter_mut().find(|(of, by, _)| (*of, *by) == (assumption, cause));
        let is_new = match before {
            Some((_, _, latest)) => {
                let since = at - std::mem::replace(latest, at);
                cause == Cause::Machine && since > self.gap_max
            }
            None => {
                self.news.told.push((assumption, cause, at));
                true
            }
        };
        // The bite has a break by now: the newest, or one that it continued.
        let is_it = |broken: &&Break| (broken.assumption, broken.cause) == (assumption, cause);
        if is_new && let Some(broken) = self.breaks.iter().rev().find(is_it) {
            let broken = Box::new(broken.seen_at(at, &self.lines));
            self.news.fresh.push(BrokenReport { text: broken.to_string(), broken });
        }
    }
}
