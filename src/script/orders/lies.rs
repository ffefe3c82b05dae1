//! Lies: what each process is told to lie, as the standing faults say.
//!
//! Invariant: a process is always told all its lies at once, and those that collude all know each other.

use super::{Hands, carry, running};
use fault::FaultId;
use protocol::{Lie, NodeId, NodeSet, Order};
use record::Control;
use world::ProcessState;

/// These nodes are honest from now on; returns the faults that end with this order.
pub fn become_honest(hands: &mut impl Hands, id: FaultId, nodes: NodeSet) -> Vec<FaultId> {
    let fellows = hands.desk().book.liars(Lie::Collude);
    let ends = hands.desk_mut().book.become_honest(nodes);
    let told = if nodes.intersection(&fellows).is_empty() { nodes } else { nodes.union(&fellows) };
    tell_lying(hands, id, told);
    ends
}

/// Tells these nodes what they lie now; those that collude all learn who does.
pub fn tell_lies(hands: &mut impl Hands, id: FaultId, nodes: NodeSet, lie: Lie) {
    let fellows = if lie == Lie::Collude { hands.desk().book.liars(lie) } else { NodeSet::EMPTY };
    tell_lying(hands, id, nodes.union(&fellows));
}

/// Tells each of these nodes that has a process what it lies now; a stopped node hears it when it goes on, and the order
/// does not wait for its answer.
fn tell_lying(hands: &mut impl Hands, id: FaultId, nodes: NodeSet) {
    let running = running(hands);
    for node in nodes.intersection(&running.union(&hands.that_are(ProcessState::Paused))).iter() {
        let book = &mut hands.desk_mut().book;
        let (version, order) = (book.next_version(), Order::Lie(book.lying_of(node)));
        carry::tell(hands, id, NodeSet::of(node), running, &Control::Order { version, order }, version);
    }
}

/// Tells a process that has just been started what it lies, if its node lies: it lies from its start on.
pub fn tell_started(hands: &mut impl Hands, node: NodeId) {
    let book = &mut hands.desk_mut().book;
    let lying = book.lying_of(node);
    if !lying.lies.is_empty() {
        let version = book.next_version();
        hands.tell(node, &Control::Order { version, order: Order::Lie(lying) });
    }
}
