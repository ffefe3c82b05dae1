//! The rows of a session that are kept, and the filter over them.
//!
//! Invariant: a row never changes its number, so a cursor stays on its row while others come and go.

use std::collections::VecDeque;
use std::sync::Arc;

use super::row::Row;
use super::sendings::Sendings;

/// A screen keeps this many rows.
pub const ROWS_MAX: usize = 20_000;

/// The newest rows, oldest first, each with a number that counts up.
#[derive(Clone, Debug)]
pub struct Journal {
    rows: VecDeque<Arc<Row>>,
    first: u64,
    sendings: Sendings,
}

impl Journal {
    /// An empty one.
    pub fn new() -> Journal {
        Journal { rows: VecDeque::new(), first: 0, sendings: Sendings::default() }
    }

    /// A journal that holds these rows; so many came before them.
    pub fn holding(before: usize, rows: &[Arc<Row>]) -> Journal {
        let mut sendings = Sendings::default();
        rows.iter().for_each(|row| sendings.take(row));
        Journal { rows: rows.iter().cloned().collect(), first: before as u64, sendings }
    }

    /// Adds a row; the oldest goes if there is no room.
    pub fn push(&mut self, row: Arc<Row>) {
        if self.rows.len() >= ROWS_MAX {
            if let Some(oldest) = self.rows.pop_front() {
                self.sendings.forget(&oldest);
            }
            self.first += 1;
        }
        self.sendings.take(&row);
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

    /// What became of the messages whose sending is kept.
    pub fn sendings(&self) -> &Sendings {
        &self.sendings
    }

    /// Whether it has no room for the rows before the first one.
    pub fn has_lost_rows(&self) -> bool {
        self.first > 0 && self.rows.len() >= ROWS_MAX
    }

    /// How many rows are kept.
    pub fn len(&self) -> usize {
        self.rows.len()
    }
}

/// Which rows the messages screen or the flow shows: those that contain all of its terms, and none of the terms after a `!`.
#[derive(Clone, Default, Eq, PartialEq, Debug)]
pub struct Filter {
    text: String,
    with: Vec<String>,
    without: Vec<String>,
}

impl Filter {
    /// The filter of this text: terms with blanks between them. It ignores the difference between capital and small
    /// letters. The empty text lets every row pass.
    pub fn new(text: &str) -> Filter {
        let text = text.trim();
        let (mut with, mut without) = (Vec::new(), Vec::new());
        for term in text.split_whitespace().map(str::to_lowercase) {
            match term.strip_prefix('!') {
                Some("") => {}
                Some(term) => without.push(term.to_owned()),
                None => with.push(term),
            }
        }
        Filter { text: text.to_owned(), with, without }
    }

    /// As it was written.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Whether it lets every row pass.
    pub fn is_open(&self) -> bool {
        self.with.is_empty() && self.without.is_empty()
    }

    /// Whether the row passes.
    pub fn passes(&self, row: &Row) -> bool {
        if self.is_open() {
            return true;
        }
        let text = row.text.to_lowercase();
        self.admits(|term| text.contains(term))
    }

    /// Whether all terms are in something, and none of those after a `!`; terms have small letters.
    pub fn admits(&self, is_in: impl Fn(&str) -> bool) -> bool {
        self.with.iter().all(|term| is_in(term)) && !self.without.iter().any(|term| is_in(term))
    }
}
