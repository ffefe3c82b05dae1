//! What a shell offers where a name belongs that only the program knows: of a lab, a lesson, an algorithm, a session.
//!
//! The shell's script asks the program itself, so a session is offered as soon as it is there.
//!
//! Invariant: what is offered begins as the word under the cursor does.

use std::env::{self, current_dir};
use std::ffi::{OsStr, OsString};
use std::path::Path;
use std::process::exit;

use clap::{Command, ValueEnum};
use clap_complete::engine::{ArgValueCompleter, CompletionCandidate, PathCompleter, ValueCompleter, complete};

use super::output::{remark, say_all};
use super::registry_in_use;
use super::shells::CompletingShell;
use super::{built_in, code, manual_page};

use host::RunDirectories;
use record::kept_sessions;

/// Which shell asks. A shell's script sets this variable when it calls the program.
pub const VARIABLE: &str = "HUSTINGS_COMPLETE";

/// At which word of the line the cursor is, counted from the program's name. Shells that say nothing end the line
/// there.
const INDEX: &str = "_CLAP_COMPLETE_INDEX";

/// Answers the shell and ends the program, if a shell asks.
pub fn answer_shell(table: impl Fn() -> Command) {
    let Some(name) = env::var_os(VARIABLE) else { return };
    let Some(shell) = name.to_str().and_then(|name| CompletingShell::from_str(name, false).ok()) else {
        remark(format!("{VARIABLE}={}: no script of this version names it", name.display()));
        exit(code::USAGE.into());
    };
    let mut line: Vec<OsString> = env::args_os().skip_while(|word| word != "--").skip(1).collect();
    let index = env::var(INDEX).ok().and_then(|index| index.parse().ok());
    let index = index.unwrap_or(line.len().saturating_sub(1)).min(line.len());
    if index == line.len() {
        line.push(OsString::new());
    }
    let word = line[index].clone();
    let offered = complete(&mut table(), line, index, current_dir().ok().as_deref()).unwrap_or_default();
    // A shell that is gone needs no answer.
    let _ = say_all(|out| shell.write(&word, &offered, out));
    exit(code::MET.into());
}

/// A lab: a name that `labs` lists, or a lab file.
pub fn lab() -> ArgValueCompleter {
    name_or_file(labs, is_lab_file)
}

pub fn lesson() -> ArgValueCompleter {
    name(|| built_in::lessons().map(|lesson| lesson.name.to_owned()).collect())
}

pub fn algorithm() -> ArgValueCompleter {
    name(algorithms)
}

/// Algorithms with commas between them.
pub fn algorithms_with_commas() -> ArgValueCompleter {
    ArgValueCompleter::new(|word: &OsStr| {
        let Some(word) = word.to_str() else { return Vec::new() };
        let (before, last) = word.split_at(word.rfind(',').map_or(0, |comma| comma + 1));
        let others = algorithms().into_iter().filter(|name| before.split(',').all(|given| given != name)).collect();
        beginning_with(others, last.as_ref()).into_iter().map(|name| name.add_prefix(before)).collect()
    })
}

/// A topic of the manual.
pub fn topic() -> ArgValueCompleter {
    name(|| manual_page::all().map(|page| page.topic.to_owned()).collect())
}

pub fn application() -> ArgValueCompleter {
    name(|| registry_in_use().application_cards().map(|card| card.name.to_owned()).collect())
}

/// A session: `last`, a name that `sessions` lists, or a file.
pub fn session() -> ArgValueCompleter {
    name_or_file(sessions, is_session_file)
}

pub fn lab_or_session() -> ArgValueCompleter {
    name_or_file(|| [sessions(), labs()].concat(), |path| is_lab_file(path) || is_session_file(path))
}

pub fn running_lab() -> ArgValueCompleter {
    name(|| {
        let running = RunDirectories::find().and_then(|directories| directories.sweep()).unwrap_or_default();
        running.into_iter().map(|(_, lab)| lab.name).collect()
    })
}

fn labs() -> Vec<String> {
    built_in::LABS.iter().map(|lab| lab.name.to_owned()).collect()
}

fn algorithms() -> Vec<String> {
    registry_in_use().cards().map(|card| card.name.to_owned()).collect()
}

/// The names, the newest first.
fn sessions() -> Vec<String> {
    let sessions = kept_sessions().unwrap_or_default().sessions;
    let last = sessions.first().map(|_| "last".to_owned());
    last.into_iter().chain(sessions.iter().map(|session| session.name())).collect()
}

fn is_lab_file(path: &Path) -> bool {
    path.extension().is_some_and(|end| end == "toml")
}

fn is_session_file(path: &Path) -> bool {
    path.to_str().is_some_and(|name| name.ends_with(".jsonl") || name.ends_with(".jsonl.zst"))
}

fn name(names: fn() -> Vec<String>) -> ArgValueCompleter {
    ArgValueCompleter::new(move |word: &OsStr| beginning_with(names(), word))
}

fn name_or_file(names: fn() -> Vec<String>, is_such: fn(&Path) -> bool) -> ArgValueCompleter {
    ArgValueCompleter::new(move |word: &OsStr| {
        let files = PathCompleter::any().filter(move |path| path.is_file() && is_such(path)).complete(word);
        beginning_with(names(), word).into_iter().chain(files).collect()
    })
}

fn beginning_with(names: Vec<String>, word: &OsStr) -> Vec<CompletionCandidate> {
    let begins = |name: &String| word.to_str().is_some_and(|word| name.starts_with(word));
    names.into_iter().filter(begins).map(CompletionCandidate::new).collect()
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    /// What is offered for the last of these words.
    fn offered(words: &[&str]) -> Vec<String> {
        let line: Vec<OsString> = std::iter::once(&"hustings").chain(words).map(OsString::from).collect();
        let here = Path::new(env!("CARGO_MANIFEST_DIR"));
        let offered = complete(&mut crate::cli::Arguments::command(), line, words.len(), Some(here)).unwrap();
        offered.iter().map(|one| one.get_value().to_string_lossy().into_owned()).collect()
    }

    #[test]
    fn a_shell_is_offered_the_names_that_belong_there() {
        assert_eq!(offered(&["up", "lesson-1"]), ["lesson-1-first-election"]);
        assert_eq!(offered(&["run", "first", "bully-pause-"]), ["bully-pause-mended"]);
        for command in
            [&["simulate"][..], &["check"], &["explore"], &["grade"], &["measure", "duel"], &["new", "--from"]]
        {
            assert_eq!(offered(&[command, &["courie"]].concat()), ["courier"], "{command:?}");
        }
        assert_eq!(offered(&["learn", "lesson-"]).len(), built_in::lessons().count());
        assert_eq!(offered(&["algorithms", "bully-f"]), ["bully-fd"]);
        assert_eq!(offered(&["applications", "shar"]), ["shards"]);
        assert_eq!(offered(&["measure", "messages", "--algorithms", "bully,invi"]), ["bully,invitation"]);
        assert_eq!(offered(&["measure", "duel", "duel", "--algorithms", "bully,bul"]), ["bully,bully-fd"]);
        assert!(offered(&["export", "last", "--format", ""]).contains(&"svg".to_owned()));
    }

    #[test]
    fn files_are_offered_where_files_may_stand_and_only_those_of_their_kind() {
        let labs = offered(&["up", "labs/bully-pause"]);
        assert_eq!(labs, ["labs/bully-pause-mended.toml", "labs/bully-pause.toml"]);
        assert_eq!(offered(&["replay", "tests/real/samples"]), ["tests/real/samples.jsonl"]);
        assert_eq!(offered(&["learn", "labs/"]), Vec::<String>::new());
    }
}
