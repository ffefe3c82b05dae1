//! Which type is defined where, read out of the sources: a type's name has one meaning in the whole program.
//!
//! A definition counts where it stands by itself, in a module within a file, or in a macro; a type within a function is
//! that function's own, and a trait's associated type (`type Message`) is no type.
//!
//! Invariant: code that is compiled for tests alone is not read.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use super::imports::{declared, is_visibility, without_tests, words};

/// The names that several types of one folder have, each of the very same role, and why.
const OF_ONE_ROLE: &[(&str, &str, &str)] = &[
    ("Arguments", "cli/", "what one command takes, each command in its own file"),
    ("Fx", "election/", "an algorithm's effects, by a short name"),
    ("Hole", "election/", "the guards of an algorithm's holes"),
    ("Message", "election/", "what an algorithm sends"),
    ("Phase", "election/", "where an algorithm's machine stands"),
    ("Readiness", "election/", "whether a machine of King and Ni's may begin an election"),
    ("SafeCells", "election/", "what Garcia-Molina's algorithms keep"),
    ("Stable", "election/", "what Stoller's algorithms keep"),
    ("Timer", "election/", "what an algorithm waits for"),
];

/// The rooms that no program has.
const FOR_TESTS: &[&str] = &["bench", "mutants"];

/// The files in which each type's name is defined, by their paths below the sources; a file once for each definition.
pub struct Names(BTreeMap<String, Vec<String>>);

impl Names {
    /// Reads all modules of the program and of these rooms, each from its `lib.rs` on.
    pub fn read(sources: &Path, rooms: &[String]) -> Names {
        let mut names = Names(BTreeMap::new());
        names.read_file(sources, "", "lib.rs".to_owned());
        for room in rooms.iter().filter(|room| !FOR_TESTS.contains(&room.as_str())) {
            names.read_file(sources, &format!("{room}/"), format!("{room}/lib.rs"));
        }
        names
    }

    /// Reads a file and its children, which stand below this folder.
    fn read_file(&mut self, sources: &Path, folder: &str, file: String) {
        let code = without_tests(&fs::read_to_string(sources.join(&file)).unwrap());
        for name in defined(&code) {
            self.0.entry(name.to_owned()).or_default().push(file.clone());
        }
        for child in code.lines().filter_map(declared) {
            let beside = format!("{folder}{child}.rs");
            let file = if sources.join(&beside).exists() { beside } else { format!("{folder}{child}/mod.rs") };
            self.read_file(sources, &format!("{folder}{child}/"), file);
        }
    }

    /// The names with more than one meaning, and the lines of the tables above that excuse nothing any more.
    pub fn doubles(&self) -> Vec<String> {
        let doubles = self.0.iter().filter_map(|(name, files)| {
            let room = OF_ONE_ROLE.iter().find(|(of, ..)| of == name).map(|(_, room, _)| *room);
            let is_excused = |file: &&String| room.is_some_and(|room| file.starts_with(room));
            let left: Vec<&str> = files.iter().filter(|file| !is_excused(file)).map(String::as_str).collect();
            let has_two_meanings = left.len() + usize::from(room.is_some()) > 1;
            has_two_meanings.then(|| format!("{name} is defined more than once: {}", files.join(", ")))
        });
        let files_of = |name: &str| self.0.get(name).map(Vec::as_slice).unwrap_or_default();
        let idle_roles = OF_ONE_ROLE.iter().filter_map(|(name, room, _)| {
            let count = files_of(name).iter().filter(|file| file.starts_with(room)).count();
            (count < 2).then(|| format!("{name} is no double in {room}: take it out of the table"))
        });
        doubles.chain(idle_roles).collect()
    }

    /// The types of the glossary that are not defined exactly once.
    pub fn not_once<'a>(&self, glossary: &[&'a str]) -> Vec<&'a str> {
        let count = |name: &str| self.0.get(name).map_or(0, Vec::len);
        glossary.iter().copied().filter(|name| count(name) != 1).collect()
    }
}

/// The types that the table of words at the head of `lib.rs` names.
pub fn glossary(text: &str) -> Vec<&str> {
    let head = text.lines().skip_while(|line| *line != "//! | word | meaning | type |").skip(2);
    let rows = head.map_while(|line| line.strip_prefix("//! |")?.trim_end().strip_suffix('|'));
    rows.flat_map(|row| words(row.rsplit('|').next().unwrap_or_default()).filter(|word| !word.is_empty())).collect()
}

/// The types that a file's code defines, without those within a function or an implementation.
fn defined(code: &str) -> Vec<&str> {
    let mut is_open = true;
    let mut names = Vec::new();
    for line in code.lines() {
        let is_outermost = line.starts_with(|c: char| c.is_ascii_alphabetic());
        if is_outermost {
            is_open = line.starts_with("macro_rules!")
                || line.trim_end_matches(" {").split_once("mod ").is_some_and(|(before, _)| is_visibility(before));
        }
        let found = ["struct ", "enum ", "trait ", "type "].iter().find_map(|keyword| {
            let (before, after) = line.trim_start().split_once(keyword)?;
            is_visibility(before).then(|| words(after).next())?
        });
        let is_type = found.is_some_and(|name| name.starts_with(|c: char| c.is_ascii_uppercase()));
        let is_associated = !is_outermost && line.trim_start().starts_with("type ");
        if is_type && (is_outermost || is_open) && !is_associated {
            names.extend(found);
        }
    }
    names
}

#[test]
fn what_a_file_defines_is_found_wherever_it_stands_by_itself() {
    let code = "pub struct A<T> {\n}\nimpl Trait for A {\n    type Message = Message;\n}\nmacro_rules! all {\n    \
                () => {\n        pub enum B {\n        struct $name;\n}\nfn f() {\n    struct InFunction;\n}\n\
                mod inner {\n    pub(super) trait C {\n        type Error;\n}\ntype D = u8;\n";
    assert_eq!(defined(code), ["A", "B", "C", "D"]);
}

#[test]
fn each_types_name_is_defined_once() {
    let doubles = Names::read(&super::root().join("src"), &super::rooms()).doubles();
    assert!(doubles.is_empty(), "{}", doubles.join("\n"));
}

#[test]
fn each_type_of_the_glossary_exists_once() {
    let head = fs::read_to_string(super::root().join("src/lib.rs")).unwrap();
    let glossary = glossary(&head);
    assert!(glossary.len() >= 25, "the glossary is found: {glossary:?}");
    assert_eq!(Names::read(&super::root().join("src"), &super::rooms()).not_once(&glossary), [""; 0]);
}
