//! The labs in which planted bugs are hunted, each as the text of a lab file.
//!
//! Invariant: in none of them does the machine without a bug cause a violation without an excuse.

mod copies;
mod fencing;
mod history;
mod joining;
mod liars;
mod section;
mod service;
mod token;
mod updates;

use std::sync::Arc;

use lab::Lab;
use registry::BUILT_IN;

pub use self::copies::*;
pub use self::fencing::*;
pub use self::history::*;
pub use self::joining::*;
pub use self::liars::*;
pub use self::section::*;
pub use self::service::*;
pub use self::token::*;
pub use self::updates::*;

/// A lab without its name, and the name.
pub type Text = (&'static str, &'static str);

/// The lab of this text.
pub fn lab((name, text): Text) -> Arc<Lab> {
    let text = format!("name = \"{name}\"\nabout = \"Planted bugs are hunted here.\"\nseed = 1\nT = \"200ms\"\n{text}");
    Arc::new(lab::parse(name, &text, BUILT_IN).unwrap_or_else(|errors| panic!("{errors}")))
}

/// Bully comes to rest, and stays there.
pub const BULLY: Text = (
    "bully",
    r#"
    algorithm = "bully"
    nodes = 5
    check = "300ms"
    silence = "1400ms"
    step = [{ at = "1s", do = [] }]
    "#,
);

/// The coordinator is back while the next one halts, or just after.
pub const BULLY_RETURNS: Text = (
    "bully-returns",
    r#"
    algorithm = "bully"
    nodes = 5
    check = "300ms"
    silence = "1400ms"
    step = [
        { at = "3s", do = ["crash 5"] },
        { at = "4800ms", do = ["recover 5"] },
        { at = "9s", do = ["crash 5"] },
        { at = "10700ms", do = ["recover 5"] },
        { at = "15s", do = ["crash 5"] },
        { at = "16600ms", do = ["recover 5"] },
        { at = "21s", do = ["crash 5"] },
        { at = "22900ms", do = ["recover 5"] },
    ]
    "#,
);

/// Groups of one merge into one group, and it stays.
pub const INVITATION: Text = (
    "invitation",
    r#"
    algorithm = "invitation"
    nodes = 3
    check = "1s"
    silence = "2s"
    step = [{ at = "1s", do = [] }]
    "#,
);

/// 4 is paused between its first Ready and the next ones, and goes on when 1 waits for the Ready of another group.
pub const INVITATION_LATE_READY: Text = (
    "invitation-late-ready",
    r#"
    algorithm = "invitation"
    nodes = 4
    check = "1s"
    silence = "2s"
    step = [
        { when = "first Ready sent", do = ["pause 4", "cut 4->2"] },
        { when = "1 enters Reorganization", do = ["resume 4"] },
        { at = "8s", do = ["heal"] },
    ]
    "#,
);

/// B.1, for swarms.
pub const B1: Text = (
    "b1",
    r#"
    algorithm = "king-ni-b1"
    nodes = 5
    check = "500ms"
    silence = "2s"
    "#,
);

/// A, for swarms.
pub const A: Text = (
    "a",
    r#"
    algorithm = "king-ni-a"
    nodes = 5
    check = "500ms"
    silence = "2s"
    "#,
);

/// One election.
pub const C: Text = (
    "c",
    r#"
    algorithm = "king-ni-c"
    nodes = 5
    check = "500ms"
    silence = "2s"
    step = [{ at = "2s", do = ["elect 1"] }]
    "#,
);

/// The textbook's Bully, for swarms.
pub const TEXTBOOK_BULLY: Text = (
    "textbook-bully",
    r#"
    algorithm = "textbook-bully"
    nodes = 4
    check = "500ms"
    silence = "700ms"
    "#,
);

/// Raft's election, which comes to rest and stays there.
pub const RAFT: Text = (
    "raft",
    r#"
    algorithm = "raft"
    nodes = 5
    check = "500ms"
    silence = "2s"
    step = [{ at = "120s", do = [] }]
    "#,
);

/// Bully-FD: 2 and 3 are down, and come back one after the other.
pub const BULLY_FD_RETURNS: Text = (
    "bully-fd-returns",
    r#"
    algorithm = "bully-fd"
    nodes = 5
    check = "600ms"
    silence = "500ms"
    step = [
        { at = "3s", do = ["crash 2,3"] },
        { at = "6s", do = ["recover 3"] },
        { at = "20s", do = ["recover 2"] },
        { at = "40s", do = [] },
    ]
    "#,
);

/// Bully-FD: 2 halts 3 twice over a slow link, and 1 is back before the second Halt comes.
pub const BULLY_FD_REPEATS: Text = (
    "bully-fd-repeats",
    r#"
    algorithm = "bully-fd"
    nodes = 3
    check = "1s"
    silence = "600ms"
    step = [
        { at = "2s", do = ["crash 1", "delay 2->3 180ms"] },
        { at = "4880ms", do = ["elect 2"] },
        { when = "2 enters Norm", do = ["recover 1"] },
        { at = "12s", do = [] },
    ]
    "#,
);

/// The Asynchronous Bully: the leader crashes and is back, and crashes again.
pub const ASYNC_RETURNS: Text = (
    "async-returns",
    r#"
    algorithm = "async-bully"
    nodes = 4
    check = "600ms"
    silence = "500ms"
    step = [
        { at = "8s", do = ["crash 1"] },
        { at = "16s", do = ["recover 1"] },
        { at = "24s", do = ["crash 1"] },
        { at = "50s", do = [] },
    ]
    "#,
);

/// Five compute shards, and nothing goes wrong.
pub const SHARDS: Text = (
    "shards",
    r#"
    algorithm = "bully"
    nodes = 5
    check = "300ms"
    silence = "1400ms"
    application = { name = "shards", shards = 100, numbers = 50, pace_ms = 300 }
    step = [{ at = "4s", do = [] }]
    "#,
);
