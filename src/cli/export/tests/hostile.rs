//! A session whose every text field holds what a terminal, a page or a diagram might obey.
//!
//! Invariant: no format becomes anything else by it, and a page has the elements of every other page.

use html5gum::{Token, Tokenizer};
use serde_json::Value;

use super::{bytes_of, exported, recorded};
use crate::cli::output::VisibleLines;
use export::{CastVersion, FORMATS, FormatContent};
use record::{Body, FirstLine, Record};
use std::collections::BTreeSet;
use std::io::Write;
use std::path::{Path, PathBuf};

const HOSTILE: &str = "</script></title></textarea>--><script>alert(1)</script><img src=x onerror=alert(1)>\" onload='x' &lt; ]]> \
                       \u{1b}[31m\u{9b}\u{202e}\u{0}\r\n; end %% <b> | `x` [y](javascript:z)";

/// The session with every text replaced that a reader still takes when it is, and how many those are.
fn hostile(directory: &tempfile::TempDir) -> (PathBuf, usize) {
    let text = std::fs::read_to_string(recorded(directory)).unwrap();
    let mut replaced = 0;
    let mut lines: Vec<String> = Vec::new();
    for (place, line) in text.lines().enumerate() {
        let mut value: Value = serde_json::from_str(line).unwrap();
        let is_read = |value: &Value| match place {
            0 => serde_json::from_str::<FirstLine>(&value.to_string()).is_ok(),
            _ => Record::from_line(&value.to_string()).is_ok_and(|record| !matches!(record.body, Body::Unknown(_))),
        };
        for pointer in texts(&value, String::new()) {
            // These say which file it is, and which datagram.
            if ["/format", "/lab_id", "/kind"].contains(&pointer.as_str()) {
                continue;
            }
            let before = value.pointer(&pointer).unwrap().clone();
            *value.pointer_mut(&pointer).unwrap() = HOSTILE.into();
            if is_read(&value) {
                replaced += 1;
            } else {
                *value.pointer_mut(&pointer).unwrap() = before;
            }
        }
        lines.push(value.to_string());
    }
    let path = directory.path().join("hostile.jsonl");
    std::fs::write(&path, lines.join("\n") + "\n").unwrap();
    (path, replaced)
}

/// The places of all texts in a value.
fn texts(value: &Value, place: String) -> Vec<String> {
    match value {
        Value::String(_) => vec![place],
        Value::Array(values) => {
            values.iter().enumerate().flat_map(|(at, value)| texts(value, format!("{place}/{at}"))).collect()
        }
        Value::Object(map) => map.iter().flat_map(|(key, value)| texts(value, format!("{place}/{key}"))).collect(),
        _ => Vec::new(),
    }
}

#[test]
fn no_format_writes_what_a_terminal_would_obey() {
    let directory = tempfile::tempdir().unwrap();
    let (path, replaced) = hostile(&directory);
    assert!(replaced > 1_000, "{replaced}");
    for format in FORMATS.iter().filter(|format| format.content == FormatContent::Text) {
        let mut shown = Vec::new();
        let mut lines = VisibleLines::over(&mut shown);
        lines.write_all(&bytes_of(&path, format.name, CastVersion::Three, None)).unwrap();
        lines.finish().unwrap();
        let shown = String::from_utf8(shown).unwrap();
        assert_eq!(shown.chars().find(|c| c.is_control() && !"\n\t".contains(*c)), None, "{}", format.name);
        assert!(shown.contains("alert(1)") || ["csv", "dot", "cast", "svg"].contains(&format.name), "{}", format.name);
    }
}

/// The elements and attributes of a page, each once, and all text outside of its script and style.
fn read(page: &str) -> (BTreeSet<String>, String, Vec<String>) {
    let (mut elements, mut text, mut scripts) = (BTreeSet::new(), String::new(), Vec::new());
    let mut open: Vec<String> = Vec::new();
    let utf8 = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    let mut emitter = html5gum::DefaultEmitter::default();
    emitter.naively_switch_states(true);
    for token in Tokenizer::new_with_emitter(page, emitter) {
        match token.unwrap_or_else(|never| match never {}) {
            Token::StartTag(tag) => {
                let name = utf8(&tag.name);
                for (attribute, value) in &tag.attributes {
                    let (attribute, value) = (utf8(attribute), utf8(value));
                    assert!(attribute != "href" || value.starts_with("#r"), "{value}");
                    elements.insert(format!("{name} {attribute}"));
                }
                elements.insert(name.clone());
                if !tag.self_closing && !["meta", "input"].contains(&name.as_str()) {
                    open.push(name);
                }
            }
            Token::EndTag(tag) => assert_eq!(open.pop(), Some(utf8(&tag.name))),
            Token::String(part) => match open.last().map(String::as_str) {
                Some("script") => scripts.push(utf8(&part)),
                Some("style") => {}
                _ => text.push_str(&utf8(&part)),
            },
            Token::Doctype(_) => {}
            Token::Error(error) => panic!("{error:?}"),
            Token::Comment(comment) => panic!("{:?}", utf8(&comment)),
        }
    }
    assert_eq!(open, Vec::<String>::new());
    (elements, text, scripts)
}

#[test]
fn a_page_is_made_of_the_same_elements_whatever_a_session_says() {
    let directory = tempfile::tempdir().unwrap();
    let page = |path: &Path| exported(path, "html", CastVersion::Three, None);
    let (plain, hostile) = (page(&recorded(&directory)), page(&hostile(&directory).0));
    let ((elements, text, scripts), (others, other_text, other_scripts)) = (read(&plain), read(&hostile));
    assert!(others.is_subset(&elements), "{:?}", others.difference(&elements).collect::<Vec<_>>());
    for element in &elements {
        let attribute = element.split(' ').nth(1).unwrap_or_default();
        assert!(!attribute.starts_with("on") && !["src", "style", "srcdoc"].contains(&attribute), "{element}");
    }
    assert_eq!((scripts.concat(), scripts.is_empty()), (other_scripts.concat(), false));
    assert!(text.contains("The coordinator crashes; 4 takes over; 5 returns and coordinates again."));
    assert!(text.contains("5 has coordinated since") && text.contains("f1 crash coordinator"));
    assert!(other_text.contains("<script>alert(1)</script><img src=x onerror=alert(1)>\" onload='x' &lt; ]]>"));
    assert!(plain.len() < 2_000_000);
}
