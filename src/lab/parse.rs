//! Parses a lab file: its own keys, the algorithm's settings and the Card's rules for periods.
//!
//! Invariant: a value that is wrong does not hide the errors of the values after it.

use std::ops::Range;

use toml::de::{DeTable, DeValue};

use super::reader::{PlacedTable, Reader, Text, Value, did_you_mean};
use super::{
    Condition, LIMIT_DEFAULT, Lab, LabError, LabErrors, LabStep, ViolationReason, application, criterion, expectation,
    step,
};
use protocol::{
    Card, DELTA_MIN, Delivery, HoleCard, NODES_MAX, NodeSet, Property, Rank, Registry, Roster, SettingCard,
    SettingKind, SettingValue, Settings, Span, Timing, delta, errata_of,
};

/// A longer lab file is refused.
pub const FILE_BYTES_MAX: usize = 1 << 20;
/// A longer name of a lab is refused: files are named after it.
pub const NAME_BYTES_MAX: usize = 100;

/// The keys of a lab file, in the order in which one is written.
pub const KEYS: &[&str] = &[
    "name",
    "about",
    "source",
    "algorithm",
    "nodes",
    "seed",
    "T",
    "check",
    "silence",
    "limit",
    "settings",
    "application",
    "step",
    "expect",
];

/// Parses the text of a lab file; `file` is what its errors call it.
///
/// # Errors
/// Every error of the file, in its order, each with its place, what was expected there, and a remedy.
pub fn parse(file: &str, text: &str, registry: Registry) -> Result<Lab, LabErrors> {
    let refused = |mut list: Vec<LabError>, text: &str| {
        list.sort_by_key(|error| (error.at.start, error.at.end));
        LabErrors { file: file.to_owned(), text: text.to_owned(), list }
    };
    if text.len() > FILE_BYTES_MAX {
        let error = LabError {
            at: 0..0,
            what: format!("a lab file has at most {FILE_BYTES_MAX} bytes, but this one has {}", text.len()),
            expected: "the file is too long".to_owned(),
            remedy: "check the file's name; a lab file is a page or two".to_owned(),
        };
        return Err(refused(vec![error], ""));
    }
    let document = DeTable::parse(text).map_err(|error| {
        let at = error.span().unwrap_or(0..0);
        let error = LabError {
            at,
            what: format!("this is not valid TOML: {}", error.message().lines().collect::<Vec<_>>().join("; ")),
            expected: "the TOML error is here".to_owned(),
            remedy: "write strings in quotes, lists in brackets, and each `key = value` on its own line; see \
                     https://toml.io"
                .to_owned(),
        };
        refused(vec![error], text)
    })?;
    let mut reader = Reader::new(text);
    let first_line = 0..text.find('\n').unwrap_or(text.len());
    let table = PlacedTable { entries: document.get_ref(), head: first_line, what: "lab" };
    match lab(&mut reader, &table, text, registry) {
        Some(lab) if reader.errors.is_empty() => Ok(lab),
        _ => Err(refused(reader.errors, text)),
    }
}

/// The steps of a lab that was accepted before; nothing, if this is no text of a lab.
pub fn steps_of(text: &str) -> Option<Vec<LabStep>> {
    let document = DeTable::parse(text).ok()?;
    let mut reader = Reader::new(text);
    let table = PlacedTable { entries: document.get_ref(), head: 0..0, what: "lab" };
    step::steps(&mut reader, &table, application::LabContext::default()).into_iter().map(|named| named.step).collect()
}

/// How long a step of a lab that was accepted before may wait for its condition.
pub fn limit_of(text: &str) -> Span {
    let limit = || DeTable::parse(text).ok()?.get_ref().get("limit")?.get_ref().as_str()?.parse().ok();
    limit().unwrap_or(LIMIT_DEFAULT)
}

/// The violations that a lab that was accepted before expects although no assumption is broken, and why.
pub fn claims_of(text: &str) -> Vec<(Property, ViolationReason)> {
    let Ok(document) = DeTable::parse(text) else { return Vec::new() };
    let expectations =
        document.get_ref().get("expect").and_then(|list| list.get_ref().as_array()).into_iter().flatten();
    let that = expectations.filter_map(|one| one.get_ref().get("that")?.get_ref().as_str()?.parse().ok());
    that.filter_map(|condition| match condition {
        Condition::Violation {
            property,
            because: Some(because @ (ViolationReason::Hole(_) | ViolationReason::Unpromised)),
        } => Some((property, because)),
        _ => None,
    })
    .collect()
}

/// Where in the text what these keys lead to stands, and of a table its key: an item of a list has its index for a key.
/// Without it, the beginning.
pub fn place_of(text: &str, keys: &[&str]) -> Range<usize> {
    let place = || {
        let document = DeTable::parse(text).ok()?;
        let (first, others) = keys.split_first()?;
        let (mut key, mut value) = document.get_ref().get_key_value(*first)?;
        for other in others {
            match value.get_ref() {
                DeValue::Table(table) => (key, value) = table.get_key_value(*other)?,
                list => value = list.as_array()?.get(other.parse::<usize>().ok()?)?,
            }
        }
        Some(if value.get_ref().is_table() { key.span() } else { value.span() })
    };
    place().unwrap_or(0..0)
}

fn lab<'a>(reader: &mut Reader<'a>, table: &PlacedTable<'a>, text: &str, registry: Registry) -> Option<Lab> {
    reader.only_keys(table, KEYS);
    let name = reader.required(table, "name", "name = \"first\"").and_then(|value| name(reader, value));
    let about = reader
        .required(table, "about", "about = \"The coordinator crashes and returns.\"")
        .and_then(|value| reader.one_line(value, "a sentence about what the lab shows"));
    let source = match table.entries.get("source") {
        Some(value) => {
            reader.one_line(value, "a paper and a section, such as \"Garcia-Molina 1982, section III\"").map(Some)
        }
        None => Some(None),
    };
    let card =
        reader.required(table, "algorithm", "algorithm = \"bully\"").and_then(|v| algorithm(reader, v, registry));
    let roster = reader.required(table, "nodes", "nodes = 5").and_then(|value| nodes(reader, value, card));
    let seed = reader
        .required(table, "seed", "seed = 1")
        .and_then(|value| reader.whole(value, 0..1 << 63, "a whole number from 0"));
    let all = roster.map(|roster| roster.all());
    let settings = settings(reader, table, card, all);
    let whole = application::application(reader, table, (card, registry), roster, settings);
    let (settings, places) = whole.unzip();
    let timing = timing(reader, table, card, roster, settings.as_ref());
    let limit = match table.entries.get("limit") {
        Some(value) => reader.period(value),
        None => Some(LIMIT_DEFAULT),
    };
    ordered_broadcast(reader, table, card, timing, settings.as_ref());
    let known = application::LabContext::of(registry, card, places.flatten().or(roster), settings.as_ref());
    let steps = step::steps(reader, table, known);
    // With T unknown, a multiple of it is checked as a text only.
    let t = timing.map_or(Span::from_millis(1), |timing| timing.t);
    let expectations = expectation::expectations(reader, table, known, settings.as_ref(), t, &steps);
    Some(Lab {
        name: name?.value.to_owned(),
        about: about?.value.to_owned(),
        source: source?.map(|text| text.value.to_owned()),
        registry,
        card: card?,
        roster: places.flatten()?,
        seed: seed?,
        timing: timing?,
        settings: settings?,
        steps: steps.into_iter().map(|named| named.step).collect::<Option<_>>()?,
        expectations: expectations?,
        limit: limit?,
        text: text.to_owned(),
    })
}

fn name<'a>(reader: &mut Reader<'a>, value: &'a Value<'a>) -> Option<Text<'a>> {
    let name = reader.one_line(value, "the lab's name")?;
    let bytes = name.value.len();
    if bytes > NAME_BYTES_MAX {
        let what = format!("a lab's name has at most {NAME_BYTES_MAX} bytes, but this one has {bytes}");
        reader.wrong(name.at, what, "expected a shorter name", "write the rest into `about`");
        return None;
    }
    Some(name)
}

fn algorithm<'a>(reader: &mut Reader<'a>, value: &'a Value<'a>, registry: Registry) -> Option<Card> {
    let name = reader.text(value, "an algorithm's name such as \"bully\"")?;
    let card = registry.card(name.value);
    if card.is_none() {
        let names: Vec<&str> = registry.cards().map(|card| card.name).collect();
        let what = format!("there is no algorithm `{}`", name.value);
        let remedy = format!("there are {}", names.join(", "));
        reader.wrong(name.at, what, did_you_mean(name.value, &names), remedy);
    }
    card.copied()
}

fn nodes<'a>(reader: &mut Reader<'a>, value: &'a Value<'a>, card: Option<Card>) -> Option<Roster> {
    let most = card.map_or(protocol::NODES_MAX, |card| card.nodes_max);
    let expected = match card {
        Some(card) => format!("a number of nodes from 1 to {most} ({} takes no more)", card.name),
        None => format!("a number of nodes from 1 to {most}"),
    };
    let number = reader.whole(value, 1..u64::from(most) + 1, &expected)?;
    let rank = card.map_or_else(Rank::default, |card| card.rank);
    u16::try_from(number).ok().and_then(|number| Roster::ranked(number, rank))
}

fn timing<'a>(
    reader: &mut Reader<'a>,
    table: &PlacedTable<'a>,
    card: Option<Card>,
    roster: Option<Roster>,
    settings: Option<&Settings>,
) -> Option<Timing> {
    let t = reader.required(table, "T", "T = \"200ms\"").and_then(|value| reader.period(value));
    let check = reader.required(table, "check", "check = \"200ms\"").and_then(|value| reader.period(value));
    let silence = reader.required(table, "silence", "silence = \"1s\"").and_then(|value| reader.period(value));
    let timing = Timing { t: t?, check: check?, silence: silence? };
    let (Some(card), Some(roster), Some(settings)) = (card, roster, settings) else { return Some(timing) };
    for rule in card.periods.iter().filter(|rule| !(rule.holds)(&timing, roster.len(), settings)) {
        let at = table.entries.get(rule.key).map_or(0..0, |value| value.span());
        let periods = format!("T = {}, check = {}, silence = {}", timing.t, timing.check, timing.silence);
        let remedy = format!("change `{}`, or the periods that the rule compares it with: {periods}", rule.key);
        let why = rule.why.unwrap_or("the periods break this rule");
        reader.wrong(at, format!("for {} {}", card.name, rule.must), why, remedy);
    }
    Some(timing)
}

/// Checks that a computer can keep to Delta, if the algorithm uses the ordered broadcast.
fn ordered_broadcast(
    reader: &mut Reader<'_>,
    table: &PlacedTable<'_>,
    card: Option<Card>,
    timing: Option<Timing>,
    settings: Option<&Settings>,
) {
    let (Some(card), Some(timing), Some(settings)) = (card, timing, settings) else { return };
    let delta = delta(timing.t, settings);
    if card.delivery != Delivery::OrderedBroadcast || delta >= DELTA_MIN {
        return;
    }
    let at = table.entries.get("T").map_or(0..0, |value| value.span());
    let what = format!("for {} Delta must be at least {DELTA_MIN}", card.name);
    let expected = format!("Delta, which is 3/4 of T, is {delta}");
    let why = "a broadcast is delivered Delta after it was sent, and the machine's scheduler uses part of that time";
    reader.wrong(at, what, expected, format!("raise `T`: {why}"));
}

fn settings<'a>(
    reader: &mut Reader<'a>,
    table: &PlacedTable<'a>,
    card: Option<Card>,
    all: Option<NodeSet>,
) -> Option<Settings> {
    let given = match table.entries.get("settings") {
        Some(value) => Some(reader.table(value, "settings table")?),
        None => None,
    };
    // Without the Card it is not known what a setting may be; without the nodes the defaults are not known.
    let card = card?;
    let mut settings = Settings::defaults(card.settings, all.unwrap_or_default());
    if let Some(given) = given {
        let names: Vec<&'static str> = card.settings.iter().map(|setting| setting.name).collect();
        only_settings_of(reader, &given, card.name, &names);
        for setting in card.settings {
            if let Some(value) = given.entries.get(setting.name)
                && let Some(value) = setting_value(reader, (card.name, setting), value, all)
            {
                settings = settings.with(setting.name, value);
            }
        }
        criterion::criterion(reader, &given, &settings);
    }
    all.map(|_| settings)
}

/// Refuses every setting that an algorithm or an application of this name does not have.
pub(super) fn only_settings_of<'a>(
    reader: &mut Reader<'a>,
    given: &PlacedTable<'a>,
    owner: &str,
    names: &[&'static str],
) {
    for key in given.entries.keys().filter(|key| !names.contains(&key.get_ref().as_ref())) {
        let name: &str = key.get_ref();
        let remedy = match names {
            [] => format!("remove it: {owner} has no settings"),
            _ => format!("remove it, or write a setting of {owner}: {}", names.join(", ")),
        };
        reader.wrong(key.span(), format!("{owner} has no setting `{name}`"), did_you_mean(name, names), remedy);
    }
}

pub(super) fn setting_value<'a>(
    reader: &mut Reader<'a>,
    (algorithm, card): (&str, &SettingCard),
    value: &'a Value<'a>,
    all: Option<NodeSet>,
) -> Option<SettingValue> {
    match card.kind {
        SettingKind::Holes(holes) => errata(reader, algorithm, holes, value),
        SettingKind::Flag { .. } => reader.flag(value, "true or false").map(SettingValue::Flag),
        SettingKind::Word(words) => {
            let word = reader.text(value, &format!("one of {}", words.join(", ")))?;
            if !words.contains(&word.value) {
                let what = format!("`{}` cannot be \"{}\"", card.name, word.value);
                let remedy = format!("write one of {}: {}", words.join(", "), card.about);
                reader.wrong(word.at, what, did_you_mean(word.value, words), remedy);
                return None;
            }
            Some(SettingValue::Word(word.value.to_owned()))
        }
        SettingKind::Numbers => criterion::numbers(reader, card.name, value, all.map(|all| all.len())),
        SettingKind::Number { most, .. } => {
            // Where the lab's nodes are not known, as many as a lab may have.
            let most = most(all.map_or(NODES_MAX, |all| all.len() as u16));
            let expected = format!("a whole number from 0 to {most} for `{}`", card.name);
            reader.whole(value, 0..most.saturating_add(1), &expected).map(SettingValue::Number)
        }
        SettingKind::NodesOrNone if value.get_ref().as_str() == Some("none") => {
            Some(SettingValue::Nodes(NodeSet::EMPTY))
        }
        SettingKind::Nodes | SettingKind::NodesOrNone => {
            let expected = match card.kind {
                SettingKind::NodesOrNone => "a list of nodes such as \"1-3,5\", or \"none\"",
                _ => "a list of nodes such as \"1-3,5\"",
            };
            let text = reader.text(value, expected)?;
            match text.value.parse::<NodeSet>() {
                Ok(nodes) if !nodes.is_empty() => {
                    lab_has(reader, text.at, nodes, all).then_some(SettingValue::Nodes(nodes))
                }
                Ok(_) => {
                    reader.wrong(text.at, "this list names no node", format!("expected {expected}"), card.about);
                    None
                }
                Err(error) => {
                    let remedy = format!("write {expected}: {}", card.about);
                    reader.wrong(text.at, error.to_string(), format!("expected {expected}"), remedy);
                    None
                }
            }
        }
    }
}

/// Which holes are mended: all, none, or the listed ones and those that belong to them.
fn errata<'a>(
    reader: &mut Reader<'a>,
    algorithm: &str,
    holes: &[HoleCard],
    value: &'a Value<'a>,
) -> Option<SettingValue> {
    if value.get_ref().as_array().is_none() {
        return reader.flag(value, "true, false, or a list of the holes to mend").map(SettingValue::Flag);
    }
    let numbers: Vec<&str> = holes.iter().map(|hole| hole.number).collect();
    let mut mended = Vec::new();
    for text in reader.texts(value, "the number of a hole, in quotes")? {
        match holes.iter().find(|hole| hole.number == text.value) {
            Some(hole) => mended.push(hole.place),
            None => {
                let what = format!("{algorithm} has no hole \"{}\"", text.value);
                let remedy =
                    format!("its holes are {}; `hustings algorithms {algorithm}` describes them", numbers.join(", "));
                reader.wrong(text.at, what, did_you_mean(text.value, &numbers), remedy);
            }
        }
    }
    Some(errata_of(holes, |hole| mended.contains(&hole.place)))
}

/// Whether the lab has all of these nodes; notes an error if it has not. Where the lab's nodes are not known, it has.
pub(super) fn lab_has(reader: &mut Reader<'_>, at: Range<usize>, nodes: NodeSet, all: Option<NodeSet>) -> bool {
    let unknown = all.map_or(NodeSet::EMPTY, |all| nodes.minus(&all));
    if let (false, Some(all)) = (unknown.is_empty(), all) {
        let what = format!("there is no node {unknown} in this lab");
        reader.wrong(at, what, format!("expected nodes of {all}"), "name a node of the lab, or raise `nodes`");
        return false;
    }
    true
}
