//! The rows of a session as far as they are kept, and the filter over them.
//!
//! Invariant: a row keeps its number as long as it is kept, so a cursor stays on its row while others come and go.

use std::collections::VecDeque;
use std::sync::Arc;

use super::row::Row;

/// A live screen keeps this many rows.
pub const LIVE_ROWS_MAX: usize = 20_000;

/// Rows, oldest first, each with a number that counts up.
#[derive(Clone, Debug)]
pub struct Journal {
    rows: VecDeque<Arc<Row>>,
    first: u64,
    limit: usize,
}

impl Journal {
    /// An empty one that keeps the newest `limit` rows.
    pub fn new(limit: usize) -> Journal {
        Journal { rows: VecDeque::new(), first: 0, limit }
    }

    /// One that keeps these and whatever follows.
    pub fn holding(rows: &[Arc<Row>]) -> Journal {
        Journal { rows: rows.iter().cloned().collect(), first: 0, limit: usize::MAX }
    }

    /// Adds a row; the oldest goes if there is no room.
    pub fn push(&mut self, row: Arc<Row>) {
        if self.rows.len() >= self.limit {
            self.rows.pop_front();
            self.first += 1;
        }
        self.rows.push_back(row);
    }

    /// The row of that number, if it is kept.
    pub fn get(&self, number: u64) -> Option<&Arc<Row>> {
        let place = number.checked_sub(self.first)?;
        self.rows.get(usize::try_from(place).ok()?)
    }

    /// The rows from this number on, oldest first, with their numbers.
    pub fn from(&self, number: u64) -> impl Iterator<Item = (u64, &Arc<Row>)> {
        let skipped = usize::try_from(number.saturating_sub(self.first)).unwrap_or(usize::MAX);
        let start = skipped.min(self.rows.len());
        (self.first + start as u64..).zip(self.rows.range(start..))
    }

    /// The rows before this number, newest first, with their numbers.
    pub fn before(&self, number: u64) -> impl Iterator<Item = (u64, &Arc<Row>)> {
        let end = usize::try_from(number.saturating_sub(self.first)).unwrap_or(usize::MAX).min(self.rows.len());
        let first = self.first;
        (0..end).rev().map(move |place| (first + place as u64, &self.rows[place]))
    }

    /// The rows, newest first, with their numbers.
    pub fn newest(&self) -> impl Iterator<Item = (u64, &Arc<Row>)> {
        self.before(u64::MAX)
    }

    /// How many rows are kept.
    pub fn len(&self) -> usize {
        self.rows.len()
    }
}

/// Which rows the messages screen shows: those that hold a text, or with `!` before it those that do not.
#[derive(Clone, Default, Eq, PartialEq, Debug)]
pub struct Filter {
    text: String,
    needle: String,
    sense: Sense,
}

#[derive(Copy, Clone, Default, Eq, PartialEq, Debug)]
enum Sense {
    #[default]
    With,
    Without,
}

impl Filter {
    /// The filter of this text; small and capital letters are the same to it. The empty text lets everything pass.
    pub fn new(text: &str) -> Filter {
        let text = text.trim();
        let (sense, needle) = match text.strip_prefix('!') {
            Some(needle) => (Sense::Without, needle.trim()),
            None => (Sense::With, text),
        };
        Filter { text: text.to_owned(), needle: needle.to_lowercase(), sense }
    }

    /// As it was written.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Whether it lets everything pass.
    pub fn is_open(&self) -> bool {
        self.needle.is_empty()
    }

    /// Whether the row passes.
    pub fn passes(&self, row: &Row) -> bool {
        self.is_open() || row.text.to_lowercase().contains(&self.needle) == (self.sense == Sense::With)
    }
}
