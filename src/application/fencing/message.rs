//! What coordinators and the resource send each other.
//!
//! Invariant: an answer bears the number of its question, and a coordinator uses no number twice.

use serde::{Deserialize, Serialize};

use protocol::{CallNumber, Described, FencingNumber, TermId};

/// A message between a coordinator and the resource.
#[derive(Clone, Eq, PartialEq, Ord, PartialOrd, Hash, Debug, Serialize, Deserialize)]
pub enum FencingMessage {
    /// To the resource: what is its content?
    Read { call: CallNumber },
    /// From the resource: its content.
    Content {
        call: CallNumber,
        /// The content.
        value: u64,
    },
    /// To the resource: this is to be its content.
    Write {
        call: CallNumber,
        /// The writer's term.
        term: TermId,
        number: FencingNumber,
        /// The new content.
        value: u64,
    },
    /// Of the resource: the write has landed.
    Written { call: CallNumber },
    /// Of the resource: it has refused the write.
    Refused {
        call: CallNumber,
        /// The highest number that it has seen.
        highest: FencingNumber,
    },
}

impl Described for FencingMessage {
    fn kind(&self) -> &'static str {
        match self {
            FencingMessage::Read { .. } => "Read",
            FencingMessage::Content { .. } => "Content",
            FencingMessage::Write { .. } => "Write",
            FencingMessage::Written { .. } => "Written",
            FencingMessage::Refused { .. } => "Refused",
        }
    }

    fn fields(&self) -> Vec<(&'static str, String)> {
        match self {
            FencingMessage::Read { call } | FencingMessage::Written { call } => vec![("call", call.to_string())],
            FencingMessage::Content { call, value } => {
                vec![("value", value.to_string()), ("call", call.to_string())]
            }
            FencingMessage::Write { call, term, number, value } => vec![
                ("value", value.to_string()),
                ("number", number.to_string()),
                ("term", term.to_string()),
                ("call", call.to_string()),
            ],
            FencingMessage::Refused { call, highest } => {
                vec![("highest", highest.to_string()), ("call", call.to_string())]
            }
        }
    }
}
