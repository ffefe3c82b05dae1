//! One broken config file after another, and the words of its error.

use super::*;
use crate::cli::config::error::ConfigErrors;
use record::Retention;

/// The errors of this file, as a person sees them.
fn told(text: &str) -> String {
    let (_, list) = parse(text);
    assert!(!list.is_empty(), "{text}");
    ConfigErrors { path: "config.toml".into(), text: text.to_owned(), list }.to_string()
}

fn action_of(config: &Config, c: char) -> Vec<Action> {
    let key: Key = c.to_string().parse().unwrap();
    let actions = Keymap::actions().into_iter().map(|known| known.action);
    actions.filter(|action| config.keymap.movable(*action).contains(&key)).collect()
}

#[test]
fn what_is_right_is_taken() {
    let text = "theme = \"high-contrast\"\nglyphs = \"ascii\"\nkept_sessions = 3\nkept_mib = 2\n\n\
                [keys]\ncrash = \"v\"\nwhy = [\"c\", \"Ctrl-W\"]\nfreeze = []\n";
    let (config, wrong) = parse(text);
    assert_eq!(wrong, []);
    assert_eq!((config.theme, config.glyphs), (ThemeName::HighContrast, CharactersName::Ascii));
    assert_eq!(config.kept, Retention { sessions: 3, bytes: 2 << 20 });
    assert_eq!((action_of(&config, 'v'), action_of(&config, 'c')), (vec![Action::Crash], vec![Action::Why]));
    assert_eq!(action_of(&config, 'F'), []);
}

#[test]
fn each_error_has_its_line_the_near_name_and_a_remedy() {
    for (text, words) in [
        (
            "thme = \"dark\"",
            &["config.toml:1:1", "has no key `thme`", "did you mean `theme`?", "takes theme, glyphs"][..],
        ),
        ("theme = \"drak\"", &["`drak` is not a value of `theme`", "did you mean `dark`?", "high-contrast"]),
        ("theme = 3", &["one of auto, basic", "belongs here, and this is a TOML integer"]),
        ("glyphs = \"emoji\"", &["`emoji` is not a value of `glyphs`", "expected one of auto, unicode, ascii"]),
        ("kept_sessions = 0", &["a whole number from 1 to 1000000 belongs here, and this is 0"]),
        ("kept_mib = \"2\"", &["belongs here, and this is a TOML string"]),
        ("keys = \"c\"", &["a table belongs here"]),
        ("[keys]\ncrahs = \"c\"", &["config.toml:2:1", "there is no action `crahs`", "did you mean `crash`?"]),
        ("[keys]\nnothing_like_it = \"c\"", &["no action has this name", "`hustings config --example` lists all"]),
        ("[keys]\ncrash = \"cc\"", &["`cc` is not a key", "expected a key", "Ctrl-A"]),
        ("[keys]\ncrash = 5", &["a key such as \"c\"", "this is a TOML integer"]),
        ("[keys]\ncrash = \"Ctrl-C\"", &["Ctrl-C does the same for everybody and cannot be bound", "another key"]),
        ("[keys]\ncrash = [\"Enter\"]", &["Enter does the same for everybody"]),
        ("theme = dark", &["this is not valid TOML", "in quotes"]),
    ] {
        let told = told(text);
        for word in words.iter().chain(&["where the config file is wrong, the defaults hold"]) {
            assert!(told.contains(word), "{text}: {word} is missing:\n{told}");
        }
    }
}

#[test]
fn two_actions_on_one_key_are_told_with_both_lines_and_keep_their_own_keys() {
    let text = "[keys]\ncrash = \"B\"\nwhy = \"B\"\nfreeze = \"Z\"\n";
    let (config, wrong) = parse(text);
    assert_eq!(wrong.len(), 1, "{wrong:?}");
    let told = told(text);
    for words in ["config.toml:3:7", "B would do two things: `crash` and `why`", "2 | crash = \"B\"", "3 | why = \"B\""]
    {
        assert!(told.contains(words), "{words} is missing:\n{told}");
    }
    assert_eq!((action_of(&config, 'B'), action_of(&config, 'c')), (vec![], vec![Action::Crash]));
    assert_eq!(action_of(&config, 'Z'), [Action::Freeze], "what has no part in it holds");
    assert!(!config.lines.contains_key("keys.crash") && config.lines.contains_key("keys.freeze"));
}

#[test]
fn a_key_of_another_action_is_told_and_an_exchange_that_fails_is_taken_back_whole() {
    let told = told("[keys]\nwhy = \"c\"\n");
    assert!(told.contains("c is the key of `crash`") && told.contains("bind `crash` to another key too"), "{told}");
    let (config, wrong) = parse("[keys]\nwhy = \"c\"\ncrash = \"Ctrl-C\"\n");
    assert_eq!(wrong.len(), 2, "{wrong:?}");
    assert_eq!((action_of(&config, 'v'), action_of(&config, 'c')), (vec![Action::Why], vec![Action::Crash]));
}
