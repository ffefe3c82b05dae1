//! Swarms that find planted bugs, shrunk: few of their many fault lines are left, and the same bug is found again.
//!
//! Invariant: what is left is a lab file that shows the violation by itself.

use std::sync::{Arc, Mutex};

use super::hunt::each;
use super::table::{Planted, planted};
use lab::Lab;
use record::{Body, Record};
use registry::BUILT_IN;
use sim::shrink::{Shrunk, WantedViolation, showing, shrink};
use sim::{AfterScript, NetworkKind, Plan};

/// A swarm's lab has at least so many fault lines here.
const LINES_MIN: usize = 20;
/// So many are few.
const LINES_FEW: usize = 4;

/// Bugs that are hunted in swarms. From this seed on the next swarm of many lines that finds the bug is looked for.
const HUNTED: &[(&str, u64)] = &[
    ("bully::HigherNotAsked", 270),
    ("king_ni::CapacityNotSent", 188),
    ("king_ni::CallSetsNoTimer", 390),
    ("stoller::NeverNotNorm", 168),
    ("raft::VotesForAll", 100),
    ("application::CellsNotRead<updates::Updates>", 25),
];

fn lines(lab: &Lab) -> usize {
    lab.steps.iter().map(|step| step.lines.len()).sum()
}

/// The first violation of this property without an excuse: each such one shows the bug, whatever contradicts each other.
fn found(planted: &Planted, plan: &Plan) -> Option<WantedViolation> {
    let found = std::cell::RefCell::new(None);
    let listener = |record: &Record| {
        if let Body::Violation(report) = &record.body
            && (report.property, report.because()) == (planted.violates, None)
        {
            found.borrow_mut().get_or_insert_with(|| WantedViolation::of_any_kind(report));
        }
    };
    (planted.simulate)(plan, Box::new(listener));
    found.into_inner()
}

/// The first swarm of many lines from this seed on that finds this bug, shrunk: how many lines are left.
fn left_of_swarm(planted: &Planted, first: u64) -> usize {
    let lab = planted.ground.lab();
    let of = |seed: u64| (seed, planted.ground.of_seed(&lab, seed));
    let many = (first..first + 1_000).map(of).filter(|(_, lab)| lines(lab) >= LINES_MIN);
    let seeds_and_plans = many.map(|(seed, lab)| {
        (seed, Plan { seed, network_kind: NetworkKind::Drawn, after: AfterScript::Judgement, ..Plan::of(lab) })
    });
    let mut found = seeds_and_plans.filter_map(|(seed, plan)| Some((seed, found(planted, &plan)?, plan)));
    let (seed, wanted, plan) = found.next().unwrap_or_else(|| panic!("{} is not found", planted.name));
    let Shrunk { lab, lines, lines_before, runs } =
        shrink(&plan, &wanted, &planted.simulate, &mut |_| {}).expect("it was just shown");
    println!("{}, seed {seed}: {lines} of {lines_before} lines are left, after {runs} simulations", planted.name);
    // The file alone shows it again.
    let again = Arc::new(lab::parse(planted.name, &lab.text, BUILT_IN).unwrap());
    let again = showing(&Plan { lab: again, after: AfterScript::End, ..plan }, &wanted, &planted.simulate);
    assert!(again.found.is_some(), "{} does not show {wanted:?} again", planted.name);
    lines
}

#[test]
fn few_fault_lines_are_left_of_swarms_that_find_planted_bugs() {
    let left = Mutex::new(Vec::new());
    each(HUNTED, |(name, seed)| {
        let planted = planted().find(|planted| planted.name == *name).unwrap();
        let lines = left_of_swarm(planted, *seed);
        left.lock().unwrap().push(lines);
    });
    let left = left.into_inner().unwrap();
    let few = left.iter().filter(|lines| **lines <= LINES_FEW).count();
    println!("{few} of {} have at most {LINES_FEW} lines", left.len());
    assert!(left.len() == HUNTED.len() && few * 10 >= left.len() * 8, "{left:?}");
}
