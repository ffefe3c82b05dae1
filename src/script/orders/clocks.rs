//! Clocks: which rate each process is told, as the standing faults say.
//!
//! Invariant: a process is told the content of the book at that moment.

use super::{Hands, carry, running};
use fault::FaultId;
use protocol::NodeSet;
use record::Control;
use world::ProcessState;

/// Tells each of these nodes that has a process the present rate of its clock; a stopped node reads this when it goes
/// on, and the order does not wait for its answer.
pub fn tell_clocks(hands: &mut impl Hands, id: FaultId, nodes: NodeSet) {
    let running = running(hands);
    for node in nodes.intersection(&running.union(&hands.that_are(ProcessState::Paused))).iter() {
        let book = &mut hands.desk_mut().book;
        let (version, clock) = (book.next_version(), book.clock_of(node));
        carry::tell(hands, id, NodeSet::of(node), running, &Control::Clock { version, clock }, version);
    }
}
