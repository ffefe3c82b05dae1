//! Labs on the ordered broadcast: what Delta and the number of nodes may be.

use super::*;
use protocol::{DELTA, ORDERED_NODES_MAX, SettingCard, SettingKind};

const ORDERED: Card = Card {
    name: "ordered",
    channel: Channel::Multicast,
    delivery: Delivery::OrderedBroadcast,
    keys: KeyUse::None,
    nodes_max: ORDERED_NODES_MAX,
    settings: &[
        DELTA,
        SettingCard {
            name: "t",
            kind: SettingKind::Number { default: 3, most: |nodes| u64::from(nodes.saturating_sub(1)) },
            about: "t.",
        },
    ],
    periods: &[],
    ..BULLY
};

fn parsed(nodes: u16, t: &str, settings: &str) -> Result<Lab, LabErrors> {
    let text = format!(
        "name = \"o\"\nabout = \"o\"\nalgorithm = \"ordered\"\nnodes = {nodes}\nseed = 1\nT = \"{t}\"\n\
         check = \"1s\"\nsilence = \"2s\"\n[settings]\n{settings}\n"
    );
    parse("o.toml", &text, registry(&[ORDERED]))
}

#[test]
fn delta_is_at_least_5_ms() {
    assert!(parsed(5, "7ms", "").is_ok());
    let error = parsed(5, "6ms", "").unwrap_err().to_string();
    assert!(error.contains("for ordered Delta must be at least 5ms"), "{error}");
    assert!(error.contains("T = \"6ms\"") && error.contains("is 4.5ms"), "{error}");
    assert!(parsed(5, "6ms", "delta = \"1\"").is_ok(), "with Delta = T it is 6 ms");
    assert!(parsed(5, "4ms", "delta = \"1\"").is_err());
    let error = parsed(5, "7ms", "delta = \"1/2\"").unwrap_err().to_string();
    assert!(error.contains("`delta` cannot be \"1/2\""), "{error}");
}

#[test]
fn n_squared_relays_want_few_nodes() {
    assert!(parsed(32, "20ms", "").is_ok());
    let error = parsed(33, "20ms", "").unwrap_err().to_string();
    assert!(error.contains("a number of nodes from 1 to 32"), "{error}");
}

#[test]
fn a_number_has_bounds_and_a_default_that_keeps_to_them() {
    assert_eq!(parsed(5, "20ms", "t = 4").unwrap().settings.number("t"), 4);
    assert_eq!(parsed(5, "20ms", "").unwrap().settings.number("t"), 3);
    assert_eq!(parsed(2, "20ms", "").unwrap().settings.number("t"), 1, "the most that two nodes allow");
    for wrong in ["5", "-1", "\"1\"", "1.5", "true"] {
        let error = parsed(5, "20ms", &format!("t = {wrong}")).unwrap_err().to_string();
        assert!(error.contains("a whole number from 0 to 4 for `t` belongs here"), "{error}");
    }
    let lab = parsed(5, "20ms", "t = 2").unwrap();
    let again = parse("again.toml", &lab.written(), registry(&[ORDERED])).unwrap();
    assert_eq!(again.settings, lab.settings);
}
