//! Datagrams in great numbers that are none of the lab's.

use std::net::UdpSocket;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use super::{RunningLab, count, counted_by, is_of, received_by, sent_to};
use crate::bench::{Bench, bully_lab};

/// What the flood is to reach.
const DATAGRAMS_A_SECOND: u64 = 100_000;

/// How long 4 takes to be coordinator, from the order on; 5 is dead.
fn election(bench: &Bench) -> Duration {
    bench.must(&["inject", "crash 5"]);
    let began = Instant::now();
    bench.must(&["inject", "elect 4"]);
    bench.must(&["wait", "coordinator 4"]);
    let took = began.elapsed();
    bench.must(&["inject", "recover 5"]);
    bench.must(&["wait", "coordinator 5"]);
    took
}

#[test]
#[ignore = "scripts/reliability 17"]
fn an_election_goes_on_under_a_flood() {
    let bench = Bench::new();
    let mut lab = RunningLab::up(&bench, &bully_lab(""), |_| {});
    bench.must(&["wait", "coordinator 5"]);
    let quiet = election(&bench);
    let (is_over, sent, address) = (AtomicBool::new(false), AtomicU64::new(0), lab.address(4));
    let (mut slowest, began) = (Duration::ZERO, Instant::now());
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let (socket, mut state) = (UdpSocket::bind("127.0.0.1:0").unwrap(), 1_u64);
            let mut bytes = [0_u8; 64];
            while !is_over.load(Ordering::Relaxed) {
                let due = began.elapsed().as_micros() as u64 * DATAGRAMS_A_SECOND / 1_000_000;
                while sent.load(Ordering::Relaxed) < due {
                    // Noise, of any length; its quality is no matter.
                    state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                    bytes[..8].copy_from_slice(&state.to_be_bytes());
                    let _ = socket.send_to(&bytes[..(state >> 58) as usize], address);
                    sent.fetch_add(1, Ordering::Relaxed);
                }
                std::thread::yield_now();
            }
        });
        while began.elapsed() < Duration::from_secs(count() as u64) {
            slowest = slowest.max(election(&bench));
        }
        is_over.store(true, Ordering::Relaxed);
    });
    let (seconds, sent) = (began.elapsed().as_secs(), sent.into_inner());
    lab.down(&bench);
    let told =
        lab.records.iter().filter(|record| is_of(record, "refused", 4) || is_of(record, "overflowed", 4)).count();
    println!("bar: {sent} datagrams in {seconds} s, told in {told} records; quiet {quiet:?}, slowest {slowest:?}");
    assert!(told as u64 <= 10 * (seconds + 1), "{told} records in {seconds} s");
    assert!(counted_by(&lab.records, 4) > sent / 100, "the flood did not arrive");
    assert!(slowest <= quiet * 2, "quiet {quiet:?}, under the flood {slowest:?}");
}

#[test]
#[ignore = "scripts/reliability 21"]
fn what_a_paused_node_does_not_take_is_counted() {
    let (bench, flood) = (Bench::new(), count() as u64);
    let mut lab = RunningLab::up(&bench, &bully_lab(""), |_| {});
    bench.must(&["wait", "coordinator 5"]);
    bench.must(&["inject", "pause 3"]);
    let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
    for number in 0..flood {
        socket.send_to(&number.to_be_bytes(), lab.address(3)).unwrap();
    }
    bench.must(&["inject", "resume 3"]);
    // The kernel tells of its drops with the next datagram that comes.
    lab.read_until("the count", |records| counted_by(records, 3) >= flood);
    bench.must(&["wait", "all normal"]);
    lab.down(&bench);
    let (counted, sent) = (counted_by(&lab.records, 3), sent_to(&lab.records, 3));
    let received = received_by(&lab.records, 3);
    // What peers sent may have been dropped with it, and is counted alike.
    let lost = sent.iter().filter(|id| !received.contains(id)).count() as u64;
    println!("bar: {counted} counted: {flood} of the flood, at most {lost} of the lab's");
    assert!((flood..=flood + lost).contains(&counted), "{counted} counted, {flood} sent, {lost} lost");
}
