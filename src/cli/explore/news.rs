//! The progress of a search: a line that is replaced on a terminal, else a line now and then.
//!
//! Invariant: it writes only to stderr, and leaves nothing on a terminal's last line.

use std::io::{IsTerminal, stderr};
use std::time::{Duration, Instant};

use super::super::columns::grouped;
use super::super::output::{remark, remark_in_place};
use explore::SearchTally;

/// Without a terminal, this much time passes between two lines of progress.
const LINES_APART: Duration = Duration::from_secs(10);
/// On a terminal, this much.
const LOOKS_APART: Duration = Duration::from_millis(200);

/// Shows progress.
pub struct SearchNews {
    pub began: Instant,
    last: Instant,
    horizon: u16,
    is_terminal: bool,
}

impl SearchNews {
    /// Nothing is shown yet.
    pub fn new(horizon: u16) -> SearchNews {
        let began = Instant::now();
        SearchNews { began, last: began, horizon, is_terminal: stderr().is_terminal() }
    }

    /// Shows how far the search is.
    pub fn show(&mut self, tally: &SearchTally) {
        if self.last.elapsed() < if self.is_terminal { LOOKS_APART } else { LINES_APART } {
            return;
        }
        self.last = Instant::now();
        let rate = tally.generated as f64 / self.began.elapsed().as_secs_f64();
        let line = format!(
            "tick {} of {}: {} generated, {} unique, depth {}, {} a second",
            tally.stages.len().saturating_sub(1),
            self.horizon,
            grouped(tally.generated),
            grouped(tally.unique),
            tally.depth,
            grouped(rate as u64),
        );
        if self.is_terminal {
            remark_in_place(line);
        } else {
            remark(line);
        }
    }

    /// Removes the line, so that something else can be printed.
    pub fn clear(&self) {
        if self.is_terminal {
            remark_in_place("");
        }
    }
}
