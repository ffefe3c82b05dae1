//! What a liar said to whom, in the words of its row.
//!
//! Invariant: what was said differently to different receivers stands side by side, each with those who heard it.

use super::arrow::{Arrow, is_told};
use protocol::{LieSet, NodeSet};

/// The words of what one message says are cut after so many characters.
const FIELDS_MAX: usize = 28;
/// Those of a message that is the same for all are cut after so many.
const ALONE_MAX: usize = 40;

/// What the sender of these arrows said to whom, and which lies these are; nothing if there is no lie.
pub(super) fn said(lies: LieSet, arrows: &[Arrow]) -> String {
    let (false, Some(first)) = (lies.is_empty(), arrows.first()) else { return String::new() };
    let only = only_difference(arrows);
    let mut by_words: Vec<(String, NodeSet)> = Vec::new();
    for arrow in arrows {
        let words = match only {
            Some(name) => value_of(arrow, name).chars().take(FIELDS_MAX).collect(),
            None => told_fields(arrow, arrows),
        };
        match by_words.iter_mut().find(|(known, _)| *known == words) {
            Some((_, to)) => *to = to.union(&arrow.receivers()),
            None => by_words.push((words, arrow.receivers())),
        }
    }
    let each: Vec<String> = by_words.into_iter().map(|(words, to)| format!("{words}→{to}")).collect();
    let named = only.map_or_else(String::new, |name| format!(" {name}:"));
    let gap = if each[0].starts_with(['(', '→']) { "" } else { " " };
    format!("{} lies: {}{named}{gap}{} ({lies})", first.from, first.message.kind, each.join(" │ "))
}

/// The name of the one field in which these messages differ, if it is one.
fn only_difference(arrows: &[Arrow]) -> Option<&str> {
    let (first, others) = arrows.split_first()?;
    let has_its_names = |other: &Arrow| {
        let pairs = other.message.fields.iter().zip(&first.message.fields);
        other.message.fields.len() == first.message.fields.len() && pairs.into_iter().all(|(a, b)| a.0 == b.0)
    };
    if !others.iter().all(has_its_names) {
        return None;
    }
    let told = first.message.fields.iter().filter(|field| is_told(&field.0));
    let mut differing = told.filter(|field| others.iter().any(|other| !other.message.fields.contains(field)));
    let (name, _) = differing.next()?;
    differing.next().is_none().then_some(name.as_ref())
}

fn value_of<'a>(arrow: &'a Arrow, name: &str) -> &'a str {
    let field = arrow.message.fields.iter().find(|(of, _)| of == name);
    field.map_or("", |(_, value)| value.as_str())
}

/// The fields of a message: of several different ones those in which they differ, of one alone all of them in brackets.
fn told_fields(arrow: &Arrow, arrows: &[Arrow]) -> String {
    let is_same = |field: &_| arrows.iter().all(|other| other.message.fields.contains(field));
    let told = arrow.message.fields.iter().filter(|field| is_told(&field.0));
    let told = told.filter(|field| arrows.len() == 1 || !is_same(field));
    let told: Vec<String> = told.map(|(name, value)| format!("{name}={value}")).collect();
    let text: String = told.join(", ").chars().take(if arrows.len() == 1 { ALONE_MAX } else { FIELDS_MAX }).collect();
    if arrows.len() == 1 && !text.is_empty() { format!("({text})") } else { text }
}
