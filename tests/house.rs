//! The house itself: which files use each other, what every file opens with, how long it may be, what shows each hole,
//! where the links of its pages lead.
//!
//! Invariant: this test reads the sources. Which room may use which, the rooms' manifests say and the compiler holds.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

#[path = "house/imports.rs"]
mod imports;
#[path = "house/pages.rs"]
mod pages;

use std::fs;
use std::path::{Path, PathBuf};

use hustings::protocol::{Card, ShownBy};
use hustings::registry::BUILT_IN;
use imports::{Room, circle};

/// The rooms in which files use each other in circles, and through what. A room that is free of them leaves this list.
const WITH_CIRCLES: &[(&str, &str)] = &[
    ("protocol", "the machine's trait has a Card, and a Card's costs and a state's words are a machine's"),
    ("election", "a machine and its card, calls and parts name each other; each algorithm's folder is one piece"),
    ("fault", "a line holds every fault, and faults are told apart by what the line's parts define"),
    ("link", "the queue's types stand beside the link that uses the tampering"),
    ("lab", "the lab's own type stands in `mod.rs`, which reads it through the parser"),
    ("judge", "a verdict and the meter are each one type whose parts are files that extend it"),
    ("script", "the orders' own type stands in `orders/mod.rs`, and its parts extend it"),
    ("sim", "the simulation's own types stand in `mod.rs`, and its parts take and make them"),
    ("host", "the loop is one type, and its pace and its recorder are files that extend it"),
];

/// What brings records to the screen or changes the model, within `dashboard/`: no panel's business.
const BEYOND_PANELS: &[&str] =
    &["time/feed", "time/playback", "time/simulated", "terminal", "input/update", "input/message"];

/// What the two lowest rooms must not know.
const OUTER_WORLD: &[&str] = &[
    "std::fs",
    "std::net",
    "std::io",
    "std::thread",
    "Instant",
    "SystemTime",
    "tokio",
    "ratatui",
    "println!",
    "rand::",
];

fn sources(directory: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(sources(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
    found.sort();
    found
}

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// The rooms: the folders of the sources that are crates.
fn rooms() -> Vec<String> {
    let folders = fs::read_dir(root().join("src")).unwrap().map(|entry| entry.unwrap().path());
    let crates = folders.filter(|path| path.join("Cargo.toml").exists());
    let mut names: Vec<String> = crates.map(|path| path.file_name().unwrap().to_str().unwrap().to_owned()).collect();
    names.sort();
    names
}

#[test]
fn no_files_of_a_room_use_each_other_in_a_circle() {
    let circles: Vec<String> = rooms()
        .iter()
        .filter(|room| !WITH_CIRCLES.iter().any(|(other, _)| other == room))
        .filter_map(|room| {
            let read = Room::read(&root().join("src"), room);
            Some(circle(&read.uses())?.join(" uses "))
        })
        .collect();
    assert!(circles.is_empty(), "{}", circles.join("\n"));
}

#[test]
fn panels_know_the_model_and_neither_the_feed_nor_the_updates() {
    let read = Room::read(&root().join("src"), "dashboard");
    let mut panels = read.uses().into_iter().filter(|(file, _)| file.starts_with("dashboard/view/panel/")).peekable();
    assert!(panels.peek().is_some(), "there are panels");
    for (panel, used) in panels {
        let is_beyond = |file: &&String| BEYOND_PANELS.iter().any(|beyond| file[10..].starts_with(beyond));
        assert_eq!(used.iter().find(is_beyond), None, "{panel} may not use it");
    }
}

#[test]
fn a_circle_is_found_wherever_it_is_closed() {
    let sources = tempfile::tempdir().unwrap();
    let circle_in = |files: &[(&str, &str)]| {
        let room = sources.path().join("room");
        fs::create_dir_all(room.join("child")).unwrap();
        files.iter().for_each(|(name, text)| fs::write(room.join(name), text).unwrap());
        circle(&Room::read(sources.path(), "room").uses()).map(|circle| circle.join(" "))
    };
    let handed_on = "mod child;\nmod other;\npub use child::Thing;\npub use other::{self, work};\n";
    let child = "use super::other;\npub struct Thing;\nfn f() {\n    other::work();\n}\n";
    let free = [("lib.rs", handed_on), ("child/mod.rs", child), ("other.rs", "pub fn work() {}\n")];
    assert_eq!(circle_in(&free), None);
    let tested = "pub fn work() {}\n#[cfg(test)]\nmod tests {\n    use super::super::Thing;\n}\n";
    assert_eq!(circle_in(&[("other.rs", tested)]), None);
    let siblings = Some("room/child/mod.rs room/other.rs room/child/mod.rs".to_owned());
    assert_eq!(circle_in(&[("other.rs", "use crate::{\n    Thing,\n};\npub fn work() {}\n")]), siblings);
    assert_eq!(circle_in(&[("other.rs", "pub fn work(thing: &super::child::Thing) {}\n")]), siblings);
    let parent = "mod child;\nmod other;\npub use child::Thing;\nfn g(_: Thing) {}\npub const N: u8 = 1;\n";
    let through_parent = Some("room/child/mod.rs room/lib.rs room/child/mod.rs".to_owned());
    let files =
        [("lib.rs", parent), ("child/mod.rs", "pub struct Thing([u8; super::N as usize]);\n"), ("other.rs", "")];
    assert_eq!(circle_in(&files), through_parent);
}

/// Rooms whose texts are somebody's writing: lines of faults, lab and config files, what was typed.
const READERS: &[&str] = &["fault/", "lab/", "cli/config/", "dashboard/input/update/palette.rs"];

#[test]
fn nothing_reads_a_sentence_of_the_program() {
    let reads = r"\.(text|what|why|remedy)\s*\.(r?split\(|r?split_once|strip_|r?find\(|contains\(|starts_with|ends_with|trim_end_m|matches\()";
    let reads = regex::Regex::new(reads).unwrap();
    assert!(reads.is_match("report.text.split_once(\"; \")") && !reads.is_match("report.text.clone()"));
    let src = root().join("src");
    let all: Vec<PathBuf> =
        rooms().iter().flat_map(|room| sources(&src.join(room))).chain(sources(&src.join("cli"))).collect();
    assert!(all.len() > 500);
    for file in all.iter().filter(|file| !file.components().any(|part| part.as_os_str() == "tests")) {
        let name = file.strip_prefix(&src).unwrap().to_str().unwrap();
        let text = fs::read_to_string(file).unwrap();
        let code = text.split("#[cfg(test)]\nmod ").next().unwrap();
        let found = reads.find(code).filter(|_| !name.ends_with("tests.rs"));
        assert!(found.is_none() || READERS.iter().any(|reader| name.starts_with(reader)), "{name}: {found:?}");
    }
}

#[test]
fn the_pure_rooms_know_nothing_of_the_outer_world() {
    for room in ["protocol", "election", "application", "liar", "link", "fault"] {
        for file in sources(&root().join("src").join(room)) {
            let text = fs::read_to_string(&file).unwrap();
            for (number, line) in text.lines().enumerate().filter(|(_, line)| !line.trim_start().starts_with("//")) {
                for word in OUTER_WORLD {
                    assert!(!line.contains(word), "{}:{}: {word}", file.display(), number + 1);
                }
            }
        }
    }
}

#[test]
fn every_file_says_what_it_is_and_keeps_to_eight_hundred_lines() {
    for file in sources(&root().join("src")).into_iter().chain(sources(&root().join("tests"))) {
        let text = fs::read_to_string(&file).unwrap();
        assert!(text.starts_with("//!"), "{} does not open with //!", file.display());
        let lines = text.lines().count();
        assert!(lines <= 800, "{} has {lines} lines", file.display());
    }
}

/// The places at which a text has a result, or a reading, whose error is a mere string.
fn untyped_errors(text: &str) -> Vec<usize> {
    let results = text.match_indices("Result<").filter(|(at, _)| {
        let mut depth = 0;
        let rest = text[at + "Result<".len()..].replace("->", "  ");
        let end = rest.find(|c| {
            depth += i32::from(matches!(c, '<' | '(' | '[')) - i32::from(matches!(c, '>' | ')' | ']'));
            depth < 0
        });
        end.is_some_and(|end| rest[..end].trim_end_matches([',', ' ', '\n']).ends_with(", String"))
    });
    let readings = text.match_indices("type Err = String;");
    results.chain(readings).map(|(at, _)| text[..at].lines().count()).collect()
}

#[test]
fn errors_are_types_but_for_the_command_line() {
    assert_eq!(untyped_errors("fn f() -> Result<Vec<(u8, String)>, String> {}\ntype Err = String;").len(), 2);
    assert_eq!(untyped_errors("fn f(_: Result<(), io::Error>) -> Result<(u8, String), E> {}").len(), 0);
    let files = sources(&root().join("src")).into_iter().filter(|file| !file.starts_with(root().join("src/cli")));
    let untyped: Vec<String> = files
        .flat_map(|file| {
            let lines = untyped_errors(&fs::read_to_string(&file).unwrap());
            lines.into_iter().map(move |line| format!("{}:{line}: an error is a mere string", file.display()))
        })
        .collect();
    assert!(untyped.is_empty(), "{}", untyped.join("\n"));
}

/// The only files that print, or that write to the terminal; all others print through them.
const EDGES: &[&str] =
    &["cli/output.rs", "node/stderr.rs", "dashboard/terminal/alternate.rs", "dashboard/terminal/mod.rs"];

/// Tells Cargo, and nobody else.
const FOR_CARGO: &str = "build.rs";

/// To ask whether something is a terminal prints nothing, and a child's output is not ours.
const NO_PRINTING: &[&str] =
    &["stdout().is_terminal()", "stderr().is_terminal()", "use_stderr()", "ChildStdout", ", stderr}"];

#[test]
fn only_the_edges_print() {
    let from = root().join("src");
    let is_free = |file: &&PathBuf| {
        let name = file.strip_prefix(&from).unwrap().to_str().unwrap();
        !EDGES.contains(&name) && name != FOR_CARGO && !name.starts_with("mutants/")
    };
    let prints = ["print!(", "println!(", "dbg!(", "stdout()", "stderr()", "Stdout", "Stderr", "/dev/tty"];
    for file in sources(&from).iter().filter(is_free) {
        let text = fs::read_to_string(file).unwrap();
        let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap();
        for (number, line) in code.lines().enumerate().filter(|(_, line)| !line.trim_start().starts_with("//")) {
            let line = NO_PRINTING.iter().fold(line.to_owned(), |line, part| line.replace(part, ""));
            let print = prints.iter().find(|print| line.contains(*print));
            assert_eq!(print, None, "{}:{}: print through `cli/output.rs`", file.display(), number + 1);
        }
    }
}

/// The sources of the folder of `election` that a Card stands in.
fn family_of(card: &Card) -> String {
    let forms = [format!("name: \"{}\",", card.name), format!("Card::new(\"{}\"", card.name)];
    let families = fs::read_dir(root().join("src/election")).unwrap().map(|entry| entry.unwrap().path());
    let texts = families.filter(|path| path.is_dir()).map(|folder| {
        let texts: Vec<String> = sources(&folder).iter().map(|path| fs::read_to_string(path).unwrap()).collect();
        texts.join("\n")
    });
    texts
        .into_iter()
        .find(|text| forms.iter().any(|form| text.contains(form)))
        .unwrap_or_else(|| panic!("{} has no folder", card.name))
}

/// The algorithms without holes: one that its paper only sketches, so that there is no text that could have any, and one
/// whose paper leaves nothing open.
const WITHOUT_HOLES: &[&str] = &["king-ni-5-3", "raft"];

#[test]
fn every_hole_has_a_number_of_its_own_a_guard_and_something_that_shows_it() {
    for card in BUILT_IN.cards() {
        let family = family_of(card);
        assert_eq!(card.holes().is_empty(), WITHOUT_HOLES.contains(&card.name), "{} has no holes", card.name);
        for hole in card.holes() {
            let told = format!("hole {} of {}", hole.number, card.name);
            assert_eq!(card.holes().iter().filter(|other| other.number == hole.number).count(), 1, "{told}");
            let name = hole.guard_name;
            let asked = [format!("Hole::{name}"), format!("mend({name},"), format!("({name})")];
            assert!(asked.iter().any(|form| family.contains(form)), "{told}: nothing asks whether it is mended");
            match hole.shown_by {
                ShownBy::Lab(name) => {
                    let lab = fs::read_to_string(root().join(format!("labs/{name}.toml")));
                    assert!(lab.is_ok_and(|lab| lab.contains(&format!("\"{}\"", card.name))), "{told}: no lab {name}");
                }
                ShownBy::Test(name) => assert!(family.contains(&format!("fn {name}()")), "{told}: no test {name}"),
            }
        }
    }
}
