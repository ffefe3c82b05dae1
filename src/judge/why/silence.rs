//! Why a node was silent: dead, paused or slow, or it played dead, or lied; or what was said was dropped, held back, or came too late.
//!
//! Invariant: no record after the time-out is cited, and nothing is told as a cause: these records stand beside the
//! time-out, and only the rerun of the lab without a fault can tell whether it was needed.

use super::lies;
use super::losses::{LostMessages, kind_of};
use super::reading::{begins, heard, sent};
use super::session_past::SessionPast;
use super::stillness::{of_pause, stopped};
use super::words::{RecordRole, Sentence, message};
use fault::{FaultLine, ProcessFault};
use protocol::{NodeId, NodeSet};
use record::{Body, Death, Input, MessageId, Step};
use world::stamp;

/// What is known of the silence of these nodes towards another, which waited from one place to the other.
pub(super) fn reasons(
    session_past: &SessionPast<'_>,
    node: NodeId,
    of: NodeSet,
    (from, to): (usize, usize),
) -> Vec<Sentence> {
    let mut reasons = Vec::new();
    let mut lost = LostMessages::default();
    let mut unexplained = NodeSet::EMPTY;
    for silent in of.iter() {
        let life = of_process(session_past, silent, to);
        let is_up = life.is_none();
        let (mut known, pace) = (Vec::from_iter(life), of_pace(session_past, silent, to));
        if is_up {
            known.extend(of_playing_dead(session_past, node, silent, to));
            known.extend(lies::kept_back(session_past, node, |liar| liar == silent, (from, to)));
            // A liar that asks nothing hears nothing.
            known.extend(lies::kept_back(session_past, silent, |liar| liar == node, (from, to)));
        }
        let has_losses = is_up && lose(session_past, (node, silent), (from, to), &mut lost);
        if known.is_empty() && !has_losses && pace.is_none() {
            unexplained.insert(silent);
        }
        reasons.extend(known);
        let pace = pace.filter(|pace| !names(&reasons, pace));
        reasons.extend(pace);
    }
    reasons.extend(of_pace(session_past, node, to).filter(|_| reasons.is_empty()));
    reasons.extend(lost.told(session_past));
    reasons.extend(unexplained.iter().filter_map(|silent| of_answer(session_past, node, silent, (from, to))));
    reasons
}

/// The death or the pause of its process, if it does not run.
pub(super) fn of_process(session_past: &SessionPast<'_>, node: NodeId, before: usize) -> Option<Sentence> {
    let life = session_past.latest_life(node, before)?;
    let record = session_past.at(life);
    let at = stamp(record.at);
    let (words, by) = match &record.body {
        Body::Died { death: Death::Killed { by } } => (format!("{by} crashed {node} at {at}"), Some(*by)),
        Body::Died { death: Death::Exited { code } } => {
            (format!("{node} exited by itself at {at}, with code {code}"), None)
        }
        Body::Died { death: Death::Signalled { signal } } => {
            (format!("A signal that the lab did not send, {signal}, ended {node} at {at}"), None)
        }
        Body::Spawned { .. } if !has_stepped(session_past, node, life, before) => {
            (format!("{node} had a new process since {at}, which had not taken a step yet"), None)
        }
        body => {
            let by = begins(body)?;
            (format!("{} {node} at {at}", stopped(session_past, by)), by.fault())
        }
    };
    Some(Sentence::new(session_past, words, [life], RecordRole::Silence).about(by))
}

/// What is not on record of the state of the node that began at the first place, as it is told at the second.
pub(super) fn unrecorded(
    session_past: &SessionPast<'_>,
    node: NodeId,
    (began, end): (usize, usize),
) -> Option<Sentence> {
    let hole = session_past.hole_before(end.checked_sub(1)?)?;
    let after = stamp(session_past.at(hole).at);
    if began < hole {
        let before = stamp(session_past.at(hole - 1).at);
        let words = format!("Records are missing between {before} and {after}: nobody knows what {node} did then");
        return Some(Sentence::new(session_past, words, [hole - 1, hole], RecordRole::Beside));
    }
    let is_first = session_past.steps_before(node, began).next().is_none_or(|step| step < hole);
    let is_start = matches!(session_past.step(began), Some((_, step)) if matches!(step.input, Input::Start { .. }));
    let words = format!("Records are missing before {after}: {node} may have been so for longer");
    (is_first && !is_start).then(|| Sentence::new(session_past, words, [hole], RecordRole::Beside))
}

/// Whether these sentences name the faults of that one.
fn names(sentences: &[Sentence], one: &Sentence) -> bool {
    one.faults.iter().all(|fault| sentences.iter().any(|sentence| sentence.faults.contains(fault)))
}

fn has_stepped(session_past: &SessionPast<'_>, node: NodeId, from: usize, to: usize) -> bool {
    session_past.steps_before(node, to).next().is_some_and(|step| step > from)
}

/// What happened to messages on their way to the node between these places, and what liars kept from it.
pub(super) fn losses_to(session_past: &SessionPast<'_>, node: NodeId, (from, to): (usize, usize)) -> Vec<Sentence> {
    let mut lost = LostMessages::default();
    for (place, record) in session_past.losses_between([node], (from, to)) {
        lost.take(place, record, |_| true);
    }
    let mut told = lost.told(session_past);
    told.extend(lies::kept_back(session_past, node, |_| true, (from, to)));
    told
}

/// Collects what happened to messages between the two; returns whether anything did.
fn lose(
    session_past: &SessionPast<'_>,
    (one, other): (NodeId, NodeId),
    (from, to): (usize, usize),
    lost: &mut LostMessages,
) -> bool {
    let mut has_any = false;
    for (place, record) in session_past.losses_between([one, other], (from, to)) {
        let sender = if record.node == Some(one) { other } else { one };
        has_any |= lost.take(place, record, |from| from == sender);
    }
    has_any
}

/// What happened to the message on its way to the receiver, which got it all the same, before this place.
pub(super) fn on_its_way(
    session_past: &SessionPast<'_>,
    id: MessageId,
    receiver: NodeId,
    before: usize,
) -> Vec<Sentence> {
    let pause = session_past.sending(id).and_then(|sending| of_pause(session_past, receiver, (sending, before)));
    let ends = session_past.ends_of(id, receiver).filter(|end| *end < before);
    let told = ends.filter_map(|end| {
        let kind = kind_of(session_past, id).unwrap_or_else(|| "a message".to_owned());
        let (by, words) = match &session_past.at(end).body {
            Body::Held { by, .. } => (*by, format!("held back {kind} from {} to {receiver}", id.from)),
            Body::Garbled { by, became: Some(became), .. } => {
                (*by, format!("garbled {kind} from {} to {receiver} into {}", id.from, message(became)))
            }
            Body::Duplicated { by, .. } => (*by, format!("doubled {kind} from {} to {receiver}", id.from)),
            Body::Reordered { by, .. } => {
                (*by, format!("let another message overtake {kind} from {} to {receiver}", id.from))
            }
            _ => return None,
        };
        let line = session_past.fault(by).map_or_else(String::new, |(_, line)| format!(" ({line})"));
        let at = stamp(session_past.at(end).at);
        Some(Sentence::new(session_past, format!("{by}{line} {words} at {at}"), [end], RecordRole::Before).about([by]))
    });
    told.chain(pause).collect()
}

/// The fault by which the process was slow, or its timers ran by another clock.
fn of_pace(session_past: &SessionPast<'_>, node: NodeId, before: usize) -> Option<Sentence> {
    let mut faults = session_past.faults_before(before).filter(|(id, ..)| !session_past.is_lifted(*id, before));
    let (id, order, line, _) = faults.find(|(_, _, line, nodes)| {
        let is_of_pace = matches!(line, FaultLine::Process(ProcessFault::Slow(_) | ProcessFault::Clock(_), _));
        is_of_pace && nodes.contains(node)
    })?;
    let words = format!("{id} ({line}) was in force from {}", stamp(session_past.at(order).at));
    Some(Sentence::new(session_past, words, [order], RecordRole::Silence).about([id]))
}

/// The step since which the silent one plays dead to all that it outranks, the node among them, if its algorithm does so.
fn of_playing_dead(session_past: &SessionPast<'_>, node: NodeId, silent: NodeId, before: usize) -> Option<Sentence> {
    let lines = session_past.plays_dead().filter(|_| session_past.rank().outranks(silent, node))?;
    let since = session_past.whole_since(before);
    let mut steps = session_past.steps_before(silent, before).take_while(|place| *place >= since);
    let turns = |step: &Step| step.lines.iter().any(|line| [lines.from, lines.until].contains(line));
    let (place, step) =
        steps.find_map(|place| Some((place, session_past.step(place)?.1)).filter(|(_, step)| turns(step)))?;
    let Input::Message { id, message: text } = &step.input else { return None };
    let words = format!(
        "{silent} obeyed {} of {} at {}, and played dead to {node} from then on, as to all that it outranks",
        text.kind,
        id.from,
        stamp(session_past.at(place).at)
    );
    step.lines.contains(&lines.from).then(|| Sentence::new(session_past, words, [place], RecordRole::Silence))
}

/// How far a question and its answer had come, where nothing is known to have happened to them.
fn of_answer(
    session_past: &SessionPast<'_>,
    node: NodeId,
    silent: NodeId,
    (from, to): (usize, usize),
) -> Option<Sentence> {
    let (_, asked) = session_past.step(from)?;
    // What it sent to a node that had just spoken asked for nothing.
    let is_answer = heard(asked).is_some_and(|id| id.from == silent);
    let to_silent = |(id, _): &(MessageId, _)| id.to.is_none_or(|to| to == silent) && !is_answer;
    let Some((question, text)) = sent(asked).find(to_silent) else {
        let words =
            format!("Nothing is known to have kept {silent} from speaking: it sent {node} nothing in that time");
        return has_sent(session_past, silent, node, (from, to))
            .is_none()
            .then(|| Sentence::new(session_past, words, [], RecordRole::Silence));
    };
    let got = session_past.ends_of(question, silent).find(|end| *end < to && session_past.at(*end).step().is_some());
    let (words, places) = match got {
        None => (format!("{} of {node} had not come to {silent} by then", text.kind), vec![from]),
        Some(got) => match session_past.step(got).map(|(_, step)| sent(step).any(|(id, _)| id.to == Some(node))) {
            Some(true) => (format!("{silent} had answered {}, but the answer was on its way", text.kind), vec![got]),
            _ => (format!("{silent} got {} and did not answer", text.kind), vec![got]),
        },
    };
    Some(Sentence::new(session_past, words, places, RecordRole::Silence))
}

/// Whether one has sent anything to the other between these places, and where.
fn has_sent(session_past: &SessionPast<'_>, by: NodeId, to: NodeId, (from, end): (usize, usize)) -> Option<usize> {
    session_past.steps_before(by, end).take_while(|step| *step > from).find(|step| {
        session_past.step(*step).is_some_and(|(_, step)| sent(step).any(|(id, _)| id.to.is_none_or(|of| of == to)))
    })
}
