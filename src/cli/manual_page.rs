//! The pages of the manual, compiled in: those that are written, and the reference, which is made of the tables that
//! the program itself reads.
//!
//! Invariant: every page of `src/manual/` but its index is a topic; the reference names whatever the tables name.

use super::{markdown_text, reference};

/// A page and how it is asked for.
pub struct ManualPage {
    /// The name on the command line.
    pub topic: &'static str,
    /// Other names by which a person may ask for it.
    pub aliases: &'static [&'static str],
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

/// The glossary's text.
pub const GLOSSARY: &str = written!("glossary");

const PAGES: &[ManualPage] = &[
    page("tutorial", "a first lab, a partition, a lab and an algorithm of your own, a class", written!("tutorial")),
    ManualPage {
        aliases: &["tour", "screen-tour"],
        ..page(
            "first-five-minutes",
            "a tour of the screen, lessons, and a lab that asks",
            written!("first-five-minutes"),
        )
    },
    ManualPage {
        aliases: &["screen", "legend", "symbols", "picture", "flow"],
        reference: Some(reference::signs),
        ..page("signs", "the signs and words of the picture", SIGNS)
    },
    ManualPage { reference: Some(reference::keys), ..page("keys", "all keys of the screen", written!("keys")) },
    ManualPage {
        section: ManSection::Files,
        reference: Some(reference::config_file),
        ..page("settings", "the config file", written!("settings"))
    },
    ManualPage {
        aliases: &["teacher", "class", "cluster", "ci"],
        ..page("how-to", "clusters, pictures, continuous integration, grading, a class", written!("how-to"))
    },
    page("virtual-time", "a simulated lab on the screen: stop it, go back, branch", written!("virtual-time")),
    ManualPage {
        aliases: &["script", "scripts"],
        ..page("from-a-script", "commands for scripts, sessions, exports", written!("from-a-script"))
    },
    ManualPage {
        aliases: &["swarm"],
        ..page("many-seeds", "thousands of simulated runs, each with its own faults", written!("many-seeds"))
    },
    page("every-order", "every order in which a small lab may go", written!("every-order")),
    page("measurements", "what the papers claim, and what simulated runs show", written!("measurements")),
    page(
        "what-the-papers-claim",
        "sentences of the papers, and the labs that show them",
        written!("what-the-papers-claim"),
    ),
    page("what-an-election-is-for", "what processes do between elections", written!("what-an-election-is-for")),
    ManualPage {
        aliases: &["verdict", "light"],
        ..page("verdicts", "violations, excuses, and what is unknown", written!("verdicts"))
    },
    page("your-own-algorithm", "a crate that brings an algorithm, and its tests", written!("your-own-algorithm")),
    page("how-it-is-built", "the rooms of the source", written!("how-it-is-built")),
    page("contributing", "what a change needs", written!("contributing")),
    page("security", "what the program opens, and to whom", written!("security")),
    page("changes", "what has changed since which version", written!("changes")),
    ManualPage {
        aliases: &["words"],
        ..page("glossary", "the words of the field, as this program uses them", GLOSSARY)
    },
    ManualPage {
        section: ManSection::Files,
        aliases: &["files"],
        ..page("environment", "environment variables, and where files lie", written!("environment"))
    },
    ManualPage {
        reference: Some(reference::commands),
        ..page("commands", "every command and its options", "# Commands\n")
    },
    ManualPage {
        section: ManSection::Files,
        aliases: &["lab-files", "steps", "moments"],
        reference: Some(reference::lab_file),
        ..page("lab-file", "how you write a lab: an example, the keys, the moments", written!("lab-file"))
    },
    ManualPage {
        reference: Some(reference::algorithm_settings),
        ..page("algorithm-settings", "what `[settings]` takes, for each algorithm", "# Settings of the algorithms\n")
    },
    ManualPage {
        reference: Some(reference::conditions),
        ..page("conditions", "what a step waits for and an expectation asks", "# Conditions and moments\n")
    },
    ManualPage {
        aliases: &["fault-lines"],
        reference: Some(reference::faults),
        ..page("faults", "every fault line and every lie", "# Fault lines\n")
    },
    ManualPage {
        aliases: &["properties"],
        reference: Some(reference::promises),
        ..page("promises", "what each promise says", PROMISES)
    },
    ManualPage {
        reference: Some(reference::exports),
        ..page("formats", "the formats of `export`", "# Formats of an export\n")
    },
    ManualPage {
        aliases: &["fields", "output"],
        reference: Some(reference::output),
        ..page("json-and-csv", "the fields of what `--json` and `--csv` print", JSON_AND_CSV)
    },
    ManualPage {
        aliases: &["exit-code"],
        reference: Some(reference::exit_codes),
        ..page("exit-codes", "what an exit code says", EXIT_CODES)
    },
];

const SIGNS: &str = "# Signs and words of the picture

The key `?` on the screen lists these too, and there `/` searches. In the flow, time goes downward, and each process has a
lane. With `--ascii` other characters stand for the same.
";

const PROMISES: &str = "# Promises

An algorithm promises some of these, and the judge holds it to them; `hustings algorithms NAME` says which. An application
promises some too. On the screen the key `A` lists the promises of the lab.
";

const JSON_AND_CSV: &str = "# What `--json` and `--csv` print
";

const EXIT_CODES: &str = "# Exit codes

If a command has several labs, the gravest code counts: 70 before 6, 3, 1, 4 and 5.
";

const fn page(topic: &'static str, about: &'static str, written: &'static str) -> ManualPage {
    ManualPage { topic, aliases: &[], about, section: ManSection::Overviews, written, reference: None }
}

/// All pages, in the order of the list of topics.
pub fn all() -> impl Iterator<Item = &'static ManualPage> {
    PAGES.iter()
}

/// The page of this topic, by its name or another one.
pub fn find(topic: &str) -> Option<&'static ManualPage> {
    PAGES.iter().find(|page| page.topic == topic || page.aliases.contains(&topic))
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

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::fs;
    use std::path::Path;

    use clap::CommandFactory;
    use dashboard::Keymap;
    use export::FORMATS;
    use lab::{EXPECTATION_KEYS, LAB_KEYS, STEP_KEYS, condition_forms};
    use protocol::{Lie, Property};

    use super::*;
    use crate::cli::markdown_blocks::{PageBlock, blocks};
    use crate::cli::registry_in_use;

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
        holds("conditions", &mut condition_forms().map(|(form, _)| form.to_owned()));
        holds("faults", &mut Lie::ALL.iter().map(|lie| lie.word().to_owned()));
        holds("promises", &mut Property::ALL.iter().map(|property| property.word().to_owned()));
        holds("signs", &mut dashboard::screen_signs().into_iter().map(|(sign, _)| sign));
        holds("lab-file", &mut [LAB_KEYS, STEP_KEYS, EXPECTATION_KEYS].concat().into_iter().map(str::to_owned));
        holds("formats", &mut FORMATS.iter().map(|format| format.name.to_owned()));
        holds("keys", &mut Keymap::actions().into_iter().map(|action| action.name));
        let commands = crate::cli::Arguments::command();
        let shown = commands.get_subcommands().filter(|command| !command.is_hide_set());
        let flags = shown.flat_map(|command| {
            let flags = command.get_arguments().filter(|flag| !flag.is_hide_set() && flag.get_id() != "help");
            flags.filter_map(|flag| flag.get_long().map(|long| format!("--{long}"))).collect::<Vec<_>>()
        });
        let commands = page("commands");
        flags.for_each(|flag| assert!(commands.contains(&flag), "commands does not name {flag}"));
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
            assert_eq!(wide, None, "{}", page.topic);
        }
    }

    #[test]
    fn no_line_of_a_paragraph_begins_a_list() {
        for page in all() {
            let markdown = page.markdown();
            let prose = markdown.split("\n```").step_by(2);
            for (line, next) in prose.flat_map(|part| part.lines().zip(part.lines().skip(1))) {
                let is_text = !line.is_empty() && !line.starts_with(['-', ' ', '#', '|']) && !begins_item(line);
                assert!(!is_text || !begins_item(next), "{}: {next}", page.topic);
            }
        }
        assert!(begins_item("1. The node") && begins_item("- a") && !begins_item("1.5 s") && !begins_item("a"));
    }

    /// Whether Markdown takes the line for an item of a list.
    fn begins_item(line: &str) -> bool {
        let sign = line.split(' ').next().unwrap_or_default();
        let is_number = sign.strip_suffix('.').is_some_and(|number| number.parse::<u32>().is_ok());
        sign.len() < line.len() && (is_number || matches!(sign, "-" | "*" | "+"))
    }

    #[test]
    fn a_sentence_ends_before_a_list_begins() {
        for page in all() {
            let blocks = blocks(&page.markdown());
            for pair in blocks.windows(2) {
                if let [PageBlock::Paragraph(text), PageBlock::Item { .. }] = pair {
                    assert!(text.ends_with(['.', ':', '?']), "{}: {text}", page.topic);
                }
            }
        }
    }

    #[test]
    fn no_name_of_a_page_is_another_ones() {
        let names = all().flat_map(|page| std::iter::once(page.topic).chain(page.aliases.iter().copied()));
        let names: Vec<&str> = names.collect();
        assert_eq!(names.iter().collect::<BTreeSet<_>>().len(), names.len(), "{names:?}");
    }
}
