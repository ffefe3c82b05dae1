//! What the copies send.
//!
//! Invariant: an answer names what it answers, so one that is late or doubled says nothing new.

use serde::{Deserialize, Serialize};

use protocol::{CopyVersion, Described, HeldCopy, OrderId, RefusalReason};

/// An update that a master is asked to do.
#[derive(Copy, Clone, Eq, PartialEq, Ord, PartialOrd, Hash, Debug, Serialize, Deserialize)]
pub struct CopyOrder {
    /// The update.
    pub id: OrderId,
    /// What it adds.
    pub value: i32,
}

/// What became of an order.
#[derive(Copy, Clone, Eq, PartialEq, Ord, PartialOrd, Hash, Debug, Serialize, Deserialize)]
pub enum CopyOutcome {
    /// Is done, and written with this copy.
    Done(HeldCopy),
    /// Is not done, and will not be.
    Refused(RefusalReason),
    /// Nobody knows.
    InDoubt,
}

/// A message of the copies.
#[derive(Clone, Eq, PartialEq, Ord, PartialOrd, Hash, Debug, Serialize, Deserialize)]
pub enum CopyMessage {
    /// To the master: do this.
    Ask(CopyOrder),
    /// Of the master: what became of an order.
    Outcome(OrderId, Box<CopyOutcome>),
    /// Of the master: bind yourself to this version, and send the copy.
    Read(CopyVersion),
    /// Of the master that rests: as `Read`, with the version of its last write, to one that may lack it.
    Knock(CopyVersion),
    /// To the master: the sender is bound to this version, and this is its copy.
    Copy(CopyVersion, HeldCopy),
    /// Of the master: hold this.
    Write(HeldCopy),
    /// To the master: the sender holds the write of this version.
    Wrote(CopyVersion),
    /// To the master: the sender is bound to this version, which is larger.
    Bound(CopyVersion),
}

impl Described for CopyMessage {
    fn kind(&self) -> &'static str {
        match self {
            CopyMessage::Ask(_) => "Ask",
            CopyMessage::Outcome(_, outcome) => match **outcome {
                CopyOutcome::Done(_) => "Done",
                CopyOutcome::Refused(_) => "Refused",
                CopyOutcome::InDoubt => "InDoubt",
            },
            CopyMessage::Read(_) => "Read",
            CopyMessage::Knock(_) => "Knock",
            CopyMessage::Copy(..) => "Copy",
            CopyMessage::Write(_) => "Write",
            CopyMessage::Wrote(_) => "Wrote",
            CopyMessage::Bound(_) => "Bound",
        }
    }

    fn fields(&self) -> Vec<(&'static str, String)> {
        let content = |held: &HeldCopy| {
            let of = held.version.map_or_else(|| "-".to_owned(), |version| version.to_string());
            vec![("of", of), ("count", held.count.to_string()), ("counter", held.counter.to_string())]
        };
        match self {
            CopyMessage::Ask(order) => vec![("update", order.id.to_string()), ("value", format!("{:+}", order.value))],
            CopyMessage::Outcome(id, outcome) => {
                let more = match **outcome {
                    CopyOutcome::Done(held) => content(&held),
                    CopyOutcome::Refused(why) => vec![("why", why.to_string())],
                    CopyOutcome::InDoubt => Vec::new(),
                };
                std::iter::once(("update", id.to_string())).chain(more).collect()
            }
            CopyMessage::Read(version)
            | CopyMessage::Knock(version)
            | CopyMessage::Wrote(version)
            | CopyMessage::Bound(version) => {
                vec![("version", version.to_string())]
            }
            CopyMessage::Copy(version, held) => {
                std::iter::once(("version", version.to_string())).chain(content(held)).collect()
            }
            CopyMessage::Write(held) => content(held),
        }
    }
}
