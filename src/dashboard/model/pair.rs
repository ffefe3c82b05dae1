//! Two sessions side by side: one of them is in front, and the other one follows it in time.
//!
//! Invariant: both halves are whole screens of a size that shows everything that matters, or only the one in front is
//! drawn.

use std::sync::Arc;

use ratatui::layout::Rect;

use crate::view::paint;
use protocol::NodeId;

/// The smallest half, in columns and rows, without its footer.
const HALF_MIN: (u16, u16) = (60, 15);
/// In fewer rows than these, the strip has fewer rows,
const LOW: u16 = 28;
/// and in fewer than these there is none.
const STRIP_FROM: u16 = 21;

/// The other one of two sessions, with the state of its screen.
#[derive(Debug)]
pub struct OtherSession<S> {
    /// The screen of the other session.
    pub other: S,
    /// What the two differ in.
    pub told: Arc<SessionDifference>,
    /// The size of the whole screen.
    pub size: (u16, u16),
    /// The time of the one in front when the other one followed it last.
    pub followed: i64,
}

/// What two sessions differ in, in words.
#[derive(Clone, Default, Eq, PartialEq, Debug)]
pub struct SessionDifference {
    /// In one line.
    pub title: String,
    /// In a few sentences, the one about the difference itself first.
    pub sentences: Vec<String>,
    /// In all sentences that there are.
    pub whole: Vec<String>,
    /// Where each session has its part of it, if they differ; the first two sentences are about these parts.
    pub places: Option<[PairPlace; 2]>,
    /// The node in which they differ, if it is one.
    pub node: Option<NodeId>,
}

/// A place in one of two sessions.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
pub enum PairPlace {
    /// Just after the record of this number.
    Record(u64),
    /// At this time, in nanoseconds since the lab began: there is no record.
    Time(i64),
}

/// Which of two sessions one is.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
pub struct PairSide {
    /// The session's letter.
    pub letter: char,
    /// The session's place among the two.
    pub place: usize,
    /// When it parts from the other one, if that is known.
    pub parts_at: Option<i64>,
}

/// Where the two stand on the screen.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
pub struct PairPlaces {
    /// The halves, in the order of their letters; the one that is not in front has no size where only one fits.
    pub halves: [Rect; 2],
    /// What they differ in.
    pub strip: Rect,
    pub footer: Rect,
}

impl PairPlaces {
    /// The places on a screen of this size, of which that one is in front: side by side if both are wide enough, one above
    /// the other if both are high enough, else the one in front alone.
    pub fn of((width, height): (u16, u16), front: usize) -> PairPlaces {
        let strip = match height {
            ..STRIP_FROM => 0,
            STRIP_FROM..LOW => 4,
            LOW.. => 6,
        };
        let footer = Rect { x: 0, y: height.saturating_sub(1), width, height: height.min(1) };
        let above = height.saturating_sub(strip + 1);
        let strip = Rect { x: 0, y: above, width, height: strip };
        let whole = Rect { x: 0, y: 0, width, height: above };
        let halves = if width > 2 * HALF_MIN.0 {
            let left = (width - 1) / 2;
            [Rect { width: left, ..whole }, Rect { x: left + 1, width: width - left - 1, ..whole }]
        } else if above >= 2 * HALF_MIN.1 {
            let upper = above / 2;
            [Rect { height: upper, ..whole }, Rect { y: upper, height: above - upper, ..whole }]
        } else {
            std::array::from_fn(|place| if place == front { whole } else { Rect::ZERO })
        };
        PairPlaces { halves, strip, footer }
    }

    /// The size of the screen of a half, which has a footer that is not drawn; a half without a size is as large as the
    /// other one.
    pub fn size_of(&self, place: usize) -> (u16, u16) {
        let half = if self.halves[place].height == 0 { self.halves[1 - place] } else { self.halves[place] };
        (half.width, half.height + 1)
    }

    /// Whether both halves are on the screen.
    pub fn shows_both(&self) -> bool {
        self.halves.iter().all(|half| half.height > 0)
    }
}

impl SessionDifference {
    /// The lines of its sentences that fit into this many rows of this width, first about the session in front. If there
    /// are more, the last line says so, and which key shows them.
    pub fn lines(&self, front: usize, width: u16, rows: usize, key: &str) -> Vec<String> {
        let mut sentences: Vec<&String> = self.sentences.iter().collect();
        if self.places.is_some() && front < sentences.len() {
            sentences.swap(0, front);
        }
        let mut lines: Vec<String> = sentences.into_iter().flat_map(|text| paint::wrap(text, width)).collect();
        if lines.len() > rows && rows > 0 {
            lines.truncate(rows - 1);
            lines.push(format!("{key} tells all of it."));
        }
        lines
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_stand_side_by_side_one_above_the_other_or_alone_and_are_never_too_small() {
        let shape = |size| {
            let places = PairPlaces::of(size, 0);
            let [one, other] = places.halves;
            (places.shows_both(), one.y == other.y, places.size_of(0), places.size_of(1))
        };
        assert_eq!(shape((140, 45)), (true, true, (69, 39), (70, 39)));
        assert_eq!(shape((80, 45)), (true, false, (80, 20), (80, 20)));
        assert_eq!(shape((80, 24)), (false, true, (80, 20), (80, 20)));
        assert_eq!(shape((100, 30)), (false, true, (100, 24), (100, 24)));
        assert_eq!(shape((60, 16)), (false, true, (60, 16), (60, 16)));
        assert_eq!(PairPlaces::of((80, 24), 1).halves[0], Rect::ZERO);
        for (width, height) in [(0, 0), (1, 1), (300, 3), (3, 300)] {
            let places = PairPlaces::of((width, height), 1);
            let all = Rect { x: 0, y: 0, width, height };
            for place in places.halves.into_iter().chain([places.strip, places.footer]) {
                assert_eq!(all.intersection(place), place, "{width}x{height}");
            }
        }
    }
}
