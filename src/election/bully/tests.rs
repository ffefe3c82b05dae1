//! Bully's immediate procedures one by one: a state, one input, exactly what comes of it.
//!
//! Invariant: every procedure of Appendix I has a test that names it; those that run as processes are in `processes`,
//! what the sequential form does otherwise in `sequential`, and what the book says otherwise in `book`.

mod book;
mod processes;
mod sequential;

use super::{Bully, Message, SafeCells, Timer, card as line};
use crate::garcia_molina::YesOrNo;
use bench::letter_of;
use bench::{Bench, call, cancel, save, send, set};
use bench::{node, nodes};
use protocol::{
    Algorithm, Effect, Incarnation, NodeSet, Order, SettingValue, Settings, Span, StateVector, Status, Task, Timing,
};

const T: Span = Span::from_millis(200);
const TIMING: Timing = Timing { t: T, check: Span::from_millis(300), silence: Span::from_millis(1000) };

/// Node 3 of 4, which has asked node 4 at its Recovery, in call 1.
fn down() -> Bench<Bully> {
    Bench::start(3, 4, TIMING, |settings| settings)
}

/// Node 3, which found 4 silent and halts 2 and 1, in call 2.
fn candidate() -> Bench<Bully> {
    let mut bench = down();
    bench.time_out(Timer::AreYouThere);
    bench
}

/// Node 3, which was answered by 2 and tells it that 3 coordinates, in call 3.
fn announcing() -> Bench<Bully> {
    let mut bench = candidate();
    bench.hear(2, Message::HaltAnswer { call: call(2) });
    bench.time_out(Timer::Halt);
    bench
}

/// Node 3, which gives 2 the task, in call 4.
fn giving_out() -> Bench<Bully> {
    let mut bench = announcing();
    bench.hear(2, Message::NewCoordinatorAnswer { call: call(3) });
    bench
}

/// Node 3, Normal, coordinator of itself and 2.
fn coordinator() -> Bench<Bully> {
    let mut bench = giving_out();
    bench.hear(2, Message::ReadyAnswer { call: call(4) });
    bench
}

/// Node 3 halted by 4.
fn halted() -> Bench<Bully> {
    let mut bench = down();
    bench.hear(4, Message::Halt { call: call(9) });
    bench
}

/// Node 3 in Reorganization under 4.
fn reorganizing() -> Bench<Bully> {
    let mut bench = halted();
    bench.hear(4, Message::NewCoordinator { call: call(10) });
    bench
}

/// Node 3, Normal under 4.
fn member() -> Bench<Bully> {
    let mut bench = reorganizing();
    bench.hear(4, Message::Ready { call: call(11), task: task_of_4() });
    bench
}

fn task_of_4() -> Task {
    Task { author: node(4), incarnation: Incarnation(1), serial: 7, members: nodes("1-3") }
}

fn task_of_3() -> Task {
    Task { author: node(3), incarnation: Incarnation(1), serial: 1, members: nodes("2") }
}

fn state(bench: &Bench<Bully>) -> StateVector {
    bench.machine.state()
}

fn every_state() -> Vec<Bench<Bully>> {
    vec![down(), candidate(), announcing(), giving_out(), coordinator(), halted(), reorganizing(), member()]
}

#[test]
fn are_you_there_is_answered_in_every_status_and_changes_nothing() {
    for mut bench in every_state() {
        let before = bench.machine.clone();
        let effects = bench.hear(1, Message::AreYouThere { call: call(5) });
        assert_eq!(effects, [send(1, Message::AreYouThereAnswer { call: call(5) })]);
        assert_eq!(bench.machine, before);
    }
}

#[test]
fn are_you_normal_is_answered_yes_to_ones_own_coordinator_only() {
    let answer = |bench: &mut Bench<Bully>, from| {
        let effects = bench.hear(from, Message::AreYouNormal { call: call(5) });
        effects[0].clone()
    };
    let told = |to, normal| send(to, Message::AreYouNormalAnswer { call: call(5), normal });
    assert_eq!(answer(&mut member(), 4), told(4, YesOrNo::Yes));
    assert_eq!(answer(&mut member(), 2), told(2, YesOrNo::No), "hole B1, mended");
    for mut bench in [down(), halted(), reorganizing()] {
        assert_eq!(answer(&mut bench, 4), told(4, YesOrNo::No));
    }
}

#[test]
fn are_you_normal_to_the_letter_does_not_ask_under_whom() {
    let mut bench: Bench<Bully> =
        Bench::start(3, 4, TIMING, |settings| settings.with("errata", SettingValue::Flag(false)));
    bench.hear(4, Message::Halt { call: call(9) });
    bench.hear(4, Message::NewCoordinator { call: call(10) });
    bench.hear(4, Message::Ready { call: call(11), task: task_of_4() });
    let effects = bench.hear(2, Message::AreYouNormal { call: call(5) });
    assert_eq!(effects, [send(2, Message::AreYouNormalAnswer { call: call(5), normal: YesOrNo::Yes })]);
}

/// The same nodes, as they are when the paper's holes are not mended.
fn every_state_to_the_letter() -> Vec<Bench<Bully>> {
    let to_the_letter = |mut bench: Bench<Bully>| {
        bench.machine.mends = letter_of::<Bully>("paper");
        bench
    };
    every_state().into_iter().map(to_the_letter).collect()
}

#[test]
fn halt_has_no_guard_to_the_letter_and_the_last_halter_wins() {
    for mut bench in every_state_to_the_letter() {
        for halter in [4, 1, 1, 2] {
            let before = SafeCells::clone(&bench.machine.cells);
            bench.hear(halter, Message::Halt { call: call(5) });
            assert_eq!((state(&bench).status, state(&bench).halted_by), (Status::Election, Some(node(halter))));
            assert!(bench.effects.contains(&send(halter, Message::HaltAnswer { call: call(5) })));
            let saves = bench.effects.iter().position(|effect| matches!(effect, Effect::Save { .. }));
            assert_eq!(
                saves,
                (*bench.machine.cells != before).then_some(0),
                "saved first, if there is anything to save"
            );
            assert_eq!(
                *bench.effects.last().unwrap(),
                set(Timer::Timeout, TIMING.silence),
                "it is the halter we wait for"
            );
        }
    }
}

#[test]
fn halt_of_a_lower_node_is_refused_and_answered_all_the_same() {
    for mut bench in every_state() {
        let before = bench.machine.clone();
        let answer = send(2, Message::HaltAnswer { call: call(5) });
        assert_eq!(bench.hear(2, Message::Halt { call: call(5) }), [answer], "hole B8, mended");
        assert_eq!((bench.machine, bench.lines), (before, vec![line::HALT_REFUSED]));
    }
}

#[test]
fn halt_of_a_higher_node_is_obeyed_in_every_status() {
    for mut bench in every_state() {
        let cells = SafeCells { halted_by: Some(node(4)), ..SafeCells::clone(&bench.machine.cells) };
        let is_new = cells != *bench.machine.cells;
        bench.hear(4, Message::Halt { call: call(5) });
        assert_eq!((state(&bench).status, &*bench.machine.cells), (Status::Election, &cells));
        assert_eq!(bench.lines, [line::HALT]);
        assert_eq!(bench.effects.contains(&save(cells)), is_new);
        assert!(bench.effects.contains(&send(4, Message::HaltAnswer { call: call(5) })));
    }
}

#[test]
fn halt_stops_what_the_node_was_about() {
    let mut checking = coordinator();
    checking.time_out(Timer::Check);
    let mut inquiring = member();
    inquiring.time_out(Timer::Timeout);
    for (mut bench, timer) in [
        (down(), Timer::AreYouThere),
        (candidate(), Timer::Halt),
        (announcing(), Timer::NewCoordinator),
        (giving_out(), Timer::Ready),
        (checking, Timer::AreYouNormal),
        (inquiring, Timer::CoordinatorThere),
    ] {
        assert!(!bench.machine.waits_for(timer).is_empty());
        assert!(bench.hear(4, Message::Halt { call: call(5) }).contains(&cancel(timer)));
        assert!(bench.machine.waits_for(timer).is_empty());
    }
}

#[test]
fn answers_to_a_stopped_election_have_no_effect() {
    for (mut bench, late) in [
        (down(), Message::AreYouThereAnswer { call: call(1) }),
        (candidate(), Message::HaltAnswer { call: call(2) }),
        (announcing(), Message::NewCoordinatorAnswer { call: call(3) }),
        (giving_out(), Message::ReadyAnswer { call: call(4) }),
    ] {
        bench.hear(4, Message::Halt { call: call(5) });
        let halted = bench.machine.clone();
        assert_eq!(bench.hear(2, late), []);
        assert_eq!(bench.machine, halted);
    }
}

#[test]
fn new_coordinator_is_taken_from_the_halter_in_election() {
    let mut bench = halted();
    bench.hear(4, Message::NewCoordinator { call: call(5) });
    assert_eq!((state(&bench).status, state(&bench).coordinator), (Status::Reorganization, Some(node(4))));
    assert_eq!(bench.lines, [line::NEW_COORDINATOR]);
    let expected = [
        save(SafeCells::clone(&bench.machine.cells)),
        send(4, Message::NewCoordinatorAnswer { call: call(5) }),
        set(Timer::Timeout, TIMING.silence),
    ];
    assert_eq!(bench.effects, expected);
}

#[test]
fn new_coordinator_is_refused_else_and_answered_all_the_same() {
    for (mut bench, caller) in [(halted(), 2), (down(), 4), (member(), 4), (reorganizing(), 4), (candidate(), 4)] {
        let before = bench.machine.clone();
        let answer = send(caller, Message::NewCoordinatorAnswer { call: call(5) });
        assert!(bench.hear(caller, Message::NewCoordinator { call: call(5) }).contains(&answer));
        assert_eq!((bench.machine, bench.lines), (before, vec![line::NEW_COORDINATOR_REFUSED]));
    }
}

#[test]
fn ready_is_taken_from_the_coordinator_in_reorganization() {
    let mut bench = reorganizing();
    bench.hear(4, Message::Ready { call: call(5), task: task_of_4() });
    assert_eq!((state(&bench).status, state(&bench).task), (Status::Normal, Some(task_of_4())));
    let expected = [
        save(SafeCells::clone(&bench.machine.cells)),
        send(4, Message::ReadyAnswer { call: call(5) }),
        set(Timer::Timeout, TIMING.silence),
    ];
    assert_eq!(bench.effects, expected);
}

#[test]
fn ready_is_refused_else_and_answered_all_the_same() {
    for (mut bench, caller) in [(reorganizing(), 2), (halted(), 4), (down(), 4), (candidate(), 4)] {
        let before = bench.machine.clone();
        let answer = send(caller, Message::ReadyAnswer { call: call(5) });
        assert!(bench.hear(caller, Message::Ready { call: call(5), task: task_of_4() }).contains(&answer));
        assert_eq!((bench.machine, bench.lines), (before, vec![line::READY_REFUSED]));
    }
}
