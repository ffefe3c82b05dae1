//! Tests of the link in front of the ordered broadcast: the faults befall each copy by itself, and a relay's copy takes
//! the place of one that was lost or late.
//!
//! Invariant: no test waits; the time is an argument.

use crate::{Arrival, BroadcastId, Departure, Link, LinkTerms};
use fault::{FaultId, LinkFault, Passage, Tampering};
use protocol::{Delivery, Incarnation, NodeId, Span};

const DELTA: u64 = 15_000_000;

fn node(number: u16) -> NodeId {
    NodeId::new(number).unwrap()
}

fn original(from: u16, sequence: u64, stamp: u64) -> BroadcastId {
    BroadcastId { stamp, from: node(from), incarnation: Incarnation(1), sequence }
}

/// The passage of the copy that this node relays to node 2.
fn relayed(by: u16, original: BroadcastId) -> Passage {
    Passage { from: node(by), sequence: original.relay_number(), ..original.passage(node(2)) }
}

fn fault(id: u32, rule: &str) -> LinkFault {
    LinkFault { id: FaultId(id), text: format!("fault {id}"), rule: rule.parse().unwrap() }
}

fn tamper(how: Tampering, from: &str, percent: &str) -> LinkFault {
    fault(1, &format!("{how} {from}->2 {percent}"))
}

fn link(faults: Vec<LinkFault>) -> Link<&'static str> {
    let (me, one_way, delta) = (node(2), Span::from_nanos(2 * DELTA), Span::from_nanos(DELTA));
    Link::new(LinkTerms { me, seed: 7, delivery: Delivery::OrderedBroadcast, one_way, delta }, faults)
}

/// All that leaves by `now`, ordered broadcasts last.
fn leaving(link: &mut Link<&'static str>, now: u64) -> Vec<Departure<&'static str>> {
    let mut left: Vec<_> = std::iter::from_fn(|| link.depart(now)).collect();
    while link.release_ordered(now, now) {
        left.extend(std::iter::from_fn(|| link.depart(now)));
    }
    left
}

#[test]
fn a_broadcast_is_relayed_at_once_and_delivered_at_its_moment_and_unicasts_do_not_wait() {
    let mut link = link(vec![]);
    let word = original(1, 1, 0);
    assert_eq!(link.arrive(5, 5, word.passage(node(2)), Some(word), "word"), Arrival::Passes);
    assert_eq!(leaving(&mut link, 5), [Departure::Relay(word, "word")]);
    assert_eq!(link.arrive(6, 6, relayed(3, word), Some(word), "word"), Arrival::Passes);
    let unicast = Passage { multicast: false, sequence: 1, ..word.passage(node(2)) };
    link.arrive(7, 7, unicast, None, "answer");
    link.arrive(8, 8, unicast, None, "answer");
    let expected = [Departure::Deliver(unicast, "answer"), Departure::Stale(unicast)];
    assert_eq!(leaving(&mut link, 8), expected);
    assert_eq!((link.next_release(), link.next_ordered()), (Some(DELTA), Some(DELTA)));
    assert_eq!(leaving(&mut link, DELTA - 1), []);
    assert_eq!(leaving(&mut link, DELTA), [Departure::Deliver(word.passage(node(2)), "word")]);
    assert_eq!(link.next_release(), None);
}

#[test]
fn ones_own_comes_back_through_the_layer_and_neither_by_the_group_nor_by_a_fault() {
    let isolated = fault(1, "isolate 2");
    let mut link = link(vec![isolated, tamper(Tampering::Duplicate, "1-3", "100%")]);
    let word = original(2, 1, 0);
    link.broadcast(word, "mine");
    assert_eq!(link.arrive(5, 5, word.passage(node(2)), Some(word), "mine"), Arrival::Own);
    assert_eq!(link.arrive(5, 5, relayed(2, word), Some(word), "mine"), Arrival::Own);
    assert_eq!(leaving(&mut link, DELTA), [Departure::Deliver(word.passage(node(2)), "mine")]);
}

#[test]
fn a_lost_or_late_direct_copy_is_made_good_by_a_relay_and_a_lost_relay_by_another() {
    let cut = |from: &str| fault(1, &format!("cut {from}->2"));
    let span = Span::from_nanos(DELTA * 2 / 3);
    let slow = format!("delay 1->2 {span}");
    for faults in [vec![cut("1")], vec![cut("3")], vec![fault(1, &slow)], vec![cut("1,3")]] {
        let mut link = link(faults);
        let word = original(1, 1, 0);
        let copies = [(1, word.passage(node(2))), (2, relayed(3, word)), (3, relayed(4, word))];
        let bitten = copies
            .into_iter()
            .filter(|(now, passage)| !matches!(link.arrive(*now, *now, *passage, Some(word), "word"), Arrival::Passes))
            .count();
        assert!(bitten > 0, "no copy met the fault");
        let mut left = leaving(&mut link, DELTA);
        left.retain(|departure| !matches!(departure, Departure::Relay(..)));
        assert_eq!(left, [Departure::Deliver(word.passage(node(2)), "word")]);
        assert_eq!(leaving(&mut link, 9 * DELTA), [], "it is neither delivered twice nor told as late");
    }
}

#[test]
fn what_a_delay_keeps_past_its_moment_is_late_and_told_once() {
    let span = Span::from_nanos(2 * DELTA);
    let mut link = link(vec![fault(1, &format!("delay 1-5->2 {span}"))]);
    let word = original(1, 1, 0);
    for passage in [word.passage(node(2)), relayed(3, word), relayed(4, word)] {
        assert!(matches!(link.arrive(0, 0, passage, Some(word), "word"), Arrival::Held { .. }));
    }
    assert_eq!(leaving(&mut link, 2 * DELTA - 1), []);
    let late = Span::from_nanos(2 * DELTA - DELTA / 2);
    assert_eq!(leaving(&mut link, 2 * DELTA), [Departure::Late(word, late, "word")]);
    assert_eq!(link.next_release(), None);
}

#[test]
fn copies_have_dice_of_their_own_and_those_of_a_relay_hang_on_what_it_relays() {
    let link = link(vec![tamper(Tampering::Corrupt, "1-5", "50%")]);
    let fates = |of: &dyn Fn(BroadcastId) -> Passage| -> Vec<bool> {
        (1..=200).map(|sequence| link.spoils(&of(original(1, sequence, 0))).is_some()).collect()
    };
    let direct = fates(&|word| word.passage(node(2)));
    let by_three = fates(&|word| relayed(3, word));
    assert_ne!(direct, by_three);
    assert_ne!(by_three, fates(&|word| relayed(4, word)));
    assert_eq!(by_three, fates(&|word| relayed(3, BroadcastId { stamp: 9, ..word })));
}

#[test]
fn behind_the_layer_a_copy_reaches_the_machine_and_another_senders_broadcast_overtakes() {
    let mut doubled = link(vec![tamper(Tampering::Duplicate, "1", "100%")]);
    let (one, three) = (original(1, 1, 0), original(3, 1, 5));
    let way = |word: BroadcastId| word.passage(node(2));
    doubled.arrive(1, 1, relayed(4, one), Some(one), "one");
    assert_eq!(leaving(&mut doubled, 1), []);
    let twice = [
        Departure::Duplicated { passage: way(one), by: FaultId(1) },
        Departure::Deliver(way(one), "one"),
        Departure::Deliver(way(one), "one"),
    ];
    assert_eq!(leaving(&mut doubled, DELTA), twice);
    let mut reordered = link(vec![tamper(Tampering::Reorder, "1", "100%")]);
    for word in [one, three] {
        reordered.arrive(1, 1, relayed(4, word), Some(word), "word");
    }
    assert_eq!(leaving(&mut reordered, 1), []);
    // One way may take 2 Delta, and Delta + 5 of that is over when the first is due: it may wait for half of what is
    // left.
    let (passage, span) = (way(one), Span::from_nanos((DELTA - 5) / 2));
    let overtaken = [
        Departure::Waits { passage, payload: "word", by: FaultId(1), span },
        Departure::Deliver(way(three), "word"),
        Departure::Overtaken { passage: way(one), by: FaultId(1) },
        Departure::Deliver(way(one), "word"),
    ];
    assert_eq!(leaving(&mut reordered, DELTA + 5), overtaken);
}
