//! Protocol moments seen from the host: what is armed in the nodes, and who is held until a step is over.
//!
//! A node's record says that it is held before it has carried out what stands before the hold, so the conductor takes a
//! step by the record, and its lines wait for the node's own word that it stands. Two nodes may come to one moment at
//! the same time: the one whose record is first in causal order counts, and the other goes on as soon as it is disarmed.
//!
//! Invariant: whoever was told of a moment is told that it is armed no more; the node for which the step is taken, when
//! everything that the step orders is in force or given up, every other before that.

use std::collections::BTreeMap;

use super::lab_loop::LabLoop;
use super::nodes::Process;
use crate::fault::{FaultId, FaultLine, Moment};
use crate::protocol::{NodeId, NodeSet};
use crate::record::Control;

/// What is armed and who is held.
#[derive(Debug, Default)]
pub(super) struct Moments {
    armed: Option<(String, Moment)>,
    /// Who has said that it stands, and for which step.
    standing: BTreeMap<NodeId, String>,
    stage: Stage,
}

/// How far the step has come whose moment has come.
#[derive(Debug, Default)]
enum Stage {
    /// There is none.
    #[default]
    Nothing,
    /// Its node has still to say that it stands.
    Stopping { node: NodeId, step: String, lines: Vec<FaultLine> },
    /// It was taken: its node goes on once these orders are settled.
    Holding { node: NodeId, step: String, orders: Vec<FaultId> },
}

impl Moments {
    /// The node has carried out everything before the hold.
    pub fn has_come(&mut self, node: NodeId, step: String) {
        self.standing.insert(node, step);
    }
}

impl LabLoop<'_> {
    /// Arms the moment in every node; one that starts later is told then, a stopped one reads it when it goes on.
    pub(super) fn arm(&mut self, step: String, moment: Moment) {
        self.moments.armed = Some((step, moment));
        for node in self.lab.roster.all().iter() {
            self.tell_armed(node);
        }
    }

    /// Tells a node what is armed.
    pub(super) fn tell_armed(&self, node: NodeId) {
        if let Some((step, moment)) = &self.moments.armed {
            // Who is dead is told when it starts.
            self.nodes.tell(node, &Control::Arm { step: step.clone(), moment: moment.clone() });
        }
    }

    /// That step waits for its moment no more.
    pub(super) fn disarm(&mut self, step: &str) {
        self.moments.armed = None;
        self.let_go(self.lab.roster.all(), step);
    }

    /// Takes a step at its moment, for which this node is held.
    pub(super) fn take_step_at(&mut self, node: NodeId, step: String, lines: Vec<FaultLine>) {
        self.moments.armed = None;
        self.let_go(self.lab.roster.others(node), &step);
        let stopping = Stage::Stopping { node, step, lines };
        // The script does not wait for an order that is late; nor does the node that is held for its step.
        if let Stage::Holding { node, step, .. } = std::mem::replace(&mut self.moments.stage, stopping) {
            self.let_go(NodeSet::of(node), &step);
        }
        self.advance_moments();
    }

    /// Takes the step whose node has come to stand, and lets the node go on when the step is over.
    pub(super) fn advance_moments(&mut self) {
        match std::mem::take(&mut self.moments.stage) {
            Stage::Stopping { node, step, lines } if self.stands(node, &step) => {
                let orders = self.take_step(&step, &lines);
                self.moments.stage = Stage::Holding { node, step, orders };
                self.advance_moments();
            }
            // What the node has itself to acknowledge it reads before it goes on.
            Stage::Holding { node, step, orders } if !self.book.waits_beside(&orders, node) => {
                self.let_go(NodeSet::of(node), &step);
            }
            waits => self.moments.stage = waits,
        }
    }

    /// Whether the node is held by the step; one that has died meanwhile does nothing more either.
    fn stands(&self, node: NodeId, step: &str) -> bool {
        let has_come = self.moments.standing.get(&node).is_some_and(|standing| standing == step);
        has_come || self.nodes.that_are(Process::Absent).contains(node)
    }

    fn let_go(&self, nodes: NodeSet, step: &str) {
        let control = Control::Disarm { step: step.to_owned() };
        for node in nodes.iter() {
            // Who is dead is held by nothing.
            self.nodes.tell(node, &control);
        }
    }
}
