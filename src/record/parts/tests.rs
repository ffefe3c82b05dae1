//! A session that is so long that it has parts.
//!
//! Invariant: it is written in a few lines that are long, in either form.

use std::fs;
use std::ops::ControlFlow;

use super::*;
use crate::{Body, MadeBy, Record, Recorder, Session, SessionEntry, SessionPlace, SessionWriter, StoredSession};
use crate::{retention, sample};

/// This many bytes has a record's text, and a few more.
const TEXT_BYTES: usize = PART_BYTES as usize / 16 * 3;
/// The end of a session's name, in either form.
const ENDS: [&str; 2] = [".jsonl", ".jsonl.zst"];

fn note(number: u64) -> Record {
    let text = "n".repeat(TEXT_BYTES + number as usize);
    Record { number, ..Record::of_host(0, Body::Note { text }) }
}

fn writer(path: &Path) -> SessionWriter {
    let first = FirstLine { head: sample::head(), made_by: Some(MadeBy::Run), part: 0 };
    SessionWriter::create(path, first).unwrap()
}

fn names(directory: &Path) -> Vec<String> {
    let entries = fs::read_dir(directory).unwrap();
    let mut names: Vec<String> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

/// What a record of the session is, in short: its number, and how many bytes of text or missing records it has.
fn told(entry: &SessionEntry) -> Option<(u64, usize)> {
    match entry {
        SessionEntry::Head(_) => None,
        SessionEntry::Record(Record { number, body: Body::Note { text }, .. }) => Some((*number, text.len())),
        SessionEntry::Record(Record { number, body: Body::Gap(missed), .. }) => Some((*number, missed.count as usize)),
        other => panic!("{other:?}"),
    }
}

fn all(path: &Path) -> Vec<(u64, usize)> {
    let mut all = Vec::new();
    let session = StoredSession::open(path).unwrap();
    assert_eq!(session.head(), Some(&sample::head()));
    let take = &mut |entry: SessionEntry| {
        all.extend(told(&entry));
        ControlFlow::Continue(())
    };
    session.go_through(take).unwrap();
    all
}

#[test]
fn a_long_session_is_written_in_parts_and_read_as_one() {
    for end in ENDS {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join(format!("s{end}"));
        let mut writer = writer(&path);
        let written: Vec<(u64, usize)> = (1..=16).map(|number| (number, TEXT_BYTES + number as usize)).collect();
        for (number, _) in &written {
            writer.write(&note(*number)).unwrap();
        }
        assert_eq!((writer.path(), writer.part()), (&*path, 2));
        assert_eq!(all(&path), written, "while it is being written");
        drop(writer);
        let [second, third] = [1, 2].map(|part| place.path().join(format!("s.{part}{end}")));
        assert_eq!(names(place.path()), [format!("s.1{end}"), format!("s.2{end}"), format!("s{end}")]);
        for path in [&second, &third] {
            assert_eq!(all(path), written, "{}", path.display());
        }
        if end == ENDS[0] {
            // As earlier builds did with the parts between the first and the last.
            let packed = zstd::encode_all(&fs::read(&second).unwrap()[..], 1).unwrap();
            fs::write(compressed(&second), packed).unwrap();
            fs::remove_file(&second).unwrap();
            assert_eq!((all(&path), all(&second)), (written.clone(), written.clone()), "an earlier build's");
            fs::rename(compressed(&second), &second).unwrap();
        }
        spoil_and_remove(&path, &second, &third, &written);
    }
}

/// A part that is missing, or is something else, is a gap, and every place leads to what comes after it.
fn spoil_and_remove(path: &Path, second: &Path, third: &Path, written: &[(u64, usize)]) {
    let (of_second, rest): (Vec<_>, Vec<_>) = written.iter().partition(|(number, _)| (7..=12).contains(number));
    fs::write(second, "precious").unwrap();
    let mut expected: Vec<(u64, usize)> = rest;
    expected.insert(6, (12, of_second.len()));
    assert_eq!(all(path), expected);

    let session = StoredSession::open(path).unwrap();
    let mut entries = session.entries();
    let mut places: Vec<(SessionPlace, Option<(u64, usize)>)> = Vec::new();
    loop {
        let place = entries.place();
        let Some(entry) = entries.next_entry().unwrap() else { break };
        places.push((place, told(&entry)));
    }
    for (place, entry) in places.iter().rev() {
        assert_eq!(&told(&session.entries_from(*place).next_entry().unwrap().unwrap()), entry);
    }
    assert_eq!(places.iter().filter_map(|(_, entry)| *entry).collect::<Vec<_>>(), expected);

    fs::remove_file(path).unwrap();
    expected.splice(..7, [(12, 12)]);
    assert_eq!(all(third), expected, "without its first part");
    assert_eq!(all(path), expected, "by the name of the part that is missing");
}

#[test]
fn a_part_that_is_deleted_while_it_is_written_lacks_its_own_records_only() {
    for end in ENDS {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join(format!("s{end}"));
        let mut recorder = Recorder::new(Some(writer(&path)));
        assert!((1..=9).all(|number| recorder.write(&note(number)).is_none()));
        fs::remove_file(place.path().join(format!("s.1{end}"))).unwrap();
        assert!(recorder.notice_deletion().is_some());
        assert_eq!((recorder.resume(0), recorder.missing()), (Some(3), 3));
        assert_eq!(recorder.write(&note(10)), None);
        let expected: Vec<(u64, usize)> =
            (1..=6).chain([10]).map(|number| (number, TEXT_BYTES + number as usize)).collect();
        assert_eq!(all(&path), [&expected[..6], &[(9, 3)], &expected[6..]].concat());
    }
}

#[test]
fn sessions_of_two_labs_with_one_stem_keep_their_parts_apart() {
    let place = tempfile::tempdir().unwrap();
    let [plain, packed] = ENDS.map(|end| place.path().join(format!("s{end}")));
    let line = |part, id: &str| {
        let head = crate::Head { lab_id: id.repeat(16), ..sample::head() };
        serde_json::to_string(&FirstLine { head, made_by: None, part }).unwrap() + "\n"
    };
    for (first, id) in [(&plain, "aa"), (&packed, "bb")] {
        for part in [0, 1] {
            fs::write(path_of(first, part), line(part, id) + &note_line(part)).unwrap();
        }
    }
    for (first, id) in [(&plain, "aa"), (&packed, "bb")] {
        for part in [0, 1] {
            let session = StoredSession::open(&path_of(first, part)).unwrap();
            let mut notes = Vec::new();
            let take = &mut |entry: SessionEntry| {
                notes.extend(told(&entry));
                ControlFlow::Continue(())
            };
            session.go_through(take).unwrap();
            let lab_id = &session.head().unwrap().lab_id;
            assert_eq!((lab_id, notes), (&id.repeat(16), vec![(1, 6), (2, 6)]), "{}", first.display());
        }
    }
}

fn note_line(part: u32) -> String {
    Record { number: u64::from(part) + 1, ..Record::of_host(0, Body::Note { text: "a note".into() }) }.to_line() + "\n"
}

#[test]
fn all_parts_go_together_and_nothing_else() {
    let place = tempfile::tempdir().unwrap();
    let path = |name: &str| place.path().join(name);
    let first = path("first-1-aabbccdd.jsonl.zst");
    drop(writer(&first));
    let line = |part| FirstLine { head: sample::head(), made_by: Some(MadeBy::Run), part };
    let line = |part| serde_json::to_string(&line(part)).unwrap() + "\n";
    fs::write(path("first-1-aabbccdd.1.jsonl"), line(1)).unwrap();
    fs::write(path("first-1-aabbccdd.1.jsonl.zst.tmp"), "").unwrap();
    fs::write(path("first-1-aabbccdd.2.jsonl.zst"), zstd::encode_all(line(2).as_bytes(), 1).unwrap()).unwrap();
    // Not of this session: another number, a link, and a name that no part has.
    fs::write(path("first-1-aabbccdd.3.jsonl"), line(4)).unwrap();
    fs::write(path("first-1-aabbccdd.05.jsonl"), line(5)).unwrap();
    std::os::unix::fs::symlink(path("first-1-aabbccdd.1.jsonl"), path("first-1-aabbccdd.6.jsonl")).unwrap();
    assert!(retention::remove(&first));
    let left = ["first-1-aabbccdd.05.jsonl", "first-1-aabbccdd.3.jsonl", "first-1-aabbccdd.6.jsonl"];
    assert_eq!(names(place.path()), left);
}
