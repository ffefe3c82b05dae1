//! Sessions written in other forms, one file a format.
//!
//! Invariant: an export does not change the session, and says which parts of it could not be read.

mod cast;
mod csv;
mod dot;
mod exported;
mod handout;
mod jsonl;
mod lab;
mod mermaid;
mod screen;
mod svg;
mod told;

use std::io::{self, Write};

pub use self::exported::{CastVersion, Exported, ScreenSize};
pub use self::lab::orders_alone;
pub use self::screen::SIZES;

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
