//! The events between two states that contradict each other: those that change what nodes may believe.
//!
//! Invariant: an event names its record, so that a reader finds it in the session.

use std::fmt::{self, Display, Formatter};

use serde::{Deserialize, Serialize};

use super::excuse::TOLD_AT_EACH_END;
use super::stamp;
use fault::{FaultId, FaultLine};
use protocol::{NodeId, NodeSet};

/// The events, in order: of many, the first and the last.
#[derive(Clone, Default, PartialEq, Debug, Serialize, Deserialize)]
pub struct EventsBetween {
    events: Vec<EventBetween>,
    /// How many are left out in the middle.
    #[serde(default, skip_serializing_if = "is_zero")]
    left_out: usize,
}

/// One of them.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct EventBetween {
    /// When, in nanoseconds of `at`.
    pub at: i64,
    /// The number of its record.
    pub record: u64,
    pub what: BetweenKind,
}

/// What happened.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum BetweenKind {
    /// A fault came into force.
    InForce {
        id: FaultId,
        /// The line, if that is on record.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        line: Option<FaultLine>,
    },
    /// A fault ended.
    Over { id: FaultId },
    /// A process ended, and no fault ended it.
    Died { node: NodeId },
    /// A process started.
    Started { node: NodeId },
    /// A node waited for these in vain.
    TimedOut { node: NodeId, silent: NodeSet },
    /// A node reached Reorganization under this coordinator.
    Reorganizes { node: NodeId, coordinator: NodeId },
}

impl EventsBetween {
    /// Of these events as many as are told.
    pub fn of(mut events: Vec<EventBetween>) -> EventsBetween {
        let left_out = events.len().saturating_sub(2 * TOLD_AT_EACH_END);
        if left_out > 0 {
            events.drain(TOLD_AT_EACH_END..TOLD_AT_EACH_END + left_out);
        }
        EventsBetween { events, left_out }
    }
}

fn is_zero(count: &usize) -> bool {
    *count == 0
}

impl Display for EventsBetween {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        if self.events.is_empty() {
            return f.write_str("nothing recorded");
        }
        for (place, event) in self.events.iter().enumerate() {
            if place > 0 {
                f.write_str(", ")?;
            }
            if self.left_out > 0 && place == TOLD_AT_EACH_END {
                write!(f, "{} more, ", self.left_out)?;
            }
            Display::fmt(event, f)?;
        }
        Ok(())
    }
}

impl Display for EventBetween {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match &self.what {
            BetweenKind::InForce { id, line: Some(line) } => write!(f, "{id} {line} in force")?,
            BetweenKind::InForce { id, line: None } => write!(f, "{id} in force")?,
            BetweenKind::Over { id } => write!(f, "{id} over")?,
            BetweenKind::Died { node } => write!(f, "{node} died")?,
            BetweenKind::Started { node } => write!(f, "{node} started")?,
            BetweenKind::TimedOut { node, silent } => write!(f, "{node} timed out on {silent}")?,
            BetweenKind::Reorganizes { node, coordinator } => {
                write!(f, "{node} reached Reorganization under {coordinator}")?;
            }
        }
        write!(f, " at {} (record {})", stamp(self.at), self.record)
    }
}
