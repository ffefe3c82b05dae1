//! Lies on a way: what a liar said to those that heard it, and what it kept from those that waited.
//!
//! Invariant: a lie is told with the step that told it and the fault that ordered it, and only about whom it was told to.

use std::collections::{BTreeMap, BTreeSet};

use super::reading::heard;
use super::session_past::SessionPast;
use super::words::{RecordRole, Sentence};
use fault::{FaultId, FaultLine, ProcessFault};
use protocol::{Lie, NodeId, NodeSet, ToldLie};
use world::stamp;

/// What liars said in the messages that were heard in the steps that these sentences cite.
pub(super) fn heard_in(session_past: &SessionPast<'_>, sentences: &[Sentence]) -> Vec<Sentence> {
    let cited: BTreeSet<u64> =
        sentences.iter().flat_map(|sentence| &sentence.records).map(|cited| cited.number).collect();
    // By the place of each sending, who heard it.
    let mut heard_by: BTreeMap<usize, NodeSet> = BTreeMap::new();
    for place in cited.into_iter().filter_map(|number| session_past.numbered(number)) {
        let heard =
            session_past.step(place).and_then(|(receiver, step)| Some((receiver, session_past.sending(heard(step)?)?)));
        if let Some((receiver, sending)) = heard {
            heard_by.entry(sending).or_default().insert(receiver);
        }
    }
    let lies = heard_by.iter().flat_map(|(sending, receivers)| {
        let told = session_past.lies_at(*sending).filter(|(_, _, told)| !told.lie.keeps_back());
        told.map(move |(place, liar, told)| (place, liar, told, told.to.intersection(receivers)))
    });
    tell_alike(session_past, lies, RecordRole::Before)
}

/// What these liars kept from the node between these places, for a while or for ever.
pub(super) fn kept_back(
    session_past: &SessionPast<'_>,
    node: NodeId,
    is_liar: impl Fn(NodeId) -> bool,
    (from, to): (usize, usize),
) -> Vec<Sentence> {
    let lies = session_past
        .lies_between((from, to))
        .filter(|(_, liar, told)| told.lie.keeps_back() && told.to.contains(node) && is_liar(*liar));
    tell_alike(
        session_past,
        lies.map(|(place, liar, told)| (place, liar, told, NodeSet::of(node))),
        RecordRole::Silence,
    )
}

/// Lies of one kind of one liar, and who was told them.
struct LiesAlike<'a> {
    liar: NodeId,
    lie: Lie,
    to: NodeSet,
    places: Vec<usize>,
    words: Vec<&'a str>,
}

/// One sentence for the lies of one kind of one liar that were told to anybody.
fn tell_alike<'a>(
    session_past: &SessionPast<'_>,
    lies: impl Iterator<Item = (usize, NodeId, &'a ToldLie, NodeSet)>,
    bond: RecordRole,
) -> Vec<Sentence> {
    let mut alike: Vec<LiesAlike<'_>> = Vec::new();
    for (place, liar, told, to) in lies.filter(|(.., to)| !to.is_empty()) {
        let lie = told.lie;
        let known = alike.iter().position(|of| (of.liar, of.lie) == (liar, lie)).unwrap_or_else(|| {
            alike.push(LiesAlike { liar, lie, to: NodeSet::EMPTY, places: Vec::new(), words: Vec::new() });
            alike.len() - 1
        });
        let known = &mut alike[known];
        known.to = known.to.union(&to);
        known.places.push(place);
        known.words.push(&told.what);
    }
    alike.iter().map(|lies| tell(session_past, lies, bond)).collect()
}

fn tell(session_past: &SessionPast<'_>, lies: &LiesAlike<'_>, bond: RecordRole) -> Sentence {
    let LiesAlike { liar, to, places, words, .. } = lies;
    let by = ordered_by(session_past, *liar, lies.lie, places[0]);
    let who = match by.and_then(|by| session_past.fault(by)).zip(by) {
        Some(((_, line), by)) => format!("{by} ({line}) made {liar} lie"),
        None => format!("{liar} lied"),
    };
    let more = match words.len() - 1 {
        0 => String::new(),
        1 => "; once more it lied alike".to_owned(),
        times => format!("; {times} times more it lied alike"),
    };
    let words = format!("{who} to {to} at {}: it {}{more}", stamp(session_past.at(places[0]).at), words[0]);
    Sentence::new(session_past, words, places.iter().copied(), bond).about(by)
}

/// The latest fault that ordered the node to tell this lie.
fn ordered_by(session_past: &SessionPast<'_>, liar: NodeId, lie: Lie, before: usize) -> Option<FaultId> {
    let mut faults = session_past.faults_before(before);
    let orders = |line: &FaultLine| matches!(line, FaultLine::Process(ProcessFault::Liar(of), _) if *of == lie);
    faults.find(|(_, _, line, nodes)| orders(line) && nodes.contains(liar)).map(|(id, ..)| id)
}
