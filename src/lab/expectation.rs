//! Parses the expectations of a lab file.
//!
//! Invariant: a condition of the end has no `within`, `after` or `stays`; every other condition has `within`.

use super::Expectation;
use super::reader::{PlacedTable, Reader, did_you_mean};
use super::step::{NamedStep, condition};
use crate::protocol::{NodeSet, Span};

const KEYS: &[&str] = &["that", "after", "within", "stays"];

/// The expectations of a lab, in the order of the file.
pub(super) fn expectations<'a>(
    reader: &mut Reader<'a>,
    lab: &PlacedTable<'a>,
    all: Option<NodeSet>,
    t: Span,
    steps: &[NamedStep],
) -> Option<Vec<Expectation>> {
    let tables =
        lab.entries.get("expect").map(|value| reader.tables(value, "expect", "expectation")).unwrap_or_default();
    let list: Vec<Option<Expectation>> = tables.iter().map(|table| expectation(reader, table, all, t, steps)).collect();
    list.into_iter().collect()
}

fn expectation<'a>(
    reader: &mut Reader<'a>,
    table: &PlacedTable<'a>,
    all: Option<NodeSet>,
    t: Span,
    steps: &[NamedStep],
) -> Option<Expectation> {
    reader.only_keys(table, KEYS);
    let that =
        reader.required(table, "that", "that = \"coordinator 4\"").and_then(|value| condition(reader, value, all));
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
            let index = steps.iter().position(|step| step.name == name.value);
            if index.is_none() {
                let names: Vec<&str> = steps.iter().map(|step| step.name.as_str()).collect();
                let expected =
                    if names.is_empty() { "there are no steps".to_owned() } else { did_you_mean(name.value, &names) };
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
