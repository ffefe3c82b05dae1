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

use super::{AwaitedMoment, Hands, carry, without_process};
use fault::{FaultId, FaultLine};
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
    /// Its node has not yet said that it is held.
    Coming { node: NodeId, step: String, lines: Vec<FaultLine> },
    /// It was taken: its node goes on once these orders are in force or given up.
    Holding { node: NodeId, step: String, orders: Vec<FaultId> },
}

impl Moments {
    /// The node has carried out everything before the hold.
    pub fn has_come(&mut self, node: NodeId, step: String) {
        self.held.insert(node, step);
    }
}

/// Arms the moment in every node; a later process is told at its start, a stopped one when it goes on.
pub fn arm(hands: &mut impl Hands, awaited: AwaitedMoment) {
    hands.desk_mut().moments.armed = Some(awaited);
    for node in hands.roster().all().iter() {
        tell_armed(hands, node);
    }
}

/// Tells a node which moment is armed.
pub fn tell_armed(hands: &mut impl Hands, node: NodeId) {
    if let Some(AwaitedMoment { step, moment }) = hands.desk().moments.armed.clone() {
        // A dead node is told when it starts.
        hands.tell(node, &Control::Arm { step, moment });
    }
}

/// That step no longer waits for its moment.
pub fn disarm(hands: &mut impl Hands, step: &str) {
    hands.desk_mut().moments.armed = None;
    let all = hands.roster().all();
    let_go(hands, all, step);
}

/// Takes a step at its moment, for which this node is held.
pub fn take_step_at(
    hands: &mut impl Hands,
    node: NodeId,
    step: String,
    lines: Vec<FaultLine>,
    then: Option<AwaitedMoment>,
) {
    hands.desk_mut().moments.armed = None;
    if let Some(awaited) = then {
        arm(hands, awaited);
    }
    let others = hands.roster().others(node);
    let_go(hands, others, &step);
    hands.tell(node, &Control::Reach { step: step.clone() });
    let coming = StepStage::Coming { node, step, lines };
    // The script does not wait for a late order; neither does the node that is held for its step.
    if let StepStage::Holding { node, step, .. } = std::mem::replace(&mut hands.desk_mut().moments.stage, coming) {
        let_go(hands, NodeSet::of(node), &step);
    }
    advance(hands);
}

/// Takes the step whose node is held, and lets the node go on when the step is over.
pub fn advance(hands: &mut impl Hands) {
    match std::mem::take(&mut hands.desk_mut().moments.stage) {
        StepStage::Coming { node, step, lines } if is_held(hands, node, &step) => {
            let orders = carry::take_step(hands, &step, &lines);
            hands.desk_mut().moments.stage = StepStage::Holding { node, step, orders };
            advance(hands);
        }
        // The node reads what it must acknowledge itself before it goes on.
        StepStage::Holding { node, step, orders } if !hands.desk().book.waits_beside(&orders, node) => {
            let_go(hands, NodeSet::of(node), &step);
        }
        waits => hands.desk_mut().moments.stage = waits,
    }
}

/// Whether the step holds the node; a node that has died meanwhile does nothing more either.
fn is_held(hands: &impl Hands, node: NodeId, step: &str) -> bool {
    let has_come = hands.desk().moments.held.get(&node).is_some_and(|held| held == step);
    has_come || without_process(hands).contains(node)
}

fn let_go(hands: &mut impl Hands, nodes: NodeSet, step: &str) {
    let control = Control::Disarm { step: step.to_owned() };
    for node in nodes.iter() {
        // Nothing holds a dead node.
        hands.tell(node, &control);
    }
}
