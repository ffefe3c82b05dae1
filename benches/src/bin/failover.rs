//! How long a failover takes: from the host's kill of the coordinator to the last live node Normal under the next one.
//!
//! The timers alone add up to silence - check/2 + T (Timeout asks 5) + T (Election asks those above), and T more in the
//! parallel form, whose Halts wait. Beside each row the bare process waits out the same sum after the same silence.
//!
//! `failover [TRIALS]` (default 100 for each row).

use std::io::{BufRead, BufReader};
use std::process::Stdio;
use std::time::Duration;

use hustings::protocol::{NodeId, Roster, Status};
use hustings::record::{Body, Record, SessionReader};
use hustings::world::World;
use hustings_benches::{Place, Spread, bare, bully, monotonic_nanos, spread};

/// Form, and silence, check and T in milliseconds.
const ROWS: &[(&str, u64, u64, u64)] =
    &[("parallel", 200, 50, 30), ("parallel", 40, 10, 5), ("sequential", 400, 50, 30)];

fn main() {
    let trials = std::env::args().nth(1).map_or(100, |count| count.parse().expect("a number of trials"));
    println!("failover of five Bully nodes, {trials} trials a row, in ms");
    println!(
        "{:<12} {:>7} {:>5} {:>3}  {:>7}  {:>29}  {:>7}  {:>29}  without",
        "form", "silence", "check", "T", "timers", "smallest, median, largest", "- sum", "bare: the same"
    );
    for (form, silence, check, t) in ROWS {
        let waits = if *form == "sequential" { 2 } else { 3 };
        let sum = *silence as f64 - *check as f64 / 2.0 + (waits * t) as f64;
        let (measured, without) = failovers(form, *silence, *check, *t, trials);
        let bare = spread((0..trials.min(20)).map(|trial| bare_failover(*silence, *check, *t, waits, trial)).collect());
        println!(
            "{form:<12} {silence:>7} {check:>5} {t:>3}  {sum:7.1}  {measured}  {:+7.2}  {bare}  {without}",
            measured.median - sum
        );
    }
}

/// The spread of so many failovers, and how many trials came to no agreement.
fn failovers(form: &str, silence: u64, check: u64, t: u64, trials: u64) -> (Spread, u64) {
    let place = Place::new();
    let lab = place.up(&bully(5, form, t, check, silence), "session.jsonl");
    let ask = |arguments: &[&str]| {
        let named = [&arguments[..1], &["--lab", &lab], &arguments[1..]].concat();
        place.run(&named).is_some()
    };
    let mut without = 0;
    for trial in 0..trials {
        let agreed =
            ask(&["wait", "coordinator 5", "--within", "10s"]) && ask(&["wait", "all normal", "--within", "10s"]);
        // The crash falls anywhere between two Checks.
        std::thread::sleep(Duration::from_micros(2 * silence * 1000 + trial * 7919 % (check * 1000)));
        let failed_over = ask(&["inject", "crash 5"])
            && ask(&["wait", "coordinator 4", "--within", "10s"])
            && ask(&["wait", "all normal", "--within", "10s"]);
        ask(&["inject", "recover 5"]);
        without += u64::from(!(agreed && failed_over));
    }
    ask(&["down"]);
    let session = SessionReader::open(&place.path("session.jsonl")).expect("the session can be read");
    (spread(spans(&session.records)), without)
}

/// From each death of 5 to the first moment at which 1 to 4 are Normal under 4, in ms.
fn spans(records: &[Record]) -> Vec<f64> {
    let (four, five) = (NodeId::new(4).expect("an id"), NodeId::new(5).expect("an id"));
    let mut world = World::new(Roster::new(5).expect("five nodes"));
    let (mut spans, mut died) = (Vec::new(), None);
    for record in records {
        world.fold(record);
        if record.node == Some(five) && matches!(record.body, Body::Died { .. }) {
            died = Some(record.at);
        }
        let is_under_four = |id: &NodeId| {
            let state = world.nodes[id].state.as_ref();
            state.is_some_and(|state| state.status == Status::Normal && state.coordinator == Some(four))
        };
        if let Some(at) = died
            && world.running().iter().all(|id| is_under_four(&id))
        {
            spans.push((record.at - at) as f64 / 1e6);
            died = None;
        }
    }
    spans
}

fn bare_failover(silence: u64, check: u64, wait: u64, waits: u64, trial: u64) -> f64 {
    let arguments = ["follow".to_owned(), silence.to_string(), wait.to_string(), waits.to_string()];
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let mut follower = bare(&arguments).stdout(Stdio::piped()).spawn().expect("bare is built beside this");
    let mut words = BufReader::new(follower.stdout.take().expect("it is piped"));
    let mut word = || {
        let mut line = String::new();
        words.read_line(&mut line).expect("the follower writes");
        line.trim().parse::<u64>().expect("a number")
    };
    let port = word().to_string();
    let mut beater = bare(&["beat", &port, &check.to_string()]).spawn().expect("bare is built beside this");
    std::thread::sleep(Duration::from_micros(2 * silence * 1000 + trial * 7919 % (check * 1000)));
    let killed = monotonic_nanos();
    beater.kill().expect("it is a child of this process");
    let over = word();
    beater.wait().expect("it was killed");
    follower.wait().expect("it ends by itself");
    (over - killed) as f64 / 1e6
}
