//! Tests of `hold` and `release`: what waits, in which order it comes, and what the order filter makes of it then.
//!
//! Invariant: times are numbers, nothing waits.

use crate::{Arrival, BroadcastId, Departure, FastPathResult, Link, LinkTerms, Released, WAITING_MAX};
use fault::{FaultId, LinkFault, Passage, ReleaseOrder};
use protocol::{Delivery, Incarnation, NodeId, Span};

const MS: u64 = 1_000_000;

fn passage(from: u16, sequence: u64) -> Passage {
    let node = |number| NodeId::new(number).unwrap();
    Passage { from: node(from), to: node(2), multicast: false, incarnation: Incarnation(1), sequence }
}

fn fault(id: u32, rule: &str) -> LinkFault {
    LinkFault { id: FaultId(id), text: format!("fault {id}"), rule: rule.parse().unwrap() }
}

fn hold(id: u32, from: &str) -> LinkFault {
    fault(id, &format!("hold {from}->2"))
}

fn release(id: u32, from: &str, order: ReleaseOrder) -> LinkFault {
    fault(id, &format!("release {from}->2{order}"))
}

fn link(delivery: Delivery, faults: Vec<LinkFault>) -> Link<u64> {
    let (me, one_way, delta) = (NodeId::new(2).unwrap(), Span::ZERO, Span::from_millis(15));
    Link::new(LinkTerms { me, seed: 7, delivery, one_way, delta }, faults)
}

/// Datagrams with these numbers arrive from this sender, a millisecond apart, and are held.
fn holds(link: &mut Link<u64>, from: u16, numbers: &[u64], by: u32) {
    for number in numbers {
        let held = Arrival::Held { by: FaultId(by), span: None, payload: number };
        assert_eq!(link.arrive(number * MS, number * MS, passage(from, *number), None, *number), held);
    }
}

/// What reaches the machine by `now`, and what the filter drops.
fn leaving(link: &mut Link<u64>, now: u64) -> (Vec<u64>, Vec<u64>) {
    let (mut given, mut stale) = (Vec::new(), Vec::new());
    while let Some(departure) = link.depart(now) {
        match departure {
            Departure::Deliver(_, number) => given.push(number),
            Departure::Stale(passage) => stale.push(passage.sequence),
            other => panic!("{other:?}"),
        }
    }
    (given, stale)
}

fn released(by: u32, from: u16, numbers: &[u64]) -> Vec<Released> {
    let released = |number: &u64| Released { passage: passage(from, *number), original: None, by: FaultId(by) };
    numbers.iter().map(released).collect()
}

#[test]
fn what_is_held_waits_for_ever_and_wakes_nobody_and_another_link_goes_on() {
    let mut link = link(Delivery::InOrder, vec![hold(1, "1")]);
    holds(&mut link, 1, &[1, 2, 3], 1);
    assert_eq!(link.arrive(4 * MS, 4 * MS, passage(3, 1), None, 31), Arrival::Passes);
    assert_eq!(leaving(&mut link, u64::MAX), (vec![31], vec![]));
    assert_eq!(link.next_release(), None);
}

#[test]
fn what_is_released_comes_in_order_and_reversed_the_filter_drops_all_but_the_youngest() {
    for (order, given, stale) in
        [(ReleaseOrder::InOrder, vec![1, 2, 3], vec![]), (ReleaseOrder::Reversed, vec![3], vec![2, 1])]
    {
        let mut link = link(Delivery::InOrder, vec![hold(1, "1")]);
        holds(&mut link, 1, &[1, 2, 3], 1);
        let told = link.set_faults(9 * MS, vec![release(2, "1", order)]);
        let mut numbers = vec![1, 2, 3];
        if order == ReleaseOrder::Reversed {
            numbers.reverse();
        }
        assert_eq!(told, released(2, 1, &numbers));
        assert_eq!(link.next_release(), Some(9 * MS));
        assert_eq!(leaving(&mut link, 9 * MS), (given, stale), "{order:?}");
        assert_eq!(link.arrive(10 * MS, 10 * MS, passage(1, 4), None, 4), Arrival::Passes, "the link is free");
    }
}

#[test]
fn without_the_filter_the_machine_is_given_them_in_the_order_of_their_release() {
    let mut link = link(Delivery::AsItComes, vec![hold(1, "1")]);
    holds(&mut link, 1, &[1, 2, 3], 1);
    link.set_faults(9 * MS, vec![release(2, "1", ReleaseOrder::Reversed)]);
    assert_eq!(leaving(&mut link, 9 * MS), (vec![3, 2, 1], vec![]));
}

#[test]
fn a_hold_that_is_lifted_lets_go_in_order_whatever_was_released_before_it() {
    let early = release(1, "1", ReleaseOrder::Reversed);
    let mut link = link(Delivery::InOrder, vec![early.clone(), hold(2, "1")]);
    holds(&mut link, 1, &[1, 2], 2);
    assert_eq!(link.set_faults(5 * MS, vec![early]), released(2, 1, &[1, 2]));
    assert_eq!(leaving(&mut link, 5 * MS), (vec![1, 2], vec![]));
    link.set_faults(6 * MS, vec![]);
    assert_eq!(link.pass(&passage(1, 3)), Some(FastPathResult::Deliver), "nothing is left behind");
}

#[test]
fn a_release_frees_one_link_of_a_hold_and_a_second_hold_keeps_what_the_first_let_go() {
    let mut link = link(Delivery::InOrder, vec![hold(1, "1,3")]);
    holds(&mut link, 1, &[1], 1);
    holds(&mut link, 3, &[1], 1);
    let freed = release(2, "1", ReleaseOrder::InOrder);
    assert_eq!(link.set_faults(2 * MS, vec![hold(1, "1,3"), freed]), released(2, 1, &[1]));
    assert_eq!(leaving(&mut link, 2 * MS), (vec![1], vec![]));
    holds(&mut link, 3, &[2], 1);
    assert_eq!(link.set_faults(3 * MS, vec![hold(4, "3")]), [], "another hold has taken over");
    assert_eq!(link.set_faults(4 * MS, vec![]), released(1, 3, &[1, 2]));
    assert_eq!(leaving(&mut link, 4 * MS), (vec![1, 2], vec![]));
}

#[test]
fn what_a_delay_keeps_too_waits_for_the_rest_of_it_and_goes_behind_what_was_delayed_before() {
    let slow = fault(1, "delay 1->2 10ms");
    let mut link = link(Delivery::InOrder, vec![slow.clone()]);
    link.arrive(0, 0, passage(1, 1), None, 1);
    link.set_faults(MS, vec![slow.clone(), hold(2, "1")]);
    link.arrive(2 * MS, 2 * MS, passage(1, 2), None, 2);
    link.set_faults(3 * MS, vec![slow]);
    assert_eq!(leaving(&mut link, 10 * MS), (vec![1], vec![]));
    assert_eq!(leaving(&mut link, 12 * MS - 1), (vec![], vec![]));
    assert_eq!(leaving(&mut link, 12 * MS), (vec![2], vec![]));
}

#[test]
fn what_is_held_counts_to_what_may_wait() {
    let mut link = link(Delivery::InOrder, vec![hold(1, "1")]);
    for sequence in 1..=WAITING_MAX as u64 {
        assert!(matches!(link.arrive(0, 0, passage(1, sequence), None, sequence), Arrival::Held { .. }));
    }
    assert_eq!(link.arrive(0, 0, passage(3, 1), None, 31), Arrival::Overflows);
    assert_eq!(link.take_overflow(), 1);
    assert_eq!(link.set_faults(MS, vec![]).len(), WAITING_MAX);
    assert_eq!(leaving(&mut link, MS).0.len(), WAITING_MAX);
    assert_eq!(link.arrive(2 * MS, 2 * MS, passage(3, 1), None, 31), Arrival::Passes);
}

#[test]
fn a_copy_that_is_held_past_its_moment_is_late_and_one_that_is_let_go_before_it_is_not() {
    let word = BroadcastId { stamp: 0, from: NodeId::new(1).unwrap(), incarnation: Incarnation(1), sequence: 1 };
    let to = NodeId::new(2).unwrap();
    for (at, expected) in [(5 * MS, None), (20 * MS, Some(20 * MS - 15 * MS / 2))] {
        let mut link = link(Delivery::OrderedBroadcast, vec![hold(1, "1")]);
        assert!(matches!(link.arrive(1, 1, word.passage(to), Some(word), 7), Arrival::Held { span: None, .. }));
        let told = link.set_faults(at, vec![]);
        assert_eq!(told, [Released { passage: word.passage(to), original: Some(word), by: FaultId(1) }]);
        let left = link.depart(at);
        match expected {
            None => assert_eq!(left, Some(Departure::Relay(word, 7))),
            Some(late) => assert_eq!(left, Some(Departure::Late(word, Span::from_nanos(late), 7))),
        }
    }
}
