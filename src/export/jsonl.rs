//! JSON lines: the session itself, the head first, without the lines that could not be read.
//!
//! Invariant: a second export of the output gives the same bytes.

use std::io::{self, Write};
use std::ops::ControlFlow;

use record::{Session, SessionEntry};

/// Writes the head, if there is one, and every record.
pub fn write(session: &dyn Session, out: &mut dyn Write) -> io::Result<()> {
    let mut written = Ok(());
    let read = session.go_through(&mut |entry| {
        written = match entry {
            SessionEntry::Head(head) => {
                serde_json::to_string(&head).map_err(io::Error::from).and_then(|line| writeln!(out, "{line}"))
            }
            SessionEntry::Record(record) => writeln!(out, "{}", record.to_line()),
            SessionEntry::Skipped(_) => Ok(()),
        };
        if written.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    });
    written.and(read.map_err(io::Error::other))
}
