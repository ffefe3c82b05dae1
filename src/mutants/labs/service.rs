//! The labs in which bugs planted in services are hunted.
//!
//! Invariant: that of `labs`.

use super::Text;

/// Two ask at once: the second one's election comes while the first is served.
pub const SERVICE: Text = (
    "service",
    r#"
    algorithm = "king-ni-b1"
    nodes = 4
    check = "500ms"
    silence = "2s"
    settings = { criterion = "fixed", capacities = [10, 30, 20, 5] }
    application = { name = "service", parts = 20, pace_ms = 200, service_load = 15 }
    step = [
        { at = "1s", do = ["request 1", "request 4"] },
        { at = "5s", do = ["elect 3"] },
        { at = "12s", do = [] },
    ]
    "#,
);

/// There is a master when a user asks another process, and nobody else begins an election.
pub const SERVICE_ASKED: Text = (
    "service-asked",
    r#"
    algorithm = "king-ni-b1"
    nodes = 4
    check = "500ms"
    silence = "2s"
    application = { name = "service", parts = 5, pace_ms = 100 }
    step = [
        { at = "1s", do = ["elect 3"] },
        { at = "4s", do = ["request 1"] },
        { at = "14s", do = [] },
    ]
    "#,
);
