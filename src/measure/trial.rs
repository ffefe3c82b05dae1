//! What the trials of several measurements share: how a lab's text begins, the plan of a simulation, dice, and who is at
//! rest under whom.
//!
//! Invariant: what is known of the processes comes from the records alone.

use std::sync::Arc;

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;

use lab::Lab;
use protocol::{Course, GroupNumber, NodeId, NodeMap, Span, StateVector, Status, Timing};
use record::{Body, Record};
use sim::{AfterScript, NetworkKind, Plan, Recorded};

/// How the text of a trial's lab begins: its name and what it is about, its algorithm, processes, seed and periods.
pub fn lab_text((name, about): (&str, &str), algorithm: &str, nodes: u16, seed: u64, timing: &Timing) -> String {
    let Timing { t, check, silence } = timing;
    format!(
        "name = \"{name}\"\nabout = \"{about}\"\nalgorithm = \"{algorithm}\"\nnodes = {nodes}\nseed = {seed}\n\
         T = \"{t}\"\ncheck = \"{check}\"\nsilence = \"{silence}\"\n"
    )
}

/// The plan of a simulation that is carried on by who measures, and that nobody judges.
pub fn plan(lab: &Arc<Lab>, seed: u64, network_kind: NetworkKind) -> Plan {
    let (recorded, after) = (Recorded::Unjudged, AfterScript::Nothing);
    Plan { seed, dice: seed, network_kind, recorded, after, ..Plan::of(Arc::clone(lab)) }
}

/// Dice for the moments of a trial. The seed also fixes the network, which must not follow them.
pub fn dice(seed: u64) -> ChaCha8Rng {
    let mut dice = ChaCha8Rng::seed_from_u64(seed);
    dice.set_stream(1);
    dice
}

/// A span in nanoseconds of lab time.
pub fn nanos(span: Span) -> i64 {
    i64::try_from(span.nanos()).unwrap_or(i64::MAX)
}

/// Nanoseconds of lab time as a span; a negative number is none.
pub fn span(nanos: i64) -> Span {
    Span::from_nanos(u64::try_from(nanos).unwrap_or(0))
}

/// What the records have told of the processes' states.
#[derive(Clone, Default, Debug)]
pub struct RestStates {
    states: NodeMap<RestState>,
}

/// What is known of a process's state.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
struct RestState {
    /// The leader under which it is at rest, and the number of its group.
    under: Option<(NodeId, Option<GroupNumber>)>,
    course: Course,
}

/// What a record changed in what is known of the states.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
pub enum RestChange {
    Nothing,
    /// A process has ended, or its state is another one, and its leader and its group are not.
    State,
    /// A process left its rest, or came to rest under another leader or in another group.
    Under,
}

impl RestStates {
    /// Takes in the next record.
    pub fn take(&mut self, record: &Record) -> RestChange {
        match (&record.body, record.node) {
            (Body::Step(step), Some(node)) => {
                let Some(state) = &step.state else { return RestChange::Nothing };
                let now = RestState::of(state);
                match self.states.insert(node, now) {
                    Some(before) if before == now => RestChange::Nothing,
                    Some(before) if before.under == now.under => RestChange::State,
                    _ => RestChange::Under,
                }
            }
            (Body::Died { .. }, Some(node)) => {
                self.states.remove(&node);
                RestChange::State
            }
            _ => RestChange::Nothing,
        }
    }

    /// The leader under which this process is at rest.
    pub fn under(&self, node: NodeId) -> Option<NodeId> {
        self.states.get(&node)?.under.map(|(leader, _)| leader)
    }

    /// The leader under which all are at rest, if they are, whatever the numbers of their groups.
    pub fn leader(&self) -> Option<NodeId> {
        let (first, _) = self.states.values().next()?.under?;
        let is_under = |state: &RestState| state.under.is_some_and(|(leader, _)| leader == first);
        (self.states.contains_key(&first) && self.states.values().all(is_under)).then_some(first)
    }

    /// Those who lead, if each process is at rest under one of them, and in the same group.
    pub fn leaders(&self) -> Option<Vec<NodeId>> {
        let mut leaders = Vec::new();
        for state in self.states.values() {
            let (leader, group) = state.under?;
            if self.states.get(&leader)?.under != Some((leader, group)) {
                return None;
            }
            if !leaders.contains(&leader) {
                leaders.push(leader);
            }
        }
        Some(leaders)
    }

    /// Whether no process is on its way through an election.
    pub fn is_idle(&self) -> bool {
        self.states.values().all(|state| state.course != Course::Electing)
    }
}

impl RestState {
    fn of(state: &StateVector) -> RestState {
        let is_at_rest = state.status == Status::Normal && state.course() == Course::AtRest;
        let leader = state.coordinator.filter(|_| is_at_rest);
        RestState { under: leader.map(|leader| (leader, state.group)), course: state.course() }
    }
}
