//! Whether each message that a machine was given is the one that was sent, or what `garble` made of it.
//!
//! What was sent is known by its identity and by a digest, so that a long session needs little memory.
//!
//! Invariant: bodies are held against each other as they were recorded, at the sender's step and at the receiver's.

use std::collections::HashMap;
use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;

use super::difference::StepDifference;
use protocol::{Incarnation, NodeId, NodeMap};
use record::{Body, EffectText, Input, MessageId, MessageText, Record, json_value};

/// What was sent, by its identity.
#[derive(Debug, Default)]
pub(super) struct Sent {
    digests: HashMap<MessageId, u64>,
    /// The last message of each sender on each way.
    last: HashMap<(NodeId, Option<NodeId>), (Incarnation, u64)>,
    /// The keys are drawn when this program starts: nobody can make two messages of one digest.
    digester: RandomState,
}

/// A message that a machine was given is not the one that was sent.
#[derive(Debug)]
pub(super) enum WrongMessage {
    /// Was changed on the way, and something else than it should be came of it.
    Changed(StepDifference),
    /// Another message was sent with this identity.
    Other {
        /// The identity.
        id: MessageId,
        /// What the machine was given.
        given: MessageText,
    },
}

impl Sent {
    /// Takes in what a record says was sent. If an altered record claims an identity for a second message, the identity
    /// stays that of the first.
    pub fn take(&mut self, record: &Record) {
        for (id, message) in sent_by(record) {
            let digest = self.digest(message);
            self.digests.entry(*id).or_insert(digest);
            let last = self.last.entry((id.from, id.to)).or_default();
            *last = (*last).max((id.incarnation, id.sequence));
        }
    }

    fn digest(&self, message: &MessageText) -> u64 {
        self.digester.hash_one((&*message.kind, &message.fields, &message.body))
    }

    fn check(&self, id: &MessageId, given: &MessageText) -> Result<(), WrongMessage> {
        match self.digests.get(id) {
            Some(digest) if *digest == self.digest(given) => Ok(()),
            Some(_) => Err(WrongMessage::Other { id: *id, given: given.clone() }),
            // The lab ended before its host had read the step that sent it.
            None if self.is_beyond(id) => Ok(()),
            None => Err(WrongMessage::Changed(StepDifference {
                part: "input.message.id".to_owned(),
                expected: "a datagram that was sent".to_owned(),
                found: json_value(id).to_string(),
            })),
        }
    }

    /// Whether no later message from its sender on this way is recorded.
    fn is_beyond(&self, id: &MessageId) -> bool {
        let last = self.last.get(&(id.from, id.to));
        last.is_none_or(|last| *last <= (id.incarnation, id.sequence))
    }
}

/// The messages that a record says its node sent.
pub(super) fn sent_by(record: &Record) -> impl Iterator<Item = (&MessageId, &MessageText)> {
    let effects = record.step().map(|step| &step.effects[..]).unwrap_or_default();
    effects.iter().filter_map(|effect| match effect {
        EffectText::Send { id, message } if Some(id.from) == record.node => Some((id, message)),
        _ => None,
    })
}

/// How messages come in, record by record.
#[derive(Debug, Default)]
pub(super) struct MessageTrack {
    garbled: NodeMap<(MessageId, MessageText)>,
}

impl MessageTrack {
    /// Takes the next record; an error if its machine was given another message than was sent.
    pub fn take(&mut self, record: &Record, sent: &Sent) -> Result<(), WrongMessage> {
        let Some(node) = record.node else { return Ok(()) };
        match &record.body {
            // The machine gets it before anything else.
            Body::Garbled { id, became: Some(became), .. } => {
                self.garbled.insert(node, (*id, became.clone()));
            }
            Body::Step(step) => {
                let garbled = self.garbled.remove(&node);
                let Input::Message { id, message } = &step.input else { return Ok(()) };
                return match garbled.filter(|(of, _)| of == id) {
                    Some((_, became)) if became == *message => Ok(()),
                    Some((_, became)) => Err(WrongMessage::Changed(other(&became, message))),
                    None => sent.check(id, message),
                };
            }
            _ => {}
        }
        Ok(())
    }
}

/// The machine was given another message than this.
pub(super) fn other(expected: &MessageText, given: &MessageText) -> StepDifference {
    StepDifference {
        part: "input.message.message".to_owned(),
        expected: json_value(expected).to_string(),
        found: json_value(given).to_string(),
    }
}

/// The machine was given another message than was sent, whatever that was.
pub(super) fn unlike(given: &MessageText) -> StepDifference {
    let (part, expected) = ("input.message.message".to_owned(), "the message that was sent".to_owned());
    StepDifference { part, expected, found: json_value(given).to_string() }
}
