//! Labs out of hand-made sessions.
//!
//! Invariant: every generated lab file is parsed again, so `check` accepts it.

mod expectations;
mod orders;
mod stage;

use insta::assert_snapshot;

use self::stage::{BULLY, Session};
use lab::{NarratedWords, Narration};
use protocol::{Assumption, ERRATA, Property, SettingValue};
use record::{Body, NoteKind, Record, SessionNote, SessionReader};

/// A coordinator crashes and is brought back, dice are rolled, the network parts and heals.
fn whole() -> Session {
    let mut session = Session::new(&BULLY);
    session.agree(0.9, "1-5", 5, 1);
    session.crash(3.0, "crash coordinator", "5");
    session.agree(4.6, "1-4", 4, 1);
    session.order(8.0, "undo", "5", None);
    session.spawn(8.05, 5);
    session.agree(8.9, "1-5", 5, 2);
    let loss = "loss 5->1-5 30%".parse().unwrap();
    let loss = session.order(12.0, "loss coordinator->* 30%", "1-5", Some(loss));
    let silent = session.order_in_vain(13.0, "isolate 2", "1-5", "isolate 2".parse().ok(), None);
    session.order(14.0, &format!("lift {loss}"), "1-5", None);
    session.lift(14.0, loss);
    session.order(15.0, "undo", "1-5", None);
    session.lift(15.0, silent);
    let parts = "partition 1,2|3-5".parse().unwrap();
    let parts = session.order_of_step(16.0, "partition 1,2|3,4,5", "1-5", Some(parts), Some("part"));
    session.order_of_step(16.0, "elect 2", "2", None, Some("part"));
    session.agree(17.5, "1,2", 2, 1);
    session.violation(18.0, Property::Assertion1, Some(Assumption::DeliveryInTime));
    session.order(21.0, "heal", "1-5", None);
    session.lift(21.0, parts);
    session.agree(21.4, "1-5", 5, 3);
    session.pause(22.0, "pause 3", "3");
    session.end(22.5);
    session
}

#[test]
fn a_session_becomes_a_lab() {
    let session = whole();
    assert_snapshot!(session.text());
    let lab = session.lab();
    assert_eq!((lab.card.name, lab.roster.len(), lab.seed), ("bully", 5, 7));
    assert_eq!((lab.timing, &lab.settings), (session.head.timing, &session.head.settings));
    assert!(lab.settings.value(ERRATA) == Some(&SettingValue::Flag(false)));
}

#[test]
fn every_lab_is_parsed_however_early_the_session_is_cut() {
    let whole = whole();
    for cut in 0..whole.records.len() {
        let mut session = whole_until(&whole, cut);
        session.lab();
        session.head.name = "a \u{7f} name \\ of \"all\" sorts".into();
        session.lab();
    }
}

fn whole_until(whole: &Session, cut: usize) -> Session {
    let mut session = Session::new(&BULLY);
    session.records = whole.records[..cut].to_vec();
    session
}

#[test]
fn a_name_that_is_spoiled_is_quoted_and_the_comment_stays_one() {
    let mut session = whole();
    session.head.name = "first\"\n[settings]\nerrata = true".into();
    session.head.settings = session.head.settings.clone().with("form", SettingValue::Word("parallel".into()));
    let text = session.text();
    let table: toml::Table = text.parse().unwrap();
    assert_eq!(table["name"].as_str(), Some("first\" [settings] errata = true-again"));
    assert_eq!(table["settings"]["errata"].as_bool(), Some(false));
}

#[test]
fn a_session_without_its_head_makes_no_lab() {
    let session = SessionReader { head: None, records: whole().records, skipped: Vec::new() };
    let mut text = Vec::new();
    let error = super::write(&session, &[], &mut text).unwrap_err();
    assert!(error.to_string().contains("head is missing") && text.is_empty(), "{error}");
}

#[test]
fn a_step_at_a_moment_comes_at_that_moment_again_and_waits_for_it_from_the_same_step_on() {
    let mut session = Session::new(&BULLY);
    session.head.lab_file = concat!(
        "limit = \"90s\"\n[[step]]\nname = \"down\"\nat = \"1s\"\ndo = [\"crash 4\"]\n\n",
        "[[step]]\nname = \"then\"\nat = \"2s\"\ndo = []\n\n",
        "[[step]]\nname = \"cut off\"\nwhen = \"Halt sent by 5\"\ndo = [\"crash 5\"]\n",
    )
    .to_owned();
    let mut taken = |at: f64, step: &str, line: Option<(&str, &str)>| {
        session.push(at, None, Body::StepTaken { step: step.to_owned() });
        if let Some((line, nodes)) = line {
            session.order_of_step(at, line, nodes, None, Some(step));
        }
    };
    taken(1.0, "down", Some(("crash 4", "4")));
    taken(2.0, "then", None);
    taken(3.003, "cut off", Some(("crash 5", "5")));
    session.end(9.0);
    let text = session.text();
    let steps = &text[text.find("[[step]]").unwrap()..text.find("name = \"end\"").unwrap()];
    let expected = concat!(
        "[[step]]\nname = \"down\"\nat = \"1s\"\ndo = [\"crash 4\"]\n\n",
        "[[step]]\nname = \"then\"\nat = \"2s\"\ndo = []\n\n",
        "[[step]]\nname = \"cut off\"\nwhen = \"Halt sent by 5\"\ndo = [\"crash 5\"]\n\n[[step]]\n",
    );
    assert_eq!(steps, expected);
    assert!(text.contains("limit = \"1m30s\"") || text.contains("limit = \"90s\""), "{text}");
}

#[test]
fn what_people_wrote_is_a_comment() {
    let session = whole();
    let reader = SessionReader { head: Some(session.head), records: session.records, skipped: Vec::new() };
    let note = SessionNote::new(NoteKind::Note, 4_600_000_000, 0, "4 takes over\"]").unwrap();
    let mut text = Vec::new();
    super::write(&reader, &[note], &mut text).unwrap();
    let text = String::from_utf8(text).unwrap();
    assert!(text.contains("# Written about the session:\n# - 4.600 s, note: 4 takes over\"]\n"), "{text}");
    assert!(text.parse::<toml::Table>().is_ok());
}

#[test]
fn what_the_lab_told_is_told_again() {
    let mut session = whole();
    session.head.lab_file = concat!(
        "[[step]]\nname = \"hello\"\nat = \"1s\"\nchapter = \"One\"\nsay = \"Look at 5.\"\n\n",
        "[[step]]\nname = \"part\"\nat = \"16s\"\nask = \"Who?\"\nchoices = [\"2\", \"5\"]\nanswer = 1\n",
        "do = [\"partition 1,2|3,4,5\", \"elect 2\"]\n\n",
        "[[step]]\nname = \"silent\"\nat = \"18s\"\ndo = [\"heal\"]\n",
    )
    .to_owned();
    let taken = |at: i64, step: &str| Record::of_host(at, Body::StepTaken { step: step.to_owned() });
    let second = 1_000_000_000;
    session.records.insert(0, taken(second, "hello"));
    let part = session.records.iter().position(|record| record.at == 16 * second).unwrap();
    session.records.insert(part, taken(16 * second, "part"));
    let lab = session.lab();
    let told: Vec<(&str, bool, &Narration)> = lab
        .steps
        .iter()
        .filter(|step| !step.narration.is_silent())
        .map(|step| (step.name.as_str(), step.lines.is_empty(), &step.narration))
        .collect();
    let [("hello", true, hello), ("part", false, part)] = told[..] else { panic!("{told:?}") };
    assert_eq!(hello.chapter.as_deref(), Some("One"));
    assert_eq!(hello.words, Some(NarratedWords::Say("Look at 5.".parse().unwrap())));
    assert_eq!(part.question().map(|question| (question.answer, question.choices.len())), Some((0, 2)));
}
