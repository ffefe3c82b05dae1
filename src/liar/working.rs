//! What a liar can make of the messages of a process that has an application: it lies about the election alone.
//!
//! Invariant: what a message carries for the application stays as it is.

use crate::application::working::WorkingMessage;
use crate::protocol::{Claimant, Deceit, Keyring, Lie, NodeId, NodeSet, Roster};

impl<M: Deceit> Deceit for WorkingMessage<M> {
    const LIES: &'static [Lie] = M::LIES;

    fn value(&self) -> Option<i64> {
        of_election(self).and_then(M::value)
    }

    fn with_value(self, value: i64, roster: Roster) -> Self {
        match self {
            WorkingMessage::Election(message, carried) => {
                WorkingMessage::Election(message.with_value(value, roster), carried)
            }
            other => other,
        }
    }

    fn signed(self, keyring: &Keyring, me: NodeId, to: Option<NodeId>) -> Self {
        match self {
            WorkingMessage::Election(message, carried) => {
                WorkingMessage::Election(message.signed(keyring, me, to), carried)
            }
            other => other,
        }
    }

    fn with_names(self, names: NodeSet) -> Option<Self> {
        match self {
            WorkingMessage::Election(message, carried) => {
                Some(WorkingMessage::Election(message.with_names(names)?, carried))
            }
            _ => None,
        }
    }

    fn naming(self, node: NodeId) -> Option<Self> {
        match self {
            WorkingMessage::Election(message, carried) => {
                Some(WorkingMessage::Election(message.naming(node)?, carried))
            }
            _ => None,
        }
    }

    fn number(&self) -> Option<u64> {
        of_election(self).and_then(M::number)
    }

    fn claims(claimant: &Claimant) -> Vec<Self> {
        M::claims(claimant).into_iter().map(|message| WorkingMessage::Election(message, None)).collect()
    }

    fn opening(number: u64, capacity: i64) -> Option<Self> {
        Some(WorkingMessage::Election(M::opening(number, capacity)?, None))
    }

    fn is_for_all(&self) -> bool {
        of_election(self).is_some_and(M::is_for_all)
    }
}

fn of_election<M>(message: &WorkingMessage<M>) -> Option<&M> {
    match message {
        WorkingMessage::Election(message, _) => Some(message),
        WorkingMessage::Application(..) | WorkingMessage::Outside(_) => None,
    }
}
