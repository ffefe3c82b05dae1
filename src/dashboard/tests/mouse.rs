//! The mouse: whose it is, and what a click and the wheel do.

use crossterm::event::{KeyModifiers, MouseButton, MouseEvent, MouseEventKind};

use super::stage::{crash, lab, live, live_with, node, options, replay, storm};
use super::{played, press, text};
use crate::input::message::{Command, ScreenMessage};
use crate::input::update::update;
use crate::model::places::{Pane, Screen};
use crate::model::{Follow, Model, Subject};
use crate::view::arrangement::focus;
use crate::view::panel::timeline::SessionTimeline;
use crate::{Mouse, Options, Role};

const CLICK: MouseEventKind = MouseEventKind::Down(MouseButton::Left);
const SIZE: (u16, u16) = (140, 45);

/// Does this with the mouse so many columns behind the first place at which the screen has these words.
fn point(model: &mut Model, kind: MouseEventKind, words: &str, behind: u16) {
    let screen = text(model, SIZE.0, SIZE.1);
    let found = screen.lines().enumerate().find_map(|(row, line)| Some((row, line.find(words)?, line)));
    let (row, at, line) = found.unwrap_or_else(|| panic!("{words} is missing:\n{screen}"));
    let column = u16::try_from(line[..at].chars().count()).unwrap() + behind;
    let event = MouseEvent { kind, column, row: u16::try_from(row).unwrap(), modifiers: KeyModifiers::NONE };
    assert!(update(model, ScreenMessage::Mouse(event)).is_empty(), "the mouse orders nothing");
}

fn with_mouse(mut model: Model) -> Model {
    assert!(matches!(press(&mut model, "@")[..], [Command::UseMouse(Mouse::OfTheScreen)]));
    model.toasts.clear();
    model
}

#[test]
fn the_mouse_is_the_terminals_until_a_key_or_the_config_file_takes_it() {
    let mut model = live(&crash());
    point(&mut model, CLICK, "2 messages", 0);
    assert_eq!(model.places.screen, Screen::Overview, "it is the terminal's");
    let mut model = with_mouse(model);
    point(&mut model, CLICK, "2 messages", 0);
    assert_eq!(model.places.screen, Screen::Messages);
    assert!(matches!(press(&mut model, "@")[..], [Command::UseMouse(Mouse::OfTheTerminal)]));
    point(&mut model, CLICK, "1 overview", 0);
    assert_eq!(model.places.screen, Screen::Messages);
    let taken = Options { mouse: Mouse::OfTheScreen, ..options(lab(None), Role::Owner) };
    let mut model = live_with(taken, &crash());
    point(&mut model, CLICK, "3 faults", 4);
    assert_eq!(model.places.screen, Screen::Faults);
}

#[test]
fn a_click_selects_what_it_is_on() {
    let mut model = with_mouse(live(&storm()));
    point(&mut model, CLICK, "3 ‖ paused", 0);
    assert_eq!((model.places.node, focus(&model)), (Some(node(3)), Pane::Nodes));
    point(&mut model, CLICK, "5 was silent", 0);
    assert_eq!(focus(&model), Pane::Flow);
    assert!(model.places.panes.flow_cursor.is_some());
    point(&mut model, CLICK, "the lab's steps", 0);
    assert_eq!((focus(&model), model.places.panes.flow_cursor), (Pane::Steps, None));
    press(&mut model, "2");
    point(&mut model, CLICK, "Elected(", 0);
    assert_eq!(model.places.messages.follow, Follow::Off);
    let row = model.selected_message().and_then(|number| model.seen().rows.get(number)).unwrap().text.clone();
    assert!(row.contains("Elected("), "{row}");
    press(&mut model, "3");
    point(&mut model, CLICK, "f2", 0);
    assert_eq!(model.selected_fault().unwrap().id.to_string(), "f2");
    press(&mut model, "5");
    point(&mut model, CLICK, "from \\ to", 10);
    assert_eq!(model.places.screen, Screen::Links, "the head of the table is no link");
}

#[test]
fn the_wheel_scrolls_what_is_under_the_pointer() {
    let mut model = with_mouse(live(&crash()));
    point(&mut model, MouseEventKind::ScrollDown, "running", 0);
    assert_eq!((model.selected_node(), focus(&model)), (Some(node(4)), Pane::Nodes));
    press(&mut model, "?");
    point(&mut model, MouseEventKind::ScrollDown, "crash: kill", 0);
    assert_eq!(model.dialogs.layer.as_ref().unwrap().scroll, 3);
    point(&mut model, MouseEventKind::ScrollUp, "─ help ─", 0);
    assert_eq!(model.dialogs.layer.as_ref().unwrap().scroll, 0);
    point(&mut model, CLICK, "recover: start", 0);
    let layer = model.dialogs.layer.as_ref().unwrap();
    assert!(matches!(layer.about, Subject::Help) && layer.chosen == Some(1), "{:?}", layer.chosen);
    press(&mut model, "Esc 2");
    let before = model.selected_message().unwrap();
    point(&mut model, MouseEventKind::ScrollUp, "Elected(", 0);
    assert!(model.selected_message().unwrap() < before);
}

#[test]
fn a_click_on_the_band_seeks_and_a_running_lab_says_that_it_cannot() {
    let before = "session  -0.1 s ";
    let mut model = with_mouse(replay(&crash()));
    let end = SessionTimeline::of(&model).end;
    let screen = text(&mut model, SIZE.0, SIZE.1);
    let row = screen.lines().find(|line| line.contains(before)).unwrap();
    let cells = row.chars().count() - before.len() - format!(" {:.1} s", end as f64 / 1e9).chars().count();
    point(&mut model, CLICK, before, u16::try_from(before.len() + cells - 1).unwrap());
    assert_eq!(model.time.scene.at, end);
    point(&mut model, CLICK, before, u16::try_from(before.len() + cells / 2).unwrap());
    let middle = model.time.scene.at;
    assert!((end * 4 / 10..end * 6 / 10).contains(&middle), "{middle} of {end}");
    assert!(played(&model).is_some());
    let mut model = with_mouse(live(&crash()));
    point(&mut model, CLICK, "session  0.0 s ", 20);
    assert!(text(&mut model, SIZE.0, SIZE.1).contains("A running lab cannot seek"));
}

#[test]
fn while_a_line_is_written_or_a_question_is_asked_the_mouse_does_nothing() {
    let mut model = with_mouse(live(&crash()));
    press(&mut model, ":");
    point(&mut model, CLICK, "2 messages", 0);
    assert_eq!((model.places.screen, model.dialogs.prompt.is_some()), (Screen::Overview, true));
    press(&mut model, "Esc q");
    point(&mut model, CLICK, "2 messages", 0);
    assert_eq!(model.places.screen, Screen::Overview);
    assert!(text(&mut model, SIZE.0, SIZE.1).contains("End the lab?"));
}
