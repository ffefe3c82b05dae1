//! Parses the expectations of a lab file.
//!
//! Invariant: a condition of the end has no `within`, `after` or `stays`; every other condition has `within`. A violation
//! is put down only to a hole that the lab has.

use std::collections::BTreeMap;

use super::Expectation;
use super::application::LabContext;
use super::condition::{Condition, ViolationReason};
use super::error::TOLD_MAX;
use super::reader::{PlacedTable, Reader, did_you_mean};
use super::step::{NamedStep, condition};
use protocol::{Card, Settings, Span};

/// The keys of an expectation, in the order in which one is written.
pub const KEYS: &[&str] = &["that", "after", "within", "stays"];

/// The expectations of a lab, in the order of the file.
pub(super) fn expectations<'a>(
    reader: &mut Reader<'a>,
    lab: &PlacedTable<'a>,
    known: LabContext<'_>,
    settings: Option<&Settings>,
    t: Span,
    steps: &[NamedStep],
) -> Option<Vec<Expectation>> {
    let tables =
        lab.entries.get("expect").map(|value| reader.tables(value, "expect", "expectation")).unwrap_or_default();
    let mut steps = StepPlaces::of(steps);
    let list: Vec<Option<Expectation>> =
        tables.iter().map(|table| expectation(reader, table, known, t, &mut steps)).collect();
    let list: Vec<Expectation> = list.into_iter().collect::<Option<_>>()?;
    // After another error it is not known what the settings come to.
    if let (Some(card), Some(settings), true) = (known.card, settings, reader.errors.is_empty()) {
        for (table, expectation) in tables.iter().zip(&list) {
            claimed_hole(reader, table, &expectation.that, &card, settings);
        }
    }
    Some(list)
}

/// Checks that the lab has the hole to which this condition puts a violation down.
fn claimed_hole<'a>(
    reader: &mut Reader<'a>,
    table: &PlacedTable<'a>,
    that: &Condition,
    card: &Card,
    settings: &Settings,
) {
    let Condition::Violation { because: Some(ViolationReason::Hole(claimed)), .. } = that else { return };
    let open = card.open_holes(settings);
    if open.contains(&claimed.as_str()) {
        return;
    }
    let what = match card.holes().iter().any(|hole| hole.number == claimed) {
        true => format!("this lab mends hole {claimed}, or follows a text that does not have it"),
        false => format!("{} has no hole {claimed}", card.title),
    };
    let expected = match open.is_empty() {
        true => "this lab has no hole".to_owned(),
        false => format!("this lab has these holes: {}", open.join(", ")),
    };
    let remedy =
        format!("name a hole that the lab has, or leave it open by `errata`; see `hustings algorithms {}`", card.name);
    let at = table.entries.get("that").map_or(table.head.clone(), |value| value.span());
    reader.wrong(at, what, expected, remedy);
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
    known: LabContext<'_>,
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
        return Some(Expectation { text: text.value.to_owned(), ..Expectation::at_end(condition.clone()) });
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
