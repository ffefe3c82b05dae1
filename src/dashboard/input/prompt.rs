//! The line that is being written: a fault line or a filter; and how a long line is quoted within a sentence.
//!
//! Invariant: the cursor is always between two characters, a key that is not text never becomes text, and a line that the
//! lab has not answered takes no key as text.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use super::action::{FeedKind, rows};
use fault::forms;
use protocol::{Lie, visible};
use record::Request;

/// The longest line.
const CHARACTERS_MAX: usize = 512;
/// How many lines are remembered of each kind.
const HISTORY_MAX: usize = 100;

/// The kind of line that is being written.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
pub enum PromptKind {
    /// A fault line, or the name of an action (`:`).
    Palette,
    Filter,
    /// After `/` in the flow: a filter for the flow.
    FlowFilter,
    /// What to look for in the help (`/`).
    Search,
}

/// A line that is being written.
#[derive(Clone, Debug)]
pub struct Prompt {
    pub kind: PromptKind,
    pub text: String,
    /// The cursor, in bytes.
    pub cursor: usize,
    /// How far the line has come.
    pub progress: LineProgress,
    /// Whether the text is only proposed: what is typed takes its place.
    pub is_proposed: bool,
    /// How many lines back in the history it is.
    back: usize,
    /// The text before the history was used.
    draft: String,
}

/// How far a line has come.
#[derive(Clone, Debug)]
pub enum LineProgress {
    /// The line is being written.
    Draft,
    /// The lab was asked to carry it out, and has not answered yet.
    Waiting {
        /// The requests without an answer.
        requests: Vec<Request>,
        /// The keys that were pressed meanwhile.
        keys: Vec<KeyEvent>,
    },
    /// The line was refused, and why.
    Refused(String),
}

/// The lines that were written before, oldest first.
#[derive(Clone, Default, Debug)]
pub struct Histories {
    palette: Vec<String>,
    filter: Vec<String>,
}

/// What a key did.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
pub enum Pressed {
    /// The key went into the line.
    Edited,
    /// The line is to be carried out.
    Entered,
    /// The line is to be forgotten.
    Left,
    /// The line is to be completed.
    Complete,
    /// The key is none of the prompt's.
    NotMine,
}

/// How much of a paste went into the line.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
pub enum Pasted {
    /// All of it.
    Whole,
    /// One line, and so many others did not.
    FirstLine {
        /// How many.
        more: usize,
    },
    /// As much as the line has room for.
    Cut,
}

/// A line that the palette understands.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
pub struct Suggestion {
    pub form: &'static str,
    /// What it does.
    pub about: &'static str,
}

const STOP: Suggestion = Suggestion {
    form: "stop when C",
    about: "stop the picture at an election, a violation, or such as `coordinator 4`",
};
const PREDICT: Suggestion =
    Suggestion { form: "predict N K", about: "N wins the next election, with K messages, such as `predict 4 12`" };
const OPEN: Suggestion = Suggestion {
    form: "open SESSION",
    about: "open a recorded session: `last`, its number, a beginning of its name, a file",
};
const SEEK: Suggestion = Suggestion {
    form: "seek D",
    about: "go to a time, such as `seek 12.5s`, or to `record 9`, `fault f2`, `election 3`, `violation 1`, `marker 2`, `chapter 1`",
};
/// What people write about a moment of the session.
const NOTES: [Suggestion; 4] = [
    Suggestion { form: "marker TEXT", about: "write a marker at this moment, beside the session" },
    Suggestion { form: "note TEXT", about: "write a note about this moment, beside the session" },
    Suggestion { form: "chapter TEXT", about: "a chapter of the session begins at this moment" },
    Suggestion { form: "unmark", about: "take back the marker, note or chapter of this moment" },
];

impl Prompt {
    /// A prompt that already has this text, with the cursor at its end.
    pub fn new(kind: PromptKind, text: impl Into<String>) -> Prompt {
        let text = text.into();
        let (progress, draft) = (LineProgress::Draft, String::new());
        Prompt { kind, cursor: text.len(), text, progress, is_proposed: false, back: 0, draft }
    }

    /// A prompt that proposes this text: what is typed takes its place, any other key edits it.
    pub fn proposing(kind: PromptKind, text: &str) -> Prompt {
        Prompt { is_proposed: !text.is_empty(), ..Prompt::new(kind, text) }
    }

    /// What is typed or pasted takes the place of a text that is only proposed.
    fn drop_proposal(&mut self) {
        if std::mem::take(&mut self.is_proposed) {
            self.replace("");
        }
    }

    /// Puts another text in its place.
    pub fn replace(&mut self, text: impl Into<String>) {
        self.text = text.into();
        self.cursor = self.text.len();
    }

    /// The entries that begin like the line that is being written.
    pub fn suggestions(&self, feed: FeedKind) -> Vec<Suggestion> {
        if self.kind != PromptKind::Palette {
            return Vec::new();
        }
        if let Some(begun) = self.begun_lie() {
            let lies = Lie::ALL.into_iter().filter(|lie| lie.word().starts_with(begun));
            return lies.map(|lie| Suggestion { form: lie.word(), about: lie.says() }).collect();
        }
        let typed = self.text.trim_start();
        let verb = |form: &'static str| form.split_whitespace().next().unwrap_or(form);
        let begins = |form: &'static str| {
            form.starts_with(typed) || typed.split_once(' ').is_some_and(|(first, _)| first == verb(form))
        };
        let forms = forms().map(|(form, about)| Suggestion { form, about });
        let seek = (feed != FeedKind::Live).then_some(SEEK);
        let faults: Vec<Suggestion> = match feed {
            FeedKind::Live | FeedKind::Simulated => forms.collect(),
            FeedKind::Past | FeedKind::Replay | FeedKind::Pair => Vec::new(),
        };
        let known: Vec<&str> = faults.iter().map(|suggestion| suggestion.form).collect();
        let names = rows(feed).map(|row| Suggestion { form: row.name, about: row.about });
        let names = names.filter(|name| !known.contains(&name.form));
        let all = seek.into_iter().chain([STOP, PREDICT, OPEN]).chain(faults.iter().copied()).chain(names).chain(NOTES);
        all.filter(|suggestion| begins(suggestion.form)).collect()
    }

    /// As much of a lie's word as the line has, if it says already which process is to lie.
    pub fn begun_lie(&self) -> Option<&str> {
        let (_, begun) = self.text.trim_start().strip_prefix("liar ")?.trim_start().split_once(' ')?;
        Some(begun.trim_start())
    }

    /// Takes a pasted text: of several lines the first with a word in it. Returns what is missing of the text.
    pub fn paste(&mut self, text: &str) -> Pasted {
        self.drop_proposal();
        let mut lines = text.split(['\n', '\r']).map(str::trim).filter(|line| !line.is_empty());
        let first = visible(lines.next().unwrap_or_default()).into_owned();
        let room = CHARACTERS_MAX.saturating_sub(self.text.chars().count());
        first.chars().take(room).for_each(|c| self.insert(if c == '\t' { ' ' } else { c }));
        self.progress = LineProgress::Draft;
        match lines.count() {
            _ if first.chars().count() > room => Pasted::Cut,
            0 => Pasted::Whole,
            more => Pasted::FirstLine { more },
        }
    }

    /// Takes a key.
    pub fn press(&mut self, key: &KeyEvent, histories: &Histories) -> Pressed {
        let history = histories.of(self.kind);
        let is_ctrl = key.modifiers.contains(KeyModifiers::CONTROL);
        if let LineProgress::Waiting { keys, .. } = &mut self.progress {
            match key.code {
                KeyCode::Esc => return Pressed::Left,
                KeyCode::Char('c' | 'l' | 'z') if is_ctrl => return Pressed::NotMine,
                _ => keys.push(*key),
            }
            return Pressed::Edited;
        }
        self.progress = LineProgress::Draft;
        let is_text = matches!(key.code, KeyCode::Char(_)) && !is_ctrl && !key.modifiers.contains(KeyModifiers::ALT);
        if is_text || self.is_proposed && matches!(key.code, KeyCode::Backspace | KeyCode::Delete) {
            let had_text = self.is_proposed && !is_text;
            self.drop_proposal();
            if had_text {
                return Pressed::Edited;
            }
        }
        self.is_proposed = false;
        match key.code {
            KeyCode::Char('a') if is_ctrl => self.cursor = 0,
            KeyCode::Char('e') if is_ctrl => self.cursor = self.text.len(),
            KeyCode::Char('u') if is_ctrl => {
                self.text.drain(..self.cursor);
                self.cursor = 0;
            }
            KeyCode::Char('w') if is_ctrl => self.erase_word(),
            KeyCode::Char(_) if is_ctrl || key.modifiers.contains(KeyModifiers::ALT) => {
                return Pressed::NotMine;
            }
            KeyCode::Char(c) => self.insert(c),
            KeyCode::Backspace if self.text.is_empty() => return Pressed::Left,
            KeyCode::Backspace => {
                if let Some(c) = self.text[..self.cursor].chars().next_back() {
                    self.cursor -= c.len_utf8();
                    self.text.remove(self.cursor);
                }
            }
            KeyCode::Delete => {
                if self.cursor < self.text.len() {
                    self.text.remove(self.cursor);
                }
            }
            KeyCode::Left => {
                self.cursor -= self.text[..self.cursor].chars().next_back().map_or(0, char::len_utf8);
            }
            KeyCode::Right => {
                self.cursor += self.text[self.cursor..].chars().next().map_or(0, char::len_utf8);
            }
            KeyCode::Home => self.cursor = 0,
            KeyCode::End => self.cursor = self.text.len(),
            KeyCode::Up => self.recall(self.back + 1, history),
            KeyCode::Down => self.recall(self.back.saturating_sub(1), history),
            KeyCode::Enter => return Pressed::Entered,
            KeyCode::Esc => return Pressed::Left,
            KeyCode::Tab => return Pressed::Complete,
            _ => return Pressed::NotMine,
        }
        Pressed::Edited
    }

    fn insert(&mut self, c: char) {
        if !c.is_control() && self.text.chars().count() < CHARACTERS_MAX {
            self.text.insert(self.cursor, c);
            self.cursor += c.len_utf8();
        }
    }

    fn erase_word(&mut self) {
        let before = self.text[..self.cursor].trim_end();
        let start = before.rfind(char::is_whitespace).map_or(0, |at| at + 1);
        // The whitespace found may be longer than one byte; the boundary after it is the right one.
        let start = (start..=self.cursor).find(|at| self.text.is_char_boundary(*at)).unwrap_or(self.cursor);
        self.text.drain(start..self.cursor);
        self.cursor = start;
    }

    fn recall(&mut self, back: usize, history: &[String]) {
        if back > history.len() || back == self.back {
            return;
        }
        if self.back == 0 {
            self.draft = std::mem::take(&mut self.text);
        }
        self.back = back;
        let text = if back == 0 { self.draft.clone() } else { history[history.len() - back].clone() };
        self.replace(text);
    }
}

impl Histories {
    fn of(&self, kind: PromptKind) -> &[String] {
        match kind {
            PromptKind::Palette => &self.palette,
            PromptKind::Filter | PromptKind::FlowFilter => &self.filter,
            PromptKind::Search => &[],
        }
    }

    /// Remembers a line, unless it is the same as the one before.
    pub fn remember(&mut self, kind: PromptKind, line: &str) {
        let history = match kind {
            PromptKind::Palette => &mut self.palette,
            PromptKind::Filter | PromptKind::FlowFilter => &mut self.filter,
            PromptKind::Search => return,
        };
        if !line.is_empty() && history.last().is_none_or(|last| last != line) {
            history.push(line.to_owned());
        }
        let surplus = history.len().saturating_sub(HISTORY_MAX);
        history.drain(..surplus);
    }
}

/// A longer piece of a line is cut.
pub const QUOTED_MAX: usize = 60;

/// The sentence, with each quoted piece cut where it is long.
pub fn with_short_quotes(sentence: &str) -> String {
    let pieces: Vec<&str> = sentence.split('`').collect();
    let last = pieces.len() - 1;
    let shown = pieces.iter().enumerate().map(|(place, piece)| {
        // Of an odd number of backticks the last one opens nothing.
        let is_quoted = place % 2 == 1 && place < last;
        if is_quoted && piece.chars().count() > QUOTED_MAX {
            let begins: String = piece.chars().take(QUOTED_MAX).collect();
            format!("{begins}…")
        } else {
            (*piece).to_owned()
        }
    });
    shown.collect::<Vec<_>>().join("`")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_quote_is_cut_and_the_sentence_is_whole() {
        let long = "x".repeat(400);
        let cut = format!("`{}…` is no action; `help` lists them", "x".repeat(QUOTED_MAX));
        assert_eq!(with_short_quotes(&format!("`{long}` is no action; `help` lists them")), cut);
        for whole in ["no quote", "`short` is short", &format!("an open ` and {long}"), ""] {
            assert_eq!(with_short_quotes(whole), whole);
        }
    }
}
