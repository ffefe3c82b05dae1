//! The world: the fold of all records in causal order. Every screen, condition and expectation reads it.
//!
//! Invariant: the same records in the same order give the same world, whether they come from a live lab or a file.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::value::{RawValue, to_raw_value};

use super::coverage::ListingCoverage;
use super::elections::Elections;
use super::fault::{FaultState, FaultView, Receipt};
use super::held::HeldQueues;
use super::history::FormedGroups;
use super::node::NodeView;
use super::violations::{ViolationView, Violations};
use super::waits::SectionWaits;
use fault::{FaultId, LabSpeed};
use protocol::{LieSet, NodeId, NodeMap, NodeSet, Order, Rank, Roster, ToldLie, Work};
use record::{
    Body, BrokenReport, CopyFate, Death, EffectText, Input, MessageId, Outcome, Record, Refusal, Uncertainty,
    VerdictAbout,
};

/// The whole state at one moment.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct World {
    /// The stamp of the latest record, in nanoseconds since the lab began.
    pub now: i64,
    /// How many records were folded.
    pub records: u64,
    /// Whether the lab has begun.
    pub began: bool,
    /// Why the lab ended, if it has.
    pub ended: Option<String>,
    /// Which of two nodes outranks the other.
    #[serde(default)]
    pub rank: Rank,
    /// The nodes that do not elect.
    #[serde(default, skip_serializing_if = "NodeSet::is_empty")]
    pub bystanders: NodeSet,
    /// How fast lab time runs.
    #[serde(default)]
    pub speed: LabSpeed,
    /// The nodes, by id.
    pub nodes: NodeMap<NodeView>,
    /// Every fault line ever ordered, oldest first; the ended ones too.
    pub faults: Vec<FaultView>,
    /// What waits on links until it is released.
    #[serde(default, skip_serializing_if = "HeldQueues::is_empty")]
    pub held: HeldQueues,
    /// Datagrams refused, by reason.
    pub refused: BTreeMap<Refusal, u64>,
    /// Datagrams that the order filter dropped.
    pub stale: u64,
    /// Broadcasts that came too late for the ordered broadcast and were not delivered at some node.
    #[serde(default)]
    pub late: u64,
    /// Datagrams that the kernel dropped because a receive buffer was full.
    pub overflowed: u64,
    /// Records that are missing.
    pub missed: u64,
    /// Why the session file takes no records now, if that is so.
    pub recording_suspended: Option<String>,
    /// Why it is unknown whether any property was violated, if that is so.
    pub undecidable: Option<Uncertainty>,
    /// The lab's steps that were taken, with their stamps.
    pub steps: Vec<(String, i64)>,
    /// The outcomes of expectations so far.
    pub verdicts: Vec<VerdictView>,
    /// The assumptions of the algorithm that were broken, each with what broke it, and when last.
    #[serde(default)]
    pub broken: Vec<BrokenView>,
    /// The contradictions found so far.
    pub violations: Violations,
    /// The elections so far.
    #[serde(default)]
    pub elections: Elections,
    /// The critical section, if the lab's application has one.
    #[serde(default, skip_serializing_if = "SectionWaits::is_empty")]
    pub waits: SectionWaits,
    /// What was reached of the paper's listing.
    #[serde(default)]
    pub coverage: ListingCoverage,
    /// The history of the groups, if the lab has an application that keeps one.
    #[serde(default, skip_serializing_if = "FormedGroups::is_empty")]
    pub history: FormedGroups,
    /// What any process has ever had.
    #[serde(default)]
    pub had: SeenParts,
}

/// The parts that not every algorithm's processes have, and whether any process has ever had them: a table that shows
/// them keeps their columns.
#[derive(Copy, Clone, Debug, Default, Eq, PartialEq, Serialize, Deserialize)]
pub struct SeenParts {
    pub task: bool,
    /// Members of its group.
    pub members: bool,
    pub wait: bool,
}

/// The outcome of one expectation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct VerdictView {
    pub at: i64,
    /// What it is about.
    pub about: VerdictAbout,
    pub outcome: Outcome,
    /// The verdict line.
    pub text: String,
}

/// A broken assumption as the world keeps it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BrokenView {
    /// When it was reported last.
    pub at: i64,
    /// What was reported.
    pub report: BrokenReport,
}

impl World {
    /// The world of a lab in which nothing has happened.
    pub fn new(roster: Roster) -> World {
        let nodes = roster.all().iter().map(|node| (node, NodeView::absent())).collect();
        World { nodes, bystanders: roster.bystanders(), rank: roster.rank(), ..World::default() }
    }

    /// The world as JSON, for a snapshot.
    pub fn to_json(&self) -> Box<RawValue> {
        to_raw_value(self).expect("a world is plain data, and its maps have text keys")
    }

    /// The world of a snapshot.
    pub fn from_json(text: &RawValue) -> Result<World, serde_json::Error> {
        serde_json::from_str(text.get())
    }

    /// Takes in the next record.
    pub fn fold(&mut self, record: &Record) {
        self.now = self.now.max(record.at);
        self.records += 1;
        let followed = record.node.and_then(|node| self.nodes.get(&node)?.believes_in());
        if let Some(node) = record.node {
            self.fold_node(node, record);
            self.held.take(node, record);
            self.coverage.fold(record);
        }
        self.elections.take(record, followed, &self.nodes);
        self.waits.take(record);
        match &record.body {
            Body::Began => self.began = true,
            Body::SpeedSet { speed, .. } => self.speed = *speed,
            Body::Ended { why, .. } => self.ended = Some(why.clone()),
            Body::Refused { reason, count } => *self.refused.entry(*reason).or_default() += count,
            Body::Stale { .. } => self.stale += 1,
            Body::Late { .. } => self.late += 1,
            Body::Overflowed { count } => self.overflowed += count,
            Body::Gap(missed) => self.missed += missed.count,
            Body::RecordingSuspended { why } => self.recording_suspended = Some(why.clone()),
            Body::RecordingResumed { .. } => self.recording_suspended = None,
            Body::Undecidable { why, .. } => self.undecidable = Some(why.clone()),
            Body::StepTaken { step } => self.steps.push((step.clone(), record.at)),
            Body::Verdict { about, outcome, text } => {
                let (about, text) = (about.clone(), text.clone());
                self.verdicts.push(VerdictView { at: record.at, about, outcome: *outcome, text });
            }
            Body::Violation(report) => {
                let view = ViolationView { at: record.at, number: record.number, report: report.clone() };
                self.violations.add(view);
            }
            Body::AssumptionBroken(report) => self.take_broken(report, record.at),
            Body::FaultOrdered { id, line, nodes, rule, step } => self.faults.push(FaultView {
                id: *id,
                line: line.clone(),
                nodes: *nodes,
                rule: rule.clone(),
                step: step.clone(),
                state: FaultState::Ordered,
                ordered: record.at,
                in_force: None,
                lifted: None,
                receipts: Vec::new(),
                robbed: NodeSet::EMPTY,
                deeds: Vec::new(),
                mistimed: 0,
                told: [0; 2],
            }),
            Body::FaultInForce { id } => self.with_fault(*id, |fault| {
                fault.state = FaultState::InForce;
                fault.in_force = Some(record.at);
            }),
            Body::FaultNotInForce { id, why } => {
                self.with_fault(*id, |fault| fault.state = FaultState::NotInForce(why.clone()));
            }
            Body::FaultLifted { id } => self.with_fault(*id, |fault| {
                fault.state = FaultState::Lifted;
                fault.lifted = Some(record.at);
            }),
            _ => {}
        }
    }

    /// Counts a lie of this node for the fault line that ordered it.
    fn count_lie(&mut self, node: NodeId, told: &ToldLie) {
        let is_it =
            |fault: &FaultView| fault.lifted.is_none() && fault.nodes.contains(node) && fault.line.is_lie(told.lie);
        if let Some(fault) = self.faults.iter_mut().find(|fault| is_it(fault)) {
            fault.told[usize::from(told.to.is_empty())] += 1;
        }
    }

    fn fold_node(&mut self, id: NodeId, record: &Record) {
        let node = self.nodes.get_or_insert_with(id, NodeView::absent);
        if let Some(process) = node.process.after(&record.body) {
            node.become_process(process, record.at);
        }
        self.fold_deed(id, record);
        let node = self.nodes.get_or_insert_with(id, NodeView::absent);
        match &record.body {
            Body::Spawned { pid } => {
                node.pid = Some(*pid);
                node.help = None;
            }
            Body::Ready { incarnation } => node.incarnation = Some(*incarnation),
            Body::CellsLost { by, .. } => self.with_fault(*by, |fault| {
                fault.robbed.insert(id);
            }),
            Body::Died { death } => {
                (node.held_by, node.clock, node.lies) = (None, None, LieSet::HONEST);
                node.timers.clear();
                node.state = None;
                node.death = Some(death.clone());
            }
            Body::ClockSet { clock } => node.take_clock(*clock, record.at),
            Body::Step(step) => {
                node.incarnation = Some(step.incarnation);
                node.heard = Some(record.at);
                node.take_timers(step, record.at);
                if let Input::Order { order: Order::Lie(lying) } = &step.input {
                    node.lies = lying.lies;
                }
                if node.is_asked_anew(step) {
                    node.capacity = Some(step.capacity);
                }
                node.held_by = step.held.as_ref().map(|hold| hold.by.clone());
                if let Some(state) = &step.state {
                    node.state = Some(state.clone());
                }
                let told = step.effects.iter().rev().find_map(|effect| match effect {
                    EffectText::Help { text } => Some(text.clone()),
                    _ => None,
                });
                // Its words hold as long as its state stays the same.
                node.help = told.or(if step.state.is_some() { None } else { node.help.take() });
                self.had.wait |= node.awaited().is_some();
                if let Some(state) = &step.state {
                    self.had.task |= state.task.is_some();
                    self.had.members |= !state.up.is_empty();
                    if let Some(Work::History(work)) = state.work.as_deref() {
                        self.history.take(state, work, record.at);
                    }
                }
                if let (Input::Timer { .. }, Some(clock)) = (&step.input, node.clock) {
                    self.with_fault(clock.by, |fault| fault.mistimed += 1);
                }
                step.lies.iter().for_each(|told| self.count_lie(id, told));
            }
            Body::Dropped { id: message, by, .. } => self.count(*message, id, *by, |receipt| receipt.dropped += 1),
            Body::Held { id: message, by, .. } => self.count(*message, id, *by, |receipt| receipt.held += 1),
            Body::Released { id: message, by } => self.count(*message, id, *by, |receipt| receipt.released += 1),
            Body::Copy { through, by, fate, .. } => self.with_fault(*by, |fault| {
                let receipt = fault.receipt(*through, id);
                match fate {
                    CopyFate::Dropped => receipt.dropped += 1,
                    CopyFate::Spoiled => receipt.spoiled += 1,
                    CopyFate::Held(_) => receipt.held += 1,
                    CopyFate::Released => receipt.released += 1,
                }
            }),
            Body::Spoiled { id: message, by, .. } => self.count(*message, id, *by, |receipt| receipt.spoiled += 1),
            Body::Duplicated { id: message, by } => self.count(*message, id, *by, |receipt| receipt.duplicated += 1),
            Body::Reordered { id: message, by } => self.count(*message, id, *by, |receipt| receipt.reordered += 1),
            Body::Garbled { id: message, by, .. } => self.count(*message, id, *by, |receipt| receipt.garbled += 1),
            _ => {}
        }
    }

    /// What faults do to processes, and when that ends.
    fn fold_deed(&mut self, node: NodeId, record: &Record) {
        if matches!(record.body, Body::Spawned { .. } | Body::Continued | Body::Died { .. }) {
            self.faults.iter_mut().for_each(|fault| fault.end_deed(node, record.at));
        }
        if let Body::Died { death: Death::Killed { by } } | Body::Stopped { by } = &record.body {
            self.with_fault(*by, |fault| fault.hit(node, record.at));
        }
    }

    fn count(&mut self, message: MessageId, to: NodeId, by: FaultId, change: impl FnOnce(&mut Receipt)) {
        self.with_fault(by, |fault| change(fault.receipt(message.from, to)));
    }

    fn take_broken(&mut self, report: &BrokenReport, at: i64) {
        let what = |report: &BrokenReport| (report.broken.assumption, report.broken.by.fault());
        let is_same = |view: &BrokenView| what(&view.report) == what(report);
        self.broken.retain(|view| !is_same(view));
        self.broken.push(BrokenView { at, report: report.clone() });
    }

    fn with_fault(&mut self, id: FaultId, change: impl FnOnce(&mut FaultView)) {
        if let Some(fault) = self.faults.iter_mut().rev().find(|fault| fault.id == id) {
            change(fault);
        }
    }

    /// Processes that elect and run: not dead, not stopped.
    pub fn running(&self) -> NodeSet {
        let running: NodeSet = self.nodes.iter().filter(|(_, node)| node.process.runs()).map(|(id, _)| *id).collect();
        running.minus(&self.bystanders)
    }

    /// The faults that have not ended.
    pub fn active_faults(&self) -> impl Iterator<Item = &FaultView> {
        self.faults.iter().filter(|fault| fault.is_active())
    }

    /// The faults that have not ended and are about this node ([`FaultView::is_about`]).
    pub fn faults_about(&self, node: NodeId) -> impl Iterator<Item = &FaultView> {
        let all: NodeSet = self.nodes.keys().copied().collect();
        self.active_faults().filter(move |fault| fault.is_about(node, &all))
    }

    /// The process that a node believes in, or without a node the one that most running processes believe in (of
    /// several, the one that outranks the others).
    pub fn coordinator(&self, of: Option<NodeId>) -> Option<NodeId> {
        if let Some(node) = of {
            return self.nodes.get(&node)?.believes_in();
        }
        let mut votes: NodeMap<usize> = NodeMap::new();
        for node in self.nodes.values().filter(|node| node.process.runs()) {
            if let Some(coordinator) = node.believes_in() {
                *votes.get_or_default(coordinator) += 1;
            }
        }
        let most = votes.values().copied().max()?;
        let named: NodeSet = votes.into_iter().filter(|(_, count)| *count == most).map(|(node, _)| node).collect();
        self.rank.first_of(&named)
    }
}
