//! Tests of the faults behind the order filter: there their effect reaches the machine, and in front of the filter it
//! would not.
//!
//! Invariant: times are numbers, nothing waits.

use crate::{Arrival, Departure, Link, LinkTerms};
use fault::{FaultId, LinkFault, Passage, Tampering};
use protocol::{Delivery, Incarnation, NodeId, Span};

const MS: u64 = 1_000_000;
/// The most that one way may take in these tests.
const ONE_WAY: u64 = 100 * MS;

fn passage(from: u16, sequence: u64) -> Passage {
    let node = |number| NodeId::new(number).unwrap();
    Passage { from: node(from), to: node(2), multicast: false, incarnation: Incarnation(1), sequence }
}

fn always(id: u32, how: Tampering) -> LinkFault {
    often(id, how, "100%")
}

fn often(id: u32, how: Tampering, percent: &str) -> LinkFault {
    let text = format!("{how} 1,3->2 {percent}");
    LinkFault { id: FaultId(id), rule: text.parse().unwrap(), text }
}

fn link(faults: Vec<LinkFault>) -> Link<u64> {
    let (me, one_way) = (NodeId::new(2).unwrap(), Span::from_nanos(ONE_WAY));
    Link::new(LinkTerms { me, seed: 7, delivery: Delivery::InOrder, one_way, delta: Span::ZERO }, faults)
}

/// What leaves by `now`; the payload is the number.
fn leaving(link: &mut Link<u64>, now: u64) -> Vec<Departure<u64>> {
    std::iter::from_fn(|| link.depart(now)).collect()
}

/// The numbers of what reaches the machine when these arrive one after another, a millisecond apart.
fn given(link: &mut Link<u64>, numbers: impl IntoIterator<Item = u64>) -> Vec<u64> {
    let mut given = Vec::new();
    for (index, number) in numbers.into_iter().enumerate() {
        let now = index as u64 * MS;
        link.arrive(now, now, passage(1, number), None, number);
        given.extend(leaving(link, now).iter().filter_map(delivered));
    }
    given
}

/// The first message of this node begins to wait.
fn waits(from: u16, payload: u64, span: u64) -> Departure<u64> {
    Departure::Waits { passage: passage(from, 1), payload, by: FaultId(4), span: Span::from_nanos(span) }
}

fn delivered(departure: &Departure<u64>) -> Option<u64> {
    match departure {
        Departure::Deliver(_, number) => Some(*number),
        _ => None,
    }
}

#[test]
fn a_copy_in_front_of_the_filter_is_stale_and_one_behind_it_reaches_the_machine() {
    let mut bare = link(vec![]);
    assert_eq!(given(&mut bare, [1, 1, 2, 1]), [1, 2], "what the network doubles or overtakes is dropped");
    let mut doubled = link(vec![always(4, Tampering::Duplicate)]);
    doubled.arrive(0, 0, passage(1, 1), None, 1);
    let twice = [
        Departure::Duplicated { passage: passage(1, 1), by: FaultId(4) },
        Departure::Deliver(passage(1, 1), 1),
        Departure::Deliver(passage(1, 1), 1),
    ];
    assert_eq!(leaving(&mut doubled, 0), twice);
}

#[test]
fn what_is_overtaken_behind_the_filter_comes_out_of_order_and_in_front_of_it_is_lost() {
    let mut bare = link(vec![]);
    assert_eq!(given(&mut bare, [2, 1, 4, 3]), [2, 4]);
    let mut reordered = link(vec![always(4, Tampering::Reorder)]);
    reordered.arrive(0, 0, passage(1, 1), None, 1);
    assert_eq!(leaving(&mut reordered, 0), [waits(1, 1, ONE_WAY / 2)]);
    reordered.arrive(MS, MS, passage(1, 2), None, 2);
    let overtaken = [
        Departure::Deliver(passage(1, 2), 2),
        Departure::Overtaken { passage: passage(1, 1), by: FaultId(4) },
        Departure::Deliver(passage(1, 1), 1),
    ];
    assert_eq!(leaving(&mut reordered, MS), overtaken);
}

#[test]
fn what_nothing_overtakes_goes_on_within_its_bound_and_another_sender_overtakes_nothing() {
    let mut link = link(vec![always(4, Tampering::Reorder)]);
    let patience = ONE_WAY / 2;
    link.arrive(0, 0, passage(1, 1), None, 1);
    assert_eq!(leaving(&mut link, 0), [waits(1, 1, ONE_WAY / 2)]);
    assert_eq!(link.next_release(), Some(patience));
    link.arrive(MS, MS, passage(3, 1), None, 31);
    assert_eq!(leaving(&mut link, MS), [waits(3, 31, patience)]);
    assert_eq!(leaving(&mut link, patience - 1), []);
    assert_eq!(leaving(&mut link, patience), [Departure::Deliver(passage(1, 1), 1)]);
    assert_eq!(link.next_release(), Some(MS + patience));
    assert_eq!(leaving(&mut link, MS + patience), [Departure::Deliver(passage(3, 1), 31)]);
    assert_eq!(link.next_release(), None);
}

#[test]
fn what_has_come_far_waits_half_of_what_is_left_and_what_has_used_up_its_time_not_at_all() {
    for (now, left) in [(0, ONE_WAY), (90 * MS, 10 * MS), (ONE_WAY - 2, 2)] {
        let mut link = link(vec![always(4, Tampering::Reorder)]);
        link.arrive(now, 0, passage(1, 1), None, 1);
        assert_eq!(leaving(&mut link, now), [waits(1, 1, left / 2)]);
        assert_eq!(leaving(&mut link, now + left / 2), [Departure::Deliver(passage(1, 1), 1)]);
    }
    for now in [ONE_WAY, 3 * ONE_WAY] {
        let mut link = link(vec![always(4, Tampering::Reorder)]);
        link.arrive(now, 0, passage(1, 1), None, 1);
        assert_eq!(leaving(&mut link, now), [Departure::Deliver(passage(1, 1), 1)]);
    }
    // A message that a delay has kept has used up that much of its way.
    let delay = LinkFault { rule: "delay 1->2 80ms".parse().unwrap(), ..always(3, Tampering::Reorder) };
    let mut link = link(vec![delay, always(4, Tampering::Reorder)]);
    link.arrive(10 * MS, 0, passage(1, 1), None, 1);
    assert_eq!(leaving(&mut link, 90 * MS), [waits(1, 1, 5 * MS)]);
}

#[test]
fn a_fault_that_is_lifted_lets_nothing_wait_for_ever() {
    let mut link = link(vec![always(4, Tampering::Reorder)]);
    link.arrive(0, 0, passage(1, 1), None, 1);
    assert_eq!(leaving(&mut link, 0), [waits(1, 1, ONE_WAY / 2)]);
    link.set_faults(0, vec![]);
    link.arrive(MS, MS, passage(1, 2), None, 2);
    let numbers: Vec<u64> = leaving(&mut link, MS).iter().filter_map(delivered).collect();
    assert_eq!(numbers, [2, 1]);
}

#[test]
fn a_garbled_message_is_handed_out_with_the_place_and_only_it() {
    let mut link = link(vec![often(4, Tampering::Garble, "50%")]);
    let mut garbled = 0;
    for number in 1..=1_000 {
        link.arrive(0, 0, passage(1, number), None, number);
        match &leaving(&mut link, 0)[..] {
            [Departure::Deliver(_, same)] => assert_eq!(*same, number),
            [Departure::Garble { passage: of, payload, by: FaultId(4), place }] => {
                assert_eq!((*of, *payload), (passage(1, number), number));
                assert!((0.0..1.0).contains(place));
                garbled += 1;
            }
            other => panic!("{other:?}"),
        }
    }
    assert!((440..560).contains(&garbled), "{garbled}");
}

#[test]
fn a_corrupt_datagram_is_told_before_it_arrives_and_neither_its_loss_nor_its_copy_is_thrown_with_it() {
    let link = link(vec![often(4, Tampering::Corrupt, "50%"), often(5, Tampering::Duplicate, "50%")]);
    let spoiled = (1..=1_000).filter(|number| link.spoils(&passage(1, *number)).is_some()).count();
    assert!((440..560).contains(&spoiled), "{spoiled}");
    let own = Passage { from: NodeId::new(2).unwrap(), multicast: true, ..passage(2, 1) };
    assert_eq!(link.spoils(&own), None);
}

#[test]
fn all_of_them_together_lose_nothing_and_hold_nothing_for_ever() {
    let kinds = [Tampering::Duplicate, Tampering::Reorder];
    let mut link = link(kinds.into_iter().zip(1..).map(|(how, id)| often(id, how, "40%")).collect());
    let mut given = given(&mut link, 1..=2_000);
    given.extend(leaving(&mut link, u64::MAX).iter().filter_map(delivered));
    let copies = given.len() - 2_000;
    assert!((650..950).contains(&copies), "{copies}");
    assert!(given.windows(2).any(|pair| pair[0] > pair[1]), "nothing was overtaken");
    let mut all = given.clone();
    all.sort_unstable();
    all.dedup();
    assert_eq!(all, (1..=2_000).collect::<Vec<u64>>());
    assert_eq!(link.next_release(), None);
    assert!(matches!(link.arrive(u64::MAX, u64::MAX, passage(1, 9_000), None, 0), Arrival::Passes));
}
