//! A record of a difference in words.
//!
//! Invariant: what a step did is told in the order in which the machine did it.

use super::super::why::message;
use protocol::{NodeSet, StateVector};
use record::{Body, EffectText, Input, MessageId, Record, Step};

/// The record in one sentence, without its full stop.
pub(super) fn words_of(record: &Record) -> String {
    let node = record.node.map_or_else(|| "the lab".to_owned(), |node| node.to_string());
    match &record.body {
        Body::Step(step) => of_step(&node, step),
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
        Body::Ended { why, .. } => format!("the lab ends: {why}"),
        Body::Unknown(_) | Body::Untold { .. } => format!("{node}: a record of an unknown kind"),
        body => format!("{node}: {}", body.kind()),
    }
}

fn of_step(node: &str, step: &Step) -> String {
    let input = match &step.input {
        Input::Start { saved: false } => format!("{node} starts"),
        Input::Start { saved: true } => format!("{node} starts again with its safe cells"),
        Input::Message { id, message: text } => format!("{node} hears {} from {}", message(text), id.from),
        Input::Timer { timer, waited_for, .. } if waited_for.is_empty() => format!("{node}'s timer {timer} runs out"),
        Input::Timer { timer, waited_for, .. } => {
            format!("{node}'s timer {timer} runs out, and {waited_for} has not answered")
        }
        Input::Order { order } => format!("{node} is ordered to {order}"),
    };
    match &did(step)[..] {
        [] => format!("{input}; {node} does nothing"),
        does => format!("{input}; {node} {}", does.join(", ")),
    }
}

/// What the machine did in this step, in order. The same message to several is told once, and so is what it did several
/// times in a row.
fn did(step: &Step) -> Vec<String> {
    let mut does: Vec<(String, usize)> = Vec::new();
    let mut effects = step.effects.iter().peekable();
    while let Some(effect) = effects.next() {
        let did = match effect {
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
        };
        match does.last_mut().filter(|(last, _)| *last == did) {
            Some((_, times)) => *times += 1,
            None => does.push((did, 1)),
        }
    }
    let told = |(did, times): (String, usize)| match times {
        1 => did,
        2 => format!("{did} (twice)"),
        times => format!("{did} ({times} times)"),
    };
    does.into_iter().map(told).chain(step.state.as_ref().map(of_state)).collect()
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

#[cfg(test)]
mod tests {
    use super::*;
    use protocol::Span;

    #[test]
    fn what_was_done_repeatedly_is_told_once() {
        let timer = |timer: &'static str, ms| EffectText::SetTimer { timer: timer.into(), span: Span::from_millis(ms) };
        let input = Input::Timer { timer: "Check".into(), set: 0, due: 200, waited_for: NodeSet::EMPTY };
        let effects = vec![timer("Check", 200), timer("Timeout", 1_000), timer("Timeout", 1_000)];
        let step = Step { effects, ..Step::first(input) };
        let told = "2's timer Check runs out; 2 sets its timer Check to 200ms, sets its timer Timeout to 1s (twice)";
        assert_eq!(of_step("2", &step), told);
    }
}
