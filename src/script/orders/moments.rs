//! Protocol moments, for the code that gives orders: what is armed in the nodes, and which node is held until a step is
//! over.
//!
//! A node's record says that it is held before it has carried out any effect of its step. The conductor takes the lab's
//! step by that record. First the moment of the next step is armed in all nodes; then the node carries out the effects
//! up to its hold. So whatever these bring about, at any node, counts for the next step. The step's lines wait for the
//! node's own word that it is held. Two nodes may come to one moment at the same time: the one whose record is first in
//! causal order counts, and the other goes on as soon as the moment is disarmed.
//!
//! Invariant: a moment is armed before anything of the step before it is done. Every node that got a moment is told when
//! it is no longer armed, or gets the next one in its place. The node for which the step is taken goes on when everything
//! that the step orders is in force or given up; all others go on before that.

use super::Turn;
use crate::conductor::AwaitedMoment;
use fault::FaultLine;
use protocol::{NodeId, NodeMap, NodeSet};
use record::Control;

/// The armed moment and the held nodes.
#[derive(Debug, Default)]
pub struct Moments {
    armed: Option<AwaitedMoment>,
    /// The nodes that have said that they are held, and for which step.
    held: NodeMap<String>,
    stage: StepStage,
}

/// The progress of the step whose moment has come.
#[derive(Debug, Default)]
enum StepStage {
    /// There is none.
    #[default]
    Nothing,
    /// The node has not yet said that it is held.
    Coming { node: NodeId, step: String, lines: Vec<FaultLine> },
    /// Was taken: its node goes on once its orders are in force or given up.
    Holding { node: NodeId, step: String },
}

impl Moments {
    /// The node has carried out everything before the hold.
    pub fn has_come(&mut self, node: NodeId, step: String) {
        self.held.insert(node, step);
    }
}

impl Moments {
    /// Whether no step waits for its node, and no node for its step.
    pub fn is_idle(&self) -> bool {
        matches!(self.stage, StepStage::Nothing)
    }

    /// What nodes are told of the armed moment.
    pub fn told(&self) -> Option<Control> {
        self.armed.clone().map(|AwaitedMoment { step, moment }| Control::Arm { step, moment })
    }
}

impl Turn<'_, '_> {
    /// Arms the moment in every node; a later process is told at its start, a stopped one when it goes on.
    pub(super) fn arm(&mut self, awaited: AwaitedMoment) {
        self.orders.moments.armed = Some(awaited);
        let all = self.orders.lab.roster.all();
        if let Some(control) = self.orders.moments.told() {
            self.tell(all, control);
        }
    }

    /// That step no longer waits for its moment.
    pub(super) fn disarm(&mut self, step: &str) {
        self.orders.moments.armed = None;
        let all = self.orders.lab.roster.all();
        self.let_go(all, step);
    }

    /// Takes a step at its moment, for which this node is held.
    pub(super) fn take_step_at(
        &mut self,
        node: NodeId,
        step: String,
        lines: Vec<FaultLine>,
        then: Option<AwaitedMoment>,
    ) {
        self.orders.moments.armed = None;
        if let Some(awaited) = then {
            self.arm(awaited);
        }
        let others = self.orders.lab.roster.others(node);
        self.let_go(others, &step);
        self.tell(NodeSet::of(node), Control::Reach { step: step.clone() });
        let coming = StepStage::Coming { node, step, lines };
        // The script does not wait for a late order; neither does the node that is held for its step.
        if let StepStage::Holding { node, step } = std::mem::replace(&mut self.orders.moments.stage, coming) {
            self.let_go(NodeSet::of(node), &step);
        }
    }

    /// Takes the step whose node is held, and lets the node go on when the step is over.
    pub(super) fn advance_moment(&mut self) {
        match std::mem::take(&mut self.orders.moments.stage) {
            StepStage::Coming { node, step, lines } if self.is_held(node, &step) => {
                self.take_step(&step, lines);
                self.orders.moments.stage = StepStage::Holding { node, step };
            }
            // The node reads what it must acknowledge itself before it goes on.
            StepStage::Holding { node, step } if !self.is_beside(&step, node) => {
                self.let_go(NodeSet::of(node), &step);
            }
            waits => self.orders.moments.stage = waits,
        }
    }

    /// Whether a line of the step waits for its turn, or its order for another node than this one.
    fn is_beside(&self, step: &str, node: NodeId) -> bool {
        let waits_its_turn = self.orders.next.iter().any(|line| line.step.as_deref() == Some(step));
        waits_its_turn || self.orders.book.waits_beside(step, node)
    }

    /// Whether the step holds the node; a node that has died meanwhile does nothing more either.
    fn is_held(&self, node: NodeId, step: &str) -> bool {
        let has_come = self.orders.moments.held.get(&node).is_some_and(|held| held == step);
        has_come || self.without_process().contains(node)
    }

    fn let_go(&mut self, nodes: NodeSet, step: &str) {
        // Nothing holds a dead node.
        self.tell(nodes, Control::Disarm { step: step.to_owned() });
    }
}
