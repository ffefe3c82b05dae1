//! What each key does.
//!
//! Invariant: every row of the table of keys is pressed here, in every mode in which it holds.

use super::fake_lab::simulated;
use super::pair::pair;
use super::past::past;
use super::prompt::wrong;
use super::stage::{calm, crash, lab, live, live_with, options, replay, set, storm};
use super::{hear, key_of, lines_of, played, press, text, write_text};
use crate::input::action::{FeedKind, TABLE, action_named, rows};
use crate::input::key::Key;
use crate::input::message::{Command, ScreenMessage};
use crate::input::update::update;
use crate::model::places::Screen;
use crate::model::{Follow, Model, PendingQuestion, Tone};
use crate::time::feed::{Contact, Feed};
use crate::{Access, Leaving, Options, Role, ScreenEnd};
use fault::{FaultId, FaultLine, forms};
use record::{Answer, Body, Frame, Record, Request};

/// What of a model a key may change, as text.
fn fingerprint(model: &mut Model) -> String {
    let screen = text(model, 80, 24);
    let playing = match (&model.time.feed, played(model)) {
        (_, Some(playback)) => format!("{:?} {}", model.time.rate(), playback.position()),
        (Feed::Live(live), _) => format!("{:?}", live.contact),
        (other, None) => panic!("{other:?} is neither live nor played"),
    };
    format!(
        "{screen}\n{playing} {:?} {:?} {:?} {:?}",
        model.places.messages, model.places.node, model.places.pans, model.places.fault
    )
}

/// Models of this feed in which at least one of them must be moved by any key.
pub fn models(feed: FeedKind) -> Vec<Model> {
    let mut models: Vec<Model> = match feed {
        FeedKind::Live => (0..6).map(|_| live(&storm())).collect(),
        FeedKind::Past => (0..6).map(|_| past(&storm())).collect(),
        FeedKind::Pair => (0..6).map(|_| pair(&storm(), &crash())).collect(),
        FeedKind::Replay => (0..6).map(|_| replay(&storm())).collect(),
        FeedKind::Simulated => (0..6).map(|_| simulated()).collect(),
    };
    if feed == FeedKind::Simulated {
        models.iter_mut().for_each(|model| drop(press(model, "Space l l l l l l l Home")));
    }
    if feed != FeedKind::Live {
        models.iter_mut().skip(1).for_each(|model| drop(press(model, "l l l")));
    }
    models.iter_mut().for_each(|model| model.toasts.clear());
    press(&mut models[1], "2 Up Up");
    press(&mut models[2], "3 Up");
    press(&mut models[3], "?");
    press(&mut models[4], "Down Down");
    press(&mut models[5], "2 Up Up Right Right");
    models
}

#[test]
fn no_key_stands_twice_and_none_is_shadowed() {
    for feed in FeedKind::ALL {
        let keys: Vec<(Key, &str)> = rows(feed).flat_map(|row| row.keys.iter().map(|key| (*key, row.name))).collect();
        for (place, (key, name)) in keys.iter().enumerate() {
            let twice = keys[..place].iter().find(|(other, _)| other == key);
            assert!(twice.is_none(), "{} is bound to {name} and to {twice:?}", key.name());
        }
        let names: Vec<&str> = rows(feed).map(|row| row.name).collect();
        for (place, name) in names.iter().enumerate() {
            assert!(!names[..place].contains(name), "{name} stands twice");
        }
    }
}

#[test]
fn every_key_of_the_table_does_something_in_every_feed_it_holds_in() {
    for feed in FeedKind::ALL {
        for (row, key) in rows(feed).flat_map(|row| row.keys.iter().map(move |key| (row, *key))) {
            let event = match key {
                Key::Ctrl(letter) => key_of(&format!("C-{letter}")),
                Key::Plain(code) => crossterm::event::KeyEvent::from(code),
            };
            let is_done = models(feed).iter_mut().any(|model| {
                let before = fingerprint(model);
                let commands = update(model, ScreenMessage::Key(event));
                !commands.is_empty() || fingerprint(model) != before
            });
            assert!(is_done, "{} ({}) does nothing in {feed:?}", key.name(), row.name);
        }
    }
}

#[test]
fn help_and_leaving_always_work() {
    for feed in FeedKind::ALL {
        for model in &mut models(feed) {
            press(model, "Esc Esc ?");
            assert!(text(model, 80, 24).contains("─ help ─"));
            press(model, "Esc");
            for key in ["q", "C-c"] {
                model.rights.leaving = Leaving::AtOnce;
                assert!(leaves(&press(model, key)));
                model.rights.leaving = Leaving::AfterAsking;
                assert!(press(model, key).is_empty() && text(model, 80, 24).contains("End the lab?"), "{key}");
                assert!(leaves(&press(model, key)), "{key} once more");
                assert!(leaves(&press(model, "Enter")));
                let before = model.selected_node();
                assert!(press(model, "j").is_empty() && model.selected_node() == before, "no order, and no key");
                assert!(!text(model, 80, 24).contains("End the lab?"));
            }
        }
    }
}

fn leaves(commands: &[Command]) -> bool {
    matches!(commands, [Command::Leave(ScreenEnd::Quit)])
}

#[test]
fn leaving_closes_what_is_open_first() {
    for feed in FeedKind::ALL {
        for model in &mut models(feed) {
            model.rights.leaving = Leaving::AtOnce;
            press(model, "Esc Esc 1");
            for open in ["?", "Enter", ":"] {
                for key in ["q", "C-c"].into_iter().skip(usize::from(open == ":")) {
                    press(model, open);
                    assert!(press(model, key).is_empty(), "{open} {key}");
                    assert!(
                        model.dialogs.layer.is_none()
                            && model.dialogs.prompt.is_none()
                            && model.dialogs.asked == PendingQuestion::Nothing
                    );
                }
            }
            press(model, "? :");
            assert!(model.dialogs.layer.is_some() && model.dialogs.prompt.is_some());
            write_text(model, "quit");
            assert!(
                press(model, "Enter").is_empty() && model.dialogs.layer.is_none() && model.dialogs.prompt.is_none()
            );
            press(model, ":");
            write_text(model, "quit");
            assert!(leaves(&press(model, "Enter")));
        }
    }
}

#[test]
fn the_footer_says_what_leaving_does() {
    assert!(text(&mut live(&calm()), 80, 24).ends_with("q ends the lab  ? help"));
    let mut visitor = live_with(options(lab(None), Role::Visitor), &calm());
    assert!(text(&mut visitor, 80, 24).ends_with("q leaves  ? help"));
}

#[test]
fn fault_keys_act_on_the_row_or_on_the_marked_rows() {
    for (keys, lines) in [
        ("c", vec!["crash 1"]),
        ("G c", vec!["crash 5"]),
        ("j j Space j j Space g c", vec!["crash 3,5"]),
        ("G r", vec!["recover 5"]),
        ("Down e", vec!["elect 2"]),
        ("p", vec!["pause 1"]),
        ("i", vec!["isolate 1"]),
        ("Space Down Space i", vec!["isolate 1,2"]),
        ("o Enter", vec!["loss 1->* 30%"]),
        ("d Enter", vec!["delay 1->* 200ms"]),
        ("Space Down Space x Enter", vec!["partition 1,2|3-5"]),
        ("u", vec!["undo"]),
        ("U", vec!["heal all"]),
        ("Space 3 c", vec!["crash 1"]),
    ] {
        assert_eq!(lines_of(&press(&mut live(&calm()), keys)), lines, "{keys}");
    }
}

#[test]
fn pause_resumes_what_stands_still_and_isolate_lets_rejoin() {
    let mut records = storm();
    let rule = "isolate 1,2".parse().ok();
    let ordered = Body::FaultOrdered {
        id: FaultId(9),
        line: "isolate 1,2".parse().unwrap(),
        nodes: set("1,2"),
        rule,
        step: None,
    };
    records.push(Record::of_host(7_000_000_000, ordered));
    let mut model = live(&records);
    assert_eq!(lines_of(&press(&mut model, "j j p")), ["resume 3"]);
    assert_eq!(lines_of(&press(&mut model, "Space j Space p")), ["resume 3", "pause 4"]);
    assert_eq!(lines_of(&press(&mut model, "Esc Esc G p")), [""; 0]);
    assert!(text(&mut model, 80, 24).contains("5 has no process to pause"));
    assert_eq!(lines_of(&press(&mut model, "g i")), ["lift f9"]);
    assert_eq!(lines_of(&press(&mut model, "G i")), ["isolate 5"]);
}

#[test]
fn without_a_row_in_sight_a_fault_key_says_where_to_mark() {
    let mut model = live(&calm());
    assert_eq!(lines_of(&press(&mut model, "2 c")), [""; 0]);
    assert!(text(&mut model, 80, 24).contains("Mark nodes on screen 1"));
}

#[test]
fn a_screen_that_gives_no_faults_says_so_at_every_fault_key() {
    let keys = ["c", "r", "p", "i", "e", "o", "d", "x", "u", "U", "S"];
    let read_only = || {
        let access = Options { access: Access::ReadOnly, ..options(lab(None), Role::Visitor) };
        live_with(access, &calm())
    };
    let over = || {
        let mut model = live_with(options(lab(None), Role::Visitor), &calm());
        update(&mut model, ScreenMessage::Frame(Box::new(Frame::Goodbye { why: "its owner left".into() })));
        model
    };
    let cases: [(&dyn Fn() -> Model, &str); 3] =
        [(&read_only, "read-only"), (&|| replay(&storm()), "A replay takes no faults"), (&over, "The lab is over")];
    for (model, sentence) in cases {
        for key in keys {
            let mut model = model();
            model.toasts.clear();
            assert!(press(&mut model, key).is_empty(), "{key} under {sentence}");
            let told = &model.toasts.back().unwrap();
            assert!(told.tone == Tone::Bad && told.text.contains(sentence), "{key}: {told:?}");
        }
        let mut model = model();
        press(&mut model, ":");
        write_text(&mut model, "crash 5");
        assert!(press(&mut model, "Enter").is_empty());
        assert!(wrong(&model).contains(sentence));
    }
}

#[test]
fn the_lab_plays_its_steps_once() {
    let mut model = live(&calm());
    let commands = press(&mut model, "S");
    assert!(matches!(commands[..], [Command::Request(Request::PlaySteps)]));
    let answer = Answer::Done { id: None, text: "The steps are played.".into() };
    update(&mut model, ScreenMessage::Answered { request: Request::PlaySteps, answer });
    assert!(press(&mut model, "S").is_empty());
    assert!(text(&mut model, 80, 24).contains("already being played"));
}

#[test]
fn a_lab_without_steps_says_so() {
    let mut model = live(&calm());
    model.head.as_mut().unwrap().lab_file = "name = \"short\"".into();
    assert!(press(&mut model, "S").is_empty());
    assert_eq!(model.toasts.back().unwrap().text, "This lab has no steps of its own.");
}

#[test]
fn the_palette_takes_every_fault_line_and_every_name_of_the_table() {
    for (form, _) in forms() {
        let line = form
            .replace("LIE", "late")
            .replace("lift F", "lift f2")
            .replace(['N', 'A'], "1")
            .replace(['B', 'K'], "2")
            .replace('L', "5")
            .replace('V', "7")
            .replace("P%", "5%")
            .replace("Rx", "1.5x");
        let line = line.replace("D..D", "5ms..9ms").replace('D', "5ms");
        let mut model = live(&calm());
        press(&mut model, ":");
        write_text(&mut model, &line);
        let wanted: FaultLine = line.parse().unwrap();
        assert_eq!(lines_of(&press(&mut model, "Enter")), [wanted.to_string()], "{form}");
    }
    for row in TABLE {
        assert!(FeedKind::ALL.iter().any(|feed| action_named(row.name, *feed) == Some(row.action)));
    }
    let mut model = live(&calm());
    press(&mut model, ":");
    write_text(&mut model, "freeze");
    press(&mut model, "Enter");
    assert!(model.time.is_behind());
}

#[test]
fn the_filter_shows_rows_with_or_without_a_text() {
    let mut model = live(&storm());
    press(&mut model, "/");
    write_text(&mut model, "HALT");
    press(&mut model, "Enter");
    let screen = text(&mut model, 80, 24);
    let rows = |screen: &str, word: &str| screen.lines().filter(|line| line.contains(word)).count();
    assert_eq!(
        (model.places.screen, rows(&screen, "Halt("), rows(&screen, "Elected(")),
        (Screen::Messages, 3, 0),
        "{screen}"
    );
    press(&mut model, "/ Home !");
    press(&mut model, "Enter");
    let screen = text(&mut model, 80, 24);
    assert_eq!(rows(&screen, "Halt("), 0, "{screen}");
    assert!(rows(&screen, "AreYouNormal(") == 3, "{screen}");
    press(&mut model, "Esc");
    assert!(model.places.messages.filter.is_open());
}

#[test]
fn a_filter_of_several_terms_is_gone_through_and_counted() {
    let mut model = live(&storm());
    press(&mut model, "n");
    assert!(model.toasts.back().unwrap().text.contains("There is no filter"));
    model.toasts.clear();
    press(&mut model, "/");
    write_text(&mut model, "halt 2");
    press(&mut model, "Enter");
    let screen = text(&mut model, 80, 24);
    assert!(screen.contains("1 of 62 rows") && screen.contains("4 -> 2  Halt("), "{screen}");
    press(&mut model, "/ C-u");
    write_text(&mut model, "no row has this");
    press(&mut model, "Enter n");
    assert!(model.toasts.back().unwrap().text.contains("No row passes the filter."));
    model.toasts.clear();
    press(&mut model, "/ C-u");
    write_text(&mut model, "HALT -> !3");
    press(&mut model, "Enter");
    let screen = text(&mut model, 80, 24);
    assert!(screen.contains("2 of 62 rows, following"), "{screen}");
    let last = model.selected_message();
    press(&mut model, "n");
    assert!(model.toasts.back().unwrap().text.contains("the last row"));
    press(&mut model, "N");
    let first = model.selected_message();
    assert!(first < last);
    press(&mut model, "1 N");
    assert!(model.toasts.back().unwrap().text.contains("the first row"));
    press(&mut model, "n");
    assert_eq!((model.selected_message(), model.places.screen), (last, Screen::Messages));
}

#[test]
fn long_lines_move_where_they_are_as_far_as_they_go_and_a_sign_says_so() {
    let mut model = live(&storm());
    let log = |model: &mut Model| text(model, 60, 60).lines().skip(40).map(str::to_owned).collect::<Vec<_>>();
    let before = log(&mut model);
    (0..100).for_each(|_| drop(press(&mut model, "l")));
    let moved = log(&mut model);
    assert!(
        moved.iter().any(|row| row.contains('«'))
            && moved.iter().any(|row| row.chars().filter(|c| c.is_alphanumeric()).count() > 8),
        "{moved:?}"
    );
    let pan = model.pan();
    press(&mut model, "3");
    assert!(!text(&mut model, 60, 16).contains('«'), "another screen did not move");
    press(&mut model, "1 l");
    assert_eq!(model.pan(), pan, "there is no more to show");
    (0..100).for_each(|_| drop(press(&mut model, "h")));
    assert_eq!(log(&mut model), before);
    press(&mut model, "End");
    assert_eq!(model.selected_node(), protocol::NodeId::new(5));
    press(&mut model, "Home");
    assert_eq!(model.selected_node(), protocol::NodeId::new(1));
}

#[test]
fn nodes_side_by_side_are_walked_sideways() {
    let mut model = live(&storm());
    text(&mut model, 80, 24);
    press(&mut model, "Home");
    for (keys, node) in [("l", 2), ("Right", 3), ("h", 2), ("Left", 1), ("Left", 1)] {
        press(&mut model, keys);
        assert_eq!(model.selected_node(), protocol::NodeId::new(node), "{keys}");
    }
}

#[test]
fn a_page_stays_open_at_left_and_right() {
    let mut model = live(&storm());
    press(&mut model, "? l h Left Right");
    assert!(model.dialogs.layer.is_some());
}

#[test]
fn following_stops_when_the_cursor_moves_and_comes_back() {
    let mut model = live(&storm());
    press(&mut model, "2 Up");
    assert_eq!(model.places.messages.follow, Follow::Off);
    let cursor = model.places.messages.cursor;
    hear(&mut model, Record::of_host(9_000_000_000, Body::Note { text: "one more".into() }));
    text(&mut model, 80, 24);
    assert_eq!(model.places.messages.cursor, cursor, "the cursor stays on its row");
    press(&mut model, "G");
    assert_eq!((model.places.messages.follow, model.places.messages.cursor), (Follow::On, None));
    press(&mut model, "f");
    assert_eq!(model.places.messages.follow, Follow::Off);
    press(&mut model, "1 f");
    assert_eq!((model.places.screen, model.places.messages.follow), (Screen::Messages, Follow::On));
}

#[test]
fn a_frozen_picture_stays_while_the_lab_goes_on() {
    let mut model = live(&calm());
    press(&mut model, "F");
    model.toasts.clear();
    let frozen = text(&mut model, 80, 24);
    assert!(frozen.contains("0.420 s │ FROZEN"), "{frozen}");
    for record in crash().into_iter().skip(calm().len()) {
        hear(&mut model, record);
    }
    let later = text(&mut model, 80, 24);
    assert!(later.contains("0.420 s │ FROZEN 2s behind"), "{later}");
    assert!(later.lines().skip(1).eq(frozen.lines().skip(1)), "{later}");
    assert_eq!(model.time.scene.world.coordinator(None), protocol::NodeId::new(4));
    press(&mut model, "F");
    assert!(text(&mut model, 80, 24).contains("dead"));
}

#[test]
fn a_key_without_a_row_in_the_table_does_nothing_and_says_so() {
    let mut model = live(&calm());
    let before = fingerprint(&mut model);
    let idle = [("Q", "Q does nothing here; ? lists"), ("C-x", "Ctrl-X does nothing"), (",", ", moves in time, and")];
    for (key, told) in idle {
        assert!(press(&mut model, key).is_empty());
        assert!(model.toasts.back().unwrap().text.starts_with(told), "{key}");
        model.toasts.clear();
    }
    assert_eq!(fingerprint(&mut model), before);
    assert!(matches!(&model.time.feed, Feed::Live(live) if live.contact == Contact::Hearing));
}
