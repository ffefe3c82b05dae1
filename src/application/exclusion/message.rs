//! What a process that waits for the critical section tells its master.
//!
//! Invariant: it names nobody but its sender, so one that is lost, late or doubled does no harm.

use serde::{Deserialize, Serialize};

use protocol::Described;

/// A message of mutual exclusion.
#[derive(Copy, Clone, Eq, PartialEq, Ord, PartialOrd, Hash, Debug, Serialize, Deserialize)]
pub enum ExclusionMessage {
    /// To the master: the sender wants in.
    Wants,
}

impl Described for ExclusionMessage {
    fn kind(&self) -> &'static str {
        match self {
            ExclusionMessage::Wants => "Wants",
        }
    }

    fn fields(&self) -> Vec<(&'static str, String)> {
        Vec::new()
    }
}
