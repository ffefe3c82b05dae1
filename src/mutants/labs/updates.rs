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

/// The coordinator dies between its decision and its message: the others are in doubt until it is back; and a member dies
/// when it has done an update.
pub const UPDATES_CRASHES: Text = (
    "updates-crashes",
    r#"
    algorithm = "bully"
    nodes = 5
    check = "300ms"
    silence = "1400ms"
    application = { name = "updates" }
    step = [
        { at = "2s", do = ["delay 1-4->5 700ms", "update 5 3"] },
        { at = "2500ms", do = ["cut 5->*"] },
        { when = "first Commit sent", do = ["crash 5"] },
        { at = "4s", do = ["heal", "crash 2"] },
        { at = "5s", do = ["recover 2"] },
        { at = "9s", do = ["update 1 4"] },
        { at = "12s", do = ["recover 5"] },
        { at = "15s", do = ["update 1 5", "update 3 5"] },
        { at = "16s", do = ["crash 3", "crash 1"] },
        { at = "17s", do = ["recover 1,3"] },
        { at = "22s", do = [] },
    ]
    "#,
);

/// The coordinator keeps only a minority, and the others go on without it.
pub const UPDATES_PARTED: Text = (
    "updates-parted",
    r#"
    algorithm = "bully"
    nodes = 5
    check = "300ms"
    silence = "1400ms"
    application = { name = "updates" }
    step = [
        { at = "2s", do = ["update 1-5 1"] },
        { at = "4s", do = ["partition 1-3|4,5"] },
        { at = "5s", do = ["update 5 50", "update 4 40"] },
        { at = "9s", do = ["update 1 10"] },
        { at = "11s", do = ["heal", "elect 5"] },
        { at = "15s", do = ["update 2 2"] },
        { at = "17s", do = [] },
    ]
    "#,
);

/// Invitation: updates in a whole group, and in one that has just lost members.
pub const UPDATES_INVITATION: Text = (
    "updates-invitation",
    r#"
    algorithm = "invitation"
    nodes = 5
    check = "1s"
    silence = "2s"
    application = { name = "updates" }
    step = [
        { at = "6s", do = ["update 1-5 1"] },
        { at = "8s", do = ["partition 1,2|3-5", "update 5 3"] },
        { at = "9s", do = ["update 3 3"] },
        { at = "20s", do = ["heal"] },
        { at = "26s", do = ["update 2 2"] },
        { at = "28s", do = [] },
    ]
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

/// Without the majority rule both halves do updates, and they merge; then one of them starts anew.
pub const UPDATES_CONFLICTS: Text = (
    "updates-conflicts",
    r#"
    algorithm = "bully"
    nodes = 5
    check = "300ms"
    silence = "1400ms"
    application = { name = "updates", majority = false }
    step = [
        { at = "2s", do = ["update 1-5 1"] },
        { at = "4s", do = ["partition 1-3|4,5"] },
        { at = "9s", do = ["update 1,2 10", "update 4,5 100"] },
        { at = "14s", do = ["heal", "elect 5"] },
        { at = "20s", do = ["crash 1"] },
        { at = "21s", do = ["recover 1"] },
        { at = "26s", do = [] },
    ]
    "#,
);
