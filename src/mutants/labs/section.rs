//! The labs in which bugs planted in mutual exclusion by election are hunted.
//!
//! Invariant: that of `labs`.

use super::Text;

/// Four want in again and again.
pub const EXCLUSION: Text = (
    "exclusion",
    r#"
    algorithm = "king-ni-b1"
    nodes = 4
    check = "500ms"
    silence = "2s"
    settings = { criterion = "last-win" }
    application = { name = "mutual-exclusion", outside_ms = 300, inside_ms = 400 }
    step = [{ at = "12s", do = [] }]
    "#,
);

/// Someone begins an election while a process is inside.
pub const EXCLUSION_ELECTED: Text = (
    "exclusion-elected",
    r#"
    algorithm = "king-ni-b1"
    nodes = 4
    check = "500ms"
    silence = "2s"
    settings = { criterion = "last-win" }
    application = { name = "mutual-exclusion", outside_ms = 300, inside_ms = 1500 }
    step = [
        { when = "inside 4", do = ["elect 1"] },
        { when = "inside 2", do = ["elect 3"] },
        { at = "12s", do = [] },
    ]
    "#,
);
