//! What a step tells the people in front of the screen: a chapter begins, something is said, or a question is asked.
//!
//! Invariant: a question has two choices or more, all different, and one of them is the right one.

use std::ops::RangeInclusive;

use super::lesson_text::{ACTION_KEYS, LessonText, UnknownAction};
use super::near;
use super::reader::{PlacedTable, Reader, Value};

/// The keys of a step that tell something.
pub(super) const KEYS: [&str; 6] = ["chapter", "say", "ask", "choices", "answer", "because"];

/// So many choices a question may have: each has a digit for its key.
pub const CHOICES: RangeInclusive<usize> = 2..=6;

/// The longest text that is said or asked, or tells why, in characters: a small screen has room for it.
const TEXT_CHARACTERS_MAX: usize = 420;
/// The longest choice and the longest chapter.
const SHORT_CHARACTERS_MAX: usize = 80;

/// The rows that a screen of 80 columns and 24 rows has for a question with its choices and the reason, and the columns
/// of a row for words and for a choice.
const ROWS_MAX: usize = 12;
const WORDS_COLUMNS: usize = 78;
const CHOICE_COLUMNS: usize = 58;

/// What a step tells.
#[derive(Clone, Default, Eq, PartialEq, Debug)]
pub struct Narration {
    /// The chapter that begins with it.
    pub chapter: Option<String>,
    /// What is said or asked.
    pub words: Option<NarratedWords>,
}

/// What a step says or asks.
#[derive(Clone, Eq, PartialEq, Debug)]
pub enum NarratedWords {
    /// This is said.
    Say(LessonText),
    /// This is asked.
    Ask(ClassQuestion),
}

/// A question to those who watch.
#[derive(Clone, Eq, PartialEq, Debug)]
pub struct ClassQuestion {
    /// What is asked.
    pub text: LessonText,
    /// What may be answered, in [`CHOICES`] as to their number.
    pub choices: Vec<LessonText>,
    /// The index of the right choice.
    pub answer: usize,
    /// Why it is right, if the lab says so.
    pub because: Option<LessonText>,
}

impl ClassQuestion {
    /// How many rows it takes on a screen of 80 columns when the answer is shown.
    fn rows(&self) -> usize {
        let because = self.because.as_ref().map(ToString::to_string).unwrap_or_default();
        let because = format!("Right is 1. {because}");
        let choices = self.choices.iter().map(|choice| rows_of(&choice.to_string(), CHOICE_COLUMNS));
        rows_of(&self.text.to_string(), WORDS_COLUMNS) + choices.sum::<usize>() + rows_of(&because, WORDS_COLUMNS)
    }
}

/// How many rows of so many columns the text takes.
fn rows_of(text: &str, columns: usize) -> usize {
    let (mut rows, mut used) = (1, 0);
    for word in text.split_whitespace().map(|word| word.chars().count()) {
        if used > 0 && used + 1 + word > columns {
            (rows, used) = (rows + 1, 0);
        }
        used += word + usize::from(used > 0);
        // A longer word goes on in the next row.
        rows += used.saturating_sub(1) / columns;
        used %= columns + 1;
    }
    rows
}

impl Narration {
    /// Whether nothing is told.
    pub fn is_silent(&self) -> bool {
        self.chapter.is_none() && self.words.is_none()
    }

    /// As a line of a run that nobody watches, in which questions are passed over; nothing, if nothing is told.
    pub fn in_a_line(&self) -> Option<String> {
        let chapter = self.chapter.iter().map(|chapter| format!("chapter \"{chapter}\""));
        let words = self.words.iter().map(|words| match words {
            NarratedWords::Say(text) => text.to_string(),
            NarratedWords::Ask(question) => format!("question, passed over: {}", question.text),
        });
        let told: Vec<String> = chapter.chain(words).collect();
        (!told.is_empty()).then(|| told.join(": "))
    }

    /// The question, if one is asked.
    pub fn question(&self) -> Option<&ClassQuestion> {
        match &self.words {
            Some(NarratedWords::Ask(question)) => Some(question),
            Some(NarratedWords::Say(_)) | None => None,
        }
    }
}

/// What this step tells.
pub(super) fn narration<'a>(reader: &mut Reader<'a>, step: &PlacedTable<'a>) -> Option<Narration> {
    let chapter = optional(reader, step, "chapter", "the chapter's title", SHORT_CHARACTERS_MAX);
    let said = worded(reader, step, "say", "what is to be said");
    let asked = worded(reader, step, "ask", "a question");
    let (say, ask) = (step.entries.get("say"), step.entries.get("ask"));
    if let (Some(_), Some(ask)) = (say, ask) {
        let remedy = "put the question into a step of its own, below this one";
        reader.wrong(ask.span(), "this step says something and asks something", "expected one of the two", remedy);
        return None;
    }
    if ask.is_none() {
        let mut needless = KEYS[3..].iter().filter_map(|key| Some((key, step.entries.get(*key)?)));
        if let Some((key, value)) = needless.next() {
            let remedy = format!("add a line `ask = \"Who will coordinate?\"`, or remove `{key}`");
            reader.wrong(value.span(), format!("`{key}` needs `ask`"), "nothing is asked here", remedy);
            return None;
        }
    }
    let words = match (asked?, said?) {
        (Some(text), _) => Some(NarratedWords::Ask(question(reader, step, text)?)),
        (None, Some(text)) => Some(NarratedWords::Say(text)),
        (None, None) => None,
    };
    Some(Narration { chapter: chapter?, words })
}

fn question<'a>(reader: &mut Reader<'a>, step: &PlacedTable<'a>, text: LessonText) -> Option<ClassQuestion> {
    let choices = choices(reader, step);
    let because = worded(reader, step, "because", "why the answer is right");
    let answer = reader.required(step, "answer", "answer = 1");
    // Without the choices it is not known which number would be one of them.
    let choices = choices?;
    let (value, most) = (answer?, choices.len());
    let number = value.get_ref().as_integer().and_then(|number| number.as_str().parse::<usize>().ok());
    let Some(number) = number.filter(|number| (1..=most).contains(number)) else {
        let what = format!("this answer is none of the {most} choices");
        let remedy = "write the number of the right choice, such as `answer = 1` for the first";
        reader.wrong(value.span(), what, format!("expected a number from 1 to {most}"), remedy);
        return None;
    };
    let question = ClassQuestion { text, choices, answer: number - 1, because: because? };
    let rows = question.rows();
    if rows > ROWS_MAX {
        let what = format!("this question takes {rows} rows of a screen of 80 columns");
        let expected = format!("expected {ROWS_MAX} rows or less, with all choices and the reason");
        reader.wrong(step.entries.get("ask")?.span(), what, expected, "shorten the question, its choices or `because`");
        return None;
    }
    Some(question)
}

fn choices<'a>(reader: &mut Reader<'a>, step: &PlacedTable<'a>) -> Option<Vec<LessonText>> {
    let value = reader.required(step, "choices", "choices = [\"yes\", \"no\"]")?;
    let (least, most) = CHOICES.into_inner();
    let expected = format!("a list of {least} to {most} answers such as [\"yes\", \"no\"]");
    let values = reader.list(value, &expected)?;
    if !CHOICES.contains(&values.len()) {
        let what = match values.len() {
            0 => "this question has no choice".to_owned(),
            1 => "this question has one choice only".to_owned(),
            count => format!("this question has {count} choices"),
        };
        let remedy = "a question gives people two answers to choose from, and six at most";
        reader.wrong(value.span(), what, format!("expected {least} to {most} choices"), remedy);
        return None;
    }
    let mut choices: Vec<LessonText> = Vec::new();
    for value in values {
        let text = reader.short_line(value, "an answer", SHORT_CHARACTERS_MAX)?;
        if choices.iter().any(|other| other.as_written() == text.value) {
            reader.wrong(text.at, "two choices are the same", "expected another answer", "write different answers");
            return None;
        }
        choices.push(wording(reader, value, text.value)?);
    }
    Some(choices)
}

/// Words that may be missing, and may name keys; nothing, if they are wrong.
fn worded<'a>(
    reader: &mut Reader<'a>,
    step: &PlacedTable<'a>,
    key: &str,
    expected: &str,
) -> Option<Option<LessonText>> {
    let Some(text) = optional(reader, step, key, expected, TEXT_CHARACTERS_MAX)? else { return Some(None) };
    wording(reader, step.entries.get(key)?, &text).map(Some)
}

/// The words of this value.
fn wording<'a>(reader: &mut Reader<'a>, value: &'a Value<'a>, text: &str) -> Option<LessonText> {
    let unknown = match text.parse() {
        Ok(wording) => return Some(wording),
        Err(unknown) => unknown,
    };
    let UnknownAction(name) = &unknown;
    let known: Vec<&str> = ACTION_KEYS.iter().map(|(name, _)| *name).collect();
    let remedy = match near(name, &known).first() {
        Some(near) => format!("did you mean `{{{near}}}`? For a brace, put a blank behind it"),
        None => "`hustings config` lists the actions; for a brace, put a blank behind it".to_owned(),
    };
    reader.wrong(value.span(), unknown.to_string(), "expected an action's name, such as `{crash}`", remedy);
    None
}

/// A text that may be missing; nothing, if it is wrong.
fn optional<'a>(
    reader: &mut Reader<'a>,
    step: &PlacedTable<'a>,
    key: &str,
    expected: &str,
    most: usize,
) -> Option<Option<String>> {
    let Some(value) = step.entries.get(key) else { return Some(None) };
    reader.short_line(value, expected, most).map(|text| Some(text.value.to_owned()))
}
