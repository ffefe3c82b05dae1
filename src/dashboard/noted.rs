//! The records of a session that are shown by default, and those shortly before them: the heartbeats of a quiet lab are
//! many more.
//!
//! Of each piece of a session it is known which records these are. They are kept where they are few; a piece of a
//! session file in which they are many is read.
//!
//! Invariant: nothing that is shown by default is left out of what is taken from here.

use std::collections::VecDeque;
use std::sync::Arc;

use super::shelf::CHUNK_RECORDS;
use record::Record;
use world::World;

/// So many records right before one that is shown belong to it: they tell what was waited for.
pub const BEFORE_SHOWN: usize = 100;
/// In a piece with more records that are shown none are kept.
const SHOWN_KEPT_MAX: usize = 50;
/// A piece that has this many records keeps no more of those that only come before a shown one.
const KEPT_MAX: usize = 150;

/// The records by which a moment is shown.
pub struct ToldRecords {
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

/// Those of one piece.
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
