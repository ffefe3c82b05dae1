//! The sendings that a row of the flow shows, and what became of them at each receiver.
//!
//! Invariant: of a message that nothing tells of, nothing is said.

use std::fmt;

use fault::FaultId;
use protocol::{NodeId, NodeSet, WHISPER};
use record::MessageText;

/// These fields count calls and hand over work; they do not show who elects whom.
const UNTOLD_FIELDS: [&str; 8] = ["call", "task", "members", "handover", "after", "before", "attended", "lap"];

/// One sending of one process: a message to one or several.
#[derive(Clone, Debug)]
pub struct Arrow {
    /// The sender.
    pub from: NodeId,
    /// Whether it was one multicast.
    pub is_multicast: bool,
    /// What was sent.
    pub message: MessageText,
    /// What became of it at each receiver.
    pub heads: Vec<ArrowHead>,
}

/// A message's end at one receiver.
#[derive(Clone, Eq, PartialEq, Debug)]
pub struct ArrowHead {
    /// The receiver.
    pub to: NodeId,
    /// What became of it.
    pub end: ArrowEnd,
}

/// What became of a message.
#[derive(Clone, Eq, PartialEq, Debug)]
pub enum ArrowEnd {
    /// Is on its way, as far as the records tell.
    Flying,
    /// Came.
    Arrived,
    /// Came, and its answer came back.
    Answered,
    /// Came, and its answer was lost.
    AnswerLost,
    /// Came later: another row shows it.
    Later,
    /// A fault dropped it.
    Dropped(FaultId),
    /// A fault holds it.
    Held(FaultId),
    /// Was lost without a fault of its link.
    Lost(ArrowLoss),
    /// Nobody tells.
    Unknown,
}

/// Why a message was lost, if no fault dropped it.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
pub enum ArrowLoss {
    /// A fault spoiled it, and so its tag did not fit.
    Spoiled,
    /// A later message of its sender had come.
    Overtaken,
    /// Came too late for the ordered broadcast.
    TooLate,
    /// The system did not send it.
    NotSent,
    /// The receiver is dead.
    Dead,
}

impl fmt::Display for ArrowLoss {
    /// The rest of a sentence about the receiver.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            ArrowLoss::Spoiled => "spoiled",
            ArrowLoss::Overtaken => "overtaken",
            ArrowLoss::TooLate => "too late",
            ArrowLoss::NotSent => "not sent",
            ArrowLoss::Dead => "is dead",
        })
    }
}

impl Arrow {
    pub fn receivers(&self) -> NodeSet {
        self.heads.iter().map(|head| head.to).collect()
    }
}

impl ArrowEnd {
    /// A sign for it.
    pub fn mark(&self) -> &'static str {
        match self {
            ArrowEnd::Arrived | ArrowEnd::Answered | ArrowEnd::AnswerLost => "✓",
            ArrowEnd::Later => "○",
            ArrowEnd::Flying | ArrowEnd::Held(_) => "…",
            ArrowEnd::Dropped(_) | ArrowEnd::Lost(_) => "✗",
            ArrowEnd::Unknown => "",
        }
    }
}

/// Whether a liar sent this message to a fellow, to agree with it on what both say.
pub(super) fn is_whispered(message: &MessageText) -> bool {
    message.fields.iter().any(|(name, _)| name == WHISPER)
}

/// Whether a row tells this field of a message.
pub fn is_told(field: &str) -> bool {
    !UNTOLD_FIELDS.contains(&field)
}
