//! Tests of a turn's order, with turns taken by hand: what a process meets that stood still.
//!
//! Invariant: what is to lie in a buffer lies there before the turn: the test waits for the system to say so.

mod ordered_broadcast;

use std::net::UdpSocket;
use std::os::fd::{AsFd, AsRawFd, OwnedFd};

use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::socket::{AddressFamily, MsgFlags, SockFlag, SockType, recv, send, socketpair};
use tempfile::TempDir;

use super::super::trial::{CountingAlgorithm, count, free_base_port, head, setup};
use super::*;
use driver::message_id;
use fault::{FaultId, Tampering};
use link::BroadcastId;
use protocol::{Incarnation, NodeId, Span, codec};
use record::{Input, Record};

/// Node 1 started, its host, and node 2's address in the test's own hands.
struct Bench {
    life: NodeLoop,
    host: OwnedFd,
    peer: UdpSocket,
    wire: Wire,
    sequence: u64,
    store: TempDir,
}

impl Bench {
    fn new(base_port: u16) -> Bench {
        Bench::of(MachineKind::of::<CountingAlgorithm>(), base_port, None)
    }

    fn of(kind: MachineKind, base_port: u16, group: Option<SocketAddrV4>) -> Bench {
        let directory = tempfile::tempdir().unwrap();
        let (host, inherited) =
            socketpair(AddressFamily::Unix, SockType::SeqPacket, None, SockFlag::SOCK_CLOEXEC).unwrap();
        let head = head(base_port, group);
        let wire = |me: u16| {
            Wire::new(&head.lab_id, &"07".repeat(32), base_port, 3, kind.card().wire, NodeId::new(me).unwrap()).unwrap()
        };
        let (store, found) = Store::open(directory.path(), kind.card().wire).unwrap();
        let clock = LabClock::default();
        let speeds = SpeedFile::make(&directory.path().join("speeds")).unwrap();
        let opened = OpenedNode {
            kind,
            seed: 7,
            setup: setup(1),
            saved: None,
            found,
            lost: Vec::new(),
            faults: Vec::new(),
            clock_fault: None,
            seen: ReplayGuard::default(),
            sockets: Sockets::open(wire(1).address(NodeId::new(1).unwrap()), group).unwrap(),
            wire: wire(1),
            store,
            observers: Observers::new(head.clone(), clock.clone(), record::hub::Room::for_watchers(0)),
            clock,
            speeds,
        };
        let peer = UdpSocket::bind(wire(2).address(NodeId::new(2).unwrap())).unwrap();
        let life = NodeLoop::new(HostChannel::new(inherited), opened);
        let mut bench = Bench { life, host, peer, wire: wire(2), sequence: 0, store: directory };
        let now = monotonic();
        bench.tell(&Control::Begin { at: now, epoch: now });
        assert_eq!(bench.life.turn().unwrap(), Turn::Again);
        assert!(matches!(&bench.records()[..], [ready, start] if ready.step().is_none() && start.step().is_some()));
        bench
    }

    fn tell(&self, control: &Control) {
        send(self.host.as_raw_fd(), &serde_json::to_vec(control).unwrap(), MsgFlags::empty()).unwrap();
    }

    /// Puts one fault in force: this is done to every datagram of node 2, a hundred times of a hundred.
    fn tamper(&mut self, how: Tampering) {
        let text = format!("{how} 2->1 100%");
        let faults = vec![LinkFault { id: FaultId(1), rule: text.parse().unwrap(), text }];
        self.tell(&Control::Faults { version: 1, faults });
        self.life.turn().unwrap();
        self.records();
    }

    /// Sends a number to node 1, and comes back when it lies in its buffer.
    fn send(&mut self, number: u64) {
        self.sequence += 1;
        let body = codec::encode_message(&count(number)).unwrap();
        let datagram = self.wire.seal(Incarnation(1), Via::Unicast, self.sequence, &body);
        self.peer.send_to(&datagram, self.wire.address(NodeId::new(1).unwrap())).unwrap();
        let mut waiting = [PollFd::new(self.life.sockets().descriptors().0, PollFlags::POLLIN)];
        assert_eq!(poll(&mut waiting, PollTimeout::from(10_000u16)).unwrap(), 1, "the datagram did not come");
    }

    fn reports(&self) -> Vec<Report> {
        let mut reports = Vec::new();
        let mut packet = vec![0; 1 << 16];
        while let Ok(bytes) = recv(self.host.as_raw_fd(), &mut packet, MsgFlags::MSG_DONTWAIT) {
            reports.push(serde_json::from_slice(&packet[..bytes]).unwrap());
        }
        reports
    }

    fn records(&self) -> Vec<Record> {
        let record = |report| if let Report::Record(record) = report { Some(record) } else { None };
        self.reports().into_iter().filter_map(record).collect()
    }

    /// Whether anything has come to node 2's address.
    fn peer_has_something(&self) -> bool {
        let mut waiting = [PollFd::new(self.peer.as_fd(), PollFlags::POLLIN)];
        poll(&mut waiting, PollTimeout::ZERO).unwrap() == 1
    }

    /// Lets this computer's clock run until the node's next timer is due.
    fn stand_still(&self) {
        let due = self.life.next_wake().unwrap();
        while monotonic() <= due {
            std::hint::spin_loop();
        }
    }
}

fn inputs(records: &[Record]) -> Vec<&'static str> {
    let input = |record: &Record| match &record.step()?.input {
        Input::Start { .. } => Some("start"),
        Input::Message { .. } => Some("message"),
        Input::Timer { .. } => Some("timer"),
        Input::Order { .. } => Some("order"),
    };
    records.iter().filter_map(input).collect()
}

#[test]
fn an_answer_that_lies_in_the_buffer_comes_before_the_time_out_that_was_due() {
    let (base_port, _alone) = free_base_port();
    let mut bench = Bench::new(base_port);
    bench.send(3);
    bench.stand_still();
    assert_eq!(bench.life.turn().unwrap(), Turn::Wait);
    assert_eq!(inputs(&bench.records()), ["message"], "the message cancels the timer");
    assert_eq!(bench.life.next_wake(), None);
}

#[test]
fn without_an_answer_the_timer_rings() {
    let (base_port, _alone) = free_base_port();
    let mut bench = Bench::new(base_port);
    bench.stand_still();
    bench.life.turn().unwrap();
    assert_eq!(inputs(&bench.records()), ["timer"]);
}

#[test]
fn faults_and_orders_given_meanwhile_come_before_the_datagrams_that_were_there_first() {
    let (base_port, _alone) = free_base_port();
    let mut bench = Bench::new(base_port);
    bench.send(3);
    let isolate = "isolate 2".parse().unwrap();
    let faults = vec![LinkFault { id: FaultId(1), text: "isolate 2".into(), rule: isolate }];
    bench.tell(&Control::Faults { version: 1, faults });
    bench.life.turn().unwrap();
    let records = bench.records();
    assert!(matches!(records[0].body, Body::Dropped { by: FaultId(1), .. }), "{records:?}");
    assert!(!inputs(&records).contains(&"message"));
}

#[test]
fn a_delayed_datagram_wakes_the_node_at_its_moment() {
    let (base_port, _alone) = free_base_port();
    let mut bench = Bench::new(base_port);
    let delay = "delay 1-3->1-3 3ms".parse().unwrap();
    let faults = vec![LinkFault { id: FaultId(1), text: "delay *->* 3ms".into(), rule: delay }];
    bench.tell(&Control::Faults { version: 1, faults });
    bench.send(3);
    bench.life.turn().unwrap();
    let held = bench.records();
    let [Record { at, body: Body::Held { span, .. }, .. }] = held[..] else { panic!("{held:?}") };
    bench.stand_still();
    bench.life.turn().unwrap();
    let records = bench.records();
    assert_eq!(inputs(&records), ["message"]);
    assert!(records[0].at >= at + span.unwrap().nanos() as i64, "it left too early");
}

#[test]
fn a_copy_behind_the_filter_is_a_second_step_and_a_copy_from_the_network_is_counted_and_not_taken() {
    let (base_port, _alone) = free_base_port();
    let mut bench = Bench::new(base_port);
    bench.send(3);
    bench.sequence -= 1;
    bench.send(3);
    bench.life.turn().unwrap();
    let records = bench.records();
    assert_eq!(inputs(&records), ["message"]);
    assert_eq!(records[1].body, Body::Refused { reason: Refusal::Replayed, count: 1 });
    bench.tamper(Tampering::Duplicate);
    bench.send(3);
    bench.life.turn().unwrap();
    let records = bench.records();
    assert!(matches!(records[0].body, Body::Duplicated { by: FaultId(1), .. }), "{records:?}");
    assert_eq!(inputs(&records), ["message", "message"]);
    let sent = |record: &Record| record.step().map(|step| step.effects.len());
    assert_eq!(records.iter().filter_map(sent).collect::<Vec<_>>(), [4, 4], "each is answered");
}

#[test]
fn what_is_overtaken_reaches_the_machine_after_what_overtook_it() {
    let (base_port, _alone) = free_base_port();
    let mut bench = Bench::new(base_port);
    bench.tamper(Tampering::Reorder);
    bench.send(20);
    bench.send(30);
    bench.life.turn().unwrap();
    let records = bench.records();
    let told = |record: &Record| match &record.body {
        Body::Reordered { id, .. } => Some(format!("{} overtaken", id.sequence)),
        Body::Step(step) => match &step.input {
            Input::Message { message, .. } => Some(message.fields[0].1.clone()),
            _ => None,
        },
        _ => None,
    };
    assert_eq!(records.iter().filter_map(told).collect::<Vec<_>>(), ["30", "1 overtaken", "20"]);
}

#[test]
fn a_garbled_message_is_another_one_or_none_and_the_record_says_which() {
    let (base_port, _alone) = free_base_port();
    let mut bench = Bench::new(base_port);
    bench.tamper(Tampering::Garble);
    // Numbers from 10 on are not answered, and one bit of these leaves none below it that is.
    (0..200).for_each(|_| bench.send(64 + 32));
    while bench.life.turn().unwrap() == Turn::Again {}
    let records = bench.records();
    let mut given = records.iter().filter_map(|record| match &record.step()?.input {
        Input::Message { message, .. } => Some(message.clone()),
        _ => None,
    });
    let (mut changed, mut malformed) = (0, 0);
    for record in &records {
        let Body::Garbled { was, became, .. } = &record.body else { continue };
        assert_eq!(was.fields[0].1, "96");
        match became {
            None => malformed += 1,
            Some(became) => {
                assert_ne!(became.body, was.body);
                assert_eq!(given.next().as_ref(), Some(became), "the machine is given what the record says");
                changed += 1;
            }
        }
    }
    assert_eq!((given.next(), changed + malformed), (None, 200));
    assert!(changed > 20 && malformed > 20, "{changed} changed, {malformed} malformed");
}

#[test]
fn a_corrupt_datagram_is_spoiled_and_counted_once_and_a_foreign_one_is_only_foreign() {
    let (base_port, _alone) = free_base_port();
    let mut bench = Bench::new(base_port);
    bench.tamper(Tampering::Corrupt);
    (0..50).for_each(|_| bench.send(3));
    bench.peer.send_to(b"hello", bench.wire.address(NodeId::new(1).unwrap())).unwrap();
    bench.life.turn().unwrap();
    let records = bench.records();
    assert!(!inputs(&records).contains(&"message"));
    let spoiled = |record: &&Record| matches!(&record.body, Body::Spoiled { by: FaultId(1), message: Some(_), .. });
    assert_eq!(records.iter().filter(spoiled).count(), 50);
    let refused: Vec<&Body> =
        records.iter().map(|record| &record.body).filter(|body| matches!(body, Body::Refused { .. })).collect();
    assert_eq!(refused, [&Body::Refused { reason: record::Refusal::Malformed, count: 1 }]);
}

#[test]
fn more_datagrams_than_a_turn_takes_are_taken_in_the_next_and_none_is_left() {
    let (base_port, _alone) = free_base_port();
    let mut bench = Bench::new(base_port);
    // Numbers from 10 on are not answered.
    (0..300).for_each(|_| bench.send(10));
    let messages = |bench: &Bench| inputs(&bench.records()).iter().filter(|input| **input == "message").count();
    let mut taken = Vec::new();
    while bench.life.turn().unwrap() == Turn::Again {
        taken.push(messages(&bench));
    }
    taken.push(messages(&bench));
    assert_eq!(taken, [DATAGRAMS_MAX / 2, DATAGRAMS_MAX / 2, 300 - DATAGRAMS_MAX]);
}

#[test]
fn a_store_that_takes_nothing_ends_the_node_and_the_host_is_told() {
    let (base_port, _alone) = free_base_port();
    let mut bench = Bench::new(base_port);
    std::fs::remove_dir_all(bench.store.path()).unwrap();
    bench.send(3);
    assert!(bench.life.turn().is_err());
    let records = bench.records();
    assert_eq!(inputs(&records), ["message"]);
    assert!(matches!(&records[1].body, Body::Note { text } if text.contains("the node ends")), "{records:?}");
}

#[test]
fn a_held_node_hears_its_host_alone_and_goes_on_with_what_lay_in_its_buffer() {
    let (base_port, _alone) = free_base_port();
    // An order makes it broadcast.
    let mut bench: Bench = Bench::of(
        MachineKind::of::<CountingAlgorithm>(),
        base_port,
        Some(SocketAddrV4::new([239, 255, 7, 9].into(), base_port)),
    );
    bench.tell(&Control::Arm { step: "ready".into(), moment: "first Count sent".parse().unwrap() });
    bench.send(3);
    bench.send(4);
    bench.life.turn().unwrap();
    let records = bench.records();
    assert_eq!(inputs(&records), ["message"], "the second datagram is read, and waits");
    assert_eq!(records[0].step().unwrap().held.as_ref().map(|hold| hold.after), Some(1));
    assert_eq!(bench.life.next_wake(), None);
    bench.send(5);
    let isolate = "isolate 3".parse().unwrap();
    let faults = vec![LinkFault { id: FaultId(1), text: "isolate 3".into(), rule: isolate }];
    bench.tell(&Control::Faults { version: 1, faults });
    for _ in 0..3 {
        assert_eq!(bench.life.turn().unwrap(), Turn::Wait);
    }
    assert!(matches!(bench.reports()[..], [Report::Acknowledged { version: 1 }]));
    // Nothing has left yet.
    assert!(!bench.peer_has_something());
    bench.tell(&Control::Reach { step: "ready".into() });
    assert_eq!(bench.life.turn().unwrap(), Turn::Wait);
    assert!(matches!(&bench.reports()[..], [Report::Held { step }] if step == "ready"));
    assert!(bench.peer_has_something());
    // An order waits like everything else, and is acknowledged once.
    bench.tell(&Control::Order { version: 2, order: Order::Elect });
    for reports in [1, 0] {
        assert_eq!(bench.life.turn().unwrap(), Turn::Wait);
        assert_eq!(bench.reports().len(), reports);
    }
    assert_eq!(bench.life.inbox.len(), 1, "what came while it was held lies in the socket");
    bench.tell(&Control::Disarm { step: "ready".into() });
    assert_eq!(bench.life.turn().unwrap(), Turn::Again, "what came meanwhile was announced already");
    assert!(bench.records().is_empty(), "the rest of the step is on record");
    bench.life.turn().unwrap();
    let records = bench.records();
    assert_eq!(inputs(&records), ["order", "message", "message"], "what it was ordered goes first");
    let said = |record: &Record| match &record.step().unwrap().input {
        Input::Message { message, .. } => Some(message.fields[0].1.clone()),
        _ => None,
    };
    let numbers: Vec<String> = records.iter().filter_map(said).collect();
    assert_eq!(numbers, ["4", "5"]);
}

#[test]
fn a_clock_that_is_set_is_told_and_what_is_left_of_a_timer_runs_by_it() {
    let (base_port, _alone) = free_base_port();
    let mut bench = Bench::new(base_port);
    let clock = Some(ClockFault { by: FaultId(2), rate: "10x".parse().unwrap() });
    bench.tell(&Control::Clock { version: 9, clock });
    let mut records = Vec::new();
    let (set, due) = loop {
        bench.life.turn().unwrap();
        records.extend(bench.records());
        let times = records.iter().find_map(|record| match &record.step()?.input {
            Input::Timer { set, due, .. } => Some((*set, *due)),
            _ => None,
        });
        if let Some(times) = times {
            break times;
        }
        bench.stand_still();
    };
    assert!(matches!(&records[0].body, Body::ClockSet { clock: told } if *told == clock), "{records:?}");
    // It is one of T, 20 ms, and runs since the machine's start; so it may be over when the clock is set.
    let (changed, whole) = (records[0].at as u64, set + 20_000_000);
    assert_eq!(due, if whole <= changed { whole } else { changed + (whole - changed).div_ceil(10) });
}
