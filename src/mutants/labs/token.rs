//! The labs in which bugs planted in path compression are hunted.
//!
//! Invariant: that of `labs`.

use super::Text;

/// Four want in again and again, and nothing goes wrong.
pub const TOKEN: Text = (
    "token",
    r#"
    algorithm = "bully"
    nodes = 4
    check = "300ms"
    silence = "1400ms"
    application = { name = "token", outside_ms = 200, inside_ms = 100 }
    step = [{ at = "6s", do = [] }]
    "#,
);

/// The one that has the token first dies without it, and is back.
pub const TOKEN_FIRST: Text = (
    "token-first",
    r#"
    algorithm = "bully"
    nodes = 4
    check = "300ms"
    silence = "1400ms"
    application = { name = "token", asks = "2-4", outside_ms = 200, inside_ms = 100 }
    step = [
        { when = "inside 3", do = ["crash 1"] },
        { at = "3s", do = ["recover 1"] },
        { at = "4s", do = ["request 1"] },
        { at = "9s", do = [] },
    ]
    "#,
);
