//! Parses a config file.
//!
//! Invariant: a value that is wrong hides neither the errors nor the values after it; what is taken is free of
//! conflicts.

use std::collections::HashMap;
use std::ops::Range;

use toml::de::DeTable;

use super::Config;
use super::error::ConfigError;
use crate::cli::characters::CharactersName;
use crate::cli::screen::ThemeName;
use dashboard::{Action, Key, KeyConflict, KeyTextError, Keymap, Mouse};
use lab::{LabError, PlacedTable, Reader, Value, did_you_mean};

/// What a config file may set, beside its table of keys.
pub const SETTINGS: &[ConfigSetting] = &[
    ConfigSetting {
        name: "theme",
        about: "The colours of the screen: auto, basic, dark, light, high-contrast or mono. The option --theme wins.",
    },
    ConfigSetting {
        name: "glyphs",
        about: "The characters of the screen: auto, unicode or ascii. auto is ascii where the locale is not UTF-8, and on the \
                console of Linux. The options --unicode and --ascii win.",
    },
    ConfigSetting {
        name: "mouse",
        about: "Whose the mouse is when a screen opens: screen, where it selects, scrolls and seeks, or terminal, which \
                selects text with it. A key changes it.",
    },
    ConfigSetting {
        name: "kept_sessions",
        about: "The most sessions that are kept of those that `run` and `simulate` recorded by themselves. What `up` \
                recorded stays in any case.",
    },
    ConfigSetting { name: "kept_mib", about: "The most MiB that these sessions take together." },
];

/// The table of the keys.
const KEYS: &str = "keys";
/// At most so many sessions, and so many MiB, can be asked for.
pub const SESSIONS_MAX: u64 = 1_000_000;
pub const MIB_MAX: u64 = 1 << 30;

/// Something that a config file may set.
#[derive(Debug)]
pub struct ConfigSetting {
    /// The name in the file.
    pub name: &'static str,
    /// What it sets.
    pub about: &'static str,
}

/// The config of this text, and what is wrong with the text, in its order.
pub fn parse(text: &str) -> (Config, Vec<ConfigError>) {
    let document = match DeTable::parse(text) {
        Ok(document) => document,
        Err(error) => return (Config::default(), vec![not_toml(&error)]),
    };
    let mut parser = Parser { reader: Reader::new(text), text, config: Config::default(), errors: Vec::new() };
    let first_line = 0..text.find('\n').unwrap_or(text.len());
    let table = PlacedTable { entries: document.get_ref(), head: first_line, what: "config file" };
    parser.settings(&table);
    let Parser { reader, config, mut errors, .. } = parser;
    errors.extend(reader.errors.into_iter().map(ConfigError::from));
    errors.sort_by_key(|error| (error.error.at.start, error.error.at.end));
    (config, errors)
}

fn not_toml(error: &toml::de::Error) -> ConfigError {
    ConfigError::from(LabError {
        at: error.span().unwrap_or(0..0),
        what: format!("this is not valid TOML: {}", error.message().lines().collect::<Vec<_>>().join("; ")),
        expected: "the TOML error is here".to_owned(),
        remedy: "write strings in quotes and each `key = value` on its own line; `hustings config --example` prints a \
                 correct file"
            .to_owned(),
    })
}

/// Reads a file into a config.
struct Parser<'a> {
    reader: Reader<'a>,
    text: &'a str,
    config: Config,
    errors: Vec<ConfigError>,
}

impl<'a> Parser<'a> {
    fn settings(&mut self, table: &PlacedTable<'a>) {
        let names: Vec<&'static str> = SETTINGS.iter().map(|setting| setting.name).chain([KEYS]).collect();
        self.reader.only_keys(table, &names);
        let themes = ThemeName::ALL.map(|theme| (theme.word(), theme));
        if let Some(theme) = self.one_of(table, "theme", &themes) {
            self.config.theme = theme;
        }
        let glyphs = CharactersName::ALL.map(|name| (name.word(), name));
        if let Some(glyphs) = self.one_of(table, "glyphs", &glyphs) {
            self.config.glyphs = glyphs;
        }
        let mouse = [("terminal", Mouse::OfTheTerminal), ("screen", Mouse::OfTheScreen)];
        if let Some(mouse) = self.one_of(table, "mouse", &mouse) {
            self.config.mouse = mouse;
        }
        if let Some(sessions) = self.whole(table, "kept_sessions", SESSIONS_MAX) {
            self.config.kept.sessions = usize::try_from(sessions).unwrap_or(usize::MAX);
        }
        if let Some(mib) = self.whole(table, "kept_mib", MIB_MAX) {
            self.config.kept.bytes = mib << 20;
        }
        if let Some(keys) = table.entries.get(KEYS).and_then(|value| self.reader.table(value, "table of keys")) {
            self.keys(&keys);
        }
    }

    /// Notes that this place sets something.
    fn note(&mut self, name: &str, at: &Range<usize>) {
        let line = self.text[..at.start].matches('\n').count() + 1;
        self.config.lines.insert(name.to_owned(), line);
    }

    fn one_of<T: Copy>(&mut self, table: &PlacedTable<'a>, name: &str, known: &[(&str, T)]) -> Option<T> {
        let names: Vec<&str> = known.iter().map(|(name, _)| *name).collect();
        let form = format!("one of {}", names.join(", "));
        let text = self.reader.text(table.entries.get(name)?, &form)?;
        let found = known.iter().find(|(name, _)| *name == text.value).map(|(_, value)| *value);
        match found {
            Some(_) => self.note(name, &text.at),
            None => {
                let what = format!("`{}` is not a value of `{name}`", text.value);
                self.reader.wrong(text.at, what, did_you_mean(text.value, &names), format!("write {form}, in quotes"));
            }
        }
        found
    }

    fn whole(&mut self, table: &PlacedTable<'a>, name: &str, most: u64) -> Option<u64> {
        let value = table.entries.get(name)?;
        let found = self.reader.whole(value, 1..most + 1, &format!("a whole number from 1 to {most}"))?;
        self.note(name, &value.span());
        Some(found)
    }

    /// Binds all keys first, and then takes back what would make a key do two things.
    fn keys(&mut self, table: &PlacedTable<'a>) {
        let actions = Keymap::actions();
        let mut places = HashMap::new();
        for (name, value) in table.entries {
            let Some(known) = actions.iter().find(|action| action.name == **name.get_ref()) else {
                self.unknown_action(name.get_ref(), name.span());
                continue;
            };
            if let Some(keys) = self.keys_of(value) {
                self.config.keymap.bind(known.action, keys);
                self.note(&format!("{KEYS}.{}", known.name), &value.span());
                places.insert(known.action, value.span());
            }
        }
        loop {
            let conflicts = self.config.keymap.conflicts();
            if conflicts.is_empty() {
                return;
            }
            for conflict in conflicts {
                self.take_back(conflict, &places);
            }
        }
    }

    fn unknown_action(&mut self, name: &str, at: Range<usize>) {
        let actions = Keymap::actions();
        let names: Vec<&str> = actions.iter().map(|action| action.name.as_str()).collect();
        let expected = match lab::near(name, &names)[..] {
            [] => "no action has this name".to_owned(),
            [near, ..] => format!("did you mean `{near}`?"),
        };
        let remedy = "`hustings config --example` lists all actions";
        self.reader.wrong(at, format!("there is no action `{name}`"), expected, remedy);
    }

    /// The keys of one action: one key, or a list of keys. An empty list leaves it none.
    fn keys_of(&mut self, value: &'a Value<'a>) -> Option<Vec<Key>> {
        const FORM: &str = "a key such as \"c\", or a list of keys such as [\"c\", \"F5\"]";
        let texts = match value.get_ref().as_array() {
            Some(_) => self.reader.texts(value, FORM)?,
            None => vec![self.reader.text(value, FORM)?],
        };
        let mut keys = Vec::new();
        for text in texts {
            match text.value.parse::<Key>() {
                Ok(key) => keys.push(key),
                Err(error) => {
                    let (expected, remedy) = match &error {
                        KeyTextError::NotAKey(_) => (
                            "expected a key",
                            "write one character such as \"c\", or \"Space\", \"F1\" to \"F12\", \"Ctrl-A\" to \"Ctrl-Z\"",
                        ),
                        KeyTextError::Fixed(_) | KeyTextError::Shared(..) => {
                            ("expected another key", "choose another key; a fixed one keeps what it does in any case")
                        }
                    };
                    self.reader.wrong(text.at, error.to_string(), expected, remedy);
                    return None;
                }
            }
        }
        Some(keys)
    }

    /// Gives the actions of a conflict their own keys back, and says why.
    fn take_back(&mut self, conflict: KeyConflict, places: &HashMap<Action, Range<usize>>) {
        let KeyConflict { key, actions } = conflict;
        let name = |action: Action| {
            let known = Keymap::actions().into_iter().find(|known| known.action == action);
            known.map(|known| known.name).unwrap_or_default()
        };
        let mut bound: Vec<(Range<usize>, Action)> = Vec::new();
        for action in actions {
            if self.config.keymap.unbind(action) {
                self.config.lines.remove(&format!("{KEYS}.{}", name(action)));
                bound.extend(places.get(&action).map(|place| (place.clone(), action)));
            }
        }
        bound.sort_by_key(|(place, _)| place.start);
        let Some((at, action)) = bound.pop() else { return };
        let other = if actions[0] == action { actions[1] } else { actions[0] };
        let (key, other_name) = (key.name(), name(other));
        let error = LabError {
            at,
            what: format!("{key} would do two things: `{other_name}` and `{}`", name(action)),
            expected: format!("{key} is the key of `{other_name}`"),
            remedy: format!("choose another key here, or bind `{other_name}` to another key too"),
        };
        let other = bound.pop().map(|(place, _)| (place, format!("`{other_name}` is bound to it here")));
        self.errors.push(ConfigError { error, other });
    }
}

#[cfg(test)]
mod tests;
