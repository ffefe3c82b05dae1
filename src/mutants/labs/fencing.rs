//! The labs in which planted bugs of fencing are hunted, each with its name.
//!
//! Invariant: that of `labs`.

use super::Text;

/// The master dies, another one writes; the first is back, is elected anew, and dies again.
pub const FENCING: Text = (
    "fencing",
    r#"
    algorithm = "king-ni-b1"
    nodes = 3
    check = "500ms"
    silence = "2s"
    application = { name = "fencing", pace_ms = 300 }
    step = [
        { at = "500ms", do = ["elect 1"] },
        { at = "5s", do = ["crash 3"] },
        { at = "12s", do = ["recover 3"] },
        { at = "15s", do = ["elect 2"] },
        { at = "20s", do = ["crash 3"] },
        { at = "28s", do = [] },
    ]
    "#,
);

/// The master is paused amid a write; another one writes, and the resource, which is 4, crashes and is back.
pub const FENCING_PAUSE: Text = (
    "fencing-pause",
    r#"
    algorithm = "king-ni-b1"
    nodes = 3
    check = "500ms"
    silence = "2s"
    application = { name = "fencing", pace_ms = 300 }
    step = [
        { at = "500ms", do = ["elect 1"] },
        { at = "4s", do = [] },
        { when = "Read sent by 3", do = ["pause 3"] },
        { when = "coordinator 2 of 1,2", then_wait = "3s", do = ["crash 4"] },
        { when = "coordinator 2 of 1,2", then_wait = "1s", do = ["recover 4"] },
        { when = "coordinator 2 of 1,2", then_wait = "50ms", do = ["resume 3"] },
        { when = "coordinator 3", then_wait = "3s", do = [] },
    ]
    "#,
);
