//! Every datagram of a lab is sent three times more, and once more after five seconds, across a crash and a recovery. It runs
//! in a network of its own: it hears all datagrams there, and sends under others' addresses.

use std::collections::BTreeSet;
use std::io::Read;
use std::net::{Ipv4Addr, SocketAddrV4};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use socket2::{Domain, Protocol, Socket, Type};

use super::{RunningLab, count, is_of, lab_text};
use crate::bench::Bench;

const IP_HEADER_BYTES: usize = 20;
const UDP_HEADER_BYTES: usize = 8;

/// A datagram with its UDP header, and where it goes.
type Heard = (Ipv4Addr, Vec<u8>);

/// Hears every datagram once and sends it three times more; answers all of them.
fn triple(socket: &Socket, is_over: &AtomicBool, heard: &Mutex<BTreeSet<Heard>>) {
    let (mut socket_reader, mut buffer) = (socket, [0; 2048]);
    while !is_over.load(Ordering::Relaxed) {
        let Ok(length) = socket_reader.read(&mut buffer) else { continue };
        let bytes = &buffer[..length];
        let to = Ipv4Addr::new(bytes[16], bytes[17], bytes[18], bytes[19]);
        let datagram = (to, bytes[IP_HEADER_BYTES..].to_vec());
        // A copy of ours is no new one.
        if heard.lock().unwrap().insert(datagram.clone()) {
            (0..3).for_each(|_| send(socket, &datagram));
        }
    }
}

fn send(socket: &Socket, (to, datagram): &Heard) {
    let mut datagram = datagram.clone();
    // Without a checksum, which IPv4 allows.
    datagram[6..UDP_HEADER_BYTES].fill(0);
    let port = u16::from_be_bytes([datagram[2], datagram[3]]);
    // The network goes on without a copy that has no room.
    let _ = socket.send_to(&datagram, &SocketAddrV4::new(*to, port).into());
}

#[test]
#[ignore = "scripts/reliability 25, in a network of its own and as root"]
fn what_is_sent_again_moves_no_machine() {
    for round in 0..count() {
        let algorithm = ["bully", "invitation", "king-ni-c", "king-ni-a"][round % 4];
        let bench = Bench::new();
        let socket = Socket::new(Domain::IPV4, Type::RAW, Some(Protocol::UDP)).unwrap();
        socket.set_read_timeout(Some(Duration::from_millis(100))).unwrap();
        socket.set_recv_buffer_size(4 << 20).unwrap();
        socket.set_multicast_if_v4(&Ipv4Addr::LOCALHOST).unwrap();
        socket.bind(&SocketAddrV4::new(Ipv4Addr::LOCALHOST, 0).into()).unwrap();
        let (is_over, heard) = (AtomicBool::new(false), Mutex::new(BTreeSet::new()));
        let mut lab = RunningLab::up(&bench, &lab_text(algorithm, 5), |_| {});
        let began = Instant::now();
        std::thread::scope(|scope| {
            scope.spawn(|| triple(&socket, &is_over, &heard));
            bench.must(&["inject", "elect 5"]);
            bench.must(&["wait", "all normal"]);
            bench.must(&["inject", "crash 5"]);
            bench.must(&["inject", "elect 3"]);
            bench.must(&["inject", "recover 5"]);
            bench.must(&["inject", "elect 4"]);
            std::thread::sleep(Duration::from_secs(5).saturating_sub(began.elapsed()));
            let so_far: Vec<Heard> = heard.lock().unwrap().iter().cloned().collect();
            so_far.iter().for_each(|datagram| send(&socket, datagram));
            bench.must(&["wait", "all normal"]);
            is_over.store(true, Ordering::Relaxed);
        });
        lab.down(&bench);
        let refused = lab.records.iter().filter(|record| record["kind"] == "refused" && record["reason"] == "replayed");
        let refused: u64 = refused.map(|record| record["count"].as_u64().unwrap()).sum();
        let heard = heard.into_inner().unwrap().len();
        assert!(refused as usize >= heard, "{algorithm}: {heard} heard, {refused} refused: the copies did not come");
        let mut had = BTreeSet::new();
        for record in lab.records.iter().filter(|record| record["kind"] == "step") {
            let (node, input) = (record["node"].as_u64().unwrap(), &record["input"]["message"]);
            let is_new = input.is_null() || had.insert((node, input["id"].to_string()));
            assert!(is_new, "{algorithm}: node {node} had a message twice: {record}");
        }
        assert!(lab.records.iter().any(|record| is_of(record, "ready", 5) && record["incarnation"] == 2));
        println!("bar: {algorithm}: {heard} datagrams, {refused} copies refused");
    }
}
