//! How long a node process takes from its exec to being ready, beside the bare process.
//!
//! Bar: at most 4.5 times. A node's span is from the host's `spawned` record to the node's `ready` record; the bare
//! one's from before its spawn to the moment it prints.
//!
//! `start [TRIALS]` (default 100).

use std::io::{BufRead, BufReader};
use std::process::Stdio;

use hustings::record::{Body, Record, SessionReader};
use hustings_benches::{Place, bare, bully, monotonic_nanos, spread};

fn main() {
    let trials = std::env::args().nth(1).map_or(100, |count| count.parse().expect("a number of trials"));
    let place = Place::new();
    let lab = place.up(&bully(2, "parallel", 200, 200, 1000), "session.jsonl");
    let mut bares = Vec::new();
    for _ in 0..trials {
        // One after the other, so that both see the same weather. The pause keeps below ten starts a second.
        place.run(&["inject", "--lab", &lab, "crash 1"]).expect("1 runs");
        place.run(&["inject", "--lab", &lab, "recover 1"]).expect("1 is dead");
        bares.push(bare_start());
        std::thread::sleep(std::time::Duration::from_millis(120));
    }
    place.run(&["down", "--lab", &lab]);
    let session = SessionReader::open(&place.path("session.jsonl")).expect("the session can be read");
    let (nodes, bares) = (spread(spans(&session.records)), spread(bares));
    println!("from exec to ready in ms, {trials} trials: smallest, median, largest");
    println!("  node {nodes}\n  bare {bares}\n  node / bare {:.2} (bar 4.5)", nodes.median / bares.median);
}

/// From each `spawned` of node 1 to its next `ready`, in ms; the first start, beside another node's, is left out.
fn spans(records: &[Record]) -> Vec<f64> {
    let (mut spans, mut spawned) = (Vec::new(), None);
    for record in records.iter().filter(|record| record.node.is_some_and(|node| node.get() == 1)) {
        match (&record.body, spawned) {
            (Body::Spawned { .. }, _) => spawned = Some(record.at),
            (Body::Ready { .. }, Some(at)) => spans.push((record.at - at) as f64 / 1e6),
            _ => {}
        }
    }
    spans.split_off(1)
}

fn bare_start() -> f64 {
    let before = monotonic_nanos();
    let mut child = bare(&["ready"]).stdout(Stdio::piped()).spawn().expect("bare is built beside this");
    let mut line = String::new();
    BufReader::new(child.stdout.take().expect("it is piped")).read_line(&mut line).expect("it writes");
    child.kill().and_then(|()| child.wait()).expect("it is a child of this process");
    (line.trim().parse::<u64>().expect("a number") - before) as f64 / 1e6
}
