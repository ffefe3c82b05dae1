//! What the shards send.
//!
//! Invariant: the results of all shards fit a datagram beside a message of the algorithm.

use serde::{Deserialize, Serialize};

use protocol::{Described, NodeSet, ShardResult, ShardSet};

/// A message of the shards.
#[derive(Clone, Eq, PartialEq, Ord, PartialOrd, Hash, Debug, Serialize, Deserialize)]
pub enum ShardMessage {
    /// To the coming coordinator: the results that the sender has.
    Report {
        /// By shard.
        results: Box<[ShardResult]>,
    },
    /// Of the coordinator: how what is left is divided.
    Definition {
        /// Which division of this task, from 1.
        round: u32,
        /// The shards that are left.
        left: ShardSet,
        /// The processes that get them, in turn.
        among: NodeSet,
    },
    /// To the coordinator: what the sender has computed.
    Results {
        /// By shard.
        results: Box<[ShardResult]>,
    },
    /// Of the coordinator: it keeps the results of these.
    Kept { shards: ShardSet },
}

impl Described for ShardMessage {
    fn kind(&self) -> &'static str {
        match self {
            ShardMessage::Report { .. } => "Report",
            ShardMessage::Definition { .. } => "Definition",
            ShardMessage::Results { .. } => "Results",
            ShardMessage::Kept { .. } => "Kept",
        }
    }

    fn fields(&self) -> Vec<(&'static str, String)> {
        match self {
            ShardMessage::Report { results } | ShardMessage::Results { results } => vec![("results", told(results))],
            ShardMessage::Definition { round, left, among } => {
                vec![("round", round.to_string()), ("left", left.to_string()), ("among", among.to_string())]
            }
            ShardMessage::Kept { shards } => vec![("shards", shards.to_string())],
        }
    }
}

/// One result with its count, several by their shards.
fn told(results: &[ShardResult]) -> String {
    match results {
        [one] => format!("{}: {} primes", one.shard, one.primes),
        several => several.iter().map(|result| result.shard).collect::<ShardSet>().to_string(),
    }
}
