//! What a node says on standard error; its host keeps that in the run directory, and prints it if the node cannot start.
//!
//! Invariant: nothing here panics or ends the node, even if nobody reads or the disk is full.

use std::fmt::Display;
use std::io::{self, Write};

use protocol::visible;

/// Says it in one line.
pub fn complain(what: impl Display) {
    let _ = writeln!(io::stderr(), "{}", visible(&what.to_string()));
}
