//! Why a node that takes part does not coordinate: whose answer, or whose message, made it stand back.
//!
//! Invariant: it looks no further back than the node's last belief, so an earlier election explains nothing.

use super::reading::{heard, sent};
use super::session_past::SessionPast;
use super::words::{RecordRole, Sentence, is_same, message, turned};
use protocol::{Course, IN_NAME_OF, NodeId, StateVector};
use record::{EffectText, Input, MessageText};
use world::stamp;

/// Why the node, whose present state began at this place, did not come to coordinate.
pub(super) fn tell(session_past: &SessionPast<'_>, node: NodeId, began: usize, end: usize) -> Vec<Sentence> {
    let from = last_rest(session_past, node, began);
    let until = end.min(began + 1);
    let found = outbid(session_past, node, (from, until))
        .or_else(|| answered(session_past, node, (from, until)))
        .or_else(|| told_off(session_past, node, (from, until)))
        .or_else(|| follows_a_higher(session_past, node, began));
    found.into_iter().collect()
}

/// The place at which the node was last at rest before its present state began.
fn last_rest(session_past: &SessionPast<'_>, node: NodeId, began: usize) -> usize {
    let mut place = began;
    while let Some((before, state)) = session_past.state_before(node, place) {
        if state.course() == Course::AtRest {
            // What it asked while it still stood there belongs to its way out.
            return before;
        }
        place = before;
    }
    session_past.steps_before(node, began + 1).find(|step| is_start(session_past, *step)).unwrap_or(0)
}

fn is_start(session_past: &SessionPast<'_>, place: usize) -> bool {
    matches!(session_past.step(place), Some((_, step)) if matches!(step.input, Input::Start { .. }))
}

/// Where capacities decide: it heard of a larger one than its own.
fn outbid(session_past: &SessionPast<'_>, node: NodeId, (from, until): (usize, usize)) -> Option<Sentence> {
    let own = capacity_of(session_past.state_before(node, until)?.1)?;
    let mut best: Option<(i64, NodeId, usize)> = None;
    for place in session_past.steps_before(node, until).take_while(|place| *place > from) {
        let Some((_, step)) = session_past.step(place) else { continue };
        let Input::Message { id, message: text } = &step.input else { continue };
        let Some(other) = capacity_in(text).filter(|_| id.from != node) else { continue };
        let is_better = |best: &(i64, NodeId, usize)| {
            other > best.0 || other == best.0 && session_past.rank().outranks(id.from, best.1)
        };
        let beats_own = other > own || other == own && session_past.rank().outranks(id.from, node);
        if beats_own && best.as_ref().is_none_or(is_better) {
            best = Some((other, id.from, place));
        }
    }
    let (capacity, other, place) = best?;
    let forged = match session_past.step(place).map(|(_, step)| &step.input) {
        Some(Input::Message { message: text, .. }) => text.fields.iter().find(|(name, _)| name == IN_NAME_OF),
        _ => None,
    };
    let forged = forged.map_or_else(String::new, |(_, whose)| format!(", in the name of {whose},"));
    let words = format!(
        "Why not {node}: it stood with capacity {own}, and heard of capacity {capacity} from {other}{forged} at {}",
        stamp(session_past.at(place).at)
    );
    Some(Sentence::new(session_past, words, [place], RecordRole::Before))
}

fn capacity_of(state: &StateVector) -> Option<i64> {
    state.ballot.as_ref()?.stands_with
}

fn capacity_in(text: &MessageText) -> Option<i64> {
    text.fields.iter().find(|(name, _)| name == "capacity")?.1.parse().ok()
}

/// Asked one that outranks it, and that one answered.
fn answered(session_past: &SessionPast<'_>, node: NodeId, (from, until): (usize, usize)) -> Option<Sentence> {
    let places: Vec<usize> = session_past.steps_before(node, until).take_while(|place| *place > from).collect();
    let asks = places.iter().rev().copied().filter(|ask| {
        let of_election = |(_, step): (NodeId, &record::Step)| !matches!(step.input, Input::Message { .. });
        session_past.step(*ask).is_some_and(of_election)
    });
    let is_above = |other: NodeId| session_past.rank().outranks(other, node);
    let mut found = None;
    for ask in asks {
        let Some((_, asking)) = session_past.step(ask) else { continue };
        // To hear of its coordinator that it is there decides nothing.
        let coordinator = session_past.state_before(node, ask).and_then(|(_, state)| state.believes_in());
        for (question, asked) in sent(asking) {
            let Some(other) = question.to.filter(|to| is_above(*to) && Some(*to) != coordinator) else { continue };
            let answer = places.iter().rev().copied().find(|place| {
                let is_it =
                    *place > ask && is_answer(session_past, *place, question) && is_telling(session_past, node, *place);
                is_it && !went_on(session_past, &places, *place)
            });
            if let Some(answer) = answer {
                found = Some((ask, asked, other, answer));
            }
        }
    }
    let (ask, asked, other, answer) = found?;
    let text = match session_past.step(answer).map(|(_, step)| &step.input) {
        Some(Input::Message { message: text, .. }) => message(text),
        _ => return None,
    };
    let words = format!(
        "Why not {node}: it sent {} to {other}, and {other} answered {text} at {}: {node} stood back",
        message(asked),
        stamp(session_past.at(answer).at)
    );
    Some(Sentence::new(session_past, words, [ask, answer], RecordRole::Before))
}

/// Whether the step was given an answer to this question.
fn is_answer(session_past: &SessionPast<'_>, place: usize, question: record::MessageId) -> bool {
    let answer = session_past.step(place).and_then(|(_, step)| heard(step));
    let answering =
        answer.and_then(|answer| session_past.sending(answer)).and_then(|sending| session_past.step(sending));
    answering.is_some_and(|(_, step)| heard(step) == Some(question))
}

/// Whether the step gave something up: it stopped a timer, changed its state, or sent nothing more of its own.
fn is_telling(session_past: &SessionPast<'_>, node: NodeId, place: usize) -> bool {
    let Some((_, step)) = session_past.step(place) else { return false };
    let stops = step.effects.iter().any(|effect| matches!(effect, EffectText::CancelTimer { .. }));
    let before = session_past.state_before(node, place).map(|(_, state)| state.course());
    stops || step.state.as_ref().is_some_and(|state| Some(state.course()) != before)
}

/// Whether after this place the node sent anything that was no answer.
fn went_on(session_past: &SessionPast<'_>, places: &[usize], after: usize) -> bool {
    let goes_on = |place: &usize| {
        let Some((_, step)) = session_past.step(*place) else { return false };
        sent(step).any(|(id, _)| id.to.is_none() || heard(step).map(|heard| heard.from) != id.to)
    };
    places.iter().filter(|place| **place > after).any(goes_on)
}

/// A message of one that outranks it brought it into another state.
fn told_off(session_past: &SessionPast<'_>, node: NodeId, (from, until): (usize, usize)) -> Option<Sentence> {
    let places = session_past.steps_before(node, until).take_while(|place| *place > from);
    let turns = |place: &usize| {
        let Some((_, step)) = session_past.step(*place) else { return false };
        let Input::Message { id, message: text } = &step.input else { return false };
        if !session_past.rank().outranks(id.from, node) || is_own(session_past, node, text, *place) {
            return false;
        }
        let before = session_past.state_before(node, *place).map(|(_, state)| state);
        let yields = |state: &StateVector| state.halted_by == Some(id.from) || state.coordinator == Some(id.from);
        step.state.as_ref().is_some_and(|state| turned(before, state) && yields(state))
    };
    let place = places.filter(turns).last()?;
    let (_, step) = session_past.step(place)?;
    let Input::Message { id, message: text } = &step.input else { return None };
    let words = format!(
        "Why not {node}: {} outranks it, and its {} came at {}",
        id.from,
        message(text),
        stamp(session_past.at(place).at)
    );
    let sending = session_past.sending(*id);
    Some(Sentence::new(session_past, words, sending.into_iter().chain([place]), RecordRole::Before))
}

/// Whether the message is one that the node itself had sent, and that has come round.
fn is_own(session_past: &SessionPast<'_>, node: NodeId, text: &MessageText, before: usize) -> bool {
    let mut steps = session_past.steps_before(node, before).filter_map(|place| session_past.step(place));
    steps.any(|(_, step)| sent(step).any(|(_, sent)| is_same(sent, text)))
}

/// Follows one that outranks it.
fn follows_a_higher(session_past: &SessionPast<'_>, node: NodeId, began: usize) -> Option<Sentence> {
    let (_, state) = session_past.state_before(node, began + 1)?;
    let higher = state.believes_in().filter(|coordinator| session_past.rank().outranks(*coordinator, node))?;
    let words = format!("Why not {node}: {higher} outranks it, and took part in this election");
    Some(Sentence::new(session_past, words, [began], RecordRole::Before))
}
