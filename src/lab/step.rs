//! Parses the steps of a lab file.
//!
//! Invariant: a wrong step keeps its place and its name, so that expectations after it are not refused too.

use std::collections::BTreeMap;

use super::application::LabContext;
use super::parse::lab_has;
use super::reader::{PlacedTable, Reader, Text, Value, did_you_mean};
use super::{Condition, LabStep, When, narration};
use fault::{FaultLine, Moment, Unsuited};
use protocol::Span;

/// The keys of a step, in the order in which one is written.
pub const KEYS: &[&str] =
    &["name", "at", "when", "then_wait", "do", "chapter", "say", "ask", "choices", "answer", "because"];

/// A step's name, and the step if nothing was wrong with it.
pub(super) struct NamedStep {
    pub(super) name: String,
    pub(super) step: Option<LabStep>,
}

/// The steps of a lab, in the order of the file.
pub(super) fn steps<'a>(reader: &mut Reader<'a>, lab: &PlacedTable<'a>, known: LabContext<'_>) -> Vec<NamedStep> {
    let tables = lab.entries.get("step").map(|value| reader.tables(value, "step", "step")).unwrap_or_default();
    let mut names = BTreeMap::new();
    let mut latest = Span::ZERO;
    let mut steps = Vec::new();
    for (index, table) in tables.iter().enumerate() {
        reader.only_keys(table, KEYS);
        let name = name(reader, table, index, &mut names);
        let when = when(reader, table, known, &mut latest);
        let narration = narration::narration(reader, table);
        let lines = lines(reader, table, known);
        let step = match (&name, when, lines, narration) {
            (Some(name), Some(when), Some(lines), Some(narration)) => {
                Some(LabStep { name: name.clone(), when, lines, narration })
            }
            _ => None,
        };
        steps.push(NamedStep { name: name.unwrap_or_default(), step });
    }
    steps
}

fn name<'a>(
    reader: &mut Reader<'a>,
    table: &PlacedTable<'a>,
    index: usize,
    names: &mut BTreeMap<String, usize>,
) -> Option<String> {
    let (name, at) = match table.entries.get("name") {
        None => (LabStep::name_of(index), table.head.clone()),
        Some(value) => {
            let text = reader.one_line(value, "the step's name")?;
            (text.value.to_owned(), text.at)
        }
    };
    if let Some(first) = names.insert(name.clone(), index) {
        let what = format!("two steps are called \"{name}\"");
        reader.wrong(at, what, "expected another name", format!("step {} has it already; rename one", first + 1));
    }
    Some(name)
}

fn when<'a>(
    reader: &mut Reader<'a>,
    table: &PlacedTable<'a>,
    known: LabContext<'_>,
    latest: &mut Span,
) -> Option<When> {
    let then_wait = table.entries.get("then_wait").map(|value| (value, reader.span(value)));
    match (table.entries.get("at"), table.entries.get("when")) {
        (None, None) => {
            let remedy = "add a line `at = \"2s\"`, or one such as `when = \"coordinator 4\"`";
            reader.wrong(
                table.head.clone(),
                "this step does not say when it happens",
                "`at` or `when` is missing",
                remedy,
            );
            None
        }
        (Some(_), Some(when)) => {
            let remedy = "remove one of the two; to wait after a condition, use `then_wait = \"1s\"`";
            reader.wrong(when.span(), "this step has `at` and `when`", "expected one of the two", remedy);
            None
        }
        (Some(at), None) => {
            if let Some((value, _)) = then_wait {
                let remedy = "remove it, or write a later `at`";
                reader.wrong(value.span(), "`then_wait` needs `when`", "nothing is expected here", remedy);
            }
            let span = reader.span(at)?;
            if span < *latest {
                let what = format!("this step is at {span}, but an earlier step of the file is at {latest}");
                let remedy = "steps happen in the order of the file; put the earlier time first";
                reader.wrong(at.span(), what, format!("expected {latest} or later"), remedy);
                return None;
            }
            *latest = span;
            Some(When::At(span))
        }
        (None, Some(when)) if when.get_ref().as_str().is_some_and(Moment::is_meant) => {
            if let Some((value, _)) = then_wait {
                let remedy = "remove it: the step happens at the moment itself, while the node is held there";
                reader.wrong(
                    value.span(),
                    "a protocol moment takes no `then_wait`",
                    "nothing is expected here",
                    remedy,
                );
            }
            moment(reader, when, known).map(When::Moment)
        }
        (None, Some(when)) => {
            let (text, condition) = condition(reader, when, known)?;
            if condition.is_at_end() {
                let what = format!("`{condition}` is checked at the end of the lab, so no step can wait for it");
                reader.wrong(
                    text.at,
                    what,
                    "expected a condition that can be checked during the lab",
                    "use for \
                    example \"coordinator 4\"",
                );
                return None;
            }
            let then_wait = match then_wait {
                None => Span::ZERO,
                Some((_, span)) => span?,
            };
            Some(When::Condition { condition, then_wait })
        }
    }
}

/// A moment that this algorithm or its application can come to, in a step.
fn moment<'a>(
    reader: &mut Reader<'a>,
    value: &'a Value<'a>,
    LabContext { card, application, all, .. }: LabContext<'_>,
) -> Option<Moment> {
    let text = reader.text(value, "a protocol moment such as \"first Halt sent\"")?;
    let moment = match text.value.parse::<Moment>() {
        Ok(moment) => moment,
        Err(error) => {
            let at = text.part(&error.at);
            reader.wrong(
                at,
                error.what,
                format!("expected `{}`", error.form),
                "`hustings help conditions` lists the forms of moments",
            );
            return None;
        }
    };
    let in_lab = lab_has(reader, text.at.clone(), moment.nodes(), all);
    // Without the Card it is not known which messages and states there are, and the lab is not accepted.
    let Some(card) = card else { return in_lab.then_some(moment) };
    let of_application = application.map_or(&[][..], |application| application.messages);
    let (what, known, name) = match &moment {
        Moment::Sent { kind, .. } => ("message", [card.messages, of_application].concat(), kind),
        Moment::Enters { word, .. } => ("state", card.words.to_vec(), word),
    };
    if !known.contains(&name.as_str()) {
        let beside = application.map_or_else(String::new, |application| format!(" with {}", application.name));
        let remedy = format!("the {what}s of {}{beside} are {}", card.name, known.join(", "));
        reader.wrong(text.at, format!("{} has no {what} `{name}`", card.name), did_you_mean(name, &known), remedy);
        return None;
    }
    in_lab.then_some(moment)
}

/// A condition of the world, in a step or an expectation.
pub(super) fn condition<'a>(
    reader: &mut Reader<'a>,
    value: &'a Value<'a>,
    LabContext { electors: all, lab, .. }: LabContext<'_>,
) -> Option<(Text<'a>, Condition)> {
    let text = reader.text(value, "a condition such as \"coordinator 4\"")?;
    match text.value.parse::<Condition>() {
        Ok(condition) => {
            let in_lab = lab_has(reader, text.at.clone(), condition.nodes(), all);
            let unsuited = match (&condition, all) {
                (Condition::Work(work), _) => (work.form.lacks)(&work.asked, &lab),
                (Condition::Groups(number), Some(all)) if *number > all.len() => Some(Unsuited {
                    what: format!("{} nodes cannot be in {number} groups", all.len()),
                    expected: format!("expected {} groups at most", all.len()),
                    remedy: "expect fewer groups, or raise `nodes`".to_owned(),
                }),
                _ => None,
            };
            let possible = unsuited.is_none();
            if let Some(Unsuited { what, expected, remedy }) = unsuited {
                reader.wrong(text.at.clone(), what, expected, remedy);
            }
            (in_lab && possible).then_some((text, condition))
        }
        Err(error) => {
            let at = text.part(&error.at);
            reader.wrong(
                at,
                error.what,
                format!("expected `{}`", error.form),
                "`hustings help conditions` lists the forms of conditions",
            );
            None
        }
    }
}

fn lines<'a>(reader: &mut Reader<'a>, table: &PlacedTable<'a>, known: LabContext<'_>) -> Option<Vec<FaultLine>> {
    let tells = narration::KEYS.iter().any(|key| table.entries.contains_key(*key));
    if tells && !table.entries.contains_key("do") {
        return Some(Vec::new());
    }
    let value = reader.required(table, "do", "do = [\"crash coordinator\"]")?;
    let texts = reader.texts(value, "a list of fault lines such as [\"crash 5\"]")?;
    let lines: Vec<Option<FaultLine>> = texts.iter().map(|text| line(reader, text, known)).collect();
    lines.into_iter().collect()
}

fn line(
    reader: &mut Reader<'_>,
    text: &Text<'_>,
    LabContext { card, electors, all, application, .. }: LabContext<'_>,
) -> Option<FaultLine> {
    match text.value.parse::<FaultLine>() {
        Ok(line) => {
            // A bystander elects nobody.
            let able = if line.order().is_some() { electors } else { all };
            let in_lab = lab_has(reader, text.at.clone(), line.named(), able);
            // Without the Card it is not known which channel the algorithm uses.
            if let (true, Some(card), Some(all)) = (in_lab, card, all)
                && let Err(Unsuited { what, expected, remedy }) = line.suits(&card, application, all)
            {
                reader.wrong(text.at.clone(), what, expected, remedy);
                return None;
            }
            in_lab.then_some(line)
        }
        Err(error) => {
            let at = text.part(&error.at);
            reader.wrong(
                at,
                error.what,
                format!("expected `{}`", error.form),
                "`hustings help faults` lists the forms of fault lines",
            );
            None
        }
    }
}
