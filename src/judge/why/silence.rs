//! Why a node was silent: dead, paused or slow, or it played dead, or lied; or what was said was dropped, held back, or came too late.
//!
//! Invariant: no record after the time-out is cited, and nothing is told as a cause: these records stand beside the
//! time-out, and only the rerun of the lab without a fault can tell whether it was needed.

use super::annals::Annals;
use super::lies;
use super::losses::{LostMessages, kind_of};
use super::reading::{begins, heard, sent};
use super::stillness::{of_pause, stopped};
use super::words::{Bond, Sentence, message};
use fault::{FaultLine, ProcessFault};
use protocol::{NodeId, NodeSet};
use record::{Body, Death, Input, MessageId, Step};
use world::stamp;

/// What is known of the silence of these nodes towards another, which waited from one place to the other.
pub(super) fn reasons(annals: &Annals<'_>, node: NodeId, of: NodeSet, (from, to): (usize, usize)) -> Vec<Sentence> {
    let mut reasons = Vec::new();
    let mut lost = LostMessages::default();
    let mut unexplained = NodeSet::EMPTY;
    for silent in of.iter() {
        let life = of_process(annals, silent, to);
        let is_up = life.is_none();
        let (mut known, pace) = (Vec::from_iter(life), of_pace(annals, silent, to));
        if is_up {
            known.extend(of_playing_dead(annals, node, silent, to));
            known.extend(lies::kept_back(annals, node, |liar| liar == silent, (from, to)));
            // A liar that asks nothing hears nothing.
            known.extend(lies::kept_back(annals, silent, |liar| liar == node, (from, to)));
        }
        let has_losses = is_up && lose(annals, (node, silent), (from, to), &mut lost);
        if known.is_empty() && !has_losses && pace.is_none() {
            unexplained.insert(silent);
        }
        reasons.extend(known);
        let pace = pace.filter(|pace| !names(&reasons, pace));
        reasons.extend(pace);
    }
    reasons.extend(of_pace(annals, node, to).filter(|_| reasons.is_empty()));
    reasons.extend(lost.told(annals));
    reasons.extend(unexplained.iter().filter_map(|silent| of_answer(annals, node, silent, (from, to))));
    reasons
}

/// The death or the pause of its process, if it does not run.
pub(super) fn of_process(annals: &Annals<'_>, node: NodeId, before: usize) -> Option<Sentence> {
    let life = annals.latest_life(node, before)?;
    let record = annals.at(life);
    let at = stamp(record.at);
    let (words, by) = match &record.body {
        Body::Died { death: Death::Killed { by } } => (format!("{by} crashed {node} at {at}"), Some(*by)),
        Body::Died { death: Death::Exited { code } } => {
            (format!("{node} exited by itself at {at}, with code {code}"), None)
        }
        Body::Died { death: Death::Signalled { signal } } => {
            (format!("A signal that the lab did not send, {signal}, ended {node} at {at}"), None)
        }
        Body::Spawned { .. } if !has_stepped(annals, node, life, before) => {
            (format!("{node} had a new process since {at}, which had not taken a step yet"), None)
        }
        body => {
            let by = begins(body)?;
            (format!("{} {node} at {at}", stopped(annals, by)), by.fault())
        }
    };
    Some(Sentence::new(annals, words, [life], Bond::Silence).about(by))
}

/// What is not on record of the state of the node that began at the first place, as it is told at the second.
pub(super) fn unrecorded(annals: &Annals<'_>, node: NodeId, (began, end): (usize, usize)) -> Option<Sentence> {
    let hole = annals.hole_before(end.checked_sub(1)?)?;
    let after = stamp(annals.at(hole).at);
    if began < hole {
        let before = stamp(annals.at(hole - 1).at);
        let words = format!("Records are missing between {before} and {after}: nobody knows what {node} did then");
        return Some(Sentence::new(annals, words, [hole - 1, hole], Bond::Beside));
    }
    let is_first = annals.steps_before(node, began).next().is_none_or(|step| step < hole);
    let is_start = matches!(annals.step(began), Some((_, step)) if matches!(step.input, Input::Start { .. }));
    let words = format!("Records are missing before {after}: {node} may have been so for longer");
    (is_first && !is_start).then(|| Sentence::new(annals, words, [hole], Bond::Beside))
}

/// Whether these sentences name the faults of that one.
fn names(sentences: &[Sentence], one: &Sentence) -> bool {
    one.faults.iter().all(|fault| sentences.iter().any(|sentence| sentence.faults.contains(fault)))
}

fn has_stepped(annals: &Annals<'_>, node: NodeId, from: usize, to: usize) -> bool {
    annals.steps_before(node, to).next().is_some_and(|step| step > from)
}

/// What happened to messages on their way to the node between these places, and what liars kept from it.
pub(super) fn losses_to(annals: &Annals<'_>, node: NodeId, (from, to): (usize, usize)) -> Vec<Sentence> {
    let mut lost = LostMessages::default();
    for (place, record) in annals.losses_between([node], (from, to)) {
        lost.take(place, record, |_| true);
    }
    let mut told = lost.told(annals);
    told.extend(lies::kept_back(annals, node, |_| true, (from, to)));
    told
}

/// Collects what happened to messages between the two; returns whether anything did.
fn lose(
    annals: &Annals<'_>,
    (one, other): (NodeId, NodeId),
    (from, to): (usize, usize),
    lost: &mut LostMessages,
) -> bool {
    let mut has_any = false;
    for (place, record) in annals.losses_between([one, other], (from, to)) {
        let sender = if record.node == Some(one) { other } else { one };
        has_any |= lost.take(place, record, |from| from == sender);
    }
    has_any
}

/// What happened to the message on its way to the receiver, which got it all the same, before this place.
pub(super) fn on_its_way(annals: &Annals<'_>, id: MessageId, receiver: NodeId, before: usize) -> Vec<Sentence> {
    let pause = annals.sending(id).and_then(|sending| of_pause(annals, receiver, (sending, before)));
    let ends = annals.ends_of(id, receiver).filter(|end| *end < before);
    let told = ends.filter_map(|end| {
        let kind = kind_of(annals, id).unwrap_or_else(|| "a message".to_owned());
        let (by, words) = match &annals.at(end).body {
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
        let line = annals.fault(by).map_or_else(String::new, |(_, line)| format!(" ({line})"));
        let at = stamp(annals.at(end).at);
        Some(Sentence::new(annals, format!("{by}{line} {words} at {at}"), [end], Bond::Before).about([by]))
    });
    told.chain(pause).collect()
}

/// The fault by which the process was slow, or its timers ran by another clock.
fn of_pace(annals: &Annals<'_>, node: NodeId, before: usize) -> Option<Sentence> {
    let mut faults = annals.faults_before(before).filter(|(id, ..)| !annals.is_lifted(*id, before));
    let (id, order, line, _) = faults.find(|(_, _, line, nodes)| {
        let is_of_pace = matches!(line, FaultLine::Process(ProcessFault::Slow(_) | ProcessFault::Clock(_), _));
        is_of_pace && nodes.contains(node)
    })?;
    let words = format!("{id} ({line}) was in force from {}", stamp(annals.at(order).at));
    Some(Sentence::new(annals, words, [order], Bond::Silence).about([id]))
}

/// The step since which the silent one plays dead to all that it outranks, the node among them, if its algorithm does so.
fn of_playing_dead(annals: &Annals<'_>, node: NodeId, silent: NodeId, before: usize) -> Option<Sentence> {
    let lines = annals.plays_dead().filter(|_| annals.rank().outranks(silent, node))?;
    let since = annals.whole_since(before);
    let mut steps = annals.steps_before(silent, before).take_while(|place| *place >= since);
    let turns = |step: &Step| step.lines.iter().any(|line| [lines.from, lines.until].contains(line));
    let (place, step) = steps.find_map(|place| Some((place, annals.step(place)?.1)).filter(|(_, step)| turns(step)))?;
    let Input::Message { id, message: text } = &step.input else { return None };
    let words = format!(
        "{silent} obeyed {} of {} at {}, and played dead to {node} from then on, as to all that it outranks",
        text.kind,
        id.from,
        stamp(annals.at(place).at)
    );
    step.lines.contains(&lines.from).then(|| Sentence::new(annals, words, [place], Bond::Silence))
}

/// How far a question and its answer had come, where nothing is known to have happened to them.
fn of_answer(annals: &Annals<'_>, node: NodeId, silent: NodeId, (from, to): (usize, usize)) -> Option<Sentence> {
    let (_, asked) = annals.step(from)?;
    // What it sent to a node that had just spoken asked for nothing.
    let is_answer = heard(asked).is_some_and(|id| id.from == silent);
    let to_silent = |(id, _): &(MessageId, _)| id.to.is_none_or(|to| to == silent) && !is_answer;
    let Some((question, text)) = sent(asked).find(to_silent) else {
        let words =
            format!("Nothing is known to have kept {silent} from speaking: it sent {node} nothing in that time");
        return has_sent(annals, silent, node, (from, to))
            .is_none()
            .then(|| Sentence::new(annals, words, [], Bond::Silence));
    };
    let got = annals.ends_of(question, silent).find(|end| *end < to && annals.at(*end).step().is_some());
    let (words, places) = match got {
        None => (format!("{} of {node} had not come to {silent} by then", text.kind), vec![from]),
        Some(got) => match annals.step(got).map(|(_, step)| sent(step).any(|(id, _)| id.to == Some(node))) {
            Some(true) => (format!("{silent} had answered {}, but the answer was on its way", text.kind), vec![got]),
            _ => (format!("{silent} got {} and did not answer", text.kind), vec![got]),
        },
    };
    Some(Sentence::new(annals, words, places, Bond::Silence))
}

/// Whether one has sent anything to the other between these places, and where.
fn has_sent(annals: &Annals<'_>, by: NodeId, to: NodeId, (from, end): (usize, usize)) -> Option<usize> {
    annals.steps_before(by, end).take_while(|step| *step > from).find(|step| {
        annals.step(*step).is_some_and(|(_, step)| sent(step).any(|(id, _)| id.to.is_none_or(|of| of == to)))
    })
}
