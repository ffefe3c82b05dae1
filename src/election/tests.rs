//! What must hold for every algorithm of the table.
//!
//! Invariant: a new algorithm is held to all of this without a line here.

use std::collections::BTreeSet;

use super::{CARDS, Visitor, visit};
use crate::protocol::{Algorithm, Channel, Delivery, ORDERED_NODES_MAX};

struct MessageSize;

impl Visitor for MessageSize {
    type Output = usize;

    fn visit<A: Algorithm>(self) -> usize {
        size_of::<A::Message>()
    }
}

#[test]
fn every_message_is_at_most_64_bytes() {
    for card in CARDS {
        let size = visit(card.name, MessageSize).unwrap();
        assert!(size <= 64, "{}: {size} bytes", card.name);
    }
}

#[test]
fn who_is_on_the_ordered_broadcast_hears_the_group_and_is_not_too_many() {
    for card in CARDS.iter().filter(|card| card.delivery == Delivery::OrderedBroadcast) {
        assert_eq!(card.channel, Channel::Multicast, "{}", card.name);
        assert!(card.nodes_max <= ORDERED_NODES_MAX, "{}", card.name);
    }
}

#[test]
fn names_and_wire_numbers_and_lines_are_used_once() {
    let names: BTreeSet<_> = CARDS.iter().map(|card| card.name).collect();
    let wires: BTreeSet<_> = CARDS.iter().map(|card| card.wire).collect();
    assert_eq!((names.len(), wires.len()), (CARDS.len(), CARDS.len()));
    for card in CARDS {
        let lines: BTreeSet<_> = card.listing.iter().map(|line| line.number).collect();
        assert_eq!(lines.len(), card.listing.len(), "{}", card.name);
    }
}
