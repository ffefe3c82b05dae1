//! The key `v`: the answer, the walk through it, the records that it cites, and what left out faults show.
//!
//! Invariant: what a person reads here is what the command of the same name tells.

use super::stage::{MS, crash, live, live_with, node, numbered, options, replay, state, step, storm};
use super::{fake_lab, hear, press, text};
use crate::model::{Model, Subject};
use crate::{Role, Source};
use fault::FaultId;
use protocol::{Incarnation, Order, StateVector, Status};
use record::{Body, Input, Missed, Record, TimerName};

/// A replay of the crash at its end, with the cursor on node 4.
fn at_four() -> Model {
    let mut model = replay(&crash());
    press(&mut model, "End Down Down Down");
    model
}

fn sentences(model: &Model) -> Vec<String> {
    let Some(Subject::Why(sheet)) = model.dialogs.layer.as_ref().map(|layer| &layer.about) else {
        panic!("no answer is open")
    };
    sheet.sentences().into_iter().map(|sentence| sentence.text.clone()).collect()
}

#[test]
fn the_answer_about_a_node_says_where_records_are_missing() {
    let mut model = at_four();
    press(&mut model, "v");
    // The stage has no record of the sending.
    assert_eq!(
        sentences(&model),
        [
            "4 has coordinated since 3.300 s, in Normal (29).",
            "4 got its own Elected(number=1.7) at 3.300 s and took itself for the coordinator (Normal) (29).",
            "Records are missing here: what came before this step is not on record, so its cause is not known (29).",
        ]
    );
    let screen = text(&mut model, 100, 30);
    assert!(screen.contains("─ why, at 3.300 s ─") && screen.contains("> 4 has coordinated since 3.300 s"), "{screen}");
}

#[test]
fn enter_opens_the_records_of_a_sentence_one_by_one_and_escape_leads_back() {
    let mut model = at_four();
    // The row of the time-out, on the messages screen.
    press(&mut model, "2 g");
    let number = model.seen().rows.newest().find(|(_, row)| row.text.contains("4 time-out: silence")).unwrap().0;
    model.places.messages.cursor = Some(number);
    press(&mut model, "v");
    assert_eq!(
        sentences(&model),
        [
            "4 has been in Election since 3.100 s (25).",
            "4 last heard 5 at 0.400 s (20).",
            "f1 crashed 5 at 2.001 s (23).",
            "4 waited in vain for 5: 5T, until 3.100 s; then it came into Election (25).",
            "Records are missing here: what came before this step is not on record, so its cause is not known (25).",
        ]
    );
    press(&mut model, "Down Down Enter");
    let screen = text(&mut model, 100, 30);
    assert!(
        screen.contains("record 1 of 1 of this sentence") && screen.contains("5 is dead: killed by f1"),
        "{screen}"
    );
    press(&mut model, "Enter");
    assert!(text(&mut model, 100, 30).contains("> f1 crashed 5"), "behind the last record the answer is back");
    press(&mut model, "Enter Esc");
    assert!(text(&mut model, 100, 30).contains("> f1 crashed 5"));
    press(&mut model, "Esc");
    assert!(model.dialogs.layer.is_none());
}

#[test]
fn every_sentence_can_be_reached_on_a_small_screen() {
    let mut model = replay(&storm());
    press(&mut model, "}");
    // The violation is what was told last.
    press(&mut model, "v");
    let count = sentences(&model).len();
    text(&mut model, 60, 16);
    for place in 0..count {
        let screen = text(&mut model, 60, 16);
        assert!(
            screen.lines().any(|line| line.contains("│   > ") || line.contains("  > ")),
            "{place} of {count}:\n{screen}"
        );
        press(&mut model, "Down");
    }
    press(&mut model, "G");
    assert!(text(&mut model, 60, 16).contains("needed."), "the last sentence brings what stands below it");
}

#[test]
fn the_key_again_leaves_each_fault_out() {
    let mut model = at_four();
    press(&mut model, "2 g");
    let number = model.seen().rows.newest().find(|(_, row)| row.text.contains("4 time-out: silence")).unwrap().0;
    model.places.messages.cursor = Some(number);
    press(&mut model, "v v");
    let screen = text(&mut model, 100, 40);
    assert!(screen.contains("left out in virtual time") && screen.contains("f1: needed."), "{screen}");
    press(&mut model, "Esc 1 v v");
    let screen = text(&mut model, 100, 40);
    assert!(screen.contains("It names no fault that could be left out."), "{screen}");
}

#[test]
fn a_live_lab_knows_the_records_that_have_no_row_and_a_frozen_one_none_that_came_later() {
    let mut model = live(&crash());
    let quiet = |at, number| {
        let timer: TimerName = "Period".into();
        let input = Input::Timer { timer, set: 0, due: 0, waited_for: Default::default() };
        Record { number, ..super::stage::step(at, 2, input, vec![], None) }
    };
    hear(&mut model, quiet(3500 * MS, 28));
    press(&mut model, "F");
    hear(&mut model, quiet(3600 * MS, 29));
    let seen = |model: &Model| model.records_seen().last().map(|record| record.number);
    assert_eq!((model.records_seen().len(), seen(&model)), (30, Some(28)));
    press(&mut model, "F");
    assert_eq!(seen(&model), Some(29));
    // From its beginning on the screen has all records, so it can leave a fault out.
    press(&mut model, "v v");
    assert!(text(&mut model, 100, 40).contains("left out in virtual time"));
}

#[test]
fn a_screen_that_came_late_plays_nothing_again() {
    let mut model =
        live_with(options(Source::Lab { directory: "lab".into(), node: None }, Role::Visitor), &crash()[20..]);
    press(&mut model, "2 v v");
    model.toasts.clear();
    press(&mut model, "Esc 1 Down Down Down Down v v");
    let screen = text(&mut model, 100, 40);
    assert!(screen.contains("does not hold the session from its beginning"), "{screen}");
}

#[test]
fn a_gap_on_the_way_is_told() {
    let mut records = crash();
    let missed = Missed { count: 3, place: "in the node's own buffer".into() };
    records.insert(24, Record::of_node(2500 * MS, node(4), Body::Gap(missed)));
    let mut model = replay(&super::stage::numbered(records));
    press(&mut model, "End 2 g");
    let number = model.seen().rows.newest().find(|(_, row)| row.text.contains("4 time-out: silence")).unwrap().0;
    model.places.messages.cursor = Some(number);
    press(&mut model, "v");
    assert!(sentences(&model).iter().any(|sentence| sentence.starts_with("Records are missing here")));
}

#[test]
fn a_line_names_the_state_and_what_led_to_it() {
    let mut model = at_four();
    let line = model.why_in_brief(node(5)).sentence;
    assert_eq!(line.text, "f1 crashed 5 at 2.001 s (23).");
    assert_eq!(line.faults, [FaultId(1)]);
    // Before the words of its taking over.
    press(&mut model, ", , , ,");
    let line = model.why_in_brief(node(4)).sentence;
    assert_eq!(line.text, "4 has been in Election since 3.100 s (25): f1 crashed 5 at 2.001 s (23).");
}

#[test]
fn a_simulated_lab_is_asked_like_any_other() {
    let mut model = fake_lab::simulated();
    press(&mut model, "Space l l l l l Down Down Down v");
    assert!(sentences(&model)[0].starts_with("4 has coordinated"), "{:?}", sentences(&model));
}

#[test]
fn an_election_is_explained_at_its_end() {
    let mut model = live(&storm());
    press(&mut model, "6 v");
    let told = sentences(&model);
    assert_eq!(told[0], "4 has coordinated since 3.300 s, in Normal (29).");
    assert!(text(&mut model, 100, 30).contains("─ why, at 3.300 s ─"), "{}", text(&mut model, 100, 30));
    let mut model = live(&crash()[..20]);
    press(&mut model, "6 v");
    assert!(text(&mut model, 80, 24).contains("There was no election yet."));
}

#[test]
fn a_row_of_the_flow_is_explained_at_its_moment() {
    let mut model = live(&storm());
    press(&mut model, "Down 6 Enter v");
    assert_eq!(sentences(&model)[0], "4 has been in Election since 3.100 s (25).");
    // The row of the crash is about the process that died of it.
    press(&mut model, "Esc Up v");
    assert_eq!(sentences(&model), ["f1 crashed 5 at 2.001 s (23)."]);
}

#[test]
fn a_fault_is_not_explained_by_the_node_of_another_screen() {
    let mut model = live(&crash());
    for keys in ["3 v", "3 Enter v"] {
        press(&mut model, keys);
        assert!(model.toasts.back().unwrap().text.contains("Enter tells all about a fault"), "{keys}");
        assert!(!matches!(model.dialogs.layer.as_ref().map(|layer| &layer.about), Some(Subject::Why(_))));
        model.toasts.clear();
    }
}

#[test]
fn a_why_line_that_does_not_fit_keeps_the_cause() {
    let mut model = live(&crash());
    press(&mut model, "Down Down Down");
    let line = |model: &mut Model, width| {
        let screen = text(model, width, 24);
        screen.lines().rev().find(|line| line.starts_with("why 4")).unwrap().to_owned()
    };
    assert_eq!(line(&mut model, 60), "why 4  4 got its own Elected at 3.300 s and took itself … v");
    hear(
        &mut model,
        super::stage::step(
            3400 * MS,
            4,
            Input::Timer { timer: TimerName::from("silence"), set: 0, due: 0, waited_for: super::stage::set("5") },
            vec![],
            Some(super::stage::state(protocol::Status::Election, None, None)),
        ),
    );
    assert_eq!(line(&mut model, 60), "why 4  f1 crashed 5 at 2.001 s; 4 is in Election … v");
    assert!(line(&mut model, 120).starts_with("why 4  4 has been in Election since 3.400 s"));
}

#[test]
fn where_an_election_must_be_ordered_the_strip_says_so_until_there_was_one() {
    let mut records = vec![Record::of_host(0, Body::Began)];
    for who in 1..=5_u16 {
        let idle = StateVector { word: "normal".into(), ..state(Status::Down, None, None) };
        records.push(Record::of_node(MS, node(who), Body::Ready { incarnation: Incarnation(1) }));
        records.push(step(MS, who, Input::Start { saved: false }, vec![], Some(idle)));
    }
    let mut model = live(&numbered(records));
    let hint = "why 1  Nobody holds an election here before it is ordered: e orders it.";
    assert!(text(&mut model, 80, 24).contains(hint), "{}", text(&mut model, 80, 24));
    let order = Input::Order { order: Order::Elect };
    hear(&mut model, step(900 * MS, 2, order, vec![], Some(state(Status::Election, None, None))));
    assert!(!text(&mut model, 80, 24).contains("before it is ordered"));
}

#[test]
fn what_no_rerun_can_show_is_said() {
    let mut model = replay(&crash());
    press(&mut model, "End Down Down Down Down v");
    assert!(sentences(&model)[0].starts_with("f1 crashed 5"), "{:?}", sentences(&model));
    press(&mut model, "v End");
    let screen = text(&mut model, 100, 30);
    assert!(screen.contains("is searched for a state or a violation. This is neither"), "{screen}");
}

#[test]
fn an_answer_says_of_which_moment_it_is() {
    let mut model = live(&crash());
    press(&mut model, "Down Down Down v");
    hear(&mut model, step(9_000 * MS, 4, Input::Start { saved: true }, vec![], None));
    let screen = text(&mut model, 100, 30);
    assert!(screen.contains("─ why, at 3.300 s ─"), "{screen}");
}
