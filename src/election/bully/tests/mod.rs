//! Bully's procedures one by one: a state, one input, exactly what comes of it.
//!
//! Invariant: every procedure of Appendix I has a test that names it, and the states are reached by messages and
//! time-outs alone. What the sequential form does otherwise is in `sequential`, what the book says otherwise in `book`.

mod book;
mod network;
mod sequential;

use super::book::FailedMember;
use super::{Bully, Message, SafeCells, Timer, card as line};
use crate::garcia_molina::YesOrNo;
use protocol::{
    Algorithm, Effect, Incarnation, NodeSet, Order, SettingValue, Settings, Span, StateVector, Status, Task, Timing,
};
use test_harness::{Bench, call, cancel, letter_of, node, nodes, save, send, set};

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
fn are_you_there_is_answered_in_every_status() {
    for mut bench in every_state() {
        let before = bench.machine.clone();
        let effects = bench.hear(1, Message::AreYouThere { call: call(5) });
        assert_eq!(effects, [send(1, Message::AreYouThereAnswer { call: call(5) })]);
        assert_eq!(bench.machine, before);
    }
}

#[test]
fn are_you_normal_asks_under_whom() {
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
fn hole_b1_left_in_nobody_asks_under_whom() {
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
fn hole_b8_left_in_the_last_halter_wins() {
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
fn halt_of_a_lower_node_is_refused() {
    for mut bench in every_state() {
        let before = bench.machine.clone();
        let answer = send(2, Message::HaltAnswer { call: call(5) });
        assert_eq!(bench.hear(2, Message::Halt { call: call(5) }), [answer], "hole B8, mended");
        assert_eq!((bench.machine, bench.lines), (before, vec![line::HALT_REFUSED]));
    }
}

#[test]
fn halt_of_a_higher_node_is_obeyed() {
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
fn new_coordinator_is_taken_from_the_halter() {
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
fn new_coordinator_is_refused_else_but_answered() {
    for (mut bench, caller) in [(halted(), 2), (down(), 4), (member(), 4), (reorganizing(), 4), (candidate(), 4)] {
        let before = bench.machine.clone();
        let answer = send(caller, Message::NewCoordinatorAnswer { call: call(5) });
        assert!(bench.hear(caller, Message::NewCoordinator { call: call(5) }).contains(&answer));
        assert_eq!((bench.machine, bench.lines), (before, vec![line::NEW_COORDINATOR_REFUSED]));
    }
}

#[test]
fn ready_is_taken_from_the_coordinator() {
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
fn ready_is_refused_else_but_answered() {
    let mut halted_again = member();
    halted_again.hear(4, Message::Halt { call: call(12) });
    for (mut bench, caller) in
        [(reorganizing(), 2), (halted(), 4), (down(), 4), (candidate(), 4), (member(), 4), (halted_again, 4)]
    {
        let before = bench.machine.clone();
        let answer = send(caller, Message::ReadyAnswer { call: call(5) });
        assert!(bench.hear(caller, Message::Ready { call: call(5), task: task_of_4() }).contains(&answer));
        assert_eq!((bench.machine, bench.lines), (before, vec![line::READY_REFUSED]));
    }
}

#[test]
fn recovery_stays_down_and_asks_all_above() {
    let bench = down();
    let expected = [
        set(Timer::Check, TIMING.check),
        set(Timer::Timeout, TIMING.silence),
        send(4, Message::AreYouThere { call: call(1) }),
        set(Timer::AreYouThere, T),
    ];
    assert_eq!(bench.effects, expected);
    assert_eq!(bench.lines, [line::RECOVERY, line::ELECTION_ASK]);
    assert_eq!(state(&bench).status, Status::Down);
}

#[test]
fn recovery_keeps_the_safe_cells_but_h() {
    let cells = SafeCells::clone(&member().machine.cells);
    assert_eq!(cells.halted_by, Some(node(4)));
    let bench = member().recovered(cells.clone());
    let kept = SafeCells { halted_by: None, ..cells };
    assert_eq!(bench.effects[0], save(kept.clone()), "before anything is sent");
    assert_eq!((SafeCells::clone(&bench.machine.cells), state(&bench).status), (kept, Status::Down));
}

#[test]
fn recovery_of_the_highest_halts_at_once() {
    let bench = Bench::<Bully>::start(2, 2, TIMING, |settings| settings);
    let cells = SafeCells { halted_by: Some(node(2)), ..SafeCells::default() };
    let expected = [
        save(cells),
        set(Timer::Check, TIMING.check),
        set(Timer::Timeout, TIMING.silence),
        set(Timer::Timeout, TIMING.silence),
        send(1, Message::Halt { call: call(2) }),
        set(Timer::Halt, T),
    ];
    assert_eq!(bench.effects, expected);
}

/// A lab of one needs no message and no time.
#[test]
fn recovery_of_one_alone_coordinates_at_once() {
    let bench = Bench::<Bully>::start(1, 1, TIMING, |settings| settings);
    assert!(bench.effects.iter().all(|effect| !matches!(effect, Effect::Send { .. })), "{:?}", bench.effects);
    assert_eq!((state(&bench).status, state(&bench).coordinator), (Status::Normal, Some(node(1))));
}

#[test]
fn recovery_that_is_ordered_keeps_the_status() {
    for mut bench in every_state() {
        let (before, cells) = (state(&bench).status, SafeCells::clone(&bench.machine.cells));
        let asks = bench.machine.is_calling(Timer::AreYouThere);
        bench.order(Order::StartOver);
        let forgotten = SafeCells { halted_by: None, ..cells.clone() };
        assert_eq!((state(&bench).status, &*bench.machine.cells), (before, &forgotten));
        assert_eq!(bench.effects.first() == Some(&save(forgotten.clone())), forgotten != cells, "saved first");
        let asked = if asks { &[][..] } else { &[line::ELECTION_ASK] };
        assert_eq!(bench.lines, [&[line::ORDER_START_OVER, line::RECOVERY], asked].concat());
        assert_eq!(bench.machine.waits_for(Timer::AreYouThere), nodes("4"));
    }
}

#[test]
fn election_returns_at_the_first_answer() {
    let mut bench = coordinator();
    let before = state(&bench);
    assert_eq!(bench.elect(), [send(4, Message::AreYouThere { call: call(5) }), set(Timer::AreYouThere, T)]);
    assert_eq!(bench.hear(4, Message::AreYouThereAnswer { call: call(5) }), [cancel(Timer::AreYouThere)]);
    assert_eq!((state(&bench), bench.lines), (before, vec![line::ELECTION_RETURN]));
}

#[test]
fn election_halts_all_below_in_descending_order() {
    let bench = candidate();
    let cells = SafeCells { halted_by: Some(node(3)), ..SafeCells::default() };
    let expected = [
        save(cells),
        set(Timer::Timeout, TIMING.silence),
        send(2, Message::Halt { call: call(2) }),
        send(1, Message::Halt { call: call(2) }),
        set(Timer::Halt, T),
    ];
    assert_eq!(bench.effects, expected);
    assert_eq!(bench.lines, [line::ELECTION_STOP, line::ELECTION_HALT]);
}

#[test]
fn election_waits_the_full_t_for_halts() {
    let mut bench = candidate();
    for from in [1, 2] {
        let up = bench.machine.cells.up.union(&NodeSet::of(node(from)));
        let cells = SafeCells { halted_by: Some(node(3)), up, ..SafeCells::default() };
        assert_eq!(bench.hear(from, Message::HaltAnswer { call: call(2) }), [save(cells)]);
        assert_eq!(state(&bench).status, Status::Election);
    }
    assert_eq!(bench.machine.waits_for(Timer::Halt), NodeSet::EMPTY);
    bench.time_out(Timer::Halt);
    assert_eq!((state(&bench).status, state(&bench).up), (Status::Reorganization, nodes("1,2")));
}

#[test]
fn election_point_tells_those_in_up_only() {
    let bench = announcing();
    let expected = [
        save(SafeCells::clone(&bench.machine.cells)),
        send(2, Message::NewCoordinator { call: call(3) }),
        set(Timer::NewCoordinator, T),
    ];
    assert_eq!(bench.effects, expected);
    assert_eq!((state(&bench).status, state(&bench).coordinator), (Status::Reorganization, Some(node(3))));
    assert_eq!(bench.machine.waits_for(Timer::NewCoordinator), nodes("2"));
}

#[test]
fn election_gives_out_the_task() {
    let bench = giving_out();
    let expected = [
        save(SafeCells::clone(&bench.machine.cells)),
        cancel(Timer::NewCoordinator),
        send(2, Message::Ready { call: call(4), task: task_of_3() }),
        set(Timer::Ready, T),
    ];
    assert_eq!(bench.effects, expected);
    assert_eq!((state(&bench).status, state(&bench).task), (Status::Reorganization, Some(task_of_3())));
}

#[test]
fn election_makes_the_coordinator_normal_last() {
    let bench = coordinator();
    assert_eq!(bench.effects, [cancel(Timer::Ready)]);
    assert_eq!((state(&bench).status, bench.lines), (Status::Normal, vec![line::ELECTION_NORMAL]));
}

#[test]
fn election_starts_again_when_one_is_silent() {
    for (mut bench, timer, serial) in [(announcing(), Timer::NewCoordinator, 4), (giving_out(), Timer::Ready, 5)] {
        let question = [send(4, Message::AreYouThere { call: call(serial) }), set(Timer::AreYouThere, T)];
        assert_eq!(bench.time_out(timer), question);
        assert_eq!(state(&bench).status, Status::Reorganization);
        assert_eq!(bench.lines, [line::ELECTION_AGAIN, line::ELECTION_ASK]);
    }
}

#[test]
fn election_that_asks_already_is_the_same() {
    let mut bench = down();
    assert_eq!(bench.elect(), []);
}

#[test]
fn election_stops_an_earlier_one_at_its_halts() {
    let mut bench = candidate();
    bench.elect();
    assert_eq!(bench.machine.waits_for(Timer::Halt), nodes("1,2"), "the first goes on");
    assert!(bench.time_out(Timer::AreYouThere).contains(&cancel(Timer::Halt)));
    assert_eq!(bench.machine.waits_for(Timer::Halt), nodes("1,2"), "the second halts anew");
    assert_eq!(bench.hear(2, Message::HaltAnswer { call: call(2) }), [], "an answer to the first");
}

#[test]
fn check_asks_at_a_normal_coordinator_only() {
    let mut bench = coordinator();
    let question = |to| send(to, Message::AreYouNormal { call: call(5) });
    let expected =
        [set(Timer::Check, TIMING.check), question(1), question(2), question(4), set(Timer::AreYouNormal, T)];
    assert_eq!(bench.time_out(Timer::Check), expected);
    for mut bench in [down(), candidate(), announcing(), giving_out(), halted(), reorganizing(), member()] {
        assert_eq!(bench.time_out(Timer::Check), [set(Timer::Check, TIMING.check)]);
        assert_eq!(bench.lines, [line::CHECK_NOT_MINE]);
    }
}

#[test]
fn check_elects_at_the_first_no() {
    let mut bench = coordinator();
    bench.time_out(Timer::Check);
    let effects = bench.hear(1, Message::AreYouNormalAnswer { call: call(5), normal: YesOrNo::No });
    let expected =
        [cancel(Timer::AreYouNormal), send(4, Message::AreYouThere { call: call(6) }), set(Timer::AreYouThere, T)];
    assert_eq!(effects, expected);
    assert_eq!(bench.lines, [line::CHECK_NO, line::ELECTION_ASK]);
}

#[test]
fn check_passes_over_the_silent() {
    let mut bench = coordinator();
    let before = bench.machine.state();
    bench.time_out(Timer::Check);
    assert_eq!(bench.hear(2, Message::AreYouNormalAnswer { call: call(5), normal: YesOrNo::Yes }), []);
    assert_eq!(bench.machine.waits_for(Timer::AreYouNormal), nodes("1,4"));
    assert_eq!(bench.time_out(Timer::AreYouNormal), []);
    assert_eq!((state(&bench), bench.lines), (before, vec![line::CHECK_SILENT]));
}

#[test]
fn check_regroups_when_a_member_fails() {
    let checking = || {
        let mut bench = coordinator();
        bench.machine.failed_member = FailedMember::Elects;
        bench.time_out(Timer::Check);
        bench
    };
    let normal = Message::AreYouNormalAnswer { call: call(5), normal: YesOrNo::Yes };
    let mut bench = checking();
    bench.hear(2, normal.clone());
    assert_eq!(bench.time_out(Timer::AreYouNormal), [], "1 and 4 are silent, and no members");
    assert_eq!(bench.lines, [line::CHECK_SILENT]);
    let mut bench = checking();
    bench.time_out(Timer::AreYouNormal);
    assert_eq!(bench.lines, [line::CHECK_REGROUPS, line::ELECTION_ASK], "2 is silent");
    let mut bench = checking();
    bench.hear(1, normal);
    assert_eq!(bench.lines, [line::CHECK_REGROUPS, line::ELECTION_ASK], "1 is no member");
    let mut bench = checking();
    assert_eq!(bench.time_out(Timer::Check), [set(Timer::Check, TIMING.check)], "the first still waits");
}

#[test]
fn timeout_asks_the_coordinator_first() {
    for mut bench in [member(), reorganizing()] {
        assert_eq!(bench.machine.waits_for(Timer::Timeout), nodes("4"));
        let expected = [
            set(Timer::Timeout, TIMING.silence),
            send(4, Message::AreYouThere { call: call(2) }),
            set(Timer::CoordinatorThere, T),
        ];
        assert_eq!(bench.time_out(Timer::Timeout), expected);
        let heard = [cancel(Timer::CoordinatorThere), set(Timer::Timeout, TIMING.silence)];
        assert_eq!(bench.hear(4, Message::AreYouThereAnswer { call: call(2) }), heard);
    }
}

#[test]
fn timeout_elects_when_the_coordinator_is_silent() {
    let mut bench = member();
    bench.time_out(Timer::Timeout);
    assert_eq!(bench.machine.waits_for(Timer::CoordinatorThere), nodes("4"));
    let question = [send(4, Message::AreYouThere { call: call(3) }), set(Timer::AreYouThere, T)];
    assert_eq!(bench.time_out(Timer::CoordinatorThere), question);
    assert_eq!(bench.lines, [line::TIMEOUT_SILENT, line::ELECTION_ASK]);
}

#[test]
fn timeout_elects_in_election_and_in_down() {
    let mut answered = down();
    answered.hear(4, Message::AreYouThereAnswer { call: call(1) });
    for mut bench in [halted(), answered] {
        let expected = [
            set(Timer::Timeout, TIMING.silence),
            send(4, Message::AreYouThere { call: call(2) }),
            set(Timer::AreYouThere, T),
        ];
        assert_eq!(bench.time_out(Timer::Timeout), expected);
        assert_eq!(bench.lines, [line::TIMEOUT_ELECT, line::ELECTION_ASK]);
    }
}

#[test]
fn timeout_of_a_coordinator_is_content() {
    for mut bench in [coordinator(), giving_out()] {
        assert_eq!(bench.machine.waits_for(Timer::Timeout), NodeSet::EMPTY);
        assert_eq!(bench.time_out(Timer::Timeout), [set(Timer::Timeout, TIMING.silence)]);
    }
}

/// Node 3 in Reorganization under itself: 2 fell silent, and 4 has answered the Election that followed.
fn stranded() -> Bench<Bully> {
    let mut bench = announcing();
    bench.time_out(Timer::NewCoordinator);
    bench.hear(4, Message::AreYouThereAnswer { call: call(4) });
    assert_eq!((state(&bench).status, state(&bench).coordinator), (Status::Reorganization, Some(node(3))));
    bench
}

#[test]
fn hole_b9_mended_timeout_elects() {
    let mut bench = stranded();
    let expected = [
        set(Timer::Timeout, TIMING.silence),
        send(4, Message::AreYouThere { call: call(5) }),
        set(Timer::AreYouThere, T),
    ];
    assert_eq!(bench.time_out(Timer::Timeout), expected);
    assert_eq!(bench.lines, [line::TIMEOUT_STRANDED, line::ELECTION_ASK]);
    bench.hear(4, Message::AreYouThereAnswer { call: call(5) });
    bench.time_out(Timer::Timeout);
    assert_eq!(bench.lines, [line::TIMEOUT_STRANDED, line::ELECTION_ASK], "as long as it is so");
}

#[test]
fn hole_b9_left_in_timeout_is_content() {
    for letter in ["paper", "book"] {
        let mut bench = stranded();
        bench.machine.mends = letter_of::<Bully>(letter);
        assert_eq!(bench.time_out(Timer::Timeout), [set(Timer::Timeout, TIMING.silence)]);
        assert_eq!(bench.lines, [line::TIMEOUT_ASK]);
    }
}

#[test]
fn hole_b9_mended_leaves_a_running_election_alone() {
    let mut asking = announcing();
    asking.time_out(Timer::NewCoordinator);
    for mut bench in [announcing(), giving_out(), asking] {
        assert_eq!(bench.time_out(Timer::Timeout), [set(Timer::Timeout, TIMING.silence)]);
        assert_eq!(bench.lines, [line::TIMEOUT_ASK]);
    }
}

#[test]
fn any_message_of_the_coordinator_is_heard() {
    let heard = set(Timer::Timeout, TIMING.silence);
    for mut bench in [member(), reorganizing(), halted()] {
        assert!(bench.hear(4, Message::AreYouThere { call: call(5) }).contains(&heard));
        assert!(!bench.hear(2, Message::AreYouThere { call: call(5) }).contains(&heard));
    }
}
