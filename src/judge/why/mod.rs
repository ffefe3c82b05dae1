//! Why: the causes of a state or a violation in sentences, each with the numbers of the records that it rests on.
//!
//! It knows records, what the session's head says of the algorithm, and no algorithm by name. [`way`] goes back from
//! cause to cause, [`telling`] puts the way into sentences; beside each silence stands what [`silence`] knows of it.
//!
//! Invariant: what comes before is told as that. Whether a fault was needed only a rerun without it can tell.

mod against;
mod annals;
mod comeback;
mod contradiction;
mod deeds;
mod index;
mod indexed_records;
mod lies;
mod losses;
mod need;
mod origin;
mod reading;
mod shortening;
mod silence;
mod standing;
mod stillness;
mod telling;
#[cfg(test)]
mod tests;
mod way;
mod words;

pub use self::annals::Annals;
pub use self::indexed_records::IndexedRecords;
pub use self::need::{Need, Search, Sought};
pub use self::reading::records_read;
pub(super) use self::words::message;
pub use self::words::{Bond, Cited, Sentence};
use self::words::{Tense, stands};

use fault::FaultId;
use protocol::{Course, NodeId, NodeSet, StateVector};
use record::Body;
use world::stamp;

/// What is asked about.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
pub enum AskedWhy {
    /// The state of a node at the end of the annals.
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
    /// Why it is so; nothing if the annals do not hold it.
    pub fn answer(self, annals: &Annals<'_>) -> Option<Explanation> {
        match self {
            AskedWhy::Node(node) => Some(why(annals, node)),
            AskedWhy::Record(number) => why_record(annals, number),
        }
    }
}

/// Why the node is in its state at the end of the annals, and why it does not coordinate, if it does not.
pub fn why(annals: &Annals<'_>, node: NodeId) -> Explanation {
    explain_whole(annals, node, annals.end(), telling::SENTENCES_MAX, &mut Vec::new())
}

/// Why the record of this number says what it says: its node's state after it, or its violation. Nothing if there is no
/// such record.
pub fn why_record(annals: &Annals<'_>, number: u64) -> Option<Explanation> {
    let place = annals.numbered(number)?;
    let record = annals.at(place);
    match (&record.body, record.node) {
        (Body::Violation(_), _) => contradiction::explain_at(annals, place),
        (_, Some(node)) => Some(explain_whole(annals, node, place + 1, telling::SENTENCES_MAX, &mut Vec::new())),
        (_, None) => None,
    }
}

/// The numbers of the records of all violations, in order.
pub fn violations(annals: &Annals<'_>) -> Vec<u64> {
    let records = annals.between(0, annals.end()).map(|(_, record)| record);
    records.filter(|record| matches!(record.body, Body::Violation(_))).map(|record| record.number).collect()
}

/// The nodes that coordinate at the end of the annals.
pub fn coordinators(annals: &Annals<'_>) -> NodeSet {
    let coordinates = |node: &NodeId| {
        annals.state_before(*node, annals.end()).is_some_and(|(_, state)| state.coordinates(*node))
            && silence::of_process(annals, *node, annals.end()).is_none()
    };
    annals.nodes().filter(coordinates).collect()
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

/// Why the node is in its state at the end of the annals, in one sentence and its parts.
pub fn in_brief(annals: &Annals<'_>, node: NodeId) -> WhyInBrief {
    let told = explain(annals, node, annals.end(), usize::MAX, &mut Vec::new());
    let because = told.sentences.iter().find(|sentence| !sentence.faults.is_empty()).or(told.sentences.first());
    let state = annals.state_before(node, annals.end());
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
    annals: &Annals<'_>,
    node: NodeId,
    end: usize,
    most: usize,
    before: &mut Vec<Sentence>,
) -> Explanation {
    let mut told = explain(annals, node, end, most, before);
    if let Some((began, state)) = annals.stance_before(node, end) {
        if !state.coordinates(node) {
            told.against = against::tell(annals, node, began, end);
        }
        told.sentences.extend(standing::of(annals, node, (began, end)));
    }
    told
}

/// Why the node is in its state before that place, its way in at most so many sentences. Those that were told before, of
/// another node, are not told again, and nothing of what keeps it there.
fn explain(annals: &Annals<'_>, node: NodeId, end: usize, most: usize, before: &mut Vec<Sentence>) -> Explanation {
    let process = silence::of_process(annals, node, end).map(Sentence::beside);
    let Some((place, state)) = annals.stance_before(node, end) else {
        let headline = process.unwrap_or_else(|| {
            let words = match annals.begins_at() {
                Some(at) => format!("What {node} did before {} is not on record here", stamp(at)),
                None => format!("Nothing is on record of a state of {node} at this moment"),
            };
            Sentence::new(annals, words, [], Bond::Beside)
        });
        return Explanation { headline, ..Explanation::default() };
    };
    let way = way::way_to(annals, place);
    let mut sentences = telling::tell(annals, &way, most, before);
    if state.course() != Course::AtRest {
        let lost = silence::losses_to(annals, node, (place, end)).into_iter();
        sentences.extend(lost.map(Sentence::beside));
    }
    sentences.extend(process);
    sentences.extend(silence::unrecorded(annals, node, (place, end)));
    let headline = headline(annals, node, place, end).unwrap_or_default();
    Explanation { headline, sentences, ..Explanation::default() }
}

/// The node's state before this place, and the place of the step since which its states are the same in this respect.
fn so_since<'a>(
    annals: &Annals<'a>,
    node: NodeId,
    end: usize,
    is_same: impl Fn(&StateVector, &StateVector) -> bool,
) -> Option<(usize, &'a StateVector)> {
    let (mut began, state) = annals.state_before(node, end)?;
    while let Some((place, other)) = annals.state_before(node, began)
        && is_same(state, other)
        && place < began
    {
        // A new process begins anew, whatever it holds.
        if matches!(annals.step(began), Some((_, step)) if matches!(step.input, record::Input::Start { .. })) {
            break;
        }
        began = place;
    }
    Some((began, state))
}

/// Why the node has its task before that place, if it has one of its coordinator: the way to the step that gave it.
fn explain_task(
    annals: &Annals<'_>,
    node: NodeId,
    end: usize,
    most: usize,
    before: &mut Vec<Sentence>,
) -> Option<Explanation> {
    let is_same =
        |one: &StateVector, other: &StateVector| (one.believes_in(), &one.task) == (other.believes_in(), &other.task);
    let (place, state) = so_since(annals, node, end, is_same)?;
    let (coordinator, task) = state.believes_in().zip(state.task.as_ref())?;
    let since = stamp(annals.at(place).at);
    let words = format!("{node} has had task {task} under {coordinator} since {since}, in {}", state.word);
    let headline = Sentence::new(annals, words, [place], Bond::Before);
    let sentences = telling::tell(annals, &way::way_to(annals, place), most, before);
    Some(Explanation { headline, sentences, ..Explanation::default() })
}

fn headline(annals: &Annals<'_>, node: NodeId, began: usize, end: usize) -> Option<Sentence> {
    let (_, state) = annals.state_before(node, end)?;
    let word = &state.word;
    let since = annals.word_since(node, end)?.max(began);
    let words = format!("{node} {} since {}", stands(node, state, Tense::Perfect), stamp(annals.at(began).at));
    let words = match (state.believes_in(), since == began) {
        (None, _) => return Some(Sentence::new(annals, words, [began], Bond::Before)),
        (_, true) => format!("{words}, in {word}"),
        (_, false) => format!("{words}, and has been in {word} since {}", stamp(annals.at(since).at)),
    };
    let mut headline = Sentence::new(annals, words, [began, since], Bond::Before);
    headline.records.iter_mut().skip(1).for_each(|cited| cited.bond = Bond::Beside);
    Some(headline)
}
