//! The screen of a session without a terminal, at a given size, for the formats that show it.
//!
//! Invariant: it shows what `replay` shows at the same size and time.

use std::io;

use super::exported::{Exported, ScreenSize};
use dashboard::{Offscreen, Options};
use record::StoredSession;

/// The smallest and the largest screen.
pub const SIZES: (ScreenSize, ScreenSize) =
    (ScreenSize { columns: 60, rows: 16 }, ScreenSize { columns: 300, rows: 100 });

/// The screen at the beginning of the session.
///
/// # Errors
/// The session cannot be read.
pub(super) fn screen_of(exported: &Exported<'_>) -> io::Result<Offscreen> {
    let stored = StoredSession::open(exported.path).map_err(io::Error::other)?;
    let ScreenSize { columns, rows } = exported.size;
    Offscreen::replay(&Options::of_session(exported.path), stored, (columns, rows)).map_err(io::Error::other)
}
