//! The simulator: a lab in virtual time, over a virtual network.
//!
//! It runs what a live lab runs: the machines behind their links ([`driver`]), the fault lines, the conductor, the
//! world and the judge ([`script`], [`judge`]); and its records have the form of a live lab's. Its own parts are the
//! clock, which jumps from one event to the next ([`agenda`]), the network ([`network`]) and processes that are killed,
//! stopped and started in no time ([`simulation`]). A step takes no time here, and an order is in force at once, unless
//! it waits for a process that starts, which takes some milliseconds, or for one that is stopped. A crash loop is not
//! slowed down, because it costs nothing here.
//!
//! Invariant: one lab, one seed and one kind of network give one stream of records, bit for bit, on every computer,
//! build and thread.

mod branches;
pub mod campaign;
mod commands;
mod coverage;
mod event_queue;
mod figures;
mod interrupt;
mod network;
mod run_recorder;
pub mod shrink;
mod sim_node;
mod simulated;
mod simulation;
pub mod swarm;
#[cfg(test)]
mod tests;

pub use branches::Branches;
pub use coverage::Coverage;
pub use figures::FaultTally;
pub use interrupt::Interrupt;
pub use network::{NetworkKind, transit_bound};
pub use run_recorder::Listener;
pub use simulated::Simulated;
use simulation::Simulation;

use std::collections::BTreeMap;
use std::sync::Arc;

use lab::Lab;
use protocol::MachineKind;
use record::Head;
use script::{Pace, RunEnd};

/// A plan of a simulation.
#[derive(Clone, Debug)]
pub struct Plan {
    pub lab: Arc<Lab>,
    /// The seed of the network: of delays and starts.
    pub seed: u64,
    /// The seed of the dice of faults, and of the machines' own draws.
    pub dice: u64,
    /// What the network is like.
    pub network_kind: NetworkKind,
    /// How messages move.
    pub moves: MessageTransfer,
    /// Whether the script starts at once or waits for a command.
    pub pace: Pace,
    /// Whether records are made and judged.
    pub recorded: Recorded,
    /// What happens after the script.
    pub after: AfterScript,
}

/// How messages move from one machine to another.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
pub enum MessageTransfer {
    /// As they are.
    Typed,
    /// Through the codec of the wire, there and back.
    Encoded,
}

/// Whether records are made, and judged.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
pub enum Recorded {
    /// Every one; world, judge and conductor follow them.
    Yes,
    /// Every one, and nobody judges them.
    Unjudged,
    /// The machines make none: only they and the network run. Steps on a condition or a moment never come then.
    No,
}

/// What happens after the script.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
pub enum AfterScript {
    /// The end, as in `hustings run`.
    End,
    /// The lab runs on until every pending judgement has come, those of liveness too.
    Judgement,
    /// The lab runs on until it is told to end, as under a dashboard.
    Nothing,
}

/// The end of a simulated lab.
#[derive(Debug)]
pub struct SimEnd {
    /// The outcome of its run.
    pub run: RunEnd,
    /// What each kind of fault did, by its first word.
    pub faults: BTreeMap<String, FaultTally>,
    /// How many datagrams were given to a node.
    pub delivered: u64,
    /// How long it lasted, in nanoseconds of virtual time.
    pub lasted: u64,
}

impl Plan {
    /// The lab as `hustings run LAB --sim` runs it: its own seed, a calm network, every record.
    pub fn of(lab: Arc<Lab>) -> Plan {
        let (seed, dice) = (lab.seed, lab.seed);
        let (network_kind, moves) = (NetworkKind::Calm, MessageTransfer::Typed);
        Plan {
            lab,
            seed,
            dice,
            network_kind,
            moves,
            pace: Pace::Played,
            recorded: Recorded::Yes,
            after: AfterScript::End,
        }
    }
}

/// Simulates a lab to its end. The listener hears every record, in causal order.
pub fn run<'a>(plan: &Plan, listener: Listener<'a>) -> SimEnd {
    start(plan, listener).run_to_end()
}

/// The head of the session that this plan makes.
pub fn head(plan: &Plan) -> Head {
    simulation::head_of(plan)
}

/// A simulation that its owner carries on.
pub fn start<'a>(plan: &Plan, listener: Listener<'a>) -> Box<dyn Simulated + 'a> {
    let lab = &plan.lab;
    start_as(lab.kind(), plan, listener)
}

/// Runs a machine that is not registered, for example a mutant that wraps the lab's machine. It uses the lab's Card.
pub fn run_as(kind: MachineKind, plan: &Plan, listener: Listener<'_>) -> SimEnd {
    start_as(kind, plan, listener).run_to_end()
}

/// The same, carried on by its owner.
pub fn start_as<'a>(kind: MachineKind, plan: &Plan, listener: Listener<'a>) -> Box<dyn Simulated + 'a> {
    Box::new(Simulation::new(kind, plan, listener))
}
