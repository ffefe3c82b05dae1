//! The words about a link.
//!
//! Invariant: they tell of every fault that is in force on it.

use super::fault::state_words;
use crate::model::Model;
use crate::view::paint;
use protocol::NodeId;
use world::{FaultState, FaultView, Topology};

/// What is in force on the way from one to the other, in sentences.
pub fn link_words(model: &Model, from: NodeId, to: NodeId) -> String {
    if from == to {
        return format!("{from} gives itself what it sends; there is no link.");
    }
    let topology = Topology::of(&model.seen().world);
    let faults = topology.faults(from, to);
    let mut words = format!("{from} -> {to}: ");
    if faults.is_empty() {
        words.push_str("whole");
    } else {
        let each: Vec<String> = faults.iter().map(|fault| in_force_words(model, fault)).collect();
        words.push_str(&each.join("; "));
    }
    match topology.queue(from, to).map(|queue| queue.len()) {
        None if topology.holding(from, to).is_some() => words.push_str("; nothing waits"),
        None => {}
        Some(1) => words.push_str("; 1 datagram waits"),
        Some(count) => words.push_str(&format!("; {count} datagrams wait")),
    }
    words.push('.');
    words
}

fn in_force_words(model: &Model, fault: &FaultView) -> String {
    let since = match fault.state {
        FaultState::InForce => {
            format!("since {} s", paint::seconds(fault.in_force.unwrap_or(fault.ordered), 3))
        }
        FaultState::Ordered | FaultState::NotInForce(_) | FaultState::Lifted => state_words(fault, &model.theme).1,
    };
    format!("{} {} {since}", fault.id, fault.line)
}
