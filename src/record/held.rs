//! Records that are held in memory all at once, by whom walks back through them.
//!
//! Invariant: they take no more memory than a limit, whatever a file holds; of records of unknown kinds only numbers and
//! times are kept, once for those that follow each other.

use std::ops::Deref;

use super::{Body, Record, SessionError};

/// The records that are held take no more memory than this, as [`weight`] tells it. One hour of 16 processes that are
/// never at rest takes half of it.
const BYTES_MAX: u64 = 4 << 30;
/// A field or an effect takes this many bytes besides its text.
const VALUE_BYTES: u64 = 48;

/// Records of a session, in its order.
#[derive(Clone, Debug)]
pub struct HeldRecords {
    records: Vec<Record>,
    /// The memory that they take, and may take.
    bytes: u64,
    most: u64,
}

impl Default for HeldRecords {
    fn default() -> HeldRecords {
        HeldRecords { records: Vec::new(), bytes: 0, most: BYTES_MAX }
    }
}

impl HeldRecords {
    /// Takes in the next one.
    ///
    /// # Errors
    /// It would be too much.
    pub fn push(&mut self, record: Record) -> Result<(), SessionError> {
        let record = match record.body {
            Body::Unknown(_) if self.has_taken_in(&record) => return Ok(()),
            Body::Unknown(_) => {
                let body = Body::Untold { until: record.number, latest: record.at };
                Record { number: record.number, ..Record::of_host(record.at, body) }
            }
            _ => record,
        };
        self.bytes += weight(&record);
        if self.bytes > self.most {
            return Err(SessionError::TooMuch { most: self.most, before: record.at });
        }
        self.records.push(record);
        Ok(())
    }

    /// Whether this record of an unknown kind follows such ones, and stands with them now.
    fn has_taken_in(&mut self, record: &Record) -> bool {
        let Some(Record { body: Body::Untold { until, latest }, .. }) = self.records.last_mut() else { return false };
        let follows = (*until..=until.saturating_add(1)).contains(&record.number);
        if follows {
            (*until, *latest) = (record.number, record.at);
        }
        follows
    }
}

impl Deref for HeldRecords {
    type Target = [Record];

    fn deref(&self) -> &[Record] {
        &self.records
    }
}

/// About how many bytes of memory a record takes: its own, and for each part of it as much as the text form shows.
fn weight(record: &Record) -> u64 {
    let own = size_of::<Record>() as u64;
    if let Body::Untold { .. } = record.body {
        return own;
    }
    let line = record.to_line();
    // Each value but the first of a list or a map has a comma before it.
    let values = line.bytes().filter(|byte| *byte == b',').count() as u64;
    own + line.len() as u64 + VALUE_BYTES * values
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unknown(number: u64) -> Record {
        Record::from_line(&format!("{{\"number\":{number},\"at\":{number},\"kind\":\"x\",\"of\":[1,2,3]}}")).unwrap()
    }

    #[test]
    fn of_unknown_kinds_that_follow_each_other_numbers_and_times_are_kept_once() {
        let mut held = HeldRecords::default();
        // What such a run takes does not grow.
        for number in (2..100_000).chain([99_999, 99_999]) {
            held.push(unknown(number)).unwrap();
        }
        held.push(Record { number: 100_000, ..Record::of_host(100_000, Body::Began) }).unwrap();
        held.push(unknown(100_002)).unwrap();
        let until: Vec<(u64, i64)> = held.iter().map(Record::until).collect();
        assert_eq!(until, [(99_999, 99_999), (100_000, 100_000), (100_002, 100_002)]);
        assert_eq!((held[0].number, held[0].at), (2, 2));
    }

    #[test]
    fn what_takes_too_much_memory_is_refused_whatever_takes_it() {
        let began = |number| Record { number, ..Record::of_host(0, Body::Began) };
        let fields = vec!["[\"a\",\"\"]"; 1_000].join(",");
        let late = |number| {
            let id = "{\"from\":1,\"incarnation\":1,\"to\":2,\"sequence\":1}";
            let message = format!("{{\"kind\":\"x\",\"fields\":[{fields}],\"body\":\"\"}}");
            let line = format!(
                "{{\"number\":{number},\"at\":0,\"node\":2,\"kind\":\"late\",\"id\":{id},\"span\":0,\"message\":{message}}}"
            );
            Record::from_line(&line).unwrap()
        };
        let unlike = |number: u64| unknown(number * 7 % 1_000);
        let most: [(&dyn Fn(u64) -> Record, u64); 3] = [(&began, 10_000), (&late, 20), (&unlike, 10_000)];
        for (record, most) in most {
            let mut held = HeldRecords { most: 1 << 20, ..HeldRecords::default() };
            let taken = (1..=most).take_while(|number| held.push(record(*number)).is_ok()).count() as u64;
            assert!((2..most).contains(&taken), "{taken} of {most}");
        }
    }
}
