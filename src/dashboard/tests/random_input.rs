//! Any keys, any size: the screen never panics, and nothing is drawn that must not be.
//!
//! Invariant: after any keys, Esc and `?` bring the help, and `q` closes it and then leaves.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use proptest::prelude::*;

use super::fake_lab::simulated;
use super::stage::{calm, crash, lab, live, live_with, node, options, replay, snapshot, storm};
use super::{draw, press, text};
use crate::input::message::{Command, ScreenMessage};
use crate::input::update::update;
use crate::model::Model;
use crate::view::paint;
use crate::{Leaving, Role, ScreenEnd};
use record::Frame;

#[derive(Clone, Debug)]
enum Event {
    Key(KeyEvent),
    Paste(String),
    Size(u16, u16),
    Tick(u64),
    Frame(usize),
    Missed(u64),
    Lost,
}

fn keys() -> impl Strategy<Value = KeyEvent> {
    let code = prop_oneof![
        6 => prop::sample::select("abcdefghijklmnopqrstuvwxyzFGSUVALEPWT:/?!,.123456| ><+-=*%[]{}()".chars().collect::<Vec<_>>()).prop_map(KeyCode::Char),
        1 => any::<char>().prop_map(KeyCode::Char),
        4 => prop::sample::select(vec![
            KeyCode::Enter, KeyCode::Esc, KeyCode::Tab, KeyCode::Backspace, KeyCode::Delete, KeyCode::Up, KeyCode::Down,
            KeyCode::Left, KeyCode::Right, KeyCode::Home, KeyCode::End, KeyCode::PageUp, KeyCode::PageDown, KeyCode::F(1),
        ]),
    ];
    let modifiers =
        prop_oneof![8 => Just(KeyModifiers::NONE), 1 => Just(KeyModifiers::CONTROL), 1 => Just(KeyModifiers::ALT)];
    (code, modifiers).prop_map(|(code, modifiers)| KeyEvent::new(code, modifiers))
}

fn events() -> impl Strategy<Value = Vec<Event>> {
    let event = prop_oneof![
        12 => keys().prop_map(Event::Key),
        1 => "\\PC{0,9}[\n\r\t\x1b]?[a-zU:/]{0,9}".prop_map(Event::Paste),
        2 => (0..200_u16, 0..200_u16).prop_map(|(width, height)| Event::Size(width, height)),
        2 => (0..100_000_u64).prop_map(Event::Tick),
        2 => (0..43_usize).prop_map(Event::Frame),
        1 => (0..9_u64).prop_map(Event::Missed),
        1 => Just(Event::Lost),
    ];
    prop::collection::vec(event, 1..60)
}

fn model(which: u8) -> Model {
    match which {
        0 => live(&storm()),
        1 => replay(&storm()),
        2 => live_with(options(lab(Some(node(3))), Role::Visitor), &crash()),
        3 => Model::live(&options(lab(None), Role::Owner)),
        4 => simulated(),
        _ => replay(&[]),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn nothing_a_person_or_a_lab_does_makes_it_panic(which in 0..6_u8, events in events()) {
        let mut model = model(which);
        let (mut width, mut height) = (80, 24);
        let records = storm();
        for event in events {
            match event {
                Event::Key(key) => drop(update(&mut model, ScreenMessage::Key(key))),
                Event::Paste(text) => prop_assert!(update(&mut model, ScreenMessage::Paste(text)).is_empty()),
                Event::Size(new_width, new_height) => (width, height) = (new_width, new_height),
                Event::Tick(millis) => drop(update(&mut model, ScreenMessage::Tick(std::time::Duration::from_millis(millis)))),
                Event::Frame(index) => {
                    let record = records[index % records.len()].clone();
                    update(&mut model, ScreenMessage::Frame(Box::new(Frame::Record { record })));
                }
                Event::Missed(missed) => drop(update(&mut model, ScreenMessage::Frame(Box::new(snapshot(&calm(), missed))))),
                Event::Lost => drop(update(&mut model, ScreenMessage::Lost)),
            }
            draw(&mut model, width, height);
        }
        draw(&mut model, 80, 24);
        // Each Esc closes one thing; from the paper it leads back to the page from which one came.
        press(&mut model, "Esc Esc Esc Esc Esc Esc ?");
        prop_assert!(text(&mut model, 80, 24).contains("─ help ─"));
        let closed = press(&mut model, "q");
        prop_assert!(closed.is_empty() && model.dialogs.layer.is_none());
        model.rights.leaving = Leaving::AtOnce;
        let left = press(&mut model, "q");
        prop_assert!(matches!(left[..], [Command::Leave(ScreenEnd::Quit)]));
    }

    #[test]
    fn wrapped_lines_fit_and_lose_no_word(words in prop::collection::vec("[a-zé漢]{0,12}", 0..20), columns in 1..40_u16) {
        let text = words.join(" ");
        let lines = paint::wrap(&text, columns);
        for line in &lines {
            // A character of two columns has no place in one.
            prop_assert!(paint::width(line) <= columns.max(2), "{:?} in {}", line, columns);
        }
        let letters = |text: &str| text.chars().filter(|c| *c != ' ').collect::<String>();
        prop_assert_eq!(letters(&lines.concat()), letters(&text));
    }
}

#[test]
fn spaces_at_a_beginning_give_way_to_a_wide_character() {
    assert_eq!(paint::wrap(" 漢", 2), ["漢"]);
    assert_eq!(paint::wrap("  漢字", 3), [" 漢", "字"]);
    assert_eq!(paint::wrap("   ab", 2), [" a", "b"]);
}

#[test]
fn every_size_is_drawn() {
    let mut models: Vec<Model> = (0..6).map(model).collect();
    press(&mut models[0], "2");
    press(&mut models[1], "End 3 Enter");
    // Above the minimum size, a few widths are enough.
    for width in (0..=60).step_by(2).chain((61..200).step_by(27)) {
        for height in [0, 1, 2, 3, 5, 15, 16, 17, 24, 60, 199] {
            for model in &mut models {
                draw(model, width, height);
                draw(model, height, width);
            }
        }
    }
    assert!(text(&mut models[0], 59, 16).contains("the screen needs 60x16"));
    assert!(text(&mut models[0], 60, 16).contains("[2 messages]"));
}

#[test]
fn a_stamp_is_rounded_a_clock_is_cut_off_and_a_moment_is_rounded_up() {
    assert_eq!(paint::seconds(12_345_678_901, 3), "12.346");
    assert_eq!(paint::clock(12_399_999_999), "12.3");
    assert_eq!(paint::seconds(-50_000_000, 3), "-0.050");
    assert_eq!(paint::seconds(999, 1), "0.0");
    assert_eq!(paint::moment(12_345_678_001), "12.345679");
    assert_eq!(paint::moment(12_345_678_000), "12.345678");
    assert_eq!(paint::moment(i64::MAX - 5), paint::moment(i64::MAX));
}
