//! The tests of the conductor, over worlds made by hand.
//!
//! Invariant: a world here is built from the fields that records would have filled, and its stamp is given.

mod expectations;
mod moments;
mod outcomes;
mod questions;
mod runs;
mod step_books;
mod steps;

use super::conductor::ScriptRunner;
use super::summary::explained;
use std::sync::Arc;

use super::*;
use fault::FaultId;
use lab::{Lab, parse};
use protocol::trial::registry_of;
use protocol::{
    Assumption, Ballot, Card, Channel, CoordinatorNumbers, Course, Delivery, Formula, Groups, KeyUse, ListingForm,
    Mends, NodeId, NodeSet, Order, Property, Rank, Roster, Span, StateVector, Status, TBounds, holes,
};
use record::{
    Body, BreakManner, BrokenAssumption, BrokenBy, CausalWay, Contradiction, EventsBetween, Excuse, Grade, Outcome,
    Record, VerdictAbout, ViolationReport,
};
use world::{FaultState, FaultView, ProcessState, World};

const NO_BOUND: Formula = Formula { text: "0", value: |_, _, _| Span::ZERO };

enum Hole {
    B1,
    B9,
}

holes! {
    B1 = "B1", "Two coordinators stay.", "AreYouNormal", [], Lab("bully-pause");
    B9 = "B9", "One stays too.", "Timeout", [], Lab("bully-pause");
}

const CARD: Card = Card {
    name: "bully",
    title: "Bully",
    paper: "Garcia-Molina 1982, Appendix I",
    wire: 1,
    rank: Rank::HigherId,
    orders: &[Order::Elect],
    listing: &[],
    listing_form: ListingForm::Procedures,
    messages: &["Halt", "Ready"],
    hands_in: &[],
    hands_out: &[],
    periodic: &[],
    plays_dead: None,
    words: Status::WORDS,
    t_bounds: TBounds::CallAndAnswer,
    channel: Channel::Unicast,
    delivery: Delivery::InOrder,
    keys: KeyUse::None,
    lies: &[],
    groups: Groups::ByCoordinator,
    numbers: CoordinatorNumbers::None("Nothing is numbered here."),
    needs: &Assumption::ALL,
    promises: &[Property::Assertion1],
    withholds: |_, _| &[],
    time_bound: NO_BOUND,
    quiet_bound: NO_BOUND,
    message_bound: "0",
    nodes_max: 256,
    settings: &[Mends::setting(HOLES, "Mends the holes.")],
    periods: &[],
};

/// A lab of five nodes with T = 100 ms and a limit of 10 s, and these steps and expectations.
pub(super) fn lab(rest: &str) -> Arc<Lab> {
    let head = "name = \"made\"\nabout = \"By hand.\"\nalgorithm = \"bully\"\nnodes = 5\nseed = 1\n\
                T = \"100ms\"\ncheck = \"100ms\"\nsilence = \"1s\"\nlimit = \"10s\"\n";
    Arc::new(
        parse("made.toml", &format!("{head}{rest}"), registry_of(&[CARD], &[]))
            .unwrap_or_else(|errors| panic!("{errors}")),
    )
}

fn ms(millis: i64) -> i64 {
    millis * 1_000_000
}

fn set(text: &str) -> NodeSet {
    text.parse().unwrap()
}

fn node(number: u16) -> NodeId {
    NodeId::new(number).unwrap()
}

/// The world of five nodes that run, with no state yet.
fn world() -> World {
    let mut world = World::new(Roster::new(5).unwrap());
    world.began = true;
    put(&mut world, "1-5", ProcessState::Running);
    world
}

fn put(world: &mut World, nodes: &str, process: ProcessState) {
    for node in set(nodes).iter() {
        let view = world.nodes.get_mut(&node).unwrap();
        view.process = process;
        if process == ProcessState::Dead {
            view.state = None;
        }
    }
}

fn ballot(word: &str) -> Option<Box<Ballot>> {
    (word == "help")
        .then(|| Box::new(Ballot { course: Course::Help, stands_with: None, announcements: 0, lists: None }))
}

fn state(world: &mut World, nodes: &str, status: Status, word: &'static str, coordinator: Option<u16>) {
    for id in set(nodes).iter() {
        world.nodes.get_mut(&id).unwrap().state =
            Some(StateVector { ballot: ballot(word), ..StateVector::new(status, word, coordinator.map(node)) });
    }
}

fn normal(world: &mut World, nodes: &str, coordinator: u16) {
    state(world, nodes, Status::Normal, "Normal", Some(coordinator));
}

fn election(world: &mut World, nodes: &str) {
    state(world, nodes, Status::Election, "Election", Some(1));
}

fn fault(world: &mut World, step: Option<&str>, line: &str, state: FaultState) {
    world.faults.push(FaultView {
        id: FaultId(world.faults.len() as u32 + 1),
        line: line.parse().unwrap(),
        nodes: set("5"),
        rule: None,
        step: step.map(str::to_owned),
        state,
        ordered: world.now,
        in_force: None,
        lifted: None,
        robbed: NodeSet::EMPTY,
        deeds: Vec::new(),
        mistimed: 0,
        told: [0; 2],
        receipts: Vec::new(),
    });
}

fn violation(world: &mut World, property: Property, because: Option<Assumption>, by_machine: bool) {
    let fault = BrokenBy::Fault { id: FaultId(1), line: None };
    let by = if by_machine { BrokenBy::ThisComputer } else { fault };
    let report = ViolationReport {
        property,
        nodes: set("4,5"),
        since: world.now,
        contradiction: Contradiction::SecondLeader { node: node(4), term: 1, other: node(5) },
        grade: Grade::Observed,
        between: EventsBetween::default(),
        excuse: because.map_or(Excuse::NoneBroken, |assumption| excused(assumption, by)),
        text: "4 and 5 name themselves".to_owned(),
    };
    world.fold(&Record::of_host(world.now, Body::Violation(report)));
}

/// What broke that assumption excuses it.
fn excused(assumption: Assumption, by: BrokenBy) -> Excuse {
    let manner = BreakManner::StoodStill { node: node(4) };
    let broken = BrokenAssumption { assumption, by, from: 0, to: Some(1_000_000), seen_at: 0, manner };
    Excuse::Broken { broken: Box::new(broken), way: CausalWay { node: node(4), at: 0, steps: Vec::new() } }
}

/// A conductor and the world it reads.
struct Stage {
    conductor: ScriptRunner,
    world: World,
}

impl Stage {
    fn of(rest: &str, pace: Pace) -> Stage {
        Stage { conductor: ScriptRunner::new(lab(rest), pace), world: world() }
    }

    /// A record comes: the world is changed at this time and looked at.
    fn record(&mut self, millis: i64, change: impl FnOnce(&mut World)) -> Vec<ScriptAction> {
        self.world.now = ms(millis);
        change(&mut self.world);
        self.conductor.advance(ms(millis), &self.world)
    }

    /// Time passes, and nothing else.
    fn time(&mut self, millis: i64) -> Vec<ScriptAction> {
        self.conductor.advance(ms(millis), &self.world)
    }

    fn wake_at(&self) -> Option<i64> {
        self.conductor.wake_at().map(|at| at / 1_000_000)
    }

    fn summary(&self) -> Summary {
        self.conductor.summary(&self.world)
    }
}

fn take(step: &str, lines: &[&str]) -> ScriptAction {
    let lines = lines.iter().map(|line| line.parse().unwrap()).collect();
    ScriptAction::TakeStep { step: step.into(), lines, held: None, then: None }
}

fn take_at(node: u16, step: &str, lines: &[&str]) -> ScriptAction {
    let lines = lines.iter().map(|line| line.parse().unwrap()).collect();
    ScriptAction::TakeStep { step: step.into(), lines, held: NodeId::new(node), then: None }
}

/// The same cue, before which this moment is armed.
fn arming(cue: ScriptAction, step: &str, moment: &str) -> ScriptAction {
    let ScriptAction::TakeStep { step: taken, lines, held, then: None } = cue else { panic!("{cue:?} takes no step") };
    ScriptAction::TakeStep { step: taken, lines, held, then: Some(awaited(step, moment)) }
}

pub(super) fn awaited(step: &str, moment: &str) -> AwaitedMoment {
    AwaitedMoment { step: step.into(), moment: moment.parse().unwrap() }
}

fn arm(step: &str, moment: &str) -> ScriptAction {
    ScriptAction::Arm(awaited(step, moment))
}

fn verdict(index: usize, outcome: Outcome, text: &str) -> ScriptAction {
    ScriptAction::Verdict { about: VerdictAbout::Expectation(index), outcome, text: text.into() }
}

fn never_came(step: &str, text: &str) -> ScriptAction {
    ScriptAction::Verdict { about: VerdictAbout::Step(step.into()), outcome: Outcome::Failed, text: text.into() }
}

fn met(index: usize, text: &str) -> ScriptAction {
    verdict(index, Outcome::Met, text)
}

fn failed(index: usize, text: &str) -> ScriptAction {
    verdict(index, Outcome::Failed, text)
}

fn unknown(index: usize, text: &str) -> ScriptAction {
    verdict(index, Outcome::Unknown, text)
}
