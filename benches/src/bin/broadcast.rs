//! The ordered broadcast on real processes: eight of them broadcast again and again while a fifth of all copies is lost,
//! and what the session tells of it stands beside what King, Gendreau and Ni 1988 take for granted of the layer, and
//! beside what one relay hop leaves to miss.
//!
//! This is no benchmark: it ends with 1 if two nodes deliver in two orders, if one delivers a broadcast twice, if what is
//! missed is not what the records of lost and late copies say, or was not counted as a broken assumption, or if more or fewer
//! are missed than in 99 of 100 such runs.
//! `broadcast COUNT [SEED]`.

use std::process::ExitCode;

use hustings::driver::broadcasts::{Broadcasts, MissedBroadcast};
use hustings::judge::Judge;
use hustings::link::MissChance;
use hustings::protocol::{Assumption, delta};
use hustings::record::{Head, SessionReader};
use hustings_benches::Place;

const NODES: u16 = 8;
const LOSS_PERCENT: u16 = 20;
/// Three quarters of it is Delta, and half of that what a direct copy may take: a machine seldom stalls for so long.
const T_MS: usize = 200;
/// An election and the rest after it take less.
const EVERY_MS: usize = 4 * T_MS;
const CONFIDENCE: f64 = 0.99;
/// So many of those that were missed are told of one by one.
const TOLD_MAX: usize = 20;

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1).map(|word| word.parse::<u64>().expect("a number"));
    let count = arguments.next().expect("how many broadcasts") as usize;
    let seed = arguments.next().unwrap_or(1);
    let place = Place::new();
    let (lab, session) = (place.path("lab.toml"), kept_session());
    std::fs::write(&lab, lab_file(count, seed)).expect("the place can be written to");
    println!("{NODES} real processes broadcast {count} times; this takes {} s", ends_ms(count).div_ceil(1000));
    let run = place.hustings(&["run", "--record", &session, &lab.to_string_lossy()]).output();
    let run = run.expect("the program can be started");
    if !run.status.success() {
        println!("the lab failed: {}", String::from_utf8_lossy(&run.stderr));
        return ExitCode::FAILURE;
    }
    let read = SessionReader::open(session.as_ref()).expect("the session can be read");
    let head = read.head.as_ref().expect("a session has a head");
    let (broadcasts, broken) = evaluated(&read, head, count);
    let is_well = broadcasts.census().broadcasts() == count && tell(head, &broadcasts, broken);
    println!("the session is {session}");
    if is_well { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Where the session stays when this has ended.
fn kept_session() -> String {
    let name = format!("broadcast-{}.jsonl", std::process::id());
    std::env::temp_dir().join(name).to_string_lossy().into_owned()
}

/// When the last election has begun that the broadcasts are of.
fn ends_ms(count: usize) -> usize {
    2_000 + (count.div_ceil(usize::from(NODES)) + 1) * EVERY_MS
}

/// In an election of Algorithm A everybody broadcasts once, and the master once more. What is sent to one node alone is
/// no broadcast: check is so long that nobody asks the master.
fn lab_file(count: usize, seed: u64) -> String {
    let mut text = format!(
        "name = \"broadcast\"\nabout = \"All broadcast again and again, and a fifth of all copies is lost.\"\n\
         algorithm = \"king-ni-a\"\nnodes = {NODES}\nseed = {seed}\nT = \"{T_MS}ms\"\ncheck = \"60s\"\nsilence = \"60s\"\n\
         limit = \"{}ms\"\n\n[[step]]\nat = \"1s\"\ndo = [\"loss *->* {LOSS_PERCENT}%\"]\n",
        ends_ms(count) + 60_000
    );
    for at in (2_000..ends_ms(count)).step_by(EVERY_MS) {
        text += &format!("\n[[step]]\nat = \"{at}ms\"\ndo = [\"elect *\"]\n");
    }
    let ends = ends_ms(count);
    text + &format!(
        "\n[[step]]\nat = \"{ends}ms\"\ndo = [\"heal\"]\n\n[[step]]\nname = \"healed\"\nat = \"{}ms\"\ndo = [\"elect *\"]\n\n\
         [[expect]]\nthat = \"all normal\"\nafter = \"healed\"\nwithin = \"20T\"\n",
        ends + 10 * T_MS
    )
}

/// The broadcasts, and how often assumption 8 was broken, by faults and by the machine.
fn evaluated(session: &SessionReader, head: &Head, count: usize) -> (Broadcasts, (u64, u64)) {
    let roster = head.roster().expect("a session's nodes make a roster");
    let (mut judge, mut broadcasts) = (Judge::new(head, None), Broadcasts::new(roster.all(), count));
    for record in &session.records {
        judge.take(record);
        broadcasts.take(record);
    }
    (broadcasts, times_broken(&judge))
}

/// How often assumption 8 was broken. The paper's conditions (a), within T, and (c), all or nothing, are it.
fn times_broken(judge: &Judge) -> (u64, u64) {
    let eighth = judge.assumptions().into_iter().find(|view| view.assumption == Assumption::DeliveryInTime);
    eighth.map_or((0, 0), |view| (view.by_faults, view.by_machine))
}

/// Says what became of them, and whether all is as it should be.
fn tell(head: &Head, broadcasts: &Broadcasts, (by_faults, by_machine): (u64, u64)) -> bool {
    let (census, of_each) = (broadcasts.census(), broadcasts.by_sender());
    let count = census.broadcasts();
    let receptions = count * usize::from(NODES - 1);
    let (fewest_sent, most_sent) = (of_each.values().min().unwrap_or(&0), of_each.values().max().unwrap_or(&0));
    let (t, delta) = (head.timing.t, delta(head.timing.t, &head.settings));
    println!(
        "\n{count} ordered broadcasts of {}, {fewest_sent} to {most_sent} from each node, so that",
        head.facts.name
    );
    println!(
        "{receptions} are to be received; {LOSS_PERCENT} % of all copies are lost, by dice of seed {}.",
        head.seed
    );
    println!("T is {t}, and what is sent is delivered {delta} later everywhere.\n");

    let (twice, disordered) = (census.twice(), census.disordered());
    row("one order", disordered.is_empty(), "any two nodes deliver what both deliver in one order");
    row("none twice", twice.is_empty(), "no node delivers a broadcast again");

    let (missed, undeliverable) = (broadcasts.missed(), broadcasts.undeliverable());
    let late = missed.iter().filter(|missed| missed.is_late).count();
    let lost = missed.len() - late;
    let odds = MissChance::new(NODES, f64::from(LOSS_PERCENT) / 100.0);
    let (fewest, most) = odds.between(count, CONFIDENCE);
    let is_within = (fewest..=most).contains(&lost);
    let says = format!("losses took {lost} of {receptions} altogether, and {:.1} is predicted,", odds.expected(count));
    row("missed as predicted", is_within, &says);
    more(&format!("{fewest} to {most} in 99 of 100 such runs (wide, since so few are to be missed):"));
    more(&format!("a receiver misses one with probability p (1-(1-p)^2)^(n-2) = {:.2e}, where", odds.miss()));
    more("n = 8 and p = 0.2: the copy to it is lost, and for each of the six others the copy to that");
    more("one or the relay from it");
    more(&format!("{late} besides came, and came too late: that is this machine's doing"));

    // Both lists are in the order of nodes and broadcasts.
    let is_explained = undeliverable == missed;
    let is_counted = is_explained && by_faults + by_machine >= missed.len() as u64;
    row("each counted", is_counted, "all or nothing, the paper's condition (c), was broken");
    more(&format!("{} as the records of losses and lateness tell,", times(undeliverable.len())));
    more(&format!("{} as those of deliveries do", times(missed.len())));
    if !is_explained {
        more("(so some did not relay, because this machine stood still for long, or the layer is broken)");
    }
    more("it is part of assumption 8 here, as is the loss of any other datagram, and the session counts it as");
    more(&format!("broken {by_faults} times by faults and {by_machine} times by this machine"));

    if !missed.is_empty() {
        println!("\nwhat was missed, and why:");
    }
    missed.iter().take(TOLD_MAX).for_each(|missed| println!("  {}", told(missed)));
    if missed.len() > TOLD_MAX {
        println!("  and {} more", missed.len() - TOLD_MAX);
    }
    println!();
    disordered.is_empty() && twice.is_empty() && is_within && is_counted
}

fn row(what: &str, is_so: bool, says: &str) {
    println!("{}  {what}: {says}", if is_so { "yes" } else { "NO " });
}

fn more(says: &str) {
    println!("     {says}");
}

fn times(count: usize) -> String {
    if count == 1 { "once".to_owned() } else { format!("{count} times") }
}

fn told(missed: &MissedBroadcast) -> String {
    let (node, from, sequence) = (missed.node, missed.broadcast.from, missed.broadcast.sequence);
    let why = if missed.is_late {
        "the copies that were not lost came too late".to_owned()
    } else if missed.is_explained() {
        format!("every copy to it was lost, that of {from} and the relays of {}", relayed(missed))
    } else {
        format!("the copies of {} were lost; of {} none came", missed.lost, missed.copies.minus(&missed.lost))
    };
    format!("node {node} missed broadcast {sequence} of node {from}: {why}")
}

/// Who relayed it.
fn relayed(missed: &MissedBroadcast) -> String {
    let mut relays = missed.copies;
    relays.remove(missed.broadcast.from);
    if relays.is_empty() { "nobody".to_owned() } else { relays.to_string() }
}
