//! A long way in few sentences.
//!
//! Invariant: its end and its faults are the last to go, and a sentence in place of the rest says how much is left out.

use std::collections::BTreeSet;

use super::words::{RecordRole, Sentence};

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
    let cited: BTreeSet<u64> = kept.iter().flat_map(|place| numbers(&told[*place])).collect();
    let gap = left_out(&gone, &cited);
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

/// The steps that a sentence tells of.
fn numbers(sentence: &Sentence) -> impl Iterator<Item = u64> + '_ {
    sentence.records.iter().filter(|cited| cited.bond == RecordRole::Before).map(|cited| cited.number)
}

/// How many steps these sentences tell of that nothing else does.
fn left_out(gone: &[&Sentence], cited: &BTreeSet<u64>) -> Sentence {
    let told: BTreeSet<u64> = gone.iter().flat_map(|sentence| numbers(sentence)).collect();
    let steps: Vec<u64> = told.difference(cited).copied().collect();
    let words = match steps[..] {
        [] => "Left out here: more of the same".to_owned(),
        [one] => format!("Left out here: 1 step of the way, record {one}"),
        [first, .., last] => format!("Left out here: {} steps of the way, from record {first} to {last}", steps.len()),
    };
    let mut faults: Vec<_> = gone.iter().flat_map(|sentence| sentence.faults.iter().copied()).collect();
    faults.sort_unstable();
    faults.dedup();
    Sentence { text: format!("{words}."), words, records: Vec::new(), faults }
}
