//! A command as a page in Markdown: how it is written, and each argument and option with its default and its choices.
//!
//! Invariant: all of it comes from the table that reads the command line; nothing hidden is in it.

use clap::{Arg, Command};

use super::markdown_blocks::table;

/// The page of one command, for `hustings help COMMAND`.
pub fn page(command: &mut Command) -> String {
    let (name, about, usage) = (full_name(command), about(command), usage(command));
    format!("# {name}\n\n{about}.\n\n```\n{usage}\n```\n\n{}", parts(command))
}

/// The page of one command for `man`.
pub fn man_page(command: &mut Command) -> String {
    let (about, usage) = (about(command), usage(command));
    format!("## Synopsis\n\n```\n{usage}\n```\n\n## Description\n\n{about}.\n\n{}", parts(command))
}

/// A section for this command and each one below it, for the page of all commands.
pub fn sections(command: &mut Command) -> String {
    let (name, about, usage) = (full_name(command), about(command), usage(command));
    let all = arguments(command, |_| true);
    let codes = command.get_after_help().map_or_else(String::new, |codes| format!("{codes}\n\n"));
    let mut text = format!("## {name}\n\n{about}.\n\n```\n{usage}\n```\n\n{all}{codes}");
    command.get_subcommands_mut().for_each(|below| text.push_str(&sections(below)));
    text
}

/// What a command does, without a full stop.
pub fn about(command: &Command) -> String {
    command.get_about().map(ToString::to_string).unwrap_or_default()
}

/// The name of a command, with those of the commands above it.
pub fn full_name(command: &Command) -> String {
    command.get_bin_name().unwrap_or(command.get_name()).to_owned()
}

/// The arguments, options and commands, each under a heading, and the exit codes.
fn parts(command: &Command) -> String {
    let commands = shown(command).map(|below| (below.get_name().to_owned(), about(below))).collect();
    let codes = command.get_after_help().map_or_else(String::new, |codes| format!("{codes}\n"));
    let titled = [
        ("Arguments", arguments(command, Arg::is_positional)),
        ("Options", arguments(command, |argument| !argument.is_positional())),
        ("Commands", listed(commands)),
        ("Exit status", codes),
    ];
    let is_there = |(_, text): &(&str, String)| !text.is_empty();
    titled.into_iter().filter(is_there).map(|(title, text)| format!("## {title}\n\n{text}\n")).collect()
}

/// The commands below it that a person may type.
pub fn shown(command: &Command) -> impl Iterator<Item = &Command> {
    command.get_subcommands().filter(|below| !below.is_hide_set())
}

fn usage(command: &mut Command) -> String {
    command.render_usage().to_string().trim_start_matches("Usage:").trim().to_owned()
}

/// The arguments that are wanted, as a table.
fn arguments(command: &Command, is_wanted: impl Fn(&Arg) -> bool) -> String {
    let wanted = command.get_arguments().filter(|argument| !argument.is_hide_set() && argument.get_id() != "help");
    listed(wanted.filter(|argument| is_wanted(argument)).map(|argument| (written(argument), said(argument))).collect())
}

/// A table of names and what is said of each, with an empty line behind it; nothing, if there are none.
fn listed(rows: Vec<(String, String)>) -> String {
    match rows.is_empty() {
        true => String::new(),
        false => table(["", ""], rows.iter().map(|(name, said)| (&name[..], &said[..]))) + "\n",
    }
}

/// How it is written, such as `-o, --output <FILE>`.
fn written(argument: &Arg) -> String {
    let takes_values = argument.get_action().takes_values();
    let values = argument.get_value_names().filter(|_| takes_values).unwrap_or_default();
    let values: Vec<String> = values.iter().map(|value| format!("<{value}>")).collect();
    let names =
        [argument.get_short().map(|short| format!("-{short}")), argument.get_long().map(|long| format!("--{long}"))];
    let names: Vec<String> = names.into_iter().flatten().collect();
    [names.join(", "), values.join(" ")].join(" ").trim().to_owned()
}

/// What it does, its choices, its default, and whether it must be there.
fn said(argument: &Arg) -> String {
    let help = argument.get_long_help().or(argument.get_help()).map(ToString::to_string).unwrap_or_default();
    let choices: Vec<String> = argument
        .get_possible_values()
        .iter()
        .filter(|choice| !choice.is_hide_set())
        .map(|choice| format!("`{}`", choice.get_name()))
        .collect();
    let defaults: Vec<String> = argument
        .get_default_values()
        .iter()
        .filter(|_| argument.get_action().takes_values())
        .map(|value| value.to_string_lossy().into_owned())
        .collect();
    let mut more = Vec::new();
    if !choices.is_empty() {
        more.push(format!("one of {}", choices.join(", ")));
    }
    if !defaults.is_empty() {
        more.push(format!("default: `{}`", defaults.join(" ")));
    }
    if argument.is_required_set() && !argument.is_positional() {
        more.push("required".to_owned());
    }
    if more.is_empty() { help } else { format!("{help} ({})", more.join("; ")) }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn choices_and_defaults_are_told() {
        let mut program = crate::cli::manual::shown(crate::cli::Arguments::command());
        program.build();
        let mut page_of = |name: &str| page(program.find_subcommand_mut(name).unwrap());
        assert!(page_of("wait").contains("(default: `60s`)"), "{}", page_of("wait"));
        assert!(page_of("simulate").contains("such as 0..1000 (required)"), "{}", page_of("simulate"));
        let export = page_of("export");
        assert!(export.contains("`--format <FORMAT>`") && export.contains("one of `jsonl`, `lab`, "), "{export}");
        assert!(export.contains("`-o, --output <FILE>`") && export.contains("## Arguments"), "{export}");
        assert!(!page_of("run").contains("true"), "a flag takes no value: {}", page_of("run"));
    }
}
