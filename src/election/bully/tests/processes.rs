//! Bully's Recovery, Election, Check and Timeout one by one: a state, one input, exactly what comes of it.
//!
//! Invariant: the states are reached by messages and time-outs alone.

use super::*;
use bench::letter_of;

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

#[test]
fn recovery_that_is_ordered_forgets_the_halter_and_elects_in_the_status_it_has() {
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

/// The paper lets an application do this when it finds its coordinator down.
#[test]
fn a_member_that_is_ordered_to_start_over_waits_for_no_timeout() {
    let mut bench = member();
    bench.order(Order::StartOver);
    bench.time_out(Timer::AreYouThere);
    assert_eq!((state(&bench).status, state(&bench).halted_by), (Status::Election, Some(node(3))));
    let mut bench = halted();
    bench.order(Order::StartOver);
    bench.hear(4, Message::AreYouThereAnswer { call: call(2) });
    bench.hear(4, Message::NewCoordinator { call: call(10) });
    assert_eq!(bench.lines, [line::NEW_COORDINATOR_REFUSED], "it has forgotten who halted it");
}

#[test]
fn election_ends_at_the_first_answer_from_above_and_leaves_the_state_as_it_was() {
    let mut bench = coordinator();
    let before = state(&bench);
    assert_eq!(bench.elect(), [send(4, Message::AreYouThere { call: call(5) }), set(Timer::AreYouThere, T)]);
    assert_eq!(bench.hear(4, Message::AreYouThereAnswer { call: call(5) }), [cancel(Timer::AreYouThere)]);
    assert_eq!((state(&bench), bench.lines), (before, vec![line::ELECTION_RETURN]));
}

#[test]
fn election_halts_all_lower_nodes_in_descending_order() {
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
fn election_waits_the_full_t_for_halts_even_when_all_have_answered() {
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
fn election_gives_out_the_task_as_soon_as_all_have_heard() {
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
fn election_starts_again_in_its_status_when_a_member_falls_silent() {
    for (mut bench, timer, serial) in [(announcing(), Timer::NewCoordinator, 4), (giving_out(), Timer::Ready, 5)] {
        let question = [send(4, Message::AreYouThere { call: call(serial) }), set(Timer::AreYouThere, T)];
        assert_eq!(bench.time_out(timer), question);
        assert_eq!(state(&bench).status, Status::Reorganization);
        assert_eq!(bench.lines, [line::ELECTION_AGAIN, line::ELECTION_ASK]);
    }
}

#[test]
fn a_second_election_that_asks_meanwhile_is_the_first() {
    let mut bench = down();
    assert_eq!(bench.elect(), []);
}

#[test]
fn a_second_election_beside_one_at_its_halts_ends_it_by_its_stop() {
    let mut bench = candidate();
    bench.elect();
    assert_eq!(bench.machine.waits_for(Timer::Halt), nodes("1,2"), "the first goes on");
    assert!(bench.time_out(Timer::AreYouThere).contains(&cancel(Timer::Halt)));
    assert_eq!(bench.machine.waits_for(Timer::Halt), nodes("1,2"), "the second halts anew");
    assert_eq!(bench.hear(2, Message::HaltAnswer { call: call(2) }), [], "an answer to the first");
}

#[test]
fn check_asks_all_others_at_a_normal_coordinator_only() {
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
fn timeout_elects_at_once_in_election_and_in_down() {
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
fn timeout_of_a_coordinator_asks_itself_and_is_content() {
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
fn hole_b9_timeout_of_a_coordinator_whose_election_has_returned_elects() {
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
fn hole_b9_to_the_letter_it_asks_itself_and_is_content() {
    for letter in ["paper", "book"] {
        let mut bench = stranded();
        bench.machine.mends = letter_of::<Bully>(letter);
        assert_eq!(bench.time_out(Timer::Timeout), [set(Timer::Timeout, TIMING.silence)]);
        assert_eq!(bench.lines, [line::TIMEOUT_ASK]);
    }
}

#[test]
fn hole_b9_timeout_in_reorganization_leaves_an_election_that_runs_alone() {
    let mut asking = announcing();
    asking.time_out(Timer::NewCoordinator);
    for mut bench in [announcing(), giving_out(), asking] {
        assert_eq!(bench.time_out(Timer::Timeout), [set(Timer::Timeout, TIMING.silence)]);
        assert_eq!(bench.lines, [line::TIMEOUT_ASK]);
    }
}

#[test]
fn any_message_of_the_coordinator_counts_as_hearing_it_and_nobody_elses() {
    let heard = set(Timer::Timeout, TIMING.silence);
    for mut bench in [member(), reorganizing(), halted()] {
        assert!(bench.hear(4, Message::AreYouThere { call: call(5) }).contains(&heard));
        assert!(!bench.hear(2, Message::AreYouThere { call: call(5) }).contains(&heard));
    }
}
