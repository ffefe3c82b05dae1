//! The house itself: who may import whom, what every file opens with, how long it may be.
//!
//! Invariant: this test reads the sources, so a room cannot reach up without somebody changing the table here.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::fs;
use std::path::{Path, PathBuf};

/// The rooms and what each may use, as the head of `lib.rs` and the plan of the house say.
const ROOMS: &[(&str, &[&str])] = &[
    ("protocol", &[]),
    ("election", &["protocol"]),
    ("fault", &["protocol"]),
    ("link", &["protocol", "fault"]),
    ("record", &["protocol", "fault"]),
    ("lab", &["protocol", "fault"]),
    ("judge", &["protocol", "fault", "record"]),
    ("script", &["protocol", "fault", "record", "lab", "judge"]),
    ("driver", &["protocol", "election", "fault", "link", "record"]),
    ("node", &["protocol", "election", "fault", "link", "record", "driver"]),
    ("sim", &["protocol", "election", "driver", "fault", "link", "record", "lab", "judge", "script"]),
    ("host", &["protocol", "fault", "record", "lab", "judge", "script"]),
    ("dashboard", &["protocol", "fault", "record", "judge"]),
    ("export", &["protocol", "fault", "record", "lab", "judge", "dashboard"]),
];

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

/// The rooms that a text names as `crate::room`.
fn rooms_named(text: &str) -> Vec<(usize, String)> {
    let code = text.lines().enumerate().filter(|(_, line)| !line.trim_start().starts_with("//"));
    code.flat_map(|(number, line)| {
        line.match_indices("crate::")
            .map(|(at, prefix)| {
                let rest = &line[at + prefix.len()..];
                let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len());
                (number + 1, rest[..end].to_owned())
            })
            .collect::<Vec<_>>()
    })
    .collect()
}

#[test]
fn no_room_reaches_up() {
    let mut broken = Vec::new();
    for (room, allowed) in ROOMS {
        for file in sources(&root().join("src").join(room)) {
            let text = fs::read_to_string(&file).unwrap();
            for (line, named) in rooms_named(&text) {
                let is_room = named == "cli" || ROOMS.iter().any(|(other, _)| *other == named);
                if is_room && named != *room && !allowed.contains(&named.as_str()) {
                    broken.push(format!("{}:{line}: {room} may not use {named}", file.display()));
                }
            }
        }
    }
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}

#[test]
fn every_folder_of_the_sources_is_a_room_of_the_table() {
    for entry in fs::read_dir(root().join("src")).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        let known = name == "cli" || ROOMS.iter().any(|(room, _)| *room == name);
        assert!(!path.is_dir() || known, "src/{name} is in no table");
    }
}

#[test]
fn the_pure_rooms_know_nothing_of_the_outer_world() {
    for room in ["protocol", "election", "link", "fault"] {
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
fn every_file_says_what_it_is_and_keeps_to_four_hundred_lines() {
    for file in sources(&root().join("src")).into_iter().chain(sources(&root().join("tests"))) {
        let text = fs::read_to_string(&file).unwrap();
        assert!(text.starts_with("//!"), "{} does not open with //!", file.display());
        let lines = text.lines().count();
        assert!(lines <= 400, "{} has {lines} lines", file.display());
    }
}
