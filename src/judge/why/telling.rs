//! A way in sentences: waits for a silent node in a row, a question with its answer, and what is passed on from node to
//! node are one sentence each.
//!
//! Invariant: every milestone of the way is cited, and a way that is cut short says how much is left out.

use std::collections::BTreeSet;

use super::annals::{Annals, heard, sent};
use super::origin;
use super::silence::reasons;
use super::way::{Impulse, Milestone};
use super::words::{Bond, Sentence, became, in_a_row, message, span, turned};
use crate::protocol::{NodeId, NodeSet};
use crate::record::{Body, Input, MessageId, MessageText, Record};
use crate::world::stamp;

/// A way is told in this many sentences at most; one of them says what is left out.
pub(super) const SENTENCES_MAX: usize = 7;

/// The way in sentences, at most this many.
pub(super) fn tell(annals: &Annals<'_>, way: &[Milestone], most: usize) -> Vec<Sentence> {
    let mut told: Vec<(Vec<Sentence>, usize)> = Vec::new();
    let mut place = 0;
    while place < way.len() {
        let (sentences, taken) = tell_next(annals, way, place);
        told.push((sentences, taken));
        place += taken;
    }
    let mut known: Vec<Sentence> = Vec::new();
    for (sentences, _) in &mut told {
        sentences.retain(|sentence| !known.contains(sentence));
        known.extend(sentences.iter().cloned());
    }
    let mut sentences = shortened(annals, told, most);
    sentences.extend(missing(annals, way));
    sentences
}

/// The sentences about the milestones from this one on, and about how many of them they are.
fn tell_next(annals: &Annals<'_>, way: &[Milestone], place: usize) -> (Vec<Sentence>, usize) {
    match &way[place].by {
        Impulse::Silence { of, .. } => silence(annals, way, place, *of),
        Impulse::Message { .. } => {
            if let Some(told) = passed_on(annals, way, place).or_else(|| answered(annals, way, place)) {
                return told;
            }
            (vec![received(annals, way, place)], 1)
        }
        Impulse::Time { .. } => (vec![after_a_time(annals, way, place)], 1),
        Impulse::Start | Impulse::Order => (vec![origin::of(annals, &way[place], &deed(annals, way, place))], 1),
    }
}

/// What the milestone did: what its node became, and what it sent, above all to the next milestone.
fn deed(annals: &Annals<'_>, way: &[Milestone], place: usize) -> String {
    let here = &way[place];
    let Some((_, step)) = annals.step(here.place) else { return String::new() };
    let before = annals.state_before(here.node, here.place).map(|(_, state)| state);
    let mut deeds: Vec<String> =
        step.state.as_ref().and_then(|after| became(here.node, before, after)).into_iter().collect();
    let next = way.get(place + 1).map(|next| &next.by);
    let wanted = match next {
        Some(Impulse::Message { id, .. }) => sent(step).find(|(sent, _)| sent == id).map(|(_, text)| message(text)),
        _ => None,
    };
    // The last one is what is explained: what it sent is told by nobody's question.
    let is_last = next.is_none() && !deeds.is_empty();
    let mut sends = Vec::new();
    for (words, to) in sendings(sent(step).map(|(id, text)| (id.to, text)).filter(|_| !is_last)) {
        if wanted.as_ref().is_none_or(|wanted| *wanted == words) {
            sends.push(format!("{words} to {}", to.map_or_else(|| "all".to_owned(), |to| to.to_string())));
        }
    }
    sends.truncate(2);
    if !sends.is_empty() {
        deeds.push(format!("sent {}", in_a_row(&sends)));
    }
    in_a_row(&deeds)
}

/// What was sent, each message once with all who were to get it; a broadcast is for nobody in particular.
fn sendings<'t>(all: impl Iterator<Item = (Option<NodeId>, &'t MessageText)>) -> Vec<(String, Option<NodeSet>)> {
    let mut sendings: Vec<(String, Option<NodeSet>)> = Vec::new();
    for (to, text) in all {
        let words = message(text);
        match (sendings.iter_mut().find(|(known, _)| *known == words), to) {
            (Some((_, Some(nodes))), Some(to)) => {
                nodes.insert(to);
            }
            (Some(_), _) => {}
            (None, to) => sendings.push((words, to.map(NodeSet::of))),
        }
    }
    sendings
}

/// Waits in vain for a node, one after the other, with what is known of its silence.
fn silence(annals: &Annals<'_>, way: &[Milestone], place: usize, of: NodeSet) -> (Vec<Sentence>, usize) {
    let here = &way[place];
    let is_same = |next: &&Milestone| match &next.by {
        Impulse::Silence { of: next_of, .. } => next.node == here.node && *next_of == of,
        _ => false,
    };
    let taken = way[place..].iter().take_while(is_same).count().max(1);
    let (run, last) = (&way[place..place + taken], &way[place + taken - 1]);
    let began = setter_of(here);
    let node = here.node;
    let mut sentences: Vec<Sentence> = Vec::new();
    let silent = of.iter().next().filter(|_| of.len() == 1 && annals.rested_before(node, here.place));
    if let Some((silent, last)) = silent.and_then(|silent| Some((silent, annals.last_heard(node, silent, here.place)?)))
    {
        let words = format!("{node} last heard {silent} at {}", stamp(annals.at(last).at));
        sentences.push(Sentence::new(annals, words, [last], Bond::Before));
    }
    sentences.extend(reasons(annals, node, of, (began.unwrap_or(0), last.place)));
    let waits: Vec<String> = run.iter().map(|milestone| wait(annals, milestone, &of)).collect();
    let until = stamp(annals.at(last.place).at);
    let (heard, heard_at) = meanwhile(annals, last, &of);
    let deed = deed(annals, way, place + taken - 1);
    let deed = if deed.is_empty() { String::new() } else { format!("; then it {deed}") };
    let words = format!("{node} waited in vain for {of}: {}, until {until}{heard}{deed}", counted(&waits));
    let asked = began.filter(|setter| question(annals, *setter, &of).is_some());
    let places = asked.into_iter().chain(run.iter().map(|milestone| milestone.place)).chain(heard_at);
    sentences.push(Sentence::new(annals, words, places, Bond::Before));
    (sentences, taken)
}

fn setter_of(milestone: &Milestone) -> Option<usize> {
    match &milestone.by {
        Impulse::Silence { setter, .. } | Impulse::Time { setter, .. } => *setter,
        _ => None,
    }
}

/// How long, and after which question.
fn wait(annals: &Annals<'_>, milestone: &Milestone, of: &NodeSet) -> String {
    let Impulse::Silence { span: waited, setter, .. } = &milestone.by else { return String::new() };
    let asked = setter.and_then(|setter| question(annals, setter, of));
    let asked = asked.map_or_else(String::new, |asked| format!(" after {asked}"));
    format!("{}{asked}", span(annals, *waited))
}

/// What the step asked these nodes. What it sent to a node that had just spoken asked for nothing.
fn question(annals: &Annals<'_>, place: usize, of: &NodeSet) -> Option<String> {
    let (_, step) = annals.step(place)?;
    if heard(step).is_some_and(|id| of.contains(id.from)) {
        return None;
    }
    sent(step).find(|(id, _)| id.to.is_none_or(|to| of.contains(to))).map(|(_, text)| message(text))
}

/// Each wait once, with how often it came in a row.
fn counted(waits: &[String]) -> String {
    let mut counted: Vec<(String, usize)> = Vec::new();
    for wait in waits {
        match counted.last_mut() {
            Some((last, times)) if last == wait => *times += 1,
            _ => counted.push((wait.clone(), 1)),
        }
    }
    let words = |(wait, times): &(String, usize)| match times {
        1 => wait.clone(),
        2 => format!("twice {wait}"),
        times => format!("{times} times {wait}"),
    };
    in_a_row(&counted.iter().map(words).collect::<Vec<_>>())
}

/// What the node heard in the time that has passed, if that belongs to its election: who answered it, or sent the like.
fn meanwhile(annals: &Annals<'_>, milestone: &Milestone, silent: &NodeSet) -> (String, Vec<usize>) {
    let Some(setter) = setter_of(milestone) else { return Default::default() };
    let Some((_, asking)) = annals.step(setter) else { return Default::default() };
    let asked: Vec<_> = sent(asking).collect();
    let belongs = |id: MessageId, text: &MessageText| {
        let answers = annals.sending(id).and_then(|sending| annals.step(sending)).and_then(|(_, step)| heard(step));
        let is_like = || silent.is_empty() && asked.iter().any(|(_, asked)| asked.kind == text.kind);
        answers.is_some_and(|answers| asked.iter().any(|(id, _)| *id == answers)) || is_like()
    };
    let (mut kinds, mut places): (Vec<(String, NodeSet)>, Vec<usize>) = Default::default();
    for place in annals.steps_before(milestone.node, milestone.place).take_while(|place| *place > setter) {
        let Some((_, step)) = annals.step(place) else { continue };
        let Input::Message { id, message: text } = &step.input else { continue };
        if id.from == milestone.node || silent.contains(id.from) {
            continue;
        }
        // What brought it into another state in that time decided what it did at the end of it.
        let before = annals.state_before(milestone.node, place).map(|(_, state)| state);
        let turned = step.state.as_ref().is_some_and(|state| turned(before, state));
        let words = match turned {
            true => message(text),
            false if belongs(*id, text) => told_alike(text),
            false => continue,
        };
        match kinds.iter_mut().find(|(known, _)| *known == words) {
            Some((_, from)) => {
                from.insert(id.from);
            }
            None => kinds.push((words, NodeSet::of(id.from))),
        }
        places.push(place);
    }
    kinds.reverse();
    let heard: Vec<String> = kinds.iter().map(|(words, from)| format!("{words} of {from}")).collect();
    if heard.is_empty() {
        (String::new(), places)
    } else {
        (format!("; meanwhile it heard {}", in_a_row(&heard)), places)
    }
}

/// The message by its kind, with a field only if that is a plain yes or no.
fn told_alike(text: &MessageText) -> String {
    let answer = text.fields.iter().find(|(_, value)| value == "yes" || value == "no");
    answer.map_or_else(|| text.kind.to_string(), |(name, value)| format!("{}({name}={value})", text.kind))
}

/// Time that has passed: of an election, or until a node at rest looked round again.
fn after_a_time(annals: &Annals<'_>, way: &[Milestone], place: usize) -> Sentence {
    let here = &way[place];
    let Impulse::Time { span: passed, .. } = here.by else { return Sentence::default() };
    let deed = deed(annals, way, place);
    if place == 0 && annals.rested_before(here.node, here.place) {
        return origin::of(annals, here, &deed);
    }
    let deed = if deed.is_empty() { "went on".to_owned() } else { deed };
    let (heard, mut places) = meanwhile(annals, here, &NodeSet::EMPTY);
    let heard = if heard.is_empty() { ",".to_owned() } else { format!("{heard};") };
    let at = stamp(annals.at(here.place).at);
    places.reverse();
    places.push(here.place);
    Sentence::new(
        annals,
        format!("{} waited {}{heard} and at {at} it {deed}", here.node, span(annals, passed)),
        places,
        Bond::Before,
    )
}

/// A message, and what its receiver did.
fn received(annals: &Annals<'_>, way: &[Milestone], place: usize) -> Sentence {
    let here = &way[place];
    let Impulse::Message { id, sending } = &here.by else { return Sentence::default() };
    let deed = deed(annals, way, place);
    let deed = if deed.is_empty() { String::new() } else { format!(" and {deed}") };
    let got = match annals.step(here.place).map(|(_, step)| &step.input) {
        Some(Input::Message { message: text, .. }) => message(text),
        _ => "a message".to_owned(),
    };
    let from = if id.from == here.node { "its own".to_owned() } else { format!("{} sent", id.from) };
    let words = if id.from == here.node {
        format!("{} got {from} {got} at {}{deed}", here.node, stamp(annals.at(here.place).at))
    } else {
        format!("{} got {got}, which {from}, at {}{deed}", here.node, stamp(annals.at(here.place).at))
    };
    Sentence::new(annals, words, sending.iter().copied().chain([here.place]), Bond::Before)
}

/// A node's question to another, and the answer.
fn answered(annals: &Annals<'_>, way: &[Milestone], place: usize) -> Option<(Vec<Sentence>, usize)> {
    let asker = way.get(place.checked_sub(1)?)?;
    let (other, back) = (&way[place], way.get(place + 1)?);
    let (Impulse::Message { id: asked, .. }, Impulse::Message { id: answer, sending }) = (&other.by, &back.by) else {
        return None;
    };
    if back.node != asker.node || asked.from != asker.node || answer.from != other.node || other.node == asker.node {
        return None;
    }
    let answer = annals.sent_at((*sending)?, *answer).map(message)?;
    let (_, step) = annals.step(other.place)?;
    let before = annals.state_before(other.node, other.place).map(|(_, state)| state);
    let became = step.state.as_ref().and_then(|after| became(other.node, before, after));
    let became = became.map_or_else(String::new, |became| format!(" {became} and"));
    let deed = deed(annals, way, place + 1);
    let deed = if deed.is_empty() { String::new() } else { format!("; {} then {deed}", back.node) };
    let words = format!(
        "{}{became} answered {answer}, which {} got at {}{deed}",
        other.node,
        back.node,
        stamp(annals.at(back.place).at)
    );
    Some((vec![Sentence::new(annals, words, [other.place, back.place], Bond::Before)], 2))
}

/// One message that several nodes pass on.
fn passed_on(annals: &Annals<'_>, way: &[Milestone], place: usize) -> Option<(Vec<Sentence>, usize)> {
    let words_of = |milestone: &Milestone| match annals.step(milestone.place).map(|(_, step)| &step.input) {
        Some(Input::Message { message: text, .. }) => Some(message(text)),
        _ => None,
    };
    let first = words_of(&way[place])?;
    let taken = way[place..].iter().take_while(|next| words_of(next).as_ref() == Some(&first)).count();
    if taken < 2 {
        return None;
    }
    let run = &way[place..place + taken];
    let Impulse::Message { id, .. } = &run[0].by else { return None };
    let last = &run[taken - 1];
    let over: Vec<String> = run[..taken - 1].iter().map(|milestone| milestone.node.to_string()).collect();
    let deed = deed(annals, way, place + taken - 1);
    let deed = if deed.is_empty() { String::new() } else { format!("; then {} {deed}", last.node) };
    let at = stamp(annals.at(last.place).at);
    let words = format!("{first} went from {} over {} to {} by {at}{deed}", id.from, in_a_row(&over), last.node);
    Some((vec![Sentence::new(annals, words, run.iter().map(|milestone| milestone.place), Bond::Before)], taken))
}

/// At most so many sentences: of a longer way the middle is left out.
fn shortened(annals: &Annals<'_>, told: Vec<(Vec<Sentence>, usize)>, most: usize) -> Vec<Sentence> {
    let count: usize = told.iter().map(|(sentences, _)| sentences.len()).sum();
    if count <= most {
        return told.into_iter().flat_map(|(sentences, _)| sentences).collect();
    }
    let all: Vec<(Sentence, bool)> = told
        .into_iter()
        .flat_map(|(sentences, _)| {
            let last = sentences.len().saturating_sub(1);
            sentences.into_iter().enumerate().map(move |(place, sentence)| (sentence, place == last))
        })
        .collect();
    // The end says what came of it; the beginning, why.
    let kept_at_end = (most - 1) / 2;
    let (begin, end) = (most - 1 - kept_at_end, all.len() - kept_at_end);
    let left_out = &all[begin..end];
    let steps: BTreeSet<u64> = left_out
        .iter()
        .filter(|(sentence, is_of_way)| *is_of_way || !sentence.records.is_empty())
        .flat_map(|(sentence, _)| sentence.records.iter().map(|cited| cited.number))
        .collect();
    let faults: Vec<_> = left_out.iter().flat_map(|(sentence, _)| sentence.faults.clone()).collect();
    let words = match (steps.first(), steps.last()) {
        (Some(first), Some(last)) if first != last => {
            format!("Left out here: {} steps on the way, between records {first} and {last}.", steps.len())
        }
        (Some(first), _) => format!("Left out here: one step on the way, record {first}."),
        _ => "Steps on the way are left out here.".to_owned(),
    };
    let mut gap = Sentence::new(annals, "", [], Bond::Before).about(faults);
    gap.text = words;
    let mut sentences: Vec<Sentence> = all[..begin].iter().map(|(sentence, _)| sentence.clone()).collect();
    sentences.push(gap);
    sentences.extend(all[end..].iter().map(|(sentence, _)| sentence.clone()));
    sentences
}

/// What is missing of the way: the cause of its first milestone, or records in between.
fn missing(annals: &Annals<'_>, way: &[Milestone]) -> Vec<Sentence> {
    let mut sentences = Vec::new();
    let (Some(first), Some(last)) = (way.first(), way.last()) else { return sentences };
    if first.by.is_untold() {
        let words = "Records are missing here: what came before this step is not on record, so its cause is not known";
        sentences.push(Sentence::new(annals, words, [first.place], Bond::Before));
    }
    let nodes: NodeSet = way.iter().map(|milestone| milestone.node).collect();
    let is_of_way = |record: &Record| record.node.is_none_or(|node| nodes.contains(node));
    for (place, record) in annals.between(first.place, last.place) {
        if let Body::Gap(missed) = &record.body
            && is_of_way(record)
        {
            let words =
                format!("{} records are missing here, lost {}: a cause may be among them", missed.count, missed.place);
            sentences.push(Sentence::new(annals, words, [place], Bond::Beside));
        }
    }
    sentences
}
