//! Tests of Algorithm C: each transition, each mend, many elections, and the watch over the master.
//!
//! Invariant: one test for each transition of Tables 4a and 4b, which names it.

mod bench;
mod closing;
mod counts;
mod courses;
mod elections;
mod later_mends;
mod loss;
mod mends;
mod network;
mod transitions;
mod watching;

use super::super::tests::network::{Errata, T_NANOS, settings, t, timing};
use super::{AlgorithmC, ElectionNumber, Message, Name};
use ::bench::node;
use protocol::{Algorithm, Described, Effects, Incarnation, Roster, Setup, Span, Timing};

fn setup(me: u16, nodes: u16, errata: Errata, check: Span) -> Setup {
    let roster = Roster::new(nodes).unwrap();
    Setup {
        me: node(me),
        roster,
        timing: Timing { check, ..timing() },
        settings: settings::<AlgorithmC>(nodes, errata),
        incarnation: Incarnation(1),
        keyring: None,
    }
}

#[test]
fn a_message_fits_64_bytes_and_names_its_fields() {
    assert!(size_of::<Message>() <= 64, "{} bytes", size_of::<Message>());
    let name = |number| Name { node: node(number), capacity: Some(i64::from(number)) };
    let dup = Message::Dup { election: ElectionNumber(7), round: 2, k: name(4), l: name(5) };
    assert_eq!(dup.kind(), "dup");
    let fields = [("k", "4 (4)"), ("l", "5 (5)"), ("election", "7"), ("round", "2")];
    assert_eq!(dup.fields(), fields.map(|(name, value)| (name, value.to_owned())));
}

#[test]
fn the_listing_has_every_transition_once_and_no_number_twice() {
    let numbers: Vec<_> = AlgorithmC::CARD.listing.iter().map(|line| line.number).collect();
    assert_eq!(numbers[..22], (1..=22).collect::<Vec<_>>());
    let distinct: std::collections::BTreeSet<_> = numbers.iter().collect();
    assert_eq!(distinct.len(), numbers.len());
}

#[test]
fn the_card_holds_check_against_the_answer_to_a_request() {
    let rule = &AlgorithmC::CARD.periods[0];
    let timing = |check| Timing { t: t(1.0), check, silence: t(1.0) };
    let settings = setup(1, 5, Errata::Mended, t(4.0)).settings;
    assert!((rule.holds)(&timing(t(2.1)), 5, &settings) && !(rule.holds)(&timing(t(2.0)), 5, &settings));
    let facts = AlgorithmC::CARD.facts(&timing(t(4.0)), 5, &settings);
    assert_eq!((facts.time_bound, facts.quiet_bound), (t(12.0), t(44.0)));
}

#[test]
fn a_process_starts_in_normal_and_begins_nothing_by_itself() {
    let mut fx = Effects::new(5);
    let machine = AlgorithmC::start(&setup(5, 5, Errata::ToTheLetter, t(4.0)), None, &mut fx);
    assert!(fx.list().is_empty());
    assert_eq!((machine.state().word.as_ref(), machine.state().election), ("normal", None));
}
