//! The line that is being written: what is wrong with it, what the lab says of it, and what is pasted into it.
//!
//! Invariant: no key and no paste that was meant for a line is ever an order.

use super::keys::models;
use super::stage::{calm, live};
use super::{lines_of, press, text, write_text};
use crate::input::action::FeedKind;
use crate::input::message::{Command, ScreenMessage};
use crate::input::prompt::LineProgress;
use crate::input::update::update;
use crate::model::{Model, PendingQuestion};
use record::{Answer, Request};

#[test]
fn a_wrong_line_stays_to_be_mended_and_the_history_goes_back() {
    let mut model = live(&calm());
    press(&mut model, ":");
    write_text(&mut model, "crush 5");
    assert!(press(&mut model, "Enter").is_empty());
    let told = wrong(&model);
    assert!(told.contains("^^^^^ there is no fault `crush`") && told.contains("the form is"), "{told}");
    press(&mut model, "Home Right Right Delete a");
    assert_eq!(lines_of(&press(&mut model, "Enter")), ["crash 5"]);
    answer(&mut model, "crash 5", done());
    press(&mut model, ": Up");
    assert_eq!(model.dialogs.prompt.as_ref().unwrap().text, "crash 5");
    press(&mut model, "Up Down Down");
    assert_eq!(model.dialogs.prompt.as_ref().unwrap().text, "");
}

/// What is wrong with the line.
pub fn wrong(model: &Model) -> String {
    match &model.dialogs.prompt.as_ref().unwrap().progress {
        LineProgress::Refused(why) => why.clone(),
        other => panic!("{other:?}"),
    }
}

fn done() -> Answer {
    Answer::Done { id: None, text: "It is done.".into() }
}

fn answer(model: &mut Model, line: &str, answer: Answer) -> Vec<Command> {
    update(model, ScreenMessage::Answered { request: Request::Inject(line.into()), answer })
}

#[test]
fn a_line_that_the_lab_refuses_stays_and_no_key_of_the_next_one_is_an_order() {
    let mut model = live(&calm());
    press(&mut model, ":");
    write_text(&mut model, "crash 9");
    assert_eq!(lines_of(&press(&mut model, "Enter")), ["crash 9"]);
    // Somebody who writes on before the answer comes orders nothing.
    write_text(&mut model, "ec");
    assert!(press(&mut model, "Enter").is_empty());
    let refused = Answer::Refused { why: "there is no node 9".into() };
    assert!(answer(&mut model, "crash 9", refused).is_empty());
    assert_eq!(
        (wrong(&model).as_str(), model.dialogs.prompt.as_ref().unwrap().text.as_str()),
        ("there is no node 9", "crash 9")
    );
    assert!(text(&mut model, 80, 24).contains("✗ there is no node 9\n:crash 9\n"));
    write_text(&mut model, "ec");
    assert_eq!(model.dialogs.prompt.as_ref().unwrap().text, "crash 9ec");
    press(&mut model, "Backspace Backspace Backspace 5");
    assert_eq!(lines_of(&press(&mut model, "Enter")), ["crash 5"]);
    // The keys after a line that is done count as if they came after the answer.
    assert!(press(&mut model, "j e").is_empty());
    assert_eq!(lines_of(&answer(&mut model, "crash 5", done())), ["elect 2"]);
    assert!(model.dialogs.prompt.is_none());
    for key in ["Esc", "C-c"] {
        press(&mut model, ":");
        write_text(&mut model, "crash 9");
        press(&mut model, "Enter");
        press(&mut model, key);
        assert!(model.dialogs.prompt.is_none(), "{key} leaves a line without an answer");
        answer(&mut model, "crash 9", Answer::Refused { why: "there is no node 9".into() });
        assert_eq!(model.toasts.back().unwrap().text, "there is no node 9");
    }
}

#[test]
fn an_action_of_the_palette_that_can_do_nothing_leaves_its_line() {
    let mut model = live(&calm());
    press(&mut model, "2 :");
    write_text(&mut model, "crash");
    assert!(press(&mut model, "Enter").is_empty());
    assert!(wrong(&model).contains("No node is marked"));
}

#[test]
fn a_paste_is_a_line_to_be_written_and_never_keys() {
    let paste = |model: &mut Model, text: &str| update(model, ScreenMessage::Paste(text.into()));
    let line = |model: &Model| model.dialogs.prompt.as_ref().unwrap().text.clone();
    for feed in FeedKind::ALL {
        for model in &mut models(feed) {
            model.dialogs.prompt = None;
            let before = model.places.screen;
            assert!(paste(model, "ecUq\n:heal all\n").is_empty());
            assert_eq!((line(model).as_str(), model.places.screen), ("ecUq", before));
            assert!(model.toasts.back().unwrap().text.contains("A second line of the paste was left out"));
        }
    }
    let mut model = live(&calm());
    press(&mut model, ": 5 Home");
    paste(&mut model, "\r\n crash\t\u{1b}[31m ");
    assert_eq!(line(&model), "crash \\u001b[31m5");
    model.dialogs.prompt = None;
    press(&mut model, "/");
    paste(&mut model, &"x".repeat(5000));
    assert_eq!(line(&model).len(), 512);
    assert!(model.toasts.back().unwrap().text.contains("cut"));
    press(&mut model, "Esc q");
    paste(&mut model, "q");
    assert!((line(&model) == "q") && model.dialogs.asked == PendingQuestion::Nothing, "a paste ends no lab");
    model.dialogs.prompt = None;
    update(&mut model, ScreenMessage::Resize(20, 5));
    paste(&mut model, "q");
    assert!(model.dialogs.prompt.is_none(), "nobody would see the line");
}

#[test]
fn tab_completes_a_line() {
    let mut model = live(&calm());
    press(&mut model, ": p a r Tab");
    assert_eq!(model.dialogs.prompt.as_ref().unwrap().text, "partition ");
    press(&mut model, "Esc : t h r Tab");
    assert_eq!(model.dialogs.prompt.as_ref().unwrap().text, "throttle 1->* 20/s", "1 is selected");
}

#[test]
fn what_is_typed_replaces_an_old_filter_and_escape_clears_it_whatever_is_told() {
    let mut model = live(&calm());
    press(&mut model, "/");
    write_text(&mut model, "Halt");
    press(&mut model, "Enter /");
    assert!(text(&mut model, 80, 24).contains("What you type replaces this filter"));
    write_text(&mut model, "Yes");
    assert_eq!(model.dialogs.prompt.as_ref().unwrap().text, "Yes");
    press(&mut model, "Enter / Left");
    write_text(&mut model, "x");
    assert_eq!(model.dialogs.prompt.as_ref().unwrap().text, "Yexs");
    press(&mut model, "Esc / Backspace");
    assert_eq!(model.dialogs.prompt.as_ref().unwrap().text, "");
    press(&mut model, "Esc / Enter");
    assert_eq!(model.places.messages.filter.text(), "Yes");
    model.tell(crate::model::Tone::Plain, "A notice.");
    press(&mut model, "Esc");
    assert!(model.toasts.back().is_none() && model.places.messages.filter.is_open());
}

#[test]
fn of_a_long_line_enough_is_quoted_that_the_reason_is_in_sight() {
    let long = "x".repeat(400);
    for (line, reason) in [
        (long.clone(), "there is no fault"),
        (format!("predict {long}"), "is no prediction"),
        (format!("stop when {long}"), "write"),
        (format!("crash {long}"), "the form is `crash"),
    ] {
        let mut model = live(&calm());
        press(&mut model, ":");
        write_text(&mut model, &line);
        press(&mut model, "Enter");
        let screen = text(&mut model, 80, 24);
        let told = screen.lines().skip(15).map(str::trim).collect::<Vec<_>>().join(" ");
        assert!(told.contains("xxx…`") && told.contains(reason), "{screen}");
    }
}
