//! A lane: what the flow shows of one process from row to row.
//!
//! Invariant: a lane holds what can be seen on the screen and nothing else, so two states that look alike are equal.

use std::sync::Arc;

use crate::{GroupView, NodeView, ProcessState, World, groups_among};
use protocol::{GroupNumber, NodeId, NodeMap, NodeSet, Rank, StateVector, Status};
use record::{Body, Record};

/// The part of a state that a lane shows.
#[derive(Clone, Eq, PartialEq, Debug)]
pub struct LaneState {
    /// The common status.
    pub status: Status,
    /// The paper's own word for it.
    pub word: String,
    /// The coordinator, where the status has one.
    pub coordinator: Option<NodeId>,
    /// The number of its group, if it has one.
    pub group: Option<GroupNumber>,
}

/// One process at one moment.
#[derive(Clone, Eq, PartialEq, Debug)]
pub struct FlowLane {
    /// What its process does.
    pub process: ProcessState,
    /// The state of its machine; absent without a process.
    pub state: Option<LaneState>,
}

/// A change that a row makes to a lane.
#[derive(Clone, Eq, PartialEq, Debug)]
pub enum LaneChange {
    /// The process did something.
    Process(ProcessState),
    /// The machine came to a state.
    State(LaneState),
}

/// All processes at one moment.
#[derive(Clone, Debug)]
pub struct Lanes {
    /// Each lane by its node.
    pub each: NodeMap<FlowLane>,
    rank: Rank,
}

impl LaneState {
    /// What a lane shows of this state.
    pub fn of(state: &StateVector) -> LaneState {
        LaneState {
            status: state.status,
            word: state.word.to_string(),
            coordinator: state.believes_in(),
            group: state.group,
        }
    }

    /// The sign in a lane: the status's first letter, or the paper's own word.
    pub fn sign(&self) -> &str {
        let status = self.status.word();
        if self.word.is_empty() || self.word.eq_ignore_ascii_case(status) { &status[..1] } else { &self.word }
    }

    /// The state in words: `Normal under 5`.
    pub fn words(&self) -> String {
        let own = if self.word.is_empty() { self.status.word() } else { &self.word };
        match self.coordinator {
            Some(coordinator) => format!("{own} under {coordinator}"),
            None => own.to_owned(),
        }
    }
}

impl LaneChange {
    /// What a row says of it: the new state, or that the process does not run any more. Nothing of a process that starts
    /// or goes on: its next state says more.
    pub fn words(&self) -> Option<String> {
        match self {
            LaneChange::State(state) => Some(state.words()),
            LaneChange::Process(ProcessState::Dead) => Some("dead".to_owned()),
            LaneChange::Process(ProcessState::Paused) => Some("paused".to_owned()),
            LaneChange::Process(ProcessState::Absent | ProcessState::Starting | ProcessState::Running) => None,
        }
    }
}

impl FlowLane {
    /// The process in words.
    fn words(&self) -> String {
        match (self.process, &self.state) {
            (ProcessState::Absent, _) => "not started".to_owned(),
            (ProcessState::Dead, _) => "dead".to_owned(),
            (ProcessState::Paused, Some(state)) => format!("paused, {}", state.words()),
            (ProcessState::Paused, None) => "paused".to_owned(),
            (ProcessState::Starting, _) | (ProcessState::Running, None) => "starting".to_owned(),
            (ProcessState::Running, Some(state)) => state.words(),
        }
    }

    /// Takes in a change.
    pub fn change(&mut self, change: &LaneChange) {
        match change {
            LaneChange::Process(process) => {
                self.process = *process;
                if !process.is_up() {
                    self.state = None;
                }
            }
            LaneChange::State(state) => self.state = Some(state.clone()),
        }
    }
}

impl Lanes {
    /// The lanes of this world.
    pub fn of(world: &World) -> Lanes {
        let lane = |view: &NodeView| FlowLane { process: view.process, state: view.state.as_ref().map(LaneState::of) };
        Lanes { each: world.nodes.iter().map(|(node, view)| (*node, lane(view))).collect(), rank: world.rank }
    }

    /// The lanes before these records, after which the world is this one. A state that they do not tell is absent.
    pub fn before(world: &World, records: &[Arc<Record>]) -> Lanes {
        let mut lanes = Lanes::of(world);
        for record in records.iter().rev() {
            let Some(lane) = record.node.and_then(|node| lanes.each.get_mut(&node)) else { continue };
            match &record.body {
                Body::Step(step) if step.state.is_some() => lane.state = None,
                Body::Spawned { .. } => lane.process = ProcessState::Dead,
                Body::Ready { .. } => lane.process = ProcessState::Starting,
                Body::Died { .. } | Body::Stopped { .. } => lane.process = ProcessState::Running,
                Body::Continued => lane.process = ProcessState::Paused,
                _ => {}
            }
        }
        lanes
    }

    /// Takes in a change of a node's lane.
    pub fn change(&mut self, node: NodeId, change: &LaneChange) {
        let lane = self.each.get_or_insert_with(node, || FlowLane { process: ProcessState::Absent, state: None });
        lane.change(change);
    }

    /// What each process is, those that are alike together: `1-4: Normal under 4; 5: dead`.
    pub fn words(&self) -> String {
        let mut alike: Vec<(String, NodeSet)> = Vec::new();
        for (node, lane) in &self.each {
            let words = lane.words();
            match alike.iter_mut().find(|(known, _)| *known == words) {
                Some((_, nodes)) => {
                    nodes.insert(*node);
                }
                None => alike.push((words, NodeSet::of(*node))),
            }
        }
        alike.iter().map(|(words, nodes)| format!("{nodes}: {words}")).collect::<Vec<_>>().join("; ")
    }

    /// The groups at this moment.
    pub fn groups(&self) -> Vec<GroupView> {
        let believer = |(node, lane): (&NodeId, &FlowLane)| {
            let state = lane.state.as_ref().filter(|_| lane.process.is_up())?;
            Some((*node, state.coordinator?, state.group))
        };
        groups_among(self.rank, self.each.iter().filter_map(believer))
    }
}
