//! Parses the expectations of a lab file.
//!
//! Invariant: a condition of the end has no `within`, `after` or `stays`; every other condition has `within`.

use std::collections::BTreeMap;

use super::Expectation;
use super::application::Known;
use super::error::TOLD_MAX;
use super::reader::{PlacedTable, Reader, did_you_mean};
use super::step::{NamedStep, condition};
use crate::protocol::Span;

pub(super) const KEYS: &[&str] = &["that", "after", "within", "stays"];

/// The expectations of a lab, in the order of the file.
pub(super) fn expectations<'a>(
    reader: &mut Reader<'a>,
    lab: &PlacedTable<'a>,
    known: Known,
    t: Span,
    steps: &[NamedStep],
) -> Option<Vec<Expectation>> {
    let tables =
        lab.entries.get("expect").map(|value| reader.tables(value, "expect", "expectation")).unwrap_or_default();
    let mut steps = StepPlaces::of(steps);
    let list: Vec<Option<Expectation>> =
        tables.iter().map(|table| expectation(reader, table, known, t, &mut steps)).collect();
    list.into_iter().collect()
}

/// The steps by name.
struct StepPlaces<'s> {
    names: Vec<&'s str>,
    places: BTreeMap<&'s str, usize>,
    /// For how many more names a step of nearly that name is looked for: so many errors are told at most.
    searches_left: usize,
}

impl<'s> StepPlaces<'s> {
    fn of(steps: &'s [NamedStep]) -> StepPlaces<'s> {
        let names: Vec<&str> = steps.iter().map(|step| step.name.as_str()).collect();
        // Of two steps of one name, which is an error, the first counts.
        let places = names.iter().enumerate().rev().map(|(index, name)| (*name, index)).collect();
        StepPlaces { names, places, searches_left: TOLD_MAX }
    }

    /// What was expected in place of a name that no step has.
    fn instead_of(&mut self, name: &str) -> String {
        if self.names.is_empty() {
            return "there are no steps".to_owned();
        }
        if self.searches_left == 0 {
            return "expected a step's name".to_owned();
        }
        self.searches_left -= 1;
        did_you_mean(name, &self.names)
    }
}

fn expectation<'a>(
    reader: &mut Reader<'a>,
    table: &PlacedTable<'a>,
    known: Known,
    t: Span,
    steps: &mut StepPlaces<'_>,
) -> Option<Expectation> {
    reader.only_keys(table, KEYS);
    let that =
        reader.required(table, "that", "that = \"coordinator 4\"").and_then(|value| condition(reader, value, known));
    if let Some((text, condition)) = &that
        && condition.is_at_end()
    {
        for key in ["after", "within", "stays"] {
            if let Some(value) = table.entries.get(key) {
                let what = format!("`{condition}` is checked at the end of the lab, so it takes no `{key}`");
                reader.wrong(value.span(), what, "nothing is expected here", format!("remove `{key}`"));
            }
        }
        let text = text.value.to_owned();
        return Some(Expectation { that: condition.clone(), text, after: None, within: Span::ZERO, stays: Span::ZERO });
    }
    let after = match table.entries.get("after") {
        None => Some(None),
        Some(value) => reader.text(value, "a step's name").and_then(|name| {
            let index = steps.places.get(name.value).copied();
            if index.is_none() {
                let expected = steps.instead_of(name.value);
                let remedy = "name a step of this lab; or remove `after`, and the time counts from the start of the \
                              script";
                reader.wrong(name.at, format!("there is no step \"{}\"", name.value), expected, remedy);
            }
            index.map(Some)
        }),
    };
    // Without a condition it is not known whether `within` is needed.
    let within = match (&that, table.entries.get("within")) {
        (None, None) => None,
        (Some(_), None) => {
            reader.required(table, "within", "within = \"20T\"");
            None
        }
        (_, Some(value)) => reader.span_or_multiple(value, t),
    };
    let stays = match table.entries.get("stays") {
        None => Some(Span::ZERO),
        Some(value) => reader.span_or_multiple(value, t),
    };
    let (text, that) = that?;
    Some(Expectation { that, text: text.value.to_owned(), after: after?, within: within?, stays: stays? })
}
