//! What a step does in the flow and why, and which reasons and states are alike.
//!
//! Invariant: two things for like reasons may stand in one row; a reason names no single node.

use super::arrow::is_told;
use super::lane::LaneChange;
use super::row::FlowCause;
use protocol::{LieSet, NodeId, NodeSet};
use record::{Input, MessageId, MessageText, Step};

/// What a step sends of one kind.
pub(super) struct StepSending {
    pub(super) manner: SendingForm,
    pub(super) messages: Vec<(MessageId, MessageText)>,
}

/// How a sending is shown.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
pub(super) enum SendingForm {
    Arrow,
    /// In a row of the liar.
    Lie,
    /// At the call that it answers.
    Answer,
    Unshown,
}

/// The lies that this step told to somebody.
pub(super) fn lies_told(step: &Step) -> LieSet {
    step.lies.iter().filter(|told| !told.to.is_empty()).map(|told| told.lie).collect()
}

/// Why a node took this step; the message that it was given may be seen in the flow.
pub(super) fn cause_of(node: NodeId, step: &Step, is_seen: bool) -> FlowCause {
    let at = NodeSet::of(node);
    match &step.input {
        Input::Start { .. } => FlowCause::Start(at),
        Input::Timer { timer, waited_for, .. } => {
            FlowCause::Timer { name: timer.to_string(), at, waited_for: *waited_for }
        }
        Input::Order { order } => FlowCause::Order { order: order.says().into_owned(), at },
        Input::Message { .. } if is_seen => FlowCause::Plain,
        Input::Message { message, .. } => {
            let fields = message.fields.iter().filter(|(name, _)| is_told(name));
            let fields: Vec<String> = fields.map(|(name, value)| format!("{name}={value}")).collect();
            let fields = if fields.is_empty() { String::new() } else { format!("({})", fields.join(", ")) };
            FlowCause::Unshown { message: format!("{}{fields}", message.kind), at }
        }
    }
}

pub(super) fn same_cause(one: &FlowCause, other: &FlowCause) -> bool {
    match (one, other) {
        (FlowCause::Plain, FlowCause::Plain) | (FlowCause::Start(_), FlowCause::Start(_)) => true,
        (FlowCause::Timer { name: one, .. }, FlowCause::Timer { name: other, .. })
        | (FlowCause::Order { order: one, .. }, FlowCause::Order { order: other, .. })
        | (FlowCause::Unshown { message: one, .. }, FlowCause::Unshown { message: other, .. }) => one == other,
        _ => false,
    }
}

pub(super) fn same_state(one: &LaneChange, other: &LaneChange) -> bool {
    match (one, other) {
        (LaneChange::State(one), LaneChange::State(other)) => one.status == other.status && one.word == other.word,
        _ => one == other,
    }
}
