//! Sessions written in other forms, one file a format.
//!
//! Invariant: an export does not change the session, and says which parts of it could not be read.

mod cast;
mod csv;
mod dot;
mod exported;
mod handout;
mod html;
mod jsonl;
mod lab;
mod lesson;
mod mermaid;
mod pcap;
mod perfetto;
mod screen;
mod shiviz;
mod step_words;
mod svg;
mod told;

use std::io::{self, Write};

pub use self::exported::{CastVersion, Exported, ScreenSize};
pub use self::lab::orders_alone;
pub use self::screen::SIZES;
pub use csv::FIELDS as CSV_FIELDS;

/// A format and what writes it.
pub struct Format {
    /// The name on the command line.
    pub name: &'static str,
    /// What it is, in a few words.
    pub about: &'static str,
    /// What it is made of.
    pub content: FormatContent,
    /// What it shows of the screen.
    pub screen: FormatScreen,
    /// Writes a session in it. In text, `\u001b` within a string means the character of that number: so a command can
    /// spell out what no terminal may be shown. If the session cannot be read to its end, the error holds a
    /// [`SessionError`](record::SessionError).
    pub write: fn(&Exported<'_>, &mut dyn Write) -> io::Result<()>,
}

/// What a format is made of.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
pub enum FormatContent {
    /// Lines of text.
    Text,
    /// Bytes that no terminal may be shown.
    Bytes,
}

/// What a format shows of the screen.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
pub enum FormatScreen {
    Nothing,
    /// One moment.
    Moment,
    /// The session as it plays.
    Recording,
}

pub const FORMATS: &[Format] = &[
    Format {
        name: "jsonl",
        about: "one JSON object a line, as recorded, all parts in one, without the lines that cannot be read",
        content: FormatContent::Text,
        screen: FormatScreen::Nothing,
        write: |exported, out| jsonl::write(exported.session, out),
    },
    Format {
        name: "lab",
        about: "a lab file: its faults become steps, and their effects become expectations",
        content: FormatContent::Text,
        screen: FormatScreen::Nothing,
        write: |exported, out| lab::write(exported.session, exported.notes, out),
    },
    Format {
        name: "md",
        about: "a handout in Markdown: what was done, what happened and why, and the flow",
        content: FormatContent::Text,
        screen: FormatScreen::Nothing,
        write: handout::write,
    },
    Format {
        name: "html",
        about: "a page for a browser, one file: the flow, the log, a scrubber, the verdicts and why",
        content: FormatContent::Text,
        screen: FormatScreen::Nothing,
        write: html::write,
    },
    Format {
        name: "mermaid",
        about: "the flow as a sequence diagram of Mermaid",
        content: FormatContent::Text,
        screen: FormatScreen::Nothing,
        write: mermaid::write,
    },
    Format {
        name: "svg",
        about: "a picture of the screen at a moment",
        content: FormatContent::Text,
        screen: FormatScreen::Moment,
        write: svg::write,
    },
    Format {
        name: "cast",
        about: "the screen as a recording for asciinema's player",
        content: FormatContent::Text,
        screen: FormatScreen::Recording,
        write: cast::write,
    },
    Format {
        name: "shiviz",
        about: "a log with vector clocks for ShiViz, and the expression that reads it",
        content: FormatContent::Text,
        screen: FormatScreen::Nothing,
        write: shiviz::write,
    },
    Format {
        name: "perfetto",
        about: "a trace for Perfetto: a track for each process, faults, messages as arrows",
        content: FormatContent::Text,
        screen: FormatScreen::Nothing,
        write: perfetto::write,
    },
    Format {
        name: "pcap",
        about: "the messages as packets for tcpdump and Wireshark (pcapng): their bodies as recorded, from the processes' ports",
        content: FormatContent::Bytes,
        screen: FormatScreen::Nothing,
        write: pcap::write,
    },
    Format {
        name: "csv",
        about: "the elections, a row each, with what they cost",
        content: FormatContent::Text,
        screen: FormatScreen::Nothing,
        write: csv::write,
    },
    Format {
        name: "dot",
        about: "the history of the groups as a graph for Graphviz, if the lab keeps one",
        content: FormatContent::Text,
        screen: FormatScreen::Nothing,
        write: |exported, out| dot::write(exported.session, out),
    },
];

/// The format of this name.
pub fn named(name: &str) -> Option<&'static Format> {
    FORMATS.iter().find(|format| format.name == name)
}
