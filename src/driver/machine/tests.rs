//! Tests of the driver: the exact order of records, saves and sends, the numbers, the timers.
//!
//! Invariant: a driver is told the time, and relays nothing.

use super::*;
use crate::tests::{EnvironmentCall, MS, Readers, Refuses, TestEnvironment, node, passage};
use protocol::trial::{CountingAlgorithm, TrialTimer, count, setup};
use protocol::{Algorithm, Incarnation, NodeSet};

fn at(ms: u64) -> Stamp {
    Stamp::of(ms * MS)
}

fn id(to: Option<u16>, sequence: u64) -> MessageId {
    MessageId { from: node(1), incarnation: Incarnation(1), to: to.map(node), sequence }
}

/// The message with this number was sent to 2.
fn sent(sequence: u64, number: u64) -> EnvironmentCall {
    EnvironmentCall::Sent(id(Some(2), sequence), Payload::of(count(number)))
}

fn noting(refuses: Refuses) -> TestEnvironment {
    TestEnvironment { refuses, ..TestEnvironment::new(CountingAlgorithm::CARD.delivery) }
}

fn started(refuses: Refuses) -> (Driver, TestEnvironment) {
    let mut notebook = noting(refuses);
    let driver =
        Driver::start(MachineKind::of::<CountingAlgorithm>(), setup(1), 7, None, None, at(0), &mut notebook).unwrap();
    (driver, notebook)
}

fn step_of(done: &EnvironmentCall) -> Option<&Step> {
    match done {
        EnvironmentCall::Record(body) => match &**body {
            Body::Step(step) => Some(step),
            _ => None,
        },
        _ => None,
    }
}

fn steps(notebook: &TestEnvironment) -> Vec<&Step> {
    notebook.done.iter().filter_map(step_of).collect()
}

#[test]
fn a_start_is_recorded_with_its_timers() {
    let (driver, notebook) = started(Refuses::Nothing);
    let [step] = steps(&notebook)[..] else { panic!("{:?}", notebook.done) };
    assert_eq!((step.step, step.capacity, &step.lines[..]), (1, 1, &[1][..]));
    assert_eq!(step.input, Input::Start { saved: false });
    assert!(step.state.is_some());
    let timer = EffectText::SetTimer { timer: "Alone".into(), span: Span::from_millis(20) };
    assert_eq!(step.effects, [timer]);
    assert_eq!(driver.next_due(), Some(20 * MS));
}

#[test]
fn the_record_goes_before_save_and_send() {
    let (mut driver, mut notebook) = started(Refuses::Nothing);
    notebook.done.clear();
    driver.on_message(&passage(9), &Payload::of(count(3)), at(1), &mut notebook).unwrap();
    let (first, rest) = notebook.done.split_first().unwrap();
    let step = step_of(first).expect("the record comes first");
    let told = MessageId { from: node(2), incarnation: Incarnation(1), to: Some(node(1)), sequence: 9 };
    let heard = Payload::of(count(3)).text();
    assert_eq!(heard.fields, [("number".into(), "3".to_owned())]);
    assert_eq!(step.input, Input::Message { id: told, message: heard });
    assert_eq!(step.state.as_ref().unwrap().election, Some(3));
    let saved = codec::encode_saved(&3u64).unwrap();
    assert_eq!(
        step.effects,
        [
            EffectText::Send { id: id(Some(2), 1), message: Payload::of(count(4)).text() },
            EffectText::Save { body: codec::hex(&saved) },
            EffectText::Send { id: id(Some(2), 2), message: Payload::of(count(5)).text() },
            EffectText::CancelTimer { timer: "Alone".into() },
        ]
    );
    assert_eq!(rest, [sent(1, 4), EnvironmentCall::Saved(SavedCells::of(3u64)), sent(2, 5)]);
    assert_eq!(driver.next_due(), None);
}

#[test]
fn numbers_count_for_each_receiver_apart() {
    let (mut driver, mut notebook) = started(Refuses::Nothing);
    driver.on_message(&passage(1), &Payload::of(count(3)), at(1), &mut notebook).unwrap();
    driver.on_order(Order::Elect, at(1), &mut notebook).unwrap();
    driver.on_message(&Passage { from: node(3), ..passage(1) }, &Payload::of(count(3)), at(1), &mut notebook).unwrap();
    driver.on_order(Order::Elect, at(1), &mut notebook).unwrap();
    let sent: Vec<MessageId> = notebook
        .done
        .iter()
        .filter_map(|done| if let EnvironmentCall::Sent(id, _) = done { Some(*id) } else { None })
        .collect();
    let expected = [(Some(2), 1), (Some(2), 2), (None, 1), (Some(3), 1), (Some(3), 2), (None, 2)];
    assert_eq!(sent, expected.map(|(to, sequence)| id(to, sequence)));
}

#[test]
fn an_unchanged_state_is_not_told_again() {
    let (mut driver, mut notebook) = started(Refuses::Nothing);
    driver.on_message(&passage(1), &Payload::of(count(3)), at(1), &mut notebook).unwrap();
    driver.on_message(&passage(2), &Payload::of(count(3)), at(2), &mut notebook).unwrap();
    driver.on_message(&passage(3), &Payload::of(count(4)), at(3), &mut notebook).unwrap();
    let told: Vec<Option<u64>> = steps(&notebook).iter().map(|step| step.state.as_ref()?.election).collect();
    assert_eq!(told, [Some(0), Some(3), None, Some(4)]);
}

#[test]
fn timers_run_out_in_order_and_once() {
    let (mut driver, mut notebook) = started(Refuses::Nothing);
    driver.on_order(Order::Elect, at(5), &mut notebook).unwrap();
    notebook.done.clear();
    assert!(!driver.on_due_timer(6 * MS - 1, at(6), &mut notebook).unwrap());
    assert!(driver.on_due_timer(6 * MS, at(8), &mut notebook).unwrap());
    assert!(driver.on_due_timer(6 * MS, at(8), &mut notebook).unwrap());
    assert!(!driver.on_due_timer(99 * MS, at(99), &mut notebook).unwrap());
    let rung: Vec<Input> = steps(&notebook).iter().map(|step| step.input.clone()).collect();
    let timer = |timer: TrialTimer, waited_for| Input::Timer {
        timer: (&*format!("{timer:?}")).into(),
        set: 5 * MS,
        due: 6 * MS,
        waited_for,
    };
    assert_eq!(rung, [timer(TrialTimer::Alone, NodeSet::of(node(1))), timer(TrialTimer::Drawn, NodeSet::EMPTY)]);
}

#[test]
fn a_send_that_fails_is_told() {
    let (mut driver, mut notebook) = started(Refuses::Sends);
    notebook.done.clear();
    driver.on_message(&passage(1), &Payload::of(count(3)), at(1), &mut notebook).unwrap();
    let failed = |sequence| {
        EnvironmentCall::Record(Box::new(Body::SendFailed { id: id(Some(2), sequence), error: "no room".into() }))
    };
    let saved = EnvironmentCall::Saved(SavedCells::of(3u64));
    assert_eq!(notebook.done[1..], [failed(1), saved, failed(2)]);
}

#[test]
fn a_save_that_fails_halts() {
    let (mut driver, mut notebook) = started(Refuses::Saves);
    notebook.done.clear();
    assert!(driver.on_message(&passage(1), &Payload::of(count(3)), at(1), &mut notebook).is_err());
    assert!(
        matches!(&notebook.done[..], [EnvironmentCall::Record(_), EnvironmentCall::Sent(..)]),
        "{:?}",
        notebook.done
    );
}

#[test]
fn a_span_is_drawn_from_its_range() {
    let draws = |me: u16, incarnation: u32| -> Vec<Span> {
        let mut notebook = noting(Refuses::Nothing);
        let setup = Setup { incarnation: Incarnation(incarnation), ..setup(me) };
        let mut driver: Driver =
            Driver::start(MachineKind::of::<CountingAlgorithm>(), setup, 7, None, None, at(0), &mut notebook).unwrap();
        (0..100).map(|_| driver.choices.draw(Span::from_millis(10), Span::from_millis(20))).collect()
    };
    let drawn = draws(1, 1);
    assert!(drawn.iter().all(|span| (Span::from_millis(10)..=Span::from_millis(20)).contains(span)));
    assert!(drawn.windows(2).all(|pair| pair[0] != pair[1]));
    assert_eq!(drawn, draws(1, 1));
    assert_ne!(drawn, draws(1, 2));
    assert_ne!(drawn, draws(2, 1));
}

/// A driver in which this moment is armed, with a notebook that is empty.
fn armed(moment: &str, refuses: Refuses) -> (Driver, TestEnvironment) {
    let (driver, mut notebook) = started(refuses);
    notebook.done.clear();
    notebook.armed.arm("ready".into(), moment.parse().unwrap());
    (driver, notebook)
}

#[test]
fn a_step_is_held_after_its_message() {
    for moment in ["first Count sent", "Count sent by 1"] {
        let (mut driver, mut notebook) = armed(moment, Refuses::Nothing);
        driver.on_message(&passage(9), &Payload::of(count(3)), at(1), &mut notebook).unwrap();
        let step = step_of(&notebook.done[0]).unwrap();
        assert_eq!(step.held, Some(StepHold { by: "ready".into(), after: 1 }));
        assert_eq!((step.effects_around_hold().0.len(), step.effects_around_hold().1.len()), (1, 3));
        assert!(driver.is_held() && notebook.done.len() == 1, "nothing is done yet: {:?}", notebook.done);
        driver.reach_hold("another", &mut notebook).unwrap();
        assert_eq!(notebook.done.len(), 1);
        driver.reach_hold("ready", &mut notebook).unwrap();
        assert_eq!(notebook.done[1..], [sent(1, 4), EnvironmentCall::Held("ready".into())]);
        assert!(driver.is_held() && driver.next_due().is_some(), "the timer is cancelled behind the hold");
        notebook.done.clear();
        driver.go_on("another", at(2), &mut notebook).unwrap();
        assert!(driver.is_held() && notebook.done.is_empty());
        driver.go_on("ready", at(3), &mut notebook).unwrap();
        assert_eq!(notebook.done, [EnvironmentCall::Saved(SavedCells::of(3u64)), sent(2, 5)]);
        assert!(!driver.is_held() && driver.next_due().is_none());
        // The moment comes once.
        notebook.done.clear();
        driver.on_message(&passage(10), &Payload::of(count(4)), at(4), &mut notebook).unwrap();
        assert!(step_of(&notebook.done[0]).unwrap().held.is_none() && !driver.is_held());
    }
}

#[test]
fn a_timer_behind_a_hold_runs_later() {
    let (mut driver, mut notebook) = armed("first Count sent", Refuses::Nothing);
    driver.on_order(Order::Elect, at(5), &mut notebook).unwrap();
    assert_eq!(step_of(&notebook.done[0]).unwrap().held.as_ref().map(|hold| hold.after), Some(3));
    driver.reach_hold("ready", &mut notebook).unwrap();
    driver.go_on("ready", at(7), &mut notebook).unwrap();
    // Trial sets its timers before it broadcasts, so they have run since the order, and not since the node went on.
    assert_eq!(driver.next_due(), Some(6 * MS));
    let (mut notebook, told) = (noting(Refuses::Nothing), at(0));
    notebook.armed.arm("ready".into(), "1 enters counting".parse().unwrap());
    let mut driver: Driver =
        Driver::start(MachineKind::of::<CountingAlgorithm>(), setup(1), 7, None, None, told, &mut notebook).unwrap();
    // A hold at a state stands before the step's first message. A start of Trial sends none, so the hold stands at its
    // end, and its timer has run since the start.
    assert_eq!(step_of(&notebook.done[0]).unwrap().held.as_ref().map(|hold| hold.after), Some(1));
    assert!(driver.is_held());
    driver.go_on("ready", at(2), &mut notebook).unwrap();
    assert_eq!(driver.next_due(), Some(20 * MS));
}

#[test]
fn an_unreached_hold_changes_no_order() {
    let (mut driver, mut notebook) = armed("first Count sent", Refuses::Nothing);
    driver.on_message(&passage(9), &Payload::of(count(3)), at(1), &mut notebook).unwrap();
    driver.go_on("ready", at(3), &mut notebook).unwrap();
    assert_eq!(notebook.done[1..], [sent(1, 4), EnvironmentCall::Saved(SavedCells::of(3u64)), sent(2, 5)]);
    assert!(!driver.is_held());
}

#[test]
fn what_does_not_come_holds_nobody() {
    for moment in ["Count sent by 2", "first Other sent", "2 enters counting", "1 enters counting"] {
        let (mut driver, mut notebook) = armed(moment, Refuses::Nothing);
        driver.on_message(&passage(9), &Payload::of(count(3)), at(1), &mut notebook).unwrap();
        assert!(!driver.is_held() && step_of(&notebook.done[0]).unwrap().held.is_none(), "{moment}");
        notebook.armed.disarm("another");
    }
    let (mut driver, mut notebook) = armed("first Count sent", Refuses::Nothing);
    notebook.armed.disarm("ready");
    driver.on_message(&passage(9), &Payload::of(count(3)), at(1), &mut notebook).unwrap();
    assert!(!driver.is_held());
}

#[test]
fn a_hold_without_record_is_none() {
    let (mut driver, mut notebook) = armed("first Count sent", Refuses::Records);
    driver.on_message(&passage(9), &Payload::of(count(3)), at(1), &mut notebook).unwrap();
    assert!(!driver.is_held());
    assert_eq!(notebook.done.len(), 4, "the record, two sends and a save: {:?}", notebook.done);
}

#[test]
fn without_readers_the_same_steps_are_done() {
    let done = |readers: Readers, refuses: Refuses| {
        let mut notebook = TestEnvironment { readers, ..noting(refuses) };
        let mut driver: Driver =
            Driver::start(MachineKind::of::<CountingAlgorithm>(), setup(1), 7, None, None, at(0), &mut notebook)
                .unwrap();
        driver.on_order(Order::Elect, at(1), &mut notebook).unwrap();
        let ends = driver.on_message(&passage(1), &Payload::of(count(3)), at(1), &mut notebook);
        let due = driver.next_due();
        while driver.on_due_timer(9 * MS, at(9), &mut notebook).unwrap() {}
        driver.on_message(&passage(2), &Payload::of(count(12)), at(10), &mut notebook).unwrap();
        (notebook.done, ends, due, driver.steps, driver.state())
    };
    for refuses in [Refuses::Nothing, Refuses::Sends, Refuses::Saves] {
        let mut told = done(Readers::Some, refuses);
        told.0.retain(|done| !matches!(done, EnvironmentCall::Record(_)));
        let untold = done(Readers::None, refuses);
        assert!(!told.0.is_empty() || refuses == Refuses::Sends);
        assert_eq!(untold, told);
    }
}

#[test]
fn a_moment_holds_without_readers() {
    let mut notebook = TestEnvironment { readers: Readers::None, ..noting(Refuses::Nothing) };
    let mut driver: Driver =
        Driver::start(MachineKind::of::<CountingAlgorithm>(), setup(1), 7, None, None, at(0), &mut notebook).unwrap();
    // It has been counting since its start, so it does not enter that state now, although no record has told of it.
    notebook.armed.arm("ready".into(), "1 enters counting".parse().unwrap());
    driver.on_message(&passage(9), &Payload::of(count(3)), at(1), &mut notebook).unwrap();
    assert!(!driver.is_held());
    notebook.done.clear();
    notebook.armed.arm("ready".into(), "first Count sent".parse().unwrap());
    driver.on_message(&passage(10), &Payload::of(count(3)), at(1), &mut notebook).unwrap();
    assert!(driver.is_held() && notebook.done.is_empty());
    driver.reach_hold("ready", &mut notebook).unwrap();
    assert_eq!(notebook.done, [sent(3, 4), EnvironmentCall::Held("ready".into())]);
}

#[test]
fn timers_run_by_the_machines_clock() {
    let rate = |text: &str| Some(text.parse().unwrap());
    let mut notebook = noting(Refuses::Nothing);
    let mut driver: Driver =
        Driver::start(MachineKind::of::<CountingAlgorithm>(), setup(1), 7, None, rate("2x"), at(10), &mut notebook)
            .unwrap();
    assert_eq!(driver.next_due(), Some(20 * MS), "20 ms of its own are 10 of the lab's");
    driver.set_rate(None, at(15));
    assert_eq!(driver.next_due(), Some(25 * MS), "and 10 of them were left");
    driver.set_rate(rate("0.5x"), at(20));
    assert_eq!(driver.next_due(), Some(30 * MS));
    assert!(!driver.on_due_timer(30 * MS - 1, at(30), &mut notebook).unwrap());
    assert!(driver.on_due_timer(30 * MS, at(31), &mut notebook).unwrap());
    let input = &step_of(notebook.done.last().unwrap()).unwrap().input;
    assert!(matches!(input, Input::Timer { set, due, .. } if (*set, *due) == (10 * MS, 30 * MS)), "{input:?}");
}
