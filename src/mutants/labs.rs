//! The labs in which planted bugs are hunted, each as the text of a lab file.
//!
//! Invariant: in none of them does the machine without a bug cause a violation without an excuse.

mod history;
mod liars;
mod section;
mod service;
mod token;
mod updates;

use std::sync::Arc;

pub use super::copies_labs::{COPIES, COPIES_PARTED};
pub use super::fencing_labs::{FENCING, FENCING_OFF, FENCING_PAUSE};
pub use super::joining_labs::{JOINING, JOINING_REFUSED, JOINING_UNTOLD};
use lab::Lab;
use registry::BUILT_IN;

pub use self::history::*;
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

/// 2 finds 3 silent, and 3 returns just before 2 halts 1: for this case the proof of theorem A1 needs the whole T.
pub const BULLY_EARLY: Text = (
    "bully-early",
    r#"
    algorithm = "bully"
    nodes = 3
    check = "300ms"
    silence = "1400ms"
    step = [
        { at = "3s", do = ["crash 3", "elect 2"] },
        { at = "3195ms", do = ["recover 3"] },
        { at = "7s", do = ["crash 3", "elect 2"] },
        { at = "7190ms", do = ["recover 3"] },
        { at = "11s", do = ["crash 3", "elect 2"] },
        { at = "11180ms", do = ["recover 3"] },
        { at = "15s", do = ["crash 3", "elect 2"] },
        { at = "15160ms", do = ["recover 3"] },
    ]
    "#,
);

/// The halter dies at its election point, before anybody is told.
pub const BULLY_DEAD_HALTER: Text = (
    "bully-dead-halter",
    r#"
    algorithm = "bully"
    nodes = 5
    check = "300ms"
    silence = "1400ms"
    step = [
        { at = "3s", do = ["elect 5"] },
        { when = "5 enters Reorganization", do = ["crash 5"] },
    ]
    "#,
);

/// Calls are made one after another; a member is dead, and the coordinator holds an election.
pub const BULLY_SEQUENTIAL: Text = (
    "bully-sequential",
    r#"
    algorithm = "bully"
    nodes = 4
    check = "300ms"
    silence = "2400ms"
    settings = { form = "sequential" }
    step = [
        { at = "3s", do = ["crash 2"] },
        { at = "4s", do = ["elect 4"] },
        { at = "10s", do = [] },
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

/// The inviter dies at its first Invitation, and is back.
pub const INVITATION_DEAD_INVITER: Text = (
    "invitation-dead-inviter",
    r#"
    algorithm = "invitation"
    nodes = 3
    check = "1s"
    silence = "2s"
    step = [
        { when = "Invitation sent by 3", do = ["crash 3"] },
        { at = "3s", do = ["recover 3"] },
        { at = "4s", do = [] },
    ]
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

/// B.2, whose lists are lengths, for swarms.
pub const B2: Text = (
    "b2",
    r#"
    algorithm = "king-ni-b2"
    nodes = 5
    check = "500ms"
    silence = "2s"
    settings = { lists = "lengths" }
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

/// The master dies.
pub const C_DEAD_MASTER: Text = (
    "c-dead-master",
    r#"
    algorithm = "king-ni-c"
    nodes = 5
    check = "500ms"
    silence = "2s"
    step = [
        { at = "2s", do = ["elect 1"] },
        { at = "6s", do = ["crash coordinator"] },
    ]
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

/// One process begins, and the others join it.
pub const RING: Text = (
    "ring",
    r#"
    algorithm = "ring"
    nodes = 4
    check = "500ms"
    silence = "1s"
    step = [{ at = "5s", do = ["elect 1"] }]
    "#,
);

/// 3 comes back while 1 leads and 2 is down, and 1's next Norm? is seconds away.
pub const BULLY_FD_THIRD: Text = (
    "bully-fd-third",
    r#"
    algorithm = "bully-fd"
    nodes = 5
    check = "5s"
    silence = "500ms"
    step = [
        { at = "3s", do = ["crash 2,3"] },
        { at = "6s", do = ["recover 3"] },
        { at = "10s", do = [] },
    ]
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

/// A member dies when it has told its first result, and then the coordinator; both are back.
pub const SHARDS_CRASHES: Text = (
    "shards-crashes",
    r#"
    algorithm = "bully"
    nodes = 5
    check = "300ms"
    silence = "1400ms"
    application = { name = "shards", numbers = 50, pace_ms = 300 }
    step = [
        { when = "Results sent by 2", do = ["crash 2"] },
        { at = "6s", do = ["crash 5"] },
        { at = "9s", do = ["recover 5"] },
        { at = "12s", do = ["recover 2"] },
        { at = "16s", do = [] },
    ]
    "#,
);

/// Invitation: the coordinator dies while shards are out, is back with its results, and dies when it invites.
pub const SHARDS_INVITATION: Text = (
    "shards-invitation",
    r#"
    algorithm = "invitation"
    nodes = 5
    check = "1s"
    silence = "2s"
    application = { name = "shards", numbers = 50, pace_ms = 300 }
    step = [
        { at = "6s", do = ["crash 5"] },
        { at = "14s", do = ["recover 5"] },
        { when = "Invitation sent by 5", do = ["crash 5"] },
        { at = "19s", do = ["recover 5"] },
        { at = "24s", do = [] },
    ]
    "#,
);
