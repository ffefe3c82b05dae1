//! Updates: who decides, by whose votes, and whether all logs go together.
//!
//! Invariant: a lab has three nodes here, and each update adds its serial.

use crate::tests::judged;
use judge::trial::*;
use protocol::{
    AcknowledgedUpdate, Assumption, BlockedUpdate, Incarnation, LogDigest, LoggedUpdate, PreparedUpdate, Property,
    StateVector, Task, TaskId, TransactionId, UpdateWork, Work,
};
use record::{Body, EffectText};

pub fn lab() -> Trace {
    lab_withholding(&[])
}

/// The lab, whose settings do not let it promise these.
pub fn lab_withholding(withheld: &[Property]) -> Trace {
    let mut head = head_with(3, application("updates", &[Property::Majority, Property::AtomicCommit], 7));
    head.facts.withheld = withheld.to_vec();
    let mut trace = judged(&head);
    trace.start_all(3, &idle(&[]));
    trace
}

pub fn by(coordinator: u16, attempt: u32) -> TransactionId {
    let task = TaskId { author: node(coordinator), incarnation: Incarnation(1), serial: 1 };
    TransactionId { task, attempt }
}

/// The update of this serial that node 1 took, done by this attempt.
pub fn update(serial: u32, by: TransactionId) -> LoggedUpdate {
    LoggedUpdate { id: order(serial), value: serial as i32, by }
}

pub fn log(updates: &[LoggedUpdate]) -> UpdateWork {
    UpdateWork {
        length: updates.len() as u32,
        counter: updates.iter().map(|update| i64::from(update.value)).sum(),
        digest: updates.iter().fold(LogDigest::default(), |digest, update| digest.after(update)),
        last: updates.last().copied(),
        ..UpdateWork::default()
    }
}

/// The log, and what is prepared after it with these voters.
pub fn prepared(updates: &[LoggedUpdate], next: LoggedUpdate, voters: &str) -> UpdateWork {
    let position = updates.len() as u32 + 1;
    let in_doubt = Some(PreparedUpdate { update: next, position, voters: set(voters) });
    UpdateWork { in_doubt, ..log(updates) }
}

pub fn idle(updates: &[LoggedUpdate]) -> StateVector {
    at_work(Work::Updates(log(updates)), electing())
}

/// Somebody at work under this coordinator, in a group of these.
pub fn under(coordinator: u16, group: &str, work: UpdateWork) -> StateVector {
    let mut members = set(group);
    members.remove(node(coordinator));
    let task = Task { author: node(coordinator), incarnation: Incarnation(1), serial: 1, members };
    at_work(Work::Updates(work), StateVector { task: Some(task), ..normal(coordinator) })
}

/// What was told after all have spoken, without when and why.
pub fn told(mut trace: Trace) -> Vec<String> {
    trace.speak(8000, "1-3");
    trace.told()
}

/// All three prepare the first update, and 3 decides it.
fn decided() -> (Trace, LoggedUpdate) {
    let (mut trace, first) = (lab(), update(1, by(3, 1)));
    for (of, at) in [(3, 100), (1, 110), (2, 120)] {
        trace.become_state(of, at, under(3, "1-3", prepared(&[], first, "1-3")));
    }
    for of in [1, 2] {
        trace.tell(of, 130, 3, None);
    }
    trace.become_state(3, 200, under(3, "1-3", log(&[first])));
    (trace, first)
}

#[test]
fn what_all_prepared_is_decided() {
    let (mut trace, first) = decided();
    for of in [1, 2] {
        trace.become_state(of, 300, under(3, "1-3", log(&[first])));
    }
    trace.speak(400, "1-3");
    trace.close(9000);
    assert_eq!(trace.texts(), [""; 0]);
    assert_eq!((trace.tally(Property::Majority).due, trace.tally(Property::AtomicCommit).due), (1, 3));
}

#[test]
fn a_decision_without_a_majority_is_told() {
    let first = update(1, by(3, 1));
    for (group, voters, few) in [("3", "3", "3"), ("1-3", "3", "3"), ("3", "1-3", "3"), ("1-3", "1-3", "3")] {
        let mut trace = lab();
        trace.become_state(3, 100, under(3, group, prepared(&[], first, voters)));
        trace.become_state(3, 200, under(3, group, log(&[first])));
        assert_eq!(told(trace), [format!("3 decides update 1 with {few} alone, 1 of 3")], "{group} {voters}");
    }
}

#[test]
fn a_decision_without_a_vote_is_told() {
    let (mut trace, first) = (lab(), update(1, by(3, 1)));
    for of in [3, 1] {
        trace.become_state(of, 100, under(3, "1-3", prepared(&[], first, "1-3")));
    }
    trace.become_state(3, 200, under(3, "1-3", log(&[first])));
    assert_eq!(told(trace), ["3 does update 1, and 2 had not prepared it"]);
}

#[test]
fn of_two_decisions_one_knows_of_the_other() {
    for knows in [true, false] {
        let (mut trace, first) = decided();
        trace.speak(210, "3");
        let second = update(2, by(2, 1));
        trace.become_state(1, 300, under(3, "1-3", log(&[first])));
        if knows {
            trace.tell(3, 310, 2, None);
        }
        trace.become_state(2, 320, under(2, "1,2", log(&[first])));
        for of in [1, 2] {
            trace.become_state(of, 400, under(2, "1,2", prepared(&[first], second, "1,2")));
        }
        trace.become_state(2, 500, under(2, "1,2", log(&[first, second])));
        let at_once = "3 decides update 1 and 2 decides update 2 at once";
        assert_eq!(told(trace), if knows { vec![] } else { vec![at_once] });
    }
}

#[test]
fn nobody_does_what_another_aborts() {
    let (mut trace, _) = decided();
    trace.speak(210, "3");
    trace.become_state(1, 300, under(3, "1-3", log(&[])));
    assert_eq!(told(trace), ["3 has done update 1, and 1 aborts it"]);
    let (mut trace, first) = (lab(), update(1, by(3, 1)));
    for (of, at) in [(1, 100), (2, 100), (3, 100)] {
        trace.become_state(of, at, under(3, "1-3", prepared(&[], first, "1-3")));
    }
    trace.become_state(1, 200, under(3, "1-3", log(&[])));
    trace.become_state(1, 210, under(3, "1-3", log(&[])));
    trace.tell(2, 220, 3, None);
    trace.become_state(3, 300, under(3, "1-3", log(&[first])));
    assert_eq!(told(trace), ["1 has aborted update 1, and 3 does it"]);
}

#[test]
fn two_logs_have_one_update_at_one_place() {
    let (mut trace, first) = decided();
    trace.speak(210, "3");
    let other = update(1, by(2, 9));
    trace.become_state(2, 300, under(3, "1-3", log(&[other])));
    assert!(told(trace).contains(&"3 has another update 1 in its log, or before it, than 2".to_owned()));
    let (mut trace, _) = decided();
    trace.speak(210, "3");
    trace.become_state(2, 300, under(3, "1-3", UpdateWork { counter: 2, ..log(&[first]) }));
    assert_eq!(told(trace), ["2 counts 2 after +1 to 0", "1 updates make 1 at 3, and 2 at 2"]);
}

#[test]
fn an_order_is_one_update_and_not_two() {
    let (mut trace, first) = decided();
    let again = update(1, by(3, 2));
    for of in [1, 2] {
        trace.become_state(of, 300, under(3, "1-3", log(&[first])));
        trace.become_state(of, 310, under(3, "1-3", prepared(&[first], again, "1-3")));
    }
    trace.become_state(3, 320, under(3, "1-3", prepared(&[first], again, "1-3")));
    trace.become_state(3, 400, under(3, "1-3", log(&[first, again])));
    assert_eq!(told(trace), ["3 does order 1.1.1 as update 2, and it is update 1"]);
}

/// The record of a step is written before its effects are carried out.
#[test]
fn a_log_shrinks_by_a_killed_step_only() {
    let (first, second) = (update(1, by(3, 1)), update(2, by(3, 2)));
    for (found, lost) in [(2, None), (1, None), (0, Some("1 had 1 updates in its log, and has 0"))] {
        let mut trace = lab();
        trace.become_state(1, 100, idle(&[first]));
        trace.become_state(1, 200, idle(&[first, second]));
        trace.crash(1, 300);
        trace.recover(1, 400, idle(&[first, second][..found]));
        let sentences: Vec<&str> = lost.into_iter().collect();
        assert_eq!(told(trace), sentences, "{found}");
    }
    let mut trace = lab();
    trace.become_state(1, 100, idle(&[first, second]));
    trace.become_state(1, 200, idle(&[first]));
    assert_eq!(told(trace), ["1 had 2 updates in its log, and has 1"]);
}

/// Nobody else has heard of it: the next coordinator may do another update in its place.
#[test]
fn a_killed_steps_decision_counts_if_known() {
    for knows in [true, false] {
        let (mut trace, first) = decided();
        trace.crash(3, 210);
        if knows {
            trace.become_state(1, 220, under(3, "1-3", log(&[first])));
        }
        let other = update(2, by(2, 1));
        for of in [1, 2] {
            trace.become_state(of, 900, under(2, "1,2", prepared(&[], other, "1,2")));
        }
        trace.become_state(2, 1000, under(2, "1,2", log(&[other])));
        assert_eq!(told(trace).is_empty(), !knows);
    }
}

#[test]
fn what_is_acknowledged_is_in_the_log() {
    let acknowledged =
        |serial, position| Some(AcknowledgedUpdate { times: 1, id: update(serial, by(3, 1)).id, position });
    for (serial, position, tells) in [
        (1, 1, None),
        (1, 2, Some("1 acknowledges order 1.1.1 as update 2, and its log has 1")),
        (2, 1, Some("1 acknowledges order 1.1.2 as update 1, which is order 1.1.1")),
    ] {
        let (mut trace, first) = decided();
        let work = UpdateWork { acknowledged: acknowledged(serial, position), ..log(&[first]) };
        trace.become_state(1, 300, under(3, "1-3", work));
        assert_eq!(told(trace), tells.into_iter().collect::<Vec<_>>());
    }
}

#[test]
fn lost_cells_excuse_however_long_ago() {
    for wiped in [true, false] {
        let (mut trace, first) = decided();
        trace.become_state(1, 300, under(3, "1-3", log(&[first])));
        let saves = wiped.then(|| EffectText::Save { body: "08".to_owned() });
        trace.effects(1, 310, saves.into_iter().collect());
        let wipe = trace.fault(400, "wipe 1", "1");
        trace.crash(1, 410);
        if wiped {
            trace.happened(1, 420, Body::CellsLost { by: wipe, loss: fault::CellLoss::Wipe, left: None });
        }
        trace.recover(1, 430, idle(&[]));
        let other = update(2, by(1, 1));
        trace.become_state(1, 20_000, idle(&[other]));
        trace.speak(21_000, "1-3");
        trace.close(30_000);
        let causes = trace.causes();
        let expected = wiped.then_some(Assumption::SafeCells);
        assert!(!causes.is_empty() && causes.iter().all(|because| *because == expected), "{:?}", trace.texts());
    }
}

#[test]
fn what_a_gap_hides_proves_nothing() {
    let (mut trace, first) = (lab(), update(1, by(3, 1)));
    for of in [3, 1] {
        trace.become_state(of, 100, under(3, "1-3", prepared(&[], first, "1-3")));
    }
    // What 2 has said is not known.
    trace.gap(Some(2), 110);
    trace.become_state(3, 200, under(3, "1-3", log(&[first])));
    trace.become_state(2, 300, idle(&[]));
    assert_eq!(told(trace), [""; 0]);
}

#[test]
fn what_a_log_cannot_be_is_told() {
    let first = update(7, by(3, 1));
    let second = update(2, by(3, 2));
    let wrong_counter = UpdateWork { counter: 6, ..log(&[first]) };
    let in_doubt = prepared(&[], second, "1-3").in_doubt;
    let behind = UpdateWork { in_doubt, ..log(&[first]) };
    let nobody = BlockedUpdate { position: 1, knows: set("-") };
    let blocked = UpdateWork { blocked: Some(nobody), ..log(&[]) };
    for (work, tells) in [
        (wrong_counter, "2 counts 6 after +7 to 0"),
        (behind, "2 is in doubt about update 1, and has 1 in its log"),
        (blocked, "2 is blocked by update 1, and nobody can know the outcome"),
    ] {
        let mut trace = lab();
        trace.become_state(2, 100, under(3, "1-3", work));
        let told = told(trace);
        assert!(told.iter().any(|told| told == tells), "{told:?}");
    }
}

#[test]
fn doubts_stay_only_while_one_is_down() {
    let with = |work: UpdateWork| under(3, "1-3", work);
    let updating = || {
        let mut trace = judged(&head_with(3, application("updates", &[Property::Progress], 10)));
        trace.start_all(3, &with(log(&[])));
        trace
    };
    let in_doubt = with(prepared(&[], update(7, by(3, 1)), "1-3"));
    let mut doubting = updating();
    doubting.become_state(2, 100, in_doubt.clone());
    assert_eq!(doubting.undone(), ["2 is in doubt of an update, and all processes run"]);
    let mut holding = updating();
    holding.become_state(1, 100, with(UpdateWork { waiting: 2, ..log(&[]) }));
    assert_eq!(holding.undone(), ["orders wait at 1, and all processes run"]);
    let mut blocked = updating();
    blocked.become_state(2, 100, in_doubt);
    blocked.crash(3, 150);
    assert_eq!(blocked.undone(), [""; 0]);
}
