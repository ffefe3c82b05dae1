//! What processes tell each other about the token.
//!
//! Invariant: a request bears its requester's own number, and a token its own; each rises, so what comes again is known.

use serde::{Deserialize, Serialize};

use protocol::{Described, NodeId};

/// A message of path compression.
#[derive(Copy, Clone, Eq, PartialEq, Ord, PartialOrd, Hash, Debug, Serialize, Deserialize)]
pub enum TokenMessage {
    /// A process wants the token. It is forwarded by others.
    Request {
        /// Who wants it.
        of: NodeId,
        /// How often that one has asked.
        number: u64,
    },
    Token {
        /// How often it has been handed over.
        number: u64,
    },
}

impl Described for TokenMessage {
    fn kind(&self) -> &'static str {
        match self {
            TokenMessage::Request { .. } => "Request",
            TokenMessage::Token { .. } => "Token",
        }
    }

    fn fields(&self) -> Vec<(&'static str, String)> {
        match self {
            TokenMessage::Request { of, number } => vec![("of", of.to_string()), ("request", number.to_string())],
            TokenMessage::Token { number } => vec![("token", number.to_string())],
        }
    }
}
