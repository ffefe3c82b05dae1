//! Directed cuts: what is not received was dropped, and by a cut of that very link.
//!
//! Invariant: in these labs nobody dies, so each message is received, or dropped by a fault, or still on its way.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::{RunningLab, count, lab_text};
use crate::bench::Bench;

/// The links of n nodes.
fn links(nodes: u64) -> Vec<(u64, u64)> {
    let all = (1..=nodes).flat_map(|from| (1..=nodes).map(move |to| (from, to)));
    all.filter(|(from, to)| from != to).collect()
}

/// The cuts of a session: each fault's link, and the records between which it may bite and must bite.
#[derive(Debug)]
struct CutLink {
    link: (u64, u64),
    ordered: u64,
    in_force: u64,
    /// From here on it may be over.
    lifted: u64,
}

fn cuts(records: &[Value]) -> BTreeMap<String, CutLink> {
    let mut cuts = BTreeMap::new();
    for record in records {
        let (number, id) = (record["number"].as_u64().unwrap_or(0), record["id"].as_str().unwrap_or("").to_owned());
        match record["kind"].as_str().unwrap_or("") {
            "fault-ordered" => {
                let line = record["line"].as_str().unwrap();
                if let Some((from, to)) = line.strip_prefix("cut ").and_then(|line| line.split_once("->")) {
                    let link = (from.parse().unwrap(), to.parse().unwrap());
                    cuts.insert(id, CutLink { link, ordered: number, in_force: u64::MAX, lifted: u64::MAX });
                }
                // Each process ends its cuts when it hears of this, and they are over when all have.
                if line == "heal" {
                    let standing = cuts.values_mut().filter(|cut| cut.lifted == u64::MAX);
                    standing.for_each(|cut| cut.lifted = number);
                }
            }
            "fault-in-force" => drop(cuts.get_mut(&id).map(|cut| cut.in_force = number)),
            _ => {}
        }
    }
    cuts
}

/// Holds each datagram of a session against its cuts; answers how many were dropped.
fn hold_against_cuts(records: &[Value], what: &str) -> usize {
    let cuts = cuts(records);
    let last = records.iter().filter_map(|record| record["at"].as_i64()).max().unwrap();
    let (mut received, mut dropped, mut sent) = (BTreeSet::new(), BTreeSet::new(), BTreeMap::new());
    for record in records {
        let (number, node) = (record["number"].as_u64().unwrap_or(0), record["node"].as_u64().unwrap_or(0));
        match record["kind"].as_str().unwrap_or("") {
            "dropped" => {
                let cut = &cuts[record["by"].as_str().unwrap()];
                assert_eq!(cut.link, (record["id"]["from"].as_u64().unwrap(), node), "{what}: {record}");
                assert!(number > cut.ordered, "{what}: before its fault: {record}");
                assert!(dropped.insert((record["id"].to_string(), node)), "{what}: dropped twice: {record}");
            }
            "step" => {
                let id = &record["input"]["message"]["id"];
                // A broadcast may come by way of a node that relays it.
                if let Some(from) = id["from"].as_u64().filter(|_| !id["to"].is_null()) {
                    received.insert((id.to_string(), node));
                    // What the receiver had before the cut may stand a moment later in the session: its own records come later.
                    let at = record["at"].as_i64().unwrap();
                    let bites =
                        |cut: &&CutLink| cut.link == (from, node) && cut.in_force < number && number < cut.lifted;
                    let since = |cut: &&CutLink| {
                        records.iter().find(|record| record["number"] == cut.in_force).unwrap()["at"].as_i64().unwrap()
                    };
                    let through = cuts.values().filter(bites).find(|cut| at > since(cut));
                    assert!(through.is_none(), "{what}: came through {through:?}: {record}");
                }
                for effect in record["effects"].as_array().into_iter().flatten() {
                    if let Some(to) = effect["send"]["id"]["to"].as_u64() {
                        sent.insert((effect["send"]["id"].to_string(), to), record["at"].as_i64().unwrap());
                    }
                }
            }
            _ => {}
        }
    }
    for (message, at) in &sent {
        let ways = usize::from(received.contains(message)) + usize::from(dropped.contains(message));
        // What was sent a moment before the end may be on its way.
        assert!(ways == 1 || ways == 0 && last - at < 500_000_000, "{what}: {message:?} went {ways} ways");
    }
    dropped.len()
}

#[test]
#[ignore = "scripts/reliability 22"]
fn every_set_of_cuts_of_three_nodes_drops_just_what_it_says() {
    let bench = Bench::new();
    let links = links(3);
    for card in hustings::registry::BUILT_IN.cards() {
        let mut dropped = 0;
        for mask in (0..64_usize).take(count()) {
            let chosen = links.iter().enumerate().filter(|(index, _)| mask >> index & 1 == 1);
            let lines: Vec<String> = chosen.map(|(_, (from, to))| format!("\"cut {from}->{to}\"")).collect();
            let steps = format!(
                "limit = \"30s\"\n[[step]]\nat = \"1s\"\ndo = [{}]\n[[step]]\nat = \"1500ms\"\ndo = [\"elect 1\", \"elect 3\"]\n\
                 [[step]]\nat = \"6s\"\ndo = [\"heal\"]\n[[step]]\nname = \"last\"\nat = \"7s\"\ndo = [\"elect 2\"]\n\
                 [[expect]]\nthat = \"all normal\"\nafter = \"last\"\nwithin = \"10s\"\n",
                lines.join(", ")
            );
            let file = bench.file("cuts.toml", &(lab_text(card.name, 3) + &steps));
            let session = bench.path("cuts.jsonl");
            let _ = std::fs::remove_file(&session);
            let printed = bench.run(&["run", "--sim", &file, "--record", session.to_str().unwrap()]);
            assert!([0, 4].contains(&printed.code), "{} {lines:?}: {printed:?}", card.name);
            let all = printed.out.clone() + &printed.err;
            assert!(!all.contains("no assumption was broken"), "{} {lines:?}: {printed:?}", card.name);
            dropped += hold_against_cuts(&Bench::records(&session), &format!("{} {lines:?}", card.name));
        }
        assert!(dropped > 0 || count() == 1, "{}: nothing was dropped", card.name);
    }
}

#[test]
#[ignore = "scripts/reliability 22"]
fn random_cuts_of_five_processes_drop_just_what_they_say() {
    let bench = Bench::new();
    let mut lab = RunningLab::up(&bench, &lab_text("bully", 5), |_| {});
    bench.must(&["wait", "coordinator 5"]);
    let links = links(5);
    let mut state = 1_u64;
    for round in 0..count() {
        for (from, to) in &links {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            if state >> 62 == 0 {
                bench.must(&["inject", &format!("cut {from}->{to}")]);
            }
        }
        bench.must(&["inject", &format!("elect {}", round % 5 + 1)]);
        bench.must(&["inject", &format!("elect {}", (round + 2) % 5 + 1)]);
        std::thread::sleep(std::time::Duration::from_millis(500));
        bench.must(&["inject", "heal"]);
    }
    bench.must(&["wait", "all normal"]);
    // What was sent by now has come when there was time for an answer.
    bench.must(&["inject", "elect 1"]);
    bench.must(&["wait", "all normal"]);
    lab.down(&bench);
    assert!(hold_against_cuts(&lab.records, "processes") > 0);
}
