//! `hustings completions SHELL` and `hustings man DIRECTORY`: what a shell and `man` know of the command line, made of
//! the same table of commands that reads it.
//!
//! Invariant: every command that a person may type is in them, and no hidden one.

use std::fs;
use std::io::{self, ErrorKind, Write};
use std::path::PathBuf;

use clap::Command;

use super::manual_page::{self, ManualPage};
use super::new_file::{self, Existing};
use super::output::{VisibleLines, remark, say, say_all};
use super::shells::CompletingShell;
use super::{code, command_page, man_text};

/// What the program's own page shows.
const EXAMPLES: &str = "\
hustings                          # a lab of five processes, on the screen
hustings learn 1                  # the first lesson
hustings run first                # a lab without a screen, judged
hustings why last                 # why, with the numbers of the records
hustings help tutorial            # the next half hour";

/// What `completions` takes.
#[derive(Debug, clap::Args)]
pub struct CompletionsArguments {
    /// The shell
    shell: CompletingShell,
}

/// What `man` takes.
#[derive(Debug, clap::Args)]
pub struct ManArguments {
    /// The directory for the pages, such as ~/.local/share/man: man1, man5 and man7 in it hold them
    #[arg(value_name = "DIRECTORY")]
    directory: PathBuf,
    /// Replace pages that exist already
    #[arg(long)]
    force: bool,
}

/// Prints the script with which this shell asks the program what it may offer.
pub fn completions(arguments: &CompletionsArguments) -> u8 {
    let text = script(arguments.shell);
    match say_all(|out| {
        let mut out = VisibleLines::over(out);
        out.write_all(text.as_bytes())?;
        out.finish()
    }) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            remark(format!("cannot write to standard output: {error}"));
            code::of_io(&error)
        }
        _ => code::MET,
    }
}

/// Writes a page for the program, for each command, and for each topic of the manual.
pub fn man(arguments: &ManArguments, table: Command) -> u8 {
    let existing = if arguments.force { Existing::Replaced } else { Existing::Kept };
    let refused = |place: &std::path::Path, error: &io::Error| {
        remark(format!("{}: {error}", place.display()));
        if error.kind() == ErrorKind::AlreadyExists { code::ENVIRONMENT } else { code::of_io(error) }
    };
    for section in ["man1", "man5", "man7"].map(|section| arguments.directory.join(section)) {
        if let Err(error) = fs::create_dir_all(&section) {
            return refused(&section, &error);
        }
    }
    let pages = pages(table);
    for (name, page) in &pages {
        let path = arguments.directory.join(name);
        if let Err(error) = new_file::write(&path, existing, &mut |out| out.write_all(page.as_bytes())) {
            return refused(&path, &error);
        }
    }
    let (count, directory) = (pages.len(), arguments.directory.display());
    say(format!(
        "{count} pages are in {directory}; `man -M {directory} hustings` shows the first one, and `man hustings` finds it if \
         the directory is in its path"
    ));
    code::MET
}

/// The script of this shell. It calls the program as it was called now.
fn script(shell: CompletingShell) -> String {
    let called = std::env::args_os().next().map_or_else(|| PathBuf::from("hustings"), PathBuf::from);
    let called = if called.components().count() > 1 { std::path::absolute(&called).unwrap_or(called) } else { called };
    shell.script(&called)
}

/// The table without hidden commands.
pub fn shown(table: Command) -> Command {
    let hidden: Vec<String> = table
        .get_subcommands()
        .filter(|command| command.is_hide_set())
        .map(|command| command.get_name().to_owned())
        .collect();
    let mut whole = Command::new("hustings").version(env!("CARGO_PKG_VERSION")).disable_help_subcommand(true);
    if let Some(about) = table.get_about() {
        whole = whole.about(about.clone());
    }
    if let Some(more) = table.get_after_help() {
        whole = whole.after_help(more.clone());
    }
    whole.subcommands(
        table.get_subcommands().filter(|command| !hidden.contains(&command.get_name().to_owned())).cloned(),
    )
}

/// The pages by their files' names.
fn pages(table: Command) -> Vec<(String, String)> {
    let mut pages = Vec::new();
    let mut whole = shown(table);
    whole.build();
    add_pages(&mut whole, &mut pages);
    pages.extend(manual_page::all().map(of_topic));
    pages
}

fn file_of(name: &str, section: u8) -> String {
    format!("man{section}/{name}.{section}")
}

/// The page of a topic.
fn of_topic(page: &ManualPage) -> (String, String) {
    let (name, section) = (format!("hustings-{}", page.topic), page.section.number());
    let markdown = format!("{}\n## See also\n\n`hustings`(1), `hustings-glossary`(7)\n", page.markdown());
    (file_of(&name, section), man_text::page(&name, section, page.about, &markdown))
}

/// The pages of a command and of those below it.
fn add_pages(command: &mut Command, pages: &mut Vec<(String, String)>) {
    let name = command_page::full_name(command).replace(' ', "-");
    let beside = if name == "hustings" { of_the_program() } else { see_also(command) };
    let markdown = command_page::man_page(command) + &beside;
    pages.push((file_of(&name, 1), man_text::page(&name, 1, &command_page::about(command), &markdown)));
    command.get_subcommands_mut().filter(|below| !below.is_hide_set()).for_each(|below| add_pages(below, pages));
}

/// What stands at the end of a command's page.
fn see_also(command: &Command) -> String {
    let name = command_page::full_name(command).replace(' ', "-");
    let below = command_page::shown(command).map(|below| format!("`{name}-{}`(1), ", below.get_name()));
    format!("## See also\n\n{}`hustings`(1), `hustings-commands`(7)\n", below.collect::<String>())
}

/// What stands at the end of the program's own page: variables, files, examples, and all topics.
fn of_the_program() -> String {
    let environment = manual_page::find("environment").map(ManualPage::markdown).unwrap_or_default();
    // Without the title.
    let (_, environment) = environment.split_once('\n').unwrap_or_default();
    let topics: Vec<String> =
        manual_page::all().map(|page| format!("`hustings-{}`({})", page.topic, page.section.number())).collect();
    format!("{environment}\n## Examples\n\n```\n{EXAMPLES}\n```\n\n## See also\n\n{}\n", topics.join(", "))
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn every_command_has_a_page_and_completions_and_hidden_ones_have_none() {
        let table = crate::cli::Arguments::command();
        let pages = pages(table.clone());
        let line = ["hustings", ""].map(Into::into).to_vec();
        let offered = clap_complete::engine::complete(&mut shown(table.clone()), line, 1, None).unwrap();
        for command in table.get_subcommands() {
            let (name, is_shown) = (command.get_name(), !command.is_hide_set());
            let page = pages.iter().find(|(file, _)| *file == format!("man1/hustings-{name}.1"));
            assert_eq!(page.is_some(), is_shown, "{name}");
            assert_eq!(offered.iter().any(|one| one.get_value() == name), is_shown, "{name}");
        }
        let (_, export) = pages.iter().find(|(file, _)| file == "man1/hustings-export.1").unwrap();
        assert!(export.contains(".SH OPTIONS") && export.contains("\\-\\-format"), "{export}");
        let (_, program) = pages.iter().find(|(file, _)| file == "man1/hustings.1").unwrap();
        for section in ["SYNOPSIS", "COMMANDS", "EXIT STATUS", "ENVIRONMENT", "FILES", "EXAMPLES", "SEE ALSO"] {
            assert!(program.contains(&format!("\n.SH {section}\n")), "{section}: {program}");
        }
    }

    #[test]
    fn every_topic_has_a_page_in_its_section() {
        let pages = pages(crate::cli::Arguments::command());
        let text = |name: &str| pages.iter().find(|(file, _)| file == name).unwrap().1.as_str();
        assert!(text("man5/hustings-lab-file.5").contains("\n.SH KEYS OF A STEP\n"));
        assert!(text("man7/hustings-faults.7").contains("crash N"));
        assert_eq!(pages.iter().filter(|(name, _)| !name.starts_with("man1/")).count(), manual_page::all().count());
    }
}
