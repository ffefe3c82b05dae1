//! Leaps in a session: to a landmark, to a record.
//!
//! Invariant: a leap that finds nothing moves nothing.

use std::sync::Arc;

use super::{Landmark, Playback};
use crate::scene::Scene;
use record::Record;

impl Playback {
    /// The scene just after the last such record before the latest one, or at the beginning. `None` at the beginning.
    pub fn back_to(&mut self, is_it: impl Fn(&Record) -> bool) -> Option<Scene> {
        let latest = self.position.checked_sub(1)?;
        let place = (0..latest).rev().find(|place| is_it(&self.record(*place)));
        self.position = place.map_or(0, |place| place + 1);
        Some(self.moment(self.time_of(self.position)))
    }

    /// Whether such a landmark is known after the position.
    pub fn has_next(&self, landmark: Landmark) -> bool {
        self.landmarks.iter().any(|(place, of)| *place >= self.position && *of == landmark)
    }

    /// The scene just after the next such landmark, and its record. `None`, without moving, if there is none.
    pub fn next_of(&mut self, landmark: Landmark) -> Option<(Scene, Arc<Record>)> {
        loop {
            let is_it = |(place, of): &&(usize, Landmark)| *place >= self.position && *of == landmark;
            if let Some((place, _)) = self.landmarks.iter().find(is_it) {
                return self.just_after(*place);
            }
            if !self.read_on() {
                return None;
            }
        }
    }

    /// The scene just after the last such landmark before the latest record, and its record. `None`, without moving, if
    /// there is none.
    pub fn last_of(&mut self, landmark: Landmark) -> Option<(Scene, Arc<Record>)> {
        let is_it = |(place, of): &&(usize, Landmark)| place + 1 < self.position && *of == landmark;
        let (place, _) = *self.landmarks.iter().rev().find(is_it)?;
        self.just_after(place)
    }

    fn just_after(&mut self, place: usize) -> Option<(Scene, Arc<Record>)> {
        let record = self.records.get(place)?;
        self.position = place + 1;
        Some((self.moment(self.time_of(self.position)), record))
    }

    /// The scene just after the landmark of this ordinal, from 1, and its record. `None`, without moving, if there is none.
    pub fn nth_of(&mut self, landmark: Landmark, ordinal: usize) -> Option<(Scene, Arc<Record>)> {
        let index = ordinal.checked_sub(1)?;
        loop {
            let mut all = self.landmarks.iter().filter(|(_, of)| *of == landmark);
            if let Some((place, _)) = all.nth(index) {
                return self.just_after(*place);
            }
            if !self.read_on() {
                return None;
            }
        }
    }

    /// The scene just after the record of this number, or after the last one before that if records are missing; and that
    /// record. `None`, without moving, if there is none.
    pub fn record_of(&mut self, number: u64) -> Option<(Scene, Arc<Record>)> {
        // Numbers count from 1; where records are missing, there are fewer of them than numbers.
        self.read_records(usize::try_from(number).unwrap_or(usize::MAX));
        let (mut first, mut end) = (0, self.len());
        while first < end {
            let middle = first + (end - first) / 2;
            if self.record(middle).number <= number { first = middle + 1 } else { end = middle }
        }
        let is_beyond = self.len().checked_sub(1).is_none_or(|last| self.record(last).number < number);
        if is_beyond { None } else { self.just_after(first.checked_sub(1)?) }
    }
}
