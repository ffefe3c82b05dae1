//! Takes values out of a TOML table one by one, and notes every error with its place instead of stopping at the first.
//!
//! Invariant: a function here that refuses something has noted an error for it.

use std::ops::Range;

use strsim::levenshtein;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::LabError;
use protocol::{Span, SpanTextError};

/// The longest span of a lab: a day, as for every span's text form.
const SPAN_MAX: Span = Span::from_millis(86_400_000);

/// So many letters may be wrong in a word that means another one. A letter has at most four bytes.
const STEPS_MAX: usize = 2;
/// At most so many words are named where a word should be one of them.
const NAMED_MAX: usize = 40;

/// A value with its place in the file.
pub type Value<'a> = Spanned<DeValue<'a>>;

/// A table with its place.
#[derive(Clone)]
pub struct PlacedTable<'a> {
    /// What it holds.
    pub entries: &'a DeTable<'a>,
    /// The header, where errors about missing keys point.
    pub head: Range<usize>,
    /// The name for people, such as `step`.
    pub what: &'static str,
}

/// A string with its place.
#[derive(Clone)]
pub struct Text<'a> {
    /// The text, without quotes and escapes.
    pub value: &'a str,
    /// Where it stands, with its quotes.
    pub at: Range<usize>,
    /// Where its first character is, if the file has the text exactly as it is meant: no escapes, one line.
    start: Option<usize>,
}

impl Text<'_> {
    /// The place of a part of it in the file.
    pub fn part(&self, part: &Range<usize>) -> Range<usize> {
        match self.start {
            Some(start) => start + part.start..start + part.end,
            None => self.at.clone(),
        }
    }
}

/// The file's text and the errors found in it so far.
pub struct Reader<'a> {
    text: &'a str,
    /// The errors that were found so far, in this order.
    pub errors: Vec<LabError>,
}

impl<'a> Reader<'a> {
    /// Nothing is found wrong yet.
    pub fn new(text: &'a str) -> Reader<'a> {
        Reader { text, errors: Vec::new() }
    }

    /// Notes an error.
    pub fn wrong(
        &mut self,
        at: Range<usize>,
        what: impl Into<String>,
        expected: impl Into<String>,
        remedy: impl Into<String>,
    ) {
        self.errors.push(LabError { at, what: what.into(), expected: expected.into(), remedy: remedy.into() });
    }

    /// Refuses every key that is not one of these.
    pub fn only_keys(&mut self, table: &PlacedTable<'a>, keys: &[&'static str]) {
        for key in table.entries.keys() {
            let name: &str = key.get_ref();
            if !keys.contains(&name) {
                let remedy = format!("a {} takes {}", table.what, keys.join(", "));
                let what = format!("a {} has no key `{name}`", table.what);
                self.wrong(key.span(), what, did_you_mean(name, keys), remedy);
            }
        }
    }

    /// The value of a key that must be there; `form` is an example of the line.
    pub fn required(&mut self, table: &PlacedTable<'a>, key: &str, form: &str) -> Option<&'a Value<'a>> {
        let value = table.entries.get(key);
        if value.is_none() {
            let what = format!("this {} has no `{key}`", table.what);
            self.wrong(table.head.clone(), what, format!("`{key}` is missing"), format!("add a line `{form}`"));
        }
        value
    }

    fn wrong_kind(&mut self, value: &Value<'a>, expected: &str) {
        let what = format!("{expected} belongs here, and this is a TOML {}", value.get_ref().type_str());
        self.wrong(value.span(), what, format!("expected {expected}"), format!("write {expected}"));
    }

    /// A string; `expected` says what it should hold, as in `a node list such as "1-3"`.
    pub fn text(&mut self, value: &'a Value<'a>, expected: &str) -> Option<Text<'a>> {
        let at = value.span();
        let Some(string) = value.get_ref().as_str() else {
            self.wrong_kind(value, expected);
            return None;
        };
        let inner = at.start + 1..at.end.saturating_sub(1);
        let verbatim = self.text.get(inner.clone()) == Some(string);
        Some(Text { value: string, at, start: verbatim.then_some(inner.start) })
    }

    /// A string that is one line and not empty: it is printed as it is.
    pub fn one_line(&mut self, value: &'a Value<'a>, expected: &str) -> Option<Text<'a>> {
        let text = self.text(value, expected)?;
        let (what, remedy) = if text.value.trim().is_empty() {
            ("this text is empty", "write one line of plain text")
        } else if text.value.contains('\n') {
            ("this text has a line break", "end the line with a backslash: the next one then goes on behind it")
        } else if text.value.contains('\t') {
            ("this text has a tab", "write spaces in its place")
        } else if text.value.chars().any(char::is_control) {
            ("this text has a control character", "write one line of plain text")
        } else {
            return Some(text);
        };
        self.wrong(text.at, what, format!("expected {expected}"), remedy);
        None
    }

    /// The same, of at most so many characters.
    pub fn short_line(&mut self, value: &'a Value<'a>, expected: &str, most: usize) -> Option<Text<'a>> {
        let text = self.one_line(value, expected)?;
        let characters = text.value.chars().count();
        if characters > most {
            let what = format!("this text has {characters} characters, and the screen has room for {most}");
            self.wrong(text.at, what, "expected a shorter text", "shorten it, or put a part of it into another step");
            return None;
        }
        Some(text)
    }

    /// A whole number within a range.
    pub fn whole(&mut self, value: &'a Value<'a>, range: Range<u64>, expected: &str) -> Option<u64> {
        let Some(number) = value.get_ref().as_integer() else {
            self.wrong_kind(value, expected);
            return None;
        };
        let found = u64::from_str_radix(number.as_str(), number.radix()).ok().filter(|found| range.contains(found));
        if found.is_none() {
            let what = format!("{expected} belongs here, and this is {number}");
            self.wrong(value.span(), what, format!("expected {expected}"), format!("write {expected}"));
        }
        found
    }

    /// A list of whole numbers within a range; `expected` is what the list is.
    pub fn wholes(&mut self, value: &'a Value<'a>, range: Range<u64>, expected: &str) -> Option<Vec<u64>> {
        let Some(list) = value.get_ref().as_array() else {
            self.wrong_kind(value, expected);
            return None;
        };
        let number = format!("a whole number from {} to {}", range.start, range.end - 1);
        let numbers: Vec<Option<u64>> = list.iter().map(|value| self.whole(value, range.clone(), &number)).collect();
        numbers.into_iter().collect()
    }

    /// A duration, such as `"200ms"`.
    pub fn span(&mut self, value: &'a Value<'a>) -> Option<Span> {
        let text = self.text(value, "a duration such as \"200ms\"")?;
        self.span_of(&text, "write a number and a unit, such as \"200ms\" or \"1.5s\" (ns, us, ms, s, m)")
    }

    /// A duration longer than zero.
    pub fn period(&mut self, value: &'a Value<'a>) -> Option<Span> {
        let span = self.span(value)?;
        if span == Span::ZERO {
            self.wrong(value.span(), "a period cannot be 0", "expected a longer time", "write for example \"200ms\"");
            return None;
        }
        Some(span)
    }

    /// A duration or a multiple of T, such as `"20T"`.
    pub fn span_or_multiple(&mut self, value: &'a Value<'a>, t: Span) -> Option<Span> {
        let text = self.text(value, "a duration such as \"1s\" or \"20T\"")?;
        let remedy = "write a number and a unit, such as \"1.5s\", or a multiple of T, such as \"20T\"";
        match text.value.trim().strip_suffix('T').map(|factor| factor.trim().parse::<f64>()) {
            None => self.span_of(&text, remedy),
            Some(Ok(factor)) if factor >= 0.0 && t.scaled(factor) <= SPAN_MAX => Some(t.scaled(factor)),
            Some(_) => {
                let what = format!("`{}` is not a multiple of T", text.value);
                self.wrong(text.at, what, "expected a duration", remedy);
                None
            }
        }
    }

    fn span_of(&mut self, text: &Text<'a>, remedy: &str) -> Option<Span> {
        let what = match text.value.parse() {
            Ok(span) => return Some(span),
            Err(SpanTextError::NotASpan(value)) => format!("`{value}` is not a duration"),
            Err(error @ SpanTextError::TooLong(_)) => error.to_string(),
        };
        self.wrong(text.at.clone(), what, "expected a duration", remedy);
        None
    }

    /// `true` or `false`.
    pub fn flag(&mut self, value: &'a Value<'a>, expected: &str) -> Option<bool> {
        let flag = value.get_ref().as_bool();
        if flag.is_none() {
            self.wrong_kind(value, expected);
        }
        flag
    }

    /// A table, such as `[settings]`.
    pub fn table(&mut self, value: &'a Value<'a>, what: &'static str) -> Option<PlacedTable<'a>> {
        let Some(entries) = value.get_ref().as_table() else {
            self.wrong_kind(value, "a table");
            return None;
        };
        Some(PlacedTable { entries, head: self.first_line_of(value.span()), what })
    }

    /// The tables of a list, such as every `[[step]]`.
    pub fn tables(&mut self, value: &'a Value<'a>, key: &str, what: &'static str) -> Vec<PlacedTable<'a>> {
        match value.get_ref().as_array() {
            Some(list) => list.iter().filter_map(|value| self.table(value, what)).collect(),
            None => {
                self.wrong_kind(value, &format!("a list of tables, each under its own [[{key}]]"));
                Vec::new()
            }
        }
    }

    /// The items of a list.
    pub fn list(&mut self, value: &'a Value<'a>, expected: &str) -> Option<&'a [Value<'a>]> {
        let list = value.get_ref().as_array();
        if list.is_none() {
            self.wrong_kind(value, expected);
        }
        list.map(|list| &list[..])
    }

    /// The items of a list of strings.
    pub fn texts(&mut self, value: &'a Value<'a>, expected: &str) -> Option<Vec<Text<'a>>> {
        let list = self.list(value, expected)?;
        let texts: Vec<Option<Text<'a>>> = list.iter().map(|value| self.text(value, expected)).collect();
        texts.into_iter().collect()
    }

    fn first_line_of(&self, at: Range<usize>) -> Range<usize> {
        let length = self.text[at.clone()].find('\n').unwrap_or(at.len());
        at.start..at.start + length
    }
}

/// `did you mean …?` for a word that is close to one of these, else the list of them.
pub fn did_you_mean(word: &str, known: &[&str]) -> String {
    let nearest = known.iter().filter_map(|other| Some((steps_between(word, other)?, *other))).min();
    match nearest {
        Some((_, other)) => format!("did you mean `{other}`?"),
        None if known.is_empty() => "nothing is expected here".to_owned(),
        None => format!("expected one of {}", list_of(known)),
    }
}

/// How many letters stand between a word and the word that it may mean; `None` if these are too many. A long word takes
/// no time unless the other is as long.
fn steps_between(word: &str, other: &str) -> Option<usize> {
    if word.len().abs_diff(other.len()) > 4 * STEPS_MAX {
        return None;
    }
    Some(levenshtein(word, other)).filter(|steps| *steps <= STEPS_MAX && *steps < other.chars().count())
}

/// The first of these, and how many more there are.
fn list_of(known: &[&str]) -> String {
    let (named, others) = known.split_at(known.len().min(NAMED_MAX));
    let more = if others.is_empty() { String::new() } else { format!(" and {} more", others.len()) };
    named.join(", ") + &more
}

/// Which of these the word may mean, the nearest first: those that it nearly is, then those that contain it, first those
/// that begin with it, the shorter ones before the longer ones.
pub fn near<'k>(word: &str, known: &[&'k str]) -> Vec<&'k str> {
    let steps = |other: &str| {
        steps_between(word, other).or_else(|| (word.chars().count() > 2 && other.contains(word)).then_some(3))
    };
    let mut near: Vec<(usize, &str)> = known.iter().filter_map(|other| Some((steps(other)?, *other))).collect();
    near.sort_by_key(|(steps, other)| (*steps, !other.starts_with(word), other.len(), *other));
    near.into_iter().map(|(_, other)| other).collect()
}
