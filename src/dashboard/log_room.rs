//! How many rows the log beside other panes has, and how many of them messages for a while may take.
//!
//! Invariant: where the log is a pane, its title and two of its rows stay.

/// From this size of the terminal on, the panes stand side by side.
const WIDE_FROM: (u16, u16) = (130, 40);
/// The log beside other panes has at least this many rows, with its title.
const LOG_ROWS_MIN: u16 = 5;

/// Whether a terminal of this size has room for all panes side by side.
pub fn is_wide((width, height): (u16, u16)) -> bool {
    width >= WIDE_FROM.0 && height >= WIDE_FROM.1
}

/// The rows of the log beside other panes, with its title, of so many rows for all panes.
pub fn log_rows(full: u16) -> u16 {
    (full / 9).max(LOG_ROWS_MIN)
}

/// How many rows messages for a while may take on a terminal of this size. Side by side, the log keeps two rows and its
/// title.
pub fn told_most(size: (u16, u16)) -> u16 {
    match size {
        (_, height) if height < 30 => 2,
        (_, height) if is_wide(size) => (log_rows(height - 4) - 3).min(4),
        _ => 4,
    }
}
