//! The ordered broadcast on real processes, under loss. (Many more of them, and how many are missed, are
//! `scripts/broadcast.sh`'s.)
//!
//! Invariant: what a loaded computer makes late is missed too, and counted as such; so nothing is said of how many.

use std::fmt::Write;

use hustings::driver::broadcasts::Broadcasts;
use hustings::judge::Judge;
use hustings::protocol::Assumption;
use hustings::record::SessionReader;

use crate::bench::Bench;

/// Three from each node: how many there are is no matter here.
const BROADCASTS: usize = 24;

/// Eight nodes that hold one election after the other; each of them broadcasts in each. A fifth of all copies is lost.
fn lab() -> String {
    let mut text =
        "name = \"broadcast\"\nabout = \"All broadcast under loss.\"\nalgorithm = \"king-ni-a\"\nnodes = 8\n\
         seed = 1\nT = \"500ms\"\ncheck = \"60s\"\nsilence = \"60s\"\n\n\
         [[step]]\nat = \"1s\"\ndo = [\"loss *->* 20%\"]\n"
            .to_owned();
    for at in (2_500..).step_by(1_600).take(BROADCASTS / 8) {
        write!(text, "\n[[step]]\nat = \"{at}ms\"\ndo = [\"elect *\"]\n").unwrap();
    }
    text + "\n[[step]]\nname = \"last\"\nat = \"7800ms\"\ndo = [\"heal\", \"elect *\"]\n\n\
        [[expect]]\nthat = \"all normal\"\nafter = \"last\"\nwithin = \"40T\"\nstays = \"1s\"\n"
}

#[test]
fn under_loss_all_processes_deliver_in_one_order_none_twice_and_what_is_missed_is_counted() {
    let bench = Bench::new();
    let session = bench.path("session.jsonl");
    let printed = bench.run(&["run", "--record", session.to_str().unwrap(), &bench.file("lab.toml", &lab())]);
    let session = SessionReader::open(&session).unwrap();
    let head = session.head.as_ref().unwrap();
    let (mut judge, mut broadcasts) =
        (Judge::new(head, None), Broadcasts::new(head.roster().unwrap().all(), BROADCASTS));
    for record in &session.records {
        judge.take(record);
        broadcasts.take(record);
    }
    let eighth = judge.assumptions().into_iter().find(|view| view.assumption == Assumption::DeliveryInTime).unwrap();
    let times = eighth.by_faults + eighth.by_machine;
    let census = broadcasts.census();
    assert_eq!(census.broadcasts(), BROADCASTS, "{printed:?}");
    assert_eq!(broadcasts.by_sender().len(), 8, "all of them broadcast");
    assert_eq!(census.twice(), []);
    assert_eq!(census.disordered(), []);
    let missed = broadcasts.missed();
    // Whatever is missed for a fault or for lateness is counted. (What is still under way at the end is not settled.)
    let explained = missed.iter().filter(|missed| missed.is_explained()).count() as u64;
    assert!(times >= explained, "{times} {missed:?}");
    // What faults and lateness left no way to a node did not come to it. (What else is missed nobody relayed in time.)
    assert!(broadcasts.undeliverable().iter().all(|one| missed.contains(one)), "{broadcasts:?}");
    // A fifth of the 168 direct copies is lost, and nearly all of what they brought comes by a relay.
    assert!(missed.len() < BROADCASTS / 2, "{times} {missed:?}");
}
