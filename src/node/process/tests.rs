//! Tests of whole nodes over real loopback sockets, several in one thread, with the test as their host and watcher.
//!
//! Invariant: nothing waits for a guessed time: every wait is for a report or a line, with a limit that only a failure
//! reaches.

use std::net::{Ipv4Addr, UdpSocket};
use std::os::fd::{AsRawFd, OwnedFd};
use std::path::Path;
use std::time::Duration;

use nix::sys::socket::{AddressFamily, MsgFlags, SockFlag, SockType, recv, send, socketpair};
use tempfile::TempDir;
use tokio::net::UnixStream;
use tokio::task::{JoinHandle, LocalSet};

use super::super::clock::monotonic;
use super::super::trial::{CountingAlgorithm, free_base_port, head, setup};
use super::super::wire::Via;
use super::*;
use fault::{FaultId, LinkFault};
use protocol::{Incarnation, Order};
use record::{EffectText, Frame, Input, MessageId, Record, Refusal, StorePast};

const LIMIT: Duration = Duration::from_secs(20);

fn node(number: u16) -> NodeId {
    NodeId::new(number).unwrap()
}

pub(super) fn plan(me: u16, base_port: u16, directory: &Path) -> NodePlan {
    let group = format!("239.255.7.7:{base_port}").parse().unwrap();
    let (head, setup) = (head(base_port, Some(group)), setup(me));
    let (store, observe) = (directory.join(format!("store-{me}")), directory.join(format!("node-{me}.sock")));
    let speeds = directory.join("speeds");
    // All nodes of a lab have one.
    let _ = SpeedFile::make(&speeds);
    NodePlan {
        head,
        setup,
        key: "07".repeat(32),
        store,
        observe,
        speeds,
        faults: Vec::new(),
        clock: None,
        loss: None,
        past: StorePast::default(),
        heard: Vec::new(),
    }
}

/// The host's end of one node's channel.
pub(super) struct Host {
    socket: OwnedFd,
    watch: Waitable,
    node: JoinHandle<Result<(), Unable>>,
}

impl Host {
    fn spawn(plan: NodePlan) -> Host {
        Host::spawn_as(MachineKind::of::<CountingAlgorithm>(), plan)
    }

    pub(super) fn spawn_as(kind: MachineKind, plan: NodePlan) -> Host {
        let (socket, inherited) =
            socketpair(AddressFamily::Unix, SockType::SeqPacket, None, SockFlag::SOCK_CLOEXEC).unwrap();
        let (opened, listener) = open(kind, plan, LabClock::default()).unwrap();
        let life = NodeLoop::new(HostChannel::new(inherited), opened);
        tokio::task::spawn_local(life.observers().serve(listener));
        let watch = Waitable::on(&socket).unwrap();
        Host { socket, watch, node: tokio::task::spawn_local(live(life)) }
    }

    pub(super) fn tell(&self, control: &Control) {
        send(self.socket.as_raw_fd(), &serde_json::to_vec(control).unwrap(), MsgFlags::empty()).unwrap();
    }

    async fn hear(&self) -> Report {
        let mut packet = vec![0; 1 << 16];
        loop {
            match recv(self.socket.as_raw_fd(), &mut packet, MsgFlags::MSG_DONTWAIT) {
                Ok(bytes) => return serde_json::from_slice(&packet[..bytes]).unwrap(),
                Err(nix::errno::Errno::EAGAIN) => self.watch.readable().await.unwrap(),
                Err(error) => panic!("{error}"),
            }
        }
    }

    /// The records up to and including the first for which this holds.
    pub(super) async fn records_until(&self, holds: impl Fn(&Record) -> bool) -> Vec<Record> {
        let mut records = Vec::new();
        loop {
            if let Report::Record(record) = self.hear().await {
                records.push(record);
                if records.last().is_some_and(&holds) {
                    return records;
                }
            }
        }
    }

    pub(super) async fn acknowledged(&self, wanted: u64) {
        while !matches!(self.hear().await, Report::Acknowledged { version } if version == wanted) {}
    }

    pub(super) async fn ready(&self) -> Incarnation {
        match self.hear().await {
            Report::Ready { incarnation } => incarnation,
            other => panic!("{other:?}"),
        }
    }
}

/// Runs a test on the kind of runtime that a node has.
pub(super) fn lab(test: impl AsyncFnOnce(u16, TempDir)) {
    let (base_port, _alone) = free_base_port();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_io().enable_time().build().unwrap();
    let test = test(base_port, tempfile::tempdir().unwrap());
    LocalSet::new().block_on(&runtime, async { tokio::time::timeout(LIMIT, test).await.expect("the test hangs") });
}

async fn begun(me: u16, base_port: u16, directory: &TempDir) -> Host {
    let host = Host::spawn(plan(me, base_port, directory.path()));
    host.ready().await;
    let now = monotonic();
    host.tell(&Control::Begin { at: now, epoch: now });
    host
}

pub(super) fn received(record: &Record) -> Option<MessageId> {
    match &record.step()?.input {
        Input::Message { id, .. } => Some(*id),
        _ => None,
    }
}

pub(super) fn sent(record: &Record) -> Vec<MessageId> {
    let effects = record.step().map(|step| &step.effects[..]).unwrap_or_default();
    effects
        .iter()
        .filter_map(|effect| if let EffectText::Send { id, .. } = effect { Some(*id) } else { None })
        .collect()
}

#[test]
fn two_nodes_speak_by_group_and_address_and_records_name_each_datagram() {
    lab(async |base_port, directory| {
        let (one, two) = (begun(1, base_port, &directory).await, begun(2, base_port, &directory).await);
        two.records_until(|record| record.step().is_some()).await;
        one.tell(&Control::Order { version: 1, order: Order::Elect });
        // Node 1 broadcasts 1; node 2 answers 2 and 3; node 1 answers 3 and 4, and 4 and 5.
        let at_two = two.records_until(|record| received(record).is_some_and(|id| id.sequence == 4)).await;
        let at_one = one.records_until(|record| received(record).is_some_and(|id| id.sequence == 2)).await;
        let first = at_two.iter().find_map(received).unwrap();
        assert_eq!(first, MessageId { from: node(1), incarnation: Incarnation(1), to: None, sequence: 1 });
        let sent_by_one: Vec<MessageId> = at_one.iter().flat_map(sent).collect();
        assert!(at_two.iter().filter_map(received).all(|id| sent_by_one.contains(&id)), "{sent_by_one:?} {at_two:?}");
        assert!(at_one.iter().filter_map(received).all(|id| id.from == node(2)), "one's own broadcast came back");
        let steps: Vec<u64> = at_one.iter().filter_map(Record::step).map(|step| step.step).collect();
        assert_eq!(steps, (1..=steps.len() as u64).collect::<Vec<_>>());
    });
}

#[test]
fn a_fault_is_in_force_from_its_acknowledgement_on() {
    lab(async |base_port, directory| {
        let (one, two) = (begun(1, base_port, &directory).await, begun(2, base_port, &directory).await);
        let cut = LinkFault { id: FaultId(3), text: "isolate 2".into(), rule: "isolate 2".parse().unwrap() };
        two.tell(&Control::Faults { version: 8, faults: vec![cut] });
        two.acknowledged(8).await;
        one.tell(&Control::Order { version: 1, order: Order::Elect });
        let records = two.records_until(|record| matches!(record.body, Body::Dropped { .. })).await;
        assert!(records.iter().all(|record| received(record).is_none()));
        match &records.last().unwrap().body {
            Body::Dropped { id, by: FaultId(3), message: Some(message) } => {
                assert_eq!((id.to, &*message.kind), (None, "Count"));
            }
            other => panic!("{other:?}"),
        }
        one.acknowledged(1).await;
    });
}

#[test]
fn a_datagram_that_is_not_ours_is_counted_and_the_node_goes_on() {
    lab(async |base_port, directory| {
        let one = begun(1, base_port, &directory).await;
        let stranger = UdpSocket::bind("127.0.0.1:0").unwrap();
        let wire = Wire::new(&format!("{base_port:032x}"), &"07".repeat(32), base_port, 3, 250, node(2)).unwrap();
        stranger.send_to(b"hello", wire.address(node(1))).unwrap();
        stranger.send_to(&[0; 5_000], wire.address(node(1))).unwrap();
        // Rightly tagged, and from another port than node 2's.
        let replayed = wire.seal(Incarnation(1), Via::Unicast, 1, &[]);
        stranger.send_to(&replayed, wire.address(node(1))).unwrap();
        for reason in [Refusal::Malformed, Refusal::TooLong, Refusal::WrongSource] {
            one.records_until(|record| record.body == Body::Refused { reason, count: 1 }).await;
        }
        one.tell(&Control::Order { version: 1, order: Order::Elect });
        one.acknowledged(1).await;
    });
}

#[test]
fn a_node_follows_its_host_and_comes_back_with_its_store_and_a_higher_incarnation() {
    lab(async |base_port, directory| {
        let (one, two) = (begun(1, base_port, &directory).await, begun(2, base_port, &directory).await);
        one.tell(&Control::Order { version: 1, order: Order::Elect });
        two.records_until(|record| received(record).is_some()).await;
        // Saved before the answer left, and the answer is what node 1 hears.
        one.records_until(|record| received(record).is_some()).await;
        let Host { socket, watch, node } = two;
        drop((socket, watch));
        node.await.unwrap().unwrap();
        let again = Host::spawn(plan(2, base_port, directory.path()));
        assert_eq!(again.ready().await, Incarnation(2));
        let now = monotonic();
        again.tell(&Control::Begin { at: now, epoch: now - 5_000_000_000 });
        let records = again.records_until(|record| record.step().is_some()).await;
        assert!(matches!(records[0].body, Body::Ready { incarnation: Incarnation(2) }));
        assert!(records[0].at > 0, "the lab had begun five seconds before: {}", records[0].at);
        assert_eq!(records[1].step().unwrap().input, Input::Start { saved: true });
    });
}

#[test]
fn an_address_that_is_taken_is_told_as_such() {
    lab(async |base_port, directory| {
        let _held = UdpSocket::bind(("127.0.0.1", base_port + 1)).unwrap();
        let unable =
            open(MachineKind::of::<CountingAlgorithm>(), plan(1, base_port, directory.path()), LabClock::default())
                .err()
                .unwrap();
        let address = SocketAddrV4::new(Ipv4Addr::LOCALHOST, base_port + 1);
        assert!(unable.taken == Some(address) && unable.why.contains(&address.to_string()), "{unable:?}");
        let group = SocketAddrV4::new(Ipv4Addr::new(239, 255, 77, 2), base_port);
        let _held = UdpSocket::bind(group).unwrap();
        let mut in_group = plan(3, base_port, directory.path());
        in_group.head.group = Some(group);
        let unable = open(MachineKind::of::<CountingAlgorithm>(), in_group, LabClock::default()).err().unwrap();
        assert!(unable.taken == Some(group) && unable.why.contains("another group with --group"), "{unable:?}");
        std::fs::write(directory.path().join("store-2"), "in the way").unwrap();
        let unable =
            open(MachineKind::of::<CountingAlgorithm>(), plan(2, base_port, directory.path()), LabClock::default())
                .err()
                .unwrap();
        assert!(unable.taken.is_none() && unable.why.contains("store-2"), "{unable:?}");
    });
}

#[test]
fn a_watcher_gets_a_snapshot_then_records_then_pulses() {
    lab(async |base_port, directory| {
        let one = begun(1, base_port, &directory).await;
        one.records_until(|record| record.step().is_some()).await;
        let stream = UnixStream::connect(directory.path().join("node-1.sock")).await.unwrap();
        let mut lines = Lines { stream, read: Vec::new() };
        match lines.next().await {
            Frame::Snapshot { recent, missed: 0, head, .. } => {
                assert_eq!(head.name, "trial");
                assert!(matches!(recent[0].body, Body::Ready { .. }));
                assert!(recent[1].step().unwrap().state.is_some());
            }
            other => panic!("{other:?}"),
        }
        one.tell(&Control::Order { version: 1, order: Order::Elect });
        while !matches!(lines.next().await, Frame::Record { record } if !sent(&record).is_empty()) {}
        while !matches!(lines.next().await, Frame::Pulse { at } if at > 0) {}
    });
}

struct Lines {
    stream: UnixStream,
    read: Vec<u8>,
}

impl Lines {
    async fn next(&mut self) -> Frame {
        loop {
            if let Some(end) = self.read.iter().position(|byte| *byte == b'\n') {
                let line: Vec<u8> = self.read.drain(..=end).collect();
                return serde_json::from_slice(&line).unwrap();
            }
            self.stream.readable().await.unwrap();
            let mut piece = [0; 4_096];
            match self.stream.try_read(&mut piece) {
                Ok(0) => panic!("the node closed the stream"),
                Ok(bytes) => self.read.extend_from_slice(&piece[..bytes]),
                Err(error) => assert_eq!(error.kind(), std::io::ErrorKind::WouldBlock),
            }
        }
    }
}
