//! What must hold for every algorithm that is built in.
//!
//! Invariant: a new algorithm is held to all of this without a line here.

use std::collections::BTreeSet;

use super::BUILT_IN;
use protocol::{
    Channel, DELTA, Delivery, Incarnation, LabKeys, MachineKind, NodeId, ORDERED_NODES_MAX, Order, Roster,
    SettingValue, Settings, Setup, Span, StepEffects, Timing,
};

#[test]
fn who_is_on_the_ordered_broadcast_hears_the_group_and_is_not_too_many() {
    for card in BUILT_IN.cards().filter(|card| card.delivery == Delivery::OrderedBroadcast) {
        assert_eq!(card.channel, Channel::Multicast, "{}", card.name);
        assert!(card.nodes_max <= ORDERED_NODES_MAX, "{}", card.name);
    }
}

#[test]
fn with_all_of_t_for_the_ordered_broadcast_nothing_is_promised_that_else_is() {
    for card in BUILT_IN.cards() {
        let usual = Settings::defaults(card.settings, Roster::new(5).unwrap().all());
        let all_of_t = usual.clone().with(DELTA.name, SettingValue::Word("1".into()));
        let has_delta = card.settings.iter().any(|setting| setting.name == DELTA.name);
        assert_eq!(has_delta, card.delivery == Delivery::OrderedBroadcast, "{}", card.name);
        let withheld = if has_delta { card.promises } else { &[] };
        assert_eq!(((card.withholds)(&usual, 5), (card.withholds)(&all_of_t, 5)), (&[][..], withheld), "{}", card.name);
    }
}

#[test]
fn every_order_that_a_card_lists_is_taken_and_an_election_is_one_of_them() {
    let timing = Timing { t: Span::from_millis(200), check: Span::from_millis(1000), silence: Span::from_millis(2000) };
    let (me, roster) = (NodeId::new(2).unwrap(), Roster::new(3).unwrap());
    for entry in BUILT_IN.algorithms {
        let settings = Settings::defaults(entry.card.settings, roster.all());
        let keyring = LabKeys::asked_for(entry.card.keys, 1, roster.len()).map(|keys| keys.keyring(me));
        let setup = Setup { me, roster, timing, settings, incarnation: Incarnation(1), keyring };
        for order in entry.card.orders {
            let mut fx = StepEffects::new(1);
            MachineKind::new(entry, None).start(&setup, None, &mut fx).on_order(*order, &mut fx);
        }
        assert!(entry.card.orders.contains(&Order::Elect), "{}", entry.card.name);
    }
}

#[test]
fn names_and_wire_numbers_and_lines_are_used_once() {
    let names: BTreeSet<_> = BUILT_IN.cards().map(|card| card.name).collect();
    let wires: BTreeSet<_> = BUILT_IN.cards().map(|card| card.wire).collect();
    assert_eq!((names.len(), wires.len()), (BUILT_IN.algorithms.len(), BUILT_IN.algorithms.len()));
    for card in BUILT_IN.cards() {
        let lines: BTreeSet<_> = card.listing.iter().map(|line| line.number).collect();
        assert_eq!(lines.len(), card.listing.len(), "{}", card.name);
    }
}

/// Every kind of message that can be read out of small datagrams: the first byte is the variant, the second that of a
/// message within it, and ones are a node, a number or a yes.
fn kinds_of(kind: MachineKind) -> BTreeSet<&'static str> {
    let read = |variant: u8, inner: u8| {
        let mut bytes = [1; 256];
        (bytes[0], bytes[1]) = (variant, inner);
        (1..bytes.len()).find_map(|len| kind.read_message(&bytes[..len])).map(|message| message.kind())
    };
    (0..64).flat_map(|variant| (0..16).filter_map(move |inner| read(variant, inner))).collect()
}

#[test]
fn a_card_lists_every_kind_of_message_and_no_other() {
    for entry in BUILT_IN.algorithms {
        let (card, listed) = (&entry.card, entry.card.messages.iter().copied().collect::<BTreeSet<_>>());
        assert_eq!(listed.len(), card.messages.len(), "{}", card.name);
        assert_eq!(kinds_of(MachineKind::new(entry, None)), listed, "{}", card.name);
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
    for card in BUILT_IN.cards() {
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
    for card in BUILT_IN.cards() {
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

#[test]
fn the_report_of_all_shards_fits_beside_the_message_that_carries_it() {
    use application::shards::ShardMessage;
    use election::bully;
    use protocol::{CallNumbers, SHARDS_MAX, ShardResult, codec::encode_message};

    let results = (1..=SHARDS_MAX).map(|shard| ShardResult { shard, primes: 9_592 }).collect();
    let call = CallNumbers::new(Incarnation(u32::MAX - 1)).give_out();
    let report = encode_message(&ShardMessage::Report { results }).unwrap();
    let message = encode_message(&bully::Message::NewCoordinatorAnswer { call }).unwrap();
    let settings = Settings::default().with_application("shards", Settings::default());
    let kind = BUILT_IN.kind_of("bully", &settings).unwrap();
    let body = [&[0], &message[..], &[1], &report[..]].concat();
    let read = kind.read_message(&body).expect("an answer that carries a report");
    assert_eq!((body.len() > 1_000, read.encode()), (true, Ok(body)));
}

#[test]
fn of_each_message_and_of_each_cells_there_is_one_encoding() {
    let mut accepted = 0;
    let mut state = 1u64;
    let mut below = |most: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % most
    };
    for (algorithm, application) in
        BUILT_IN.algorithms.iter().flat_map(|algorithm| BUILT_IN.applications.iter().map(move |of| (algorithm, of)))
    {
        let kind = MachineKind::new(algorithm, Some(application));
        for _ in 0..2_000 {
            let body: Vec<u8> = (0..below(16)).map(|_| below(4) as u8).collect();
            if let Some(message) = kind.read_message(&body) {
                accepted += 1;
                assert_eq!(message.encode().as_ref(), Ok(&body), "{message:?}");
                assert_eq!(message.text().body_bytes(), body.len());
                assert_eq!(kind.read_text(&message.text()), Some(message));
            }
            if let Some(cells) = kind.read_cells(&body) {
                assert_eq!(cells.encode(), body, "{cells:?}");
            }
        }
    }
    assert!(accepted > 1_000, "{accepted}");
}
