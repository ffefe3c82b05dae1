//! The answer to "why": its sentences, the one under the cursor, and the record of it that is open.
//!
//! Invariant: it stays as it was when it was asked for; only a person moves in it, or asks which faults were needed.

use std::sync::Arc;

use crate::fault::FaultId;
use crate::judge::why::{
    Annals, Explanation, Need, Sentence, Sought, in_a_line, sought_state, sought_violation, why, why_record,
};
use crate::protocol::NodeId;
use crate::record::{Body, Head, Record};

/// Plays a lab again without each of these faults, to show what is sought.
pub type Rerun = fn(&Head, &[Arc<Record>], &Sought, &[FaultId]) -> Vec<(FaultId, Need)>;

/// What is asked about.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
pub enum AskedWhy {
    /// The present state of a node.
    Node(NodeId),
    /// The record of this number.
    Record(u64),
}

/// The answer.
#[derive(Clone, Debug)]
pub struct WhySheet {
    /// What was asked.
    pub asked: AskedWhy,
    /// The answer.
    pub explanation: Explanation,
    /// Which sentence is under the cursor.
    pub cursor: usize,
    /// Which record of this sentence was opened last, if one was.
    pub opened: Option<usize>,
}

impl WhySheet {
    /// The answer out of these records; nothing if they do not hold what was asked about.
    pub fn new(asked: AskedWhy, head: Option<&Head>, records: &[Arc<Record>]) -> Option<WhySheet> {
        let annals = annals(head, records);
        let explanation = match asked {
            AskedWhy::Node(node) => why(&annals, node),
            AskedWhy::Record(number) => why_record(&annals, number)?,
        };
        Some(WhySheet { asked, explanation, cursor: 0, opened: None })
    }

    /// All its sentences.
    pub fn sentences(&self) -> Vec<&Sentence> {
        self.explanation.all().collect()
    }

    /// The number of the next record of the sentence under the cursor, from its first on; nothing after its last one.
    pub fn open_next(&mut self) -> Option<u64> {
        let next = self.opened.map_or(0, |opened| opened + 1);
        let number =
            self.sentences().get(self.cursor).and_then(|sentence| sentence.records.get(next)).map(|cited| cited.number);
        self.opened = number.map(|_| next);
        number
    }

    /// Asks which of its faults were needed.
    pub fn ask_needs(&mut self, rerun: Rerun, head: Option<&Head>, records: &[Arc<Record>]) {
        let faults = self.explanation.faults();
        let (Some(head), false) = (head, faults.is_empty()) else {
            self.explanation.needs = vec!["It names no fault that could be left out.".to_owned()];
            return;
        };
        if !records.first().is_some_and(|first| first.number == 1) {
            let why = "This screen does not hold the session from its beginning; `hustings why` with --needed reads its file.";
            self.explanation.needs = vec![why.to_owned()];
            return;
        }
        let annals = annals(Some(head), records);
        let is_violation = |record: &&Arc<Record>| matches!(record.body, Body::Violation(_));
        let sought = match self.asked {
            AskedWhy::Node(node) => sought_state(&annals, node),
            AskedWhy::Record(number) => {
                let record = records.iter().find(|record| record.number == number);
                match record.filter(|record| !is_violation(record)).and_then(|record| record.node) {
                    None => sought_violation(&annals, number),
                    Some(node) => {
                        let until =
                            records.iter().position(|record| record.number == number).map_or(0, |place| place + 1);
                        sought_state(&self::annals(Some(head), &records[..until]), node)
                    }
                }
            }
        };
        let needs = sought.map_or_else(Vec::new, |sought| rerun(head, records, &sought, &faults));
        self.explanation.needs = needs.iter().map(|(fault, need)| need.told(&fault.to_string())).collect();
    }
}

/// Why the node is in its state after these records, in one sentence.
pub fn why_in_a_line(node: NodeId, head: Option<&Head>, records: &[Arc<Record>]) -> Sentence {
    in_a_line(&annals(head, records), node)
}

fn annals<'a>(head: Option<&'a Head>, records: &'a [Arc<Record>]) -> Annals<'a> {
    Annals::new(head, records.iter().map(|record| &**record))
}
