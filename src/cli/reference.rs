//! The parts of the manual that the program makes of its own tables, as Markdown.
//!
//! Invariant: whatever a table names is in the reference, with the table's own words.

use std::fmt::Write;

use clap::CommandFactory;
use serde_json::Value;

use super::markdown_blocks::table;
use super::{algorithms, code, command_page, config, grade, json_kinds, manual, registry_in_use};
use dashboard::Keymap;
use export::{CSV_FIELDS, FORMATS};
use fault::{FORM_LETTERS, MOMENT_FORMS};
use lab::{CONDITION_LETTERS, EXPECTATION_KEYS, LAB_KEYS, STEP_KEYS, condition_forms};
use protocol::{Lie, Property, SettingCard};

/// Every action of the screen with its keys.
pub fn keys() -> String {
    let keymap = Keymap::default();
    let rows: Vec<(String, String)> = Keymap::actions()
        .into_iter()
        .map(|action| {
            let keys = [keymap.movable(action.action), keymap.fixed(action.action)].concat();
            let keys: Vec<String> = keys.iter().map(|key| format!("`{}`", key.name())).collect();
            (action.name, format!("{}: {}", keys.join(" "), action.about))
        })
        .collect();
    let about = "Each action has a name, for `:` on the screen and for `[keys]` in the config file.";
    format!("## Every action\n\n{about}\n\n{}", named(&rows))
}

/// The signs and the words of the picture.
pub fn signs() -> String {
    let of = |meanings: Vec<(String, &str)>| {
        let rows: Vec<(String, String)> = meanings.into_iter().map(|(sign, means)| (sign, means.to_owned())).collect();
        named(&rows)
    };
    format!("## Signs\n\n{}\n## Words\n\n{}", of(dashboard::screen_signs()), of(dashboard::screen_words()))
}

/// What each promise says, and where it stands.
pub fn promises() -> String {
    let told =
        |property: Property| (property.word().to_owned(), format!("{} ({})", property.sentence(), property.source()));
    let of = |is_of_application: bool| {
        let those = Property::ALL.into_iter().filter(|property| property.is_of_application() == is_of_application);
        named(&those.map(told).collect::<Vec<_>>())
    };
    format!("## Of algorithms\n\n{}\n## Of applications\n\n{}", of(false), of(true))
}

/// The settings of the config file with their defaults, and how keys are written. The actions stand on a page of their own.
pub fn config_file() -> String {
    let example = config::example();
    let before_keys = example.iter().take_while(|line| *line != "[keys]").count();
    let about_keys = example[before_keys..].iter().take_while(|line| !line.is_empty()).count();
    format!(
        "## Every setting\n\n```toml\n{}\n```\n\nBelow `[keys]` stands each action with its keys, such as \
         `crash = \"c\"`: [Keys](keys.md) lists the actions.\n",
        example[..before_keys + about_keys].join("\n")
    )
}

/// Every command, with its arguments and options.
pub fn commands() -> String {
    let mut program = manual::shown(super::Arguments::command());
    program.build();
    program.get_subcommands_mut().map(command_page::sections).collect()
}

/// The keys of a lab file.
pub fn lab_file() -> String {
    let schema = lab::schema(registry_in_use());
    let (step, expectation) = (&schema["properties"]["step"]["items"], &schema["properties"]["expect"]["items"]);
    format!(
        "## Keys\n\n{}\n## Keys of a step\n\n{}\n## Keys of an expectation\n\n{}",
        lab_keys(&schema, LAB_KEYS),
        lab_keys(step, STEP_KEYS),
        lab_keys(expectation, EXPECTATION_KEYS)
    )
}

/// These keys of a table of a lab file, each with what it is, its type, its default and an example.
fn lab_keys(shape: &Value, keys: &[&str]) -> String {
    let is_required = |key: &str| shape["required"].as_array().is_some_and(|keys| keys.iter().any(|one| one == key));
    let rows: Vec<(String, String)> = keys
        .iter()
        .map(|key| {
            let value = &shape["properties"][*key];
            let mut said = vec![value["description"].as_str().unwrap_or_default().to_owned(), kind_of(value)];
            said.extend(is_required(key).then(|| "Required.".to_owned()));
            said.extend(value["default"].as_str().map(|default| format!("Without it: {default}.")));
            said.extend(value["examples"].get(0).map(|example| format!("Example: `{key} = {example}`")));
            ((*key).to_owned(), said.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" "))
        })
        .collect();
    named(&rows)
}

/// What a key of a lab file takes.
fn kind_of(value: &Value) -> String {
    let pattern = value["pattern"].as_str().unwrap_or_default();
    match value["type"].as_str() {
        _ if pattern.contains('T') => "A duration, or a multiple of T.".to_owned(),
        _ if !pattern.is_empty() => "A duration.".to_owned(),
        Some("integer") => match (value["minimum"].as_u64(), value["maximum"].as_u64()) {
            (Some(least), Some(most)) => format!("A whole number from {least} to {most}."),
            (Some(least), None) => format!("A whole number from {least}."),
            _ => "A whole number.".to_owned(),
        },
        Some("array") if value["items"]["type"] == "string" => "A list of texts.".to_owned(),
        Some("array") => "Any number of tables, each below a line such as `[[step]]`.".to_owned(),
        Some("object") => "A table.".to_owned(),
        Some("string") => "A text.".to_owned(),
        _ => value["enum"].as_array().map_or_else(String::new, |words| {
            let words: Vec<String> = words.iter().map(ToString::to_string).collect();
            format!("One of {}.", words.join(", "))
        }),
    }
}

/// The settings of each algorithm and of each application. One that several have stands once.
pub fn algorithm_settings() -> String {
    let registry = registry_in_use();
    let is_same = |one: &SettingCard, other: &SettingCard| algorithms::told(one) == algorithms::told(other);
    let cards: Vec<_> = registry.cards().collect();
    let having = |setting: &SettingCard| -> Vec<&str> {
        let have = cards.iter().filter(|card| card.settings.iter().any(|other| is_same(setting, other)));
        have.map(|card| card.title).collect()
    };
    let mut shared: Vec<&SettingCard> = Vec::new();
    for setting in cards.iter().flat_map(|card| card.settings) {
        if having(setting).len() > 1 && !shared.iter().any(|other| is_same(setting, other)) {
            shared.push(setting);
        }
    }
    let mut text =
        "What several algorithms take stands first. `hustings algorithms NAME` says what each hole is, and what \
                    shows it.\n\n## Of several algorithms\n\n"
            .to_owned();
    for setting in &shared {
        let _ = writeln!(text, "- {} Taken by {}.", algorithms::told(setting), having(setting).join(", "));
    }
    for card in &cards {
        let _ = writeln!(text, "\n## {}\n", card.title);
        let (of_several, own): (Vec<_>, Vec<_>) =
            card.settings.iter().partition(|setting| shared.iter().any(|other| is_same(setting, other)));
        own.iter().for_each(|setting| {
            let _ = writeln!(text, "- {}", algorithms::told(setting));
        });
        let names: Vec<String> = of_several.iter().map(|setting| format!("`{}`", setting.name)).collect();
        if !names.is_empty() {
            let _ = writeln!(text, "- And {}, as above.", names.join(", "));
        }
        if card.settings.is_empty() {
            let _ = writeln!(text, "None. Its times are the lab's `T`, `check` and `silence`:\n");
        }
        for rule in card.periods.iter().filter(|_| card.settings.is_empty()) {
            let why = rule.why.map_or_else(String::new, |why| format!(": {why}"));
            let _ = writeln!(text, "- {}{why}.", rule.must);
        }
    }
    for application in registry.application_cards().filter(|application| !application.settings.is_empty()) {
        let _ = writeln!(text, "\n## The application {}\n", application.name);
        for setting in application.settings {
            let _ = writeln!(text, "- {}", algorithms::told(setting));
        }
    }
    text
}

/// Every condition and every moment, with the messages and states that moments name.
pub fn conditions() -> String {
    let cards: Vec<_> = registry_in_use().cards().collect();
    let mut names = "| algorithm | messages | states |\n|---|---|---|\n".to_owned();
    for card in cards {
        let _ = writeln!(names, "| `{}` | {} | {} |", card.name, card.messages.join(", "), card.words.join(", "));
    }
    format!(
        "`when` of a step waits for a condition or a moment, and `that` of an expectation asks a condition. `hustings \
         wait` takes conditions too. Each stands alone: nothing joins two of them or reverses one.\n\n{}\n## Letters\n\n{}\n\
         ## Moments\n\nOnly `when` takes a moment of the protocol. The process stops itself at that moment, so the step \
         happens between that effect and the next one. A moment counts from when the step before it is taken.\n\n{}\n\
         N is a node's id. KIND is a kind of message of the algorithm or of the lab's application, and WORD a word for a \
         state of the algorithm:\n\n{names}",
        table(["", ""], condition_forms()),
        table(["", ""], CONDITION_LETTERS.iter().copied()),
        table(["", ""], MOMENT_FORMS.iter().copied()),
    )
}

/// Every fault line and every lie.
pub fn faults() -> String {
    let of_all: Vec<String> = Lie::OF_ALL.iter().map(|lie| format!("`{}`", lie.word())).collect();
    let lies: Vec<(String, String)> =
        Lie::ALL.into_iter().map(|lie| (lie.word().to_owned(), format!("the liar {}", lie.says()))).collect();
    let tellers: String = registry_in_use()
        .cards()
        .filter(|card| !card.lies.is_empty())
        .map(|card| {
            let lies: Vec<String> = card.lies.iter().map(|lie| format!("`{}`", lie.word())).collect();
            format!("- {}: {}\n", card.title, lies.join(", "))
        })
        .collect();
    format!(
        "A step's `do`, `hustings inject` and the line after `:` on the screen take these.\n\n{}\n## Letters\n\n{}\n\
         ## Lies\n\n`liar N LIE` orders one of these. A process of any algorithm can tell {}; the others need messages \
         that can bear the lie:\n\n{tellers}\n{}",
        table(["", ""], fault::forms().copied()),
        table(["", ""], FORM_LETTERS.iter().copied()),
        of_all.join(", "),
        named(&lies),
    )
}

/// The formats of an export.
pub fn exports() -> String {
    let about = "`hustings export SESSION --format NAME` writes a session in one of these.\n\n";
    format!("{about}{}", table(["", ""], FORMATS.iter().map(|format| (format.name, format.about))))
}

/// What each exit code says.
pub fn exit_codes() -> String {
    let rows: Vec<(String, &str)> = code::MEANINGS.iter().map(|(code, about)| (code.to_string(), *about)).collect();
    let rows = rows.iter().map(|(code, about)| (&code[..], *about));
    table(["", ""], rows.chain([("128+n", "signal n ended it")]))
}

/// The fields of what programs read.
pub fn output() -> String {
    let mut text = String::new();
    for kind in json_kinds::JSON_KINDS {
        let _ =
            write!(text, "### {}\n\n{}.\n\n{}\n", kind.name, kind.about, table(["", ""], kind.fields.iter().copied()));
    }
    let of_grade = grade::COLUMNS.iter().map(|column| (column.field, column.about));
    format!(
        "## `hustings run --json`\n\nEach line is an object with `v` (the version of this form: 1), `lab` (its name) and \
         `kind`; a kind has these fields besides. Times are nanoseconds since the lab began.\n\n{text}\
         ## `hustings grade --csv`\n\nA row for each work. The table for people has the same columns but the last.\n\n{}\n\
         ## `hustings export --format csv`\n\nA row for each election. What is not known is an empty field.\n\n{}",
        table(["", ""], of_grade),
        table(["", ""], CSV_FIELDS.iter().copied()),
    )
}

/// A table of names and what is said of each.
fn named(rows: &[(String, String)]) -> String {
    table(["", ""], rows.iter().map(|(name, about)| (&name[..], &about[..])))
}
