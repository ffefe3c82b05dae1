//! What must hold for every algorithm of the table.
//!
//! Invariant: a new algorithm is held to all of this without a line here.

use std::collections::BTreeSet;

use super::bench::Bench;
use super::{CARDS, Visitor, visit};
use crate::protocol::{
    Algorithm, Channel, DELTA, Delivery, Described, NodeSet, ORDERED_NODES_MAX, Order, Roster, SettingValue, Settings,
    Span, Timing,
};

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
fn with_all_of_t_for_the_ordered_broadcast_nothing_is_promised_that_else_is() {
    for card in CARDS {
        let usual = Settings::defaults(card.settings, NodeSet::EMPTY);
        let all_of_t = usual.clone().with(DELTA.name, SettingValue::Word("1".into()));
        let has_delta = card.settings.iter().any(|setting| setting.name == DELTA.name);
        assert_eq!(has_delta, card.delivery == Delivery::OrderedBroadcast, "{}", card.name);
        let withheld = if has_delta { card.promises } else { &[] };
        assert_eq!(((card.withholds)(&usual, 5), (card.withholds)(&all_of_t, 5)), (&[][..], withheld), "{}", card.name);
    }
}

struct TakesItsOrders;

impl Visitor for TakesItsOrders {
    type Output = ();

    fn visit<A: Algorithm>(self) {
        let timing =
            Timing { t: Span::from_millis(200), check: Span::from_millis(1000), silence: Span::from_millis(2000) };
        for order in A::CARD.orders {
            Bench::<A>::start(2, 3, timing, |settings| settings).order(*order);
        }
    }
}

#[test]
fn every_order_that_a_card_lists_is_taken_and_an_election_is_one_of_them() {
    for card in CARDS {
        visit(card.name, TakesItsOrders).unwrap();
        assert!(card.orders.contains(&Order::Elect), "{}", card.name);
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

/// Every kind of message that can be read out of small datagrams: the first byte is the variant, the second that of a
/// message within it, and ones are a node, a number or a yes.
struct MessageKinds;

impl Visitor for MessageKinds {
    type Output = BTreeSet<&'static str>;

    fn visit<A: Algorithm>(self) -> BTreeSet<&'static str> {
        let read = |variant: u8, inner: u8| {
            let mut bytes = [1; 256];
            (bytes[0], bytes[1]) = (variant, inner);
            let read = bincode::serde::decode_from_slice::<A::Message, _>(&bytes, bincode::config::standard());
            read.ok().map(|(message, _)| message.kind())
        };
        (0..64).flat_map(|variant| (0..16).filter_map(move |inner| read(variant, inner))).collect()
    }
}

#[test]
fn a_card_lists_every_kind_of_message_and_no_other() {
    for card in CARDS {
        let listed: BTreeSet<_> = card.messages.iter().copied().collect();
        assert_eq!(listed.len(), card.messages.len(), "{}", card.name);
        assert_eq!(visit(card.name, MessageKinds).unwrap(), listed, "{}", card.name);
    }
}

#[test]
fn the_log_cites_the_tables_of_king_and_ni_by_their_transitions_and_no_other_listing() {
    let timing =
        Timing { t: Span::from_millis(200), check: Span::from_millis(1_000), silence: Span::from_millis(2_000) };
    let tables = [
        ("king-ni-a", 3, "A"),
        ("king-ni-b1", 6, "B.1"),
        ("king-ni-b2", 8, "B.2"),
        ("king-ni-c", 12, "C"),
        ("king-ni-5-3", 8, "5.3"),
    ];
    for card in CARDS {
        let settings = Settings::defaults(card.settings, Roster::new(5).unwrap().all());
        let facts = card.facts(&timing, 5, &settings);
        let number = card.listing[0].number;
        match tables.iter().find(|table| table.0 == card.name) {
            Some((_, transition, table)) => {
                let cited = format!("King/Ni {table}, transition {transition}");
                assert_eq!(facts.cite(&[*transition]), Some(cited.clone()));
                let asks = card.listing.iter().find(|line| line.number == 105).unwrap().procedure;
                assert_eq!(facts.cite(&[*transition, 105]), Some(format!("{cited}, {asks}")));
                assert_eq!(facts.cite(&[203]), Some(format!("King/Ni {table}, watch")));
            }
            None => assert_eq!(facts.cite(&[number]), None, "{}", card.name),
        }
    }
}

#[test]
fn every_hole_names_lines_of_its_paper_or_none_and_every_mend_a_hole() {
    for card in CARDS {
        for hole in card.holes() {
            for number in hole.lines {
                let line = card.listing.iter().find(|line| line.number == *number);
                let told = format!("hole {} of {} at line {number}", hole.number, card.name);
                assert!(!line.unwrap_or_else(|| panic!("{told}")).procedure.starts_with("mend"), "{told}");
            }
        }
        for line in card.listing {
            let Some((_, mended)) = line.procedure.split_once("mend of hole") else { continue };
            for number in mended.trim_start_matches('s').split(',').map(str::trim) {
                let is_known = card.holes().iter().any(|hole| hole.number == number);
                assert!(is_known, "line {} of {} mends {number}", line.number, card.name);
            }
        }
    }
}
