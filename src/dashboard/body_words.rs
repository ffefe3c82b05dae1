//! A record that is no step, in words.
//!
//! Invariant: it is one row, and begins with the node that it is about, if it is about one.

use super::row_kind::RowKind;
use fault::FaultId;
use protocol::Span;
use record::{Body, CopyFate, Death, MessageId, MessageText, Outcome};

fn held_words(span: Option<Span>, by: FaultId) -> String {
    span.map_or_else(|| format!("held by {by} until it is released"), |span| format!("held {span} by {by}"))
}

/// Stands for the node of a record that is about none.
pub const NOBODY: &str = "-";

/// What it is, and its words.
pub fn words(node: &str, body: &Body) -> (RowKind, String) {
    let read = |message: &Option<MessageText>| message.as_ref().map_or_else(|| "a datagram".to_owned(), message_words);
    match body {
        Body::Began => (RowKind::Note, "the lab begins".into()),
        Body::Step(_) => (RowKind::Note, format!("{node} takes a step")),
        Body::Dropped { id, by, message } => {
            (RowKind::Lost, format!("{node} x- {}  {} dropped by {by}", sender(id), read(message)))
        }
        Body::Held { id, by, span, message } => {
            (RowKind::Lost, format!("{node} .. {}  {} {}", sender(id), read(message), held_words(*span, *by)))
        }
        Body::Released { id, by } => {
            (RowKind::Lost, format!("{node} .- {}  number {} is released by {by}", sender(id), id.sequence))
        }
        Body::PutFirst { id, by, .. } => {
            (RowKind::Lost, format!("{node} .^ {}  {by} puts number {} first", sender(id), id.sequence))
        }
        Body::Spoiled { id, by, message } => {
            let why = "spoiled: its tag was wrong, dropped";
            (RowKind::Lost, format!("{node} x- {}  {} {why} ({by})", sender(id), read(message)))
        }
        Body::Copy { id, through, by, fate } => {
            let relayed = if id.from == *through { String::new() } else { format!(" relayed by {through}") };
            let did = match fate {
                CopyFate::Dropped => format!("dropped by {by}"),
                CopyFate::Spoiled => format!("spoiled: its tag was wrong, dropped ({by})"),
                CopyFate::Held(span) => held_words(*span, *by),
                CopyFate::Released => format!("released by {by}"),
            };
            (RowKind::Lost, format!("{node} x- {}  number {}{relayed}: this copy {did}", sender(id), id.sequence))
        }
        Body::Late { id, span, message } => {
            let why = "too late for the ordered broadcast, discarded";
            (
                RowKind::Lost,
                format!("{node} x- {}  {} {why}: {span} after its delivery time", sender(id), read(message)),
            )
        }
        Body::Duplicated { id, by } => {
            (RowKind::Lost, format!("{node} =- {}  number {} is delivered twice by {by}", sender(id), id.sequence))
        }
        Body::Reordered { id, by } => {
            (RowKind::Lost, format!("{node} ~- {}  number {} was overtaken by {by}", sender(id), id.sequence))
        }
        Body::Garbled { id, by, was, became } => {
            let became = became.as_ref().map_or_else(|| "unreadable bytes, dropped".to_owned(), message_words);
            (RowKind::Lost, format!("{node} ?- {}  {} garbled by {by} into {became}", sender(id), message_words(was)))
        }
        Body::Stale { id } => {
            let why = "dropped by the order filter: a newer one had been delivered";
            (RowKind::Lost, format!("{node} x- {}  number {} {why}", sender(id), id.sequence))
        }
        Body::Refused { reason, count } => {
            (RowKind::Lost, format!("{node} refused {count} datagrams: {}", reason.name()))
        }
        Body::Overflowed { count } => {
            (RowKind::Gap, format!("{node} lost {count} datagrams: its receive buffer was full"))
        }
        Body::SendFailed { id, error } => {
            let to = id.to.map_or_else(|| "*".to_owned(), |to| to.to_string());
            (RowKind::Lost, format!("{node} -> {to}  number {} could not be sent: {error}", id.sequence))
        }
        Body::Spawned { pid } => (RowKind::Process, format!("{node} has a new process, pid {pid}")),
        Body::CellsLost { by, left, .. } => {
            let left = if left.is_none() { "empty" } else { "as they were before its last save" };
            (RowKind::Process, format!("{node} finds its safe cells {left}, by {by}"))
        }
        Body::CellsChanged { left } => {
            let left = if left.is_none() { "gone" } else { "changed" };
            (RowKind::Process, format!("{node} finds its safe cells {left}, and no fault did that"))
        }
        Body::Ready { incarnation } => (RowKind::Process, format!("{node} is ready for its start {incarnation}")),
        Body::Died { death } => (RowKind::Process, format!("{node} is dead: {}", death_words(death))),
        Body::Stopped { by } => (RowKind::Process, format!("{node} is paused by {by}")),
        Body::Continued => (RowKind::Process, format!("{node} goes on")),
        Body::ClockSet { clock: Some(clock) } => {
            (RowKind::Process, format!("{node}'s clock runs at {} by {}", clock.rate, clock.by))
        }
        Body::ClockSet { clock: None } => (RowKind::Process, format!("{node}'s clock runs at the lab's rate again")),
        Body::SpeedSet { speed, by } => (RowKind::Note, format!("from here on lab time runs at {speed}, by {by}")),
        Body::Panicked { message } => (RowKind::Failed, format!("{node} panicked: {message}")),
        Body::FaultOrdered { id, line, step, .. } => {
            let who = step.as_ref().map_or_else(|| "by hand".to_owned(), |step| format!("by step {step}"));
            (RowKind::Fault, format!("{id} {line}: ordered {who}"))
        }
        Body::FaultInForce { id } => (RowKind::Fault, format!("{id} in force")),
        Body::FaultNotInForce { id, why } => (RowKind::Fault, format!("{id} not in force: {why}")),
        Body::FaultLifted { id } => (RowKind::Fault, format!("{id} is over")),
        Body::StepTaken { step } => (RowKind::Note, format!("step {step} is taken")),
        Body::Verdict { outcome, text, .. } => {
            let kind = if *outcome == Outcome::Met { RowKind::Met } else { RowKind::Failed };
            (kind, text.clone())
        }
        Body::Violation(report) => {
            let word = if report.because.is_some() { "excused violation" } else { "violation" };
            (RowKind::Violation, format!("{word} {} of {}: {}", report.property, report.nodes, report.text))
        }
        Body::AssumptionBroken(report) => (RowKind::Fault, report.text.clone()),
        Body::Note { text } if node != NOBODY => (RowKind::Note, format!("{node}: {text}")),
        Body::Note { text } => (RowKind::Note, text.clone()),
        Body::Marker { text } => (RowKind::Note, format!("marker: {text}")),
        Body::Undecidable { why } => (RowKind::Gap, format!("from here on, no verdict is certain: {why}")),
        Body::Gap(missed) => {
            (RowKind::Gap, format!("{} records are missing here, lost {}", missed.count, missed.place))
        }
        Body::RecordingSuspended { why } => {
            (RowKind::Gap, format!("recording is suspended: {why}; the lab and this screen go on"))
        }
        Body::RecordingResumed { count } => {
            (RowKind::Gap, format!("recording has resumed; {count} records are missing in the session file"))
        }
        Body::Ended { why, .. } => (RowKind::Note, format!("the lab ends: {why}")),
        Body::Unknown(map) => {
            let kind = map.get("kind").and_then(serde_json::Value::as_str).unwrap_or("?");
            (RowKind::Note, format!("{node} {kind} (a kind of record that this build does not know)"))
        }
        Body::Untold { until, .. } => {
            (RowKind::Note, format!("records of kinds that this build does not know, up to number {until}"))
        }
    }
}

/// How a process ended.
pub fn death_words(death: &Death) -> String {
    match death {
        Death::Killed { by } => format!("killed by {by}"),
        Death::Exited { code } => format!("it exited by itself with code {code}"),
        Death::Signalled { signal } => format!("killed by signal {signal}, which the host did not send"),
    }
}

/// The sender of a message; a multicast is marked.
pub fn sender(id: &MessageId) -> String {
    match id.to {
        Some(_) => id.from.to_string(),
        None => format!("{}*", id.from),
    }
}

/// A message: its kind and its fields.
pub fn message_words(message: &MessageText) -> String {
    let fields: Vec<String> = message.fields.iter().map(|(name, value)| format!("{name}={value}")).collect();
    format!("{}({})", message.kind, fields.join(", "))
}
