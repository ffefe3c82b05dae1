//! A record in words: its rows on the messages screen and in the log.
//!
//! A step gives a row for its input, one for each message that it sent, one for a call for help, and one for its state,
//! if that means something else than before. Any other record is one row, and begins with the node that it is about, if
//! it is about one.
//!
//! Invariant: the words alone say everything that a row's colour says; a kind of row has one style on every screen.

use std::sync::Arc;

use fault::FaultId;
use protocol::{Facts, GroupNumber, NodeId, Span, StateVector, Status, ToldLie};
use record::{Body, CopyFate, Death, EffectText, Input, MessageId, MessageText, Outcome, Record, Step, StepHold};

/// One row.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// The record that it was read from.
    pub record: Arc<Record>,
    /// What it is.
    pub kind: RowKind,
    /// The words, and after them the transition of the paper's table that the step cites.
    pub text: String,
    /// Where in the text that begins; at its end if the row cites none.
    pub cited_from: usize,
    /// The message whose sending it shows, if it does.
    pub sent: Option<MessageId>,
}

impl Row {
    /// A row that cites no transition.
    pub fn new(record: Arc<Record>, kind: RowKind, text: String) -> Row {
        let cited_from = text.len();
        Row { record, kind, text, cited_from, sent: None }
    }

    /// The first row of a record; of one without a row, a row that says so.
    pub fn first_of(record: &Arc<Record>, facts: Option<&Facts>) -> Row {
        rows_of(record, None, facts).into_iter().next().unwrap_or_else(|| {
            let node = record.node.map_or_else(String::new, |node| format!("{node}: "));
            Row::new(Arc::clone(record), RowKind::Timer, format!("{node}a timer ran out"))
        })
    }
}

/// The part of a state that the log shows.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
pub struct LoggedState {
    status: Status,
    coordinator: Option<NodeId>,
    group: Option<GroupNumber>,
}

impl LoggedState {
    /// What the log shows of this state.
    pub fn of(state: &StateVector) -> LoggedState {
        LoggedState { status: state.status, coordinator: state.believes_in(), group: state.group }
    }

    /// Something else than the log shows of this state.
    fn other_than(state: &StateVector) -> LoggedState {
        let status = if state.status == Status::Down { Status::Normal } else { Status::Down };
        LoggedState { status, ..LoggedState::of(state) }
    }
}

/// The rows of a record of which it is known how many they are: so that of its node's state before it nothing else is.
pub fn rows_told(record: &Arc<Record>, count: usize, facts: Option<&Facts>) -> Vec<Arc<Row>> {
    let state = record.step().and_then(|step| step.state.as_ref());
    let mut rows = rows_of(record, state.map(LoggedState::other_than), facts);
    // The state comes last, and is told if it means something else than before.
    rows.truncate(count);
    rows.into_iter().map(Arc::new).collect()
}

/// The rows of a record. `before` is what the log last showed of its node's state; `facts` cite the transitions of a
/// table.
pub fn rows_of(record: &Arc<Record>, before: Option<LoggedState>, facts: Option<&Facts>) -> Vec<Row> {
    let row = |kind, text| Row::new(Arc::clone(record), kind, text);
    let node = record.node.map_or_else(|| NOBODY.to_owned(), |node| node.to_string());
    match &record.body {
        Body::Step(step) => {
            let cited = facts.and_then(|facts| facts.cite(&step.lines));
            let with_cited = |StepWords { kind, text, sent }: StepWords| {
                let mut row = Row { sent, ..row(kind, text) };
                if let (Some(cited), RowKind::Received | RowKind::Timer | RowKind::State) = (&cited, kind) {
                    row.text.push_str("  ");
                    row.text.push_str(cited);
                }
                row
            };
            step_rows(&node, step, before).into_iter().map(with_cited).collect()
        }
        body => vec![{
            let (kind, text) = body_words(&node, body);
            row(kind, text)
        }],
    }
}

/// One row of a step, before it cites anything.
struct StepWords {
    kind: RowKind,
    text: String,
    sent: Option<MessageId>,
}

fn step_rows(node: &str, step: &Step, before: Option<LoggedState>) -> Vec<StepWords> {
    let words = |kind, text| StepWords { kind, text, sent: None };
    let mut rows = Vec::new();
    let is_told = |state: &&StateVector| match before {
        Some(before) => LoggedState::of(state) != before,
        // A process that has just started is always Down, so this is not shown.
        None => state.status != Status::Down,
    };
    let told = step.state.as_ref().filter(is_told);
    let sends = step.effects.iter().any(|effect| matches!(effect, EffectText::Send { .. }));
    match &step.input {
        Input::Start { saved } => {
            let cells = if *saved { "with what its safe cells held" } else { "with empty safe cells" };
            rows.push(words(RowKind::Process, format!("{node} begins its start {}, {cells}", step.incarnation)));
        }
        Input::Message { id, message } => {
            rows.push(words(RowKind::Received, format!("{node} <- {}  {}", sender(id), message_words(message))));
        }
        Input::Timer { timer, .. } if sends || step.state.is_some() => {
            rows.push(words(RowKind::Timer, format!("{node} time-out: {timer}")));
        }
        Input::Timer { .. } => {}
        Input::Order { order } => {
            rows.push(words(RowKind::Note, format!("{node} is ordered to {}", order.says())));
        }
    }
    let carried_out = step.effects_around_hold().0.len();
    let hold_row = |hold: &StepHold| words(RowKind::Note, format!("{node} is held here by step {}", hold.by));
    for ToldLie { lie, to, what, attacks } in &step.lies {
        let told = if to.is_empty() { String::new() } else { format!(", to {to}") };
        let attacks = attacks.map_or_else(String::new, |promise| format!("; it attacks {promise}"));
        rows.push(words(RowKind::Fault, format!("{node} lies ({lie}{told}): it {what}{attacks}")));
    }
    let mut hold = step.held.as_ref();
    for (index, effect) in step.effects.iter().enumerate() {
        if index == carried_out {
            rows.extend(hold.take().map(hold_row));
        }
        match effect {
            EffectText::Send { id, message } => {
                let to = id.to.map_or_else(|| "*".to_owned(), |to| to.to_string());
                let when = if index < carried_out { "" } else { "  (if it went on)" };
                let text = format!("{node} -> {to}  {}{when}", message_words(message));
                rows.push(StepWords { kind: RowKind::Sent, text, sent: Some(*id) });
            }
            EffectText::Help { text } => rows.push(words(RowKind::Help, format!("{node} help: {text}"))),
            EffectText::SetTimer { .. } | EffectText::CancelTimer { .. } | EffectText::Save { .. } => {}
        }
    }
    rows.extend(hold.map(hold_row));
    if let Some(text) = application::did(step) {
        rows.push(words(RowKind::Note, format!("{node} {text}")));
    }
    if let Some(state) = told {
        rows.push(words(RowKind::State, format!("{node} {}", state_words(state))));
    }
    rows
}

/// The status, and the paper's own word for it if that says more. A paper's `normal` may be what is Down here.
pub fn status_words(state: &StateVector) -> String {
    own_word(state).map_or_else(|| state.status.to_string(), |word| format!("{} {word}", state.status))
}

/// The paper's own word for the status, if it says more than that: `stop`, but neither `Normal` nor `Norm`. A bystander has
/// no paper.
pub fn own_word(state: &StateVector) -> Option<&str> {
    let status = state.status.word();
    let is_same = status.get(..state.word.len()).is_some_and(|part| part.eq_ignore_ascii_case(&state.word));
    (!is_same && !state.stands_by()).then_some(&state.word)
}

fn state_words(state: &StateVector) -> String {
    let under = state.believes_in().map_or_else(String::new, |coordinator| format!(" under {coordinator}"));
    let group = match (state.believes_in(), state.group) {
        (Some(_), Some(group)) => format!(", group {group}"),
        _ => String::new(),
    };
    format!("{}{under}{group}", status_words(state))
}

/// What a row is, for its style and for the log.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
pub enum RowKind {
    /// A message that a machine received.
    Received,
    /// A message that a machine sent.
    Sent,
    /// A datagram that was dropped, held, tampered with or refused, or could not be sent.
    Lost,
    /// A timer that made a machine do something.
    Timer,
    /// A machine's state.
    State,
    /// What a process does.
    Process,
    /// A fault line.
    Fault,
    /// An expectation that was met.
    Met,
    /// An expectation that was not met.
    Failed,
    /// A contradiction.
    Violation,
    /// A call for help.
    Help,
    /// The lab's own course, and notes.
    Note,
    /// Records or datagrams that are missing.
    Gap,
}

impl RowKind {
    /// Whether the log shows it: everything but the single messages.
    pub fn is_news(self) -> bool {
        !matches!(self, RowKind::Received | RowKind::Sent | RowKind::Lost | RowKind::Timer)
    }
}

fn held_words(span: Option<Span>, by: FaultId) -> String {
    span.map_or_else(|| format!("held by {by} until it is released"), |span| format!("held {span} by {by}"))
}

/// Stands for the node of a record that is about none.
pub const NOBODY: &str = "-";

/// What it is, and its words.
pub fn body_words(node: &str, body: &Body) -> (RowKind, String) {
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
            (RowKind::Lost, format!("{node} refused {count} datagrams: {}", reason.word()))
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
            let word = if report.is_excused() { "excused violation" } else { "violation" };
            (RowKind::Violation, format!("{word} {} of {}: {}", report.property, report.nodes, report.text))
        }
        Body::AssumptionBroken(report) => (RowKind::Fault, report.text.clone()),
        Body::Note { text } if node != NOBODY => (RowKind::Note, format!("{node}: {text}")),
        Body::Note { text } => (RowKind::Note, text.clone()),
        Body::Marker { text } => (RowKind::Note, format!("marker: {text}")),
        Body::Undecidable { why, .. } => (RowKind::Gap, format!("from here on, no verdict is certain: {why}")),
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
        Death::Signalled { signal } => {
            format!("killed by signal {signal}, which the host did not send")
        }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::stage::{given, head, sent, step};
    use crate::time::scene::Scene;
    use protocol::ListingForm;
    use record::Head;

    #[test]
    fn a_row_cites_the_transition_of_a_table_and_no_line_of_another_listing() {
        let mut head = head();
        let texts = |head: &Head, lines: &[u16]| {
            let mut record = step(1, 5, given(4, 5, "vect"), vec![sent(5, 4, "vect")], None);
            let Body::Step(step) = &mut record.body else { panic!("a step") };
            step.lines = lines.to_vec();
            let rows = Scene::new(Some(head)).fold(&Arc::new(record));
            rows.into_iter().map(|row| row.text).collect::<Vec<_>>()
        };
        let sent = "5 -> 4  vect(number=1.7)";
        assert_eq!(texts(&head, &[7]), ["5 <- 4  vect(number=1.7)", sent]);
        (head.facts.title, head.facts.listing_form) = ("King/Ni B.2".into(), ListingForm::Table);
        assert_eq!(
            texts(&head, &[7, 12]),
            ["5 <- 4  vect(number=1.7)  King/Ni B.2, transition 7, transition 12", sent]
        );
        (head.facts.listing[2].number, head.facts.listing[2].procedure) = (101, "mend of hole 1".into());
        assert_eq!(texts(&head, &[101])[0], "5 <- 4  vect(number=1.7)  King/Ni B.2, mend of hole 1");
        assert_eq!(texts(&head, &[])[0], "5 <- 4  vect(number=1.7)");
    }

    #[test]
    fn a_hold_stands_between_what_was_sent_and_what_may_have_been() {
        let sends = vec![sent(5, 4, "Ready"), sent(5, 3, "Ready")];
        for (after, expected) in [
            (
                1,
                [
                    "5 -> 4  Ready(number=1.7)",
                    "5 is held here by step ready",
                    "5 -> 3  Ready(number=1.7)  (if it went on)",
                ],
            ),
            (2, ["5 -> 4  Ready(number=1.7)", "5 -> 3  Ready(number=1.7)", "5 is held here by step ready"]),
        ] {
            let mut record = step(1, 5, given(4, 5, "ReadyAnswer"), sends.clone(), None);
            let Body::Step(held) = &mut record.body else { panic!("a step") };
            held.held = Some(StepHold { by: "ready".into(), after });
            let rows = rows_of(&Arc::new(record), None, None);
            let texts: Vec<&str> = rows.iter().skip(1).map(|row| row.text.as_str()).collect();
            assert_eq!(texts, expected);
        }
    }
}
