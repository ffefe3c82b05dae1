//! What a session that is played keeps: its records, worlds at some of its positions, and the records that are shown by
//! default.
//!
//! Of a session file only the records that were looked at last are in memory. The heartbeats of a quiet lab are many more
//! than the records that are shown: of each piece of a session it is known which these are; they are kept where they are
//! few, and a piece of a session file in which they are many is read.
//!
//! Invariants: whatever is kept, a record is the same each time. A keyframe is the world of its position; there are never
//! more than a given number of them. Nothing that is shown by default is left out of [`ShownRecords`].

use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;
use std::sync::Arc;

use record::{Body, Missed, Record, SessionEntry, SessionError, SessionPlace, StoredSession};
use world::World;

/// A session file is read in pieces of this many records.
pub const CHUNK_RECORDS: usize = 500;
/// This many pieces of a session file are kept.
const CHUNKS_KEPT: usize = 64;

/// The records of a session.
#[derive(Debug)]
pub enum SessionRecords {
    /// All of them, in memory.
    Held(Vec<Arc<Record>>),
    /// In a file.
    Stored(Box<StoredRecords>),
}

/// The records of a session file.
#[derive(Debug)]
pub struct StoredRecords {
    session: StoredSession,
    /// Where each piece begins.
    places: Vec<SessionPlace>,
    count: usize,
    /// Where reading goes on, if the file was not read to its end yet.
    rest: Option<SessionPlace>,
    /// The pieces that were read last, the latest at the end.
    recent: RefCell<VecDeque<(usize, Rc<Chunk>)>>,
}

/// The records of a piece of a session file.
type Chunk = Vec<Arc<Record>>;

impl SessionRecords {
    /// The record at this place, if there is one.
    pub fn get(&self, place: usize) -> Option<Arc<Record>> {
        match self {
            SessionRecords::Held(records) => records.get(place).cloned(),
            SessionRecords::Stored(stored) if place < stored.count => {
                Some(Arc::clone(&stored.chunk(place / CHUNK_RECORDS)[place % CHUNK_RECORDS]))
            }
            SessionRecords::Stored(_) => None,
        }
    }
}

impl StoredRecords {
    /// The records of this file, of which none has been read yet.
    pub fn new(session: StoredSession) -> StoredRecords {
        let rest = Some(session.entries().place());
        StoredRecords { session, places: Vec::new(), count: 0, rest, recent: RefCell::default() }
    }

    /// Whether the file was read to its end, or as far as it can be.
    pub fn is_whole(&self) -> bool {
        self.rest.is_none()
    }

    /// How much of it has been read, from 0 to 1.
    pub fn share_read(&self) -> f64 {
        self.rest.map_or(1.0, |rest| self.session.share_before(rest))
    }

    /// No more of it is read.
    pub fn give_up(&mut self) {
        self.rest = None;
    }

    /// The next records and lines that cannot be used, at most so many; after an error there are no more.
    pub fn read_on(&mut self, most: usize) -> Result<Vec<SessionEntry>, SessionError> {
        let Some(rest) = self.rest.take() else { return Ok(Vec::new()) };
        let mut entries = self.session.entries_from(rest);
        let mut read = Vec::new();
        while read.len() < most {
            let place = entries.place();
            let Some(entry) = entries.next_entry()? else { return Ok(read) };
            match entry {
                SessionEntry::Head(_) => continue,
                SessionEntry::Skipped(_) => {}
                SessionEntry::Record(_) => {
                    if self.count.is_multiple_of(CHUNK_RECORDS) {
                        self.places.push(place);
                    }
                    self.count += 1;
                }
            }
            read.push(entry);
        }
        self.rest = Some(entries.place());
        Ok(read)
    }

    /// The piece of this number.
    fn chunk(&self, number: usize) -> Rc<Chunk> {
        let mut recent = self.recent.borrow_mut();
        let known = recent.iter().position(|(of, _)| *of == number);
        let found = known.and_then(|place| recent.remove(place));
        let (_, chunk) = found.unwrap_or_else(|| (number, Rc::new(self.read(number))));
        if recent.len() == CHUNKS_KEPT {
            recent.pop_front();
        }
        recent.push_back((number, Rc::clone(&chunk)));
        chunk
    }

    fn read(&self, number: usize) -> Chunk {
        let wanted = (self.count - number * CHUNK_RECORDS).min(CHUNK_RECORDS);
        let mut records = Vec::with_capacity(wanted);
        let mut entries = self.session.entries_from(self.places[number]);
        while records.len() < wanted {
            let record = match entries.next_entry() {
                Ok(Some(SessionEntry::Record(record))) => record,
                Ok(Some(SessionEntry::Head(_) | SessionEntry::Skipped(_))) => continue,
                // Somebody has cut the file since it was opened.
                Ok(None) | Err(_) => {
                    let place = "because the file was changed while it was shown".to_owned();
                    Record::of_host(0, Body::Gap(Missed { count: 1, place }))
                }
            };
            records.push(Arc::new(record));
        }
        records
    }
}

/// The keyframes of a session, at equal distances.
#[derive(Debug)]
pub struct Keyframes {
    worlds: Vec<World>,
    /// How many records lie between two of them.
    spacing: usize,
    most: usize,
}

impl Keyframes {
    /// The keyframe of the beginning; there will be at most so many.
    pub fn new(beginning: World, most: usize) -> Keyframes {
        Keyframes { worlds: vec![beginning], spacing: CHUNK_RECORDS, most }
    }

    /// This is the world at the next position. If there are too many keyframes, every other one goes.
    pub fn note(&mut self, position: usize, world: &World) {
        if self.worlds.len() * self.spacing == position {
            self.worlds.push(world.clone());
        }
        if self.worlds.len() > self.most {
            self.worlds = std::mem::take(&mut self.worlds).into_iter().step_by(2).collect();
            self.spacing *= 2;
        }
    }

    /// The nearest keyframe before this position or at it, and its own position.
    pub fn before(&self, position: usize) -> (usize, World) {
        let frame = (position / self.spacing).min(self.worlds.len() - 1);
        (frame * self.spacing, self.worlds[frame].clone())
    }

    /// The session ends at this position.
    pub fn cut(&mut self, position: usize) {
        self.worlds.truncate(position.div_ceil(self.spacing).max(1));
    }
}

/// So many records right before one that is shown belong to it: they tell what was waited for.
pub const BEFORE_SHOWN: usize = 100;
/// In a piece with more records that are shown none are kept.
const SHOWN_KEPT_MAX: usize = 50;
/// A piece that has this many records keeps no more of those that only come before a shown one.
const KEPT_MAX: usize = 150;

/// The records by which a moment is shown.
pub struct MomentRecords {
    /// The world before them.
    pub beginning: World,
    /// They, in their order.
    pub records: Vec<Arc<Record>>,
    /// Among this many records, the first of the list, some are left out.
    pub older: usize,
}

/// Which records of a session are shown by default.
#[derive(Default, Debug)]
pub struct ShownRecords {
    pieces: Vec<ShownPiece>,
    /// The newest records, if they are not shown.
    recent: VecDeque<(usize, Arc<Record>)>,
}

/// The shown records of one piece.
#[derive(Default, Debug)]
struct ShownPiece {
    /// The places of those that are shown, within the piece.
    shown: Vec<u16>,
    /// The kept ones with their places in the session, in order.
    kept: Vec<(usize, Arc<Record>)>,
}

impl ShownRecords {
    /// This is the next record.
    pub fn note(&mut self, place: usize, record: &Arc<Record>, is_shown: bool) {
        let number = place / CHUNK_RECORDS;
        if number == self.pieces.len() {
            self.pieces.push(ShownPiece::default());
        }
        if !is_shown {
            if self.recent.len() == BEFORE_SHOWN {
                self.recent.pop_front();
            }
            return self.recent.push_back((place, Arc::clone(record)));
        }
        for (place, record) in self.recent.drain(..) {
            let piece = &mut self.pieces[place / CHUNK_RECORDS];
            if !piece.is_read() && piece.kept.len() < KEPT_MAX {
                piece.kept.push((place, record));
            }
        }
        let piece = &mut self.pieces[number];
        piece.shown.push(u16::try_from(place % CHUNK_RECORDS).unwrap_or(u16::MAX));
        if piece.is_read() {
            piece.kept = Vec::new();
        } else {
            piece.kept.push((place, Arc::clone(record)));
        }
    }

    /// The session ends at this place.
    pub fn cut(&mut self, place: usize) {
        self.pieces.truncate(place.div_ceil(CHUNK_RECORDS));
        if let Some(piece) = self.pieces.get_mut(place / CHUNK_RECORDS) {
            piece.shown.retain(|shown| usize::from(*shown) < place % CHUNK_RECORDS);
            piece.kept.retain(|(kept, _)| *kept < place);
        }
        self.recent.retain(|(recent, _)| *recent < place);
    }

    /// A place before this one, or this one itself, from which on at least so many are shown up to that end.
    pub fn start(&self, before: usize, end: usize, least: usize) -> usize {
        let mut shown = self.count(before, end);
        let mut start = before;
        while start > 0 && shown < least {
            let begins = (start - 1) / CHUNK_RECORDS * CHUNK_RECORDS;
            shown += self.count(begins, start);
            start = begins;
        }
        start
    }

    /// The records between these places that are shown, and those that are kept with them; each that is not kept is
    /// read with this.
    pub fn between(&self, start: usize, end: usize, read: impl Fn(usize) -> Arc<Record>) -> Vec<(usize, Arc<Record>)> {
        let mut found = Vec::new();
        for number in start / CHUNK_RECORDS..end.div_ceil(CHUNK_RECORDS).min(self.pieces.len()) {
            let piece = &self.pieces[number];
            if piece.is_read() {
                found.extend(piece.places(number).filter(|at| (start..end).contains(at)).map(|at| (at, read(at))));
            } else {
                found.extend(piece.kept.iter().filter(|(at, _)| (start..end).contains(at)).cloned());
            }
        }
        found
    }

    fn count(&self, start: usize, end: usize) -> usize {
        let pieces = start / CHUNK_RECORDS..end.div_ceil(CHUNK_RECORDS).min(self.pieces.len());
        pieces.map(|of| self.pieces[of].places(of).filter(|at| (start..end).contains(at)).count()).sum()
    }
}

impl ShownPiece {
    /// Whether it is read where it is needed.
    fn is_read(&self) -> bool {
        self.shown.len() > SHOWN_KEPT_MAX
    }

    fn places(&self, number: usize) -> impl Iterator<Item = usize> + '_ {
        self.shown.iter().map(move |place| number * CHUNK_RECORDS + usize::from(*place))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn world(position: usize) -> World {
        World { records: position as u64, ..World::default() }
    }

    #[test]
    fn keyframes_become_fewer_and_stay_at_their_positions() {
        let mut keyframes = Keyframes::new(world(0), 4);
        let mut seen = 0;
        for position in 0..40 * CHUNK_RECORDS {
            keyframes.note(position, &world(position));
            assert!(keyframes.worlds.len() <= 4);
            let (at, found) = keyframes.before(position);
            assert_eq!((found.records, at <= position), (at as u64, true), "{position}");
            seen = seen.max(position - at);
        }
        assert!(seen < 16 * CHUNK_RECORDS, "a fold of {seen} records");
        keyframes.cut(3 * CHUNK_RECORDS);
        keyframes.note(3 * CHUNK_RECORDS, &world(3 * CHUNK_RECORDS));
        assert_eq!(keyframes.before(usize::MAX), (0, world(0)));
    }
}
