//! The way to a step: back from cause to cause, to where its election began.
//!
//! The cause of a step is the sending of its message, or the step that set its timer; a start and an order are their
//! own. A node that is in no election sets the same timers again and again: there the way ends.
//!
//! Invariant: each cause comes before its effect, so a way has an end; every milestone but a silence is before the next
//! one by happened-before.

use super::session_past::SessionPast;
use protocol::{NodeId, NodeSet, Span};
use record::{EffectText, Input, MessageId};

/// A way has at most this many steps: an election without end has a way without beginning.
pub(super) const WAY_MAX: usize = 300;

/// A step on the way.
#[derive(Clone, Debug)]
pub(super) struct PathStep {
    /// The record's place.
    pub place: usize,
    /// The node whose step it is.
    pub node: NodeId,
    /// The cause.
    pub by: StepReason,
}

/// The cause of a step.
#[derive(Clone, Debug)]
pub(super) enum StepReason {
    /// The process started.
    Start,
    /// The operator ordered it.
    Order,
    /// This message, which was sent in the step at this place, if that is on record.
    Message { id: MessageId, sending: Option<usize> },
    /// These nodes were silent for this long; the step at this place began to wait, if that is on record.
    Silence { of: NodeSet, span: Span, setter: Option<usize> },
    /// This much time has passed since the step at this place, if that is on record.
    Time { span: Span, setter: Option<usize> },
}

impl StepReason {
    /// Whether it has a cause of its own that is not on record.
    pub fn is_untold(&self) -> bool {
        match self {
            StepReason::Start | StepReason::Order => false,
            StepReason::Message { sending, .. } => sending.is_none(),
            StepReason::Silence { setter, .. } | StepReason::Time { setter, .. } => setter.is_none(),
        }
    }
}

/// The way to the step at this place, oldest first.
pub(super) fn way_to(session_past: &SessionPast<'_>, place: usize) -> Vec<PathStep> {
    let mut way = Vec::new();
    let mut next = Some(place);
    while let Some(milestone) = next.and_then(|place| milestone(session_past, place)) {
        next = cause(session_past, &milestone).filter(|cause| *cause < milestone.place && way.len() + 1 < WAY_MAX);
        way.push(milestone);
    }
    way.reverse();
    way
}

/// The step at this place with its cause.
pub(super) fn milestone(session_past: &SessionPast<'_>, place: usize) -> Option<PathStep> {
    let (node, step) = session_past.step(place)?;
    let by = match &step.input {
        Input::Start { .. } => StepReason::Start,
        Input::Order { .. } => StepReason::Order,
        Input::Message { id, .. } => StepReason::Message { id: *id, sending: session_past.sending(*id) },
        Input::Timer { timer, set, due, waited_for } => {
            let setter = session_past.setter(node, timer, place);
            let drawn = setter.and_then(|setter| session_past.step(setter)).and_then(|(_, step)| {
                step.effects.iter().rev().find_map(|effect| match effect {
                    EffectText::SetTimer { timer: set, span } if **set == **timer => Some(*span),
                    _ => None,
                })
            });
            let span = drawn.unwrap_or(Span::from_nanos(due.saturating_sub(*set)));
            match waited_for.is_empty() {
                true => StepReason::Time { span, setter },
                false => StepReason::Silence { of: *waited_for, span, setter },
            }
        }
    };
    Some(PathStep { place, node, by })
}

/// The place of the cause of this step, if the way goes on there.
fn cause(session_past: &SessionPast<'_>, of: &PathStep) -> Option<usize> {
    let setter = match &of.by {
        StepReason::Start | StepReason::Order => return None,
        StepReason::Message { sending, .. } => return *sending,
        StepReason::Silence { setter, .. } | StepReason::Time { setter, .. } => (*setter)?,
    };
    if !session_past.rested_before(of.node, of.place) {
        return Some(setter);
    }
    let before = milestone(session_past, setter)?;
    let goes_on = match (&of.by, &before.by) {
        (_, StepReason::Start | StepReason::Order) => {
            session_past.state_before(of.node, of.place).is_none_or(|(began, _)| began <= setter)
        }
        (StepReason::Silence { of, .. }, StepReason::Silence { of: before, .. }) => !of.intersection(before).is_empty(),
        _ => false,
    };
    goes_on.then_some(setter)
}
