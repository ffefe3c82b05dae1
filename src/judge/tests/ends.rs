//! The ends of elections: uniqueness and freedom from deadlock.
//!
//! Invariant: one end is judged once, and a master that crashes after the end is no deadlock. What is due in the quiet
//! after, from 3 s on, is another matter: a lab that closes at 2.5 s has not come so far.

mod open;

use super::*;

fn lab(nodes: u16) -> Trace {
    lab_of(nodes, &[Property::Uniqueness, Property::DeadlockFree])
}

/// A lab that promises nothing but freedom from deadlock.
fn deadlocks(nodes: u16) -> Trace {
    lab_of(nodes, &[Property::DeadlockFree])
}

fn lab_of(nodes: u16, promises: &[Property]) -> Trace {
    let needs = [Assumption::DeliveryInTime, Assumption::NoPauses, Assumption::NothingGarbled];
    let mut trace = Trace::new(&head(nodes, promises, &needs));
    for of in 1..=nodes {
        trace.start(of, 0, state(Status::Down, "normal", None));
    }
    trace
}

fn collecting(election: u64) -> StateVector {
    StateVector { election: Some(election), ..state(Status::Election, "coll1", None) }
}

fn help(election: u64) -> StateVector {
    StateVector { election: Some(election), ..state(Status::Election, "help", None) }
}

fn stopped(master: u16, election: u64) -> StateVector {
    StateVector { election: Some(election), ..state(Status::Normal, "stop", Some(master)) }
}

fn end(trace: &mut Trace, at: i64, states: &[StateVector]) {
    for (of, state) in (1..).zip(states) {
        trace.become_state(of, at, state.clone());
    }
}

#[test]
fn one_master_is_well() {
    let mut trace = lab(3);
    end(&mut trace, 100, &[collecting(1), collecting(1), collecting(1)]);
    end(&mut trace, 900, &[stopped(3, 1), stopped(3, 1), stopped(3, 1)]);
    trace.close(9000);
    assert_eq!(trace.texts(), [""; 0]);
}

#[test]
fn two_masters_at_the_end_are_not_unique() {
    let mut trace = lab(3);
    let loss = trace.fault(10, "loss 3->* 100%", "1-3");
    end(&mut trace, 100, &[collecting(1), collecting(1), collecting(1)]);
    let word = trace.broadcast(3, 200, None);
    trace.dropped(1, 201, word, loss);
    trace.dropped(2, 201, word, loss);
    end(&mut trace, 900, &[stopped(2, 1), stopped(2, 1), stopped(3, 1)]);
    trace.speak(1000, "1-3");
    let report = trace.only();
    assert_eq!((report.property, report.nodes), (Property::Uniqueness, set("1-3")));
    assert_eq!(report.because, Some(Assumption::DeliveryInTime));
    let told = "uniqueness violated at 0.900 s (observed): 1 is stop under 2, 2 is stop under 2, 3 is stop under 3; \
                between them: nothing recorded; path: 1 was affected at 0.201 s; cause: f1 (loss 3->* 100%) \
                broke assumption 8 (delivery within the bound): 2 messages lost, the first from 3 to 1 at 0.201 s";
    assert_eq!(report.text, told);
}

#[test]
fn at_the_end_an_older_election_does_not_count_and_no_number_is_one_election() {
    for (older, violations) in [(Some(1), 0), (None, 1)] {
        let mut trace = lab(3);
        let mut deaf = stopped(3, 1);
        let mut others = stopped(2, 2);
        deaf.election = older;
        others.election = older.map(|_| 2);
        end(&mut trace, 100, &[collecting(1), collecting(1), deaf]);
        end(&mut trace, 900, &[others.clone(), others]);
        trace.close(2900);
        assert_eq!(trace.reports.len(), violations, "{:#?}", trace.texts());
    }
}

#[test]
fn a_process_that_asks_for_help_breaks_uniqueness_unless_it_came_back_within_the_election() {
    for comes_back in [false, true] {
        let mut trace = lab_of(3, &[Property::Uniqueness]);
        end(&mut trace, 100, &[collecting(1), collecting(1), collecting(1)]);
        if comes_back {
            trace.crash(1, 200);
            trace.recover(1, 300, state(Status::Down, "normal", None));
        }
        end(&mut trace, 900, &[help(1), stopped(3, 1), stopped(3, 1)]);
        trace.close(2900);
        assert_eq!(trace.reports.len(), usize::from(!comes_back), "{:#?}", trace.texts());
        if !comes_back {
            assert!(trace.only().text.contains("2 is stop under 3, 3 is stop under 3, 1 is in help"));
        }
    }
}

#[test]
fn a_candidate_that_came_back_within_the_election_could_not_be_elected_in_it() {
    let mut trace = lab_of(3, &[Property::Uniqueness]);
    trace.crash(3, 50);
    trace.capacity = -1;
    end(&mut trace, 100, &[collecting(1), collecting(1)]);
    trace.capacity = 9;
    trace.recover(3, 500, state(Status::Down, "normal", None));
    trace.capacity = -1;
    end(&mut trace, 900, &[help(1), help(1)]);
    trace.close(2900);
    assert_eq!(trace.texts(), [""; 0]);
}

#[test]
fn nobody_named_is_no_violation_where_nobody_may_be_elected() {
    let mut trace = lab_of(2, &[Property::Uniqueness]);
    end(&mut trace, 100, &[collecting(1), collecting(1)]);
    end(&mut trace, 900, &[help(1), help(1)]);
    for (capacity, violations) in [(-1, 0), (1, 1)] {
        let mut judge = Judge::new(&head(2, &[Property::Uniqueness], &[]));
        let mut told = Vec::new();
        for mut record in trace.records.clone() {
            if let Body::Step(step) = &mut record.body {
                step.capacity = capacity;
            }
            told.extend(judge.take(&record));
        }
        told.extend(judge.close(9000 * MS));
        assert_eq!(told.len(), violations, "{told:?}");
    }
}

#[test]
fn all_in_help_is_a_deadlock_told_once() {
    let mut trace = deadlocks(3);
    end(&mut trace, 100, &[collecting(1), collecting(1), collecting(1)]);
    end(&mut trace, 900, &[help(1), help(1), help(1)]);
    end(&mut trace, 1900, &[collecting(1), collecting(1), collecting(1)]);
    end(&mut trace, 2900, &[help(1), help(1), help(1)]);
    trace.close(9000);
    assert_eq!(trace.only().property, Property::DeadlockFree);
    assert!(trace.only().text.contains("no node names itself master: 1 is in help, 2 is in help, 3 is in help"));
}

#[test]
fn a_second_election_that_ends_all_in_help_is_a_deadlock_of_its_own() {
    for (second, number) in [(2, true), (1, false)] {
        let mut trace = deadlocks(3);
        let of = |state: StateVector| StateVector { election: state.election.filter(|_| number), ..state };
        for at in [100, 2000] {
            let election = if at == 100 { 1 } else { second };
            end(&mut trace, at, &[of(collecting(election)), of(collecting(election)), of(collecting(election))]);
            if at == 100 {
                trace.pause(1, 200);
                trace.resume(1, 300);
            }
            end(&mut trace, at + 800, &[of(help(election)), of(help(election)), of(help(election))]);
        }
        trace.close(9000);
        let told: Vec<_> = trace.reports.iter().map(|report| (report.property, report.because)).collect();
        let deadlock = |because| (Property::DeadlockFree, because);
        assert_eq!(told, [deadlock(Some(Assumption::NoPauses)), deadlock(None)], "{:#?}", trace.texts());
    }
}

#[test]
fn all_in_help_is_no_deadlock_if_none_of_them_is_a_candidate() {
    let mut trace = lab(3);
    end(&mut trace, 100, &[collecting(1), collecting(1), collecting(1)]);
    end(&mut trace, 900, &[help(1), help(1), help(1)]);
    for (candidate, deadlocks) in [(None, 0), (Some(node(2)), 1)] {
        let mut judge = Judge::new(&head(3, &[Property::DeadlockFree], &[]));
        let mut told = Vec::new();
        for mut record in trace.records.clone() {
            if let Body::Step(step) = &mut record.body {
                step.capacity = if record.node == candidate { 2 } else { -1 };
            }
            told.extend(judge.take(&record));
        }
        told.extend(judge.close(9000 * MS));
        assert_eq!(told.len(), deadlocks, "{told:?}");
    }
}

#[test]
fn all_naming_one_who_is_no_master_is_a_deadlock() {
    let mut trace = deadlocks(3);
    end(&mut trace, 100, &[collecting(1), collecting(1), collecting(1)]);
    end(&mut trace, 900, &[stopped(3, 1), stopped(3, 1), help(1)]);
    trace.close(2500);
    assert_eq!(trace.only().property, Property::DeadlockFree);
}

#[test]
fn a_master_that_crashes_after_the_end_or_within_the_election_is_no_deadlock() {
    for crash_at in [500, 1000] {
        let mut trace = lab(3);
        end(&mut trace, 100, &[collecting(1), collecting(1), collecting(1)]);
        if crash_at == 500 {
            trace.crash(3, 500);
            end(&mut trace, 900, &[stopped(3, 1), stopped(3, 1)]);
        } else {
            end(&mut trace, 900, &[stopped(3, 1), stopped(3, 1), stopped(3, 1)]);
            trace.crash(3, 1000);
        }
        // The next election finds the next master, after a number of its own.
        end(&mut trace, 2000, &[collecting(2), collecting(2)]);
        end(&mut trace, 2900, &[stopped(2, 2), stopped(2, 2)]);
        trace.close(9000);
        assert_eq!(trace.texts(), [""; 0]);
    }
}

#[test]
fn a_master_that_is_up_again_after_its_crash_is_no_deadlock_but_one_that_crashed_before_the_election_is() {
    for (crash_at, told) in [(500, 0), (50, 1)] {
        let mut trace = deadlocks(3);
        if crash_at == 50 {
            trace.crash(3, 50);
            trace.recover(3, 60, state(Status::Down, "normal", None));
        }
        end(&mut trace, 100, &[collecting(1), collecting(1), collecting(1)]);
        if crash_at == 500 {
            trace.crash(3, 500);
        }
        let sleeping = state(Status::Down, "normal", None);
        match crash_at {
            500 => trace.recover(3, 600, sleeping),
            _ => trace.become_state(3, 600, sleeping),
        }
        end(&mut trace, 900, &[stopped(3, 1), stopped(3, 1)]);
        trace.close(2500);
        assert_eq!(trace.reports.len(), told, "{:#?}", trace.texts());
    }
}

#[test]
fn help_after_the_favourite_crashed_is_no_deadlock() {
    let mut trace = lab(3);
    end(&mut trace, 100, &[collecting(1), collecting(1), collecting(1)]);
    trace.crash(3, 200);
    end(&mut trace, 900, &[help(1), help(1)]);
    trace.close(9000);
    assert_eq!(trace.texts(), [""; 0]);
}

#[test]
fn a_paused_master_is_waited_for() {
    let mut trace = lab(3);
    end(&mut trace, 100, &[collecting(1), collecting(1), collecting(1)]);
    trace.pause(3, 200);
    end(&mut trace, 900, &[stopped(3, 1), stopped(3, 1)]);
    trace.close(9000);
    assert_eq!(trace.texts(), [""; 0]);
}

#[test]
fn a_process_that_has_never_heard_may_still_hear_at_the_end_and_not_in_the_quiet_after_it() {
    let mut trace = lab_of(3, &[Property::Uniqueness]);
    end(&mut trace, 100, &[collecting(1), collecting(1)]);
    end(&mut trace, 900, &[stopped(2, 1), stopped(2, 1)]);
    trace.close(2900);
    assert_eq!(trace.texts(), [""; 0]);
    let mut trace = lab_of(3, &[Property::Uniqueness]);
    end(&mut trace, 100, &[collecting(1), collecting(1)]);
    end(&mut trace, 900, &[stopped(2, 1), stopped(2, 1)]);
    trace.close(9000);
    assert!(trace.only().text.contains("1,2 are stop under 2, 3 is in normal"), "{}", trace.only().text);
}

#[test]
fn while_one_elects_there_is_no_end() {
    let mut trace = lab(3);
    end(&mut trace, 100, &[collecting(1), collecting(1), collecting(1)]);
    end(&mut trace, 900, &[stopped(1, 1), stopped(2, 1)]);
    trace.close(2500);
    assert_eq!(trace.texts(), [""; 0]);
}

#[test]
fn who_is_alone_is_the_largest_though_nobody_saw_it_elect() {
    let mut trace = Trace::new(&head(1, &[Property::EndState], &[]));
    trace.start(1, 0, stopped(1, 1));
    trace.close(20_000);
    assert_eq!(trace.texts(), [""; 0]);
}

#[test]
fn the_whole_lab_is_not_judged_while_a_cut_stands() {
    for (lifted, broken) in [(false, 0), (true, 1)] {
        let mut trace = Trace::new(&head(3, &[Property::Assertion2], &Assumption::ALL));
        for of in 1..=3 {
            trace.start(of, 0, electing());
        }
        let cut = trace.cut(50, "1-2<->3");
        end(&mut trace, 100, &[normal(2), normal(2), normal(3)]);
        if lifted {
            trace.take(Record::of_host(200 * MS, Body::FaultLifted { id: cut }));
        }
        let due = trace.judge.liveness_due_at().map(|due| due / MS);
        assert_eq!(due, lifted.then_some(3200));
        trace.close(9000);
        assert_eq!(trace.reports.len(), broken, "{:?}", trace.texts());
        let tally = trace.judge.tallies().get(Property::Assertion2);
        assert_eq!((tally.due, tally.unknown), (broken as u64, u64::from(!lifted)));
    }
}

#[test]
fn a_number_that_is_used_anew_when_all_are_dead_is_an_election_of_its_own() {
    // Whether 3 crashes within the second, and what is found: its end has no master.
    for (crashes, told) in [(false, 1), (true, 0)] {
        let mut trace = deadlocks(3);
        let loss = trace.fault(10, "loss 3->* 100%", "1-3");
        end(&mut trace, 100, &[collecting(1), collecting(1), collecting(1)]);
        let word = trace.broadcast(3, 200, None);
        trace.dropped(1, 201, word, loss);
        end(&mut trace, 900, &[stopped(3, 1), stopped(3, 1), stopped(3, 1)]);
        (1..=3).for_each(|of| trace.crash(of, 1000));
        (1..=3).for_each(|of| trace.recover(of, 2000, state(Status::Down, "normal", None)));
        end(&mut trace, 2100, &[collecting(1), collecting(1), collecting(1)]);
        if crashes {
            trace.crash(3, 2150);
            trace.recover(3, 2160, state(Status::Down, "normal", None));
        }
        end(&mut trace, 2900, &[help(1), help(1), help(1)]);
        trace.close(4000);
        let because: Vec<_> = trace.reports.iter().map(|report| report.because).collect();
        assert_eq!(because, vec![None; told], "{:#?}", trace.texts());
    }
}

#[test]
fn the_first_to_begin_may_crash_within_its_election_before_others_hear_of_it() {
    let mut trace = lab(3);
    trace.become_state(3, 100, collecting(1));
    trace.crash(3, 110);
    end(&mut trace, 150, &[collecting(1), collecting(1)]);
    end(&mut trace, 900, &[help(1), help(1)]);
    trace.close(2000);
    assert_eq!(trace.texts(), [""; 0]);
}

#[test]
fn a_garbled_number_that_died_with_who_took_it_in_is_not_the_latest_election() {
    let mut trace = deadlocks(3);
    let word = trace.send(1, 20, 3, None);
    trace.happened(3, 30, Body::Garbled { id: word, by: FaultId(1), was: text(), became: Some(text()) });
    trace.become_state(3, 30, collecting(999));
    let loss = trace.fault(40, "loss 1->2 100%", "1,2");
    let word = trace.send(1, 50, 2, None);
    trace.dropped(2, 51, word, loss);
    trace.crash(3, 60);
    trace.recover(3, 1500, state(Status::Down, "normal", None));
    end(&mut trace, 2000, &[collecting(1), collecting(1), collecting(1)]);
    end(&mut trace, 2400, &[help(1), help(1), help(1)]);
    trace.close(2900);
    assert_eq!(trace.only().because, None, "{}", trace.only().text);
}

#[test]
fn who_follows_a_master_of_an_election_that_loss_has_parted_is_excused_by_that_loss_whatever_has_begun_since() {
    let mut trace = lab(3);
    let loss = trace.fault(10, "loss 3->* 100%", "1-3");
    end(&mut trace, 100, &[collecting(1), collecting(1), collecting(1)]);
    let word = trace.broadcast(3, 200, None);
    trace.dropped(1, 201, word, loss);
    end(&mut trace, 900, &[stopped(1, 1), stopped(2, 1), stopped(3, 1)]);
    // 3 has begun a second election, alone, and died; when it is back it hears of the first.
    trace.become_state(3, 1500, collecting(2));
    trace.crash(3, 1510);
    trace.recover(3, 2000, StateVector { election: Some(2), ..state(Status::Down, "normal", None) });
    trace.become_state(3, 2100, stopped(1, 1));
    trace.close(2500);
    let because: Vec<_> = trace.reports.iter().map(|report| report.because).collect();
    assert_eq!(because, [Some(Assumption::DeliveryInTime); 2], "{:#?}", trace.texts());
}
