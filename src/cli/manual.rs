//! `hustings completions SHELL` and `hustings man DIRECTORY`: what a shell and `man` know of the command line, made of the
//! same table of commands that reads it.
//!
//! Invariant: every command that a person may type is in them, and no hidden one.

use std::fs;
use std::io::{self, ErrorKind, Write};
use std::path::PathBuf;

use clap::Command;

use super::code;
use super::new_file::{self, Existing};
use super::shells::CompletingShell;
use super::tell::{VisibleLines, remark, say, say_all};

/// What `completions` takes.
#[derive(Debug, clap::Args)]
pub struct CompletionsArguments {
    /// The shell
    shell: CompletingShell,
}

/// What `man` takes.
#[derive(Debug, clap::Args)]
pub struct ManArguments {
    /// The directory for the pages, such as ~/.local/share/man/man1
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

/// Writes a page for the program and one for each command.
pub fn man(arguments: &ManArguments, table: Command) -> u8 {
    let existing = if arguments.force { Existing::Replaced } else { Existing::Kept };
    let refused = |place: &std::path::Path, error: &io::Error| {
        remark(format!("{}: {error}", place.display()));
        if error.kind() == ErrorKind::AlreadyExists { code::ENVIRONMENT } else { code::of_io(error) }
    };
    if let Err(error) = fs::create_dir_all(&arguments.directory) {
        return refused(&arguments.directory, &error);
    }
    let pages = match pages(table) {
        Ok(pages) => pages,
        Err(error) => return refused(&arguments.directory, &error),
    };
    for (name, page) in &pages {
        let path = arguments.directory.join(name);
        if let Err(error) = new_file::write(&path, existing, &mut |out| out.write_all(page)) {
            return refused(&path, &error);
        }
    }
    let (count, directory) = (pages.len(), arguments.directory.display());
    say(if arguments.directory.ends_with("man1") {
        format!("{count} pages are in {directory}; `man hustings` finds them if the directory above is in its path")
    } else {
        format!(
            "{count} pages are in {directory}; `man {directory}/hustings.1` shows the first one, and `man hustings` finds \
             only those in a directory that is called man1"
        )
    });
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
    let mut whole = Command::new("hustings").version(env!("CARGO_PKG_VERSION"));
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
fn pages(table: Command) -> io::Result<Vec<(String, Vec<u8>)>> {
    let mut pages = Vec::new();
    let mut whole = shown(table).disable_help_subcommand(true);
    whole.build();
    add_pages(&whole, &mut pages)?;
    Ok(pages)
}

fn add_pages(command: &Command, pages: &mut Vec<(String, Vec<u8>)>) -> io::Result<()> {
    let (mut page, man) = (Vec::new(), clap_mangen::Man::new(command.clone()));
    man.render(&mut page)?;
    pages.push((man.get_filename(), page));
    command.get_subcommands().filter(|below| !below.is_hide_set()).try_for_each(|below| add_pages(below, pages))
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn every_command_has_a_page_and_completions_and_hidden_ones_have_none() {
        let table = crate::cli::Arguments::command();
        let pages = pages(table.clone()).unwrap();
        let line = ["hustings", ""].map(Into::into).to_vec();
        let offered = clap_complete::engine::complete(&mut shown(table.clone()), line, 1, None).unwrap();
        for command in table.get_subcommands() {
            let (name, is_shown) = (command.get_name(), !command.is_hide_set());
            let page = pages.iter().find(|(file, _)| *file == format!("hustings-{name}.1"));
            assert_eq!(page.is_some(), is_shown, "{name}");
            assert_eq!(offered.iter().any(|one| one.get_value() == name), is_shown, "{name}");
        }
        let (_, export) = pages.iter().find(|(file, _)| file == "hustings-export.1").unwrap();
        let export = String::from_utf8(export.clone()).unwrap();
        assert!(
            export.starts_with(".ie") && export.contains(".SH OPTIONS") && export.contains("\\-\\-format"),
            "{export}"
        );
    }
}
