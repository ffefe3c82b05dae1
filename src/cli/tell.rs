//! What a command prints: results on stdout, everything else on stderr.
//!
//! Invariant: the reader may have read enough; a closed pipe ends no lab and changes no exit code.

use std::fmt::Display;
use std::io::{self, Write};

/// The width that tables and texts keep to.
pub const COLUMNS: usize = 80;

/// A result, on stdout.
pub fn say(line: impl Display) {
    let _ = writeln!(io::stdout(), "{line}");
}

/// A remark, on stderr.
pub fn remark(line: impl Display) {
    let _ = writeln!(io::stderr(), "{line}");
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
