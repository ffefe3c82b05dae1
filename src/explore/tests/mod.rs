//! What is found in small labs, and how many states they have.

mod bugs;
mod king_ni;
mod labs;
mod refused;
mod threads;

use std::num::NonZeroUsize;
use std::sync::Arc;

use stateright::{Checker, Model};

use super::{
    Counterexample, ExploreReport, ExploreTerms, ExploreWish, ExploredClaim, FaultKind, HoldsIn, LabModel, LabQuestion,
    Limits, PropertyFound, SearchControl, SearchExtent, ToTheEnd, explore, search,
};
use election::bully::Bully;
use protocol::{MachineKind, Property};
use registry::BUILT_IN;

/// Limits that no test reaches.
const ENOUGH: Limits = Limits { states: 4_000_000, resident: u64::MAX };

/// The number of threads, where nothing else is said.
const ONE: NonZeroUsize = NonZeroUsize::MIN;

/// The text of a lab file with `nodes` nodes, these extra settings lines, T = 300 ms, and these periods.
fn text(algorithm: &str, nodes: u16, periods: (&str, &str), settings: &str) -> String {
    let (check, silence) = periods;
    format!(
        "name = \"small\"\nabout = \"A small lab.\"\nalgorithm = \"{algorithm}\"\nnodes = {nodes}\nseed = 1\n\
         T = \"300ms\"\ncheck = \"{check}\"\nsilence = \"{silence}\"\n[settings]\n{settings}"
    )
}

/// Bully in parallel, with the shortest periods.
fn bully(nodes: u16, settings: &str) -> String {
    text("bully", nodes, ("300ms", "1300ms"), settings)
}

fn terms(text: &str, wish: &ExploreWish) -> ExploreTerms {
    let lab = lab::parse("small", text, BUILT_IN).expect("a lab");
    ExploreTerms::new(Arc::new(lab), "small", wish).expect("a lab that can be explored")
}

/// A request with this many faults of each kind, all before `faults_until`, up to the tick `horizon`.
fn wish(faults: &[(FaultKind, u8)], faults_until: Option<u16>, horizon: Option<u16>) -> ExploreWish {
    let mut wish = ExploreWish { faults_until, horizon, ..ExploreWish::default() };
    faults.iter().for_each(|(kind, number)| wish.faults[*kind as usize] = *number);
    wish
}

fn explored(terms: &ExploreTerms) -> ExploreReport {
    explore(terms, ENOUGH, ONE, &mut |_| SearchControl::GoOn).expect("all timers can be counted")
}

/// How many states were generated, and how many of them are different; all of them were seen.
fn counts(report: &ExploreReport) -> (u64, u64) {
    assert_eq!(report.exhaustion, SearchExtent::Exhausted);
    (report.tally.generated, report.tally.unique)
}

/// Whether the counterexample could be written as a lab file that reproduces it in the simulator.
fn is_written(report: &ExploreReport, property: Property) -> bool {
    written(report, property).is_some()
}

/// That lab file.
fn written(report: &ExploreReport, property: Property) -> Option<&str> {
    let found = report.rows.iter().find(|(other, _)| *other == property).map(|(_, found)| found);
    let Some(PropertyFound::False(example)) = found else { return None };
    example.lab.written().map(|lab| lab.text.as_str())
}

/// The lab with this at its start.
fn starting(text: &str, line: &str) -> String {
    format!("{text}\n[[step]]\nat = \"0ms\"\ndo = [\"{line}\"]\n")
}

/// `true`, `false`, or the word for what else was found.
fn found(report: &ExploreReport, property: Property) -> &'static str {
    word(report.rows.iter().find(|(other, _)| *other == property).map(|(_, found)| found))
}

/// The same for the one question.
fn answered(report: &ExploreReport) -> &'static str {
    let is_question = |(claim, _): &&(ExploredClaim, PropertyFound)| matches!(claim, ExploredClaim::Question(_));
    word(report.rows.iter().find(is_question).map(|(_, found)| found))
}

fn word(found: Option<&PropertyFound>) -> &'static str {
    match found {
        Some(PropertyFound::True) => "true",
        Some(PropertyFound::False(_)) => "false",
        Some(PropertyFound::Open) => "open",
        Some(PropertyFound::NoRest(_)) => "no rest",
        Some(PropertyFound::NoElection) => "no election",
        Some(PropertyFound::NeverWhole) => "never whole",
        Some(PropertyFound::NotLookedAt) | None => "not looked at",
    }
}

/// The question whether this condition never holds.
fn never(condition: &str) -> LabQuestion {
    LabQuestion { holds_in: HoldsIn::None, condition: condition.parse().expect("a condition") }
}

/// The question whether it always holds.
fn always(condition: &str) -> LabQuestion {
    LabQuestion { holds_in: HoldsIn::All, ..never(condition) }
}

#[test]
fn stateright_finds_the_same_states() {
    let terms = terms(&bully(2, ""), &wish(&[(FaultKind::Crash, 1), (FaultKind::Recovery, 1)], Some(8), Some(10)));
    let ours = search(&LabModel::new(MachineKind::of::<Bully>(), terms.clone()), ENOUGH, ONE, &mut ToTheEnd);
    let theirs = LabModel::new(MachineKind::of::<Bully>(), terms).checker().spawn_bfs().join();
    assert_eq!(ours.exhaustion, SearchExtent::Exhausted);
    assert_eq!(
        (ours.tally.generated, ours.tally.unique),
        (theirs.state_count() as u64, theirs.unique_state_count() as u64)
    );
    assert_eq!(theirs.discoveries().len(), ours.found.len());
}

#[test]
fn a_search_stops_at_its_limits_and_says_so() {
    let terms = terms(&bully(3, ""), &ExploreWish::default());
    let stopped = |limits, heed| {
        let report = explore(&terms, limits, ONE, &mut |_| heed).expect("all timers can be counted");
        assert_eq!(found(&report, Property::Assertion1), "open");
        (report.exhaustion, report.tally.unique)
    };
    assert_eq!(stopped(Limits { states: 100, ..ENOUGH }, SearchControl::GoOn).0, SearchExtent::States);
    assert_eq!(stopped(Limits { resident: 0, ..ENOUGH }, SearchControl::GoOn).0, SearchExtent::Memory);
    assert_eq!(stopped(ENOUGH, SearchControl::Stop).0, SearchExtent::Told);
}
