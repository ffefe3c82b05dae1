//! Sessions written in other forms, one file a format.
//!
//! Invariant: an export does not change the session, and says which parts of it could not be read.

mod dot;
mod jsonl;
mod lab;

use std::io::{self, Write};

pub use self::lab::orders_alone;
use crate::record::Session;

/// A format and what writes it.
pub struct Format {
    /// Its name on the command line.
    pub name: &'static str,
    /// What it is, in a few words.
    pub about: &'static str,
    /// Writes a session in it, as text in which `\u001b` within a string means the character of that number: so a
    /// command can spell out what no terminal may be shown. If the session cannot be read to its end, the error holds a
    /// [`SessionError`](crate::record::SessionError).
    pub write: fn(&dyn Session, &mut dyn Write) -> io::Result<()>,
}

/// All formats.
pub const FORMATS: &[Format] = &[
    Format {
        name: "jsonl",
        about: "one JSON object a line, as recorded, all parts in one, without the lines that cannot be read",
        write: jsonl::write,
    },
    Format {
        name: "dot",
        about: "the history of the groups as a graph for Graphviz, if the lab keeps one",
        write: dot::write,
    },
    Format {
        name: "lab",
        about: "a lab file: its faults become steps, and their effects become expectations",
        write: lab::write,
    },
];

/// The format of this name.
pub fn named(name: &str) -> Option<&'static Format> {
    FORMATS.iter().find(|format| format.name == name)
}
