//! A record of a difference in words.
//!
//! Invariant: what a step did is told in the order in which the machine did it.

use super::super::why::message;
use crate::protocol::{NodeSet, StateVector};
use crate::record::{Body, EffectText, Input, MessageId, Record, Step};

/// The record in one sentence, without its full stop.
pub(super) fn words_of(record: &Record) -> String {
    let node = record.node.map_or_else(|| "the lab".to_owned(), |node| node.to_string());
    match &record.body {
        Body::Step(step) => format!("{node} {}", of_step(step)),
        Body::Began => "the lab begins".to_owned(),
        Body::Spawned { .. } => format!("{node} has a new process"),
        Body::Ready { incarnation } => format!("{node} is ready for its start {incarnation}"),
        Body::Died { .. } => format!("{node}'s process dies"),
        Body::Stopped { by } => format!("{by} pauses {node}"),
        Body::Continued => format!("{node} goes on"),
        Body::Dropped { id, by, .. } => format!("{by} drops message {} of {} at {node}", id.sequence, id.from),
        Body::Held { id, by, .. } => format!("{by} holds back message {} of {} at {node}", id.sequence, id.from),
        Body::Late { id, .. } => {
            format!("{node} discards broadcast {} of {}, which comes too late", id.sequence, id.from)
        }
        Body::Stale { id } => format!("{node} drops message {} of {}: a younger one came before", id.sequence, id.from),
        Body::FaultOrdered { id, line, step: Some(step), .. } => format!("step {step} orders {id}, {line}"),
        Body::FaultOrdered { id, line, step: None, .. } => format!("a person orders {id}, {line}"),
        Body::FaultNotInForce { id, why } => format!("{id} does not come into force: {why}"),
        Body::FaultLifted { id } => format!("{id} is over"),
        Body::StepTaken { step } => format!("step {step} is taken"),
        Body::Verdict { text, .. } => format!("a verdict: {text}"),
        Body::Violation(report) => format!("a violation: {}", report.text),
        Body::AssumptionBroken(report) => format!("an assumption is broken: {}", report.text),
        Body::Ended { why } => format!("the lab ends: {why}"),
        body => {
            let kind = serde_json::to_value(body).ok().and_then(|body| Some(body.get("kind")?.as_str()?.to_owned()));
            format!("{node}: {}", kind.unwrap_or_else(|| "a record of an unknown kind".to_owned()))
        }
    }
}

fn of_step(step: &Step) -> String {
    let input = match &step.input {
        Input::Start { saved: false } => "starts".to_owned(),
        Input::Start { saved: true } => "starts again with its safe cells".to_owned(),
        Input::Message { id, message: text } => format!("hears {} from {}", message(text), id.from),
        Input::Timer { timer, waited_for, .. } if waited_for.is_empty() => format!("finds its timer {timer} run out"),
        Input::Timer { timer, waited_for, .. } => format!("finds its timer {timer} run out, waiting for {waited_for}"),
        Input::Order { order } => format!("is ordered to {order}"),
    };
    let does = did(step);
    if does.is_empty() { format!("{input}, and does nothing") } else { format!("{input}; it {}", does.join(", ")) }
}

/// What the machine did in this step, in order; the same message to several is told once.
fn did(step: &Step) -> Vec<String> {
    let mut does: Vec<String> = Vec::new();
    let mut effects = step.effects.iter().peekable();
    while let Some(effect) = effects.next() {
        does.push(match effect {
            EffectText::Send { id: MessageId { to: Some(first), .. }, message: text } => {
                let mut to = NodeSet::of(*first);
                while let Some(EffectText::Send { id: MessageId { to: Some(next), .. }, message: other }) =
                    effects.peek()
                    && text == other
                {
                    to.insert(*next);
                    effects.next();
                }
                format!("sends {} to {to}", message(text))
            }
            effect => of_effect(effect),
        });
    }
    does.extend(step.state.as_ref().map(of_state));
    does
}

/// One effect.
pub(super) fn of_effect(effect: &EffectText) -> String {
    match effect {
        EffectText::Send { id: MessageId { to: None, .. }, message: text } => format!("broadcasts {}", message(text)),
        EffectText::Send { id: MessageId { to: Some(to), .. }, message: text } => {
            format!("sends {} to {to}", message(text))
        }
        EffectText::SetTimer { timer, span } => format!("sets its timer {timer} to {span}"),
        EffectText::CancelTimer { timer } => format!("stops its timer {timer}"),
        EffectText::Save { .. } => "saves its cells".to_owned(),
        EffectText::Help { text } => format!("asks for help: {text}"),
    }
}

/// The status and the coordinator of a state.
pub(super) fn of_state(state: &StateVector) -> String {
    let under = state.believes_in().map_or_else(String::new, |node| format!(" under {node}"));
    format!("is in {}{under}", state.word)
}
