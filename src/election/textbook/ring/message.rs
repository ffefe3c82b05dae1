//! What goes round the ring, and the receipt of each hand-over.
//!
//! Invariant: a load is the same at every hop, but for the hops that an inquiry or a reply has left; the number of its
//! hand-over is a new one at each.

use serde::{Deserialize, Serialize};

use crate::king_ni::ElectionNumber;
use protocol::{CallNumber, Described, Incarnation, NodeId, NodeSet};

/// A message of the ring.
#[derive(Copy, Clone, Eq, PartialEq, Ord, PartialOrd, Hash, Debug, Serialize, Deserialize)]
pub enum Message {
    /// To the right neighbour: this goes round.
    HandOver {
        /// What goes round.
        load: RingPayload,
        /// The number of this hand-over.
        hand_over: CallNumber,
    },
    /// Back to the left: it has been handed over.
    Receipt {
        /// What has been handed over.
        of: ReceiptKind,
        /// The number of the hand-over.
        hand_over: CallNumber,
    },
}

/// What a receipt is for.
#[derive(Copy, Clone, Eq, PartialEq, Ord, PartialOrd, Hash, Debug, Serialize, Deserialize)]
pub enum ReceiptKind {
    /// A message of an election.
    Elect,
    /// An inquiry or a reply: like these, such a receipt comes again and again while nothing happens.
    Inquiry,
}

/// What goes round the ring.
#[derive(Copy, Clone, Eq, PartialEq, Ord, PartialOrd, Hash, Debug, Serialize, Deserialize)]
pub enum RingPayload {
    /// `elect(of)`.
    Elect {
        /// Which election; 0 to the letter.
        election: ElectionNumber,
        /// The process whose number it carries.
        of: NodeId,
        /// The incarnation of that process that sent it.
        incarnation: Incarnation,
    },
    /// Who coordinates?
    Inquiry {
        /// The process that asks.
        of: NodeId,
        /// The inquiry's number.
        call: CallNumber,
        /// The latest election that the inquirer knows of; 0 to the letter.
        election: ElectionNumber,
        /// The process that the inquirer takes for the coordinator.
        after: Option<NodeId>,
        /// How often it may still be handed over.
        hops: u16,
    },
    /// The coordinator's reply.
    Reply {
        /// The process that has asked.
        of: NodeId,
        /// The inquiry's number.
        call: CallNumber,
        /// The coordinator's own number.
        coordinator: NodeId,
        /// The election that it was elected in; 0 to the letter.
        election: ElectionNumber,
        /// How often it may still be handed over.
        hops: u16,
    },
}

impl RingPayload {
    /// What a receipt for it is for.
    pub fn handed(&self) -> ReceiptKind {
        match self {
            RingPayload::Elect { .. } => ReceiptKind::Elect,
            RingPayload::Inquiry { .. } | RingPayload::Reply { .. } => ReceiptKind::Inquiry,
        }
    }

    /// The process that it started from, or is for.
    pub fn of(&self) -> NodeId {
        let (RingPayload::Elect { of, .. } | RingPayload::Inquiry { of, .. } | RingPayload::Reply { of, .. }) = self;
        *of
    }

    /// The nodes that it names.
    pub fn nodes(&self) -> NodeSet {
        let other = match self {
            RingPayload::Elect { .. } => None,
            RingPayload::Inquiry { after, .. } => *after,
            RingPayload::Reply { coordinator, .. } => Some(*coordinator),
        };
        [self.of()].into_iter().chain(other).collect()
    }
}

impl Described for Message {
    fn kind(&self) -> &'static str {
        match self {
            Message::HandOver { load: RingPayload::Elect { .. }, .. } => "elect",
            Message::HandOver { load: RingPayload::Inquiry { .. }, .. } => "inquiry",
            Message::HandOver { load: RingPayload::Reply { .. }, .. } => "reply",
            Message::Receipt { of: ReceiptKind::Elect, .. } => "receipt",
            Message::Receipt { of: ReceiptKind::Inquiry, .. } => "inquiry-receipt",
        }
    }

    fn fields(&self) -> Vec<(&'static str, String)> {
        let (load, hand_over) = match self {
            Message::HandOver { load, hand_over } => (Some(load), hand_over),
            Message::Receipt { hand_over, .. } => (None, hand_over),
        };
        let mut fields = match load {
            None => Vec::new(),
            Some(RingPayload::Elect { election, of, .. }) => {
                vec![("of", of.to_string()), ("election", election.to_string())]
            }
            Some(RingPayload::Inquiry { of, call, election, after, .. }) => {
                let after = after.map(|after| ("after", after.to_string()));
                let known = [("of", of.to_string()), ("call", call.to_string()), ("election", election.to_string())];
                known.into_iter().chain(after).collect()
            }
            Some(RingPayload::Reply { of, call, coordinator, election, .. }) => vec![
                ("of", of.to_string()),
                ("call", call.to_string()),
                ("coordinator", coordinator.to_string()),
                ("election", election.to_string()),
            ],
        };
        fields.push(("handover", hand_over.to_string()));
        fields
    }
}
