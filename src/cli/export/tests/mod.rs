//! Every format, out of one session that a simulated lab recorded.
//!
//! Invariant: the same session gives the same bytes, and each format holds what it is for.

mod again;
mod foreign;
mod hostile;

use std::collections::BTreeMap;
use std::num::NonZeroU16;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::Value;

use crate::cli::notes;
use export::{CastVersion, Exported, FORMATS, FormatContent, ScreenSize, named};
use lab::parse;
use record::{FirstLine, NoteKind, NotesFile, Session, SessionNote, StoredSession};
use registry::BUILT_IN;

const LAB: &str = include_str!("../../../../labs/first.toml");

const LESSON: &str = include_str!("../../../../labs/lessons/lesson-1-first-election.toml");

/// The session of the first lab, as it is recorded.
fn recorded(directory: &tempfile::TempDir) -> PathBuf {
    recorded_of(directory, LAB)
}

fn recorded_of(directory: &tempfile::TempDir, lab: &str) -> PathBuf {
    let lab = parse("first", lab, BUILT_IN).unwrap();
    let plan = sim::Plan::of(Arc::new(lab));
    let mut lines = vec![serde_json::to_string(&FirstLine { head: sim::head(&plan), made_by: None, part: 0 }).unwrap()];
    sim::run(&plan, Box::new(|record| lines.push(record.to_line())));
    let path = directory.path().join("first.jsonl");
    std::fs::write(&path, lines.join("\n") + "\n").unwrap();
    path
}

fn exported(path: &Path, format: &str, cast: CastVersion, at: Option<i64>) -> String {
    String::from_utf8(bytes_of(path, format, cast, at)).unwrap()
}

fn bytes_of(path: &Path, format: &str, cast: CastVersion, at: Option<i64>) -> Vec<u8> {
    let session = StoredSession::open(path).unwrap();
    let notes = notes::beside(&session, path);
    let size = ScreenSize { columns: 100, rows: 30 };
    let mut out = Vec::new();
    (named(format).unwrap().write)(&Exported { session: &session, notes: &notes, path, size, at, cast }, &mut out)
        .unwrap();
    out
}

#[test]
fn every_format_gives_the_same_bytes_twice() {
    let directory = tempfile::tempdir().unwrap();
    let path = recorded(&directory);
    for format in FORMATS {
        let once = bytes_of(&path, format.name, CastVersion::Three, None);
        assert!(!once.is_empty());
        assert!(once == bytes_of(&path, format.name, CastVersion::Three, None), "{}", format.name);
        if format.content == FormatContent::Text {
            assert!(!once.contains(&0x1b), "{} holds an escape", format.name);
        }
    }
}

#[test]
fn the_handout_and_the_diagram_and_the_elections() {
    let directory = tempfile::tempdir().unwrap();
    let path = recorded(&directory);
    insta::assert_snapshot!("handout", exported(&path, "md", CastVersion::Three, None));
    insta::assert_snapshot!("elections", exported(&path, "csv", CastVersion::Three, None));
    let diagram = exported(&path, "mermaid", CastVersion::Three, None);
    assert!(exported(&path, "md", CastVersion::Three, None).contains(&diagram));
}

#[test]
fn a_lesson_is_handed_out_with_its_chapters_questions_and_answers_and_what_people_wrote() {
    let directory = tempfile::tempdir().unwrap();
    let path = recorded_of(&directory, LESSON);
    let lab_id = StoredSession::open(&path).unwrap().head().unwrap().lab_id.clone();
    let note = SessionNote::new(NoteKind::Note, 15_500_000_000, 0, "Anna guessed it").unwrap();
    NotesFile::beside(&path, &lab_id).add(&note).unwrap();
    let handout = exported(&path, "md", CastVersion::Three, None);
    let lesson = &handout[handout.find("## The lesson").unwrap()..handout.find("## What was done").unwrap()];
    let places: Vec<usize> = [
        "### One of five (0.000 s)",
        "0.000 s: Five processes run here",
        "### 5 is killed (15.000 s)",
        "15.000 s: **Next, 5 is killed",
        "1. 5 sends a last message",
        "3. They no longer hear from 5",
        "> Right is 3. They no longer hear from 5. A process that is killed says no goodbye",
    ]
    .iter()
    .map(|words| lesson.find(words).unwrap_or_else(|| panic!("{words}: {lesson}")))
    .collect();
    assert!(places.is_sorted(), "{places:?}");
    assert!(handout.contains("| 15.500 s | note | Anna guessed it |"));
    let page = exported(&path, "html", CastVersion::Three, None);
    assert!(page.contains("<summary>The answer</summary><p>Right is 3. They no longer hear from 5. A process"));
    let diagram = exported(&path, "mermaid", CastVersion::Three, None);
    for written in ["Note over 1,5: 15.000 s: chapter: 5 is killed", "Note over 1,5: 15.500 s: note: Anna guessed it"] {
        assert!(diagram.contains(written), "{written}");
    }
    let lab = exported(&path, "lab", CastVersion::Three, None);
    assert!(lab.contains("# - 15.500 s, note: Anna guessed it\n"), "{lab}");
}

#[test]
fn where_records_or_the_end_are_missing_nothing_is_told_not_to_have_been() {
    let directory = tempfile::tempdir().unwrap();
    let path = recorded(&directory);
    let text = std::fs::read_to_string(&path).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    let end = lines.last().unwrap();
    for (kept, words) in [
        (vec![lines[0]], "Nobody coordinates where the session stops, and there was no violation up to there."),
        (vec![lines[0], end], "No record tells of a coordinator at the end, or of a violation."),
    ] {
        std::fs::write(&path, kept.join("\n")).unwrap();
        for format in ["md", "html"] {
            let told = exported(&path, format, CastVersion::Three, None);
            assert!(told.contains(words), "{format}: {told}");
            assert!(!told.contains("The judge found no violation.") && !told.contains("Nobody coordinates at the end"));
        }
        let lab = exported(&path, "lab", CastVersion::Three, None);
        assert_eq!(lab.contains("that = \"no violation\""), kept.len() == 1, "{lab}");
    }
}

#[test]
fn a_recording_is_events_in_time_and_shows_the_screen_as_it_is_at_its_end() {
    let directory = tempfile::tempdir().unwrap();
    let path = recorded(&directory);
    let lines = |version| -> Vec<Value> {
        exported(&path, "cast", version, None).lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    };
    let (three, two) = (lines(CastVersion::Three), lines(CastVersion::Two));
    assert_eq!((&three[0]["version"], &three[0]["term"]["cols"]), (&Value::from(3), &Value::from(100)));
    assert_eq!((&two[0]["version"], &two[0]["height"]), (&Value::from(2), &Value::from(30)));
    assert_eq!(three.len(), two.len());
    // Spans add up to times.
    let mut since = 0.0;
    for (three, two) in three[1..].iter().zip(&two[1..]) {
        since += three[0].as_f64().unwrap();
        assert!((since - two[0].as_f64().unwrap()).abs() < 1e-6 && three[0].as_f64().unwrap() >= 0.0);
        assert_eq!((&three[1], &three[2]), (&two[1], &two[2]));
    }
    let markers: Vec<&str> =
        three.iter().filter(|event| event[1] == "m").map(|event| event[2].as_str().unwrap()).collect();
    assert!(markers.iter().any(|words| words.starts_with("f1 crash ")), "{markers:?}");
    // A terminal that is not ours shows the same.
    let shown = played(&three).contents();
    assert!(shown.contains("first") && shown.contains("REPLAY"), "{shown}");
}

/// The screen of a terminal that is not ours, full of what stood there before, after these events of a recording.
fn played(events: &[Value]) -> vt100::Screen {
    let [rows, columns] = [30, 100].map(|size| NonZeroU16::new(size).unwrap());
    let mut terminal = vt100::Parser::new(rows, columns, 0);
    terminal.process("@".repeat(30 * 100).as_bytes());
    for event in events.iter().filter(|event| event[1] == "o") {
        terminal.process(event[2].as_str().unwrap().as_bytes());
    }
    terminal.screen().clone()
}

#[test]
fn a_recording_clears_the_terminal_plays_with_its_cursor_hidden_and_shows_it_again() {
    let directory = tempfile::tempdir().unwrap();
    let path = recorded(&directory);
    let cast = exported(&path, "cast", CastVersion::Three, None);
    let events: Vec<Value> = cast.lines().skip(1).map(|line| serde_json::from_str(line).unwrap()).collect();
    let frames: Vec<usize> = (0..events.len()).filter(|place| events[*place][1] == "o").collect();
    let (last, others) = frames.split_last().unwrap();
    for place in others.iter().step_by(others.len() / 9) {
        let screen = played(&events[..=*place]);
        let head = screen.contents().lines().next().unwrap().to_owned();
        assert!(head.starts_with("first") && head.contains("REPLAY playing 1x"), "{head}");
        assert!(screen.hide_cursor() && !screen.contents().contains('@'), "{}", screen.contents());
    }
    let screen = played(&events[..=*last]);
    assert!(!screen.hide_cursor() && screen.contents().contains("8.000000 s"), "{}", screen.contents());
    assert_eq!((cast.matches("?25l").count(), cast.matches("?25h").count()), (1, 1));
}

#[test]
fn a_recording_leaves_out_the_time_in_which_nothing_is_recorded() {
    let directory = tempfile::tempdir().unwrap();
    let path = recorded(&directory);
    let text = std::fs::read_to_string(&path).unwrap();
    let day = 86_400_000_000_000_i64;
    let late = text.replacen("\"at\":8000000000,\"kind\":\"ended\"", &format!("\"at\":{day},\"kind\":\"ended\""), 1);
    assert_ne!(late, text);
    std::fs::write(&path, late).unwrap();
    let cast = exported(&path, "cast", CastVersion::Two, None);
    let last: Value = serde_json::from_str(cast.lines().last().unwrap()).unwrap();
    let seconds = last[0].as_f64().unwrap();
    assert!((8.0..15.0).contains(&seconds), "{seconds}");
}

#[test]
fn each_row_of_a_page_has_the_lanes_of_all_nodes_from_its_top_to_its_bottom() {
    let directory = tempfile::tempdir().unwrap();
    let page = exported(&recorded(&directory), "html", CastVersion::Three, None);
    let row =
        regex::Regex::new(r#"<li id="r\d+"[^>]*><svg class="lanes"[^>]*>(.*)</svg><p><time>.*</p></li>"#).unwrap();
    let lane = regex::Regex::new(r#"<path class="lane [^"]*" d="([^"]*)"/>"#).unwrap();
    let stretch = regex::Regex::new(r"M(\d+) (\d+)V(\d+)").unwrap();
    let rows: Vec<&str> = page.lines().filter(|line| line.starts_with("<li id=\"r")).collect();
    assert!(rows.len() > 10, "{}", rows.len());
    for line in rows {
        let picture = &row.captures(line).unwrap_or_else(|| panic!("{line}"))[1];
        let mut lanes: BTreeMap<u32, Vec<(u32, u32)>> = BTreeMap::new();
        for path in lane.captures_iter(picture) {
            for part in stretch.captures_iter(&path[1]) {
                let [x, from, to] = [1, 2, 3].map(|group| part[group].parse().unwrap());
                lanes.entry(x).or_default().push((from, to));
            }
        }
        assert_eq!(lanes.len(), 5, "{line}");
        for stretches in lanes.values_mut() {
            stretches.sort();
            assert!(stretches[0].0 == 0 && stretches.last().unwrap().1 >= 4_000, "{line}");
            assert!(stretches.windows(2).all(|pair| pair[0].1 == pair[1].0), "{line}");
        }
    }
}

#[test]
fn a_picture_shows_its_moment() {
    let directory = tempfile::tempdir().unwrap();
    let path = recorded(&directory);
    let at = |seconds: i64| exported(&path, "svg", CastVersion::Three, Some(seconds * 1_000_000_000));
    let (early, late) = (at(1), at(7));
    assert!(early.contains("1.000000 s") && !early.contains("7.000000 s") && late.contains("7.000000 s"));
    assert!(early.starts_with("<svg ") && early.ends_with("</svg>\n"));
    let tags = early.matches('<').count();
    assert_eq!(tags, early.matches('>').count());
    for forbidden in ["<script", "href", "url(", "<image", "<foreignObject"] {
        assert!(!late.contains(forbidden), "{forbidden}");
    }
}
