//! Labs on the ordered broadcast: what Delta and the number of nodes may be.

use super::*;
use crate::protocol::{DELTA, ORDERED_NODES_MAX};

const ORDERED: Card = Card {
    name: "ordered",
    channel: Channel::Multicast,
    delivery: Delivery::OrderedBroadcast,
    nodes_max: ORDERED_NODES_MAX,
    settings: &[DELTA],
    periods: &[],
    ..BULLY
};

fn parsed(nodes: u16, t: &str, settings: &str) -> Result<Lab, String> {
    let text = format!(
        "name = \"o\"\nabout = \"o\"\nalgorithm = \"ordered\"\nnodes = {nodes}\nseed = 1\nT = \"{t}\"\n\
         check = \"1s\"\nsilence = \"2s\"\n[settings]\n{settings}\n"
    );
    parse("o.toml", &text, &[ORDERED]).map_err(|errors| errors.to_string())
}

#[test]
fn delta_is_at_least_5_ms() {
    assert!(parsed(5, "7ms", "").is_ok());
    let error = parsed(5, "6ms", "").unwrap_err();
    assert!(error.contains("for ordered Delta must be at least 5ms"), "{error}");
    assert!(error.contains("T = \"6ms\"") && error.contains("is 4.5ms"), "{error}");
    assert!(parsed(5, "6ms", "delta = \"1\"").is_ok(), "with Delta = T it is 6 ms");
    assert!(parsed(5, "4ms", "delta = \"1\"").is_err());
    let error = parsed(5, "7ms", "delta = \"1/2\"").unwrap_err();
    assert!(error.contains("`delta` cannot be \"1/2\""), "{error}");
}

#[test]
fn n_squared_relays_want_few_nodes() {
    assert!(parsed(32, "20ms", "").is_ok());
    let error = parsed(33, "20ms", "").unwrap_err();
    assert!(error.contains("a number of nodes from 1 to 32"), "{error}");
}
