//! Sessions that are read: plain and compressed ones, out of a pipe, without an end, damaged.
//!
//! Invariant: a session is the same whether it is compressed or not.

use std::io::Write;
use std::os::fd::AsRawFd;
use std::path::PathBuf;

use super::*;
use crate::session_stream::LINE_BYTES_MAX;
use crate::{Body, Record, SessionReader, VERSION, sample};

fn session(records: u64) -> String {
    let note = |number| Record { number, ..Record::of_host(0, Body::Note { text: "n".repeat(number as usize % 99) }) };
    let mut lines = vec![serde_json::to_string(&sample::head()).unwrap()];
    lines.extend((1..=records).map(|number| note(number).to_line()));
    lines.insert(3, "{".to_owned());
    lines.join("\n")
}

fn number(entry: &SessionEntry) -> Option<u64> {
    if let SessionEntry::Record(record) = entry { Some(record.number) } else { None }
}

/// The same session in two files, plain and compressed.
fn in_both_forms(place: &Path, text: &str) -> [PathBuf; 2] {
    let paths = ["s.jsonl", "s.jsonl.zst"].map(|name| place.join(name));
    fs::write(&paths[0], text).unwrap();
    fs::write(&paths[1], zstd::encode_all(text.as_bytes(), 1).unwrap()).unwrap();
    paths
}

fn entries(session: &StoredSession) -> Vec<String> {
    let mut told = Vec::new();
    let take = &mut |entry: SessionEntry| {
        told.push(format!("{entry:?}"));
        ControlFlow::Continue(())
    };
    session.go_through(take).unwrap();
    told
}

#[test]
fn every_place_leads_to_what_comes_after_it() {
    let place = tempfile::tempdir().unwrap();
    for path in in_both_forms(place.path(), &session(40)) {
        let session = StoredSession::open(&path).unwrap();
        fs::remove_file(&path).unwrap();
        let mut entries = session.entries();
        let mut places = Vec::new();
        loop {
            let place = entries.place();
            let Some(entry) = entries.next_entry().unwrap() else { break };
            places.push((place, format!("{entry:?}")));
        }
        assert_eq!(places.len(), 1 + 40 + 1);
        for (place, entry) in places.iter().rev() {
            assert_eq!(&format!("{:?}", session.entries_from(*place).next_entry().unwrap().unwrap()), entry);
        }
    }
}

#[test]
fn a_compressed_session_under_another_name_is_still_one() {
    let place = tempfile::tempdir().unwrap();
    let [plain, compressed] = in_both_forms(place.path(), &session(9));
    let expected = entries(&StoredSession::open(&plain).unwrap());
    fs::rename(&compressed, &plain).unwrap();
    assert_eq!(entries(&StoredSession::open(&plain).unwrap()), expected);
    fs::rename(&plain, &compressed).unwrap();
    assert_eq!(entries(&StoredSession::open(&plain).unwrap()), expected, "somebody compressed it");
}

#[test]
fn a_link_to_a_session_is_that_session() {
    let place = tempfile::tempdir().unwrap();
    for path in in_both_forms(place.path(), &session(9)) {
        let link = place.path().join(format!("link-{}", path.file_name().unwrap().to_str().unwrap()));
        std::os::unix::fs::symlink(&path, &link).unwrap();
        assert_eq!(entries(&StoredSession::open(&link).unwrap()), entries(&StoredSession::open(&path).unwrap()));
    }
}

#[test]
fn a_damaged_session_is_read_up_to_the_damage_which_is_told() {
    let place = tempfile::tempdir().unwrap();
    let [plain, compressed] = in_both_forms(place.path(), &session(9));
    let expected = entries(&StoredSession::open(&plain).unwrap());
    let whole = fs::read(&compressed).unwrap();
    fs::write(&compressed, [&whole[..], b"no frame begins like this"].concat()).unwrap();
    let session = StoredSession::open(&compressed).unwrap();
    let told = entries(&session);
    assert_eq!(told[..expected.len()], expected);
    assert!(
        told.len() == expected.len() + 1 && told[expected.len()].contains("Skipped { line: 12, why: Damaged("),
        "{told:?}"
    );
    // From the end on it is told again.
    let mut all = session.entries();
    let places: Vec<SessionPlace> = std::iter::from_fn(|| {
        let place = all.place();
        all.next_entry().unwrap().map(|_| place)
    })
    .collect();
    let entry = session.entries_from(*places.last().unwrap()).next_entry().unwrap();
    assert_eq!(entry.map(|entry| format!("{entry:?}")), told.last().cloned());

    // Of a file that is cut within the first bytes nothing is left, and nothing is told.
    for bytes in [0, 1, 3, 4, 9] {
        fs::write(&compressed, &whole[..bytes]).unwrap();
        assert_eq!(entries(&StoredSession::open(&compressed).unwrap()), [""; 0], "{bytes}");
    }
}

#[test]
fn a_small_file_that_holds_much_text_is_read_up_to_the_limit_of_a_part() {
    let place = tempfile::tempdir().unwrap();
    let path = place.path().join("s.jsonl.zst");
    let head = serde_json::to_string(&sample::head()).unwrap() + "\n";
    let text = head.into_bytes().into_iter().chain(std::iter::repeat_n(b'y', PART_BYTES_MAX as usize));
    let bomb = zstd::encode_all(&text.collect::<Vec<u8>>()[..], 1).unwrap();
    assert!(bomb.len() < 1 << 20);
    fs::write(&path, bomb).unwrap();
    let session = StoredSession::open(&path).unwrap();
    let error = session.go_through(&mut |_| ControlFlow::Continue(())).unwrap_err();
    assert!(matches!(error, SessionError::TooLong { most: PART_BYTES_MAX, .. }), "{error}");
}

/// Where this process finds its own descriptor.
fn own(reader: &io::PipeReader) -> PathBuf {
    PathBuf::from(format!("/proc/self/fd/{}", reader.as_raw_fd()))
}

#[test]
fn what_comes_out_of_a_pipe_can_be_gone_through_twice() {
    let place = tempfile::tempdir().unwrap();
    for source in in_both_forms(place.path(), &session(40)) {
        let bytes = fs::read(source).unwrap();
        let (reader, mut pipe) = io::pipe().unwrap();
        let writer = std::thread::spawn(move || pipe.write_all(&bytes).unwrap());
        let session = StoredSession::open(&own(&reader)).unwrap();
        writer.join().unwrap();
        for _ in 0..2 {
            let mut numbers = Vec::new();
            let all = &mut |entry: SessionEntry| {
                numbers.extend(number(&entry));
                ControlFlow::Continue(())
            };
            session.go_through(all).unwrap();
            assert_eq!(numbers, (1..=40).collect::<Vec<u64>>());
        }
    }
}

#[test]
fn what_has_no_end_or_no_sense_is_read_up_to_a_limit() {
    let place = tempfile::tempdir().unwrap();
    let path = place.path().join("s.jsonl");
    let open = |bytes: u64| {
        OpenOptions::new().write(true).create(true).truncate(false).open(&path).unwrap().set_len(bytes).unwrap();
        StoredSession::open(&path)
    };
    let all = |session: StoredSession| session.go_through(&mut |_| ControlFlow::Continue(()));
    assert_eq!(all(open(3 * LINE_BYTES_MAX as u64).unwrap()), Ok(()), "one line, too long");
    assert!(matches!(open(100 << 30), Err(SessionError::TooLong { most: SESSION_BYTES_MAX, .. })));
    let (reader, mut pipe) = io::pipe().unwrap();
    let writer = std::thread::spawn(move || io::copy(&mut io::repeat(0), &mut pipe));
    let error = StoredSession::open(&own(&reader)).unwrap_err();
    drop(reader);
    assert!(writer.join().unwrap().is_err(), "nobody reads it to its end, for it has none");
    assert!(matches!(error, SessionError::TooLong { most: PIPE_BYTES_MAX, .. }), "{error}");
    fs::write(&path, "y\n".repeat(20_000)).unwrap();
    let error = all(StoredSession::open(&path).unwrap()).unwrap_err();
    assert!(error.to_string().starts_with("more than 10000 of its lines cannot be read (line 10001: "), "{error}");
}

#[test]
fn without_its_steps_a_session_has_all_other_records_and_the_stamp_of_the_last_step() {
    let text =
        fs::read_to_string(format!("{}/tests/sessions/plain.jsonl", concat!(env!("CARGO_MANIFEST_DIR"), "/../..")))
            .unwrap();
    let place = tempfile::tempdir().unwrap();
    for path in in_both_forms(place.path(), &text) {
        let session = StoredSession::open(&path).unwrap();
        let (mut others, mut steps, mut last) = (Vec::new(), 0, i64::MIN);
        session
            .go_through(&mut |entry| {
                match entry {
                    SessionEntry::Record(record) if record.step().is_some() => {
                        (steps, last) = (steps + 1, last.max(record.at));
                    }
                    entry => others.push(format!("{entry:?}")),
                }
                ControlFlow::Continue(())
            })
            .unwrap();
        let mut entries = session.entries_without_steps();
        let mut told = Vec::new();
        while let Some(entry) = entries.next_entry().unwrap() {
            told.push(format!("{entry:?}"));
        }
        assert_eq!((told, entries.passed().latest), (others, Some(last)));
        assert!(steps > 50);
    }
}

#[test]
fn a_session_of_another_version_is_refused_with_both_numbers() {
    let text =
        fs::read_to_string(format!("{}/tests/sessions/plain.jsonl", concat!(env!("CARGO_MANIFEST_DIR"), "/../..")))
            .unwrap();
    for version in [VERSION - 1, VERSION + 1] {
        let other = text.replacen(&format!("\"version\":{VERSION}"), &format!("\"version\":{version}"), 1);
        let read = SessionReader::read(other.as_bytes());
        let why = &read.skipped[0].why;
        assert!(matches!(why, LineError::Foreign { version: of, .. } if *of == version));
        let told = why.to_string();
        assert!(told.contains(&format!("hustings-session {version}, and this build reads hustings-session {VERSION}")));
        let place = tempfile::tempdir().unwrap();
        for path in in_both_forms(place.path(), &other) {
            let refused = StoredSession::open(&path).unwrap_err();
            assert!(matches!(refused, SessionError::OtherVersion(of) if of == version), "{refused}");
        }
    }
}
