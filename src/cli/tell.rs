//! What a command prints: results on stdout, everything else on stderr.
//!
//! Invariant: every command prints through here, so no control character of a file or an argument reaches a terminal.
//! The reader may have read enough: a closed pipe or a closed terminal ends no lab, causes no panic, and changes no exit
//! code.

use std::backtrace::{Backtrace, BacktraceStatus};
use std::fmt::Display;
use std::io::{self, Write};
use std::panic::PanicHookInfo;
use std::sync::{Mutex, PoisonError};

use nix::errno::Errno;

use crate::protocol::visible;

/// The width that tables and texts keep to.
pub const COLUMNS: usize = 80;

/// Why results could not be written, if a reader was there for them.
static UNSAID: Mutex<Option<io::Error>> = Mutex::new(None);

/// A result, on stdout: a line for people, or a line of JSON.
pub fn say(line: impl Display) {
    if let Err(error) = writeln!(io::stdout(), "{}", visible(&line.to_string())) {
        let is_gone = error.kind() == io::ErrorKind::BrokenPipe || error.raw_os_error() == Some(Errno::EIO as i32);
        if !is_gone {
            UNSAID.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
        }
    }
}

/// Why a result could not be written, though its reader is not gone: a full disk, for example.
pub fn unsaid() -> Option<io::Error> {
    UNSAID.lock().unwrap_or_else(PoisonError::into_inner).take()
}

/// A whole document, on stdout.
///
/// # Errors
/// Standard output takes no more; a part of the document may have been written.
pub fn say_all(text: &str) -> io::Result<()> {
    let mut out = io::stdout();
    out.write_all(visible(text).as_bytes())?;
    out.flush()
}

/// A remark, on stderr.
pub fn remark(line: impl Display) {
    let _ = writeln!(io::stderr(), "{}", visible(&line.to_string()));
}

/// Replaces the line of the cursor on the terminal of stderr, and leaves the cursor in it; an empty text removes it.
pub fn remark_in_place(line: impl Display) {
    let _ = write!(io::stderr(), "\r{}\x1b[K", visible(&line.to_string()));
}

/// Prints a panic, as the standard hook does, in any thread.
pub fn remark_panic(info: &PanicHookInfo<'_>) {
    let thread = std::thread::current();
    let trace = Backtrace::capture();
    let trace = if trace.status() == BacktraceStatus::Captured { format!("\n{trace}") } else { String::new() };
    remark(format!("thread {} {info}{trace}", thread.name().unwrap_or("without a name")));
}

/// The text in lines of at most this many columns; a longer word gets a line of its own.
pub fn wrapped(text: &str, columns: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split_whitespace() {
        let last = lines.last_mut().expect("there is a line from the beginning");
        if last.is_empty() {
            *last = word.to_owned();
        } else if last.chars().count() + 1 + word.chars().count() <= columns {
            *last += " ";
            *last += word;
        } else {
            lines.push(word.to_owned());
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_wrapped_where_they_end() {
        assert_eq!(wrapped("one two three", 7), ["one two", "three"]);
        assert_eq!(wrapped("immeasurable", 3), ["immeasurable"]);
        assert_eq!(wrapped("", 3), [""]);
    }
}
