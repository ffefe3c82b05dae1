//! Whether each message that a machine was given is the one that was sent, or what `garble` made of it.
//!
//! Invariant: bodies are held against each other as they were recorded, at the sender's step and at the receiver's.

use std::collections::{BTreeMap, HashMap};

use super::difference::{Difference, Odd, written};
use super::whole::RecordedStep;
use crate::driver::Stamp;
use crate::protocol::NodeId;
use crate::record::{Body, EffectText, Input, MessageId, MessageText, Record};

/// The first message that reached a machine in another form than it was sent.
pub(super) fn strayed(records: &[Record]) -> Option<Box<Difference>> {
    let sent = Sent::of(records);
    let mut garbled: BTreeMap<NodeId, (MessageId, &MessageText)> = BTreeMap::new();
    for record in records {
        let Some(node) = record.node else { continue };
        match &record.body {
            // The machine gets it before anything else.
            Body::Garbled { id, became: Some(became), .. } => {
                garbled.insert(node, (*id, became));
            }
            Body::Step(step) => {
                let garbled = garbled.remove(&node);
                if let Input::Message { id, message } = &step.input
                    && let Err(odd) = sent.check(id, message, garbled)
                {
                    let (number, stamp) = (record.number, Stamp::default());
                    return Some(odd.at(node, &RecordedStep { number, stamp, step, left: None, rates: Vec::new() }));
                }
            }
            _ => {}
        }
    }
    None
}

/// What was sent, by its identity.
struct Sent<'a> {
    messages: HashMap<MessageId, &'a MessageText>,
}

impl<'a> Sent<'a> {
    /// If an altered record claims an identity for a second message, the identity stays that of the first.
    fn of(records: &'a [Record]) -> Sent<'a> {
        let mut messages = HashMap::new();
        for record in records {
            let Body::Step(step) = &record.body else { continue };
            for effect in &step.effects {
                if let EffectText::Send { id, message } = effect
                    && Some(id.from) == record.node
                {
                    messages.entry(*id).or_insert(message);
                }
            }
        }
        Sent { messages }
    }

    fn check(
        &self,
        id: &MessageId,
        given: &MessageText,
        garbled: Option<(MessageId, &MessageText)>,
    ) -> Result<(), Odd> {
        let expected = match garbled {
            Some((of, became)) if of == *id => Some(became),
            _ => self.messages.get(id).copied(),
        };
        match expected {
            Some(expected) if expected == given => Ok(()),
            Some(expected) => Err(Odd {
                part: "input.message.message".to_owned(),
                expected: written(expected).to_string(),
                found: written(given).to_string(),
            }),
            // The lab ended before its host had read the step that sent it.
            None if self.is_beyond(id) => Ok(()),
            None => Err(Odd {
                part: "input.message.id".to_owned(),
                expected: "a datagram that was sent".to_owned(),
                found: written(id).to_string(),
            }),
        }
    }

    /// Whether no later message from its sender on this way is recorded.
    fn is_beyond(&self, id: &MessageId) -> bool {
        let is_later = |sent: &MessageId| {
            (sent.from, sent.to) == (id.from, id.to)
                && (sent.incarnation, sent.sequence) > (id.incarnation, id.sequence)
        };
        !self.messages.keys().any(is_later)
    }
}
