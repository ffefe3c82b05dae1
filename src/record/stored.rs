//! A session on a disk: it is read from its beginning, or from a place in it, as often as somebody likes.
//!
//! A session of several parts is read as one, whichever of them was named. Where a part is missing, a gap takes its place.
//!
//! Invariant: the files that were opened are those that are read, whatever their names mean later; what comes out of a
//! pipe, or out of a compressed part, is kept in a file without a name, up to a limit; a compressed part that is damaged
//! is read up to there, and then is an entry that says so.

use std::cell::RefCell;
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufReader, Read};
use std::ops::ControlFlow;
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::Path;
use std::rc::Rc;

use super::files::open_regular;
use super::packed::UnpackedText;
use super::parts::{self, PART_BYTES_MAX, PartForm};
use super::session::{
    LineError, PassedOver, PassedRecords, SESSION_BYTES_MAX, Session, SessionEntry, SessionError, SessionStream,
    Skipped,
};
use super::{Body, Head, Missed, Record, monotonic_nanos};

/// What does not come out of a file is not read beyond this.
const PIPE_BYTES_MAX: u64 = 256 << 20;

/// A session on a disk.
#[derive(Debug)]
pub struct StoredSession {
    parts: Vec<PartPlace>,
    head: Option<Head>,
    /// The compressed part that was read last, as text.
    text: RefCell<Option<(usize, PartText)>>,
}

/// The text of a part.
#[derive(Clone, Debug)]
struct PartText {
    file: Rc<File>,
    /// Why the rest of the part cannot be read, if it cannot.
    damage: Option<String>,
}

/// A part of a session that is there.
#[derive(Debug)]
struct SessionPart {
    file: Rc<File>,
    form: PartForm,
    /// How many bytes of its text its first line has.
    head_bytes: u64,
}

/// The place of a part in a session.
#[derive(Debug)]
enum PartPlace {
    /// The part.
    There(SessionPart),
    /// From the part of this number on up to the next, none is there.
    Missing(u32),
}

/// A place in a session, before an entry.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
pub struct SessionPlace {
    /// In which part, and where in its text.
    part: usize,
    offset: u64,
    /// How many lines and bytes of the session come before it.
    lines: usize,
    bytes: u64,
    /// The number of the last record before it.
    last: u64,
}

/// The entries of a session from a place on.
#[derive(Debug)]
pub struct StoredEntries<'a> {
    session: &'a StoredSession,
    /// Where the next entry begins.
    place: SessionPlace,
    /// The part's text from the place on, once it is read.
    stream: Option<SessionStream<BufReader<FileFrom>>>,
    /// Why nothing of the part follows that text, if something should.
    damage: Option<String>,
    /// The parts that are missing before the next record.
    missing: Option<u32>,
    /// That record, with its place, if the gap before it was given.
    waiting: Option<(SessionPlace, Record)>,
    passed_over: PassedOver,
    /// What was passed over in the parts before.
    passed: PassedRecords,
}

/// A file from an offset on, which other readers of the file do not move.
#[derive(Debug)]
struct FileFrom {
    file: Rc<File>,
    offset: u64,
}

impl StoredSession {
    /// Opens a session: a file, or all files that belong to the session of this part of one. Of a pipe, which is one of
    /// this process's own descriptors, everything is read now.
    ///
    /// # Errors
    /// It cannot be read, is no regular file, or is longer than any session.
    pub fn open(path: &Path) -> Result<StoredSession, SessionError> {
        let parts = match open_regular(path) {
            Ok(file) if !file.metadata()?.is_file() => {
                let file = Rc::new(spooled(file, PIPE_BYTES_MAX, "out of a pipe")?);
                let form = parts::form_of(&file)?;
                vec![PartPlace::There(SessionPart { file, form, head_bytes: 0 })]
            }
            Ok(file) => parts_of(path, file)?,
            Err(error) => {
                // Somebody may have compressed it, or its later parts alone may be left.
                let others = std::iter::once(parts::compressed(path)).chain(parts::later_of_missing(path));
                let mut there = others.filter_map(|other| Some((open_regular(&other).ok()?, other)));
                let (file, other) = there.next().ok_or(error)?;
                parts_of(&other, file)?
            }
        };
        let mut session = StoredSession { parts, head: None, text: RefCell::new(None) };
        if let Some(SessionEntry::Head(head)) = session.entries().next_entry()? {
            session.head = Some(*head);
        }
        Ok(session)
    }

    /// All entries.
    pub fn entries(&self) -> StoredEntries<'_> {
        self.entries_from(SessionPlace { part: 0, offset: 0, lines: 0, bytes: 0, last: 0 })
    }

    /// The entries from this place on.
    pub fn entries_from(&self, place: SessionPlace) -> StoredEntries<'_> {
        StoredEntries {
            session: self,
            place,
            stream: None,
            damage: None,
            missing: None,
            waiting: None,
            passed_over: PassedOver::Nothing,
            passed: PassedRecords::default(),
        }
    }

    /// All entries but the steps.
    pub fn entries_without_steps(&self) -> StoredEntries<'_> {
        StoredEntries { passed_over: PassedOver::Steps, ..self.entries() }
    }

    /// How much of the session lies before this place, from 0 to 1, as if all its parts were of one length.
    pub fn share_before(&self, place: SessionPlace) -> f64 {
        let bytes = match self.parts.get(place.part) {
            Some(PartPlace::There(part)) => {
                let text = self.text(place.part, part).ok().and_then(|text| text.file.metadata().ok());
                text.map_or(0, |text| text.len())
            }
            Some(PartPlace::Missing(_)) | None => 0,
        };
        let within = if bytes == 0 { 0.0 } else { place.offset as f64 / bytes as f64 };
        (place.part as f64 + within) / self.parts.len().max(1) as f64
    }

    /// The text of this part.
    fn text(&self, place: usize, part: &SessionPart) -> Result<PartText, SessionError> {
        if part.form == PartForm::Plain {
            return Ok(PartText { file: Rc::clone(&part.file), damage: None });
        }
        let mut kept = self.text.borrow_mut();
        if let Some((of, text)) = &*kept
            && *of == place
        {
            return Ok(text.clone());
        }
        let mut content = UnpackedText::new(FileFrom { file: Rc::clone(&part.file), offset: 0 })?;
        let file = Rc::new(spooled(&mut content, PART_BYTES_MAX, "out of one compressed file")?);
        let text = PartText { file, damage: content.damage() };
        *kept = Some((place, text.clone()));
        Ok(text)
    }
}

impl Session for StoredSession {
    fn head(&self) -> Option<&Head> {
        self.head.as_ref()
    }

    fn go_through(&self, take: &mut dyn FnMut(SessionEntry) -> ControlFlow<()>) -> Result<(), SessionError> {
        let mut entries = self.entries();
        while let Some(entry) = entries.next_entry()? {
            if take(entry).is_break() {
                break;
            }
        }
        Ok(())
    }
}

impl StoredEntries<'_> {
    /// The place of the next entry.
    pub fn place(&self) -> SessionPlace {
        self.waiting.as_ref().map_or(self.place, |(place, _)| *place)
    }

    /// The next entry; `None` at the end.
    ///
    /// # Errors
    /// A file cannot be read any further, or is longer or worse than any session.
    pub fn next_entry(&mut self) -> Result<Option<SessionEntry>, SessionError> {
        if let Some((_, record)) = self.waiting.take() {
            return Ok(Some(SessionEntry::Record(record)));
        }
        while let Some(part) = self.session.parts.get(self.place.part) {
            let part = match part {
                PartPlace::There(part) => part,
                PartPlace::Missing(number) => {
                    self.missing.get_or_insert(*number);
                    self.enter_next_part();
                    continue;
                }
            };
            if self.stream.is_none() {
                // Its first line is the head of the session, once more.
                if self.place.offset == 0 && self.place.lines > 0 {
                    self.place.offset = part.head_bytes;
                }
                let SessionPlace { part: place, offset, lines, bytes, .. } = self.place;
                let text = self.session.text(place, part)?;
                let input = BufReader::with_capacity(1 << 16, FileFrom { file: text.file, offset });
                self.damage = text.damage;
                self.stream = Some(SessionStream::behind(input, lines, bytes).without(self.passed_over));
            }
            let stream = self.stream.as_mut().expect("this was made above");
            let before = self.place;
            let entry = stream.next_entry()?;
            let (lines, bytes) = stream.place();
            self.place = SessionPlace { offset: before.offset + (bytes - before.bytes), lines, bytes, ..before };
            match entry {
                Some(SessionEntry::Record(record)) => return Ok(Some(self.behind_gap(before, record))),
                Some(entry) => return Ok(Some(entry)),
                None => {
                    self.enter_next_part();
                    if let Some(why) = self.damage.take() {
                        let why = LineError::Damaged(why);
                        return Ok(Some(SessionEntry::Skipped(Skipped { line: lines + 1, why })));
                    }
                }
            }
        }
        Ok(None)
    }

    /// What was passed over so far.
    pub fn passed(&self) -> PassedRecords {
        self.passed.and(self.stream.as_ref().map_or_else(PassedRecords::default, SessionStream::passed))
    }

    fn enter_next_part(&mut self) {
        self.passed = self.passed();
        self.stream = None;
        self.place = SessionPlace { part: self.place.part + 1, offset: 0, ..self.place };
    }

    /// This record, or before it a gap for the parts that are missing.
    fn behind_gap(&mut self, before: SessionPlace, record: Record) -> SessionEntry {
        let last = std::mem::replace(&mut self.place.last, record.number);
        let Some(part) = self.missing.take() else { return SessionEntry::Record(record) };
        let number = record.number.saturating_sub(1);
        let place = format!("because part {part} of the session is not there");
        let missed = Missed { count: number.saturating_sub(last), place };
        let gap = Record { number, ..Record::of_host(record.at, Body::Gap(missed)) };
        self.waiting = Some((SessionPlace { last: number, ..before }, record));
        SessionEntry::Record(gap)
    }
}

impl Read for FileFrom {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.file.read_at(buffer, self.offset)?;
        self.offset += read as u64;
        Ok(read)
    }
}

/// The parts of the session to which this file belongs.
fn parts_of(path: &Path, file: File) -> Result<Vec<PartPlace>, SessionError> {
    let bytes = file.metadata()?.len();
    let too_long = SessionError::TooLong { most: SESSION_BYTES_MAX, of: "file" };
    if bytes > SESSION_BYTES_MAX {
        return Err(too_long);
    }
    let form = parts::form_of(&file)?;
    let file = Rc::new(file);
    let line = parts::first_line(parts::content(FileFrom { file: Rc::clone(&file), offset: 0 }, form)?)?;
    // A file without its head, or of a name that no part has, stands for itself.
    let named = line.and_then(|(line, head_bytes)| {
        let (lab_id, mut firsts) = (line.head.lab_id, parts::firsts(path, line.part));
        let there = firsts.iter().position(|first| line.part == 0 || part_of(first, 0, &lab_id).is_some());
        (!firsts.is_empty()).then(|| (firsts.swap_remove(there.unwrap_or(0)), lab_id, (line.part, head_bytes)))
    });
    let Some((first, lab_id, (own, head_bytes))) = named else {
        return Ok(vec![PartPlace::There(SessionPart { file, form, head_bytes: 0 })]);
    };

    let mut found = Vec::new();
    let (mut expected, mut bytes) = (0, 0);
    for part in std::iter::once(0).chain(parts::later(&first)) {
        // The file that was named is read as it was opened, also through a link.
        let itself = (part == own).then(|| SessionPart { file: Rc::clone(&file), form, head_bytes });
        let Some(there) = itself.or_else(|| part_of(&first, part, &lab_id)) else { continue };
        bytes += there.file.metadata()?.len();
        if part > expected {
            found.push(PartPlace::Missing(expected));
        }
        found.push(PartPlace::There(there));
        expected = part + 1;
    }
    if bytes > SESSION_BYTES_MAX { Err(too_long) } else { Ok(found) }
}

/// This part of the session of this lab, if it is there.
fn part_of(first: &Path, part: u32, lab_id: &str) -> Option<SessionPart> {
    parts::places_of(first, part).into_iter().find_map(|path| {
        let file = Rc::new(parts::open(&path).ok()?);
        let form = parts::form_of(&file).ok()?;
        let content = parts::content(FileFrom { file: Rc::clone(&file), offset: 0 }, form).ok()?;
        let (line, head_bytes) = parts::first_line(content).ok()??;
        (line.part == part && line.head.lab_id == lab_id).then_some(SessionPart { file, form, head_bytes })
    })
}

/// What comes out of this, in a file that has no name.
fn spooled(from: impl Read, most: u64, of: &'static str) -> Result<File, SessionError> {
    let name = format!("hustings-{}-{}", std::process::id(), monotonic_nanos());
    let path = std::env::temp_dir().join(name);
    let mut file = OpenOptions::new().read(true).write(true).create_new(true).mode(0o600).open(&path)?;
    fs::remove_file(&path)?;
    let copied = io::copy(&mut from.take(most + 1), &mut file)?;
    if copied > most {
        return Err(SessionError::TooLong { most, of });
    }
    Ok(file)
}

#[cfg(test)]
mod tests;
