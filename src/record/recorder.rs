//! Where a session is recorded, and what happens when the file takes no more, or is deleted.
//!
//! Invariants: recording never delays or ends a lab; a record that is not in the file is counted, and a gap takes its
//! place as soon as the file takes one; in the default place the newest hundred sessions are kept, and all that this
//! process has begun: it never removes a session that it has named to a person.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use serde::{Deserialize, Serialize};

use super::{Body, Head, Missed, Origin, Record, SessionWriter, failpoint};

/// How many sessions the default place keeps.
const SESSIONS_KEPT: usize = 100;
/// The sessions that this process has begun there.
static BEGUN: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

/// Where to record.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Recording {
    /// To a new file in `$XDG_STATE_HOME/hustings`, else `~/.local/state/hustings`.
    Default,
    /// To this file, which must not exist yet.
    To(PathBuf),
    /// Nothing.
    Off,
}

impl Recording {
    /// Begins the session file. An error names the file; nothing was recorded.
    pub fn begin(&self, head: &Head) -> io::Result<Option<SessionWriter>> {
        let path = match self {
            Recording::Off => return Ok(None),
            Recording::To(path) => path.clone(),
            Recording::Default => {
                let directory = default_directory();
                let path = directory.join(file_name(head));
                let mut begun = BEGUN.lock().unwrap_or_else(PoisonError::into_inner);
                keep_newest(&directory, &begun);
                begun.insert(path.clone());
                // A lab that is simulated again makes the same session again.
                if head.origin == Origin::Simulated {
                    let _ = fs::remove_file(&path);
                }
                path
            }
        };
        let named =
            |error: io::Error| io::Error::new(error.kind(), format!("cannot record to {}: {error}", path.display()));
        SessionWriter::create(&path, head).map(Some).map_err(named)
    }
}

/// The session file, as long as the lab runs.
#[derive(Debug)]
pub struct Recorder<W: Write = File> {
    session: Option<SessionWriter<W>>,
    suspended: Option<Suspended>,
    /// The number of the newest record: they are numbered from 1, without a gap.
    newest: u64,
    missing: u64,
}

/// The file does not take records.
#[derive(Debug)]
struct Suspended {
    why: String,
    /// How many records it lacks for that.
    count: u64,
}

impl<W: Write> Recorder<W> {
    /// Records to this session, or nothing.
    pub fn new(session: Option<SessionWriter<W>>) -> Recorder<W> {
        Recorder { session, suspended: None, newest: 0, missing: 0 }
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
        self.session.is_some().then(|| self.write_line(record.number, &record.to_line())).flatten()
    }

    /// Writes the line of the record of this number, or counts it. If this suspends recording: why.
    pub fn write_line(&mut self, number: u64, line: &str) -> Option<String> {
        let session = self.session.as_mut()?;
        self.newest = number;
        if let Some(suspended) = &mut self.suspended {
            suspended.count += 1;
            self.missing += 1;
            return None;
        }
        failpoint("recorder-before-write");
        let written = session.write_line(line);
        failpoint("recorder-after-write");
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

    /// If the file has been deleted, recording is suspended, and everything in it is missing: why, unless recording was
    /// suspended before.
    pub fn notice_deletion(&mut self) -> Option<String> {
        if !self.session.as_ref()?.is_deleted() {
            return None;
        }
        let was_suspended = self.suspended.is_some();
        let why = "the session file was deleted".to_owned();
        self.suspended = Some(Suspended { why: why.clone(), count: self.newest });
        self.missing = self.newest;
        (!was_suspended).then_some(why)
    }

    /// If recording is suspended, tries to go on; in place of a deleted file `begin` makes a new one. If that succeeds:
    /// how many records are missing since recording was suspended.
    pub fn resume(&mut self, now: i64, begin: impl FnOnce(&Path) -> io::Result<SessionWriter>) -> Option<u64> {
        self.suspended.as_ref()?;
        let session = self.session.as_mut()?;
        if session.is_deleted() {
            *session = begin(session.path()).ok()?;
        }
        self.fill_gap(now)
    }
}

/// `first-1763628683-3f0a9c21.jsonl`: the lab, when (or that it was simulated, and the seed), and the head of its id.
fn file_name(head: &Head) -> String {
    let safe: String = head.name.chars().map(|c| if c.is_ascii_alphanumeric() || c == '-' { c } else { '_' }).collect();
    let made = match head.origin {
        Origin::Live => head.wall_clock.to_string(),
        Origin::Simulated => format!("simulated-{}", head.drawn.as_ref().map_or(head.seed, |drawn| drawn.seed)),
    };
    format!("{safe}-{made}-{}.jsonl", &head.lab_id[..8])
}

fn default_directory() -> PathBuf {
    let home = || std::env::var_os("HOME").map(|home| PathBuf::from(home).join(".local/state"));
    let state = std::env::var_os("XDG_STATE_HOME").map(PathBuf::from).filter(|path| path.is_absolute());
    state.or_else(home).unwrap_or_else(std::env::temp_dir).join("hustings")
}

/// Makes room for one more, but spares these. A file that cannot be listed or removed does not matter to this lab.
fn keep_newest(directory: &Path, spared: &BTreeSet<PathBuf>) {
    let Ok(entries) = fs::read_dir(directory) else { return };
    let is_session = |path: &PathBuf| path.extension().is_some_and(|extension| extension == "jsonl");
    let mut sessions: Vec<(std::time::SystemTime, PathBuf)> = entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(is_session)
        .filter_map(|path| Some((fs::metadata(&path).ok()?.modified().ok()?, path)))
        .collect();
    sessions.sort();
    let surplus = (sessions.len() + 1).saturating_sub(SESSIONS_KEPT);
    for (_, path) in sessions.into_iter().take(surplus).filter(|(_, path)| !spared.contains(path)) {
        let _ = fs::remove_file(path);
    }
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;
    use std::rc::Rc;

    use super::*;
    use crate::record::SessionReader;

    /// A file on a disk with so much room.
    #[derive(Clone, Default)]
    struct Disk(Rc<RefCell<(Vec<u8>, usize)>>);

    impl Disk {
        fn make_room(&self, bytes: usize) {
            self.0.borrow_mut().1 += bytes;
        }

        fn records(&self) -> (Vec<Record>, usize) {
            // The first line is the head's.
            let text = [b"\n", &self.0.borrow().0[..]].concat();
            let session = SessionReader::read(&text);
            (session.records, session.skipped.len())
        }
    }

    impl Write for Disk {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            let (content, room) = &mut *self.0.borrow_mut();
            let taken = bytes.len().min(*room);
            if taken == 0 {
                return Err(io::ErrorKind::StorageFull.into());
            }
            content.extend_from_slice(&bytes[..taken]);
            *room -= taken;
            Ok(taken)
        }

        fn flush(&mut self) -> io::Result<()> {
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
        let line = note(1).to_line().len() + 1;
        for room in 0..4 * line {
            let disk = Disk::default();
            let mut recorder = Recorder::new(Some(SessionWriter::over(disk.clone(), Path::new("s"))));
            disk.make_room(room);
            let suspensions = (1..=6).filter(|number| recorder.write(&note(*number)).is_some()).count();
            assert_eq!(suspensions, 1, "{room}");
            assert_eq!(recorder.fill_gap(1), None, "{room}");
            let kept = disk.records().0.len() as u64;
            assert_eq!(recorder.missing(), 6 - kept, "{room}");

            disk.make_room(1_000);
            assert_eq!(recorder.fill_gap(2), Some(6 - kept), "{room}");
            assert_eq!(recorder.fill_gap(3), None, "{room}");
            assert_eq!(recorder.write(&note(7)), None, "{room}");
            let (records, skipped) = disk.records();
            assert!(skipped <= 1, "{room}: only the torn line is spoiled");
            let (expected, count): (Vec<u64>, u64) = ((1..=kept).chain([6, 7]).collect(), 6 - kept);
            assert_eq!(numbers(&records), expected, "{room}");
            let gap = &records[records.len() - 2].body;
            assert!(matches!(gap, Body::Gap(missed) if missed.count == count), "{room}: {gap:?}");
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
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("session.jsonl");
        let begin = |path: &Path| {
            fs::OpenOptions::new().write(true).create_new(true).open(path).map(|file| SessionWriter::over(file, path))
        };
        let mut recorder = Recorder::new(Some(begin(&path).unwrap()));
        let told: Vec<_> = (1..=3).map(|number| recorder.write(&note(number))).collect();
        assert_eq!((told, recorder.notice_deletion(), recorder.resume(0, begin)), (vec![None; 3], None, None));

        fs::remove_file(&path).unwrap();
        assert_eq!((recorder.path(), recorder.kept()), (Some(&*path), None));
        assert_eq!(recorder.notice_deletion().as_deref(), Some("the session file was deleted"));
        // While something else lies in its place, recording waits.
        fs::write(&path, "precious").unwrap();
        assert_eq!(
            (recorder.resume(1, begin), recorder.write(&note(4)), recorder.notice_deletion()),
            (None, None, None)
        );
        assert_eq!(fs::read_to_string(&path).unwrap(), "precious");

        fs::remove_file(&path).unwrap();
        assert_eq!((recorder.resume(2, begin), recorder.missing()), (Some(4), 4));
        assert_eq!((recorder.write(&note(5)), recorder.notice_deletion()), (None, None));
        assert_eq!(recorder.kept().as_deref(), Some(&*path));
        let text = [b"\n".to_vec(), fs::read(&path).unwrap()].concat();
        let records = SessionReader::read(&text).records;
        assert_eq!(numbers(&records), [4, 5]);
        assert!(matches!(&records[0].body, Body::Gap(missed) if missed.count == 4));
    }

    #[test]
    fn the_newest_are_kept() {
        let directory = tempfile::tempdir().unwrap();
        for number in 0..SESSIONS_KEPT + 5 {
            let file = fs::File::create(directory.path().join(format!("{number:03}.jsonl"))).unwrap();
            let made = std::time::UNIX_EPOCH + std::time::Duration::from_secs(number as u64);
            file.set_modified(made).unwrap();
        }
        fs::write(directory.path().join("notes.txt"), "not a session").unwrap();
        let path = |number: usize| directory.path().join(format!("{number:03}.jsonl"));
        keep_newest(directory.path(), &BTreeSet::from([path(3)]));
        let left = fs::read_dir(directory.path()).unwrap().count();
        assert_eq!(left, SESSIONS_KEPT - 1 + 1 + 1);
        assert!(!path(5).exists() && path(6).exists() && path(3).exists(), "this process has named the fourth");
    }
}
