//! JSON lines: the session itself, the head first, without the lines that could not be read.
//!
//! Invariant: a second export of the output gives the same bytes.

use std::io::{self, Write};

use crate::record::SessionReader;

/// Writes the head, if there is one, and every record.
pub fn write(session: &SessionReader, out: &mut dyn Write) -> io::Result<()> {
    if let Some(head) = &session.head {
        writeln!(out, "{}", serde_json::to_string(head)?)?;
    }
    for record in &session.records {
        writeln!(out, "{}", record.to_line())?;
    }
    Ok(())
}
