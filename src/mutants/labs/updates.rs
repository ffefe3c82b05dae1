//! The labs in which bugs planted in the updates are hunted.
//!
//! Invariant: what they order comes when something watches for it: a request that is delayed, a vote that is late.

use super::Text;

/// Five do updates, and nothing goes wrong.
pub const UPDATES: Text = (
    "updates",
    r#"
    algorithm = "bully"
    nodes = 5
    check = "300ms"
    silence = "1400ms"
    application = { name = "updates" }
    step = [
        { at = "2s", do = ["update 1-5 1"] },
        { at = "3s", do = ["update 2 7", "update 2 8", "update 4 9"] },
        { at = "5s", do = [] },
    ]
    "#,
);

/// A member is ordered to do an update, and then nothing happens for long.
pub const UPDATES_ORDERED: Text = (
    "updates-ordered",
    r#"
    algorithm = "bully"
    nodes = 5
    check = "300ms"
    silence = "1400ms"
    application = { name = "updates" }
    step = [{ at = "2s", do = ["update 2 7"] }, { at = "9s", do = [] }]
    "#,
);

/// 1 is in doubt about an update that its dead coordinator began; the next one aborts it, and 1 does not hear that before
/// it is asked about another.
pub const UPDATES_LOST_ABORT: Text = (
    "updates-lost-abort",
    r#"
    algorithm = "bully"
    nodes = 5
    check = "300ms"
    silence = "1400ms"
    application = { name = "updates" }
    step = [
        { at = "2s", do = ["delay 2->5 300ms", "update 2 3"] },
        { when = "first Prepare sent", do = ["crash 5,2", "heal"] },
        { when = "first Abort sent", do = ["cut 4->1"] },
        { when = "all normal", then_wait = "200ms", do = ["heal", "update 4 1"] },
        { when = "all normal", then_wait = "4s", do = [] },
    ]
    "#,
);
