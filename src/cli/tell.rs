//! What a command says: results on stdout, all else on stderr.
//!
//! Invariant: whoever read us may have read enough; a closed pipe ends no lab and changes no exit code.

use std::fmt::Display;
use std::io::{self, Write};

/// A result, on stdout.
pub fn say(line: impl Display) {
    let _ = writeln!(io::stdout(), "{line}");
}

/// A remark, on stderr.
pub fn remark(line: impl Display) {
    let _ = writeln!(io::stderr(), "{line}");
}
