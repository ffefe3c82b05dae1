//! A long way in few sentences.
//!
//! Invariant: its end and its faults are the last to go, and a sentence in place of the rest says how much is left out.

use std::collections::BTreeSet;

use super::words::Sentence;

/// At most so many of these sentences, in their order.
pub(super) fn shortened(told: Vec<Sentence>, most: usize) -> Vec<Sentence> {
    if told.len() <= most {
        return told;
    }
    let last = told.len() - 1;
    // The end says what came of it, faults and waits say why, and the beginning says where it began.
    let mut named = BTreeSet::new();
    let faults: Vec<usize> =
        (0..last).filter(|place| told[*place].faults.iter().any(|fault| named.insert(*fault))).collect();
    let by_weight = [last].into_iter().chain(faults).chain([0]).chain((0..last).rev());
    let mut kept: BTreeSet<usize> = BTreeSet::new();
    for place in by_weight {
        if kept.len() + 1 < most {
            kept.insert(place);
        }
    }
    let first_gone = (0..told.len()).find(|place| !kept.contains(place));
    let gone: Vec<&Sentence> =
        told.iter().enumerate().filter(|(place, _)| !kept.contains(place)).map(|(_, one)| one).collect();
    let gap = left_out(&gone);
    let mut sentences = Vec::new();
    for (place, sentence) in told.iter().enumerate() {
        if Some(place) == first_gone {
            sentences.push(gap.clone());
        }
        if kept.contains(&place) {
            sentences.push(sentence.clone());
        }
    }
    sentences
}

fn left_out(gone: &[&Sentence]) -> Sentence {
    let numbers: BTreeSet<u64> =
        gone.iter().flat_map(|sentence| sentence.records.iter().map(|cited| cited.number)).collect();
    let sentences = match gone.len() {
        1 => "1 sentence".to_owned(),
        count => format!("{count} sentences"),
    };
    let text = match (numbers.first(), numbers.last()) {
        (Some(first), Some(last)) => format!("Left out: {sentences}, about records from {first} to {last}."),
        _ => format!("Left out: {sentences}."),
    };
    let mut faults: Vec<_> = gone.iter().flat_map(|sentence| sentence.faults.iter().copied()).collect();
    faults.sort_unstable();
    faults.dedup();
    Sentence { text, records: Vec::new(), faults }
}
