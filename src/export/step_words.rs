//! A step of a machine in one line of words: what it was given, what it sent, to which state it came.
//!
//! Invariant: it tells the kinds and fields that the record tells, and nothing else.

use protocol::NodeSet;
use record::{EffectText, Input, MessageText, Step};
use world::flow::LaneState;

/// The step in words: `gets Halt(call=1.2) of 5; sends HaltAnswer to 5; Election`.
pub(super) fn step_words(step: &Step) -> String {
    let mut words = vec![input_words(&step.input)];
    let mut sendings: Vec<(String, NodeSet)> = Vec::new();
    for effect in &step.effects {
        let EffectText::Send { id, message } = effect else { continue };
        let to = id.to.map_or(NodeSet::EMPTY, NodeSet::of);
        let message = message_words(message);
        match sendings.iter_mut().find(|(known, others)| *known == message && !to.is_empty() && !others.is_empty()) {
            Some((_, others)) => *others = others.union(&to),
            None => sendings.push((message, to)),
        }
    }
    words.extend(sendings.iter().map(|(message, to)| match to.is_empty() {
        true => format!("sends {message} to all"),
        false => format!("sends {message} to {to}"),
    }));
    words.extend(step.effects.iter().filter_map(|effect| match effect {
        EffectText::Help { text } => Some(format!("tells the operator: {text}")),
        _ => None,
    }));
    words.extend(step.state.as_ref().map(|state| LaneState::of(state).words()));
    words.join("; ")
}

/// An input in words.
fn input_words(input: &Input) -> String {
    match input {
        Input::Start { saved: true } => "starts, with what its safe cells hold".to_owned(),
        Input::Start { saved: false } => "starts".to_owned(),
        Input::Message { id, message } => format!("gets {} of {}", message_words(message), id.from),
        Input::Timer { waited_for, .. } if !waited_for.is_empty() => format!("hears nothing from {waited_for}"),
        Input::Timer { timer, .. } => format!("wait over ({timer})"),
        Input::Order { order } => format!("is ordered to {}", order.says()),
    }
}

/// A message in words, with all its fields.
pub(super) fn message_words(message: &MessageText) -> String {
    let fields: Vec<String> = message.fields.iter().map(|(name, value)| format!("{name}={value}")).collect();
    if fields.is_empty() { message.kind.to_string() } else { format!("{}({})", message.kind, fields.join(", ")) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use protocol::{Incarnation, NodeId};
    use record::{MessageId, Words};

    #[test]
    fn messages_of_one_kind_and_content_are_one_sending() {
        let message = |kind: &'static str, fields: &[(&'static str, &str)]| {
            let fields = fields.iter().map(|(name, value)| ((*name).into(), (*value).to_owned())).collect();
            MessageText::from(Words { kind: kind.into(), fields, body: String::new() })
        };
        let node = |number| NodeId::new(number).unwrap();
        let id = |to| MessageId { from: node(5), incarnation: Incarnation(1), to, sequence: 1 };
        let send = |to, message: &MessageText| EffectText::Send { id: id(to), message: message.clone() };
        let (halt, ready) = (message("Halt", &[("call", "1.2")]), message("Ready", &[]));
        let step = Step {
            effects: vec![send(Some(node(1)), &halt), send(Some(node(2)), &halt), send(None, &ready)],
            ..Step::first(Input::Message { id: id(Some(node(1))), message: ready.clone() })
        };
        assert_eq!(step_words(&step), "gets Ready of 5; sends Halt(call=1.2) to 1,2; sends Ready to all");
    }
}
