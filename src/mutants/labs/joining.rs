//! The labs in which planted bugs of joining are hunted, each with its name.
//!
//! Invariant: that of `labs`.

use super::Text;

/// Two of four members do not agree.
pub const JOINING_REFUSED: Text = (
    "joining-refused",
    r#"
    algorithm = "king-ni-b1"
    nodes = 5
    check = "500ms"
    silence = "2s"
    application = { name = "joining", members = "1-4", agrees = "1,4" }
    step = [
        { at = "10s", do = ["request 5"] },
        { at = "18s", do = [] },
    ]
    "#,
);

/// 5 is admitted and dies, and what it tells is lost; 6 asks, and 5 is back.
pub const JOINING_UNTOLD: Text = (
    "joining-untold",
    r#"
    algorithm = "king-ni-b1"
    nodes = 6
    check = "500ms"
    silence = "2s"
    application = { name = "joining", members = "1-4" }
    step = [
        { at = "0s", do = ["crash 5,6"] },
        { at = "500ms", do = ["elect 1"] },
        { at = "3s", do = ["recover 5"] },
        { when = "Yes sent by 1", do = ["cut 5->*"] },
        { when = "coordinator 4 of 1-4", do = ["crash 5", "heal"] },
        { when = "coordinator 4 of 1-4", then_wait = "1s", do = ["recover 6"] },
        { when = "coordinator 6 of 1-4", then_wait = "3s", do = ["recover 5"] },
        { when = "all normal", then_wait = "20s", do = [] },
    ]
    "#,
);
