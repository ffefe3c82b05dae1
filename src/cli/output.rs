//! What a command prints: results on stdout, everything else on stderr.
//!
//! Invariant: every command prints through here, so no control character of a file or an argument reaches a terminal.
//! The reader may have read enough: a closed pipe or a closed terminal ends no lab, causes no panic, and changes no
//! exit code.

use std::backtrace::{Backtrace, BacktraceStatus};
use std::fmt::Display;
use std::io::{self, BufWriter, Write};
use std::panic::PanicHookInfo;
use std::sync::{Mutex, PoisonError};

use nix::errno::Errno;

use protocol::visible;

/// The width that tables and texts keep to.
pub const COLUMNS: usize = 80;

/// Why results could not be written, if a reader was there for them.
static UNSAID: Mutex<Option<io::Error>> = Mutex::new(None);

/// A result, on stdout: a line for people, or a line of JSON. What a name holds ends no line of ours.
pub fn say(line: impl Display) {
    if let Err(error) = writeln!(io::stdout(), "{}", in_one_line(&line.to_string())) {
        let is_gone = error.kind() == io::ErrorKind::BrokenPipe || error.raw_os_error() == Some(Errno::EIO as i32);
        if !is_gone {
            UNSAID.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
        }
    }
}

fn in_one_line(line: &str) -> String {
    visible(line).replace('\n', "\\u000a")
}

/// Why a result could not be written, though its reader is not gone: a full disk, for example.
pub fn unsaid() -> Option<io::Error> {
    UNSAID.lock().unwrap_or_else(PoisonError::into_inner).take()
}

/// A document of any length, on stdout.
///
/// # Errors
/// Standard output takes no more, or the document has an error of its own; a part of it may have been written.
pub fn say_all(write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
    write(&mut io::stdout())
}

/// Writes a document of any length, line by line, so that no character of it is one that a terminal would obey.
#[derive(Debug)]
pub struct VisibleLines<W: Write> {
    out: BufWriter<W>,
    /// What has come of a line whose end has not.
    line: Vec<u8>,
}

impl<W: Write> VisibleLines<W> {
    /// Writes to this.
    pub fn over(out: W) -> VisibleLines<W> {
        VisibleLines { out: BufWriter::new(out), line: Vec::new() }
    }

    /// Writes the last line, even if it has no end.
    ///
    /// # Errors
    /// The system's error; a part of the document may have been written.
    pub fn finish(mut self) -> io::Result<()> {
        self.write_line()?;
        self.out.flush()
    }

    fn write_line(&mut self) -> io::Result<()> {
        let text = String::from_utf8_lossy(&self.line);
        self.out.write_all(visible(&text).as_bytes())?;
        self.line.clear();
        Ok(())
    }
}

impl<W: Write> Write for VisibleLines<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        for piece in bytes.split_inclusive(|byte| *byte == b'\n') {
            self.line.extend_from_slice(piece);
            if piece.ends_with(b"\n") {
                self.write_line()?;
            }
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
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
    remark(panic_words(info));
}

/// What the standard hook prints of a panic.
pub fn panic_words(info: &PanicHookInfo<'_>) -> String {
    let thread = std::thread::current();
    let trace = Backtrace::capture();
    let trace = if trace.status() == BacktraceStatus::Captured { format!("\n{trace}") } else { String::new() };
    format!("thread {} {info}{trace}", thread.name().unwrap_or("without a name"))
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
    fn a_document_that_comes_in_pieces_is_made_visible_whole() {
        let text = "a\u{1b}b\nGröße\u{9b}\nend\u{202e}";
        let mut written = Vec::new();
        let mut lines = VisibleLines::over(&mut written);
        text.as_bytes().iter().for_each(|byte| lines.write_all(&[*byte]).unwrap());
        lines.finish().unwrap();
        assert_eq!(String::from_utf8(written).unwrap(), visible(text));
    }

    #[test]
    fn a_result_is_one_line() {
        assert_eq!(in_one_line("a\nmine  met\u{1b}\tb"), "a\\u000amine  met\\u001b\tb");
    }

    #[test]
    fn words_are_wrapped_where_they_end() {
        assert_eq!(wrapped("one two three", 7), ["one two", "three"]);
        assert_eq!(wrapped("immeasurable", 3), ["immeasurable"]);
        assert_eq!(wrapped("", 3), [""]);
    }
}
