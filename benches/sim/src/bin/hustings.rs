//! Rows 2 and 3: hustings' simulator. `LABS SEED off` makes no record, `LABS SEED bytes` neither, and moves messages
//! through the codec, as the sockets of others do. `LABS SEED on` makes every record, folds it into the world, judges
//! it, plays the script by it and keeps it to the end of its lab; `LABS SEED lines` puts it into its line of text too.
//!
//! Invariant: all ask the machines themselves whether they agree. With records, every expectation of a lab must be met
//! besides, and nothing be violated: so the verdicts of all are equal, or the run ends.

use std::cell::RefCell;
use std::rc::Rc;

use hustings::record::Record;
use hustings::script::Pace;
use hustings::sim::{self, AfterScript, Listener, MessageTransfer, Plan, Recorded, SimEnd, NetworkKind};
use hustings_sim_benches::{Expected, Report, agree, lab, report, turns};

/// What is kept of a lab's records.
#[derive(Default)]
struct Kept {
    records: RefCell<Vec<Record>>,
    lines: RefCell<Vec<u8>>,
}

fn main() {
    let (labs, first, rest) = hustings_sim_benches::arguments();
    let mode = rest.first().map_or("on", String::as_str);
    let (recorded, moves, expected) = match mode {
        "off" => (Recorded::No, MessageTransfer::Typed, Expected::Nothing),
        "bytes" => (Recorded::No, MessageTransfer::Encoded, Expected::Nothing),
        "on" | "lines" => (Recorded::Yes, MessageTransfer::Typed, Expected::Agreements),
        other => panic!("no mode `{other}`"),
    };
    let (lab, network_kind, pace, after) = (lab(expected), NetworkKind::Drawn, Pace::Played, AfterScript::End);
    let plan = |seed| Plan { lab: lab.clone(), seed, dice: lab.seed, network_kind, moves, pace, recorded, after };
    let mut words = did(mode, &plan(first));
    report(move || {
        let mut whole = Report::default();
        for seed in first..first + labs {
            let kept = Rc::new(Kept::default());
            let (agreements, end) = run(&plan(seed), &kept, mode);
            whole.agreements += agreements;
            whole.messages += end.delivered;
            whole.virtual_seconds += end.lasted as f64 / 1e9;
        }
        whole.did = std::mem::take(&mut words);
        whole
    });
}

/// One lab: how often all agreed, and how it ended.
fn run(plan: &Plan, kept: &Rc<Kept>, mode: &str) -> (u64, SimEnd) {
    let keeping = Rc::clone(kept);
    let listener: Listener = match mode {
        "lines" => Box::new(move |record| {
            let mut lines = keeping.lines.borrow_mut();
            lines.extend_from_slice(record.to_line().as_bytes());
            lines.push(b'\n');
        }),
        _ => Box::new(move |record| keeping.records.borrow_mut().push(record.clone())),
    };
    let mut simulation = sim::start(plan, listener);
    let mut agreements = 0;
    for turn in turns() {
        simulation.advance_to(i64::try_from(turn.at_ms * 1_000_000 - 1).expect("a lab is short"));
        let states = plan.lab.roster.all().iter().map(|node| simulation.state(node));
        agreements += u64::from(agree(states, turn.coordinator));
    }
    let end = simulation.run_to_end();
    if plan.recorded == Recorded::Yes {
        let is_green = end.run.summary.exit_code() == 0 && end.run.summary.met == plan.lab.expectations.len();
        assert!(is_green, "{}: {:?}", end.run.summary, end.run.violations);
    }
    (agreements, end)
}

/// What is done for each message, seen at one lab.
fn did(mode: &str, plan: &Plan) -> String {
    let kept = Rc::default();
    let (_, end) = run(plan, &kept, mode);
    let each = |count: u64| count as f64 / end.delivered as f64;
    let (records, lines) = (kept.records.borrow(), kept.lines.borrow());
    let judged = each(end.run.tallies.iter().map(|(_, tally)| tally.due + tally.excused + tally.unknown).sum());
    let judged = format!("{judged:.2} intervals judged");
    match mode {
        "off" => "typed, no record".to_owned(),
        "bytes" => "through the codec, no record".to_owned(),
        "on" => {
            let bytes: usize = records.iter().map(|record| record.to_line().len() + 1).sum();
            let (records, bytes) = (each(records.len() as u64), each(bytes as u64));
            format!("{records:.2} records kept ({bytes:.0} bytes as text), {judged}")
        }
        _ => format!("{:.0} bytes of session, {judged}", each(lines.len() as u64)),
    }
}
