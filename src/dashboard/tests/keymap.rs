//! Every text that names a key shows the key that the person has bound.

use std::fs;
use std::path::{Path, PathBuf};

use super::stage::{calm, lab, live_with, options, storm};
use super::{lines_of, press, text};
use crate::input::action::Action;
use crate::model::Model;
use crate::{Keymap, Options, Role, Tour};
use record::Record;

/// A live screen with these keys.
fn with_keys(bound: &[(Action, &str)], records: &[Record]) -> Model {
    let mut keymap = Keymap::default();
    for (action, keys) in bound {
        keymap.bind(*action, keys.split_whitespace().map(|key| key.parse().unwrap()).collect());
    }
    live_with(Options { keymap, tour: Tour::Shown, ..options(lab(None), Role::Owner) }, records)
}

#[test]
fn a_bound_key_works_and_the_footer_the_help_and_the_strip_name_it() {
    let mut model = with_keys(&[(Action::Crash, "X F5"), (Action::Help, "H"), (Action::Quit, "Q")], &calm());
    let screen = text(&mut model, 100, 30);
    for words in ["X crash", "Q ends the lab  H help", "`X` crashes the one under the cursor", "`H` lists all keys"] {
        assert!(screen.contains(words), "{words} is missing:\n{screen}");
    }
    assert_eq!(lines_of(&press(&mut model, "X")), ["crash 1"]);
    assert_eq!(lines_of(&press(&mut model, "c")), Vec::<String>::new());
    let screen = text(&mut model, 100, 30);
    assert!(screen.contains("c does nothing here; H lists the keys."), "{screen}");
    press(&mut model, "Esc H");
    let screen = text(&mut model, 100, 60);
    assert!(screen.contains("X F5      crash: kill its process (SIGKILL)"), "{screen}");
    press(&mut model, "Q Q");
    let screen = text(&mut model, 100, 30);
    assert!(screen.contains("Q or Enter: yes."), "{screen}");
}

#[test]
fn an_action_whose_keys_are_taken_away_is_named_as_its_line() {
    let mut model = with_keys(&[(Action::Violations, ""), (Action::Crash, "")], &storm());
    let screen = text(&mut model, 140, 45);
    assert!(screen.contains("(:violations)") && !screen.contains(" crash  "), "{screen}");
    press(&mut model, ":");
    super::write_text(&mut model, "crash");
    assert_eq!(lines_of(&press(&mut model, "Enter")), ["crash 1"]);
}

/// All files of this room but its tests and the table itself.
fn sources(directory: &Path) -> Vec<PathBuf> {
    let paths = fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path());
    let named = |path: &Path, names: &[&str]| names.iter().any(|name| path.ends_with(name));
    let paths = paths.filter(|path| !named(path, &["tests", "snapshots", "action.rs", "key.rs", "keymap.rs"]));
    paths.flat_map(|path| if path.is_dir() { sources(&path) } else { vec![path] }).collect()
}

#[test]
fn no_sentence_knows_a_key_by_heart() {
    // A line begins with `:`, `!` is a sign in a filter, and `*` stands for all nodes.
    let signs = [':', '!', '*'];
    for path in sources(&Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).join("src/dashboard")) {
        let code = fs::read_to_string(&path).unwrap();
        for (number, line) in code.lines().enumerate().filter(|(_, line)| !line.trim_start().starts_with("//")) {
            let quoted: Vec<&str> = line.split('`').skip(1).step_by(2).collect();
            let by_heart = quoted.iter().find(|key| key.chars().count() == 1 && !key.starts_with(signs));
            assert_eq!(by_heart, None, "{}:{}: {line}", path.display(), number + 1);
        }
    }
}
