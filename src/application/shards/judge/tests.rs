//! Shards: what is computed, kept and given out, and by whom.
//!
//! Invariant: a shard has a hundred numbers here, and there are ten.

use crate::tests::judged;
use judge::trial::*;
use protocol::{
    ApplicationFacts, Assumption, ComputingGroups, DefinitionId, Incarnation, Property, ShardFacts, ShardResult,
    ShardSet, ShardWork, StateVector, Status, TaskId, Work,
};

/// The primes of each shard.
const PRIMES: [u32; 10] = [25, 21, 16, 16, 17, 14, 16, 14, 15, 14];

/// A lab in which everybody has started with nothing.
fn started_of(groups: ComputingGroups) -> Trace {
    let shards = Some(ShardFacts { shards: 10, numbers: 100, groups });
    let mut trace = judged(&head_with(3, ApplicationFacts { shards, ..application("shards", &[Property::Work], 10) }));
    trace.start_all(3, &idle("-"));
    trace
}

fn started() -> Trace {
    started_of(ComputingGroups::WithMajority)
}

fn shards(text: &str) -> ShardSet {
    text.parse().unwrap()
}

/// These shards are out, given out and done, with the right counts.
fn work([out, given, done]: [&str; 3]) -> ShardWork {
    let primes = shards(done).iter().map(|shard| u64::from(PRIMES[usize::from(shard) - 1])).sum();
    ShardWork { under: None, out: shards(out), given: shards(given), done: shards(done), primes, latest: None }
}

/// The same work, whose last result is the one of this shard.
fn computed(shard: u16, work: ShardWork) -> ShardWork {
    ShardWork { latest: Some(ShardResult { shard, primes: PRIMES[usize::from(shard) - 1] }), ..work }
}

/// Somebody who is Normal and works under this round of the first task of that coordinator.
fn under(coordinator: u16, round: u32, work: ShardWork) -> StateVector {
    let task = TaskId { author: node(coordinator), incarnation: Incarnation(1), serial: 1 };
    let work = ShardWork { under: Some(DefinitionId { task, round }), ..work };
    at_work(Work::Shards(work), with_task(normal(coordinator), coordinator, 1))
}

/// Somebody in an election who has these results.
fn idle(done: &str) -> StateVector {
    at_work(Work::Shards(work(["-", "-", done])), electing())
}

#[test]
fn what_is_computed_alone_is_right() {
    let mut trace = started();
    trace.become_state(3, 100, under(3, 1, work(["3", "1-3", "-"])));
    trace.become_state(1, 110, under(3, 1, work(["1", "-", "-"])));
    trace.become_state(2, 110, under(3, 1, work(["2", "-", "-"])));
    trace.become_state(1, 200, under(3, 1, computed(1, work(["-", "-", "1"]))));
    trace.become_state(3, 210, under(3, 1, work(["3", "2,3", "1"])));
    trace.become_state(3, 220, under(3, 1, computed(3, work(["-", "2", "1,3"]))));
    trace.close(9000);
    assert_eq!(trace.texts(), [""; 0]);
    assert_eq!(trace.tally(Property::Work), due(5, 5, 0));
}

#[test]
fn a_wrong_count_is_told_where_made() {
    let mut trace = started();
    trace.become_state(1, 100, under(3, 1, work(["1,2", "-", "-"])));
    let result = ShardResult { shard: 1, primes: 24 };
    let wrong = |kept: ShardWork| ShardWork { primes: 24, ..kept };
    trace.become_state(1, 200, under(3, 1, ShardWork { latest: Some(result), ..wrong(work(["2", "-", "1"])) }));
    trace.become_state(3, 300, under(3, 1, wrong(work(["-", "2", "1"]))));
    assert_eq!(trace.told(), ["1 counts 24 primes in shard 1, which has 25"]);
}

#[test]
fn a_wrong_count_kept_is_told_once() {
    let mut trace = started();
    trace.become_state(1, 100, under(3, 1, work(["1,2", "-", "-"])));
    trace.become_state(1, 200, under(3, 1, computed(1, work(["2", "-", "1"]))));
    for (of, at) in [(3, 300), (2, 400)] {
        trace.become_state(of, at, under(3, 1, ShardWork { primes: 26, ..work(["-", "-", "1"]) }));
    }
    assert_eq!(trace.told(), ["3 keeps 26 primes of shards 1, which have 25"]);
}

#[test]
fn a_shard_has_one_owner_each_definition() {
    for (round, tells) in [(1, true), (2, false)] {
        let mut trace = started();
        trace.become_state(1, 100, under(3, 1, work(["1", "-", "-"])));
        trace.become_state(2, 110, under(3, round, work(["1,2", "-", "-"])));
        trace.become_state(1, 200, under(3, 1, computed(1, work(["-", "-", "1"]))));
        trace.become_state(2, 210, under(3, round, computed(1, work(["2", "-", "1"]))));
        let twice = ["definition 3.1.1/1 gives shards 1 to 1 and to 2"];
        assert_eq!(trace.told(), if tells { &twice[..] } else { &[] }, "once, not with each shard of a wrong division");
    }
}

#[test]
fn a_shard_is_computed_once_each_definition() {
    let mut trace = started();
    let under_3 = |work: ShardWork| under(3, 1, work);
    trace.become_state(1, 100, under_3(work(["1,4", "-", "-"])));
    trace.become_state(1, 200, under_3(computed(1, work(["4", "-", "1"]))));
    trace.become_state(1, 300, under_3(computed(4, work(["1", "-", "1,4"]))));
    trace.become_state(1, 400, under_3(computed(1, work(["-", "-", "1,4"]))));
    assert_eq!(trace.told(), ["1 computes shard 1 twice under definition 3.1.1/1"]);
}

#[test]
fn a_share_that_grows_is_judged_again() {
    let mut trace = started();
    trace.become_state(1, 100, under(3, 1, work(["1,4", "-", "-"])));
    trace.become_state(2, 110, under(3, 1, work(["2,5", "-", "-"])));
    trace.become_state(2, 200, under(3, 1, work(["2,4", "-", "-"])));
    assert_eq!(trace.told(), ["definition 3.1.1/1 gives shards 4 to 1 and to 2"]);
}

#[test]
fn who_works_outside_of_normal_is_told() {
    let mut trace = started();
    let working = under(3, 1, work(["1,4", "-", "-"]));
    let halted = |work: ShardWork| StateVector { status: Status::Election, ..under(3, 1, work) };
    trace.become_state(1, 100, working);
    trace.become_state(1, 200, halted(work(["1,4", "-", "-"])));
    trace.become_state(1, 300, halted(computed(1, work(["4", "-", "1"]))));
    trace.become_state(2, 400, at_work(Work::Shards(computed(2, work(["-", "-", "2"]))), electing()));
    let stray = "1 works under definition 3.1.1/1 outside of Normal";
    assert_eq!(trace.told(), [stray, "2 computes shard 2, which it does not have out"]);
}

/// The record of a step is written before its effects are carried out.
#[test]
fn what_was_kept_before_is_not_lost() {
    for (found, lost) in [("1,2", None), ("1", None), ("2", Some("1")), ("-", Some("1"))] {
        let mut trace = started();
        trace.become_state(1, 100, idle("1"));
        trace.become_state(1, 200, idle("1,2"));
        trace.crash(1, 300);
        trace.recover(1, 400, idle(found));
        // A second death, before its second step: what it began with was there.
        trace.crash(1, 500);
        trace.recover(1, 600, idle(found));
        let sentences = lost.map(|shards| format!("1 has lost the results of shards {shards}"));
        assert_eq!(trace.told(), sentences.into_iter().collect::<Vec<_>>(), "{found}");
    }
}

#[test]
fn two_coordinators_give_out_no_shard_together() {
    let gives = |of: u16, given: &str| under(of, 1, work(["-", given, "-"]));
    let lines = "3 has shards 2-10 given out under definition 3.1.1/1, and 2 under definition 2.1.1/1";
    for (groups, tells) in [(ComputingGroups::WithMajority, true), (ComputingGroups::All, false)] {
        let mut trace = started_of(groups);
        trace.become_state(3, 100, gives(3, "1-10"));
        trace.become_state(3, 200, under(3, 1, work(["-", "2-10", "1"])));
        trace.become_state(2, 500, gives(2, "1-10"));
        assert_eq!(trace.told(), if tells { vec![lines] } else { vec![] });
    }
    // It had stopped, and 2 did not know; then 2 has only what the other had collected.
    for (given, tells) in [("2-10", true), ("1", false)] {
        let mut trace = started();
        trace.become_state(3, 100, gives(3, "1-10"));
        trace.become_state(3, 200, under(3, 1, work(["-", "2-10", "1"])));
        trace.become_state(3, 300, idle("1"));
        trace.become_state(2, 500, gives(2, given));
        assert_eq!(trace.told(), if tells { vec![lines] } else { vec![] });
    }
}

#[test]
fn who_knows_of_the_end_gives_out_again() {
    let gives = |of: u16| under(of, 1, work(["-", "1-10", "-"]));
    let mut trace = started();
    trace.become_state(3, 100, gives(3));
    trace.become_state(3, 300, idle("-"));
    trace.tell(3, 310, 2, None);
    trace.become_state(2, 500, gives(2));
    trace.crash(2, 600);
    trace.time_out(1, 650, 850, 850, "2", None);
    trace.become_state(1, 900, gives(1));
    assert_eq!(trace.told(), [""; 0]);
}

#[test]
fn the_dead_give_nothing_out() {
    for (crash, tells) in [(300, false), (600, true)] {
        let gives = |of: u16| under(of, 1, work(["-", "1-10", "-"]));
        let mut trace = started();
        trace.become_state(3, 100, gives(3));
        if crash < 500 {
            trace.crash(3, crash);
        }
        trace.become_state(2, 500, gives(2));
        if crash > 500 {
            trace.crash(3, crash);
        }
        assert_eq!(trace.told().is_empty(), !tells, "a crash at {crash}");
    }
}

#[test]
fn a_pause_excuses_two_that_give_out() {
    for paused in [true, false] {
        let gives = |of: u16| under(of, 1, work(["-", "1-10", "-"]));
        let mut trace = started();
        trace.become_state(3, 100, gives(3));
        if paused {
            trace.pause(3, 200);
        }
        trace.become_state(2, 1500, gives(2));
        if paused {
            trace.resume(3, 2000);
        }
        trace.speak(2100, "1-3");
        trace.close(9000);
        assert_eq!(trace.only().because(), paused.then_some(Assumption::NoPauses), "{}", trace.only().text);
    }
}
