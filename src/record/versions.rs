//! The versions of the session's form: what each had, so that a session of years ago still opens.
//!
//! A version is a number in the first line. Within a version, fields and kinds of records may be added, and a reader keeps
//! what it does not know; a field without which an older reader would tell something false needs a new version. Of each
//! version `tests/sessions` keeps a file as its builds wrote it.
//!
//! | version | what it had |
//! |---|---|
//! | 1 | a head, then one record a line: `number`, `at`, `node`, `kind` and the kind's fields; `lab`, the stamp once more, in builds before lab time was the stamp; plain text, later also compressed (`.zst`), later also in parts |
//!
//! What builds of version 1 added: `wall` in records; `source`, `origin`, `drawn`, `made_by` and `part` in the head. A head
//! or a record without them means what it meant then.
//!
//! Invariant: every version of this table can be read; a file of a later version is refused with both numbers.

use super::VERSION;

/// The oldest version that is read.
pub const VERSION_OLDEST: u32 = 1;

/// Whether sessions of this version can be read.
pub fn is_readable(version: u32) -> bool {
    (VERSION_OLDEST..=VERSION).contains(&version)
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;
    use crate::{Body, LineError, Origin, Record, SessionReader};

    fn old_file(version: u32) -> PathBuf {
        PathBuf::from(format!(
            "{}/tests/sessions/version-{version}.jsonl",
            concat!(env!("CARGO_MANIFEST_DIR"), "/../..")
        ))
    }

    #[test]
    fn a_file_of_each_version_opens_whole() {
        for version in VERSION_OLDEST..=VERSION {
            let session = SessionReader::open(&old_file(version)).unwrap();
            assert_eq!(session.skipped, [], "version {version}");
            assert_eq!(session.head.map(|head| head.version), Some(version));
            assert!(session.records.iter().all(|record| !matches!(record.body, Body::Unknown(_))), "version {version}");
            let ended = session.records.last().map(|record| &record.body);
            assert!(matches!(ended, Some(Body::Ended { .. })), "version {version}");
        }
    }

    /// As the first builds of version 1 wrote it: the stamp twice, and nothing in the head that came later.
    #[test]
    fn the_first_form_of_version_1_says_what_it_said_then() {
        let text = std::fs::read_to_string(old_file(1)).unwrap();
        let (head, records) = text.split_once('\n').unwrap();
        let mut head: serde_json::Value = serde_json::from_str(head).unwrap();
        let map = head.as_object_mut().unwrap();
        ["source", "origin", "drawn", "made_by", "part"].into_iter().for_each(|later| drop(map.remove(later)));
        let twice = |line: &str| {
            let at = line.split("\"at\":").nth(1).unwrap().split(',').next().unwrap().to_owned();
            line.replacen(&format!("\"at\":{at},"), &format!("\"at\":{at},\"lab\":{at},"), 1)
        };
        let records: Vec<String> = records.lines().map(twice).collect();
        let old = SessionReader::read(format!("{head}\n{}\n", records.join("\n")).as_bytes());
        let new = SessionReader::open(&old_file(1)).unwrap();
        assert_eq!(old.skipped, []);
        let lines = |records: &[Record]| records.iter().map(Record::to_line).collect::<Vec<String>>();
        assert_eq!(lines(&old.records), lines(&new.records));
        assert_eq!(old.head.unwrap().origin, Origin::Live);
    }

    #[test]
    fn a_file_of_a_later_version_is_refused_with_both_numbers() {
        let text = std::fs::read_to_string(old_file(VERSION)).unwrap();
        let later = text.replacen(&format!("\"version\":{VERSION}"), &format!("\"version\":{}", VERSION + 1), 1);
        let read = SessionReader::read(later.as_bytes());
        assert!(matches!(&read.skipped[0].why, LineError::Foreign { version, .. } if *version == VERSION + 1));
        let told = read.skipped[0].why.to_string();
        assert!(
            told.contains(&format!("hustings-session {}", VERSION + 1)) && told.contains("a later build"),
            "{told}"
        );
    }
}
