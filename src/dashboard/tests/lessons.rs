//! What a lab tells: words and questions above the screen, answers, predictions, and the strip for newcomers.
//!
//! Invariant: the present takes in every record while a question is open, and the picture gives no answer away.

use std::path::PathBuf;
use std::time::Duration;

use insta::assert_snapshot;

use super::fake_lab::simulated_of;
use super::stage::{MS, calm, crash, head, lab, live_with, numbered, options, snapshot, step};
use super::{hear, press, replay_of, text, write_text};
use crate::input::action::Action;
use crate::input::message::{Command, ScreenMessage};
use crate::input::update::update;
use crate::model::Model;
use crate::model::lesson::AboveScreen;
use crate::options::{Remembered, Tour};
use crate::time::freshness::Rate;
use crate::{Options, Role, Source};
use record::{Answer, Body, Frame, Head, Input, Record, Request, SessionReader};

const LESSON: &str = r#"
[[step]]
name = "welcome"
at = "1s"
chapter = "One of five"
say = "Five processes run here. They have elected 5, the highest of them."
[[step]]
name = "who"
at = "2s"
chapter = "The crash"
ask = "5 is being killed. Who will coordinate?"
choices = ["nobody", "4, the highest of those that run", "a vote decides"]
answer = 2
because = "Nobody above 4 answers."
do = ["crash 5"]
[[step]]
name = "found"
at = "2500ms"
say = "4 has asked 5, and 5 is silent: nobody above 4 is up."
[[step]]
name = "end"
at = "3s"
say = "4 coordinates."
"#;

pub(super) fn told_head() -> Head {
    Head { lab_file: LESSON.into(), lab_id: "told".into(), ..head() }
}

pub(super) fn taken(at: i64, step: &str) -> Record {
    Record::of_host(at, Body::StepTaken { step: step.into() })
}

fn told_snapshot(records: &[Record]) -> Frame {
    let Frame::Snapshot { world, recent, missed, session, .. } = snapshot(records, 0) else { unreachable!() };
    Frame::Snapshot {
        head: Box::new(told_head()),
        world,
        recent,
        missed,
        session,
        steps_held: records.len() == calm().len(),
    }
}

/// The calm lab, and what was taken of its steps.
pub(super) fn calm_and(steps: &[(i64, &str)]) -> Vec<Record> {
    let mut records = calm();
    records.extend(steps.iter().map(|(at, step)| taken(*at, step)));
    numbered(records)
}

pub(super) fn lesson_of(role: Role, records: &[Record]) -> Model {
    let mut model = Model::live(&options(lab(None), role));
    update(&mut model, ScreenMessage::Tick(Duration::from_secs(1)));
    update(&mut model, ScreenMessage::Frame(Box::new(told_snapshot(records))));
    model
}

fn lesson(records: &[Record]) -> Model {
    lesson_of(Role::Owner, records)
}

pub(super) fn tick(model: &mut Model, milliseconds: u64) -> Vec<Command> {
    let clock = model.clock + Duration::from_millis(milliseconds);
    update(model, ScreenMessage::Tick(clock))
}

/// The crash of 5 and what comes of it, after the question and with the next words.
pub(super) fn hear_the_crash(model: &mut Model) {
    let mut number = 100;
    let mut hear = |model: &mut Model, record: Record| {
        number += 1;
        hear(model, Record { number, ..record });
    };
    for record in crash().into_iter().skip(calm().len()) {
        hear(model, record);
    }
    hear(model, taken(3_300 * MS, "end"));
}

fn notes(commands: &[Command]) -> Vec<String> {
    let note = |command: &Command| match command {
        Command::Request(Request::Note(text)) => Some(text.clone()),
        _ => None,
    };
    commands.iter().filter_map(note).collect()
}

#[test]
fn a_lab_that_tells_something_says_so_before_it_begins() {
    let mut model = lesson(&calm());
    let screen = text(&mut model, 100, 30);
    assert!(screen.contains("This lab tells what it shows, and asks one question. S begins."), "{screen}");
}

#[test]
fn what_is_said_stays_until_it_is_dismissed_or_the_next_words_come() {
    let mut model = lesson(&calm_and(&[(1_000 * MS, "welcome")]));
    assert_snapshot!(text(&mut model, 100, 30));
    for (width, height) in [(60, 16), (80, 24), (140, 45)] {
        let screen = text(&mut model, width, height);
        assert!(screen.contains("They have elected 5") && screen.contains("[1 overview]"), "{screen}");
    }
    press(&mut model, "Esc");
    assert!(!text(&mut model, 100, 30).contains("Five processes run here"));
    hear(&mut model, Record { number: 100, ..taken(3_000 * MS, "end") });
    assert!(text(&mut model, 100, 30).contains("4 coordinates."));
}

#[test]
fn a_question_stops_the_picture_takes_answers_and_reveals_then_the_picture_catches_up() {
    let mut model = lesson(&calm_and(&[(1_000 * MS, "welcome")]));
    hear(&mut model, Record { number: 99, ..taken(2_000 * MS, "who") });
    hear_the_crash(&mut model);
    let at = model.seen().at;
    assert_eq!((at, model.time.scene.world.steps.len()), (2_000 * MS, 3), "the present has gone on");
    press(&mut model, "1 2 2 7");
    assert_snapshot!("asked", text(&mut model, 100, 30));
    assert!(press(&mut model, "c p F P S").is_empty(), "nothing is broken meanwhile, and the picture stands");
    assert!(text(&mut model, 100, 30).contains("A question is open"));
    assert_eq!(model.seen().at, at);
    let noted = notes(&press(&mut model, "Enter"));
    assert_eq!(
        noted,
        [
            "Answers to step \"who\": 1 for \"nobody\", 2 for \"4, the highest of those that run\", 0 for \"a vote decides\". \
          Right is \"4, the highest of those that run\"."
        ]
    );
    model.toasts.clear();
    assert_snapshot!("revealed", text(&mut model, 100, 30));
    press(&mut model, "Enter");
    assert!(matches!(model.time.rate(), Rate::CatchingUp { .. }));
    let mut seen = Vec::new();
    while model.time.is_behind() && seen.len() < 100 {
        tick(&mut model, 125);
        seen.push(model.seen().at / MS);
    }
    assert_eq!(seen[..4], [2002, 2002, 3100, 3100], "a silence of a second is a short one");
    assert!(!model.time.is_behind(), "{seen:?}");
    assert!(text(&mut model, 100, 30).contains("4 coordinates."));
}

#[test]
fn a_question_is_passed_over_with_one_key() {
    let mut model = lesson(&calm_and(&[(2_000 * MS, "who")]));
    assert_eq!(model.seen().at, 2_000 * MS, "a screen that comes later stands there too");
    let noted = notes(&press(&mut model, "Esc"));
    assert_eq!(noted, ["The question of step \"who\" is passed over."]);
    assert!(model.open_question().is_none());
    assert!(!text(&mut model, 100, 30).contains("Who will coordinate?"));
}

#[test]
fn on_a_small_screen_the_choices_are_in_sight() {
    let mut model = lesson(&calm_and(&[(2_000 * MS, "who")]));
    let screen = text(&mut model, 60, 16);
    for choice in ["[1] nobody", "[2] 4, the highest of those that run", "[3] a vote decides"] {
        assert!(screen.contains(choice), "{screen}");
    }
    assert!(screen.contains("1-3 answers  Enter reveals"), "{screen}");
}

/// Takes what is said at a tick, how far the picture is behind, and the screen.
type ToldAtTick<'a> = dyn FnMut(Option<String>, Option<i64>, &mut Model) + 'a;

/// A question is passed over while the lab is at `now`, in milliseconds, after these steps; a node's timer is over every
/// 500 ms, which no row shows. The lab goes on, and each tick of 100 ms is told what is said, and how far the picture is
/// behind, if it is.
fn caught_up(steps: &[(i64, &str)], now: i64, tells: &mut ToldAtTick<'_>) {
    let mut model = lesson(&calm_and(&[(2_000 * MS, "who")]));
    let mut number = 100;
    let mut bring = |model: &mut Model, from: i64, until: i64| {
        let timer = Input::Timer { timer: "check".into(), set: 0, due: 0, waited_for: Default::default() };
        let unseen = (from / 500 + 1..=until / 500).map(|half| step(half * 500 * MS, 4, timer.clone(), vec![], None));
        let mut records: Vec<Record> = unseen.collect();
        let of_steps = steps.iter().filter(|(at, _)| (from + 1..=until).contains(at));
        records.extend(of_steps.map(|(at, step)| taken(at * MS, step)));
        records.sort_by_key(|record| record.at);
        for record in records {
            number += 1;
            hear(model, Record { number, ..record });
        }
    };
    bring(&mut model, 2_000, now);
    press(&mut model, "Esc");
    for tick_number in 0..200 {
        let present = now + tick_number * 100;
        bring(&mut model, present, present + 100);
        tick(&mut model, 100);
        let said = match model.above_screen() {
            Some(AboveScreen::Said { text, .. }) => Some(text),
            _ => None,
        };
        let behind = model.time.is_behind().then(|| model.behind() / MS);
        tells(said, behind, &mut model);
    }
}

#[test]
fn the_last_words_are_shown_and_the_picture_does_not_stand_still_behind_them() {
    let mut since_end = None;
    caught_up(&[(3_000, "end")], 20_000, &mut |said, behind, _| {
        let is_end = said.as_deref() == Some("4 coordinates.");
        since_end = since_end.map(|ticks| ticks + 1).or(is_end.then_some(0));
        assert!(since_end.is_none_or(|ticks| is_end && (ticks < 3 || behind.is_none())), "{since_end:?} {behind:?}");
    });
    assert!(since_end.is_some());
}

#[test]
fn words_stay_as_long_as_in_the_lab_or_until_they_are_read_and_the_picture_falls_no_further_behind() {
    // The next words come in time, and before all is read.
    for (next, stay) in [(12_000, 46..=50), (5_000, 18..=21)] {
        let (mut stayed, mut first_behind) = (0, None);
        caught_up(&[(3_000, "found"), (next, "end")], 15_000, &mut |said, behind, _| {
            stayed += usize::from(said.is_some_and(|said| said.starts_with("4 has asked")));
            let first = *first_behind.get_or_insert(behind.unwrap_or(0));
            assert!(behind.is_none_or(|behind| behind <= first + 200), "{behind:?} after {first}");
        });
        assert!(stay.contains(&stayed), "{stayed} tenths of a second, with the next words at {next}");
    }
    let mut has_read = false;
    caught_up(&[(3_000, "found"), (12_000, "end")], 15_000, &mut |said, behind, model| {
        if !has_read && said.is_some_and(|said| said.starts_with("4 has asked")) {
            has_read = true;
            press(model, "Esc");
            tick(model, 1);
        } else if has_read {
            assert!(behind.is_none(), "who has read it goes on");
        }
    });
    assert!(has_read);
}

#[test]
fn words_that_name_a_key_name_the_one_that_a_person_has_bound() {
    let mut options = options(lab(None), Role::Owner);
    options.keymap.bind(Action::Crash, vec!["Z".parse().unwrap()]);
    let mut model = Model::live(&options);
    update(&mut model, ScreenMessage::Tick(Duration::from_secs(1)));
    let Frame::Snapshot { mut head, world, recent, missed, session, steps_held } =
        told_snapshot(&calm_and(&[(1_000 * MS, "welcome")]))
    else {
        unreachable!()
    };
    head.lab_file = LESSON.replace("Five processes", "`{crash}` kills, `{recover}` mends. Five processes");
    update(
        &mut model,
        ScreenMessage::Frame(Box::new(Frame::Snapshot { head, world, recent, missed, session, steps_held })),
    );
    let screen = text(&mut model, 100, 30);
    assert!(screen.contains("`Z` kills, `r` mends. Five processes run here."), "{screen}");
}

#[test]
fn a_replay_tells_what_was_told_with_the_answer() {
    let session = SessionReader {
        head: Some(told_head()),
        records: calm_and(&[(1_000 * MS, "welcome"), (2_000 * MS, "who"), (3_000 * MS, "end")]),
        skipped: Vec::new(),
    };
    let mut model = replay_of(&options(Source::Session(PathBuf::from("told.session")), Role::Visitor), session);
    assert!(!text(&mut model, 100, 30).contains("lesson"));
    press(&mut model, "J J");
    assert!(
        text(&mut model, 100, 30).contains("chapter 2 of 2: The crash"),
        "its chapters are found as those of people"
    );
    press(&mut model, "K");
    assert_eq!(model.seen().at, 1_000 * MS);
    press(&mut model, "Home");
    press(&mut model, ":");
    write_text(&mut model, "seek 2.5s");
    press(&mut model, "Enter");
    model.toasts.clear();
    assert_snapshot!(text(&mut model, 100, 30));
    press(&mut model, "End");
    assert!(text(&mut model, 100, 30).contains("4 coordinates."));
}

#[test]
fn a_line_goes_to_a_step_of_the_lab() {
    let records = calm_and(&[(1_000 * MS, "welcome"), (2_000 * MS, "who")]);
    let session = SessionReader { head: Some(told_head()), records, skipped: Vec::new() };
    let mut model = replay_of(&options(Source::Session(PathBuf::from("first.session")), Role::Visitor), session);
    press(&mut model, ":");
    write_text(&mut model, "seek step welcome");
    press(&mut model, "Enter");
    assert_eq!((model.dialogs.prompt.is_none(), model.time.scene.at), (true, 1_000 * MS));
}

#[test]
fn the_timeline_names_the_chapters() {
    let mut model = lesson(&calm_and(&[(1_000 * MS, "welcome"), (2_000 * MS, "who")]));
    press(&mut model, "Esc");
    let screen = text(&mut model, 140, 45);
    assert!(screen.contains("One of five"), "{screen}");
}

#[test]
fn the_end_of_a_lesson_is_remembered_once_its_last_words_are_said() {
    let mut model = lesson(&calm_and(&[(1_000 * MS, "welcome"), (2_000 * MS, "who")]));
    let remembered = |commands: Vec<Command>| -> Vec<Remembered> {
        let what = |command| match command {
            Command::Remember(what) => Some(what),
            _ => None,
        };
        commands.into_iter().filter_map(what).collect()
    };
    assert!(remembered(tick(&mut model, 100)).is_empty());
    hear(&mut model, Record { number: 100, ..taken(3_000 * MS, "end") });
    assert!(remembered(tick(&mut model, 100)).is_empty(), "the picture stands at the question");
    press(&mut model, "Esc");
    assert_eq!(remembered(tick(&mut model, 100)), [Remembered::LessonDone("first".into())]);
    assert!(remembered(tick(&mut model, 100)).is_empty());
}

#[test]
fn the_strip_for_newcomers_goes_with_one_key_and_comes_back_with_it() {
    let newcomer = Options { tour: Tour::Shown, ..options(lab(None), Role::Owner) };
    let mut model = live_with(newcomer, &calm());
    assert_snapshot!(text(&mut model, 100, 30));
    assert_snapshot!(text(&mut model, 130, 40));
    let commands = press(&mut model, "t");
    assert!(matches!(commands[..], [Command::Remember(Remembered::TourSeen)]));
    assert!(!text(&mut model, 100, 30).contains("New here?"));
    press(&mut model, "t");
    assert!(text(&mut model, 100, 30).contains("New here?"));
    update(&mut model, ScreenMessage::Unremembered("Permission denied".into()));
    assert!(text(&mut model, 100, 30).contains("cannot be remembered: Permission denied."));
}

fn predict(model: &mut Model, prediction: &str) -> Vec<Command> {
    press(model, "w");
    write_text(model, prediction);
    let commands = press(model, "Enter");
    for command in &commands {
        let Command::Request(request) = command.clone() else { continue };
        let answer = Answer::Done { id: None, text: "the note is recorded".into() };
        update(model, ScreenMessage::Answered { request, answer });
    }
    commands
}

#[test]
fn a_prediction_is_compared_with_the_next_election_and_the_screen_keeps_the_score() {
    let mut model = lesson(&calm());
    for (wrong, why) in [("4", "is no prediction"), ("9 3", "there is no node 9"), ("four 3", "is no prediction")] {
        predict(&mut model, wrong);
        let screen = text(&mut model, 100, 30);
        assert!(screen.contains(why) && model.dialogs.prompt.is_some(), "{screen}");
        press(&mut model, "Esc");
    }
    let commands = predict(&mut model, "4 10");
    assert_eq!(notes(&commands), ["Predicted: 4, with 10 messages."]);
    hear_the_crash(&mut model);
    let noted = notes(&tick(&mut model, 100));
    let election = model.seen().world.elections.latest.back().unwrap().clone();
    assert!(election.ended.is_some() && election.elected.contains(protocol::NodeId::new(4).unwrap()), "{election:?}");
    assert!(
        noted[0].starts_with("Election 1: 4 was elected, with ") && noted[0].contains("winner is right"),
        "{noted:?}"
    );
    predict(&mut model, "5 1");
    model.toasts.clear();
    press(&mut model, "y");
    assert_snapshot!(text(&mut model, 100, 30));
    press(&mut model, "y");
    assert!(model.dialogs.layer.is_none());
}

#[test]
fn a_simulated_lab_stands_at_a_question_and_plays_on() {
    let mut records = crash();
    records.insert(calm().len(), taken(1_900 * MS, "who"));
    let (mut model, _lab) = simulated_of(records);
    model.head = Some(told_head());
    let motion = |model: &Model| model.time.rate();
    for _ in 0..100 {
        tick(&mut model, 100);
    }
    assert_eq!((motion(&model), model.seen().at), (Rate::Standing, 1_900 * MS));
    press(&mut model, "Space");
    assert_eq!(motion(&model), Rate::Standing, "the question comes first");
    press(&mut model, "2 Enter Enter");
    assert_eq!(motion(&model), Rate::Playing);
    for _ in 0..10 {
        tick(&mut model, 100);
    }
    assert!(model.seen().at > 2_000 * MS);
}
