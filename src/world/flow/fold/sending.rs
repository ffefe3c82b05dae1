//! What a step sends and why, and which causes and states are alike.
//!
//! Invariant: of a step's messages only the first one back to the sender of its input is an answer.

use super::super::reason::{Manner, StepSending};
use super::*;

impl FlowFold {
    /// What a step sends, by kinds and in order.
    pub(super) fn sendings(&self, step: &Step) -> Vec<StepSending> {
        let mut sendings: Vec<StepSending> = Vec::new();
        let given = match &step.input {
            Input::Message { id, message } => Some((id, message)),
            _ => None,
        };
        let mut asker = given.map(|(given, _)| given.from);
        for effect in step.effects_around_hold().0 {
            let EffectText::Send { id, message } = effect else { continue };
            // The first message back to the sender is the answer.
            let is_answer = asker.is_some_and(|asker| id.to == Some(asker));
            asker = asker.filter(|_| !is_answer);
            let of_unshown = given.is_some_and(|(given, message)| match self.flights.get(given) {
                Some(flight) => matches!(flight.shown, Shown::Nowhere),
                None => self.is_unshown(&message.kind),
            });
            let manner = if self.is_unshown(&message.kind) {
                Manner::Unshown
            } else if is_answer && !of_unshown && self.rules.folding == Folding::Folded {
                Manner::Answer
            } else {
                Manner::Arrow
            };
            let same = |last: &&mut StepSending| {
                let (known, text) = &last.messages[0];
                last.manner == manner
                    && manner == Manner::Arrow
                    && text.kind == message.kind
                    && known.to.is_some()
                    && last.messages.iter().all(|(known, _)| known.to != id.to)
                    && id.to.is_some()
            };
            match sendings.last_mut().filter(same) {
                Some(last) => last.messages.push((*id, message.clone())),
                None => sendings.push(StepSending { manner, messages: vec![(*id, message.clone())] }),
            }
        }
        sendings
    }

    pub(super) fn is_unshown(&self, kind: &str) -> bool {
        self.rules.hides(kind)
    }
}
