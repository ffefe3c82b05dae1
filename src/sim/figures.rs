//! What each kind of fault did in a simulation: how often it was in force, and how much it hit.
//!
//! A link fault hits what its receipts count. A crash hits what came to a node that had no process, a pause what came to
//! one that stood still, a wipe and a rollback starts that found their safe cells lost or old, a clock time-outs by it.
//!
//! Invariant: what was hit is counted for the fault that met it, once for each that did.

use std::collections::BTreeMap;
use std::ops::AddAssign;

use crate::fault::{FaultId, Tampering};
use crate::world::World;

/// What faults of one kind did.
#[derive(Copy, Clone, Default, Eq, PartialEq, Debug)]
pub struct FaultTally {
    /// How often one came into force.
    pub in_force: u64,
    /// How many datagrams they hit, or starts, or time-outs.
    pub hit: u64,
}

impl AddAssign for FaultTally {
    fn add_assign(&mut self, other: FaultTally) {
        self.in_force += other.in_force;
        self.hit += other.hit;
    }
}

/// What came to the dead and the stopped, by the fault that struck them.
#[derive(Clone, Default, Debug)]
pub(super) struct Strikes(BTreeMap<FaultId, u64>);

impl Strikes {
    /// So many datagrams came while this fault had struck their receiver.
    pub fn add(&mut self, by: FaultId, come: u64) {
        *self.0.entry(by).or_default() += come;
    }

    /// The faults of a whole lab, by kind.
    pub fn tally(&self, world: &World) -> BTreeMap<String, FaultTally> {
        let mut tallies: BTreeMap<String, FaultTally> = BTreeMap::new();
        for fault in &world.faults {
            if fault.in_force.is_none() || fault.line.only_repairs() {
                continue;
            }
            let (dropped, held) = fault.totals();
            // What waits to be overtaken is hit when it is.
            let held = if fault.line.verb() == Tampering::Reorder.verb() { 0 } else { held };
            let robbed = fault.robbed.len() as u64;
            let struck = self.0.get(&fault.id).copied().unwrap_or(0);
            let hit = dropped + held + fault.released() + fault.tampered() + robbed + fault.mistimed + struck;
            *tallies.entry(fault.line.kind()).or_default() += FaultTally { in_force: 1, hit };
        }
        tallies
    }
}
