//! `hustings help [COMMAND|TOPIC]`: what a command takes, or a page of the manual.
//!
//! Invariant: no topic has the name of a command. On a terminal that is too low for a page, `$PAGER` shows it.

use std::io::{self, ErrorKind, IsTerminal, Write};
use std::process::{Command, Stdio};

use super::manual_page::{self, ManualPage};
use super::tell::{COLUMNS, VisibleLines, remark, say_all, wrapped};
use super::{candidates, code, manual};
use lab::near;

/// What `help` takes.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// A command, with the one below it if there is one, or a topic; without it, all commands and topics
    #[arg(value_name = "COMMAND|TOPIC", add = candidates::topic())]
    about: Vec<String>,
}

/// Prints the help.
pub fn main(arguments: &Arguments, table: clap::Command) -> u8 {
    let mut shown = manual::shown(table);
    shown.build();
    let text = match &arguments.about[..] {
        [] => format!("{}\n{}\n", shown.render_long_help(), topics().join("\n")),
        [topic] if let Some(page) = manual_page::find(topic) => page.text(COLUMNS),
        names => match command(&mut shown, names) {
            Some(command) => command.render_long_help().to_string(),
            None => {
                remark(unknown(&names.join(" "), &shown));
                return code::USAGE;
            }
        },
    };
    match print(&text) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            remark(format!("cannot write to standard output: {error}"));
            code::of_io(&error)
        }
        _ => code::MET,
    }
}

fn command<'c>(table: &'c mut clap::Command, names: &[String]) -> Option<&'c mut clap::Command> {
    names.iter().try_fold(table, |command, name| command.find_subcommand_mut(name))
}

fn unknown(name: &str, table: &clap::Command) -> String {
    let commands = table.get_subcommands().map(clap::Command::get_name);
    let known: Vec<&str> = commands.chain(manual_page::all().map(|page| page.topic)).collect();
    match near(name, &known).as_slice() {
        [] => format!("there is no command and no topic {name}; `hustings help` lists them"),
        near => format!("there is no command and no topic {name}; did you mean {}?", near.join(" or ")),
    }
}

/// The topics, as lines under the commands.
fn topics() -> Vec<String> {
    let pages: Vec<&'static ManualPage> = manual_page::all().collect();
    let widest = pages.iter().map(|page| page.topic.len()).max().unwrap_or(0);
    let line = |page: &'static ManualPage| {
        let about = wrapped(page.about, COLUMNS - widest - 4);
        about.into_iter().enumerate().map(move |(at, line)| {
            let topic = if at == 0 { page.topic } else { "" };
            format!("  {topic:<widest$}  {line}")
        })
    };
    std::iter::once("Topics (`hustings help TOPIC` shows the page):".to_owned())
        .chain(pages.into_iter().flat_map(line))
        .collect()
}

/// Prints a text, page by page if it is longer than the terminal.
fn print(text: &str) -> io::Result<()> {
    let rows = crossterm::terminal::size().map_or(usize::MAX, |(_, rows)| usize::from(rows));
    if io::stdout().is_terminal() && text.lines().count() >= rows && shown_by_pager(text)? {
        return Ok(());
    }
    say_all(|out| write_visible(text, out))
}

fn write_visible(text: &str, out: &mut dyn Write) -> io::Result<()> {
    let mut out = VisibleLines::over(out);
    out.write_all(text.as_bytes())?;
    out.finish()
}

/// Gives the text to the pager; returns whether there is one.
fn shown_by_pager(text: &str) -> io::Result<bool> {
    let pager = std::env::var("PAGER").ok().filter(|pager| !pager.trim().is_empty()).unwrap_or_else(|| "less".into());
    // It may have arguments, and a shell takes them apart.
    let Ok(mut child) = Command::new("sh").arg("-c").arg(&pager).stdin(Stdio::piped()).spawn() else {
        return Ok(false);
    };
    let written = child.stdin.take().map_or(Ok(()), |mut stdin| write_visible(text, &mut stdin));
    let status = child.wait()?;
    match written {
        // 127: the shell found no such program.
        _ if status.code() == Some(127) => Ok(false),
        // Who leaves the pager early has read enough.
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(true),
        written => written.map(|()| true),
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn no_topic_has_the_name_of_a_command() {
        let mut table = manual::shown(crate::cli::Arguments::command());
        for page in manual_page::all() {
            assert!(command(&mut table, &[page.topic.to_owned()]).is_none(), "{}", page.topic);
        }
    }

    #[test]
    fn near_names_of_topics_are_offered() {
        let table = manual::shown(crate::cli::Arguments::command());
        assert_eq!(unknown("fault", &table), "there is no command and no topic fault; did you mean faults?");
        assert!(unknown("xyzzy", &table).ends_with("`hustings help` lists them"));
    }
}
