//! What each kind of fault did in a simulation: how often it was in force, and how much it hit.
//!
//! A link fault hits the datagrams that its receipts count. A crash hits what came to a node without a process, a pause
//! what came to a stopped one, a wipe and a rollback the starts that found their safe cells lost or old, a clock the
//! time-outs that it moved, a liar what it told.
//!
//! Invariant: a hit counts for the fault that it met, once for each.

use std::collections::BTreeMap;
use std::ops::AddAssign;

use serde::{Deserialize, Serialize};

use fault::{FaultId, Tampering};
use world::World;

/// The effects of faults of one kind.
#[derive(Copy, Clone, Default, Eq, PartialEq, Debug, Serialize, Deserialize)]
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

/// The datagrams that came to dead and stopped processes, by the fault that hit the process.
#[derive(Clone, Default, Debug)]
pub(super) struct StruckDatagrams(BTreeMap<FaultId, u64>);

impl StruckDatagrams {
    /// This many datagrams came while this fault kept their receiver dead or stopped.
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
            // A message that waits to be overtaken is hit when that happens.
            let held = if fault.line.verb() == Tampering::Reorder.word() { 0 } else { held };
            let robbed = fault.robbed.len() as u64;
            let struck = self.0.get(&fault.id).copied().unwrap_or(0);
            let hit =
                dropped + held + fault.released() + fault.tampered() + robbed + fault.mistimed + struck + fault.told[0];
            *tallies.entry(fault.line.kind()).or_default() += FaultTally { in_force: 1, hit };
        }
        tallies
    }
}
