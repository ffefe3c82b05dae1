//! Messages that did not come in time, by what happened to them.
//!
//! Invariant: what one fault did to messages alike is one sentence.

use super::reading::loss;
use super::session_past::SessionPast;
use super::words::{RecordRole, Sentence};
use fault::FaultId;
use protocol::{NodeId, NodeSet};
use record::{MessageId, Record};

/// Messages that did not come in time.
#[derive(Default)]
pub(super) struct LostMessages(Vec<LostMessage>);

/// One of them.
struct LostMessage {
    /// Where its loss is on record.
    place: usize,
    id: MessageId,
    receiver: NodeId,
    /// The fault; absent if this computer did it.
    by: Option<FaultId>,
    /// What was done to it.
    what: &'static str,
}

impl LostMessages {
    /// Takes in what the record at this place says of a message of such a sender; returns whether it says anything.
    pub fn take(&mut self, place: usize, record: &Record, is_sender: impl Fn(NodeId) -> bool) -> bool {
        let Some((receiver, (id, by, what))) = record.node.zip(loss(record)) else { return false };
        if !is_sender(id.from) {
            return false;
        }
        self.0.push(LostMessage { place, id, receiver, by, what });
        true
    }

    /// The sentences about them.
    pub fn told(mut self, session_past: &SessionPast<'_>) -> Vec<Sentence> {
        self.0.sort_by_key(|lost| (lost.by, lost.what));
        let alike = self.0.chunk_by(|one, other| (one.by, one.what) == (other.by, other.what));
        alike.map(|lost| tell(session_past, lost)).collect()
    }
}

/// Messages to which the same happened.
fn tell(session_past: &SessionPast<'_>, lost: &[LostMessage]) -> Sentence {
    let (by, what) = (lost[0].by, lost[0].what);
    let from: NodeSet = lost.iter().map(|lost| lost.id.from).collect();
    let to: NodeSet = lost.iter().map(|lost| lost.receiver).collect();
    let mut kinds: Vec<String> = lost.iter().filter_map(|lost| kind_of(session_past, lost.id)).collect();
    kinds.sort_unstable();
    kinds.dedup();
    let messages = match (lost.len(), &kinds[..]) {
        (1, [kind]) => kind.clone(),
        (1, _) => "a message".to_owned(),
        (count, [kind]) => format!("{kind}, {count} times,"),
        (count, [_, _]) => format!("{count} messages ({})", kinds.join(", ")),
        (count, _) => format!("{count} messages"),
    };
    let line = by.and_then(|by| session_past.fault(by)).map_or_else(String::new, |(_, line)| format!(" ({line})"));
    let who = by.map_or_else(|| "This computer".to_owned(), |by| by.to_string());
    let way = match from == to {
        true => format!("between {from}"),
        // Several processes that are receivers too.
        false if from.len() > 1 && from.minus(&to).is_empty() => format!("among {to}"),
        false => format!("from {from} to {to}"),
    };
    let words = format!("{who}{line} {what} {messages} {way}");
    Sentence::new(session_past, words, lost.iter().map(|lost| lost.place), RecordRole::Silence).about(by)
}

/// The kind of the message as it was sent.
pub(super) fn kind_of(session_past: &SessionPast<'_>, id: MessageId) -> Option<String> {
    let sent = session_past.sending(id).and_then(|sending| session_past.sent_at(sending, id))?;
    Some(sent.kind.to_string())
}
