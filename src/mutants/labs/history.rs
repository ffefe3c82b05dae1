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
