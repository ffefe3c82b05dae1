//! Long texts: on a terminal that is too low for one, `$PAGER` shows it.
//!
//! Invariant: whatever shows a text, no character of it is one that a terminal would obey.

use std::io::{self, ErrorKind, IsTerminal, Write};
use std::process::{Command, Stdio};

use super::code;
use super::output::{VisibleLines, remark, say_all};

/// Shows a text; the exit code says whether that was possible.
pub fn show(text: &str) -> u8 {
    match print(text) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            remark(format!("cannot write to standard output: {error}"));
            code::of_io(&error)
        }
        _ => code::MET,
    }
}

/// Shows lines, as [`show`] does. What a name holds ends no line of ours.
pub fn show_lines(lines: &[String]) -> u8 {
    show(&(lines.iter().map(|line| line.replace('\n', "\\u000a")).collect::<Vec<_>>().join("\n") + "\n"))
}

fn print(text: &str) -> io::Result<()> {
    let rows = crossterm::terminal::size().map_or(usize::MAX, |(_, rows)| usize::from(rows));
    if io::stdout().is_terminal() && text.lines().count() >= rows && shown_by_pager(text)? {
        return Ok(());
    }
    say_all(|out| write_visible(text, out))
}

fn write_visible(text: &str, out: &mut dyn Write) -> io::Result<()> {
    let mut out = VisibleLines::over(out);
    out.write_all(text.as_bytes())?;
    out.finish()
}

/// Gives the text to the pager; returns whether there is one.
fn shown_by_pager(text: &str) -> io::Result<bool> {
    let pager = std::env::var("PAGER").ok().filter(|pager| !pager.trim().is_empty()).unwrap_or_else(|| "less".into());
    // It may have arguments, and a shell takes them apart.
    let Ok(mut child) = Command::new("sh").arg("-c").arg(&pager).stdin(Stdio::piped()).spawn() else {
        return Ok(false);
    };
    let written = child.stdin.take().map_or(Ok(()), |mut stdin| write_visible(text, &mut stdin));
    let status = child.wait()?;
    match written {
        // 127: the shell found no such program.
        _ if status.code() == Some(127) => Ok(false),
        // Who leaves the pager early has read enough.
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(true),
        written => written.map(|()| true),
    }
}
