//! The critical section over a whole lab: how often each process has entered, and who waited longest.
//!
//! Invariant: a wait ends when its process enters, wants in no more, or dies.

use serde::{Deserialize, Serialize};

use protocol::{NodeId, NodeMap, SectionState};
use record::{Body, Record};
use record::{between, stamp};

/// What a lab's processes have done at their critical section.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SectionWaits {
    /// How often each has entered, over all its lives.
    entries: NodeMap<u64>,
    /// Those that are inside or wait, and since when these wait.
    present: NodeMap<Option<i64>>,
    /// The longest wait that has ended with an entry.
    longest: Option<SectionDelay>,
}

/// How long a process waited.
#[derive(Copy, Clone, Debug, PartialEq, Serialize, Deserialize)]
struct SectionDelay {
    node: NodeId,
    since: i64,
    until: i64,
}

impl SectionDelay {
    fn length(&self) -> i64 {
        self.until - self.since
    }
}

impl SectionWaits {
    /// Whether the lab has no critical section, as far as is known.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Takes in the next record.
    pub(super) fn take(&mut self, record: &Record) {
        let Some(node) = record.node else { return };
        let work = match &record.body {
            Body::Step(step) => step.state.as_ref().and_then(|state| state.work.as_deref()),
            Body::Died { .. } => {
                self.present.remove(&node);
                return;
            }
            _ => None,
        };
        let Some(section) = work.and_then(|work| work.section()) else { return };
        let entries = self.entries.get_or_default(node);
        match section.stance {
            SectionState::Outside => {
                self.present.remove(&node);
            }
            SectionState::Waiting => {
                self.present.get_or_insert_with(node, || Some(record.at));
            }
            SectionState::Inside => {
                let before = self.present.insert(node, None);
                // Else it is inside already.
                if before != Some(None) {
                    *entries += 1;
                }
                if let Some(since) = before.flatten() {
                    let ended = SectionDelay { node, since, until: record.at };
                    self.longest = self.longest.into_iter().chain([ended]).max_by_key(SectionDelay::length);
                }
            }
        }
    }

    /// In one line, at this stamp: `critical section: 7 entries, 1:4 2:3; the longest wait is 4.1s, of 2 since
    /// 3.200 s, which still waits`.
    pub fn in_a_line(&self, now: i64) -> String {
        let all: u64 = self.entries.values().sum();
        let each: Vec<String> = self.entries.iter().map(|(node, times)| format!("{node}:{times}")).collect();
        let noun = if all == 1 { "entry" } else { "entries" };
        let told = format!("critical section: {all} {noun}, {}", each.join(" "));
        let waiting = self
            .present
            .iter()
            .filter_map(|(node, since)| Some(SectionDelay { node: *node, since: (*since)?, until: now }));
        let Some(longest) = self.longest.into_iter().chain(waiting).max_by_key(SectionDelay::length) else {
            return told;
        };
        let SectionDelay { node, since, .. } = longest;
        let goes_on = if Some(longest) == self.longest { "" } else { ", which still waits" };
        format!("{told}; the longest wait is {}, of {node} since {}{goes_on}", between(longest.length()), stamp(since))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use protocol::{SectionWork, StateVector, Status, Work};
    use record::{Input, Step};

    fn stands(waits: &mut SectionWaits, at_ms: i64, of: u16, stance: SectionState) {
        let work = Some(Box::new(Work::Exclusion(SectionWork { stance, entries: 0 })));
        let step = Step {
            state: Some(StateVector { work, ..StateVector::new(Status::Normal, "stop", None) }),
            ..Step::first(Input::Start { saved: false })
        };
        waits.take(&Record::of_node(at_ms * 1_000_000, NodeId::new(of).unwrap(), Body::Step(step)));
    }

    #[test]
    fn the_longest_wait_counts_whether_it_has_ended_or_not() {
        let mut waits = SectionWaits::default();
        assert!(waits.is_empty());
        stands(&mut waits, 1_000, 1, SectionState::Waiting);
        stands(&mut waits, 1_200, 2, SectionState::Waiting);
        stands(&mut waits, 1_500, 1, SectionState::Waiting);
        stands(&mut waits, 2_000, 1, SectionState::Inside);
        stands(&mut waits, 2_100, 1, SectionState::Inside);
        let told = "critical section: 1 entry, 1:1 2:0; the longest wait is ";
        assert_eq!(waits.in_a_line(2_100_000_000), format!("{told}1s, of 1 since 1.000 s"));
        assert_eq!(waits.in_a_line(3_200_000_000), format!("{told}2s, of 2 since 1.200 s, which still waits"));
    }
}
