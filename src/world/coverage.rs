//! The coverage of the listing: which lines steps have gone through, how often, and where each process is.
//!
//! Invariant: a line counts once for each time that a step names it, and a process that is dead is on no line.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use protocol::{LineNumber, LineTaker, ListingLine, NodeId, NodeMap, NodeSet};
use record::{Body, Record};

/// What a session has reached of the paper's listing.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ListingCoverage {
    /// How often each line was gone through.
    times: BTreeMap<LineNumber, u64>,
    /// By node: the lines of its latest step that went through any, in order.
    on: NodeMap<Vec<LineNumber>>,
}

/// How much of a listing was reached.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
pub struct ReachedShare {
    /// The lines that were reached.
    pub reached: usize,
    /// All lines that a process can be seen on.
    pub lines: usize,
}

impl ListingCoverage {
    /// Takes in the next record.
    pub fn fold(&mut self, record: &Record) {
        let Some(node) = record.node else { return };
        match &record.body {
            Body::Step(step) if !step.lines.is_empty() => {
                step.lines.iter().for_each(|line| *self.times.entry(*line).or_default() += 1);
                let on = self.on.get_or_default(node);
                on.clear();
                on.extend_from_slice(&step.lines);
            }
            Body::Died { .. } => {
                self.on.remove(&node);
            }
            _ => {}
        }
    }

    /// How often the line was gone through.
    pub fn times(&self, line: LineNumber) -> u64 {
        self.times.get(&line).copied().unwrap_or(0)
    }

    /// The line on which the node's process stands: the last one of its latest step.
    pub fn line_of(&self, node: NodeId) -> Option<LineNumber> {
        self.on.get(&node)?.last().copied()
    }

    /// The nodes whose processes went through the line in their latest step.
    pub fn on(&self, line: LineNumber) -> NodeSet {
        self.on.iter().filter(|(_, lines)| lines.contains(&line)).map(|(node, _)| *node).collect()
    }

    /// How much of this listing was reached.
    pub fn share(&self, listing: &[ListingLine]) -> ReachedShare {
        let lines = listing.iter().filter(|line| line.taken_by == LineTaker::Running);
        let reached = lines.clone().filter(|line| self.times(line.number) > 0).count();
        ReachedShare { reached, lines: lines.count() }
    }
}

impl ReachedShare {
    /// The share in per cent, cut off: all of 100 means every line.
    pub fn percent(self) -> usize {
        (self.reached * 100).checked_div(self.lines).unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use protocol::Line;
    use record::{Death, Input, Step};

    fn node(number: u16) -> NodeId {
        NodeId::new(number).unwrap()
    }

    fn step(who: u16, lines: &[LineNumber]) -> Record {
        let step = Step { lines: lines.to_vec(), ..Step::first(Input::Start { saved: false }) };
        Record::of_node(0, node(who), Body::Step(step))
    }

    fn coverage(records: &[Record]) -> ListingCoverage {
        let mut coverage = ListingCoverage::default();
        records.iter().for_each(|record| coverage.fold(record));
        coverage
    }

    #[test]
    fn a_line_counts_each_time_and_a_process_is_on_those_of_its_latest_step_that_has_any() {
        let told = coverage(&[step(1, &[20, 10]), step(2, &[20, 10, 12, 10]), step(1, &[21]), step(1, &[])]);
        assert_eq!([20, 10, 12, 21, 7].map(|line| told.times(line)), [2, 3, 1, 1, 0]);
        assert_eq!([1, 2, 3].map(|who| told.line_of(node(who))), [Some(21), Some(10), None]);
        let on = |line| told.on(line).to_string();
        assert_eq!([20, 12, 21, 7].map(on), ["2", "2", "1", "-"]);
    }

    #[test]
    fn the_dead_are_on_no_line_and_what_they_reached_stays() {
        let death = Body::Died { death: Death::Exited { code: 1 } };
        let mut records = vec![step(1, &[20]), step(2, &[20]), Record::of_node(0, node(1), death)];
        let told = coverage(&records);
        assert_eq!((told.line_of(node(1)), told.on(20).to_string(), told.times(20)), (None, "2".to_owned(), 2));
        records.push(step(1, &[21]));
        assert_eq!(coverage(&records).line_of(node(1)), Some(21));
    }

    #[test]
    fn the_share_leaves_out_what_no_process_is_seen_on_and_a_hundred_per_cent_is_all() {
        let listing = [
            Line::new(1, "wait", "w from j"),
            Line::new(2, "wait", "time-out"),
            Line::of_killed(3, "wait", "fault (the process is killed)"),
            Line::of_killed(4, "fail", "time-out"),
        ];
        let listing = listing.each_ref().map(ListingLine::of);
        let share = |lines: &[LineNumber]| {
            let share = coverage(&[step(1, lines)]).share(&listing);
            (share.reached, share.lines, share.percent())
        };
        assert_eq!(share(&[]), (0, 2, 0));
        assert_eq!(share(&[1, 1, 99]), (1, 2, 50));
        assert_eq!(share(&[1, 2]), (2, 2, 100));
        assert_eq!(ReachedShare { reached: 199, lines: 200 }.percent(), 99);
        assert_eq!(coverage(&[]).share(&[]).percent(), 0);
    }
}
