//! What the judge is given by the world: records in order, and the coordinator that is meant. Sends before receives, crashes before the time-outs on them, and patience with a stream that is behind.
//!
//! Invariant: whatever the interleaving of the nodes' streams, what comes out is one causal order of the same records.

use std::collections::VecDeque;

use proptest::prelude::*;

use super::*;
use world::{Orderer, World};

fn drawn(nodes: u16) -> (Trace, Orderer) {
    (Trace::bully(nodes), Orderer::new(Roster::new(nodes).unwrap()))
}

fn stamps(records: &[Record]) -> Vec<(Option<u16>, i64)> {
    records.iter().map(|record| (record.node.map(NodeId::get), record.at / MS)).collect()
}

#[test]
fn a_receive_waits_for_its_send() {
    let (mut trace, mut orderer) = drawn(3);
    trace.tell(1, 10, 2, None);
    trace.speak(12, "2,3");
    let [send, receive, later, other] = trace.records.try_into().unwrap();
    assert!(orderer.take(receive, 0).is_empty());
    assert!(orderer.take(later, 1).is_empty());
    assert_eq!(stamps(&orderer.take(other, 2)), [(Some(3), 12)]);
    assert_eq!(orderer.wake_at(), Some(1000 * MS));
    assert_eq!(stamps(&orderer.take(send, 3)), [(Some(1), 10), (Some(2), 11), (Some(2), 12)]);
    assert_eq!((orderer.wake_at(), orderer.longest_wait()), (None, 3));
}

#[test]
fn a_send_is_waited_for_a_second() {
    let (mut trace, mut orderer) = drawn(2);
    trace.tell(1, 10, 2, None);
    let receive = trace.records.pop().unwrap();
    assert!(orderer.take(receive, 5).is_empty());
    let until = orderer.wake_at().unwrap();
    assert_eq!(until, 1000 * MS + 5);
    assert!(orderer.release(until - 1).is_empty());
    assert_eq!(stamps(&orderer.release(until)), [(Some(2), 11)]);
}

#[test]
fn a_stream_that_is_behind_is_waited_for() {
    let (mut trace, mut orderer) = drawn(3);
    trace.speak(5, "1");
    trace.speak(8, "1");
    trace.tell(1, 10, 2, None);
    trace.tell(3, 11, 1, None);
    let [first, second, send, receive, _lost, behind_lost] = trace.records.clone().try_into().unwrap();
    assert!(orderer.take(receive.clone(), 0).is_empty());
    let second_later = |orderer: &mut Orderer, record: Record, at: i64| {
        assert_eq!(orderer.take(record, at * MS).len(), 1);
        assert!(orderer.release(at * MS + 999 * MS).is_empty(), "a stream that speaks is waited for");
    };
    second_later(&mut orderer, first.clone(), 900);
    second_later(&mut orderer, second.clone(), 1800);
    // A send that waits itself is waited for, too.
    assert!(orderer.take(behind_lost, 2700 * MS).is_empty());
    assert!(orderer.take(Record { at: 12 * MS, ..send.clone() }, 2700 * MS).is_empty());
    assert!(orderer.release(3600 * MS).is_empty());
    let released = stamps(&orderer.release(3700 * MS));
    assert_eq!(released, [(Some(1), 12), (Some(1), 12), (Some(2), 11)]);

    // Its stream has passed the stamp at which the message was received: it cannot tell the sending any more.
    let (_, mut orderer) = drawn(3);
    assert!(orderer.take(receive, 0).is_empty());
    assert_eq!(orderer.take(Record { at: 12 * MS, ..first }, 10 * MS).len(), 1);
    assert!(orderer.release(999 * MS).is_empty());
    assert_eq!(stamps(&orderer.release(1000 * MS)), [(Some(2), 11)]);
}

#[test]
fn who_waits_behind_a_given_up_record_goes() {
    let (mut trace, mut orderer) = drawn(3);
    let lost = trace.send(1, 10, 2, None);
    let input = Input::Message { id: lost, message: text() };
    let passed_on = trace.step(2, 11, input, &[Some(3)], None)[0];
    trace.receive(3, 12, passed_on, None);
    trace.speak(13, "3");
    let [_, given_up, behind, last] = trace.records.try_into().unwrap();
    assert!(orderer.take(given_up, 0).is_empty());
    assert!(orderer.take(behind, 500 * MS).is_empty());
    assert_eq!(stamps(&orderer.release(1000 * MS)), [(Some(2), 11), (Some(3), 12)]);
    assert_eq!(stamps(&orderer.take(last, 1001 * MS)), [(Some(3), 13)]);
}

#[test]
fn at_the_end_everything_goes_on_in_order() {
    let (mut trace, mut orderer) = drawn(3);
    let lost: Vec<MessageId> = (10..13).map(|at| trace.send(3, at, 2, None)).collect();
    trace.records.clear();
    lost.iter().for_each(|id| trace.receive(2, 20, *id, None));
    trace.tell(2, 30, 1, None);
    let told = trace.records.clone();
    assert!(trace.records.into_iter().rev().take(1).all(|receive| orderer.take(receive, 0).is_empty()));
    assert!(told[..4].iter().all(|record| orderer.take(record.clone(), 0).is_empty()));
    assert_eq!(orderer.release(i64::MAX), told);
}

#[test]
fn nothing_waits_longer_than_half_a_minute() {
    let (mut trace, mut orderer) = drawn(2);
    trace.tell(1, 10, 2, None);
    trace.speak(5, "1");
    let [_, receive, word] = trace.records.try_into().unwrap();
    assert!(orderer.take(receive, 0).is_empty());
    for second in 0..30 {
        assert_eq!(orderer.take(word.clone(), second * 1000 * MS).len(), 1);
        assert!(orderer.release(second * 1000 * MS + 999 * MS).is_empty());
    }
    assert_eq!(orderer.take(word, 29_999 * MS).len(), 1);
    assert_eq!(orderer.release(30_250 * MS).len(), 1);
}

#[test]
fn a_later_number_passes_the_missing_one() {
    for younger in [false, true] {
        let (mut trace, mut orderer) = drawn(2);
        trace.tell(1, 10, 2, None);
        if younger {
            trace.recover(1, 20, electing());
        }
        trace.send(1, 30, 2, None);
        let send = trace.records.pop().unwrap();
        assert!(orderer.take(trace.records[1].clone(), 0).is_empty());
        assert_eq!(stamps(&orderer.take(send, 1)), [(Some(1), 30), (Some(2), 11)]);
    }
}

#[test]
fn a_multicast_frees_all_its_receivers() {
    let (mut trace, mut orderer) = drawn(3);
    let word = trace.broadcast(1, 10, None);
    trace.receive(2, 11, word, None);
    let loss = FaultId(1);
    trace.dropped(3, 12, word, loss);
    let [send, receive, drop] = trace.records.try_into().unwrap();
    assert!(orderer.take(drop, 0).is_empty());
    assert!(orderer.take(receive, 0).is_empty());
    assert_eq!(stamps(&orderer.take(send, 0)), [(Some(1), 10), (Some(2), 11), (Some(3), 12)]);
}

#[test]
fn a_time_out_waits_for_its_crash() {
    let (mut trace, mut orderer) = drawn(2);
    trace.take(Record::of_node(0, node(2), Body::Spawned { pid: 1 }));
    trace.crash(2, 100);
    trace.time_out(1, 80, 110, 110, "2", None);
    trace.time_out(1, 80, 120, 120, "-", None);
    let [spawned, ordered, died, time_out, other] = trace.records.try_into().unwrap();
    orderer.take(spawned, 0);
    assert_eq!(stamps(&orderer.take(ordered, 0)), [(None, 100)]);
    assert!(orderer.take(time_out, 0).is_empty());
    assert!(orderer.take(other, 0).is_empty());
    assert_eq!(stamps(&orderer.take(died, 1)), [(Some(2), 100), (Some(1), 110), (Some(1), 120)]);
}

#[test]
fn a_time_out_waits_for_a_waiting_death() {
    let (mut trace, mut orderer) = drawn(3);
    trace.take(Record::of_node(0, node(2), Body::Spawned { pid: 1 }));
    let word = trace.send(3, 50, 2, None);
    trace.receive(2, 60, word, None);
    trace.crash(2, 100);
    trace.take(Record::of_host(105 * MS, Body::FaultInForce { id: FaultId(1) }));
    trace.time_out(1, 80, 110, 110, "2", None);
    let [spawned, send, receive, ordered, died, in_force, time_out] = trace.records.try_into().unwrap();
    for (record, goes_on) in [(spawned, 1), (receive, 0), (ordered, 1), (died, 0), (in_force, 1), (time_out, 0)] {
        assert_eq!(orderer.take(record, 0).len(), goes_on);
    }
    let released = stamps(&orderer.take(send, 1));
    assert_eq!(released, [(Some(3), 50), (Some(2), 60), (Some(2), 100), (Some(1), 110)]);
}

#[test]
fn a_second_crash_is_waited_for_too() {
    let (mut trace, mut orderer) = drawn(3);
    trace.take(Record::of_node(0, node(2), Body::Spawned { pid: 1 }));
    let word = trace.send(3, 50, 2, None);
    trace.receive(2, 60, word, None);
    trace.crash(2, 100);
    trace.take(Record::of_node(200 * MS, node(2), Body::Spawned { pid: 2 }));
    trace.crash(2, 300);
    trace.time_out(1, 280, 310, 310, "2", None);
    let [spawned, send, receive, first, died, again, second, died_again, time_out] = trace.records.try_into().unwrap();
    for record in [spawned, receive, first, died, again, send, second] {
        orderer.take(record, 0);
    }
    assert!(orderer.take(time_out, 0).is_empty());
    assert_eq!(stamps(&orderer.take(died_again, 1)), [(Some(2), 300), (Some(1), 310)]);
}

/// 1 and 2 believe in 1, 3 and 4 in 4.
fn divided(rank: Rank) -> World {
    let mut world = World::new(Roster::ranked(4, rank).unwrap());
    let mut trace = Trace::new(&head(4, &[], &[]));
    for (of, coordinator) in [(1, 1), (2, 1), (3, 4), (4, 4)] {
        trace.start(of, 10, normal(coordinator));
    }
    trace.records.iter().for_each(|record| world.fold(record));
    world
}

#[test]
fn the_first_in_rank_is_meant() {
    for (rank, first, last) in [(Rank::HigherId, 4, 1), (Rank::LowerId, 1, 4)] {
        let world = divided(rank);
        assert_eq!(world.coordinator(None), Some(node(first)));
        let coordinators: Vec<NodeId> = world.groups().iter().map(|group| group.coordinator).collect();
        assert_eq!(coordinators, [node(first), node(last)]);
        assert_eq!(world.groups()[0].letter, "A");
    }
}

/// A lab with elections, a crash, a recovery and chains of messages, in one causal order.
fn busy_lab() -> Vec<Record> {
    let mut trace = Trace::bully(5);
    trace.agree(5, 900);
    trace.crash(5, 2000);
    trace.time_out(4, 2500, 2700, 2700, "5", Some(electing()));
    trace.take_over(4, "1-3", 2701);
    let word = trace.broadcast(2, 3500, None);
    for of in [1, 3, 4] {
        trace.receive(of, 3501, word, None);
    }
    trace.recover(5, 4000, electing());
    trace.take_over(5, "1-4", 4100);
    trace.records.into_iter().filter(|record| record.node.is_some()).collect()
}

proptest! {
    #[test]
    fn any_interleaving_gives_a_causal_order(picks in prop::collection::vec(0usize..5, 400)) {
        let lab = busy_lab();
        let mut streams: NodeMap<VecDeque<Record>> = NodeMap::new();
        for record in &lab {
            streams.get_or_default(record.node.unwrap()).push_back(record.clone());
        }
        let mut orderer = Orderer::new(Roster::new(5).unwrap());
        let mut ordered = Vec::new();
        let mut picks = picks.into_iter().chain(std::iter::repeat(0));
        while !streams.is_empty() {
            let nodes: Vec<NodeId> = streams.keys().copied().collect();
            let of = nodes[picks.next().unwrap() % nodes.len()];
            ordered.extend(orderer.take(streams.get_mut(&of).unwrap().pop_front().unwrap(), 0));
            streams.retain(|_, stream| !stream.is_empty());
        }
        prop_assert_eq!(ordered.len(), lab.len());
        let mut sent = Vec::new();
        for record in &ordered {
            let Some(step) = record.step() else { continue };
            if let Input::Message { id, .. } = &step.input {
                prop_assert!(sent.contains(id), "{:?} before its sending", id);
            }
            sent.extend(step.effects.iter().filter_map(|effect| match effect {
                EffectText::Send { id, .. } => Some(*id),
                _ => None,
            }));
        }
        for of in (1..=5).map(node) {
            let stream = |records: &[Record]| -> Vec<Record> {
                records.iter().filter(|record| record.node == Some(of)).cloned().collect()
            };
            prop_assert_eq!(stream(&ordered), stream(&lab));
        }
    }
}
