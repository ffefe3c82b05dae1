//! What one record says by itself: who stopped a process, which message it is about, and what became of that.
//!
//! Invariant: nothing here looks at a second record.

use std::cell::Cell;

use fault::FaultId;
use record::{
    Body, CONTINUED_BY_SOMEBODY, CopyFate, EffectText, Input, MessageId, MessageText, Record, STOPPED_BY_SOMEBODY, Step,
};

thread_local! {
    static RECORDS_READ: Cell<u64> = const { Cell::new(0) };
}

/// How many records this thread has read so far, to index them or to answer something: the work of a question.
pub fn records_read() -> u64 {
    RECORDS_READ.get()
}

/// Counts a record that is read.
pub(super) fn count_read() {
    RECORDS_READ.set(RECORDS_READ.get() + 1);
}

/// Who stopped a process.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
pub(super) enum StoppedBy {
    /// A fault of the lab.
    Fault(FaultId),
    /// Nobody of the lab.
    Somebody,
}

/// Who stopped a process, if the record says that one was stopped.
pub(super) fn begins(body: &Body) -> Option<StoppedBy> {
    match body {
        Body::Stopped { by } => Some(StoppedBy::Fault(*by)),
        Body::Note { text } if text == STOPPED_BY_SOMEBODY => Some(StoppedBy::Somebody),
        _ => None,
    }
}

/// Whether the record says that a stopped process goes on.
pub(super) fn ends(body: &Body) -> bool {
    matches!(body, Body::Continued) || matches!(body, Body::Note { text } if text == CONTINUED_BY_SOMEBODY)
}

impl StoppedBy {
    /// The fault, if it was one.
    pub fn fault(self) -> Option<FaultId> {
        match self {
            StoppedBy::Fault(by) => Some(by),
            StoppedBy::Somebody => None,
        }
    }
}

/// The message that the step was given.
pub(super) fn heard(step: &Step) -> Option<MessageId> {
    match &step.input {
        Input::Message { id, .. } => Some(*id),
        _ => None,
    }
}

/// The messages that the step sent.
pub(super) fn sent(step: &Step) -> impl Iterator<Item = (MessageId, &MessageText)> {
    step.effects.iter().filter_map(|effect| match effect {
        EffectText::Send { id, message } => Some((*id, message)),
        _ => None,
    })
}

/// The message that the record tells about, at its receiver; a failed sending tells it at the sender.
pub(super) fn message_of(record: &Record) -> Option<MessageId> {
    match &record.body {
        Body::Step(step) => heard(step),
        Body::Dropped { id, .. }
        | Body::Held { id, .. }
        | Body::Released { id, .. }
        | Body::PutFirst { id, .. }
        | Body::Spoiled { id, .. }
        | Body::Duplicated { id, .. }
        | Body::Reordered { id, .. }
        | Body::Garbled { id, .. }
        | Body::Stale { id }
        | Body::Copy { id, .. }
        | Body::Late { id, .. }
        | Body::SendFailed { id, .. } => Some(*id),
        _ => None,
    }
}

/// What happened to which message, and by which fault, if it did not come in time because of it.
pub(super) fn loss(record: &Record) -> Option<(MessageId, Option<FaultId>, &'static str)> {
    match &record.body {
        Body::Dropped { id, by, .. } | Body::Copy { id, by, fate: CopyFate::Dropped, .. } => {
            Some((*id, Some(*by), "dropped"))
        }
        Body::Spoiled { id, by, .. } | Body::Copy { id, by, fate: CopyFate::Spoiled, .. } => {
            Some((*id, Some(*by), "spoiled"))
        }
        Body::Held { id, by, .. } | Body::Copy { id, by, fate: CopyFate::Held(_), .. } => {
            Some((*id, Some(*by), "held back"))
        }
        Body::Garbled { id, by, became: None, .. } => Some((*id, Some(*by), "garbled")),
        Body::Stale { id } => Some((*id, None, "brought out of order, and so lost,")),
        Body::Late { id, .. } => Some((*id, None, "brought too late")),
        Body::SendFailed { id, .. } => Some((*id, None, "could not send")),
        _ => None,
    }
}
