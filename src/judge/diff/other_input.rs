//! What became of one session's input in the other session.
//!
//! Invariant: a fate is told with the number of the record that it rests on; where records are missing, nothing is told
//! not to have happened.

use std::ops::ControlFlow;

use protocol::NodeId;
use record::{Body, EffectText, Input, MessageId, Record, Session, SessionEntry, SessionError, TimerName};
use world::stamp;

/// An input that may come elsewhere too.
#[derive(Clone, Debug)]
pub(super) enum AwaitedInput {
    Message(MessageId),
    /// A timer's end.
    Timer(TimerName),
}

/// What may have happened in a session that its records do not show.
#[derive(Copy, Clone, Debug)]
pub(super) enum MissingPart {
    /// Nothing: it is whole.
    Nothing,
    /// Everything after this record, with which it stops.
    After(u64),
    /// What the records would tell that are missing within it.
    Within,
}

impl AwaitedInput {
    /// The input of this record, if it is one.
    pub fn of(record: &Record) -> Option<AwaitedInput> {
        match &record.step()?.input {
            Input::Message { id, .. } => Some(AwaitedInput::Message(*id)),
            Input::Timer { timer, .. } => Some(AwaitedInput::Timer(timer.clone())),
            Input::Start { .. } | Input::Order { .. } => None,
        }
    }

    /// What became of it at this node in this session, from this place among its records on: a sentence.
    pub fn told(
        &self,
        (name, session): (&str, &dyn Session),
        node: NodeId,
        from: u64,
        untold: MissingPart,
    ) -> Result<String, SessionError> {
        let mut sent = None;
        let mut end = None;
        let mut place = 0;
        session.go_through(&mut |entry| {
            let SessionEntry::Record(record) = entry else { return ControlFlow::Continue(()) };
            place += 1;
            if self.is_sent_by(&record) {
                sent = Some(cited(&record));
            }
            let is_late = place > from;
            if end.is_none() && record.node == Some(node) {
                end = self.end_in(&record, is_late);
            }
            if end.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        })?;
        Ok(match (self, end, sent) {
            (AwaitedInput::Message(id), Some(end), _) => format!("In {name} that message of {} {end}.", id.from),
            (AwaitedInput::Message(id), None, Some(sent)) => {
                let sent = format!("In {name} {} sends that message too ({sent})", id.from);
                match untold {
                    MissingPart::Nothing => format!("{sent}, but it does not come to {node}."),
                    untold => format!("{sent}; {}, so nobody knows whether it comes to {node}.", untold.told(name)),
                }
            }
            (AwaitedInput::Message(id), None, None) => {
                untold.qualified(name, &format!("{} does not send that message", id.from))
            }
            (AwaitedInput::Timer(_), Some(end), _) => format!("In {name} that timer {end}."),
            (AwaitedInput::Timer(timer), None, _) => {
                untold.qualified(name, &format!("{node}'s timer {timer} does not run out after that"))
            }
        })
    }

    fn is_sent_by(&self, record: &Record) -> bool {
        let AwaitedInput::Message(wanted) = self else { return false };
        let effects = record.step().map_or(&[][..], |step| &step.effects);
        effects.iter().any(|effect| matches!(effect, EffectText::Send { id, .. } if id == wanted))
    }

    fn end_in(&self, record: &Record, is_late: bool) -> Option<String> {
        let cited = || cited(record);
        match (self, &record.body) {
            (AwaitedInput::Message(wanted), Body::Step(step)) => match &step.input {
                Input::Message { id, .. } if id == wanted && is_late => Some(format!("comes later ({})", cited())),
                Input::Message { id, .. } if id == wanted => Some(format!("has come before ({})", cited())),
                _ => None,
            },
            (AwaitedInput::Timer(wanted), Body::Step(step)) if is_late => match &step.input {
                Input::Timer { timer, .. } if timer == wanted => Some(format!("runs out later ({})", cited())),
                _ if step
                    .effects
                    .iter()
                    .any(|effect| matches!(effect, EffectText::CancelTimer { timer } if timer == wanted)) =>
                {
                    Some(format!("is stopped before it runs out ({})", cited()))
                }
                _ => None,
            },
            (AwaitedInput::Message(wanted), Body::Dropped { id, by, .. } | Body::Spoiled { id, by, .. })
                if id == wanted =>
            {
                Some(format!("is lost by {by} ({})", cited()))
            }
            (AwaitedInput::Message(wanted), Body::Late { id, .. }) if id == wanted => {
                Some(format!("comes too late and is discarded ({})", cited()))
            }
            (AwaitedInput::Message(wanted), Body::Stale { id }) if id == wanted => {
                Some(format!("is dropped, because a younger one came before ({})", cited()))
            }
            _ => None,
        }
    }
}

impl MissingPart {
    /// What is missing of this session, as a part of a sentence.
    fn told(self, name: &str) -> String {
        match self {
            MissingPart::Nothing => format!("{name} is whole"),
            MissingPart::After(last) => format!("{name} stops after record {last}"),
            MissingPart::Within => format!("records of {name} are missing"),
        }
    }

    /// The sentence that this does not happen in this session, as far as it tells.
    fn qualified(self, name: &str, what: &str) -> String {
        match self {
            MissingPart::Nothing => format!("In {name} {what}."),
            untold => format!("In {name} {what}, as far as it tells: {}.", untold.told(name)),
        }
    }
}

fn cited(record: &Record) -> String {
    format!("record {}, {}", record.number, stamp(record.at))
}
