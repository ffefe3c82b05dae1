//! The speed of the simulator beside a bare heap and two other simulators: all rows in one go, one after another on one
//! core, so many rounds; of each the median.
//!
//! Bars: without records a third of the bare heap's messages a second, ten times madsim's, fifty times turmoil's; with
//! every record made, judged and put into words a tenth of the bare heap's.
//!
//! Invariant: processor time is counted, not time on the wall, so that what else the machine does counts for nobody; an
//! agreement that is missing, or a verdict that differs, ends the run.

use std::process::{Command, Stdio};

use hustings_sim_benches::{CYCLES, Report};
use nix::sched::{CpuSet, sched_setaffinity};
use nix::unistd::Pid;

struct Row {
    name: &'static str,
    program: &'static str,
    /// Labs in one round: about a second of them.
    labs: u64,
    arguments: &'static [&'static str],
}

const ROWS: [Row; 7] = [
    Row { name: "bare heap", program: "heap", labs: 1000, arguments: &[] },
    Row { name: "hustings, records off", program: "hustings", labs: 600, arguments: &["off"] },
    Row { name: "hustings, records off, bytes", program: "hustings", labs: 300, arguments: &["bytes"] },
    Row { name: "hustings, records kept and judged", program: "hustings", labs: 200, arguments: &["on"] },
    Row { name: "hustings, records as text and judged", program: "hustings", labs: 100, arguments: &["lines"] },
    Row { name: "madsim 0.2.34", program: "madsim", labs: 100, arguments: &[] },
    Row { name: "turmoil 0.7.2", program: "turmoil", labs: 5, arguments: &[] },
];

fn main() {
    let rounds = std::env::args().nth(1).map_or(5, |word| word.parse().expect("a number of rounds"));
    let mut core = CpuSet::new();
    core.set(1).or_else(|_| core.set(0)).expect("there is a core");
    // On a machine with one core there is nothing to choose.
    let _ = sched_setaffinity(Pid::from_raw(0), &core);
    let mut reports: [Vec<Report>; ROWS.len()] = Default::default();
    for round in 0..rounds {
        for (row, reports) in ROWS.iter().zip(&mut reports) {
            reports.push(run(row, 1 + round * row.labs));
        }
    }
    println!("Bully, 5 nodes, the coordinator crashes and returns {CYCLES} times a lab; {rounds} rounds, one core.");
    println!("All are built at opt-level 3; the shipped program, whose nodes are to be small, is built at s.\n");
    println!(
        "| row | delivered messages/s | of the bare heap | elections/s | messages | virtual s/s | beside each message |"
    );
    println!("|---|---|---|---|---|---|---|");
    let bare = median(&reports[0]);
    for (row, reports) in ROWS.iter().zip(&reports) {
        let sum = |figure: fn(&Report) -> f64| reports.iter().map(figure).sum::<f64>();
        let seconds = sum(|report| report.seconds);
        let (name, rate) = (row.name, median(reports));
        println!(
            "| {name} | {rate:.0} | {:.3} | {:.0} | {:.0} | {:.0} | {} |",
            rate / bare,
            sum(|report| report.agreements as f64) / seconds,
            sum(|report| report.messages as f64),
            sum(|report| report.virtual_seconds) / seconds,
            reports[0].did,
        );
    }
    let [_, off, _, on, lines, madsim, turmoil] = reports.each_ref().map(|reports| median(reports));
    let (off_bare, off_madsim, off_turmoil) = (off / bare, off / madsim, off / turmoil);
    println!("\nrecords off: {off_bare:.2} of the bare heap (bar 0.33)");
    println!("records off: {off_madsim:.1} times madsim (bar 10), {off_turmoil:.0} times turmoil (bar 50)");
    println!("records kept and judged: {:.3} of the bare heap (bar 0.1); as text: {:.3}", on / bare, lines / bare);
}

fn run(row: &Row, seed: u64) -> Report {
    let own = std::env::current_exe().expect("a running program has a path");
    let output = Command::new(own.with_file_name(row.program))
        .args([row.labs.to_string(), seed.to_string()])
        .args(row.arguments)
        .stderr(Stdio::inherit())
        .output()
        .unwrap_or_else(|error| panic!("{} is built beside this: {error}", row.program));
    assert!(output.status.success(), "{} failed", row.name);
    let report: Report = serde_json::from_slice(&output.stdout).expect("a row prints its report");
    let due = row.labs * (2 * CYCLES + 1);
    assert_eq!(report.agreements, due, "{}: not all agreed in time", row.name);
    report
}

/// Messages a second.
fn median(reports: &[Report]) -> f64 {
    let mut rates: Vec<f64> = reports.iter().map(|report| report.messages as f64 / report.seconds).collect();
    rates.sort_by(f64::total_cmp);
    rates[rates.len() / 2]
}
