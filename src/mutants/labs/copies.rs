//! The labs in which planted bugs of the weighed copies are hunted, each with its name.
//!
//! Invariant: that of `labs`.

use super::Text;

/// The heaviest one is elected; orders; one dies and is back, and so does the master.
pub const COPIES: Text = (
    "copies",
    r#"
    algorithm = "king-ni-b1"
    nodes = 5
    check = "500ms"
    silence = "2s"
    settings = { criterion = "fixed", capacities = [3, 1, 1, 1, 1] }
    application = { name = "copies" }
    step = [
        { at = "500ms", do = ["elect 1"] },
        { at = "3s", do = ["update 2 7", "update 1 5"] },
        { at = "6s", do = ["crash 3"] },
        { at = "9s", do = ["recover 3", "update 4 2"] },
        { at = "12s", do = ["crash 1"] },
        { at = "15s", do = ["update 2 3"] },
        { at = "18s", do = ["recover 1"] },
        { at = "21s", do = ["elect 1", "update 5 1"] },
        { at = "25s", do = ["update 1 4"] },
        { at = "28s", do = [] },
    ]
    "#,
);
