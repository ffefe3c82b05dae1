//! The words of sentences: what they cite, and how they name messages, spans and states.
//!
//! Invariant: a sentence ends in the numbers of all records that it rests on, and holds no name of the code.

use super::session_past::SessionPast;
use fault::FaultId;
use protocol::{Course, NodeId, Span, StateVector};
use record::MessageText;
use world::length;

/// A sentence gives this many numbers, and says how many more there are.
const NUMBERS_MAX: usize = 5;

/// Fields that number what is handed from one node to the next, anew each time.
const NUMBERING: &[&str] = &["call", "handover"];
/// The field that numbers elections: it says little to a reader.
const ELECTION: &str = "election";

/// One sentence of an explanation.
#[derive(Clone, Debug, Default, Eq, PartialEq, serde::Serialize)]
pub struct Sentence {
    /// The whole sentence. It ends in the numbers of its records.
    pub text: String,
    /// The words, without these numbers and its full stop.
    #[serde(skip)]
    pub(super) words: String,
    /// The records that it rests on.
    pub records: Vec<Cited>,
    /// The faults in it.
    pub faults: Vec<FaultId>,
}

/// A record that a sentence rests on.
#[derive(Copy, Clone, Debug, Eq, PartialEq, serde::Serialize)]
pub struct Cited {
    pub number: u64,
    /// How it belongs to what is explained.
    pub bond: RecordRole,
}

/// How a record belongs to the state that is explained.
#[derive(Copy, Clone, Debug, Eq, PartialEq, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum RecordRole {
    /// Happened before the state, or is its own step.
    Before,
    /// Tells why somebody was silent: time alone joins it to the state.
    Silence,
    /// Is neither: what is known about the state, the process or the session besides.
    Beside,
}

impl Sentence {
    /// A sentence of these words, without its full stop, that rests on the records at these places.
    pub(super) fn new(
        session_past: &SessionPast<'_>,
        words: impl Into<String>,
        places: impl IntoIterator<Item = usize>,
        bond: RecordRole,
    ) -> Sentence {
        let mut records: Vec<Cited> = Vec::new();
        let mut places: Vec<usize> = places.into_iter().collect();
        places.sort_unstable();
        for place in places {
            let number = session_past.at(place).number;
            if number > 0 && !records.iter().any(|cited| cited.number == number) {
                records.push(Cited { number, bond });
            }
        }
        let mut sentence = Sentence { text: String::new(), words: words.into(), records, faults: Vec::new() };
        sentence.text = format!("{}.", sentence.with_numbers());
        sentence
    }

    /// The words, with the numbers of its records and without its full stop.
    pub(super) fn with_numbers(&self) -> String {
        let numbers: Vec<u64> = self.records.iter().map(|cited| cited.number).collect();
        format!("{}{}", self.words, in_parentheses(&numbers))
    }

    /// The same, as something that stands beside what is explained.
    pub(super) fn beside(mut self) -> Sentence {
        self.records.iter_mut().for_each(|cited| cited.bond = RecordRole::Beside);
        self
    }

    /// The same, about these faults.
    pub(super) fn about(mut self, faults: impl IntoIterator<Item = FaultId>) -> Sentence {
        for fault in faults {
            if !self.faults.contains(&fault) {
                self.faults.push(fault);
            }
        }
        self
    }
}

/// Numbers as a sentence ends in them: ` (3, 5, 6)`.
pub(super) fn in_parentheses(numbers: &[u64]) -> String {
    let shown: Vec<String> = numbers.iter().take(NUMBERS_MAX).map(u64::to_string).collect();
    match numbers.len().saturating_sub(NUMBERS_MAX) {
        _ if numbers.is_empty() => String::new(),
        0 => format!(" ({})", shown.join(", ")),
        more => format!(" ({} and {more} more)", shown.join(", ")),
    }
}

/// Words in a row: `a`, `a and b`, `a, b and c`.
pub(super) fn in_a_row(words: &[String]) -> String {
    match words {
        [] => String::new(),
        [one] => one.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

/// The kind, and the fields that say something to a reader.
pub(crate) fn message(text: &MessageText) -> String {
    let telling = text.fields.iter().filter(|(name, _)| !NUMBERING.contains(&&**name) && name != ELECTION);
    let fields: Vec<String> = telling.map(|(name, value)| format!("{name}={value}")).collect();
    if fields.is_empty() { text.kind.to_string() } else { format!("{}({})", text.kind, fields.join(", ")) }
}

/// Whether one is the other, passed on. What has no field of its own may be any of its kind.
pub(super) fn is_same(one: &MessageText, other: &MessageText) -> bool {
    let own = |text: &'_ MessageText| {
        let fields = text.fields.iter().filter(|(name, _)| !NUMBERING.contains(&&**name));
        fields.cloned().collect::<Vec<_>>()
    };
    one.kind == other.kind && own(one) == own(other) && !own(one).is_empty()
}

/// A span as a multiple of T, if it is one of a few, or as a duration.
pub(super) fn span(session_past: &SessionPast<'_>, span: Span) -> String {
    let multiple = |t: Span| (1..=9).find(|times| t * *times == span && t > Span::ZERO);
    match session_past.t().and_then(multiple) {
        Some(1) => "T".to_owned(),
        Some(times) => format!("{times}T"),
        None => length(i64::try_from(span.nanos()).unwrap_or(i64::MAX)),
    }
}

/// What a node came to by a step, if that changed anything that a reader sees: `took itself for the coordinator`.
pub(super) fn became(node: NodeId, before: Option<&StateVector>, after: &StateVector) -> Option<String> {
    let believed = before.and_then(StateVector::believes_in);
    match after.believes_in() {
        Some(coordinator) if believed != Some(coordinator) && coordinator == node => {
            Some(format!("took itself for the coordinator ({})", after.word))
        }
        Some(coordinator) if believed != Some(coordinator) => {
            Some(format!("took {coordinator} for its coordinator ({})", after.word))
        }
        _ if before.is_none_or(|before| before.word != after.word) && after.course() != Course::Idle => {
            Some(format!("came into {}", after.word))
        }
        _ => None,
    }
}

/// The tense in which a stance is told.
#[derive(Copy, Clone)]
pub(super) enum Tense {
    Present,
    Perfect,
    Past,
}

/// How the node stands in this state, as the rest of a sentence about it: `coordinates`, `has followed 2`, `was in Wait`.
pub(super) fn stands(node: NodeId, state: &StateVector, tense: Tense) -> String {
    let verb = |forms: [&'static str; 3]| forms[tense as usize];
    match state.believes_in() {
        Some(coordinator) if coordinator == node => verb(["coordinates", "has coordinated", "coordinated"]).to_owned(),
        Some(coordinator) => format!("{} {coordinator}", verb(["follows", "has followed", "followed"])),
        None => format!("{} {}", verb(["is in", "has been in", "was in"]), state.word),
    }
}

/// Whether a step turned its node to another word or another coordinator.
pub(super) fn turned(before: Option<&StateVector>, after: &StateVector) -> bool {
    before.is_none_or(|before| before.word != after.word || before.believes_in() != after.believes_in())
}
