//! Why: the causes of a state or a violation in sentences, each with the numbers of the records that it rests on.
//!
//! It knows records, what the session's head says of the algorithm, and no algorithm by name. [`way`] goes back from
//! cause to cause, [`telling`] puts the way into sentences; beside each silence stands what [`silence`] knows of it.
//!
//! Invariant: what comes before is told as that. Whether a fault was needed only a rerun without it can tell.

mod causal_path;
mod contradiction;
mod index;
mod indexed_records;
mod lies;
mod losses;
mod need;
mod origin;
mod outranked;
mod reading;
mod restarted;
mod session_past;
mod shortening;
mod silence;
mod step_words;
mod stillness;
mod telling;
#[cfg(test)]
mod tests;
mod unchanged_state;
mod words;

pub use self::indexed_records::IndexedRecords;
pub use self::need::{Need, RerunGoal, Search};
pub use self::reading::records_read;
pub use self::session_past::SessionPast;
pub(super) use self::words::message;
pub use self::words::{Cited, RecordRole, Sentence};
use self::words::{Tense, stands};

use fault::FaultId;
use protocol::{Course, NodeId, NodeSet, StateVector};
use record::Body;
use world::stamp;

/// What is asked about.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
pub enum AskedWhy {
    /// The state of a node at the end of the records of the past.
    Node(NodeId),
    /// The record of this number: its node's state after it, or its violation.
    Record(u64),
}

/// Why something is so.
#[derive(Clone, Debug, Default, Eq, PartialEq, serde::Serialize)]
pub struct Explanation {
    /// What is so, and since when.
    pub headline: Sentence,
    /// Why, the earliest cause first.
    pub sentences: Vec<Sentence>,
    /// What speaks against another outcome: why a node that takes part does not coordinate.
    pub against: Vec<Sentence>,
    /// What reruns of the lab without a fault have shown, if there were any.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub needs: Vec<String>,
}

impl Explanation {
    /// All its sentences, in order.
    pub fn all(&self) -> impl Iterator<Item = &Sentence> {
        [&self.headline].into_iter().chain(&self.sentences).chain(&self.against)
    }

    /// The faults that it names, each once.
    pub fn faults(&self) -> Vec<FaultId> {
        let mut faults: Vec<FaultId> = self.all().flat_map(|sentence| sentence.faults.iter().copied()).collect();
        faults.sort_unstable();
        faults.dedup();
        faults
    }
}

impl AskedWhy {
    /// Why it is so; nothing if the records of the past do not hold it.
    pub fn answer(self, session_past: &SessionPast<'_>) -> Option<Explanation> {
        match self {
            AskedWhy::Node(node) => Some(why(session_past, node)),
            AskedWhy::Record(number) => why_record(session_past, number),
        }
    }
}

/// Why the node is in its state at the end of the records of the past, and why it does not coordinate, if it does not.
pub fn why(session_past: &SessionPast<'_>, node: NodeId) -> Explanation {
    explain_whole(session_past, node, session_past.end(), telling::SENTENCES_MAX, &mut Vec::new())
}

/// Why the record of this number says what it says: its node's state after it, or its violation. Nothing if there is no
/// such record.
pub fn why_record(session_past: &SessionPast<'_>, number: u64) -> Option<Explanation> {
    let place = session_past.numbered(number)?;
    let record = session_past.at(place);
    match (&record.body, record.node) {
        (Body::Violation(_), _) => contradiction::explain_at(session_past, place),
        (_, Some(node)) => Some(explain_whole(session_past, node, place + 1, telling::SENTENCES_MAX, &mut Vec::new())),
        (_, None) => None,
    }
}

/// The numbers of the records of all violations, in order.
pub fn violations(session_past: &SessionPast<'_>) -> Vec<u64> {
    let records = session_past.between(0, session_past.end()).map(|(_, record)| record);
    records.filter(|record| matches!(record.body, Body::Violation(_))).map(|record| record.number).collect()
}

/// The nodes that coordinate at the end of the records of the past.
pub fn coordinators(session_past: &SessionPast<'_>) -> NodeSet {
    let coordinates = |node: &NodeId| {
        session_past.state_before(*node, session_past.end()).is_some_and(|(_, state)| state.coordinates(*node))
            && silence::of_process(session_past, *node, session_past.end()).is_none()
    };
    session_past.nodes().filter(coordinates).collect()
}

/// An answer in one sentence, and its parts for a place in which that does not fit.
#[derive(Clone, Debug, Default)]
pub struct WhyInBrief {
    /// The state, the last known reason of a silence, and where the election began.
    pub sentence: Sentence,
    /// The state alone: `4 coordinates`.
    pub state: String,
    /// The cause alone, if one is known: `f1 crashed 5 at 2.001 s`.
    pub cause: Option<String>,
}

/// Why the node is in its state at the end of the records of the past, in one sentence and its parts.
pub fn in_brief(session_past: &SessionPast<'_>, node: NodeId) -> WhyInBrief {
    let told = explain(session_past, node, session_past.end(), usize::MAX, &mut Vec::new());
    let because = told.sentences.iter().find(|sentence| !sentence.faults.is_empty()).or(told.sentences.first());
    let state = session_past.state_before(node, session_past.end());
    let state = state.map(|(_, state)| format!("{node} {}", stands(node, state, Tense::Present)));
    WhyInBrief {
        sentence: joined(&told.headline, because),
        state: state.unwrap_or_else(|| told.headline.words.clone()),
        cause: because.map(|because| because.words.clone()),
    }
}

/// The headline and its cause in one sentence.
fn joined(told: &Sentence, because: Option<&Sentence>) -> Sentence {
    let Some(because) = because else { return told.clone() };
    let headline = told.with_numbers();
    let mut records = told.records.clone();
    records.extend(because.records.iter().filter(|cited| !told.records.contains(cited)));
    let text = format!("{headline}: {}", because.text);
    let words = format!("{headline}: {}", because.words);
    Sentence { text, words, records, faults: because.faults.clone() }
}

/// Why the node is in its state before that place, what keeps it there, and why it does not coordinate, if it does not.
fn explain_whole(
    session_past: &SessionPast<'_>,
    node: NodeId,
    end: usize,
    most: usize,
    before: &mut Vec<Sentence>,
) -> Explanation {
    let mut told = explain(session_past, node, end, most, before);
    if let Some((began, state)) = session_past.stance_before(node, end) {
        if !state.coordinates(node) {
            told.against = outranked::tell(session_past, node, began, end);
        }
        told.sentences.extend(unchanged_state::of(session_past, node, (began, end)));
    }
    told
}

/// Why the node is in its state before that place, its way in at most so many sentences. Those that were told before, of
/// another node, are not told again, and nothing of what keeps it there.
fn explain(
    session_past: &SessionPast<'_>,
    node: NodeId,
    end: usize,
    most: usize,
    before: &mut Vec<Sentence>,
) -> Explanation {
    let process = silence::of_process(session_past, node, end).map(Sentence::beside);
    let Some((place, state)) = session_past.stance_before(node, end) else {
        let headline = process.unwrap_or_else(|| {
            let words = match session_past.begins_at() {
                Some(at) => format!("What {node} did before {} is not on record here", stamp(at)),
                None => format!("Nothing is on record of a state of {node} at this moment"),
            };
            Sentence::new(session_past, words, [], RecordRole::Beside)
        });
        return Explanation { headline, ..Explanation::default() };
    };
    let way = causal_path::way_to(session_past, place);
    let mut sentences = telling::tell(session_past, &way, most, before);
    if state.course() != Course::AtRest {
        let lost = silence::losses_to(session_past, node, (place, end)).into_iter();
        sentences.extend(lost.map(Sentence::beside));
    }
    sentences.extend(process);
    sentences.extend(silence::unrecorded(session_past, node, (place, end)));
    let headline = headline(session_past, node, place, end).unwrap_or_default();
    Explanation { headline, sentences, ..Explanation::default() }
}

/// The node's state before this place, and the place of the step since which its states are the same in this respect.
fn so_since<'a>(
    session_past: &SessionPast<'a>,
    node: NodeId,
    end: usize,
    is_same: impl Fn(&StateVector, &StateVector) -> bool,
) -> Option<(usize, &'a StateVector)> {
    let (mut began, state) = session_past.state_before(node, end)?;
    while let Some((place, other)) = session_past.state_before(node, began)
        && is_same(state, other)
        && place < began
    {
        // A new process begins anew, whatever it holds.
        if matches!(session_past.step(began), Some((_, step)) if matches!(step.input, record::Input::Start { .. })) {
            break;
        }
        began = place;
    }
    Some((began, state))
}

/// Why the node has its task before that place, if it has one of its coordinator: the way to the step that gave it.
fn explain_task(
    session_past: &SessionPast<'_>,
    node: NodeId,
    end: usize,
    most: usize,
    before: &mut Vec<Sentence>,
) -> Option<Explanation> {
    let is_same =
        |one: &StateVector, other: &StateVector| (one.believes_in(), &one.task) == (other.believes_in(), &other.task);
    let (place, state) = so_since(session_past, node, end, is_same)?;
    let (coordinator, task) = state.believes_in().zip(state.task.as_ref())?;
    let since = stamp(session_past.at(place).at);
    let words = format!("{node} has had task {task} under {coordinator} since {since}, in {}", state.word);
    let headline = Sentence::new(session_past, words, [place], RecordRole::Before);
    let sentences = telling::tell(session_past, &causal_path::way_to(session_past, place), most, before);
    Some(Explanation { headline, sentences, ..Explanation::default() })
}

fn headline(session_past: &SessionPast<'_>, node: NodeId, began: usize, end: usize) -> Option<Sentence> {
    let (_, state) = session_past.state_before(node, end)?;
    let word = &state.word;
    let since = session_past.word_since(node, end)?.max(began);
    let words = format!("{node} {} since {}", stands(node, state, Tense::Perfect), stamp(session_past.at(began).at));
    let words = match (state.believes_in(), since == began) {
        (None, _) => return Some(Sentence::new(session_past, words, [began], RecordRole::Before)),
        (_, true) => format!("{words}, in {word}"),
        (_, false) => format!("{words}, and has been in {word} since {}", stamp(session_past.at(since).at)),
    };
    let mut headline = Sentence::new(session_past, words, [began, since], RecordRole::Before);
    headline.records.iter_mut().skip(1).for_each(|cited| cited.bond = RecordRole::Beside);
    Some(headline)
}
