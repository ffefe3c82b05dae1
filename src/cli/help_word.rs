//! What a word means that is neither a command nor a page: the glossary's line, and whatever of the program has that name.
//!
//! Invariant: every answer is read from the table that the program itself goes by, and names the command that tells more.

use std::fmt::Write;

use clap::{Arg, Command};

use super::manual_page::ManualPage;
use super::{built_in, command_page, config, manual_page, registry_in_use};
use dashboard::Keymap;
use export::FORMATS;
use lab::{condition_forms, near};
use protocol::{Assumption, Lie, Property};

/// So many pages are named that have a word.
const PAGES_NAMED_MAX: usize = 3;
/// A guess has at least so many letters in a row that the word has too.
const LETTERS_SHARED_MIN: usize = 3;
/// So many labs are named at most.
const LABS_NAMED_MAX: usize = 5;

/// What a word means, as Markdown.
///
/// # Errors
/// Nobody knows the word; the text says what may be meant.
pub fn meaning(word: &str, program: &Command) -> Result<String, String> {
    let mut found = named(word, program);
    let stem = stem(word);
    if found.is_empty() && stem != word {
        found = named(stem, program);
    }
    let pages = pages_with(word);
    if found.is_empty() && pages.is_empty() {
        return Err(unknown(word, program));
    }
    let mut text = format!("# {word}\n\n");
    for (kind, about) in found {
        let _ = writeln!(text, "- {kind}: {about}");
    }
    if !pages.is_empty() {
        let named: Vec<String> = pages
            .iter()
            .map(|(page, hits)| format!("`hustings help {}` ({})", page.topic, super::columns::counted(*hits, "time")))
            .collect();
        let _ = writeln!(text, "\nPages with this word: {}.", named.join(", "));
    }
    Ok(text)
}

/// A word without the sign of several.
fn stem(word: &str) -> &str {
    word.strip_suffix('s').filter(|stem| stem.len() > 2).unwrap_or(word)
}

/// Whatever has this name: what kind of thing that is, and what is said of it.
fn named(word: &str, program: &Command) -> Vec<(&'static str, String)> {
    let has_name = |thing: &NamedThing| thing.name.eq_ignore_ascii_case(word);
    let mut found: Vec<(&str, String)> =
        named_things().into_iter().filter(has_name).map(|thing| (thing.kind, thing.about)).collect();
    let takers = takers_of(word, program);
    if !takers.is_empty() {
        found.push(("An option", format!("`--{}` of {}.", word.to_lowercase(), takers.join(", "))));
    }
    found.extend(labs_named(word));
    found
}

/// Something of the program that has a name.
struct NamedThing {
    /// What kind of thing it is, as the beginning of a line.
    kind: &'static str,
    name: String,
    /// What is said of it.
    about: String,
}

fn thing(kind: &'static str, name: impl Into<String>, about: impl Into<String>) -> NamedThing {
    NamedThing { kind, name: name.into(), about: about.into() }
}

/// Whatever has a name, but for options and labs. A form has the name of its first word.
fn named_things() -> Vec<NamedThing> {
    let registry = registry_in_use();
    let first_word = |form: &str| form.split(' ').next().unwrap_or_default().to_owned();
    let of_form =
        |kind: &'static str, form: &str, about: &str| thing(kind, first_word(form), format!("`{form}`: {about}."));
    let mut things = Vec::new();
    for (words, about) in glossary() {
        things.extend(words.split(", ").map(|word| thing("The glossary", word, about)));
    }
    things.extend(
        dashboard::screen_words().into_iter().map(|(name, about)| thing("On the screen", name, format!("{about}."))),
    );
    for card in registry.cards() {
        let about = format!("{}. `hustings algorithms {}` describes it.", card.title, card.name);
        things.push(thing("An algorithm", card.name, about));
    }
    for card in registry.application_cards() {
        let about = format!("{}. `hustings applications {}` describes it.", card.title, card.name);
        things.push(thing("An application", card.name, about));
    }
    things.extend(fault::forms().map(|(form, about)| of_form("A fault line", form, about)));
    for lie in Lie::ALL {
        things.push(thing("A lie", lie.word(), format!("`liar N {}`: the liar {}.", lie.word(), lie.says())));
    }
    things.extend(condition_forms().map(|(form, about)| of_form("A condition", form, about)));
    for property in Property::ALL {
        things.push(thing("A promise", property.word(), format!("{} ({})", property.sentence(), property.source())));
    }
    for assumption in Assumption::ALL {
        let number = assumption.number().to_string();
        things.push(thing("An assumption", number.clone(), format!("{number} {}.", assumption.says())));
    }
    let keymap = Keymap::default();
    for action in Keymap::actions() {
        let keys = [keymap.movable(action.action), keymap.fixed(action.action)].concat();
        let keys: Vec<String> = keys.iter().map(|key| format!("`{}`", key.name())).collect();
        things.push(thing("A key of the screen", action.name, format!("{}: {}.", keys.join(" "), action.about)));
    }
    things.extend(
        FORMATS.iter().map(|format| thing("A format of `hustings export`", format.name, format!("{}.", format.about))),
    );
    things.extend(config::settings().map(|(name, about)| thing("A setting of the config file", name, about)));
    things.extend(lab_keys().into_iter().map(|(key, about)| thing("A key of a lab file", key, about)));
    things
}

/// The lines of the glossary: words with commas between them, and what they mean.
fn glossary() -> impl Iterator<Item = (&'static str, &'static str)> {
    let lines = manual_page::GLOSSARY.lines().filter_map(|line| line.strip_prefix("| ")?.strip_suffix(" |"));
    lines.filter_map(|line| line.split_once(" | ")).skip(1)
}

/// The keys of a lab file, of a step and of an expectation, with what is said of them.
fn lab_keys() -> Vec<(String, String)> {
    let schema = lab::schema(registry_in_use());
    let tables = [&schema, &schema["properties"]["step"]["items"], &schema["properties"]["expect"]["items"]];
    let of = |table: &serde_json::Value| -> Vec<(String, String)> {
        let keys = table["properties"].as_object().into_iter().flatten();
        let about = |value: &serde_json::Value| value["description"].as_str().unwrap_or_default().to_owned();
        keys.map(|(key, value)| (key.clone(), about(value))).collect()
    };
    tables.into_iter().flat_map(of).collect()
}

/// The commands that take an option of this name, or below which one does.
fn takers_of(option: &str, program: &Command) -> Vec<String> {
    let taking = command_page::shown(program).filter(|command| takes(command, option));
    taking.map(|command| format!("`{}`", command.get_name())).collect()
}

fn takes(command: &Command, option: &str) -> bool {
    let has_name = |argument: &Arg| argument.get_long().is_some_and(|long| long.eq_ignore_ascii_case(option));
    command.get_arguments().any(has_name) || command_page::shown(command).any(|below| takes(below, option))
}

/// The lab of this name, or else the labs whose names have this part.
fn labs_named(word: &str) -> Vec<(&'static str, String)> {
    let labs = built_in::parsed().unwrap_or_default();
    if let Some(lab) = labs.iter().find(|lab| lab.name.eq_ignore_ascii_case(word)) {
        return vec![("A lab", format!("{} `hustings up {}` opens it.", lab.about, lab.name))];
    }
    let has_part = |lab: &&lab::Lab| lab.name.split('-').any(|part| part.eq_ignore_ascii_case(word));
    let names: Vec<String> = labs.iter().filter(has_part).map(|lab| format!("`{}`", lab.name)).collect();
    match names.len() {
        0 => Vec::new(),
        count if count <= LABS_NAMED_MAX => vec![("Labs", format!("{}.", names.join(", ")))],
        count => vec![(
            "Labs",
            format!(
                "{} and {} more; `hustings labs` lists them.",
                names[..LABS_NAMED_MAX].join(", "),
                count - LABS_NAMED_MAX
            ),
        )],
    }
}

/// The pages that have the word most often, and how often.
fn pages_with(word: &str) -> Vec<(&'static ManualPage, u64)> {
    let stem = stem(word).to_lowercase();
    let is_it = |other: &str| {
        let other = other.to_lowercase();
        other == stem || other.strip_suffix('s').is_some_and(|other| other == stem)
    };
    let hits = |page: &'static ManualPage| {
        let text = page.markdown();
        let words = text.split(|c: char| !c.is_alphanumeric() && c != '-');
        words.filter(|other| is_it(other.trim_matches('-'))).count() as u64
    };
    // The page of all commands has nearly every word.
    let pages = manual_page::all().filter(|page| page.topic != "commands");
    let mut counted: Vec<(&ManualPage, u64)> =
        pages.map(|page| (page, hits(page))).filter(|(_, hits)| *hits > 0).collect();
    let has_name = |page: &ManualPage| page.topic.split('-').any(is_it);
    counted.sort_by_key(|(page, hits)| (!has_name(page), std::cmp::Reverse(*hits)));
    counted.truncate(PAGES_NAMED_MAX);
    counted
}

/// That nobody knows the word, and what may be meant.
fn unknown(word: &str, program: &Command) -> String {
    let commands = command_page::shown(program).map(Command::get_name);
    let known: Vec<&str> = commands.chain(manual_page::all().map(|page| page.topic)).collect();
    let guesses: Vec<&str> = near(word, &known).into_iter().filter(|guess| shares_letters(word, guess)).collect();
    match guesses.as_slice() {
        [] => format!("there is no command and no topic {word}, and no page has the word; `hustings help` lists them"),
        guesses => format!("there is no command and no topic {word}; did you mean {}?", guesses.join(" or ")),
    }
}

/// Whether the guess has enough letters in a row that the word has too.
fn shares_letters(word: &str, guess: &str) -> bool {
    let letters: Vec<char> = word.to_lowercase().chars().collect();
    letters.windows(LETTERS_SHARED_MIN).any(|part| guess.contains(&part.iter().collect::<String>()))
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    fn told(word: &str) -> String {
        meaning(word, &crate::cli::manual::shown(crate::cli::Arguments::command())).unwrap_or_else(|error| error)
    }

    #[test]
    fn a_word_of_each_table_is_found() {
        for (word, holds) in [
            ("excuse", "- The glossary: An excuse is"),
            ("raft", "- An algorithm: Raft. `hustings algorithms raft`"),
            ("token", "- An application: "),
            ("partition", "- A fault line: `partition 1,2|3,4,5`"),
            ("partition", "- A key of the screen: `x`: "),
            ("equivocate", "- A lie: `liar N equivocate`"),
            ("coordinator", "- A condition: `coordinator N of A`"),
            ("assertion-1", "- A promise: At any instant"),
            ("courier", "- A lab: "),
            ("loss", "`king-ni-c-loss`"),
            ("silence", "- A key of a lab file: "),
            ("json", "- An option: `--json` of `run`, "),
            ("svg", "- A format of `hustings export`: "),
            ("theme", "- A setting of the config file: "),
            ("crashes", "Pages with this word: `hustings help "),
        ] {
            assert!(told(word).contains(holds), "{word}: {}", told(word));
        }
    }

    #[test]
    fn a_guess_shares_three_letters() {
        assert!(told("fualts").contains("did you mean faults?") || told("fualts").contains("no page has the word"));
        assert_eq!(told("tutoral"), "there is no command and no topic tutoral; did you mean tutorial?");
        assert!(told("xyzzy").ends_with("`hustings help` lists them"));
        assert!(!shares_letters("raft", "wait") && !shares_letters("quit", "wait"));
    }
}
