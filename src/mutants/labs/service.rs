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

/// Two halves serve one request, and meet again.
pub const SERVICE_PARTED: Text = (
    "service-parted",
    r#"
    algorithm = "king-ni-b1"
    nodes = 5
    check = "500ms"
    silence = "2s"
    application = { name = "service", parts = 100, pace_ms = 300 }
    step = [
        { at = "1s", do = ["request 1"] },
        { when = "Log sent by 5", do = [] },
        { at = "4s", do = ["partition 4,5|1-3"] },
        { at = "10s", do = ["heal"] },
        { at = "24s", do = [] },
    ]
    "#,
);

/// Four jobs come at once, and each has an election of its own: accounts of one service come from several processes.
pub const SERVICE_JOBS: Text = (
    "service-jobs",
    r#"
    algorithm = "king-ni-b1"
    nodes = 4
    check = "500ms"
    silence = "2s"
    settings = { criterion = "random" }
    application = { name = "service", parts = 20, pace_ms = 500, service_load = 1000 }
    step = [
        { at = "1s", do = ["request 1", "request 2", "request 3", "request 4"] },
        { at = "16s", do = [] },
    ]
    "#,
);
