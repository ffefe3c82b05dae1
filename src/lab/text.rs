//! Lab files as text: the one writer, for each lab that a seed draws, a session becomes, a search finds or a shrinking leaves.
//!
//! Invariant: what is written reads back the same; whatever a text holds, its output stays a string or a comment to TOML.

use std::fmt::{self, Display};

use super::{Expectation, LIMIT_DEFAULT, Lab, LabStep, LessonText, NAME_BYTES_MAX, NarratedWords, Narration, When};
use protocol::{SettingValue, Settings, Span, Timing};

/// The greatest width of a comment line.
const COMMENT_COLUMNS: usize = 118;

/// What a lab file says, without its comments.
#[derive(Clone, Debug)]
pub struct LabFile<'a> {
    /// [`Lab::name`].
    pub name: &'a str,
    /// [`Lab::about`].
    pub about: &'a str,
    /// [`Lab::source`], written if there is one.
    pub source: Option<&'a str>,
    /// The name of the algorithm's Card.
    pub algorithm: &'a str,
    /// How many nodes elect.
    pub nodes: u16,
    /// [`Lab::seed`].
    pub seed: u64,
    /// [`Lab::timing`].
    pub timing: Timing,
    /// [`Lab::limit`], written if it is not [`LIMIT_DEFAULT`].
    pub limit: Span,
    /// [`Lab::settings`], all written, except for numbers that were not given.
    pub settings: &'a Settings,
    /// [`Lab::steps`].
    pub steps: &'a [LabStep],
    /// [`Lab::expectations`], in their order: each stands behind its step as soon as those before it do.
    pub expectations: &'a [Expectation],
}

impl Lab {
    /// The lab as the text of a lab file: whatever [`Lab::text`] holds, this text reads back as the same lab.
    pub fn written(&self) -> String {
        let file = LabFile {
            name: &self.name,
            about: &self.about,
            source: self.source.as_deref(),
            algorithm: self.card.name,
            nodes: self.roster.electors().len(),
            seed: self.seed,
            timing: self.timing,
            limit: self.limit,
            settings: &self.settings,
            steps: &self.steps,
            expectations: &self.expectations,
        };
        file.to_string()
    }
}

impl Display for LabFile<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "name = {}", quoted(self.name))?;
        writeln!(f, "about = {}", quoted(self.about))?;
        if let Some(source) = self.source {
            writeln!(f, "source = {}", quoted(source))?;
        }
        writeln!(f, "algorithm = {}", quoted(self.algorithm))?;
        writeln!(f, "nodes = {}", self.nodes)?;
        writeln!(f, "seed = {}", self.seed)?;
        writeln!(f, "T = \"{}\"", self.timing.t)?;
        writeln!(f, "check = \"{}\"", self.timing.check)?;
        writeln!(f, "silence = \"{}\"", self.timing.silence)?;
        if self.limit != LIMIT_DEFAULT {
            writeln!(f, "limit = \"{}\"", self.limit)?;
        }
        let written: Vec<String> = self.settings.iter().filter_map(|(name, value)| setting(name, value)).collect();
        if !written.is_empty() {
            writeln!(f, "\n[settings]\n{}", written.join("\n"))?;
        }
        if let Some((name, own)) = self.settings.application() {
            writeln!(f, "\n[application]\nname = {}", quoted(name))?;
            for line in own.iter().filter_map(|(name, value)| setting(name, value)) {
                writeln!(f, "{line}")?;
            }
        }
        let mut expectations = self.expectations.iter().peekable();
        for place in 0..=self.steps.len() {
            let stands_here =
                |next: &&Expectation| !next.that.is_at_end() && next.after.is_none_or(|step| step < place);
            while let Some(expectation) = expectations.next_if(stands_here) {
                f.write_str(&self.expectation(expectation))?;
            }
            if let Some(step) = self.steps.get(place) {
                f.write_str(&step_text(place, step))?;
            }
        }
        expectations.try_for_each(|expectation| f.write_str(&self.expectation(expectation)))
    }
}

impl LabFile<'_> {
    fn expectation(&self, expectation: &Expectation) -> String {
        let mut keys = vec![("that", quoted(&expectation.that.to_string()))];
        if let Some(step) = expectation.after.and_then(|after| self.steps.get(after)) {
            keys.push(("after", quoted(&step.name)));
        }
        if !expectation.that.is_at_end() {
            keys.push(("within", self.in_periods(expectation.within)));
        }
        if expectation.stays > Span::ZERO {
            keys.push(("stays", self.in_periods(expectation.stays)));
        }
        table("expect", &keys)
    }

    /// The duration, as a multiple of T if it is a whole one.
    fn in_periods(&self, span: Span) -> String {
        let t = self.timing.t.nanos();
        match span.nanos().checked_rem(t) {
            Some(0) => format!("\"{}T\"", span.nanos() / t),
            _ => format!("\"{span}\""),
        }
    }
}

/// One setting as a line; none for numbers that were not given, and for the application, which has a table of its own.
fn setting(name: &str, value: &SettingValue) -> Option<String> {
    match value {
        SettingValue::Numbers(numbers) if numbers.is_empty() => None,
        SettingValue::Application { .. } => None,
        SettingValue::Flag(_) | SettingValue::Holes(_) | SettingValue::Number(_) | SettingValue::Numbers(_) => {
            Some(format!("{name} = {value}"))
        }
        SettingValue::Word(word) => Some(format!("{name} = {}", quoted(word))),
        SettingValue::Nodes(nodes) if nodes.is_empty() => Some(format!("{name} = \"none\"")),
        SettingValue::Nodes(nodes) => Some(format!("{name} = \"{nodes}\"")),
    }
}

/// A table of a list, such as one `[[step]]`, with an empty line before it. The values are TOML already.
fn table(list: &str, keys: &[(&str, String)]) -> String {
    let mut text = format!("\n[[{list}]]\n");
    for (key, value) in keys {
        text += &format!("{key} = {value}\n");
    }
    text
}

/// The text as a TOML string of one line.
fn quoted(text: &str) -> String {
    let escaped: String =
        plain(text).chars().flat_map(|c| if "\"\\".contains(c) { vec!['\\', c] } else { vec![c] }).collect();
    format!("\"{escaped}\"")
}

/// The texts as a TOML list of strings.
fn quoted_list<T: Display>(texts: &[T]) -> String {
    let texts: Vec<String> = texts.iter().map(|text| quoted(&text.to_string())).collect();
    format!("[{}]", texts.join(", "))
}

/// The text without control characters, which no text of a lab may have.
pub fn plain(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

fn step_text(index: usize, step: &LabStep) -> String {
    let mut keys = Vec::new();
    if step.name != LabStep::name_of(index) {
        keys.push(("name", quoted(&step.name)));
    }
    keys.extend(when_keys(&step.when));
    keys.extend(narration_keys(&step.narration));
    if !step.lines.is_empty() || step.narration.is_silent() {
        keys.push(("do", quoted_list(&step.lines)));
    }
    table("step", &keys)
}

/// The keys of when a step is taken.
fn when_keys(when: &When) -> Vec<(&'static str, String)> {
    match when {
        When::At(span) => vec![("at", format!("\"{span}\""))],
        When::Moment(moment) => vec![("when", quoted(&moment.to_string()))],
        When::Condition { condition, then_wait } => {
            let mut keys = vec![("when", quoted(&condition.to_string()))];
            if *then_wait > Span::ZERO {
                keys.push(("then_wait", format!("\"{then_wait}\"")));
            }
            keys
        }
    }
}

/// The keys of what a step tells.
fn narration_keys(narration: &Narration) -> Vec<(&'static str, String)> {
    let mut keys: Vec<_> = narration.chapter.iter().map(|chapter| ("chapter", quoted(chapter))).collect();
    match &narration.words {
        Some(NarratedWords::Say(text)) => keys.push(("say", quoted(text.as_written()))),
        Some(NarratedWords::Ask(question)) => {
            let choices: Vec<&str> = question.choices.iter().map(LessonText::as_written).collect();
            keys.push(("ask", quoted(question.text.as_written())));
            keys.push(("choices", quoted_list(&choices)));
            keys.push(("answer", (question.answer + 1).to_string()));
            keys.extend(question.because.iter().map(|because| ("because", quoted(because.as_written()))));
        }
        None => {}
    }
    keys
}

/// The text as lines of a comment, each with its end. What goes on in another line is indented there, if the text is a
/// point of a list.
pub fn comment(text: &str) -> String {
    let plain = plain(text);
    let indent = if plain.starts_with("- ") { "#  " } else { "#" };
    let mut lines = String::new();
    let mut line = String::from("#");
    for word in plain.split_whitespace() {
        if line.chars().count() + 1 + word.chars().count() > COMMENT_COLUMNS {
            lines.push_str(&line);
            lines.push('\n');
            line = indent.to_owned();
        }
        line.push(' ');
        line.push_str(word);
    }
    lines + &line + "\n"
}

/// The lab's name with this mark behind it, cut to the length that a name may have.
pub fn marked(name: &str, mark: &str) -> String {
    let mut end = name.len().min(NAME_BYTES_MAX - mark.len());
    while !name.is_char_boundary(end) {
        end -= 1;
    }
    format!("{}{mark}", &name[..end])
}
