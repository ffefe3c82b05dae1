//! The pages of the manual, compiled in: those that are written, and the reference, which is made of the tables that the
//! program itself reads.
//!
//! Invariant: every page of `src/manual/` but its index is a topic; the reference names whatever the tables name.

use std::fmt::Write;

use super::registry_in_use;
use super::{algorithms, code, config, markdown_text};
use clap::CommandFactory;
use dashboard::Keymap;
use export::FORMATS;
use lab::CONDITION_FORMS;
use serde_json::Value;

/// A page and how it is asked for.
pub struct ManualPage {
    /// Its name on the command line.
    pub topic: &'static str,
    /// What it tells, in a few words.
    pub about: &'static str,
    /// Where `man` finds it.
    pub section: ManSection,
    /// What is written.
    written: &'static str,
    /// What is added from the tables, as Markdown.
    reference: Option<fn() -> String>,
}

/// A section of the manual pages of a system.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
pub enum ManSection {
    /// The forms of files.
    Files,
    /// Everything else.
    Overviews,
}

impl ManSection {
    /// The section's number.
    pub fn number(self) -> u8 {
        match self {
            ManSection::Files => 5,
            ManSection::Overviews => 7,
        }
    }
}

macro_rules! written {
    ($name:literal) => {
        include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/manual/", $name, ".md"))
    };
}

const PAGES: &[ManualPage] = &[
    page("tutorial", "a first lab, a partition, a lab and an algorithm of your own, a class", written!("tutorial")),
    page("first-five-minutes", "a tour of the screen, and the lessons", written!("first-five-minutes")),
    ManualPage { reference: Some(keys), ..page("keys", "all keys of the screen", written!("keys")) },
    ManualPage {
        section: ManSection::Files,
        reference: Some(config_file),
        ..page("settings", "the config file", written!("settings"))
    },
    page("how-to", "clusters, pictures, continuous integration, grading", written!("how-to")),
    page("virtual-time", "a simulated lab on the screen: stop it, go back, branch", written!("virtual-time")),
    page("from-a-script", "commands, sessions, exports, exit codes", written!("from-a-script")),
    page("many-seeds", "thousands of simulated runs, each with its own faults", written!("many-seeds")),
    page("every-order", "every order in which a small lab may go", written!("every-order")),
    page("measurements", "what the papers claim, and what simulated runs show", written!("measurements")),
    page(
        "what-the-papers-claim",
        "sentences of the papers, and the labs that show them",
        written!("what-the-papers-claim"),
    ),
    page("what-an-election-is-for", "what processes do between elections", written!("what-an-election-is-for")),
    page("verdicts", "violations, excuses, and what is unknown", written!("verdicts")),
    page("your-own-algorithm", "a crate that brings an algorithm, and its tests", written!("your-own-algorithm")),
    page("how-it-is-built", "the rooms of the source", written!("how-it-is-built")),
    page("contributing", "what a change needs", written!("contributing")),
    page("security", "what the program opens, and to whom", written!("security")),
    page("changes", "what has changed since which version", written!("changes")),
    page("glossary", "the words of the field, as this program uses them", written!("glossary")),
    ManualPage { reference: Some(commands), ..page("commands", "every command and its options", "# Commands\n") },
    ManualPage {
        section: ManSection::Files,
        reference: Some(lab_file),
        ..page("lab-file", "the keys of a lab file", "# The lab file\n")
    },
    ManualPage {
        reference: Some(algorithm_settings),
        ..page("algorithm-settings", "what `[settings]` takes, for each algorithm", "# Settings of the algorithms\n")
    },
    ManualPage {
        reference: Some(conditions),
        ..page("conditions", "what a step waits for and an expectation asks", "# Conditions\n")
    },
    ManualPage { reference: Some(faults), ..page("faults", "every fault line", "# Fault lines\n") },
    ManualPage { reference: Some(exports), ..page("formats", "the formats of `export`", "# Formats of an export\n") },
    ManualPage { reference: Some(exit_codes), ..page("exit-codes", "what an exit code says", "# Exit codes\n") },
];

const fn page(topic: &'static str, about: &'static str, written: &'static str) -> ManualPage {
    ManualPage { topic, about, section: ManSection::Overviews, written, reference: None }
}

/// All pages, in the order of the list of topics.
pub fn all() -> impl Iterator<Item = &'static ManualPage> {
    PAGES.iter()
}

/// The page of this topic.
pub fn find(topic: &str) -> Option<&'static ManualPage> {
    PAGES.iter().find(|page| page.topic == topic)
}

impl ManualPage {
    /// The whole page as Markdown.
    pub fn markdown(&self) -> String {
        let reference = self.reference.map(|reference| format!("\n{}", reference()));
        format!("{}{}", self.written, reference.unwrap_or_default())
    }

    /// The whole page as plain text of at most this many columns, but for lines of code and long words.
    pub fn text(&self, columns: usize) -> String {
        markdown_text::plain(&self.markdown(), columns)
    }
}

/// A table of two columns.
fn table<'a>(titles: [&str; 2], rows: impl IntoIterator<Item = (&'a str, &'a str)>) -> String {
    let mut text = format!("| {} | {} |\n|---|---|\n", titles[0], titles[1]);
    for (name, about) in rows {
        let [name, about] = [name, about].map(|cell| cell.replace('|', "\\|").replace('\n', " "));
        let _ = writeln!(text, "| `{name}` | {about} |");
    }
    text
}

fn keys() -> String {
    let (keymap, actions) = (Keymap::default(), Keymap::actions());
    let mut text =
        "## Every action\n\nThe name is the one for `:` on the screen and for `[keys]` in the config file.\n\n\
                    | action | keys | |\n|---|---|---|\n"
            .to_owned();
    for action in &actions {
        let keys = [keymap.movable(action.action), keymap.fixed(action.action)].concat();
        let keys: Vec<String> = keys.iter().map(|key| format!("`{}`", key.name().replace('|', "\\|"))).collect();
        let _ = writeln!(text, "| `{}` | {} | {} |", action.name, keys.join(" "), action.about);
    }
    text
}

fn config_file() -> String {
    format!("## Every setting\n\n```toml\n{}\n```\n", config::example().join("\n"))
}

fn commands() -> String {
    let mut table = super::manual::shown(super::Arguments::command());
    table.build();
    let mut text = String::new();
    table.get_subcommands_mut().for_each(|command| add_command(command, &mut text));
    text
}

fn add_command(command: &mut clap::Command, text: &mut String) {
    let about = command.get_about().map(ToString::to_string).unwrap_or_default();
    let usage = command.render_usage().to_string();
    let usage = usage.trim_start_matches("Usage: ").trim();
    let _ = write!(text, "\n## {}\n\n{about}.\n\n```\n{usage}\n```\n\n", command.get_bin_name().unwrap_or_default());
    let rows: Vec<(String, String)> = command
        .get_arguments()
        .filter(|argument| !argument.is_hide_set() && argument.get_id() != "help")
        .map(|argument| {
            let values = argument.get_value_names().filter(|_| argument.get_action().takes_values());
            let values: String = values.unwrap_or_default().iter().map(|value| format!(" <{value}>")).collect();
            let name = argument.get_long().map_or_else(|| values.trim().to_owned(), |long| format!("--{long}{values}"));
            (name, argument.get_help().map(ToString::to_string).unwrap_or_default())
        })
        .collect();
    if !rows.is_empty() {
        text.push_str(&self::table(["argument", ""], rows.iter().map(|(name, help)| (&name[..], &help[..]))));
    }
    command.get_subcommands_mut().for_each(|below| add_command(below, text));
}

fn lab_file() -> String {
    let schema = lab::schema(registry_in_use());
    let of = |object: &Value| -> Vec<(String, String)> {
        let properties = object["properties"].as_object().into_iter().flatten();
        properties
            .map(|(key, value)| (key.clone(), value["description"].as_str().unwrap_or_default().to_owned()))
            .collect()
    };
    let mut text =
        "`hustings schema` prints the same for an editor. `hustings check FILE` says what is wrong in a file.\n\n"
            .to_owned();
    let shapes = [
        ("Keys", schema.clone()),
        ("`[[step]]`", schema["properties"]["step"]["items"].clone()),
        ("`[[expect]]`", schema["properties"]["expect"]["items"].clone()),
    ];
    for (title, shape) in shapes {
        let rows = of(&shape);
        let rows = rows.iter().map(|(key, about)| (&key[..], &about[..]));
        let _ = write!(text, "## {title}\n\n{}\n", table(["key", ""], rows));
    }
    text
}

fn algorithm_settings() -> String {
    let mut text = String::new();
    for card in registry_in_use().cards() {
        let _ = writeln!(text, "## {}\n", card.title);
        for setting in card.settings {
            let _ = writeln!(text, "- {}", algorithms::told(setting));
        }
        text.push('\n');
    }
    for application in registry_in_use().application_cards().filter(|application| !application.settings.is_empty()) {
        let _ = writeln!(text, "## The application {}\n", application.name);
        for setting in application.settings {
            let _ = writeln!(text, "- {}", algorithms::told(setting));
        }
        text.push('\n');
    }
    text
}

fn conditions() -> String {
    let about = "`when` of a step waits for one of these, and `that` of an expectation asks one. `hustings wait` takes them \
                 too. `and` joins several, and `not` turns one round.\n\n";
    format!("{about}{}", table(["condition", ""], CONDITION_FORMS.iter().copied()))
}

fn faults() -> String {
    let about = "A step's `do`, `hustings inject` and the line after `:` on the screen take these.\n\n";
    format!("{about}{}", table(["line", ""], fault::forms().copied()))
}

fn exports() -> String {
    let about = "`hustings export SESSION --format NAME` writes a session in one of these.\n\n";
    format!("{about}{}", table(["format", ""], FORMATS.iter().map(|format| (format.name, format.about))))
}

fn exit_codes() -> String {
    let rows: Vec<(String, &str)> = code::MEANINGS.iter().map(|(code, about)| (code.to_string(), *about)).collect();
    let rows = rows.iter().map(|(code, about)| (&code[..], *about));
    table(["code", ""], rows.chain([("128+n", "signal n ended it")]))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::fs;
    use std::path::Path;

    use super::*;

    #[test]
    fn every_written_page_is_a_topic() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/manual");
        let names = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
        let names = names.filter_map(|name| name.strip_suffix(".md").map(str::to_owned));
        let written: BTreeSet<String> = names.filter(|name| name != "README").collect();
        let topics: BTreeSet<String> = all().map(|page| page.topic.to_owned()).collect();
        assert!(written.is_subset(&topics), "{:?}", written.difference(&topics).collect::<Vec<_>>());
    }

    #[test]
    fn the_reference_names_whatever_the_tables_name() {
        let page = |topic: &str| find(topic).unwrap().markdown().replace("\\|", "|");
        let holds = |topic: &str, names: &mut dyn Iterator<Item = String>| {
            let (text, mut count) = (page(topic), 0);
            for name in names {
                assert!(
                    text.contains(&format!("`{name}`")) || text.contains(&format!("`{name} ")),
                    "{topic} does not name {name}"
                );
                count += 1;
            }
            assert!(count > 3, "{topic}");
        };
        holds("faults", &mut fault::forms().map(|(form, _)| (*form).to_owned()));
        holds("conditions", &mut CONDITION_FORMS.iter().map(|(form, _)| (*form).to_owned()));
        holds("formats", &mut FORMATS.iter().map(|format| format.name.to_owned()));
        holds("keys", &mut Keymap::actions().into_iter().map(|action| action.name));
        let commands = crate::cli::Arguments::command();
        let shown = commands.get_subcommands().filter(|command| !command.is_hide_set());
        let flags = shown.flat_map(|command| {
            let flags = command.get_arguments().filter(|flag| !flag.is_hide_set() && flag.get_id() != "help");
            flags.filter_map(|flag| flag.get_long().map(|long| format!("--{long}"))).collect::<Vec<_>>()
        });
        holds("commands", &mut flags.collect::<Vec<_>>().into_iter());
        let settings = page("algorithm-settings");
        for card in registry_in_use().cards() {
            for setting in card.settings {
                assert!(settings.contains(setting.name), "{} {}", card.name, setting.name);
            }
        }
    }

    #[test]
    fn no_page_is_wider_than_a_terminal() {
        for page in all() {
            let text = page.text(80);
            let wide = text.lines().find(|line| line.chars().count() > 80 && line.trim().contains(' '));
            assert!(wide.is_none_or(|line| line.starts_with("    ")), "{}: {wide:?}", page.topic);
        }
    }
}
