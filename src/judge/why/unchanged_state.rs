//! What keeps a state: whom it rests on is dead or stands still, or its own question never came to anybody.
//!
//! Invariant: these sentences tell what is so at the moment that is asked about, and not what led to the state: they
//! stand beside it.

use super::reading::{StoppedBy, begins, heard, loss, sent};
use super::session_past::SessionPast;
use super::stillness::stopped;
use super::words::{RecordRole, Sentence, message};
use super::{origin, silence};
use fault::FaultId;
use protocol::{Course, NodeId, NodeSet, StateVector};
use record::{Body, Death};
use world::stamp;

/// Of a node's questions at most so many are told.
const QUESTIONS_MAX: usize = 2;

/// What keeps the node in the state that began at the first place, as it is told at the second.
pub(super) fn of(session_past: &SessionPast<'_>, node: NodeId, (began, end): (usize, usize)) -> Vec<Sentence> {
    let Some((_, state)) = session_past.state_before(node, end) else { return Vec::new() };
    // Whose own process does not run is kept by that.
    if silence::of_process(session_past, node, end).is_some() {
        return Vec::new();
    }
    let told = match state.believes_in() {
        Some(coordinator) if coordinator != node => {
            absence(session_past, coordinator, (began, end)).map(|away| away.told(""))
        }
        _ => halted(session_past, node, state, (began, end)),
    };
    match told {
        Some(told) => vec![told.sentence(session_past)],
        None if state.course() == Course::Electing => asked_in_vain(session_past, node, (began, end)),
        None => Vec::new(),
    }
}

/// A sentence about what keeps a state, before it is written: its words, its records and its fault.
struct KeptState {
    words: String,
    places: Vec<usize>,
    by: Option<FaultId>,
}

impl KeptState {
    fn sentence(self, session_past: &SessionPast<'_>) -> Sentence {
        Sentence::new(session_past, self.words, self.places, RecordRole::Beside).about(self.by)
    }
}

/// Since when a node is not there for those that wait for it.
struct Absence {
    /// `4 has been dead since 1.600 s: f2 crashed it`.
    words: String,
    place: usize,
    by: Option<FaultId>,
}

impl Absence {
    /// It, behind these words.
    fn told(self, before: &str) -> KeptState {
        KeptState { words: format!("{before}{}", self.words), places: vec![self.place], by: self.by }
    }
}

/// Whether the node's process is dead, stands still, or is another one than when that state began.
fn absence(session_past: &SessionPast<'_>, node: NodeId, (began, end): (usize, usize)) -> Option<Absence> {
    let place = session_past.latest_life(node, end)?;
    let record = session_past.at(place);
    let since = stamp(record.at);
    let (what, why, by) = match &record.body {
        Body::Died { death: Death::Killed { by } } => ("been dead", format!("{by} crashed it"), Some(*by)),
        Body::Died { death: Death::Exited { code } } => {
            ("been dead", format!("it exited by itself, with code {code}"), None)
        }
        Body::Died { death: Death::Signalled { signal } } => {
            ("been dead", format!("a signal that the lab did not send, {signal}, ended it"), None)
        }
        Body::Spawned { .. } if place > began => {
            let by = origin::recovery(session_past, node, end).map(|(by, _)| by);
            ("had a new process", by.map_or_else(String::new, |by| format!("{by} recovered it")), by)
        }
        body => match begins(body)? {
            by @ StoppedBy::Fault(fault) => ("stood still", format!("{} it", stopped(session_past, by)), Some(fault)),
            StoppedBy::Somebody => ("stood still", "somebody else stopped it".to_owned(), None),
        },
    };
    let why = if why.is_empty() { why } else { format!(": {why}") };
    Some(Absence { words: format!("{node} has {what} since {since}{why}"), place, by })
}

/// The node waits in an election for another one that halted it and is not there.
fn halted(
    session_past: &SessionPast<'_>,
    node: NodeId,
    state: &StateVector,
    (began, end): (usize, usize),
) -> Option<KeptState> {
    let halter = state.halted_by.filter(|halter| *halter != node && state.course() == Course::Electing)?;
    let before = format!("{node} waits for {halter}, whose Halt it obeys; ");
    absence(session_past, halter, (began, end)).map(|away| away.told(&before))
}

/// What the node sent in its election that never came to anybody, or that is known to nobody but a dead node.
fn asked_in_vain(session_past: &SessionPast<'_>, node: NodeId, (began, end): (usize, usize)) -> Vec<Sentence> {
    let mut lost = lost_questions(session_past, node, (began, end));
    let asked: NodeSet = lost.iter().map(|question| question.to).collect();
    lost.sort_by(|one, other| (one.by, &one.words).cmp(&(other.by, &other.words)));
    let alike = lost.chunk_by(|one, other| (one.by, one.what, &one.words) == (other.by, other.what, &other.words));
    let mut told: Vec<Sentence> = alike
        .map(|questions| {
            let LostQuestion { words, by, what, .. } = &questions[0];
            let to: NodeSet = questions.iter().map(|question| question.to).collect();
            let line = session_past.fault(*by).map_or_else(String::new, |(_, line)| format!(" ({line})"));
            let taken = if *what == "held back" { "held it back".to_owned() } else { format!("{what} it") };
            let words = format!("{node} sent {words} to {to} and has no answer: {by}{line} {taken}");
            let places = questions.iter().flat_map(|question| question.places);
            Sentence::new(session_past, words, places, RecordRole::Beside).about([*by])
        })
        .collect();
    told.extend(to_absent(session_past, node, asked, (began, end)));
    told.truncate(QUESTIONS_MAX);
    told
}

/// A message that did not come to its receiver.
struct LostQuestion {
    words: String,
    to: NodeId,
    by: FaultId,
    what: &'static str,
    places: [usize; 2],
}

/// Of each kind of message to each receiver the latest one that the node sent between these places, if a fault took it.
fn lost_questions(session_past: &SessionPast<'_>, node: NodeId, (began, end): (usize, usize)) -> Vec<LostQuestion> {
    let mut latest = Vec::new();
    let mut lost = Vec::new();
    for place in session_past.steps_before(node, end).take_while(|place| *place >= began) {
        let Some((_, step)) = session_past.step(place) else { continue };
        for (id, text) in sent(step) {
            let Some(to) = id.to.filter(|to| !latest.contains(&(*to, &text.kind))) else { continue };
            latest.push((to, &text.kind));
            let ends: Vec<usize> = session_past.ends_of(id, to).filter(|at| *at < end).collect();
            if ends.iter().any(|at| session_past.at(*at).step().is_some()) {
                continue;
            }
            let taken = ends.iter().find_map(|at| {
                let (_, by, what) = loss(session_past.at(*at))?;
                Some((*at, by?, what))
            });
            if let Some((at, by, what)) = taken {
                lost.push(LostQuestion { words: message(text), to, by, what, places: [place, at] });
            }
        }
    }
    lost
}

/// What the node sent when the state began, to one that is not there any more.
fn to_absent(
    session_past: &SessionPast<'_>,
    node: NodeId,
    told: NodeSet,
    (began, end): (usize, usize),
) -> Vec<Sentence> {
    let Some((_, step)) = session_past.step(began) else { return Vec::new() };
    let spoke = heard(step).map(|id| id.from);
    let mut sentences = Vec::new();
    let mut asked = told;
    for (id, text) in sent(step) {
        // What it sent to a node that had just spoken asked for nothing.
        let Some(to) = id.to.filter(|to| Some(*to) != spoke && !asked.contains(*to)) else { continue };
        asked.insert(to);
        let before = format!("{node} sent {} to {to}, and ", message(text));
        if let Some(away) = absence(session_past, to, (began, end)) {
            let mut told = away.told(&before);
            told.places.push(began);
            sentences.push(told.sentence(session_past));
        }
    }
    sentences
}
