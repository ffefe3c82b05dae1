//! The ends of elections: uniqueness and freedom from deadlock.
//!
//! Invariant: one end is judged once, and a master that crashes after the end is no deadlock. What is due in the quiet
//! after, from 3 s on, is another matter: a lab that closes at 2.5 s has not come so far.

use super::*;
use protocol::SettingValue;

const BOTH: &[Property] = &[Property::Uniqueness, Property::DeadlockFree];
const UNIQUE: &[Property] = &[Property::Uniqueness];
const DEADLOCKS: &[Property] = &[Property::DeadlockFree];

/// Three that sleep, and promise this.
fn lab(promises: &[Property]) -> Trace {
    let needs = [Assumption::DeliveryInTime, Assumption::NoPauses, Assumption::NothingGarbled];
    let mut trace = Trace::new(&head(3, promises, &needs));
    trace.start_all(3, &asleep());
    trace
}

type Between = fn(&mut Trace);
/// What happens, what is promised, between, how all stand then, and when the lab closes.
type End<'a> = (&'a str, &'a [Property], Between, &'a [StateVector], i64);

/// All three collect in election 1; then this happens, and from node 1 on they stand so at 0.9 s.
fn ended(promises: &[Property], between: Between, states: &[StateVector], closes_at: i64) -> Trace {
    let mut trace = lab(promises);
    trace.all(3, 100, &collecting(1));
    between(&mut trace);
    trace.states(900, states);
    trace.close(closes_at);
    trace
}

#[test]
fn what_an_end_may_be() {
    let under_3 = || stopped(3, 1);
    let rows: [End; 6] = [
        ("all name one master", BOTH, |_| {}, &[under_3(), under_3(), under_3()], 9000),
        ("one elects still", BOTH, |_| {}, &[stopped(1, 1), stopped(2, 1)], 2500),
        ("the favourite crashed", BOTH, |trace| trace.crash(3, 200), &[help(1), help(1)], 9000),
        ("the master is paused", BOTH, |trace| _ = trace.pause(3, 200), &[under_3(), under_3()], 9000),
        (
            "who asks for help came back within the election",
            UNIQUE,
            |trace| {
                trace.crash(1, 200);
                trace.recover(1, 300, asleep());
            },
            &[help(1), under_3(), under_3()],
            2900,
        ),
        (
            "the master crashed and is up again",
            DEADLOCKS,
            |trace| {
                trace.crash(3, 500);
                trace.recover(3, 600, asleep());
            },
            &[under_3(), under_3()],
            2500,
        ),
    ];
    for (what, promises, between, states, closes_at) in rows {
        assert_eq!(ended(promises, between, states, closes_at).texts(), [""; 0], "{what}");
    }
}

#[test]
fn what_an_end_may_not_be() {
    let under_3 = || stopped(3, 1);
    for (promises, states, told) in [
        (UNIQUE, [help(1), under_3(), under_3()], "2 is stop under 3, 3 is stop under 3, 1 is in help"),
        (DEADLOCKS, [under_3(), under_3(), help(1)], "3 is in help"),
        (
            DEADLOCKS,
            [help(1), help(1), help(1)],
            "no node names itself master: 1 is in help, 2 is in help, 3 is in help",
        ),
    ] {
        let trace = ended(promises, |_| {}, &states, 2900);
        assert_eq!(trace.only().property, promises[0]);
        assert!(trace.only().text.contains(told), "{}", trace.only().text);
    }
}

#[test]
fn two_masters_at_the_end_are_not_unique() {
    let mut trace = lab(BOTH);
    let loss = trace.fault(10, "loss 3->* 100%", "1-3");
    trace.all(3, 100, &collecting(1));
    let word = trace.broadcast(3, 200, None);
    trace.dropped(1, 201, word, loss);
    trace.dropped(2, 201, word, loss);
    trace.states(900, &[stopped(2, 1), stopped(2, 1), stopped(3, 1)]);
    trace.speak(1000, "1-3");
    let report = trace.only();
    assert_eq!((report.property, report.nodes), (Property::Uniqueness, set("1-3")));
    assert_eq!(report.because(), Some(Assumption::DeliveryInTime));
    let told = "uniqueness violated at 0.900 s (observed): 1 is stop under 2, 2 is stop under 2, 3 is stop under 3; \
                between them: nothing recorded; path: 1 was affected at 0.201 s; cause: f1 (loss 3->* 100%) \
                broke assumption 8 (delivery within the bound): 2 messages lost, the first from 3 to 1 at 0.201 s";
    assert_eq!(report.text, told);
}

#[test]
fn an_older_election_does_not_count_without_number() {
    for (older, violations) in [(Some(1), 0), (None, 1)] {
        let mut trace = lab(BOTH);
        let deaf = StateVector { election: older, ..stopped(3, 1) };
        let others = StateVector { election: older.map(|_| 2), ..stopped(2, 2) };
        trace.states(100, &[collecting(1), collecting(1), deaf]);
        trace.all(2, 900, &others);
        trace.close(2900);
        assert_eq!(trace.reports.len(), violations, "{:#?}", trace.texts());
    }
}

#[test]
fn who_came_back_could_not_be_elected() {
    let mut trace = lab(UNIQUE);
    trace.crash(3, 50);
    trace.capacity = -1;
    trace.all(2, 100, &collecting(1));
    trace.capacity = 9;
    trace.recover(3, 500, asleep());
    trace.capacity = -1;
    trace.all(2, 900, &help(1));
    trace.close(2900);
    assert_eq!(trace.texts(), [""; 0]);
}

#[test]
fn where_nobody_stands_nobody_must_be_named() {
    for promises in [UNIQUE, DEADLOCKS] {
        for (capacities, violations) in [([-1, -1, -1], 0), ([-1, 2, -1], 1)] {
            let mut trace = Trace::new(&head(3, promises, &[]));
            for (at, state) in [(0, asleep()), (100, collecting(1)), (900, help(1))] {
                for (of, capacity) in (1..).zip(capacities) {
                    trace.capacity = capacity;
                    trace.become_state(of, at, state.clone());
                }
            }
            trace.close(9000);
            assert_eq!(trace.reports.len(), violations, "{promises:?}: {:?}", trace.texts());
        }
    }
}

#[test]
fn the_same_deadlock_again_is_told_once() {
    let mut trace = lab(DEADLOCKS);
    for at in [100, 1900] {
        trace.all(3, at, &collecting(1));
        trace.all(3, at + 800, &help(1));
    }
    trace.close(9000);
    assert_eq!(trace.only().property, Property::DeadlockFree);
}

#[test]
fn another_deadlock_has_another_excuse() {
    for (second, number) in [(2, true), (1, false)] {
        let mut trace = lab(DEADLOCKS);
        let of = |state: StateVector| StateVector { election: state.election.filter(|_| number), ..state };
        trace.all(3, 100, &of(collecting(1)));
        trace.pause(1, 200);
        trace.resume(1, 300);
        trace.all(3, 900, &of(help(1)));
        trace.all(3, 2000, &of(collecting(second)));
        trace.all(3, 2800, &of(help(second)));
        trace.close(9000);
        assert_eq!(trace.causes(), [Some(Assumption::NoPauses), None], "{:#?}", trace.texts());
    }
}

#[test]
fn a_master_that_crashes_late_is_no_deadlock() {
    for crash_at in [500, 1000] {
        let mut trace = lab(BOTH);
        trace.all(3, 100, &collecting(1));
        if crash_at == 500 {
            trace.crash(3, 500);
            trace.all(2, 900, &stopped(3, 1));
        } else {
            trace.all(3, 900, &stopped(3, 1));
            trace.crash(3, 1000);
        }
        // The next election finds the next master, after a number of its own.
        trace.all(2, 2000, &collecting(2));
        trace.all(2, 2900, &stopped(2, 2));
        trace.close(9000);
        assert_eq!(trace.texts(), [""; 0]);
    }
}

#[test]
fn a_master_that_crashed_before_is_a_deadlock() {
    let mut trace = lab(DEADLOCKS);
    trace.crash(3, 50);
    trace.recover(3, 60, asleep());
    trace.all(3, 100, &collecting(1));
    trace.become_state(3, 600, asleep());
    trace.all(2, 900, &stopped(3, 1));
    trace.close(2500);
    assert_eq!(trace.reports.len(), 1, "{:#?}", trace.texts());
}

#[test]
fn who_never_heard_may_hear_until_the_quiet() {
    for (closes_at, told) in [(2900, None), (9000, Some("1,2 are stop under 2, 3 is in normal"))] {
        let mut trace = lab(UNIQUE);
        trace.all(2, 100, &collecting(1));
        trace.all(2, 900, &stopped(2, 1));
        trace.close(closes_at);
        assert_eq!(trace.texts().len(), usize::from(told.is_some()));
        assert!(told.is_none_or(|told| trace.only().text.contains(told)), "{:?}", trace.texts());
    }
}

#[test]
fn who_is_alone_is_the_largest() {
    let mut trace = Trace::new(&head(1, &[Property::EndState], &[]));
    trace.start(1, 0, stopped(1, 1));
    trace.close(20_000);
    assert_eq!(trace.texts(), [""; 0]);
}

#[test]
fn while_a_cut_stands_the_whole_is_unknown() {
    for (lifted, broken) in [(false, 0), (true, 1)] {
        let mut trace = Trace::new(&head(3, &[Property::Assertion2], &Assumption::ALL));
        trace.start_all(3, &electing());
        let cut = trace.cut(50, "1-2<->3");
        trace.states(100, &[normal(2), normal(2), normal(3)]);
        if lifted {
            trace.take(Record::of_host(200 * MS, Body::FaultLifted { id: cut }));
        }
        assert_eq!(trace.due_at(), lifted.then_some(3200));
        trace.close(9000);
        assert_eq!(trace.reports.len(), broken, "{:?}", trace.texts());
        let tally = trace.tally(Property::Assertion2);
        assert_eq!((tally.due, tally.unknown), (broken as u64, u64::from(!lifted)));
    }
}

#[test]
fn a_number_used_anew_is_another_election() {
    // Whether 3 crashes within the second, and what is found: its end has no master.
    for (crashes, told) in [(false, 1), (true, 0)] {
        let mut trace = lab(DEADLOCKS);
        let loss = trace.fault(10, "loss 3->* 100%", "1-3");
        trace.all(3, 100, &collecting(1));
        let word = trace.broadcast(3, 200, None);
        trace.dropped(1, 201, word, loss);
        trace.all(3, 900, &stopped(3, 1));
        (1..=3).for_each(|of| trace.crash(of, 1000));
        (1..=3).for_each(|of| trace.recover(of, 2000, asleep()));
        trace.all(3, 2100, &collecting(1));
        if crashes {
            trace.crash(3, 2150);
            trace.recover(3, 2160, asleep());
        }
        trace.all(3, 2900, &help(1));
        trace.close(4000);
        assert_eq!(trace.causes(), vec![None; told], "{:#?}", trace.texts());
    }
}

#[test]
fn the_first_to_begin_may_crash_unheard() {
    let mut trace = lab(BOTH);
    trace.become_state(3, 100, collecting(1));
    trace.crash(3, 110);
    trace.all(2, 150, &collecting(1));
    trace.all(2, 900, &help(1));
    trace.close(2000);
    assert_eq!(trace.texts(), [""; 0]);
}

#[test]
fn a_garbled_number_dies_with_its_process() {
    let mut trace = lab(DEADLOCKS);
    let word = trace.send(1, 20, 3, None);
    trace.garbled(3, 30, word, FaultId(1));
    trace.become_state(3, 30, collecting(999));
    let loss = trace.fault(40, "loss 1->2 100%", "1,2");
    let word = trace.send(1, 50, 2, None);
    trace.dropped(2, 51, word, loss);
    trace.crash(3, 60);
    trace.recover(3, 1500, asleep());
    trace.all(3, 2000, &collecting(1));
    trace.all(3, 2400, &help(1));
    trace.close(2900);
    assert_eq!(trace.only().because(), None, "{}", trace.only().text);
}

#[test]
fn a_loss_excuses_whom_its_election_parted() {
    let mut trace = lab(BOTH);
    let loss = trace.fault(10, "loss 3->* 100%", "1-3");
    trace.all(3, 100, &collecting(1));
    let word = trace.broadcast(3, 200, None);
    trace.dropped(1, 201, word, loss);
    trace.states(900, &[stopped(1, 1), stopped(2, 1), stopped(3, 1)]);
    // 3 has begun a second election, alone, and died; when it is back it hears of the first.
    trace.become_state(3, 1500, collecting(2));
    trace.crash(3, 1510);
    trace.recover(3, 2000, numbered(asleep(), 2));
    trace.become_state(3, 2100, stopped(1, 1));
    trace.close(2500);
    assert_eq!(trace.causes(), [Some(Assumption::DeliveryInTime); 2], "{:#?}", trace.texts());
}

#[test]
fn to_the_letter_quiet_groups_are_excused() {
    for (errata, because) in [(true, None), (false, Some(Assumption::DeliveryInTime))] {
        let mut head = head(3, UNIQUE, &[Assumption::DeliveryInTime]);
        head.settings = head.settings.with("errata", SettingValue::Flag(errata));
        let mut trace = Trace::new(&head);
        trace.all(3, 0, &collecting(1));
        let loss = trace.fault(10, "loss 3->* 100%", "1-3");
        trace.all(3, 100, &collecting(2));
        let word = trace.broadcast(3, 200, None);
        trace.dropped(1, 201, word, loss);
        trace.dropped(2, 201, word, loss);
        trace.states(900, &[stopped(2, 2), stopped(2, 2), stopped(3, 2)]);
        trace.close(9000);
        let quiet = trace.reports.iter().find(|report| report.text.contains("quiet since")).unwrap();
        assert_eq!((quiet.property, quiet.because()), (Property::Uniqueness, because), "{}", quiet.text);
    }
}

#[test]
fn an_announcement_under_way_is_no_end() {
    for (heard_at, told) in [(201, 0), (301, 1)] {
        let mut trace = lab(BOTH);
        trace.all(3, 90, &collecting(1));
        trace.all(2, 100, &stopped(2, 1));
        trace.crash(3, 200);
        trace.become_state(1, heard_at, stopped(3, 1));
        trace.become_state(2, heard_at + 40, stopped(3, 1));
        trace.close(2500);
        assert_eq!(trace.texts().len(), told);
    }
}
