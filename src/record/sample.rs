//! The head of a small lab, for this room's tests.
//!
//! Invariant: it is one that this program wrote, without its listing.

use super::{Head, SessionReader};

/// That head.
pub fn head() -> Head {
    SessionReader::read(HEAD.replace('\n', " ").as_bytes()).head.expect("it is a head")
}

const HEAD: &str = r#"{"format": "hustings-session", "version": 2, "lab_id": "aabbccddaabbccddaabbccddaabbccdd", "name": "first",
"about": "The coordinator crashes; 4 takes over; 5 returns and coordinates again.", "source": "Garcia-Molina
1982, section III-A", "lab_file": "", "seed": 1, "nodes": 5, "timing": {"t": 200000000, "check": 200000000,
"silence": 1000000000}, "settings": {"errata": {"flag": true}, "form": {"word": "parallel"}, "letter": {"word":
"paper"}}, "facts": {"name": "bully", "title": "Bully", "paper": "Garcia-Molina 1982, Appendix I (listings 10.16
to 10.21 of Chow and Johnson 1997)", "rank": "higher-id", "listing": [], "t_bounds": "call-and-answer",
"channel": "unicast", "groups": "by-coordinator", "needs": ["all-cooperate", "no-bugs-below",
"nothing-from-nowhere", "safe-cells", "fail-stop", "nothing-garbled", "order", "delivery-in-time", "no-pauses",
"one-clock-rate"], "promises": ["assertion-1", "assertion-2"], "one_way_bound": 100000000, "time_bound":
800000000, "time_bound_text": "4T; sequential 3(n-1)T", "quiet_bound": 3200000000, "quiet_bound_text": "silence
+ T + 2E + check + T, E = 4T; sequential silence + T + 2E + check + 2(n-1)T, E = 3(n-1)T", "message_bound_text":
"6(n-1) for one Election, however many begin: n-1 AreYouThere and Halt together, at most n-1 NewCoordinator and
Ready each, all answered; as many again for each member that falls silent meanwhile. A failover: n*n + 5n - 12,
for all Timeouts ask c, and their Elections all above them, and one goes on"}, "base_port": 27904, "group":
null, "build": "0.1.0", "wall_clock": 1}"#;
