//! What can happen to a node's stable store: `wipe` and `rollback` (assumption 4 of Garcia-Molina 1982, safe cells survive).
//!
//! A process reads its store only at a start, so the loss acts there. `wipe`: the process starts with nothing saved.
//! `rollback`: it starts with the contents of its cells before its last save, however long ago that was. A node that
//! has saved once more since the order has written its cells anew: then nothing was lost, and nothing happens.
//!
//! Only the paper's safe cells are lost. The incarnation is not a cell of a paper and stays: it tells the datagrams of
//! one life of a process from those of the next. If it were lost too, the order filters of all others would take the
//! new process for the old one, and that would break this lab and not an assumption.
//!
//! Invariant: each loss has one word, in fault lines, records and help alike.

use serde::{Deserialize, Serialize};

use super::FaultId;

protocol::worded! {
    /// What happens to a store.
    #[derive(Copy, Clone, Eq, PartialEq, Hash, Debug, Serialize, Deserialize)]
    #[serde(rename_all = "kebab-case")]
    pub enum CellLoss {
        /// Nothing remains of what was saved.
        Wipe = "wipe",
        /// The cells hold again what they held before the last save.
        Rollback = "rollback",
    }
}

/// A loss that a process finds at its start.
#[derive(Copy, Clone, Eq, PartialEq, Debug, Serialize, Deserialize)]
pub struct StoreLoss {
    /// The fault.
    pub by: FaultId,
    /// What happens to the store.
    pub loss: CellLoss,
}
