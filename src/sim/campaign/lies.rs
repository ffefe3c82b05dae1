//! What the liars of a campaign did: how often each lie was told, and in how many runs it changed an honest process.
//!
//! A lie has bitten in a run if some honest process goes through other states than in the same run without liars.
//!
//! Invariant: whether a lie has bitten depends on the states of honest processes alone, and not on when they came.

use std::collections::BTreeMap;
use std::ops::AddAssign;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::{Campaign, Case, Player};
use crate::Plan;
use crate::swarm;
use fault::{FaultLine, ProcessFault};
use lab::Lab;
use protocol::{Lie, NodeId, NodeMap, NodeSet};
use record::Record;

/// What one lie did.
#[derive(Copy, Clone, Default, Eq, PartialEq, Debug, Serialize, Deserialize)]
pub struct LieTally {
    /// In how many runs it was ordered.
    pub runs: u64,
    /// How often it was told.
    pub told: u64,
    /// How often it was tried, and could not be told.
    pub tried: u64,
    /// In how many runs it changed the states of honest processes, alone or with others.
    pub bit: u64,
    /// Of these, the runs in which no other lie was told.
    pub bit_alone: u64,
}

impl AddAssign for LieTally {
    fn add_assign(&mut self, other: LieTally) {
        self.runs += other.runs;
        self.told += other.told;
        self.tried += other.tried;
        self.bit += other.bit;
        self.bit_alone += other.bit_alone;
    }
}

/// Each lie, and what it did.
pub type LieTallies = BTreeMap<Lie, LieTally>;

/// Follows the lies of a run, and the states of its honest processes.
pub(super) struct LieWatch {
    liars: NodeSet,
    tallies: LieTallies,
    states: NodeMap<blake3::Hasher>,
}

impl LieWatch {
    /// Of a run of this lab.
    pub fn of(lab: &Lab) -> LieWatch {
        let mut watch = LieWatch { liars: NodeSet::EMPTY, tallies: BTreeMap::new(), states: NodeMap::new() };
        for line in lab.steps.iter().flat_map(|step| &step.lines) {
            if let FaultLine::Process(ProcessFault::Liar(lie), target) = line {
                watch.liars = watch.liars.union(&target.named());
                watch.tallies.entry(*lie).or_default().runs = 1;
            }
        }
        watch
    }

    /// Takes in the next record.
    pub fn take(&mut self, record: &Record) {
        let (Some(node), Some(step)) = (record.node, record.step()) else { return };
        for told in &step.lies {
            let tally = self.tallies.entry(told.lie).or_default();
            if told.to.is_empty() { tally.tried += 1 } else { tally.told += 1 }
        }
        if let (false, Some(state)) = (self.liars.contains(node), &step.state) {
            self.states.get_or_default(node).update(format!("{state:?}").as_bytes());
        }
    }

    /// What the lies did, held against the states of the run without them.
    fn held_against(mut self, honest: &LieWatch) -> LieTallies {
        let of = |watch: &LieWatch| -> Vec<(NodeId, blake3::Hash)> {
            let states = watch.states.iter().filter(|(node, _)| !self.liars.contains(**node));
            states.map(|(node, states)| (*node, states.finalize())).collect()
        };
        let bit = u64::from(of(&self) != of(honest));
        let alone = self.tallies.len() == 1;
        for tally in self.tallies.values_mut() {
            tally.bit = bit;
            tally.bit_alone = if alone { bit } else { 0 };
        }
        self.tallies
    }
}

impl Campaign {
    /// What the lies of this run did.
    pub(super) fn tally_lies(&self, case: Case, watch: LieWatch, player: Player<'_>) -> LieTallies {
        let plan = self.plan(case);
        let honest = Plan { lab: Arc::new(swarm::without_liars(&plan.lab)), ..plan };
        let mut without = LieWatch::of(&honest.lab);
        player(&honest, Box::new(|record| without.take(record)));
        watch.held_against(&without)
    }
}
