//! What sentences and pages tell of the command line: the commands and the options that they name are there.
//!
//! Invariant: every page of the project is read, the front page, those of the labs and the scripts, and the manual.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use clap::error::ErrorKind;
use clap::{CommandFactory, Parser};

use super::Arguments;

/// The options of a command and of all below it.
fn options(command: &clap::Command) -> BTreeSet<String> {
    let own = command.get_arguments().filter_map(|argument| argument.get_long().map(str::to_owned));
    own.chain(command.get_subcommands().flat_map(options)).collect()
}

/// The words of a text that look like an option, without their dashes.
fn named(text: &str) -> BTreeSet<String> {
    let is_of_word = |c: char| c.is_ascii_lowercase() || c == '-';
    let words = text.split(|c: char| !is_of_word(c)).filter_map(|word| word.strip_prefix("--"));
    words.filter(|word| word.starts_with(|c: char| c.is_ascii_lowercase())).map(str::to_owned).collect()
}

/// All files below a folder but those of a page for a browser: in its style and its script two dashes begin other names.
fn texts(directory: &Path) -> Vec<String> {
    let is_of_browser = |path: &Path| path.extension().is_some_and(|end| end == "css" || end == "js");
    let paths = fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path());
    let paths = paths.filter(|path| !is_of_browser(path));
    paths.flat_map(|path| if path.is_dir() { texts(&path) } else { vec![fs::read_to_string(path).unwrap()] }).collect()
}

/// The pages that people read.
fn pages() -> Vec<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let beside = ["README.md", "labs/README.md", "scripts/README.md"];
    let beside = beside.map(|path| fs::read_to_string(root.join(path)).unwrap());
    beside.into_iter().chain(texts(&root.join("src/manual"))).collect()
}

/// The command lines of a page: lines of its blocks, and what stands between backquotes in its sentences.
fn command_lines(page: &str) -> Vec<String> {
    let mut lines = Vec::new();
    for (index, part) in page.split("```").enumerate() {
        if index % 2 == 0 {
            let quoted = part.split('`').skip(1).step_by(2);
            lines.extend(quoted.map(|quoted| quoted.split_whitespace().collect::<Vec<_>>().join(" ")));
        } else {
            let is_shell = !["rust", "toml"].iter().any(|language| part.starts_with(language));
            // A line that ends in a backslash goes on in the next one.
            let part = part.replace("\\\n", "");
            let commands = part.lines().filter(|_| is_shell);
            lines.extend(commands.map(|line| line.strip_prefix("$ ").unwrap_or(line).to_owned()));
        }
    }
    lines.retain(|line| line == "hustings" || line.starts_with("hustings "));
    lines
}

/// The words of a command line, as a shell takes it apart, up to a remark or a pipe.
fn words(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut rest = line.trim_start();
    while !rest.is_empty() && !rest.starts_with(['#', '|']) {
        let quote = rest.starts_with(['\'', '"']).then(|| &rest[..1]);
        let inner = &rest[quote.map_or(0, str::len)..];
        let end = inner.find(quote.unwrap_or(" ")).unwrap_or(inner.len());
        words.push(inner[..end].to_owned());
        rest = inner[end..].trim_start_matches(['\'', '"']).trim_start();
    }
    words
}

#[test]
fn every_option_that_a_sentence_names_is_one() {
    let known = options(&Arguments::command());
    assert!(known.contains("force") && named("a `--force` of --no-record.").is_subset(&known));
    // Cargo's own, for those who build the program, and Slurm's.
    let of_others = ["release", "bin", "path", "profile", "array"].map(str::to_owned);
    for text in texts(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src")).into_iter().chain(pages()) {
        let unknown: Vec<String> =
            named(&text).into_iter().filter(|word| !known.contains(word) && !of_others.contains(word)).collect();
        assert!(unknown.is_empty(), "no command has {unknown:?}:\n{text}");
    }
}

#[test]
fn every_command_that_a_page_shows_is_one() {
    for line in ["hustings inject 'crash 5'   # at once", "hustings inject 'crash 5' | cat"] {
        assert_eq!(words(line), ["hustings", "inject", "crash 5"]);
    }
    let page = "`hustings\nlabs`, and\n```sh\n$ hustings ls\nls\n```\n";
    assert_eq!(command_lines(page), ["hustings labs", "hustings ls"]);
    let lines: Vec<String> = pages().iter().flat_map(|page| command_lines(page)).collect();
    assert!(lines.len() > 50, "{lines:?}");
    for line in lines {
        let words = words(&line);
        // A sentence may name a command alone.
        let is_name = words.len() == 2;
        let wrong = Arguments::try_parse_from(words).err().filter(|error| match error.kind() {
            ErrorKind::DisplayHelp => false,
            ErrorKind::MissingRequiredArgument => !is_name,
            _ => true,
        });
        assert!(wrong.is_none(), "`{line}`: {}", wrong.unwrap());
    }
}
