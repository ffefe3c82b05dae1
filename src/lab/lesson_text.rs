//! Words of a lesson that name keys: `{crash}` stands for the key that crashes a process.
//!
//! A person may bind other keys, so a screen puts its own there; without a screen the keys stand there that nobody has
//! bound.
//!
//! Invariant: each name in braces is that of an action in [`ACTION_KEYS`]; any other brace is a brace.

use std::fmt;
use std::str::FromStr;

/// The actions of the screen by their names in the config file, and the keys that they have unless a person binds others.
pub const ACTION_KEYS: &[(&str, &str)] = &[
    ("crash", "c"),
    ("recover", "r"),
    ("pause_or_resume", "p"),
    ("isolate_or_rejoin", "i"),
    ("elect", "e"),
    ("order", "a"),
    ("loss", "o"),
    ("delay", "d"),
    ("partition", "x"),
    ("lie_or_be_honest", "L"),
    ("slow_motion", "T"),
    ("undo", "u"),
    ("heal_all", "U"),
    ("mark", "Space"),
    ("play_steps", "S"),
    ("play_or_stop", "Space"),
    ("event_back", ","),
    ("event_forward", "."),
    ("second_back", "h"),
    ("second_forward", "l"),
    ("previous_fault", "["),
    ("next_fault", "]"),
    ("previous_violation", "{"),
    ("next_violation", "}"),
    ("previous_election", "("),
    ("next_election", ")"),
    ("previous_marker", "K"),
    ("next_marker", "J"),
    ("slower", "-"),
    ("faster", "="),
    ("beginning", "Home"),
    ("end", "End"),
    ("palette", ":"),
    ("details", "Enter"),
    ("why", "v"),
    ("copy", "Y"),
    ("filter", "/"),
    ("next_match", "n"),
    ("previous_match", "N"),
    ("follow", "f"),
    ("freeze", "F"),
    ("last_minute", "R"),
    ("paced_view", "P"),
    ("stop_when", "W"),
    ("write_a_marker", "M"),
    ("overview", "1"),
    ("messages", "2"),
    ("faults", "3"),
    ("paper", "4"),
    ("links", "5"),
    ("elections", "6"),
    ("history", "7"),
    ("violations", "V"),
    ("promises", "A"),
    ("steps", "s"),
    ("unfold", "+"),
    ("heartbeats", "b"),
    ("cause", "<"),
    ("consequence", ">"),
    ("zoom", "z"),
    ("next_pane", "Tab"),
    ("previous_pane", "Shift-Tab"),
    ("predict", "w"),
    ("score", "y"),
    ("tour", "t"),
    ("mouse", "@"),
    ("up", "k"),
    ("down", "j"),
    ("left", "h"),
    ("right", "l"),
    ("page_up", "PgUp"),
    ("page_down", "PgDn"),
    ("first", "g"),
    ("last", "G"),
    ("back", "Esc"),
    ("other_session", "X"),
    ("difference", "D"),
    ("sessions", "O"),
    ("help", "?"),
    ("redraw", "Ctrl-L"),
    ("suspend", "Ctrl-Z"),
    ("quit", "q"),
];

/// A text that may name keys.
#[derive(Clone, Eq, PartialEq, Debug)]
pub struct LessonText(String);

/// A name in braces that is no action's.
#[derive(Clone, Eq, PartialEq, Debug, thiserror::Error)]
#[error("`{{{0}}}` is no key of the screen")]
pub struct UnknownAction(pub String);

/// A part of a text.
enum TextPart<'t> {
    Text(&'t str),
    Action(&'t str),
}

impl LessonText {
    /// The text as the lab file has it.
    pub fn as_written(&self) -> &str {
        &self.0
    }

    /// The text with what this says in the place of each action's name.
    pub fn with_keys(&self, key: impl Fn(&str) -> String) -> String {
        let mut text = String::new();
        for part in parts(&self.0) {
            match part {
                TextPart::Text(part) => text.push_str(part),
                TextPart::Action(name) => text.push_str(&key(name)),
            }
        }
        text
    }
}

impl FromStr for LessonText {
    type Err = UnknownAction;

    fn from_str(text: &str) -> Result<LessonText, UnknownAction> {
        let unknown = parts(text).find_map(|part| match part {
            TextPart::Action(name) if own_key(name).is_none() => Some(UnknownAction(name.to_owned())),
            TextPart::Action(_) | TextPart::Text(_) => None,
        });
        unknown.map_or_else(|| Ok(LessonText(text.to_owned())), Err)
    }
}

impl fmt::Display for LessonText {
    /// With the keys that nobody has bound.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.with_keys(|name| own_key(name).unwrap_or_default().to_owned()))
    }
}

/// The key that an action has unless a person binds another.
pub fn own_key(action: &str) -> Option<&'static str> {
    ACTION_KEYS.iter().find(|(name, _)| *name == action).map(|(_, key)| *key)
}

fn parts(text: &str) -> impl Iterator<Item = TextPart<'_>> {
    let mut rest = text;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        if let Some(name) = named(rest) {
            rest = &rest[name.len() + 2..];
            return Some(TextPart::Action(name));
        }
        let next = rest.char_indices().skip(1).find(|(at, _)| named(&rest[*at..]).is_some());
        let (part, behind) = rest.split_at(next.map_or(rest.len(), |(at, _)| at));
        rest = behind;
        Some(TextPart::Text(part))
    })
}

/// The name in braces with which the text begins, if it does: small letters, and `_` between them.
fn named(text: &str) -> Option<&str> {
    let (name, _) = text.strip_prefix('{')?.split_once('}')?;
    let is_name = !name.is_empty() && name.chars().all(|c| c.is_ascii_lowercase() || c == '_');
    is_name.then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_in_braces_is_a_key_and_any_other_brace_is_a_brace() {
        let wording: LessonText = "Press `{crash}`{heal_all}; S={(i,v)}, {5} and { crash } stay, é{".parse().unwrap();
        assert_eq!(wording.to_string(), "Press `c`U; S={(i,v)}, {5} and { crash } stay, é{");
        assert_eq!(
            wording.with_keys(|name| format!("<{name}>")),
            "Press `<crash>`<heal_all>; S={(i,v)}, {5} and { crash } stay, é{"
        );
        assert_eq!(wording.as_written().parse(), Ok(wording.clone()));
    }

    #[test]
    fn a_name_that_no_action_has_is_refused() {
        assert_eq!("{krash}".parse::<LessonText>(), Err(UnknownAction("krash".into())));
        assert_eq!(UnknownAction("krash".into()).to_string(), "`{krash}` is no key of the screen");
    }
}
