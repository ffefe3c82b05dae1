//! Tests of the link: each fault's bite, the order of delayed datagrams, the order filter.
//!
//! Invariant: times are numbers, nothing waits.

use super::*;
use protocol::Incarnation;

const MS: u64 = 1_000_000;

fn node(number: u16) -> NodeId {
    NodeId::new(number).unwrap()
}

fn passage(from: u16, sequence: u64) -> Passage {
    Passage { from: node(from), to: node(2), multicast: false, incarnation: Incarnation(1), sequence }
}

fn multicast(from: u16, sequence: u64) -> Passage {
    Passage { multicast: true, ..passage(from, sequence) }
}

fn fault(id: u32, rule: &str) -> LinkFault {
    LinkFault { id: FaultId(id), text: format!("fault {id}"), rule: rule.parse().unwrap() }
}

fn delay(id: u32, low: u64, high: u64) -> LinkFault {
    fault(id, &format!("delay 1->2 {low}ms..{high}ms"))
}

fn link(delivery: Delivery, faults: Vec<LinkFault>) -> Link<&'static str> {
    Link::new(LinkTerms { me: node(2), seed: 7, delivery, one_way: Span::from_millis(100), delta: Span::ZERO }, faults)
}

fn departures(link: &mut Link<&'static str>, now: u64) -> Vec<Departure<&'static str>> {
    std::iter::from_fn(|| link.depart(now)).collect()
}

#[test]
fn without_faults_all_passes_at_once() {
    let mut link = link(Delivery::InOrder, vec![]);
    assert_eq!(link.arrive(5, 5, passage(1, 1), None, "a"), Arrival::Passes);
    assert_eq!(link.next_release(), Some(5));
    assert_eq!(departures(&mut link, 5), [Departure::Deliver(passage(1, 1), "a")]);
    assert_eq!(link.next_release(), None);
}

#[test]
fn a_cut_an_isolation_a_partition_and_a_sure_loss_drop_unicast_and_multicast_alike() {
    let rules = ["cut 1->2", "isolate 2", "partition 1|2,3", "loss 1->2 100%"];
    for rule in rules {
        let mut link = link(Delivery::InOrder, vec![fault(4, rule)]);
        for passage in [passage(1, 1), multicast(1, 1)] {
            assert_eq!(link.arrive(0, 0, passage, None, "a"), Arrival::Dropped { by: FaultId(4), payload: "a" });
        }
        assert_eq!(link.next_release(), None);
    }
}

#[test]
fn a_delayed_datagram_leaves_at_its_moment_and_not_before() {
    let mut link = link(Delivery::InOrder, vec![delay(1, 10, 10)]);
    let held = Arrival::Held { by: FaultId(1), span: Some(Span::from_millis(10)), payload: &"a" };
    assert_eq!(link.arrive(MS, MS, passage(1, 1), None, "a"), held);
    assert_eq!(link.next_release(), Some(11 * MS));
    assert_eq!(departures(&mut link, 11 * MS - 1), []);
    assert_eq!(departures(&mut link, 11 * MS), [Departure::Deliver(passage(1, 1), "a")]);
}

#[test]
fn a_drawn_delay_keeps_its_links_order_and_tells_the_whole_wait() {
    let mut link = link(Delivery::AsItComes, vec![delay(1, 0, 50)]);
    let mut releases = Vec::new();
    for sequence in 1..=200 {
        let now = sequence * MS;
        match link.arrive(now, now, passage(1, sequence), None, "a") {
            Arrival::Held { span, .. } => releases.push(now + span.unwrap().nanos()),
            other => panic!("not held: {other:?}"),
        }
    }
    assert!(releases.is_sorted(), "a later one was to leave earlier");
    assert!(releases.windows(2).any(|pair| pair[0] == pair[1]), "no draw was ever overtaken: nothing was tested");
    let mut left = Vec::new();
    while let Some(now) = link.next_release() {
        assert_eq!(now, releases[left.len()]);
        match link.depart(now) {
            Some(Departure::Deliver(passage, _)) => left.push(passage.sequence),
            other => panic!("not delivered: {other:?}"),
        }
    }
    assert_eq!(left, (1..=200).collect::<Vec<_>>());
}

#[test]
fn what_comes_after_the_lift_waits_behind_what_is_held_and_other_links_do_not() {
    let mut link = link(Delivery::InOrder, vec![delay(1, 10, 10)]);
    link.arrive(0, 0, passage(1, 1), None, "slow");
    link.set_faults(0, vec![]);
    let behind = Arrival::Held { by: FaultId(1), span: Some(Span::from_millis(6)), payload: &"behind" };
    assert_eq!(link.arrive(4 * MS, 4 * MS, passage(1, 2), None, "behind"), behind);
    assert_eq!(link.arrive(4 * MS, 4 * MS, passage(3, 1), None, "other"), Arrival::Passes);
    assert_eq!(departures(&mut link, 4 * MS), [Departure::Deliver(passage(3, 1), "other")]);
    let both = [Departure::Deliver(passage(1, 1), "slow"), Departure::Deliver(passage(1, 2), "behind")];
    assert_eq!(departures(&mut link, 10 * MS), both);
    assert_eq!(link.arrive(10 * MS, 10 * MS, passage(1, 3), None, "free again"), Arrival::Passes);
}

#[test]
fn a_cut_drops_what_comes_and_not_what_is_already_held() {
    let mut link = link(Delivery::InOrder, vec![delay(1, 10, 10)]);
    link.arrive(0, 0, passage(1, 1), None, "held");
    link.set_faults(0, vec![fault(2, "cut 1->2")]);
    assert_eq!(link.arrive(1, 1, passage(1, 2), None, "cut"), Arrival::Dropped { by: FaultId(2), payload: "cut" });
    assert_eq!(departures(&mut link, 10 * MS), [Departure::Deliver(passage(1, 1), "held")]);
}

#[test]
fn the_filter_drops_the_older_and_the_equal_per_sender_and_channel() {
    let mut link = link(Delivery::InOrder, vec![]);
    let recovered = Passage { incarnation: Incarnation(2), ..passage(1, 1) };
    let in_turn = [passage(1, 5), passage(1, 5), passage(1, 4), multicast(1, 1), passage(3, 1), passage(1, 7)];
    for passage in in_turn.into_iter().chain([recovered, passage(1, 8)]) {
        link.arrive(0, 0, passage, None, "a");
    }
    let stale: Vec<bool> =
        departures(&mut link, 0).iter().map(|departure| matches!(departure, Departure::Stale(_))).collect();
    assert_eq!(stale, [false, true, true, false, false, false, false, true]);
}

#[test]
fn without_the_filter_a_copy_arrives_twice() {
    let mut link = link(Delivery::AsItComes, vec![]);
    link.arrive(0, 0, passage(1, 5), None, "a");
    link.arrive(0, 0, passage(1, 5), None, "a");
    let twice = [Departure::Deliver(passage(1, 5), "a"), Departure::Deliver(passage(1, 5), "a")];
    assert_eq!(departures(&mut link, 0), twice);
}

#[test]
fn ones_own_multicast_is_dropped_and_another_lone_one_is_not() {
    let mut link = link(Delivery::InOrder, vec![]);
    assert_eq!(link.arrive(0, 0, multicast(2, 1), None, "mine"), Arrival::Own);
    assert_eq!(link.arrive(0, 0, multicast(1, 1), None, "theirs"), Arrival::Passes);
}

#[test]
fn what_finds_the_queue_full_is_lost_by_the_fault_that_would_hold_it_or_counted() {
    let mut link = link(Delivery::InOrder, vec![delay(1, 10, 10)]);
    for sequence in 1..=WAITING_MAX as u64 {
        assert!(matches!(link.arrive(0, 0, passage(1, sequence), None, "held"), Arrival::Held { .. }));
    }
    assert_eq!(link.take_overflow(), 0);
    let dropped = Arrival::Dropped { by: FaultId(1), payload: "lost" };
    assert_eq!(link.arrive(1, 1, passage(1, 1_000_000), None, "lost"), dropped);
    assert_eq!(link.arrive(1, 1, passage(3, 1), None, "lost"), Arrival::Overflows);
    assert_eq!((link.take_overflow(), link.take_overflow()), (1, 0));
    assert_eq!(departures(&mut link, 10 * MS).len(), WAITING_MAX);
    assert_eq!(link.arrive(11 * MS, 11 * MS, passage(3, 1), None, "a"), Arrival::Passes);
}

#[test]
fn the_short_way_makes_of_a_datagram_what_the_long_one_does() {
    let arrivals = [passage(1, 5), passage(1, 5), multicast(1, 1), multicast(2, 1), passage(3, 1), passage(1, 6)];
    for delivery in [Delivery::InOrder, Delivery::AsItComes] {
        let (mut short, mut long) = (link(delivery, vec![]), link(delivery, vec![]));
        for passage in arrivals {
            let expected = match long.arrive(0, 0, passage, None, "a") {
                Arrival::Own => FastPathResult::Own,
                _ => match departures(&mut long, 0)[..] {
                    [Departure::Deliver(..)] => FastPathResult::Deliver,
                    [Departure::Stale(_)] => FastPathResult::Stale,
                    ref other => panic!("{other:?}"),
                },
            };
            assert_eq!(short.pass(&passage), Some(expected));
        }
    }
}

#[test]
fn there_is_no_short_way_past_a_fault_or_past_what_waits() {
    let mut link = link(Delivery::InOrder, vec![delay(1, 10, 10)]);
    assert_eq!(link.pass(&passage(3, 1)), None);
    link.arrive(0, 0, passage(1, 1), None, "held");
    link.set_faults(0, vec![]);
    assert_eq!(link.pass(&passage(3, 1)), None);
    assert_eq!(departures(&mut link, 10 * MS).len(), 1);
    assert_eq!(link.pass(&passage(3, 1)), Some(FastPathResult::Deliver));
}
