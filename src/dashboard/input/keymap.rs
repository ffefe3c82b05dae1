//! Which key does what: the keys of the table, and those that a person has bound instead.
//!
//! What a person binds takes the place of an action's own keys, but for the fixed ones ([`Key::is_fixed`]).
//!
//! Invariant: a sentence that names a key asks here for its name, so it names the key that works; an action without a key
//! is named as the line after `:` that does it.

use std::collections::HashMap;

use crossterm::event::KeyEvent;

use super::action::{Action, Binding, FeedKind, TABLE, rows};
use super::key::Key;

/// Which key does what.
#[derive(Clone, Default, Debug)]
pub struct Keymap {
    bound: HashMap<Action, Vec<Key>>,
}

/// An action to which keys can be bound.
#[derive(Clone, Debug)]
pub struct BindableAction {
    pub action: Action,
    /// The action's name in the config file.
    pub name: String,
    /// What it does.
    pub about: &'static str,
}

/// One key that would do two things.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
pub struct KeyConflict {
    pub key: Key,
    /// The actions, in the order of the table.
    pub actions: [Action; 2],
}

impl Keymap {
    /// Binds these keys, and no others, to an action; its fixed keys stay.
    pub fn bind(&mut self, action: Action, keys: Vec<Key>) {
        self.bound.insert(action, keys);
    }

    /// Gives an action its own keys back. Returns whether others were bound to it.
    pub fn unbind(&mut self, action: Action) -> bool {
        self.bound.remove(&action).is_some()
    }

    /// The keys of a row.
    pub fn keys(&self, row: &Binding) -> Vec<Key> {
        match self.bound.get(&row.action) {
            None => row.keys.to_vec(),
            Some(bound) => {
                let fixed = row.keys.iter().copied().filter(|key| key.is_fixed());
                bound.iter().copied().filter(|key| !is_of_another_row(row, *key)).chain(fixed).collect()
            }
        }
    }

    /// The keys of an action that may be bound to another one.
    pub fn movable(&self, action: Action) -> Vec<Key> {
        self.all_of(action).into_iter().filter(|key| !key.is_fixed()).collect()
    }

    /// The keys of an action that it keeps in any case.
    pub fn fixed(&self, action: Action) -> Vec<Key> {
        self.all_of(action).into_iter().filter(|key| key.is_fixed()).collect()
    }

    /// The keys of an action in any feed.
    fn all_of(&self, action: Action) -> Vec<Key> {
        let mut keys: Vec<Key> = Vec::new();
        for key in TABLE.iter().filter(|row| row.action == action).flat_map(|row| self.keys(row)) {
            if !keys.contains(&key) {
                keys.push(key);
            }
        }
        keys
    }

    /// The action of this key in this feed.
    pub fn action_of(&self, event: &KeyEvent, feed: FeedKind) -> Option<Action> {
        let key = Key::of(event)?;
        rows(feed).find(|row| self.keys(row).contains(&key)).map(|row| row.action)
    }

    /// The name of the first key of this action in this feed; without a key, of the line that does the action.
    pub fn name_of(&self, action: Action, feed: FeedKind) -> String {
        let row = rows(feed).find(|row| row.action == action);
        let key = row.and_then(|row| self.keys(row).first().map(|key| key.name()));
        key.or_else(|| row.map(|row| format!(":{}", row.name))).unwrap_or_default()
    }

    /// Each key that would do two things in one feed.
    pub fn conflicts(&self) -> Vec<KeyConflict> {
        let mut conflicts = Vec::new();
        for feed in FeedKind::ALL {
            let rows: Vec<(Action, Vec<Key>)> = rows(feed).map(|row| (row.action, self.keys(row))).collect();
            for (place, (one, keys)) in rows.iter().enumerate() {
                for (other, others) in &rows[place + 1..] {
                    for key in keys.iter().filter(|key| others.contains(key)) {
                        let conflict = KeyConflict { key: *key, actions: [*one, *other] };
                        if !conflicts.contains(&conflict) {
                            conflicts.push(conflict);
                        }
                    }
                }
            }
        }
        conflicts
    }

    /// The action of this name in the config file.
    pub fn action_named(name: &str) -> Option<Action> {
        Keymap::actions().into_iter().find(|known| known.name == name).map(|known| known.action)
    }

    /// All actions to which keys can be bound, in the order of the table.
    pub fn actions() -> Vec<BindableAction> {
        let mut actions: Vec<BindableAction> = Vec::new();
        for row in TABLE {
            if actions.iter().all(|known| known.action != row.action) {
                let name = row.name.replace(' ', "_");
                actions.push(BindableAction { action: row.action, name, about: row.about });
            }
        }
        actions
    }
}

/// Whether the action has this key in other feeds only: Space marks in a live lab, and plays where time moves.
fn is_of_another_row(row: &Binding, key: Key) -> bool {
    TABLE.iter().any(|other| other.action == row.action && other.keys.contains(&key)) && !row.keys.contains(&key)
}

#[cfg(test)]
mod tests {
    use crossterm::event::{KeyCode, KeyModifiers};

    use super::*;

    fn plain(c: char) -> Key {
        Key::Plain(KeyCode::Char(c))
    }

    fn action(keymap: &Keymap, c: char) -> Option<Action> {
        keymap.action_of(&KeyEvent::new(KeyCode::Char(c), KeyModifiers::NONE), FeedKind::Live)
    }

    #[test]
    fn a_bound_key_takes_the_place_of_the_own_ones_and_a_fixed_one_stays() {
        let mut keymap = Keymap::default();
        keymap.bind(Action::Up, vec![plain('E')]);
        keymap.bind(Action::Open, vec![plain('O')]);
        assert_eq!((action(&keymap, 'E'), action(&keymap, 'k')), (Some(Action::Up), None));
        let up = KeyEvent::new(KeyCode::Up, KeyModifiers::NONE);
        assert_eq!(keymap.action_of(&up, FeedKind::Live), Some(Action::Up));
        assert_eq!(keymap.name_of(Action::Open, FeedKind::Live), "O");
        assert_eq!(keymap.movable(Action::Open), [plain('O')]);
        assert!(keymap.unbind(Action::Up) && !keymap.unbind(Action::Up));
        assert_eq!(action(&keymap, 'k'), Some(Action::Up));
    }

    #[test]
    fn an_action_without_a_key_is_named_as_its_line() {
        let mut keymap = Keymap::default();
        assert_eq!(keymap.name_of(Action::PauseOrResume, FeedKind::Live), "p");
        keymap.bind(Action::PauseOrResume, Vec::new());
        assert_eq!(keymap.name_of(Action::PauseOrResume, FeedKind::Live), ":pause or resume");
        keymap.bind(Action::Quit, Vec::new());
        assert_eq!(keymap.name_of(Action::Quit, FeedKind::Live), "Ctrl-C");
    }

    #[test]
    fn two_actions_of_one_key_are_found_only_where_both_apply() {
        assert_eq!(Keymap::default().conflicts(), []);
        let mut keymap = Keymap::default();
        keymap.bind(Action::Why, vec![plain('c')]);
        assert_eq!(keymap.conflicts(), [KeyConflict { key: plain('c'), actions: [Action::Crash, Action::Why] }]);
        keymap.bind(Action::Crash, vec![plain('v')]);
        assert_eq!(keymap.conflicts(), []);
        let mut keymap = Keymap::default();
        // Freezing is for live labs, and an event back for all others.
        keymap.bind(Action::Freeze, vec![plain(',')]);
        assert_eq!(keymap.conflicts(), []);
    }

    #[test]
    fn the_own_keys_of_an_action_may_be_bound_to_it() {
        let mut keymap = Keymap::default();
        for known in Keymap::actions() {
            let keys = keymap.movable(known.action);
            keymap.bind(known.action, keys);
        }
        assert_eq!(keymap.conflicts(), []);
        assert_eq!(keymap.name_of(Action::Mark, FeedKind::Simulated), "m");
    }

    #[test]
    fn a_lab_file_knows_the_actions_by_the_same_names_and_with_the_same_keys() {
        let keymap = Keymap::default();
        let key = |action| {
            let mut names = FeedKind::ALL.map(|feed| keymap.name_of(action, feed)).into_iter();
            let live = keymap.name_of(action, FeedKind::Live);
            if live.is_empty() { names.find(|name| !name.is_empty()).unwrap() } else { live }
        };
        let here: Vec<(String, String)> =
            Keymap::actions().into_iter().map(|known| (known.name, key(known.action))).collect();
        let there: Vec<(String, String)> =
            script::ACTION_KEYS.iter().map(|(name, key)| ((*name).to_owned(), (*key).to_owned())).collect();
        assert_eq!(here, there);
    }

    #[test]
    fn each_action_has_a_name_of_its_own() {
        let mut names: Vec<String> = Keymap::actions().into_iter().map(|action| action.name).collect();
        let count = names.len();
        assert!(names.contains(&"pause_or_resume".to_owned()));
        names.sort();
        names.dedup();
        assert_eq!(names.len(), count);
    }
}
