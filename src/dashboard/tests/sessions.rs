//! The list of the recorded sessions, and a screen for one of them over another screen.
//!
//! Invariant: the screen beneath misses nothing.

use std::path::PathBuf;
use std::time::Duration;

use insta::assert_snapshot;

use super::stage::{MS, calm, crash, live, node, replay, storm};
use super::{hear, press, text, write_text};
use crate::ending::ScreenEnd;
use crate::input::message::{Command, ScreenMessage};
use crate::input::update::{open_session, update};
use crate::model::Model;
use crate::model::pages::{ListedSession, NoSession, SessionChoice};
use fault::FaultId;
use record::{Body, Death, NotOneSession, Record};

fn list() -> Vec<ListedSession> {
    let session = |name: &str, about: &str| ListedSession {
        path: PathBuf::from(format!("/state/{name}.jsonl.zst")),
        name: name.to_owned(),
        about: about.to_owned(),
    };
    vec![
        session("first-1763628683-aabbccdd", "lab first, 3 min ago, 45 kB"),
        session("partition-1763620000-01234567", "lab partition, 2 h ago, 120 kB"),
        session("lesson-of-monday-kept", "lab liar, 9 days ago, 2 MB"),
    ]
}

fn listed(model: &mut Model) {
    let commands = press(model, "O");
    assert!(matches!(commands[..], [Command::ListSessions]), "{commands:?}");
    update(model, ScreenMessage::Listed(Ok(list())));
}

#[test]
fn the_list_of_the_sessions() {
    let mut model = replay(&storm());
    listed(&mut model);
    press(&mut model, "j");
    assert_snapshot!("the_sessions_at_80x24", text(&mut model, 80, 24));
    assert_snapshot!("the_sessions_at_100x30", text(&mut model, 100, 30));
    assert_snapshot!("the_sessions_at_140x45", text(&mut model, 140, 45));
    let commands = press(&mut model, "Enter");
    let [Command::OpenSession(SessionChoice::File(path))] = &commands[..] else { panic!("{commands:?}") };
    assert_eq!(path, &list()[1].path);
    press(&mut model, "O");
    assert!(model.dialogs.layer.is_none(), "the key closes the list");
}

#[test]
fn a_session_lies_over_a_running_lab_which_misses_nothing() {
    let mut model = live(&calm());
    open_session(&mut model, Ok(Box::new(replay(&crash()))));
    let over = text(&mut model, 80, 24);
    assert!(over.contains("REPLAY") && over.contains("q leads back"), "{over}");
    assert!(over.contains("This session lies over first, which goes on; q leads back."), "{over}");
    let death = Body::Died { death: Death::Killed { by: FaultId(9) } };
    hear(&mut model, Record { number: 100, ..Record::of_node(2_000 * MS, node(2), death) });
    update(&mut model, ScreenMessage::Tick(Duration::from_secs(2)));
    press(&mut model, "End");
    assert!(text(&mut model, 100, 30).contains("REPLAY"));
    let none = NotOneSession { why: "there is no session x".into(), named: Vec::new(), more: 0 };
    // Another one takes its place.
    open_session(&mut model, Ok(Box::new(replay(&storm()))));
    assert!(model.beneath.as_ref().is_some_and(|beneath| beneath.beneath.is_none()));
    open_session(&mut model, Err(NoSession::NoneOrSeveral(none)));
    assert_eq!(model.toasts.back().map(|toast| toast.text.as_str()), Some("there is no session x"));
    assert!(press(&mut model, "? q").is_empty(), "what is open is closed first");
    assert!(model.beneath.is_some());
    assert!(press(&mut model, "q").is_empty());
    let back = text(&mut model, 100, 30);
    assert!(back.contains("LIVE") && back.contains("dead") && model.size == (100, 30), "{back}");
    assert_eq!(model.clock, Duration::from_secs(2));
    press(&mut model, "q");
    assert!(matches!(press(&mut model, "q")[..], [Command::Leave(ScreenEnd::Quit)]));
}

#[test]
fn a_name_opens_a_session_from_any_screen_and_an_empty_list_says_so() {
    for mut model in [live(&calm()), replay(&calm()), super::past::past(&storm()), super::fake_lab::simulated()] {
        press(&mut model, ":");
        write_text(&mut model, "open last");
        let commands = press(&mut model, "Enter");
        let [Command::OpenSession(SessionChoice::Named(name))] = &commands[..] else { panic!("{commands:?}") };
        assert_eq!((name.as_str(), model.dialogs.prompt.is_none()), ("last", true));
        update(&mut model, ScreenMessage::Listed(Ok(Vec::new())));
        assert!(model.toasts.back().unwrap().text.starts_with("No session was recorded yet"));
        let denied = std::io::Error::from(std::io::ErrorKind::PermissionDenied);
        update(&mut model, ScreenMessage::Listed(Err(NoSession::Unlisted(denied))));
        assert!(model.toasts.back().unwrap().text.starts_with("The recorded sessions cannot be listed: "));
    }
}
