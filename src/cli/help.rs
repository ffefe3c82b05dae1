//! `hustings help [COMMAND|TOPIC|WORD]`: what a command takes, a page of the manual, or what a word means.
//!
//! Invariant: no topic has the name of a command.

use super::markdown_blocks::table;
use super::output::{COLUMNS, remark};
use super::{candidates, code, command_page, help_word, manual, manual_page, markdown_text, pager};

/// What `help` takes.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// A command, with the one below it if there is one, a topic, or any word; without it, all commands and topics
    #[arg(value_name = "COMMAND|TOPIC|WORD", add = candidates::topic())]
    about: Vec<String>,
}

/// Prints the help.
pub fn main(arguments: &Arguments, table: clap::Command) -> u8 {
    let mut shown = manual::shown(table);
    shown.build();
    let names = &arguments.about;
    let text = if names.is_empty() {
        markdown_text::plain(&overview(&mut shown), COLUMNS)
    } else if let Some(page) = manual_page::find(&names.join(" ").replace(' ', "-")) {
        page.text(COLUMNS)
    } else if let Some(command) = command(&mut shown, names) {
        markdown_text::plain(&command_page::page(command), COLUMNS)
    } else {
        match help_word::meaning(&names.join(" "), &shown) {
            Ok(markdown) => markdown_text::plain(&markdown, COLUMNS),
            Err(unknown) => {
                remark(unknown);
                return code::USAGE;
            }
        }
    };
    pager::show(&text)
}

/// All commands and all topics.
fn overview(program: &mut clap::Command) -> String {
    let topics = table(["", ""], manual_page::all().map(|page| (page.topic, page.about)));
    let about = "`hustings help TOPIC` shows a page, and `hustings help WORD` what a word means.";
    format!("{}## Topics\n\n{about}\n\n{topics}", command_page::page(program))
}

/// Prints what the command takes that the arguments of this process name, before the flag that asks for help.
pub fn of_command_line(table: clap::Command) -> u8 {
    let mut shown = manual::shown(table);
    shown.build();
    let words = std::env::args_os().skip(1).map_while(|word| word.into_string().ok());
    let mut names: Vec<String> = Vec::new();
    for word in words {
        names.push(word);
        if command(&mut shown, &names).is_none() {
            names.pop();
            break;
        }
    }
    let Some(command) = command(&mut shown, &names) else { return code::USAGE };
    pager::show(&markdown_text::plain(&command_page::page(command), COLUMNS))
}

fn command<'c>(table: &'c mut clap::Command, names: &[String]) -> Option<&'c mut clap::Command> {
    names.iter().try_fold(table, |command, name| command.find_subcommand_mut(name))
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn no_topic_has_the_name_of_a_command() {
        let mut table = manual::shown(crate::cli::Arguments::command());
        for name in manual_page::all().flat_map(|page| std::iter::once(&page.topic).chain(page.aliases)) {
            assert!(command(&mut table, &[(*name).to_owned()]).is_none(), "{name}");
        }
    }
}
