//! The answer to "why": its sentences, the one under the cursor, and the record of it that is open.
//!
//! Invariant: it stays as it was when it was asked for; only a person moves in it, or asks which faults were needed.

use std::sync::Arc;

use fault::FaultId;
use judge::why::{Annals, AskedWhy, Explanation, Need, Sentence, Sought};
use record::{Head, Record};

/// Plays a lab again without each of these faults, to show what is sought.
pub type Rerun = fn(&Head, &[Arc<Record>], &Sought, &[FaultId]) -> Vec<(FaultId, Need)>;

/// The answer.
#[derive(Clone, Debug)]
pub struct WhySheet {
    /// What was asked.
    pub asked: AskedWhy,
    /// The moment at which it is explained; a record is explained as of itself.
    pub until: Option<i64>,
    /// The answer.
    pub explanation: Explanation,
    /// Which sentence is under the cursor.
    pub cursor: usize,
    /// Which record of this sentence was opened last, if one was.
    pub opened: Option<usize>,
}

impl WhySheet {
    /// The answer out of these records; nothing if they do not hold what was asked about.
    pub fn new(asked: AskedWhy, until: Option<i64>, head: Option<&Head>, records: &[Arc<Record>]) -> Option<WhySheet> {
        let annals = annals(head, upto(records, until));
        Some(WhySheet { asked, until, explanation: asked.answer(&annals)?, cursor: 0, opened: None })
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
        // The last one's number counts them.
        if records.last().is_none_or(|last| last.number != records.len() as u64) {
            let why = "This screen does not hold the session from its beginning; `hustings why` with --needed reads its file.";
            self.explanation.needs = vec![why.to_owned()];
            return;
        }
        let records = upto(records, self.until);
        let Some(sought) = self.asked.sought(&annals(Some(head), records)) else {
            let why = "A lab that is played again is searched for a state or a violation. This is neither, so what it needed \
                       is not known.";
            self.explanation.needs = vec![why.to_owned()];
            return;
        };
        let needs = rerun(head, records, &sought, &faults);
        self.explanation.needs = needs.iter().map(|(fault, need)| need.told(&fault.to_string())).collect();
    }
}

/// The records up to this moment; all without one.
fn upto(records: &[Arc<Record>], until: Option<i64>) -> &[Arc<Record>] {
    let Some(until) = until else { return records };
    let end = records.iter().rposition(|record| record.at <= until).map_or(0, |last| last + 1);
    &records[..end]
}

/// These records as annals.
pub fn annals<'a>(head: Option<&'a Head>, records: &'a [Arc<Record>]) -> Annals<'a> {
    Annals::new(head, records.iter().map(|record| &**record))
}
