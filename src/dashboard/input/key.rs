//! A key, and its name on the screen and in the config file.
//!
//! A fixed key does the same for everybody: Enter, Esc, Tab, the arrows, the pages, Home, End, the digits, `:` and
//! Ctrl-C. All others may be bound to another action.
//!
//! Invariant: the name of a key that may be bound is read back as the same key.

use std::str::FromStr;

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use ratatui::text::Span;

#[derive(Copy, Clone, Eq, PartialEq, Debug)]
pub enum Key {
    /// Without Ctrl.
    Plain(KeyCode),
    /// With Ctrl.
    Ctrl(char),
}

/// The keys with names of their own that do the same for everybody.
const FIXED: [KeyCode; 12] = [
    KeyCode::Enter,
    KeyCode::Esc,
    KeyCode::Tab,
    KeyCode::BackTab,
    KeyCode::Up,
    KeyCode::Down,
    KeyCode::Left,
    KeyCode::Right,
    KeyCode::PageUp,
    KeyCode::PageDown,
    KeyCode::Home,
    KeyCode::End,
];
/// There are so many function keys.
const FUNCTION_KEYS: u8 = 12;
/// What terminals send for another key too.
const SHARED: [(char, &str); 2] = [('i', "Tab"), ('m', "Enter")];

/// Why a text is no key that can be bound.
#[derive(Clone, Eq, PartialEq, Debug, thiserror::Error)]
pub enum KeyTextError {
    /// The text names no key.
    #[error("`{0}` is not a key")]
    NotAKey(String),
    /// The key does the same for everybody.
    #[error("{0} does the same for everybody and cannot be bound")]
    Fixed(String),
    /// A terminal sends the same for another key.
    #[error("a terminal sends the same for {0} and {1}, so {0} cannot be bound")]
    Shared(String, &'static str),
}

impl Key {
    /// The key of this event; `None` if the table cannot have this key.
    pub fn of(event: &KeyEvent) -> Option<Key> {
        match event.code {
            KeyCode::Char(c) if event.modifiers.contains(KeyModifiers::CONTROL) => {
                Some(Key::Ctrl(c.to_ascii_lowercase()))
            }
            _ if event.modifiers.intersects(KeyModifiers::CONTROL | KeyModifiers::ALT | KeyModifiers::SUPER) => None,
            code => Some(Key::Plain(code)),
        }
    }

    /// The name on the screen and in the config file.
    pub fn name(self) -> String {
        match self {
            Key::Ctrl(c) => format!("Ctrl-{}", c.to_ascii_uppercase()),
            Key::Plain(KeyCode::Char(' ')) => "Space".into(),
            Key::Plain(KeyCode::Char(c)) => c.to_string(),
            Key::Plain(KeyCode::PageUp) => "PgUp".into(),
            Key::Plain(KeyCode::PageDown) => "PgDn".into(),
            Key::Plain(KeyCode::BackTab) => "Shift-Tab".into(),
            Key::Plain(code) => code.to_string(),
        }
    }

    /// Whether it does the same for everybody.
    pub fn is_fixed(self) -> bool {
        match self {
            Key::Ctrl(c) => c == 'c',
            Key::Plain(KeyCode::Char(c)) => c.is_ascii_digit() || c == ':',
            Key::Plain(code) => FIXED.contains(&code),
        }
    }
}

impl FromStr for Key {
    type Err = KeyTextError;

    fn from_str(text: &str) -> Result<Key, KeyTextError> {
        let mut characters = text.chars();
        // What nobody sees in the help or below the screen is no key either.
        let is_seen = |c: &char| !c.is_control() && !c.is_whitespace() && Span::raw(text).width() > 0;
        let only = characters.next().filter(|c| characters.next().is_none() && is_seen(c));
        let functions = (1..=FUNCTION_KEYS).map(KeyCode::F);
        let with_name = [KeyCode::Char(' ')].into_iter().chain(FIXED).chain(functions).map(Key::Plain);
        let with_ctrl = ('a'..='z').map(Key::Ctrl);
        let key = match only {
            Some(c) => Some(Key::Plain(KeyCode::Char(c))),
            None => with_name.chain(with_ctrl).find(|key| key.name().eq_ignore_ascii_case(text)),
        };
        match key {
            None => Err(KeyTextError::NotAKey(text.to_owned())),
            Some(key) if key.is_fixed() => Err(KeyTextError::Fixed(key.name())),
            Some(key @ Key::Ctrl(c)) => match SHARED.iter().find(|(shared, _)| *shared == c) {
                Some((_, other)) => Err(KeyTextError::Shared(key.name(), other)),
                None => Ok(key),
            },
            Some(key) => Ok(key),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_read_back_as_its_key() {
        let plain = |code| Key::Plain(code);
        for key in [plain(KeyCode::Char('c')), plain(KeyCode::Char('é')), plain(KeyCode::Char(' ')), Key::Ctrl('x')] {
            assert_eq!(key.name().parse(), Ok(key));
        }
        assert_eq!("f12".parse(), Ok(plain(KeyCode::F(12))));
        assert_eq!("CTRL-x".parse(), Ok(Key::Ctrl('x')));
    }

    #[test]
    fn what_is_no_key_or_cannot_be_bound_is_told() {
        let told = |text: &str| text.parse::<Key>().unwrap_err().to_string();
        for text in ["", "cc", "F13", "Ctrl-1", "\t", "Alt-x", "\u{200b}", "\u{202e}"] {
            assert_eq!(told(text), format!("`{text}` is not a key"));
        }
        for text in ["Ctrl-C", "Enter", "Esc", "Shift-Tab", "PgUp", "7", ":"] {
            assert_eq!(told(text), format!("{text} does the same for everybody and cannot be bound"));
        }
        assert_eq!(told("ctrl-m"), "a terminal sends the same for Ctrl-M and Enter, so Ctrl-M cannot be bound");
    }
}
