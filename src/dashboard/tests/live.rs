//! A running lab as it is heard: silence, return, gaps, the end.
//!
//! Invariant: time is a message here, so nothing waits.

use std::time::Duration;

use super::stage::{
    calm, crash, id, lab, live, live_with, message, node, options, set, snapshot, snapshot_after_gap, state, step,
    storm,
};
use super::{hear, press, text};
use crate::input::message::{Command, ScreenMessage};
use crate::input::update::update;
use crate::model::Model;
use crate::{Role, ScreenEnd};
use fault::FaultId;
use protocol::{Assumption, Incarnation, Status};
use record::{
    Answer, Body, BrokenAssumption, BrokenBy, Excuse, Frame, Input, Missed, Outcome, Record, Request, VerdictAbout,
};

fn visitor() -> Model {
    live_with(options(lab(None), Role::Visitor), &calm())
}

/// Lets the clock go on to this time, in beats.
fn tick(model: &mut Model, millis: u64) {
    let until = Duration::from_millis(millis);
    while model.clock < until {
        let next = (model.clock + Duration::from_millis(100)).min(until);
        update(model, ScreenMessage::Tick(next));
    }
}

fn frame(model: &mut Model, frame: Frame) -> Vec<Command> {
    update(model, ScreenMessage::Frame(Box::new(frame)))
}

/// What node 3 tells a watcher of its own: no world, and the records that it has.
fn node_snapshot(records: Vec<Record>) -> Frame {
    match snapshot(&[], 0) {
        Frame::Snapshot { head, missed, .. } => Frame::Snapshot {
            head,
            world: serde_json::value::RawValue::NULL.to_owned(),
            recent: records,
            missed,
            session: None,
            steps_held: false,
        },
        other => other,
    }
}

fn of_node_three() -> Vec<Record> {
    let own = |record: &Record| record.node == Some(node(3)) && record.step().is_some();
    calm().into_iter().filter(own).map(|record| Record { number: 0, ..record }).collect()
}

#[test]
fn rows_cite_the_paper_from_the_first_snapshot_on() {
    let model = visitor();
    assert_eq!(model.time.scene.facts.as_deref(), model.head.as_ref().map(|head| &head.facts));
    assert!(model.time.scene.facts.is_some());
}

#[test]
fn the_clock_goes_on_between_frames() {
    let mut model = visitor();
    tick(&mut model, 1_450);
    assert!(text(&mut model, 80, 24).contains(" 0.8 s │ LIVE"), "0.42 s and 0.45 s later");
    frame(&mut model, Frame::Pulse { at: 900_000_000 });
    assert!(text(&mut model, 80, 24).contains(" 0.9 s │ LIVE"));
}

#[test]
fn a_lab_that_says_nothing_for_a_second_is_silent_until_it_speaks() {
    let mut model = visitor();
    tick(&mut model, 1_990);
    assert!(text(&mut model, 80, 24).contains("LIVE"));
    tick(&mut model, 2_010);
    let screen = text(&mut model, 80, 24);
    assert!(screen.contains("silent since 0.4 s") && !screen.contains("LIVE"), "{screen}");
    frame(&mut model, Frame::Pulse { at: 3_000_000_000 });
    let screen = text(&mut model, 80, 24);
    assert!(screen.contains("3.0 s │ LIVE") && screen.contains("answers again"), "{screen}");
}

#[test]
fn a_pause_of_the_screen_itself_is_no_silence_of_the_lab() {
    let mut model = visitor();
    update(&mut model, ScreenMessage::Tick(Duration::from_secs(11)));
    assert!(text(&mut model, 80, 24).contains("LIVE"));
    tick(&mut model, 12_100);
    assert!(text(&mut model, 80, 24).contains("silent since 0.4 s"));
}

#[test]
fn one_node_alone_falls_silent_and_its_new_process_is_taken_up() {
    let mut model = Model::live(&options(lab(Some(node(3))), Role::Visitor));
    tick(&mut model, 1_000);
    frame(&mut model, node_snapshot(of_node_three()));
    let screen = text(&mut model, 80, 24);
    assert!(screen.contains("as node 3 alone sees it") && screen.contains("3 ● running  Normal         5"), "{screen}");
    assert!(!screen.contains("absent"), "it knows of no other node: {screen}");
    tick(&mut model, 2_500);
    assert!(text(&mut model, 80, 24).contains("3 ‖ silent since 0.4 s"));
    assert_eq!(super::lines_of(&press(&mut model, "p")), ["resume 3"]);
    assert!(update(&mut model, ScreenMessage::Lost).is_empty());
    let mut again = step(9_000_000_000, 3, Input::Start { saved: true }, vec![], Some(state(Status::Down, None, None)));
    if let Body::Step(step) = &mut again.body {
        step.incarnation = Incarnation(2);
    }
    frame(&mut model, node_snapshot(vec![Record { number: 0, ..again }]));
    let screen = text(&mut model, 80, 48);
    assert!(screen.contains("running  Down") && screen.contains("start 2"), "{screen}");
    assert!(screen.contains("3 Normal under 5"), "what was before stays in the log: {screen}");
}

#[test]
fn what_the_newest_records_hold_was_not_missed() {
    let (mut stopped, mut whole) = (visitor(), visitor());
    frame(&mut stopped, snapshot(&crash(), 37));
    crash().into_iter().skip(calm().len()).for_each(|record| hear(&mut whole, record));
    assert!(!text(&mut stopped, 80, 24).contains("missed"));
    assert_eq!(stopped.time.scene.rows.len(), whole.time.scene.rows.len());
}

#[test]
fn what_was_missed_is_told_and_the_present_shown() {
    let mut model = visitor();
    frame(&mut model, snapshot_after_gap(&crash(), 37));
    let screen = text(&mut model, 80, 24);
    assert!(screen.contains("this screen missed 37 records; it shows the present now"), "{screen}");
    assert!(screen.contains("dead"), "{screen}");
    model.toasts.clear();
    let screen = text(&mut model, 80, 48);
    assert!(screen.contains("this screen missed 37 records"), "{screen}");
    press(&mut model, "2");
    let rows = text(&mut model, 200, 100);
    let begins = rows.lines().filter(|line| line.ends_with("the lab begins")).count();
    assert_eq!(begins, 1, "a record that was known has no second row: {rows}");
}

#[test]
fn the_end_of_the_lab_ends_its_owner_and_leaves_a_visitor_the_last_state() {
    let why = "down was ordered".to_owned();
    let commands = frame(&mut live(&calm()), Frame::Goodbye { why: why.clone() });
    assert!(matches!(&commands[..], [Command::Leave(ScreenEnd::LabEnded(told))] if *told == why));
    let mut model = visitor();
    assert!(frame(&mut model, Frame::Goodbye { why }).is_empty());
    let screen = text(&mut model, 80, 34);
    assert!(screen.contains("LAB OVER") && screen.contains("5 ● running  Normal"), "{screen}");
}

#[test]
fn who_is_refused_leaves_unless_it_has_been_watching() {
    let refused = || Frame::Refused { why: "128 watchers are attached".to_owned() };
    let mut never = Model::live(&options(lab(None), Role::Visitor));
    let commands = frame(&mut never, refused());
    assert!(matches!(&commands[..], [Command::Leave(end @ ScreenEnd::Refused(_))] if end.exit_code() == 6));
    assert!(frame(&mut visitor(), refused()).is_empty());
}

#[test]
fn a_lab_that_is_gone_without_a_word_ends_its_owner_and_is_told_to_a_visitor() {
    let commands = update(&mut live(&calm()), ScreenMessage::Gone);
    assert!(matches!(commands[..], [Command::Leave(ScreenEnd::LabLost)]));
    let mut model = visitor();
    assert!(update(&mut model, ScreenMessage::Lost).is_empty());
    assert!(update(&mut model, ScreenMessage::Gone).is_empty());
    assert!(text(&mut model, 80, 24).contains("LAB GONE"));
    let mut never = Model::live(&options(lab(None), Role::Visitor));
    assert!(text(&mut never, 80, 24).contains("Waiting for the first record"));
    assert!(matches!(update(&mut never, ScreenMessage::Gone)[..], [Command::Leave(ScreenEnd::LabLost)]));
}

#[test]
fn the_screen_of_a_node_tells_why_the_lab_is_over_as_any_other_does() {
    let mut model = Model::live(&options(lab(Some(node(3))), Role::Visitor));
    frame(&mut model, snapshot(&calm(), 0));
    assert!(update(&mut model, ScreenMessage::LabOver("it was told to end".into())).is_empty());
    for end in [ScreenMessage::Lost, ScreenMessage::Gone] {
        assert!(update(&mut model, end).is_empty());
    }
    let screen = text(&mut model, 80, 24);
    assert!(screen.contains("LAB OVER") && screen.contains("The lab is over: it was told to end"), "{screen}");
    assert!(!screen.contains("without a message"), "{screen}");
}

#[test]
fn answers_are_told() {
    let mut model = visitor();
    let request = || Request::Inject("crash 9".into());
    for (answer, told) in [
        (Answer::Done { id: Some(FaultId(1)), text: "f1 is in force".into() }, "● f1 is in force"),
        (Answer::Refused { why: "there is no node 9 in this lab".into() }, "✗ there is no node 9"),
        (
            Answer::NotInForce { id: FaultId(2), why: "no answer from 3".into() },
            "✗ f2 is not in force: no answer from 3",
        ),
    ] {
        update(&mut model, ScreenMessage::Answered { request: request(), answer });
        assert!(text(&mut model, 80, 24).contains(told), "{told}");
    }
    tick(&mut model, 60_000);
    assert!(model.toasts.back().is_none(), "what was told goes by itself");
}

#[test]
fn the_light_tells_apart_what_is_well_what_is_not_and_what_nobody_can_say() {
    let light = |body: Option<Body>| {
        let mut model = live(&calm());
        if let Some(body) = body {
            hear(&mut model, Record::of_host(1_000_000_000, body));
        }
        text(&mut model, 80, 24).lines().next().unwrap().rsplit('│').next().unwrap().trim().to_owned()
    };
    let violation = |because: Option<Assumption>| {
        let mut report = super::stage::violation();
        if because.is_none() {
            report.excuse = Excuse::NoneBroken;
        }
        Some(Body::Violation(report))
    };
    let verdict = |outcome| {
        Some(Body::Verdict { about: VerdictAbout::Expectation(0), outcome, text: "coordinator 3 within 4s".into() })
    };
    assert_eq!(light(None), "● ok");
    assert_eq!(light(violation(None)), "✗ 1 violation (V)");
    assert_eq!(light(violation(Some(Assumption::NoPauses))), "? 1 violation, excused (V)");
    assert_eq!(light(verdict(Outcome::Met)), "● ok");
    assert_eq!(light(verdict(Outcome::Failed)), "✗ 1 failed");
    assert_eq!(light(verdict(Outcome::Unknown)), "? unknown");
    assert_eq!(light(Some(Body::Gap(Missed { count: 1, place: "in a node".into() }))), "? unknown");
}

#[test]
fn a_violation_is_excused_by_a_broken_assumption_whoever_broke_it() {
    let report = super::stage::violation();
    let told = |report: &record::ViolationReport| {
        let mut model = live(&calm());
        hear(&mut model, Record::of_host(1_000_000_000, Body::Violation(report.clone())));
        let row = model.time.scene.rows.newest().next().unwrap().1.text.clone();
        (model.toasts.back().unwrap().text.clone(), row)
    };
    let of_computer = |excuse| match excuse {
        Excuse::Broken { broken, way } => {
            Excuse::Broken { broken: Box::new(BrokenAssumption { by: BrokenBy::ThisComputer, ..*broken }), way }
        }
        none => none,
    };
    let by_computer = record::ViolationReport { excuse: of_computer(report.excuse.clone()), ..report.clone() };
    let by_nobody = record::ViolationReport { excuse: Excuse::NoneBroken, ..report.clone() };
    for (report, toast, row) in [
        (report, "Excused violation of assertion-1 by 1,4: f2 broke assumption 8", "excused violation"),
        (by_computer, "Excused violation of assertion-1 by 1,4: this computer broke assumption 8", "excused violation"),
        (by_nobody, "Violation of assertion-1 by 1,4: no broken assumption excuses it", "violation"),
    ] {
        let told = told(&report);
        assert!(told.0.starts_with(toast) && told.1.starts_with(&format!("{row} assertion-1 of 1,4: ")), "{told:?}");
    }
}

#[test]
fn what_the_lab_expects_is_shown_as_such() {
    let mut model = live(&calm());
    let head = model.head.as_mut().unwrap();
    head.lab_id = "expecting".into();
    head.lab_file = "[[expect]]\nthat = \"violation assertion-1 because hole B1\"\n".into();
    let report = record::ViolationReport { excuse: Excuse::NoneBroken, ..super::stage::violation() };
    hear(&mut model, Record::of_host(1_000_000_000, Body::Violation(report)));
    let (about, text_of) = (VerdictAbout::Expectation(1), "FAILED coordinator 3, within 4s".to_owned());
    hear(&mut model, Record::of_host(2_000_000_000, Body::Verdict { about, outcome: Outcome::Failed, text: text_of }));
    let screen = text(&mut model, 120, 40);
    assert!(screen.lines().next().unwrap().contains("1 failed (V)"), "{screen}");
    press(&mut model, "V");
    let page = text(&mut model, 120, 40);
    for part in ["assertion-1 by 1,4: the lab expects it as hole B1", "what the lab expects", "FAILED coordinator 3"] {
        assert!(page.contains(part), "{part}: {page}");
    }
}

#[test]
fn receipts_grow_with_the_records() {
    let mut model = live(&storm());
    press(&mut model, "3 Up Up");
    for sequence in 0..2 {
        let dropped = Body::Dropped { id: id(3, 2, 50 + sequence), by: FaultId(2), message: Some(message("Halt")) };
        hear(&mut model, Record::of_node(7_000_000_000, node(2), dropped));
    }
    let screen = text(&mut model, 80, 24);
    assert!(screen.contains("3 -> 2    dropped      2") && screen.contains("4 -> 1    dropped      3"), "{screen}");
    assert_eq!(model.time.scene.world.faults[1].totals(), (5, 0));
    assert_eq!(model.time.scene.world.faults[1].nodes, set("1-5"));
}

#[test]
fn the_header_says_when_recording_is_suspended_and_that_it_goes_on() {
    let mut model = visitor();
    let header = |model: &mut Model, width| text(model, width, 24).lines().next().unwrap_or_default().to_owned();
    let record = |body| Frame::Record { record: Record { number: 1_000, ..Record::of_host(900_000_000, body) } };
    assert!(header(&mut model, 100).contains("│ REC │"));
    frame(&mut model, record(Body::RecordingSuspended { why: "No space left on device".into() }));
    assert!(header(&mut model, 100).contains("│ REC suspended │"));
    assert!(header(&mut model, 60).contains("│ REC suspended │"), "the left side gives way");
    let screen = text(&mut model, 100, 24);
    assert!(screen.contains("Recording is suspended: No space left on device. The lab goes on"), "{screen}");
    frame(&mut model, record(Body::RecordingResumed { count: 31 }));
    assert!(header(&mut model, 100).contains("│ REC │"));
    let screen = text(&mut model, 100, 24);
    assert!(screen.contains("Recording has resumed; 31 records are missing in the session file"), "{screen}");
}

#[test]
fn the_header_says_so_where_the_lower_id_outranks_the_higher_one() {
    let mut model = live(&calm());
    let header = |model: &mut Model| text(model, 100, 24).lines().next().unwrap_or_default().to_owned();
    assert!(!header(&mut model).contains("outranks"));
    if let Some(head) = &mut model.head {
        head.facts.rank = protocol::Rank::LowerId;
    }
    assert!(header(&mut model).contains("│ lower id outranks │ T 200ms"), "{}", header(&mut model));
}

#[test]
fn in_slow_motion_the_screens_clock_goes_as_slowly_and_the_header_says_so() {
    let mut model = visitor();
    let slow = Body::SpeedSet { speed: "0.05x".parse().unwrap(), by: FaultId(1) };
    let record = Record { number: 1_000, wall: None, ..Record::of_host(2_000_000_000, slow) };
    frame(&mut model, Frame::Record { record });
    let clock = u64::try_from(model.clock.as_millis()).unwrap();
    tick(&mut model, clock + 600);
    assert_eq!(model.time.scene.at, 2_030_000_000);
    let screen = text(&mut model, 60, 16);
    assert!(screen.contains("LIVE ") && screen.contains(" time 0.05x "), "{screen}");
    press(&mut model, "T");
    assert_eq!(model.dialogs.prompt.as_ref().unwrap().text, "speed 1x", "the way back");
    // A row waits for those that may belong before it as long as ever by this computer's clock.
    let halt = step(2_030_000_000, 3, Input::Start { saved: false }, vec![], Some(state(Status::Down, None, None)));
    frame(&mut model, Frame::Record { record: Record { number: 1_001, ..halt } });
    let newest = |model: &Model| model.seen().flow.rows().last().map(|row| row.record.number);
    assert_ne!(newest(&model), Some(1_001));
    tick(&mut model, clock + 700);
    assert_eq!(newest(&model), Some(1_001));
}

#[test]
fn the_key_of_slow_motion_asks_for_a_speed() {
    let mut model = visitor();
    assert!(!text(&mut model, 100, 30).contains(" time "));
    press(&mut model, "T");
    assert_eq!(model.dialogs.prompt.as_ref().unwrap().text, "speed ");
    press(&mut model, "0 . 2 x");
    let commands = press(&mut model, "Enter");
    assert!(matches!(&commands[..], [Command::Request(Request::Inject(line))] if line == "speed 0.2x"), "{commands:?}");
}

#[test]
fn a_snapshot_keeps_no_record_twice() {
    // A time-out that changes nothing has no row of its own.
    let mut records = calm();
    let timer = Input::Timer { timer: "check".into(), set: 0, due: 1, waited_for: Default::default() };
    let number = 1 + records.len() as u64;
    records.push(Record { number, ..step(500_000_000, 3, timer, vec![], None) });
    let mut model = live(&records);
    frame(&mut model, snapshot(&records, 0));
    let numbers: Vec<u64> = model.records_seen().iter().map(|record| record.number).collect();
    assert_eq!(numbers, (1..=number).collect::<Vec<_>>());
}
