//! Why nobody can tell any more what happened before what, so that no verdict is certain.

use std::fmt::{self, Display, Formatter};

use serde::{Deserialize, Serialize};

use super::Missed;
use protocol::{NodeId, NodeSet};

/// What is not known of the order of events.
#[derive(Clone, Eq, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Uncertainty {
    /// Records are missing: those of one node, or of any.
    RecordsMissing {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        node: Option<NodeId>,
        missed: Missed,
    },
    /// A node's time-out came before the records of the deaths behind it.
    DeathsUnread { node: NodeId, silent: NodeSet },
    /// A node received a message whose sending is not on record, or which it had received before.
    SendingUnknown { node: NodeId, from: NodeId, sequence: u64 },
    /// The lab was not carried on to its end.
    NotCarriedOn {
        /// Why, as a fragment.
        why: String,
    },
}

/// As a fragment.
impl Display for Uncertainty {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Uncertainty::RecordsMissing { node, missed: Missed { count, place } } => {
                let of = node.map_or_else(String::new, |node| format!(" of {node}"));
                write!(f, "{count} records{of} are missing, lost {place}")
            }
            Uncertainty::DeathsUnread { node, silent } => {
                write!(f, "{node}'s time-out on {silent} was read before the record of the crash of {silent}")
            }
            Uncertainty::SendingUnknown { node, from, sequence } => write!(
                f,
                "{node} received message {sequence} of {from} whose sending is not on record, or which it had before"
            ),
            Uncertainty::NotCarriedOn { why } => f.write_str(why),
        }
    }
}
