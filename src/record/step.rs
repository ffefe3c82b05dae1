//! A step of a machine as a record: its input, the lines it went through, its effects, its state.
//!
//! Invariant: a message is its kind, its named fields and its body in hex; screens read the first two only.

use serde::{Deserialize, Serialize};

use super::{MessageText, TimerName};
use fault::Moment;
use protocol::{Incarnation, LineNumber, NodeId, NodeSet, Span, StateVector, ToldLie};

/// One datagram's identity. `to` is absent for a multicast, which has one number for all its receivers.
#[derive(Copy, Clone, Eq, PartialEq, Ord, PartialOrd, Hash, Debug, Serialize, Deserialize)]
pub struct MessageId {
    /// The sender.
    pub from: NodeId,
    /// The sender's incarnation.
    pub incarnation: Incarnation,
    /// The receiver; absent for a multicast.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<NodeId>,
    /// Counts up from 1 for each sender, incarnation and receiver (or the multicast).
    pub sequence: u64,
}

/// One input of a machine and the machine's response.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Step {
    /// The node's incarnation.
    pub incarnation: Incarnation,
    /// Counts up from 1 within the incarnation.
    pub step: u64,
    /// The input that the machine got.
    pub input: Input,
    /// The capacity that the machine used at this input.
    pub capacity: i64,
    /// The criterion's value, if it was measured and an application changed it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub measured: Option<i64>,
    /// The listing's lines it went through.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lines: Vec<LineNumber>,
    /// The effects that it wanted, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub effects: Vec<EffectText>,
    /// The lies that it told, if its process was ordered to lie.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lies: Vec<ToldLie>,
    /// Where the machine was held between two of its effects, if it was: a protocol moment had come.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub held: Option<StepHold>,
    /// The state after it, if it changed (always after a start).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state: Option<StateVector>,
}

impl Step {
    /// Step 1 of incarnation 1, with this input and no effects.
    pub fn first(input: Input) -> Step {
        Step {
            incarnation: Incarnation(1),
            step: 1,
            input,
            capacity: 0,
            measured: None,
            lines: Vec::new(),
            effects: Vec::new(),
            lies: Vec::new(),
            held: None,
            state: None,
        }
    }
}

/// A hold within a step. The effects after it were carried out when the host let the node go on. If the node's process
/// died before it took another step, they were never carried out: a message among them is neither sent nor lost.
#[derive(Clone, Eq, PartialEq, Debug, Serialize, Deserialize)]
#[serde(expecting = "struct Hold")]
pub struct StepHold {
    /// The lab's step that waited for the moment.
    pub by: String,
    /// How many of the effects were carried out before the hold.
    pub after: usize,
}

/// An input of a machine.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Input {
    /// The process started. `saved` says whether there was anything in the safe cells.
    Start {
        /// Whether the safe cells held anything.
        saved: bool,
    },
    /// A message came.
    Message { id: MessageId, message: MessageText },
    /// A timer ran out.
    Timer {
        /// The name.
        timer: TimerName,
        /// When it was set, in nanoseconds of lab time.
        set: u64,
        /// When it was due, in nanoseconds of lab time. The difference to the record's own time is its lateness.
        due: u64,
        /// The node whose answer it waited for.
        #[serde(default, skip_serializing_if = "NodeSet::is_empty")]
        waited_for: NodeSet,
    },
    /// The operator ordered something.
    Order { order: protocol::Order },
}

/// One effect in words.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum EffectText {
    /// A unicast or, if its id has no receiver, a multicast.
    Send { id: MessageId, message: MessageText },
    /// A timer started, or started again.
    SetTimer {
        /// The name.
        timer: TimerName,
        /// The duration that was drawn.
        span: Span,
    },
    /// A timer was stopped.
    CancelTimer {
        /// The name.
        timer: TimerName,
    },
    /// Safe cells were written.
    Save {
        /// The encoded content in hex.
        body: String,
    },
    /// The operator was told.
    Help { text: String },
}

impl Step {
    /// How many of the effects come before this moment, if this step of this node comes to it; `before` is the node's
    /// word for its state before the step (absent at a start). The moment of a message is right after its sending. The
    /// moment of a state is before the first message that the node sends in it, so that the step's save is done.
    pub fn effects_before(&self, moment: &Moment, node: NodeId, before: Option<&str>) -> Option<usize> {
        let sends = |effect: &EffectText| matches!(effect, EffectText::Send { .. });
        match moment {
            Moment::Sent { kind, by } if by.is_none_or(|by| by == node) => {
                let is_it =
                    |effect: &EffectText| matches!(effect, EffectText::Send { message, .. } if message.kind == *kind);
                self.effects.iter().position(is_it).map(|place| place + 1)
            }
            Moment::Enters { node: who, word } if *who == node && before != Some(word) => {
                let is_in = self.state.as_ref().is_some_and(|state| state.word == *word);
                is_in.then(|| self.effects.iter().position(sends).unwrap_or(self.effects.len()))
            }
            Moment::Sent { .. } | Moment::Enters { .. } => None,
        }
    }

    /// The effects that were carried out when the record was written or soon after it, and those behind a hold.
    pub fn effects_around_hold(&self) -> (&[EffectText], &[EffectText]) {
        let after = self.held.as_ref().map_or(self.effects.len(), |hold| hold.after.min(self.effects.len()));
        self.effects.split_at(after)
    }
}
