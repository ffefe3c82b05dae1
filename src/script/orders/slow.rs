//! Slow processes: each is stopped and continued in turn, so that it runs for its share of every period.
//!
//! A period is 2T. It begins with the stop: with `slow 3 80%` node 3 is stopped for 0.4T and runs for 1.6T. This stop
//! is like a pause, live and simulated alike, and is recorded like one.
//!
//! A process that is dead, starting, or paused when its stop is due is left alone until the next one; the node stays
//! slow meanwhile, and so does its next process.
//!
//! Invariant: a node that is no longer slow, and was stopped by it, goes on.

use super::Turn;
use fault::{FaultId, Percent};
use protocol::{NodeId, NodeMap, NodeSet, Span};
use world::ProcessState;

/// The nodes that are slow.
#[derive(Debug, Default)]
pub struct SlowNodes(NodeMap<Slowness>);

/// The share of one node, and its place in the period; times in nanoseconds since the lab began.
#[derive(Copy, Clone, Debug)]
struct Slowness {
    by: FaultId,
    share: Percent,
    turns_at: i64,
    turn: SlowTurn,
}

/// What comes next.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
enum SlowTurn {
    Stop,
    GoOn,
}

impl SlowNodes {
    /// All slow nodes.
    pub fn nodes(&self) -> NodeSet {
        self.0.keys().copied().collect()
    }

    /// The slow nodes that it has stopped, or would stop if nothing else held them.
    pub fn still(&self) -> NodeSet {
        self.0.iter().filter(|(_, pace)| pace.turn == SlowTurn::GoOn).map(|(node, _)| *node).collect()
    }

    /// These are slow from now on, by this fault.
    pub fn enter(&mut self, nodes: NodeSet, by: FaultId, share: Percent, now: i64) {
        self.0.extend(nodes.iter().map(|node| (node, Slowness { by, share, turns_at: now, turn: SlowTurn::Stop })));
    }

    /// The nodes of this fault are no longer slow; returns those that it has stopped.
    pub fn take_out(&mut self, by: FaultId) -> NodeSet {
        let before = self.still();
        self.0.retain(|_, pace| pace.by != by);
        before.minus(&self.nodes())
    }

    /// The node's stop does not take place, or a pause has taken it over: the next stop is due one running time later.
    pub fn overtaken(&mut self, node: NodeId, period: i64) {
        if let Some(pace) = self.0.get_mut(&node).filter(|pace| pace.turn == SlowTurn::GoOn) {
            pace.turn = SlowTurn::Stop;
            pace.turns_at += runs_for(period, pace.share);
        }
    }

    /// When the next turn comes.
    pub fn wake_at(&self) -> Option<i64> {
        self.0.values().map(|pace| pace.turns_at).min()
    }

    fn take_due(&mut self, now: i64, period: i64) -> Vec<(NodeId, FaultId, SlowTurn)> {
        let due = self.0.iter_mut().filter(|(_, pace)| pace.turns_at <= now);
        due.map(|(node, pace)| {
            let (turn, runs) = (pace.turn, runs_for(period, pace.share));
            (pace.turn, pace.turns_at) = match turn {
                SlowTurn::Stop => (SlowTurn::GoOn, pace.turns_at + period - runs),
                SlowTurn::GoOn => (SlowTurn::Stop, pace.turns_at + runs),
            };
            // A host that was delayed itself does not make up for missed turns.
            pace.turns_at = pace.turns_at.max(now);
            (*node, pace.by, turn)
        })
        .collect()
    }
}

/// A period of a lab with this T, in nanoseconds.
pub fn period(t: Span) -> i64 {
    i64::try_from((t * 2).nanos()).unwrap_or(i64::MAX)
}

/// How long of it a process runs.
fn runs_for(period: i64, share: Percent) -> i64 {
    (period as f64 * share.fraction()) as i64
}

impl Turn<'_, '_> {
    /// Stops and continues the nodes whose turn it is.
    pub(super) fn take_slow_turns(&mut self) {
        let now = self.view.now;
        // Nearly always no node is slow.
        if self.orders.slow.wake_at().is_none_or(|wake| wake > now) {
            return;
        }
        let period = period(self.orders.lab.timing.t);
        for (node, by, turn) in self.orders.slow.take_due(now, period) {
            match turn {
                SlowTurn::Stop if self.that_are(ProcessState::Running).contains(node) => self.stop(node, by),
                SlowTurn::Stop => self.orders.slow.overtaken(node, period),
                SlowTurn::GoOn => self.go_on(NodeSet::of(node)),
            }
        }
    }
}
