//! A moment of a session that a person names with `--at`.
//!
//! Invariant: a moment after the session's last record is refused; nothing is shown or written for it.

use std::path::Path;

use super::code;
use super::output::remark;
use protocol::Span;
use record::{SessionEntry, SessionError, StoredSession};
use world::stamp;

/// This moment of the session, in nanoseconds since the lab began. On an error stderr has the reason.
pub fn within(session: &StoredSession, file: &Path, at: Span) -> Result<i64, u8> {
    let end = end_of(session).map_err(|error| {
        remark(format!("{}: {error}", file.display()));
        code::unread(&error)
    })?;
    match i64::try_from(at.nanos()) {
        Ok(at) if at <= end => Ok(at),
        _ => {
            remark(format!("{}: {at} is after the session's last record, at {}", file.display(), stamp(end)));
            Err(code::USAGE)
        }
    }
}

/// The latest stamp of the session's records.
fn end_of(session: &StoredSession) -> Result<i64, SessionError> {
    let mut entries = session.entries_without_steps();
    let mut end = 0;
    while let Some(entry) = entries.next_entry()? {
        if let SessionEntry::Record(record) = entry {
            end = end.max(record.at);
        }
    }
    Ok(end.max(entries.passed().latest.unwrap_or(0)))
}
