//! The newest records, for the log of a watcher that comes late.
//!
//! Invariant: bounded by the records and by their effects, for in a large lab one step may send to hundreds.

use std::collections::VecDeque;

use record::Record;

/// How many records are kept.
const RECORDS_MAX: usize = 500;
/// How many effects their steps may have together.
const EFFECTS_MAX: usize = 5_000;

/// The newest records, oldest first.
#[derive(Default, Debug)]
pub struct RecentRecords {
    records: VecDeque<Record>,
    effects: usize,
}

impl RecentRecords {
    /// Takes in the next record.
    pub fn push(&mut self, record: Record) {
        self.effects += effects_of(&record);
        self.records.push_back(record);
        while self.records.len() > RECORDS_MAX || self.effects > EFFECTS_MAX && self.records.len() > 1 {
            self.effects -= self.records.pop_front().map_or(0, |oldest| effects_of(&oldest));
        }
    }

    /// All of them, oldest first.
    pub fn to_vec(&self) -> Vec<Record> {
        self.records.iter().cloned().collect()
    }
}

fn effects_of(record: &Record) -> usize {
    record.step().map_or(0, |step| step.effects.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use protocol::{NodeId, Span};
    use record::{Body, EffectText, Input, Step};

    fn step(number: u64, effects: usize) -> Record {
        let timer = EffectText::SetTimer { timer: "Check".into(), span: Span::from_millis(1) };
        let step = Step { step: number, effects: vec![timer; effects], ..Step::first(Input::Start { saved: false }) };
        Record { number, ..Record::of_node(0, NodeId::new(1).unwrap(), Body::Step(step)) }
    }

    fn kept(sizes: impl IntoIterator<Item = usize>) -> Vec<u64> {
        let mut recent = RecentRecords::default();
        (1..).zip(sizes).for_each(|(number, effects)| recent.push(step(number, effects)));
        recent.to_vec().iter().map(|record| record.number).collect()
    }

    #[test]
    fn the_newest_are_kept_by_number_and_by_size() {
        assert_eq!(kept([1; 600]), Vec::from_iter(101..=600));
        assert_eq!(kept([2_000, 2_000, 2_000, 1]), [2, 3, 4]);
        assert_eq!(kept([1, 9_000]), [2], "the newest is always there");
    }
}
