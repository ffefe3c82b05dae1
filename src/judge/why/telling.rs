//! A way in sentences: waits for a silent node in a row, a question with its answer, and what is passed on from node to
//! node are one sentence each.
//!
//! Invariant: every milestone of the way is cited, and a way that is cut short says how much is left out.

use super::causal_path::{PathStep, StepReason, WAY_MAX};
use super::reading::{heard, sent};
use super::session_past::SessionPast;
use super::shortening::shortened;
use super::silence::{losses_to, on_its_way, reasons};
use super::step_words::deed;
use super::stillness::{OwnStops, own_stops};
use super::words::{RecordRole, Sentence, Tense, became, in_a_row, is_same, message, span, stands, turned};
use super::{lies, origin, restarted};
use protocol::{Course, IN_NAME_OF, NodeId, NodeSet, StateVector};
use record::{Body, Input, MessageId, MessageText, Record};
use world::stamp;

/// A way is told in this many sentences at most; one of them says what is left out.
pub(super) const SENTENCES_MAX: usize = 7;

/// The way in sentences, at most this many. What was told before of another way with the same beginning is not told
/// again.
pub(super) fn tell(
    session_past: &SessionPast<'_>,
    way: &[PathStep],
    most: usize,
    before: &mut Vec<Sentence>,
) -> Vec<Sentence> {
    let mut told: Vec<Sentence> = Vec::new();
    let mut place = 0;
    while place < way.len() {
        let (sentences, taken) = tell_next(session_past, way, place);
        for sentence in lies::heard_in(session_past, &sentences).into_iter().chain(sentences) {
            if !told.contains(&sentence) {
                told.push(sentence);
            }
        }
        place += taken;
    }
    let known = told.iter().take_while(|sentence| before.contains(sentence)).count();
    let new = told.split_off(known);
    before.extend(new.iter().cloned());
    let above = match (known, new.len()) {
        (0, _) => None,
        (_, 0) => Some("How it came to this is told above"),
        _ => Some("How this began is told above"),
    };
    let above = above.map(|words| Sentence::new(session_past, words, [], RecordRole::Beside));
    let mut sentences = Vec::from_iter(above);
    sentences.extend(shortened(new, most.saturating_sub(sentences.len())));
    sentences.extend(missing(session_past, way));
    sentences
}

/// The sentences about the milestones from this one on, and about how many of them they are.
fn tell_next(session_past: &SessionPast<'_>, way: &[PathStep], place: usize) -> (Vec<Sentence>, usize) {
    match &way[place].by {
        StepReason::Silence { of, .. } => silence(session_past, way, place, *of),
        StepReason::Message { .. } => {
            let passed_on = passed_on(session_past, way, place);
            let answered = passed_on.is_none().then(|| answered(session_past, way, place)).flatten();
            let is_answered = answered.is_some();
            let (sentence, taken) = passed_on.or(answered).unwrap_or_else(|| (received(session_past, way, place), 1));
            let mut sentences: Vec<Sentence> = Vec::new();
            for milestone in &way[place..place + taken] {
                if let StepReason::Message { id, .. } = &milestone.by {
                    sentences.extend(on_its_way(session_past, *id, milestone.node, milestone.place));
                }
            }
            // Who answered that it was not Normal may have been only just back, or whoever asked was away meanwhile.
            if is_answered {
                let [asker, other] = [&way[place - 1], &way[place]];
                let of_other = restarted::of(session_past, other.node, other.place);
                sentences.extend(
                    of_other.or_else(|| restarted::of_asker(session_past, asker.node, other.node, other.place)),
                );
            }
            sentences.push(sentence);
            (sentences, taken)
        }
        StepReason::Time { setter, .. } => {
            // What was lost meanwhile may have decided it as much as what came.
            let (node, upto) = (way[place].node, way[place].place);
            let is_of_election = !session_past.rested_before(node, upto);
            let from = setter.filter(|_| is_of_election).unwrap_or(upto);
            let mut sentences = losses_to(session_past, node, (from, upto));
            sentences.push(after_a_time(session_past, way, place));
            (sentences, 1)
        }
        StepReason::Start | StepReason::Order => {
            (vec![origin::of(session_past, &way[place], &deed(session_past, way, place))], 1)
        }
    }
}

/// Waits in vain for a node, one after the other, with what is known of its silence.
fn silence(session_past: &SessionPast<'_>, way: &[PathStep], place: usize, of: NodeSet) -> (Vec<Sentence>, usize) {
    let here = &way[place];
    let is_same = |next: &&PathStep| match &next.by {
        StepReason::Silence { of: next_of, .. } => next.node == here.node && *next_of == of,
        _ => false,
    };
    let taken = way[place..].iter().take_while(is_same).count().max(1);
    let (run, last) = (&way[place..place + taken], &way[place + taken - 1]);
    let began = setter_of(here);
    let node = here.node;
    let mut sentences: Vec<Sentence> = Vec::new();
    let silent = of.iter().next().filter(|_| of.len() == 1 && session_past.rested_before(node, here.place));
    if let Some((silent, last)) =
        silent.and_then(|silent| Some((silent, session_past.last_heard(node, silent, here.place)?)))
    {
        let words = format!("{node} last heard {silent} at {}", stamp(session_past.at(last).at));
        sentences.push(Sentence::new(session_past, words, [last], RecordRole::Before));
    }
    let from = began.unwrap_or(session_past.whole_since(here.place));
    sentences.extend(reasons(session_past, node, of, (from, last.place)));
    let waits: Vec<String> = run.iter().map(|milestone| wait(session_past, milestone, &of)).collect();
    let until = stamp(session_past.at(last.place).at);
    let earlier = if silent.is_some() { waits_before(session_past, here, &of) } else { Vec::new() };
    let again = match earlier.len() {
        0 => String::new(),
        1 => ", as once before".to_owned(),
        2 => ", as twice before".to_owned(),
        times => format!(", as {times} times before"),
    };
    let (heard, heard_at) = meanwhile(session_past, last, &of);
    let still = own_stops(session_past, node, (from, last.place));
    let deed = deed(session_past, way, place + taken - 1);
    let deed = if deed.is_empty() { String::new() } else { format!("; then it {deed}") };
    let words = format!(
        "{node} waited in vain for {of}: {}, until {until}{again}{}{heard}{deed}",
        counted(&waits),
        still.words
    );
    let asked = began.filter(|setter| question(session_past, *setter, &of).is_some());
    let places = earlier.into_iter().chain(asked).chain(run.iter().map(|milestone| milestone.place)).chain(heard_at);
    sentences.push(with_stops(session_past, words, places, still));
    (sentences, taken)
}

/// The sentence about a wait, with the stops of the node that waited.
fn with_stops(
    session_past: &SessionPast<'_>,
    words: String,
    places: impl IntoIterator<Item = usize>,
    still: OwnStops,
) -> Sentence {
    Sentence::new(session_past, words, places.into_iter().chain(still.places), RecordRole::Before).about(still.faults)
}

/// Where the node had waited in vain for the same nodes before, since it last heard one of them.
fn waits_before(session_past: &SessionPast<'_>, milestone: &PathStep, of: &NodeSet) -> Vec<usize> {
    let whole_since = session_past.whole_since(milestone.place);
    let before = session_past.steps_before(milestone.node, milestone.place).take_while(|place| *place >= whole_since);
    let steps = before.filter_map(|place| Some((place, session_past.step(place)?.1)));
    let since = steps.take_while(|(_, step)| heard(step).is_none_or(|id| !of.contains(id.from)));
    let waits = since.filter(|(_, step)| matches!(&step.input, Input::Timer { waited_for, .. } if waited_for == of));
    waits.map(|(place, _)| place).collect()
}

fn setter_of(milestone: &PathStep) -> Option<usize> {
    match &milestone.by {
        StepReason::Silence { setter, .. } | StepReason::Time { setter, .. } => *setter,
        _ => None,
    }
}

/// How long, and after which question.
fn wait(session_past: &SessionPast<'_>, milestone: &PathStep, of: &NodeSet) -> String {
    let StepReason::Silence { span: waited, setter, .. } = &milestone.by else { return String::new() };
    let asked = setter.and_then(|setter| question(session_past, setter, of));
    let asked = asked.map_or_else(String::new, |asked| format!(" after {asked}"));
    format!("{}{asked}", span(session_past, *waited))
}

/// What the step asked these nodes. What it sent to a node that had just spoken asked for nothing.
fn question(session_past: &SessionPast<'_>, place: usize, of: &NodeSet) -> Option<String> {
    let (_, step) = session_past.step(place)?;
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
fn meanwhile(session_past: &SessionPast<'_>, milestone: &PathStep, silent: &NodeSet) -> (String, Vec<usize>) {
    let Some(setter) = setter_of(milestone) else { return Default::default() };
    let Some((_, asking)) = session_past.step(setter) else { return Default::default() };
    let asked: Vec<_> = sent(asking).collect();
    let belongs = |id: MessageId, text: &MessageText| {
        let answers =
            session_past.sending(id).and_then(|sending| session_past.step(sending)).and_then(|(_, step)| heard(step));
        let is_like = || silent.is_empty() && asked.iter().any(|(_, asked)| asked.kind == text.kind);
        answers.is_some_and(|answers| asked.iter().any(|(id, _)| *id == answers)) || is_like()
    };
    let (mut kinds, mut places): (Vec<(String, NodeSet)>, Vec<usize>) = Default::default();
    for place in session_past.steps_before(milestone.node, milestone.place).take_while(|place| *place > setter) {
        let Some((_, step)) = session_past.step(place) else { continue };
        let Input::Message { id, message: text } = &step.input else { continue };
        if id.from == milestone.node || silent.contains(id.from) {
            continue;
        }
        // What brought it into another state in that time decided what it did at the end of it.
        let before = session_past.state_before(milestone.node, place).map(|(_, state)| state);
        let turned = step.state.as_ref().is_some_and(|state| turned(before, state));
        let words = match turned {
            true => message(text),
            false if belongs(*id, text) => told_alike(text),
            false => continue,
        };
        add(&mut kinds, words, id.from);
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

/// Notes that the node sent these words too.
fn add(said: &mut Vec<(String, NodeSet)>, words: String, by: NodeId) {
    match said.iter_mut().find(|(known, _)| *known == words) {
        Some((_, from)) => drop(from.insert(by)),
        None => said.push((words, NodeSet::of(by))),
    }
}

/// The message by its kind, with a field only if that is a plain yes or no, or says in whose name a liar spoke.
fn told_alike(text: &MessageText) -> String {
    let answer = text.fields.iter().find(|(name, value)| value == "yes" || value == "no" || name == IN_NAME_OF);
    answer.map_or_else(|| text.kind.to_string(), |(name, value)| format!("{}({name}={value})", text.kind))
}

/// Time that has passed: of an election, or until a node at rest looked round again.
fn after_a_time(session_past: &SessionPast<'_>, way: &[PathStep], place: usize) -> Sentence {
    let here = &way[place];
    let StepReason::Time { span: passed, .. } = here.by else { return Sentence::default() };
    let deed = deed(session_past, way, place);
    if place == 0 && session_past.rested_before(here.node, here.place) {
        return origin::of(session_past, here, &deed);
    }
    let deed = if deed.is_empty() { "went on".to_owned() } else { deed };
    let (heard, mut places) = meanwhile(session_past, here, &NodeSet::EMPTY);
    let still =
        setter_of(here).map(|setter| own_stops(session_past, here.node, (setter, here.place))).unwrap_or_default();
    let heard = if heard.is_empty() { ",".to_owned() } else { format!("{heard};") };
    let at = stamp(session_past.at(here.place).at);
    places.reverse();
    places.push(here.place);
    let (node, waited) = (here.node, span(session_past, passed));
    let words = format!("{node} waited {waited}{}{heard} and at {at} it {deed}", still.words);
    with_stops(session_past, words, places, still)
}

/// A message, and what its receiver did.
fn received(session_past: &SessionPast<'_>, way: &[PathStep], place: usize) -> Sentence {
    let here = &way[place];
    let StepReason::Message { id, sending } = &here.by else { return Sentence::default() };
    let deed = deed(session_past, way, place);
    let deed = if deed.is_empty() { String::new() } else { format!(" and {deed}") };
    let got = match session_past.step(here.place).map(|(_, step)| &step.input) {
        Some(Input::Message { message: text, .. }) => message(text),
        _ => "a message".to_owned(),
    };
    let from = if id.from == here.node { "its own".to_owned() } else { format!("{} sent", id.from) };
    let words = if id.from == here.node {
        format!("{} got {from} {got} at {}{deed}", here.node, stamp(session_past.at(here.place).at))
    } else {
        format!("{} got {got}, which {from}, at {}{deed}", here.node, stamp(session_past.at(here.place).at))
    };
    Sentence::new(session_past, words, sending.iter().copied().chain([here.place]), RecordRole::Before)
}

/// A node's question to another, and the answer.
fn answered(session_past: &SessionPast<'_>, way: &[PathStep], place: usize) -> Option<(Sentence, usize)> {
    let asker = way.get(place.checked_sub(1)?)?;
    let (other, back) = (&way[place], way.get(place + 1)?);
    let (StepReason::Message { id: asked, .. }, StepReason::Message { id: answer, sending }) = (&other.by, &back.by)
    else {
        return None;
    };
    if back.node != asker.node || asked.from != asker.node || answer.from != other.node || other.node == asker.node {
        return None;
    }
    let answer = session_past.sent_at((*sending)?, *answer).map(message)?;
    let (_, step) = session_past.step(other.place)?;
    let (stood_since, before) = session_past.state_before(other.node, other.place).unzip();
    let became = step.state.as_ref().and_then(|after| became(other.node, before, after));
    let stood = if became.is_none() { stood(other.node, asker.node, before) } else { String::new() };
    let stood_since = stood_since.filter(|_| !stood.is_empty());
    let became = became.map_or(stood, |became| format!(" {became} and"));
    let deed = deed(session_past, way, place + 1);
    let deed = if deed.is_empty() { String::new() } else { format!("; {} then {deed}", back.node) };
    if let Some((answers, places)) = all_answers(session_past, asker, back.place) {
        let got = stamp(session_past.at(back.place).at);
        let words = format!("{}; {} got the last of these answers at {got}{deed}", in_a_row(&answers), back.node);
        return Some((Sentence::new(session_past, words, places, RecordRole::Before), 2));
    }
    let words = format!(
        "{}{became} answered {answer}, which {} got at {}{deed}",
        other.node,
        back.node,
        stamp(session_past.at(back.place).at)
    );
    let places = stood_since.into_iter().chain([other.place, back.place]);
    Some((Sentence::new(session_past, words, places, RecordRole::Before), 2))
}

/// What each of several answered that the node asked in one step, where the step at the last place had them all: that
/// one came last, and need not be the one that decided. The answer that came last is told last.
fn all_answers(session_past: &SessionPast<'_>, asker: &PathStep, last: usize) -> Option<(Vec<String>, Vec<usize>)> {
    let asked: Vec<MessageId> = sent(session_past.step(asker.place)?.1).map(|(id, _)| id).collect();
    let steps = session_past.steps_before(asker.node, last).take_while(|place| *place > asker.place);
    let (mut answers, mut places): (Vec<(String, NodeSet)>, Vec<usize>) = Default::default();
    for place in std::iter::once(last).chain(steps) {
        let Input::Message { id, message } = &session_past.step(place)?.1.input else { continue };
        let heard = session_past.sending(*id).and_then(|sending| heard(session_past.step(sending)?.1));
        if !heard.is_some_and(|heard| asked.contains(&heard)) {
            continue;
        }
        places.push(place);
        add(&mut answers, told_alike(message), id.from);
    }
    let is_whole = answers.len() > 1 && places.len() == asked.len();
    let told = |(words, from): &(String, NodeSet)| format!("{from} answered {words}");
    is_whole.then(|| (answers.iter().rev().map(told).collect(), places))
}

/// Where a node stood that answered, if it neither believed in the one that asked nor was at rest by itself.
fn stood(node: NodeId, asker: NodeId, state: Option<&StateVector>) -> String {
    let says_much = |state: &&StateVector| match state.believes_in() {
        Some(coordinator) => coordinator != asker,
        None => state.course() == Course::Electing,
    };
    let told = |state| format!(", which {},", stands(node, state, Tense::Past));
    state.filter(says_much).map_or_else(String::new, told)
}

/// One message that several nodes pass on: each got what the one before got.
fn passed_on(session_past: &SessionPast<'_>, way: &[PathStep], place: usize) -> Option<(Sentence, usize)> {
    let got = |milestone: &PathStep| match session_past.step(milestone.place).map(|(_, step)| &step.input) {
        Some(Input::Message { message: text, .. }) => Some(text),
        _ => None,
    };
    let first = got(&way[place])?;
    let sent_so = |next: &PathStep| match &next.by {
        StepReason::Message { id, sending: Some(sending) } => session_past.sent_at(*sending, *id),
        _ => None,
    };
    let is_first = |text: &MessageText| is_same(text, first);
    // A garbled message is not what the one before passed on.
    let is_it = |next: &&PathStep| got(next).is_some_and(is_first) && sent_so(next).is_some_and(is_first);
    let taken = way[place..].iter().take_while(is_it).count();
    if taken < 2 {
        return None;
    }
    let run = &way[place..place + taken];
    let StepReason::Message { id, .. } = &run[0].by else { return None };
    let last = &run[taken - 1];
    let over: Vec<String> = run[..taken - 1].iter().map(|milestone| milestone.node.to_string()).collect();
    let deed = deed(session_past, way, place + taken - 1);
    let deed = if deed.is_empty() { String::new() } else { format!("; then {} {deed}", last.node) };
    let (first, at) = (message(first), stamp(session_past.at(last.place).at));
    let words = format!("{first} went from {} over {} to {} by {at}{deed}", id.from, in_a_row(&over), last.node);
    Some((Sentence::new(session_past, words, run.iter().map(|milestone| milestone.place), RecordRole::Before), taken))
}

/// What is missing of the way: the cause of its first milestone, or records in between.
fn missing(session_past: &SessionPast<'_>, way: &[PathStep]) -> Vec<Sentence> {
    let mut sentences = Vec::new();
    let (Some(first), Some(last)) = (way.first(), way.last()) else { return sentences };
    if first.by.is_untold() {
        let words = "Records are missing here: what came before this step is not on record, so its cause is not known";
        sentences.push(Sentence::new(session_past, words, [first.place], RecordRole::Before));
    }
    if way.len() == WAY_MAX {
        let words = format!("The way goes further back than its last {WAY_MAX} steps; what came before is not told");
        sentences.push(Sentence::new(session_past, words, [first.place], RecordRole::Before));
    }
    let nodes: NodeSet = way.iter().map(|milestone| milestone.node).collect();
    let is_of_way = |record: &Record| record.node.is_none_or(|node| nodes.contains(node));
    for (place, record) in session_past.between(first.place, last.place) {
        if let Body::Gap(missed) = &record.body
            && is_of_way(record)
        {
            let words =
                format!("{} records are missing here, lost {}: a cause may be among them", missed.count, missed.place);
            sentences.push(Sentence::new(session_past, words, [place], RecordRole::Beside));
        }
    }
    sentences
}
