//! The way to a step: back from cause to cause, to where its election began.
//!
//! The cause of a step is the sending of its message, or the step that set its timer; a start and an order are their
//! own. A node that is in no election sets the same timers again and again: there the way ends.
//!
//! Invariant: each cause comes before its effect, so a way has an end; every milestone but a silence is before the next
//! one by happened-before.

use super::annals::Annals;
use protocol::{NodeId, NodeSet, Span};
use record::{EffectText, Input, MessageId};

/// A way has at most this many steps: an election without end has a way without beginning.
pub(super) const WAY_MAX: usize = 300;

/// A step on the way.
#[derive(Clone, Debug)]
pub(super) struct Milestone {
    /// The record's place.
    pub place: usize,
    /// The node whose step it is.
    pub node: NodeId,
    /// Its cause.
    pub by: Impulse,
}

/// The cause of a step.
#[derive(Clone, Debug)]
pub(super) enum Impulse {
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

impl Impulse {
    /// Whether it has a cause of its own that is not on record.
    pub fn is_untold(&self) -> bool {
        match self {
            Impulse::Start | Impulse::Order => false,
            Impulse::Message { sending, .. } => sending.is_none(),
            Impulse::Silence { setter, .. } | Impulse::Time { setter, .. } => setter.is_none(),
        }
    }
}

/// The way to the step at this place, oldest first.
pub(super) fn way_to(annals: &Annals<'_>, place: usize) -> Vec<Milestone> {
    let mut way = Vec::new();
    let mut next = Some(place);
    while let Some(milestone) = next.and_then(|place| milestone(annals, place)) {
        next = cause(annals, &milestone).filter(|cause| *cause < milestone.place && way.len() + 1 < WAY_MAX);
        way.push(milestone);
    }
    way.reverse();
    way
}

/// The step at this place with its cause.
pub(super) fn milestone(annals: &Annals<'_>, place: usize) -> Option<Milestone> {
    let (node, step) = annals.step(place)?;
    let by = match &step.input {
        Input::Start { .. } => Impulse::Start,
        Input::Order { .. } => Impulse::Order,
        Input::Message { id, .. } => Impulse::Message { id: *id, sending: annals.sending(*id) },
        Input::Timer { timer, set, due, waited_for } => {
            let setter = annals.setter(node, timer, place);
            let drawn = setter.and_then(|setter| annals.step(setter)).and_then(|(_, step)| {
                step.effects.iter().rev().find_map(|effect| match effect {
                    EffectText::SetTimer { timer: set, span } if **set == **timer => Some(*span),
                    _ => None,
                })
            });
            let span = drawn.unwrap_or(Span::from_nanos(due.saturating_sub(*set)));
            match waited_for.is_empty() {
                true => Impulse::Time { span, setter },
                false => Impulse::Silence { of: *waited_for, span, setter },
            }
        }
    };
    Some(Milestone { place, node, by })
}

/// The place of the cause of this step, if the way goes on there.
fn cause(annals: &Annals<'_>, of: &Milestone) -> Option<usize> {
    let setter = match &of.by {
        Impulse::Start | Impulse::Order => return None,
        Impulse::Message { sending, .. } => return *sending,
        Impulse::Silence { setter, .. } | Impulse::Time { setter, .. } => (*setter)?,
    };
    if !annals.rested_before(of.node, of.place) {
        return Some(setter);
    }
    let before = milestone(annals, setter)?;
    let goes_on = match (&of.by, &before.by) {
        (_, Impulse::Start | Impulse::Order) => {
            annals.state_before(of.node, of.place).is_none_or(|(began, _)| began <= setter)
        }
        (Impulse::Silence { of, .. }, Impulse::Silence { of: before, .. }) => !of.intersection(before).is_empty(),
        _ => false,
    };
    goes_on.then_some(setter)
}
