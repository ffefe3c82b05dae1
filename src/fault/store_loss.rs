//! What can happen to a node's stable store: `wipe` and `rollback` (assumption 4 of Garcia-Molina 1982, safe cells survive).
//!
//! A store is read at a start and at no other time, so there the loss bites. `wipe`: the process starts with nothing saved.
//! `rollback`: it starts with what its cells held before its last save, whatever lay in between. A node that has saved
//! once more since the line was ordered has written its cells anew: then nothing was lost, and nothing bites.
//!
//! Lost are the paper's safe cells alone. The incarnation, by which the house tells the datagrams of one life of a process
//! from those of the next, is no cell of a paper and stays: were it lost too, the order filters of all others would take
//! the new process for the old one, and what broke would be this lab and not an assumption.
//!
//! Invariant: each loss has one word, in fault lines, records and help alike.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::FaultId;

/// What becomes of a store.
#[derive(Copy, Clone, Eq, PartialEq, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CellLoss {
    /// Nothing is left of what was saved.
    Wipe,
    /// What was saved before the last save is back.
    Rollback,
}

impl CellLoss {
    /// All of them.
    pub const ALL: [CellLoss; 2] = [CellLoss::Wipe, CellLoss::Rollback];

    /// The loss that this word orders.
    pub fn named(word: &str) -> Option<CellLoss> {
        CellLoss::ALL.into_iter().find(|loss| loss.word() == word)
    }

    /// Its word.
    pub fn word(self) -> &'static str {
        match self {
            CellLoss::Wipe => "wipe",
            CellLoss::Rollback => "rollback",
        }
    }

    /// The form of its line.
    pub fn form(self) -> &'static str {
        match self {
            CellLoss::Wipe => "wipe N",
            CellLoss::Rollback => "rollback N",
        }
    }
}

impl fmt::Display for CellLoss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

/// A loss that a process is to find at its start.
#[derive(Copy, Clone, Eq, PartialEq, Debug, Serialize, Deserialize)]
pub struct StoreLoss {
    /// The fault.
    pub by: FaultId,
    /// What becomes of the store.
    pub loss: CellLoss,
}
