//! The labs in which bugs planted in the history of groups are hunted.
//!
//! Invariant: that of `labs`.

use super::Text;

/// Five keep the history of their groups; the coordinator dies and is back.
pub const HISTORY: Text = (
    "history",
    r#"
    algorithm = "bully"
    nodes = 5
    check = "300ms"
    silence = "1400ms"
    application = { name = "history" }
    step = [
        { at = "4s", do = ["crash 5"] },
        { at = "9s", do = ["recover 5"] },
        { at = "14s", do = [] },
    ]
    "#,
);

/// Two halves go their own ways, one of them loses its coordinator, which is back twice, and all meet again.
pub const HISTORY_INVITATION: Text = (
    "history-invitation",
    r#"
    algorithm = "invitation"
    nodes = 5
    check = "1s"
    silence = "2s"
    application = { name = "history" }
    step = [
        { at = "6s", do = ["partition 1,2|3-5"] },
        { at = "14s", do = ["crash 5"] },
        { at = "18s", do = ["recover 5"] },
        { at = "18300ms", do = ["crash 5"] },
        { at = "20s", do = ["recover 5", "heal"] },
        { at = "30s", do = [] },
    ]
    "#,
);
