//! The screen of a session without a terminal, at a given size, for the formats that show it.
//!
//! Invariant: it shows what `replay` shows at the same size and time.

use std::io;
use std::path::Path;

use super::exported::{Exported, ScreenSize};
use crate::dashboard::{Access, Colour, Farewell, Glyphs, Offscreen, Options, Role, Source, Tour};
use crate::record::StoredSession;

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
    Offscreen::replay(&options(exported.path), stored, (columns, rows)).map_err(io::Error::other)
}

/// Without a person: no key is pressed.
fn options(path: &Path) -> Options {
    Options {
        source: Source::Session(path.to_owned()),
        access: Access::ReadOnly,
        role: Role::Visitor,
        farewell: Farewell::AtOnce,
        glyphs: Glyphs::Unicode,
        colour: Colour::Dark,
        rerun: |_, _, _, _| Vec::new(),
        tour: Tour::Hidden,
        remember: |_| Ok(()),
    }
}
