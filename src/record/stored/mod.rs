//! A session on a disk: it is read from its beginning, or from a place in it, as often as somebody likes.
//!
//! A session of several parts is read as one, whichever of them was named. Where a part is missing, a gap takes its place.
//!
//! Invariant: the files that were opened are those that are read, whatever their names mean later; a compressed part is
//! unpacked while it is read from its beginning on, and into a file without a name where somebody begins within it; so is
//! what comes out of a pipe, up to a limit; a compressed part that is damaged is read up to there, and then is an entry
//! that says so.

use std::cell::RefCell;
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufReader, Read, Take, Write};
use std::ops::ControlFlow;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::rc::Rc;

use super::files::{FileFrom, open_regular};
use super::parts::{self, PART_BYTES_MAX, PartForm, PartText};
use super::session_stream::{
    LineError, PassedLine, PassedRecords, SESSION_BYTES_MAX, Session, SessionEntry, SessionError, SessionStream,
    Skipped,
};
use super::{Body, FORMAT, FirstLine, Head, Missed, Record, monotonic_nanos};

/// What does not come out of a file is not read beyond this.
const PIPE_BYTES_MAX: u64 = if cfg!(test) { 4 << 20 } else { 256 << 20 };
const OF_PART: &str = "out of one compressed file";

/// A session on a disk.
#[derive(Debug)]
pub struct StoredSession {
    parts: Vec<PartPlace>,
    head: Option<Head>,
    /// The compressed part within which somebody began last, as text.
    unpacked: RefCell<Option<(usize, UnpackedPart)>>,
}

/// The text of a compressed part, in a file.
#[derive(Clone, Debug)]
struct UnpackedPart {
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
    stream: Option<SessionStream<BufReader<Take<TextFrom>>>>,
    /// The parts that are missing before the next record.
    missing: Option<u32>,
    /// That record, with its place, if the gap before it was given.
    waiting: Option<(SessionPlace, Record)>,
    passed_over: PassedLine,
    /// What was passed over in the parts before.
    passed: PassedRecords,
}

/// The text of a part from a place on.
#[derive(Debug)]
enum TextFrom {
    /// Is read, or unpacked, from its beginning on.
    Beginning(PartText<Rc<File>>),
    /// Is in a file of text.
    Within(FileFrom<Rc<File>>, Option<String>),
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
        let mut session = StoredSession { parts, head: None, unpacked: RefCell::new(None) };
        match session.entries().next_entry()? {
            Some(SessionEntry::Head(head)) => session.head = Some(*head),
            Some(SessionEntry::Skipped(Skipped { why: LineError::Foreign { format, version }, .. }))
                if format == FORMAT =>
            {
                return Err(SessionError::OtherVersion(version));
            }
            _ => {}
        }
        Ok(session)
    }

    pub fn entries(&self) -> StoredEntries<'_> {
        self.entries_from(SessionPlace { part: 0, offset: 0, lines: 0, bytes: 0, last: 0 })
    }

    /// The entries from this place on.
    pub fn entries_from(&self, place: SessionPlace) -> StoredEntries<'_> {
        StoredEntries {
            session: self,
            place,
            stream: None,
            missing: None,
            waiting: None,
            passed_over: PassedLine::Nothing,
            passed: PassedRecords::default(),
        }
    }

    /// All entries but the steps.
    pub fn entries_without_steps(&self) -> StoredEntries<'_> {
        StoredEntries { passed_over: PassedLine::Steps, ..self.entries() }
    }

    /// How much of the session lies before this place, from 0 to 1, as if all its parts were of one length.
    pub fn share_before(&self, place: SessionPlace) -> f64 {
        let bytes = match self.parts.get(place.part) {
            Some(PartPlace::There(part)) if place.offset > 0 => {
                let text = match part.form {
                    PartForm::Plain => Ok(Rc::clone(&part.file)),
                    PartForm::Compressed => self.unpacked(place.part, part).map(|text| text.file),
                };
                text.ok().and_then(|text| text.metadata().ok()).map_or(0, |text| text.len())
            }
            Some(PartPlace::There(_) | PartPlace::Missing(_)) | None => 0,
        };
        let within = if bytes == 0 { 0.0 } else { place.offset as f64 / bytes as f64 };
        (place.part as f64 + within) / self.parts.len().max(1) as f64
    }

    /// The text of this part from this offset on.
    fn text_from(&self, place: usize, part: &SessionPart, offset: u64) -> Result<TextFrom, SessionError> {
        if part.form == PartForm::Plain {
            return Ok(TextFrom::Within(FileFrom::new(Rc::clone(&part.file), offset), None));
        }
        if offset <= part.head_bytes {
            let mut text = PartText::new(Rc::clone(&part.file), part.form)?;
            io::copy(&mut (&mut text).take(offset), &mut io::sink())?;
            return Ok(TextFrom::Beginning(text));
        }
        let UnpackedPart { file, damage } = self.unpacked(place, part)?;
        Ok(TextFrom::Within(FileFrom::new(file, offset), damage))
    }

    /// The text of this compressed part, in a file.
    fn unpacked(&self, place: usize, part: &SessionPart) -> Result<UnpackedPart, SessionError> {
        let mut kept = self.unpacked.borrow_mut();
        if let Some((of, text)) = &*kept
            && *of == place
        {
            return Ok(text.clone());
        }
        let mut content = PartText::new(Rc::clone(&part.file), part.form)?;
        let file = Rc::new(spooled(&mut content, PART_BYTES_MAX, OF_PART)?);
        let text = UnpackedPart { file, damage: content.damage().map(str::to_owned) };
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
                let text = self.session.text_from(place, part, offset)?;
                // A file of text is as long as it is; what is unpacked has no end before the limit.
                let most =
                    if part.form == PartForm::Plain { u64::MAX } else { (PART_BYTES_MAX + 1).saturating_sub(offset) };
                let input = BufReader::with_capacity(1 << 16, text.take(most));
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
                    let text = stream.input().get_ref();
                    if text.limit() == 0 {
                        return Err(SessionError::TooLong { most: PART_BYTES_MAX, of: OF_PART });
                    }
                    let damage = text.get_ref().damage().map(str::to_owned);
                    self.enter_next_part();
                    if let Some(why) = damage {
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

impl TextFrom {
    /// Why nothing of the part follows what was read, if something should.
    fn damage(&self) -> Option<&str> {
        match self {
            TextFrom::Beginning(text) => text.damage(),
            TextFrom::Within(_, damage) => damage.as_deref(),
        }
    }
}

impl Read for TextFrom {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            TextFrom::Beginning(text) => text.read(buffer),
            TextFrom::Within(text, _) => text.read(buffer),
        }
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
    let line = parts::first_line::<FirstLine>(&file, form)?;
    let file = Rc::new(file);
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
        let file = parts::open(&path).ok()?;
        let form = parts::form_of(&file).ok()?;
        let (line, head_bytes) = parts::first_line::<FirstLine>(&file, form).ok()??;
        let is_it = line.part == part && line.head.lab_id == lab_id;
        is_it.then(|| SessionPart { file: Rc::new(file), form, head_bytes })
    })
}

/// What comes out of this, in a file that has no name.
fn spooled(from: impl Read, most: u64, of: &'static str) -> Result<File, SessionError> {
    let name = format!("hustings-{}-{}", std::process::id(), monotonic_nanos());
    let directory = std::env::temp_dir();
    let path = directory.join(name);
    let refused = |error: io::Error| SessionError::NotUnpacked {
        directory: directory.clone(),
        why: error.to_string(),
        number: error.raw_os_error(),
    };
    let opened = OpenOptions::new().read(true).write(true).create_new(true).mode(0o600).open(&path);
    let mut file = opened.and_then(|file| fs::remove_file(&path).map(|()| file)).map_err(refused)?;
    let mut from = from.take(most + 1);
    let mut bytes = vec![0; 1 << 17];
    loop {
        match from.read(&mut bytes)? {
            0 => break,
            count => file.write_all(&bytes[..count]).map_err(refused)?,
        }
    }
    if from.limit() == 0 { Err(SessionError::TooLong { most, of }) } else { Ok(file) }
}

#[cfg(test)]
mod tests;
