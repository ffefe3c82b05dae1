//! Ordered broadcasts through a whole node: the machine is a chorus that sings to itself and to others.
//!
//! Invariant: deliveries and time-outs come in the order of their moments.

use super::*;
use driver::counting_broadcast::{CountingBroadcast, Note};

/// A node on the ordered broadcast that has said something; its broadcast left this long after its step. The step's
/// timers are due at T/2 and T, which is 20 ms, the broadcast 3/4 T after it left.
///
/// A broadcast is stamped when it leaves, and the system may hold this process up between its step and that. So the
/// stamp is set here.
fn singing(base_port: u16, left_after: Span) -> Bench {
    let mut bench = Bench::of(
        MachineKind::of::<CountingBroadcast>(),
        base_port,
        Some(SocketAddrV4::new([239, 255, 7, 7].into(), base_port)),
    );
    let LifeStage::Runs(participant) = &mut bench.life.stage else { panic!("it runs") };
    participant.order(Order::Elect, &mut bench.life.outside).unwrap();
    let records = bench.records();
    assert_eq!(inputs(&records), ["order"]);
    let [(original, word)] = &mut bench.life.outside.own[..] else { panic!("it has said its first word") };
    assert_eq!(word.get(), Some(&Note(1)));
    let step_at = records[0].at as u64;
    assert!(original.stamp >= step_at);
    original.stamp = step_at + left_after.nanos();
    bench
}

/// What the machine was given, once it has been given so much, however long this process was held up meanwhile.
fn first_inputs(bench: &mut Bench, count: usize) -> Vec<&'static str> {
    let mut all = Vec::new();
    while all.len() < count {
        bench.stand_still();
        bench.life.turn().unwrap();
        all.extend(inputs(&bench.records()));
    }
    all
}

#[test]
fn ones_own_broadcast_comes_through_the_layer_at_its_moment() {
    // T/2, 3/4 T and T are over one after another; a broadcast that left after more than T/4 is due after T.
    for (left_after, order) in [
        (Span::ZERO, ["timer", "message", "timer"]),
        (Span::from_millis(4), ["timer", "message", "timer"]),
        (Span::from_millis(6), ["timer", "timer", "message"]),
    ] {
        let (base_port, _alone) = free_base_port();
        assert_eq!(first_inputs(&mut singing(base_port, left_after), 3), order, "left after {left_after}");
    }
}

#[test]
fn a_broadcast_that_is_due_at_the_moment_of_a_time_out_comes_before_it() {
    let (base_port, _alone) = free_base_port();
    let mut bench = singing(base_port, Span::from_millis(5));
    assert_eq!(first_inputs(&mut bench, 3), ["timer", "message", "timer"]);
}

#[test]
fn a_node_that_stood_still_takes_broadcasts_and_time_outs_in_the_order_of_their_moments() {
    for (left_after, order) in
        [(Span::ZERO, ["timer", "message", "timer"]), (Span::from_millis(6), ["timer", "timer", "message"])]
    {
        let (base_port, _alone) = free_base_port();
        let mut bench = singing(base_port, left_after);
        let all_due = monotonic() + Span::from_millis(21).nanos();
        while monotonic() <= all_due {
            std::hint::spin_loop();
        }
        bench.life.turn().unwrap();
        assert_eq!(inputs(&bench.records()), order, "left after {left_after}");
    }
}

#[test]
fn a_broadcast_that_lay_in_the_buffer_too_long_is_told_as_late_and_not_delivered() {
    let (base_port, _alone) = free_base_port();
    let group = SocketAddrV4::new([239, 255, 7, 7].into(), base_port);
    let mut bench: Bench = Bench::of(MachineKind::of::<CountingBroadcast>(), base_port, Some(group));
    // Stamped at the lab's beginning; Delta is 15 ms.
    let two = NodeId::new(2).unwrap();
    let original = BroadcastId { stamp: 0, from: two, incarnation: Incarnation(1), sequence: 1 };
    let body = codec::encode_message(&Note(3)).unwrap();
    let copy = bench.wire.seal_copy(Incarnation(1), &original, &body);
    socket2::SockRef::from(&bench.peer).set_multicast_if_v4(&std::net::Ipv4Addr::LOCALHOST).unwrap();
    while bench.life.outside.clock.now().lab() <= Span::from_millis(15).nanos() {
        std::hint::spin_loop();
    }
    bench.peer.send_to(&copy, group).unwrap();
    let mut waiting = [PollFd::new(bench.life.sockets().descriptors().1.unwrap(), PollFlags::POLLIN)];
    assert_eq!(poll(&mut waiting, PollTimeout::from(10_000u16)).unwrap(), 1, "the copy did not come");
    bench.life.turn().unwrap();
    let records = bench.records();
    let [Record { body: Body::Late { id, span, message: Some(message) }, .. }] = &records[..] else {
        panic!("{records:?}")
    };
    assert_eq!(*id, message_id(&original.passage(NodeId::new(1).unwrap())));
    assert!(*span > Span::from_millis(7), "{span}");
    assert_eq!(message.fields[0].1, "3");
}
