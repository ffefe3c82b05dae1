//! All of a computer's lab ports are taken: a lab says so at once. It runs in a network of its own, whose ports are nobody's.

use std::net::UdpSocket;
use std::time::{Duration, Instant};

use super::{count, lab_text};
use crate::bench::Bench;

/// The blocks of ports of which labs take one: from 20,224 on, 256 each.
const BLOCKS: std::ops::RangeInclusive<u16> = 79..=124;

#[test]
#[ignore = "scripts/reliability 20, in a network of its own"]
fn ports_that_are_taken_are_told_at_once() {
    for _ in 0..count() {
        let bench = Bench::new();
        let held: Vec<UdpSocket> =
            BLOCKS.map(|block| UdpSocket::bind(("127.0.0.1", block * 256 + 2)).unwrap()).collect();
        let file = bench.file("lab.toml", &lab_text("bully", 3));
        let began = Instant::now();
        let printed = bench.run(&["run", &file, "--no-record"]);
        assert!(began.elapsed() < Duration::from_secs(5), "five tries took {:?}", began.elapsed());
        assert_eq!(printed.code, 6, "{printed:?}");
        assert!(printed.err.contains("no free ports") && printed.err.contains("127.0.0.1:"), "{printed:?}");
        assert!(printed.err.contains("end the program that uses it"), "{printed:?}");
        assert_eq!(bench.run(&["ls"]).out, "");
        drop(held);
        bench.must(&["up", &file, "--detach", "--no-record"]);
        bench.must(&["wait", "coordinator 3"]);
        bench.must(&["down"]);
    }
}
