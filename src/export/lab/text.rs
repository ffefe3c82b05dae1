//! The words of a lab file out of a session: comments, times.
//!
//! Invariant: whatever a text holds, its output stays a comment to TOML.

use lab::text::plain;
use protocol::Span;

/// The greatest width of a comment line.
const COLUMNS: usize = 118;

/// The text as lines of a comment, each with its end; the later lines are indented by `indent`.
pub(super) fn comment(text: &str, indent: &str) -> String {
    let plain = plain(text);
    let mut lines = String::new();
    let mut line = String::from("#");
    for word in plain.split_whitespace() {
        if line.chars().count() + 1 + word.chars().count() > COLUMNS {
            lines.push_str(&line);
            lines.push('\n');
            line = format!("#{indent}");
        }
        line.push(' ');
        line.push_str(word);
    }
    lines + &line + "\n"
}

/// A moment or a duration to the millisecond, as lab files have it.
pub(super) fn span(nanos: i64) -> Span {
    Span::from_millis(u64::try_from(nanos).unwrap_or(0).saturating_add(500_000) / 1_000_000)
}

/// The same for people: `12.345 s`.
pub(super) fn moment(nanos: i64) -> String {
    format!("{:.3} s", span(nanos).nanos() as f64 / 1e9)
}
