//! Records a session, and says what happens when the file takes no more, or is deleted.
//!
//! Invariant: recording never delays or ends a lab; a record that is not in the file is counted, and a gap takes its
//! place as soon as the file takes one.

use std::path::{Path, PathBuf};

use super::{Body, Missed, Record, SessionFile, SessionOutput, SessionWriter, failpoint};

/// The session file, as long as the lab runs.
#[derive(Debug)]
pub struct Recorder<W: SessionOutput = SessionFile> {
    session: Option<SessionWriter<W>>,
    suspended: Option<Suspended>,
    /// The number of the newest record: they are numbered from 1, without a gap.
    newest: u64,
    missing: u64,
    /// The part of the session that is written, and when it began, the newest record and how many were missing.
    part: u32,
    newest_before: u64,
    missing_before: u64,
}

/// The file does not take records.
#[derive(Debug)]
struct Suspended {
    why: String,
    /// How many records it lacks for that.
    count: u64,
}

impl<W: SessionOutput> Recorder<W> {
    /// Records to this session, or nothing.
    pub fn new(session: Option<SessionWriter<W>>) -> Recorder<W> {
        Recorder { session, suspended: None, newest: 0, missing: 0, part: 0, newest_before: 0, missing_before: 0 }
    }

    /// Where the session is, if one is recorded.
    pub fn path(&self) -> Option<&Path> {
        self.session.as_ref().map(SessionWriter::path)
    }

    /// How many records are missing in the file.
    pub fn missing(&self) -> u64 {
        self.missing
    }

    /// Writes a record, or counts it. If this suspends recording: why.
    pub fn write(&mut self, record: &Record) -> Option<String> {
        self.session.is_some().then(|| self.write_line(record, &record.to_line())).flatten()
    }

    /// Writes this record, whose line this is, or counts it. If this suspends recording: why.
    pub fn write_line(&mut self, record: &Record, line: &str) -> Option<String> {
        let session = self.session.as_mut()?;
        let number = record.number;
        self.newest = number;
        if let Some(suspended) = &mut self.suspended {
            suspended.count += 1;
            self.missing += 1;
            return None;
        }
        if let Body::Ended { .. } = record.body {
            session.begin_last();
        }
        failpoint("recorder-before-write");
        let written = session.write_line(line);
        failpoint("recorder-after-write");
        if session.part() != self.part {
            (self.part, self.newest_before, self.missing_before) = (session.part(), number - 1, self.missing);
        }
        let why = written.err()?.to_string();
        self.suspended = Some(Suspended { why: why.clone(), count: 1 });
        self.missing += 1;
        Some(why)
    }

    /// If recording is suspended, tries whether the file takes a gap in place of the missing records. If it does,
    /// recording goes on: how many records are missing since it was suspended.
    fn fill_gap(&mut self, now: i64) -> Option<u64> {
        let (session, suspended) = (self.session.as_mut()?, self.suspended.as_ref()?);
        let place = format!("because this file could not be written ({})", suspended.why);
        let gap = Record::of_host(now, Body::Gap(Missed { count: suspended.count, place }));
        // The last lost record's number keeps the numbers of the file rising.
        session.write(&Record { number: self.newest, ..gap }).ok()?;
        self.suspended.take().map(|suspended| suspended.count)
    }
}

impl Recorder {
    /// Where the session is, if one was recorded and nobody has deleted it.
    pub fn kept(&self) -> Option<PathBuf> {
        self.session.as_ref().filter(|session| !session.is_deleted()).map(|session| session.path().to_owned())
    }

    /// If the file that is written has been deleted, recording is suspended, and everything in it is missing: why, unless
    /// recording was suspended before.
    pub fn notice_deletion(&mut self) -> Option<String> {
        if !self.session.as_ref()?.is_deleted() {
            return None;
        }
        let was_suspended = self.suspended.is_some();
        let why = "the session file was deleted".to_owned();
        let count = self.newest - self.newest_before;
        self.suspended = Some(Suspended { why: why.clone(), count });
        self.missing = self.missing_before + count;
        (!was_suspended).then_some(why)
    }

    /// If recording is suspended, tries to go on, in place of a deleted file with a new one. If that succeeds: how many
    /// records are missing since recording was suspended.
    pub fn resume(&mut self, now: i64) -> Option<u64> {
        self.suspended.as_ref()?;
        let session = self.session.as_mut()?;
        if session.is_deleted() {
            session.begin_anew().ok()?;
        }
        self.fill_gap(now)
    }
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;
    use std::io::{Read, Write};
    use std::rc::Rc;
    use std::{fs, io};

    use super::*;
    use crate::packed::UnpackedText;
    use crate::parts::{self, PartForm};
    use crate::{FirstLine, PartSize, SessionReader, sample};

    /// Files on a disk with so much room, which can be cut or not.
    #[derive(Clone)]
    struct Disk(Rc<RefCell<(Vec<Vec<u8>>, usize)>>, Cuts);

    #[derive(Copy, Clone, Eq, PartialEq, Debug)]
    enum Cuts {
        Done,
        Refused,
    }

    impl Disk {
        fn new(cuts: Cuts) -> Disk {
            Disk(Rc::new(RefCell::new((vec![Vec::new()], 0))), cuts)
        }

        fn make_room(&self, bytes: usize) {
            self.0.borrow_mut().1 += bytes;
        }

        fn bytes(&self) -> usize {
            self.0.borrow().0.iter().map(Vec::len).sum()
        }

        /// The records of all parts, and how many lines cannot be read.
        fn records(&self) -> (Vec<Record>, usize) {
            let mut records = (Vec::new(), 0);
            for part in &self.0.borrow().0 {
                let mut text = Vec::new();
                match parts::form_beginning_with(part) {
                    PartForm::Plain => text.extend(part),
                    PartForm::Compressed => {
                        UnpackedText::new(&part[..]).unwrap().read_to_end(&mut text).unwrap();
                    }
                }
                // The first line is the head's.
                let session = SessionReader::read(&[b"\n", &text[..]].concat());
                records.0.extend(session.records);
                records.1 += session.skipped.len();
            }
            records
        }
    }

    impl Write for Disk {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            let (parts, room) = &mut *self.0.borrow_mut();
            let taken = bytes.len().min(*room);
            if taken == 0 {
                return Err(io::ErrorKind::StorageFull.into());
            }
            parts.last_mut().unwrap().extend_from_slice(&bytes[..taken]);
            *room -= taken;
            Ok(taken)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    impl SessionOutput for Disk {
        fn begin_next_part(&mut self) -> io::Result<PartSize> {
            self.0.borrow_mut().0.push(Vec::new());
            Ok(PartSize::default())
        }

        fn cut(&mut self, bytes: u64) -> io::Result<()> {
            if self.1 == Cuts::Refused {
                return Err(io::ErrorKind::ReadOnlyFilesystem.into());
            }
            let (parts, room) = &mut *self.0.borrow_mut();
            let part = parts.last_mut().unwrap();
            *room += part.len() - bytes as usize;
            part.truncate(bytes as usize);
            Ok(())
        }
    }

    fn note(number: u64) -> Record {
        Record { number, ..Record::of_host(0, Body::Note { text: "a note".into() }) }
    }

    fn numbers(records: &[Record]) -> Vec<u64> {
        records.iter().map(|record| record.number).collect()
    }

    #[test]
    fn every_place_at_which_a_disk_fills_up_leaves_whole_records_and_one_gap_that_counts_the_rest() {
        for (name, cuts) in ["s", "s.zst"].into_iter().flat_map(|name| [(name, Cuts::Done), (name, Cuts::Refused)]) {
            let recorder = |disk: &Disk| Recorder::new(Some(SessionWriter::over(disk.clone(), Path::new(name))));
            let endless = Disk::new(cuts);
            endless.make_room(10_000);
            let mut whole = recorder(&endless);
            (1..=6).for_each(|number| assert_eq!(whole.write(&note(number)), None));
            // Of a plain line the end can be missing.
            for room in 0..endless.bytes() - 1 {
                let disk = Disk::new(cuts);
                let mut recorder = recorder(&disk);
                disk.make_room(room);
                let suspensions = (1..=6).filter(|number| recorder.write(&note(*number)).is_some()).count();
                assert_eq!(suspensions, 1, "{name} {room}");
                assert_eq!(recorder.fill_gap(1), None, "{name} {room}");
                let kept = disk.records().0.len() as u64;
                assert_eq!(recorder.missing(), 6 - kept, "{name} {room}");

                disk.make_room(1_000);
                assert_eq!(recorder.fill_gap(2), Some(6 - kept), "{name} {room}");
                assert_eq!(recorder.fill_gap(3), None, "{name} {room}");
                assert_eq!(recorder.write(&note(7)), None, "{name} {room}");
                let (records, skipped) = disk.records();
                assert!(skipped <= usize::from(cuts == Cuts::Refused), "{name} {room}: only a torn line is spoiled");
                let (expected, count): (Vec<u64>, u64) = ((1..=kept).chain([6, 7]).collect(), 6 - kept);
                assert_eq!(numbers(&records), expected, "{name} {room}");
                let gap = &records[records.len() - 2].body;
                assert!(matches!(gap, Body::Gap(missed) if missed.count == count), "{name} {room}: {gap:?}");
            }
        }
    }

    #[test]
    fn nothing_is_missing_where_nothing_is_recorded() {
        let mut recorder: Recorder = Recorder::new(None);
        assert_eq!((recorder.write(&note(1)), recorder.fill_gap(0), recorder.missing()), (None, None, 0));
        assert_eq!(recorder.notice_deletion(), None);
    }

    #[test]
    fn a_deleted_file_is_begun_anew_and_lacks_what_stood_in_it() {
        ["session.jsonl", "session.jsonl.zst"].into_iter().for_each(delete_and_begin_anew);
    }

    fn delete_and_begin_anew(name: &str) {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join(name);
        let first = FirstLine { head: sample::head(), made_by: None, part: 0 };
        let mut recorder = Recorder::new(Some(SessionWriter::create(&path, first).unwrap()));
        let told: Vec<_> = (1..=3).map(|number| recorder.write(&note(number))).collect();
        assert_eq!((told, recorder.notice_deletion(), recorder.resume(0)), (vec![None; 3], None, None));

        fs::remove_file(&path).unwrap();
        assert_eq!((recorder.path(), recorder.kept()), (Some(&*path), None));
        assert_eq!(recorder.notice_deletion().as_deref(), Some("the session file was deleted"));
        // While something else lies in its place, recording waits.
        fs::write(&path, "precious").unwrap();
        assert_eq!((recorder.resume(1), recorder.write(&note(4)), recorder.notice_deletion()), (None, None, None));
        assert_eq!(fs::read_to_string(&path).unwrap(), "precious");

        fs::remove_file(&path).unwrap();
        assert_eq!((recorder.resume(2), recorder.missing()), (Some(4), 4));
        assert_eq!((recorder.write(&note(5)), recorder.notice_deletion()), (None, None));
        assert_eq!(recorder.kept().as_deref(), Some(&*path));
        let records = SessionReader::open(&path).unwrap().records;
        assert_eq!(numbers(&records), [4, 5]);
        assert!(matches!(&records[0].body, Body::Gap(missed) if missed.count == 4));
    }
}
