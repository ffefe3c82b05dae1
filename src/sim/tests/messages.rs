//! How many messages elections take, over many seeds: what the Cards say of it holds, whoever begins and when.
//!
//! What a failover takes is measured (`measure messages`). A seed draws how slow the links are, who starts and when, and to whom elections are ordered.
//!
//! Invariant: nothing is lost, and no message is late.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

use super::lab_of;
use crate::{NetworkKind, Plan, run};
use protocol::LineNumber;
use record::{Body, EffectText, Record};
use registry::BUILT_IN;

/// A step of a machine.
struct Told {
    /// Whose it is.
    node: usize,
    /// The lines that it cites.
    lines: Vec<LineNumber>,
    /// The kinds of the messages that it sends.
    sent: Vec<String>,
    /// The numbers of the elections of the elects among these.
    elects: Vec<String>,
}

/// The steps of the machines from the lab's step `count` on.
fn told(text: &str, seed: u64) -> Vec<Told> {
    let plan = Plan { network_kind: NetworkKind::Drawn, seed, ..Plan::of(lab_of("counted", text)) };
    let (counts, told) = (RefCell::new(false), RefCell::new(Vec::new()));
    let listener = |record: &Record| match (&record.body, record.node) {
        (Body::StepTaken { step }, _) if step == "count" => *counts.borrow_mut() = true,
        (Body::Step(step), Some(node)) if *counts.borrow() => {
            let sent = step.effects.iter().filter_map(|effect| match effect {
                EffectText::Send { message, .. } => Some(message),
                _ => None,
            });
            let elects = sent.clone().filter(|message| message.kind == "elect").flat_map(|message| &message.fields);
            told.borrow_mut().push(Told {
                node: usize::from(node.get()),
                lines: step.lines.clone(),
                elects: elects.filter(|(field, _)| field == "election").map(|(_, number)| number.clone()).collect(),
                sent: sent.map(|message| message.kind.to_string()).collect(),
            });
        }
        _ => {}
    };
    run(&plan, Box::new(listener));
    told.into_inner()
}

/// How many messages these steps send, but for those kinds.
fn messages(told: &[Told], apart: &[&str]) -> usize {
    told.iter().flat_map(|told| &told.sent).filter(|kind| !apart.contains(&kind.as_str())).count()
}

/// The lines of an algorithm's listing that begin so.
fn lines(algorithm: &str, texts: &[&str]) -> BTreeSet<LineNumber> {
    let card = BUILT_IN.card(algorithm).unwrap();
    let number = |text: &&str| {
        let line = card.listing.iter().find(|line| line.text().starts_with(*text));
        line.unwrap_or_else(|| panic!("{algorithm} has no line {text}")).number
    };
    texts.iter().map(number).collect()
}

/// Of each node the number of its steps' lines that are among these.
fn cited<'a>(told: &'a [Told], lines: &'a BTreeSet<LineNumber>) -> impl Iterator<Item = usize> + 'a {
    told.iter().flat_map(|told| told.lines.iter().filter(|line| lines.contains(line)).map(|_| told.node))
}

/// A lab in which nothing has been ordered yet.
fn head(algorithm: &str, nodes: usize, periods: &str) -> String {
    format!(
        "name = \"counted\"\nabout = \"Counted.\"\nalgorithm = \"{algorithm}\"\nnodes = {nodes}\nseed = 1\nT = \"200ms\"\n\
         limit = \"200s\"\n{periods}\n"
    )
}

fn step(name: &str, millis: u64, lines: &[String]) -> String {
    let lines: Vec<String> = lines.iter().map(|line| format!("{line:?}")).collect();
    format!("[[step]]\nname = \"{name}\"\nat = \"{millis}ms\"\ndo = [{}]\n", lines.join(", "))
}

/// All are dead; most start anew, each at a moment of its own; some are ordered to elect.
fn random_starts(nodes: usize, seed: u64, begin: u64, within: u64) -> String {
    let mut dice = ChaCha8Rng::seed_from_u64(seed);
    let mut below = |end: u64| dice.next_u64() % end;
    let mut steps = Vec::new();
    for node in 1..=nodes {
        if node == 1 || below(8) > 0 {
            let at = below(within);
            steps.push((at, format!("recover {node}")));
            if below(4) == 0 {
                steps.push((at + 10 + below(within), format!("elect {node}")));
            }
        }
    }
    steps.sort();
    let crash = step("crash", begin - 1000, &["crash *".to_owned()]);
    let steps = steps.into_iter().enumerate();
    let steps = steps.map(|(index, (at, line))| step(&format!("s{index}"), begin + at, &[line]));
    crash + &step("count", begin, &[]) + &steps.collect::<String>()
}

/// How many nodes, and how many seeds of that.
const SIZES: [(usize, u64); 4] = [(2, 10), (3, 20), (5, 20), (9, 6)];

/// Each size with its seeds.
fn each(check: impl Fn(usize, u64)) {
    SIZES.iter().for_each(|(nodes, seeds)| (0..*seeds).for_each(|seed| check(*nodes, seed)));
}

const FORMS: [&str; 2] = ["parallel", "sequential"];

/// Whether all calls of a loop are made at once; else the longest loop has so many.
fn calls_in_turn(form: &str, nodes: usize) -> u64 {
    if form == "parallel" { 1 } else { nodes as u64 - 1 }
}

fn bully(form: &str, nodes: usize) -> (String, u64) {
    let silence = 3 * calls_in_turn(form, nodes) * 200 + 600;
    let periods = format!("check = \"200ms\"\nsilence = \"{silence}ms\"\n[settings]\nform = \"{form}\"");
    (head("bully", nodes, &periods), silence)
}

/// AreYouNormal is Check's.
const CHECK: [&str; 2] = ["AreYouNormal", "AreYouNormalAnswer"];

#[test]
fn an_election_of_bully_keeps_its_bound() {
    let begins = [
        "After a failure",
        "One says no",
        "The coordinator is silent",
        "In Down or Election",
        "Mended: in Reorganization",
        "The operator orders an election",
        "One of Up is silent",
    ];
    let (elections, asks_c) = (lines("bully", &begins), lines("bully", &["In Normal or Reorganization"]));
    for form in FORMS {
        each(|nodes, seed| {
            let (head, silence) = bully(form, nodes);
            let text = head + &random_starts(nodes, seed, 20_000, 2_000) + &step("over", 23_000 + 4 * silence, &[]);
            let told = told(&text, seed);
            // n-1 are asked or halted, and those below are told and given the task.
            let bound: usize = cited(&told, &elections).map(|node| 2 * (nodes - 1) + 4 * (node - 1)).sum();
            let bound = bound + 2 * cited(&told, &asks_c).count();
            let took = messages(&told, &CHECK);
            assert!(took <= bound, "{form}, {nodes} nodes, seed {seed}: {took}, and not {bound}");
        });
    }
}

#[test]
fn checks_and_merges_of_invitation_keep_bounds() {
    let checks = lines("invitation", &["In Normal and with c = i", "Mended: after the wait"]);
    let merges = lines("invitation", &["s = Election first"]);
    let timeouts = lines("invitation", &["All others, in every status"]);
    for form in FORMS {
        each(|nodes, seed| {
            let (turn, others) = (calls_in_turn(form, nodes), nodes - 1);
            let (check, silence) = (4 * turn * 200 + 100, 3 * turn * 200 + 100);
            let periods = format!("check = \"{check}ms\"\nsilence = \"{silence}ms\"\n[settings]\nform = \"{form}\"");
            let head = head("invitation", nodes, &periods);
            let text = head + &random_starts(nodes, seed, 20_000, 2_000) + &step("over", 23_000 + 5 * check, &[]);
            let told = told(&text, seed);
            // One after another, each call cites its line.
            let (a_check, a_merge) = if form == "parallel" { (2 * others, 6 * others) } else { (2, 8 * others) };
            let (checks, merges) = (cited(&told, &checks).count(), cited(&told, &merges).count());
            let bound = checks * a_check + merges * a_merge + 2 * cited(&told, &timeouts).count();
            let took = messages(&told, &[]);
            assert!(took <= bound, "{form}, {nodes} nodes, seed {seed}: {took}, and not {bound}");
        });
    }
}

/// No request is sent but where somebody asks.
const TEXTBOOK: &str = "check = \"60s\"\nsilence = \"700ms\"";

#[test]
fn an_election_of_textbook_bully_keeps_its_bound() {
    let (asks, elects) =
        (lines("textbook-bully", &["Send election"]), lines("textbook-bully", &["No answer within T"]));
    each(|nodes, seed| {
        let head = head("textbook-bully", nodes, TEXTBOOK);
        let text = head + &random_starts(nodes, seed, 20_000, 2_000) + &step("over", 27_000, &[]);
        let told = told(&text, seed);
        let below_the_highest = cited(&told, &asks).map(|node| 4 * (nodes - node) + node - 1).sum::<usize>();
        let highest = cited(&told, &elects).filter(|node| *node == nodes).count() * (nodes - 1);
        let took = messages(&told, &[]);
        assert!(took <= below_the_highest + highest, "{nodes} nodes, seed {seed}: {took}");
    });
}

/// One that is back asks n-1, and is answered; n-2 of these ask the coordinator, which replies, and tells the one.
#[test]
fn hole_3_a_returning_process_costs_a_storm() {
    let back = |nodes: usize, errata: bool, seed| {
        let settings = format!("{TEXTBOOK}\n[settings]\nerrata = {errata}");
        let crash = step("crash", 10_000, &["crash 1".to_owned()]);
        let text = head("textbook-bully", nodes, &settings) + &crash;
        let text = text + &step("count", 11_000, &["recover 1".to_owned()]) + &step("over", 15_000, &[]);
        messages(&told(&text, seed), &[])
    };
    for (nodes, seeds) in [(3, 20), (9, 20), (17, 2)] {
        for seed in 0..seeds {
            assert_eq!(back(nodes, true, seed), 4 * nodes - 5, "{nodes} nodes, seed {seed}");
        }
    }
    for seed in 0..20 {
        let took = back(9, false, seed);
        assert!(took > 9 * 9 + 50, "seed {seed}: {took}");
    }
}

#[test]
fn an_election_of_the_ring_keeps_its_bound() {
    let skips = lines("ring", &["No receipt within T"]);
    each(|nodes, seed| {
        let silence = 200 * nodes as u64 + 100;
        let head = head("ring", nodes, &format!("check = \"1s\"\nsilence = \"{silence}ms\""));
        let text = head + &random_starts(nodes, seed, 20_000, 2_000) + &step("over", 23_000 + 4 * silence, &[]);
        let told = told(&text, seed);
        // What is handed over again, because the neighbour is dead, is apart.
        let skips = |told: &&Told| told.lines.iter().any(|line| skips.contains(line));
        let elects = told.iter().filter(|told| !skips(told)).flat_map(|told| &told.elects);
        let mut of_each: BTreeMap<&str, usize> = BTreeMap::new();
        elects.for_each(|election| *of_each.entry(election).or_default() += 1);
        assert!(of_each.values().all(|elects| *elects <= nodes * nodes), "{nodes} nodes, seed {seed}: {of_each:?}");
        let kind = |kind: &str| told.iter().flat_map(|told| &told.sent).filter(|sent| *sent == kind).count();
        assert!(kind("receipt") <= kind("elect"), "{nodes} nodes, seed {seed}");
        assert!(kind("inquiry-receipt") <= kind("inquiry") + kind("reply"), "{nodes} nodes, seed {seed}");
    });
}

#[test]
fn a_failover_of_the_ring_is_one_election() {
    each(|nodes, seed| {
        let silence = 200 * nodes as u64 + 100;
        let head = head("ring", nodes, &format!("check = \"500ms\"\nsilence = \"{silence}ms\""));
        let crash = step("count", 10_000, &[format!("crash {nodes}")]);
        let told = told(&(head + &crash + &step("over", 13_000 + 3 * silence, &[])), seed);
        let elections: BTreeSet<&String> = told.iter().flat_map(|told| &told.elects).collect();
        assert_eq!(elections.len(), 1, "{nodes} nodes, seed {seed}");
    });
}
