//! JSON lines: the session itself, head first, less what could not be read.
//!
//! Invariant: exported again, it gives the same bytes.

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
