//! Orders about processes that do not obey, or that obey others.
//!
//! Invariant: what was not done is named, and is not in force.

use super::*;

#[test]
fn a_process_that_was_not_stopped_or_killed_is_named_and_what_was_done_to_the_others_can_be_undone() {
    let mut five = Five::new();
    five.untouchable = "4".parse().unwrap();
    let paused = [
        "f1 pause 4: 4",
        "4 cannot be stopped: it does as it likes",
        "f1 not in force: 4 cannot be stopped: it does as it likes",
    ];
    assert_eq!(five.step("pause 4"), paused);
    assert_eq!(
        five.step("undo"),
        ["f2 undo: -", "f2 not in force: there is nothing to undo: every fault that can be undone is over"]
    );
    assert_eq!(five.step("crash 4,5")[3..], ["f3 not in force: 4 was killed, but it does as it likes"]);
    let undone = ["f4 undo: 4,5", "5 spawned 5", "5 starts with", "f3 lifted", "f4 in force", "f4 lifted"];
    assert_eq!(five.step("undo"), undone);
}

#[test]
fn a_process_that_somebody_else_continues_is_told_what_it_missed_and_its_pause_is_over() {
    let mut five = Five::new();
    five.step("pause 2");
    five.step("cut 1->2");
    five.seen();
    five.order(OrderInput::GoesOnByItself(node(2)));
    assert_eq!(five.seen(), ["2 told f2", "2 continued", "f1 lifted"]);
}

#[test]
fn a_slow_process_is_stopped_and_continued_by_turns_until_that_is_lifted() {
    let mut five = Five::new();
    // T is 100 ms: it stands still for 140 ms of every 200.
    assert_eq!(five.step("slow 3 30%"), ["f1 slow 3 30%: 3", "3 stopped by f1", "f1 in force"]);
    let mut turns = Vec::new();
    while five.now < 500 * MS {
        let next = five.orders.wake_at().unwrap();
        five.pass_to(next);
        turns.push((five.now / MS, five.seen().last().unwrap().clone()));
    }
    let turn = |at, what: &str| (at, format!("3 {what}"));
    let expected = [
        turn(140, "continued"),
        turn(200, "stopped by f1"),
        turn(340, "continued"),
        turn(400, "stopped by f1"),
        turn(540, "continued"),
    ];
    assert_eq!(turns, expected);
    assert_eq!(five.step("slow 3 50%")[1], "f2 not in force: 3 is slow already");
    // Lifted while it stands still, it goes on.
    five.pass_to(650 * MS);
    five.seen();
    let lifted = ["f3 lift f1: 3", "3 told", "3 continued", "f3 in force", "f1 lifted", "f3 lifted"];
    assert_eq!(five.step("lift f1"), lifted);
    assert_eq!(five.orders.wake_at(), None);
}

#[test]
fn a_slow_process_that_is_paused_stays_so_and_one_that_is_dead_is_slow_again_when_it_is_back() {
    let mut five = Five::new();
    five.step("slow 2,3 50%");
    assert_eq!(five.step("pause 3"), ["f2 pause 3: 3", "3 stopped by f2", "f2 in force"]);
    five.step("crash 2");
    let at = |five: &mut Five, ms: i64| {
        five.pass_to(ms * MS);
        five.seen()
    };
    for ms in [100, 200, 300, 400] {
        assert_eq!(at(&mut five, ms), [""; 0], "{ms}");
    }
    five.step("recover 2");
    five.step("resume 3");
    assert_eq!(at(&mut five, 400), [""; 0]);
    assert_eq!(at(&mut five, 600), ["2 stopped by f1", "3 stopped by f1"]);
    let healed = five.step("heal all");
    assert!(healed.contains(&"2 continued".to_owned()) && healed.contains(&"f1 lifted".to_owned()), "{healed:?}");
    assert_eq!((five.that_are(ProcessState::Paused), five.orders.wake_at()), (NodeSet::EMPTY, None));
}

#[test]
fn a_crash_cancels_a_start_that_waits() {
    let mut five = Five::new();
    five.processes.insert(node(3), ProcessState::Dead);
    let view = |processes| OrderView {
        now: 0,
        wall: 0,
        speed_effect: SpeedEffect::Virtual,
        processes,
        starts_waiting: NodeSet::of(node(3)),
        coordinator: &|_| None,
    };
    let (reply, _) = mpsc::channel();
    let line = OrderInput::Line { text: "crash 3".to_owned(), reply };
    let commands = five.orders.handle(line, view(five.processes.clone()));
    let [ordered, cancelled, killed] = &commands[..] else { panic!("{commands:?}") };
    assert!(matches!(ordered, ProcessCommand::Record { node: None, .. }));
    assert!(matches!(cancelled, ProcessCommand::CancelStart { node } if node.get() == 3));
    assert!(matches!(killed, ProcessCommand::Kill { node, by: FaultId(1) } if node.get() == 3));
}
