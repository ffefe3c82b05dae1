//! Sessions written in other forms, one file a format.
//!
//! Invariant: an export does not change the session, and says which parts of it could not be read.

mod cast;
mod chronicle;
mod csv;
mod dot;
mod handout;
mod jsonl;
mod lab;
mod mermaid;
mod screen;
mod svg;
#[cfg(test)]
mod tests;

use std::io::{self, Write};
use std::path::Path;

pub use self::cast::CastVersion;
pub use self::lab::orders_alone;
pub use self::screen::SIZES;
use crate::record::Session;

/// A session that is to be exported.
pub struct Exported<'a> {
    /// Its records.
    pub session: &'a dyn Session,
    /// Its file, for formats that show the screen.
    pub path: &'a Path,
    /// How large the screen is in these.
    pub size: ScreenSize,
    /// The moment that a picture shows, in nanoseconds since the lab began; without it, the end.
    pub at: Option<i64>,
    /// Which version of its format a recording has.
    pub cast: CastVersion,
}

/// Columns and rows of a screen.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
pub struct ScreenSize {
    /// Columns.
    pub columns: u16,
    /// Rows.
    pub rows: u16,
}

/// A format and what writes it.
pub struct Format {
    /// Its name on the command line.
    pub name: &'static str,
    /// What it is, in a few words.
    pub about: &'static str,
    /// Writes a session in it, as text in which `\u001b` within a string means the character of that number: so a
    /// command can spell out what no terminal may be shown. If the session cannot be read to its end, the error holds a
    /// [`SessionError`](crate::record::SessionError).
    pub write: fn(&Exported<'_>, &mut dyn Write) -> io::Result<()>,
}

/// All formats.
pub const FORMATS: &[Format] = &[
    Format {
        name: "jsonl",
        about: "one JSON object a line, as recorded, all parts in one, without the lines that cannot be read",
        write: |exported, out| jsonl::write(exported.session, out),
    },
    Format {
        name: "lab",
        about: "a lab file: its faults become steps, and their effects become expectations",
        write: |exported, out| lab::write(exported.session, out),
    },
    Format {
        name: "md",
        about: "a handout in Markdown: what was done, what happened and why, and the flow",
        write: handout::write,
    },
    Format { name: "mermaid", about: "the flow as a sequence diagram of Mermaid", write: mermaid::write },
    Format { name: "svg", about: "a picture of the screen at a moment", write: svg::write },
    Format { name: "cast", about: "the screen as a recording for asciinema's player", write: cast::write },
    Format { name: "csv", about: "the elections, a row each, with what they cost", write: csv::write },
    Format {
        name: "dot",
        about: "the history of the groups as a graph for Graphviz, if the lab keeps one",
        write: |exported, out| dot::write(exported.session, out),
    },
];

/// The format of this name.
pub fn named(name: &str) -> Option<&'static Format> {
    FORMATS.iter().find(|format| format.name == name)
}
