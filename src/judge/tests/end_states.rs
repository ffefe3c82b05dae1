//! Whom all must name in the end, of the textbook's algorithms, and what was garbled in an election that does not come to
//! such an end.
//!
//! Invariant: the quiet's bound is 3 s, and an election's 800 ms: what begins so long after the last process came may pass
//! over nobody.

use super::liveness::{due, lab};
use super::*;

fn numbered(state: StateVector, number: u64) -> StateVector {
    StateVector { election: Some(number), ..state }
}

#[test]
fn the_end_state_of_numbered_elections_asks_for_the_largest_of_those_that_took_part_in_the_latest() {
    // Who has taken part in the second election, whether 3 has crashed since, and whom all should name then.
    for (took_part, crashes, right) in [("1-3", false, 3), ("1,2", false, 2), ("1-3", true, 2), ("3", true, 0)] {
        for named in 1..=3 {
            let mut trace = lab(3, Property::EndState);
            trace.states(50, &[1, 2, 3].map(|_| numbered(electing(), 1)));
            set(took_part).iter().for_each(|of| trace.become_state(of.get(), 60, numbered(electing(), 2)));
            if crashes {
                trace.crash(3, 70);
                trace.recover(3, 80, numbered(electing(), 1));
            }
            trace.states(100, &[1, 2, 3].map(|_| numbered(normal(named), 2)));
            trace.pass(9000);
            trace.close(20_000);
            assert_eq!(trace.reports.is_empty(), named == right, "{took_part} {crashes} {named}: {:?}", trace.texts());
        }
    }
}

#[test]
fn when_all_have_crashed_the_numbers_of_elections_may_begin_anew() {
    let mut trace = lab(2, Property::EndState);
    for number in 1..=100 {
        let electing = StateVector { election: Some(number), ..electing() };
        trace.states(50 + i64::try_from(number).unwrap(), &[electing.clone(), electing]);
    }
    for of in [1, 2] {
        trace.crash(of, 200);
        trace.recover(of, 210, electing());
        trace.become_state(of, 220, StateVector { election: Some(1), ..electing() });
        trace.become_state(of, 230, StateVector { election: Some(1), ..normal(2) });
    }
    trace.pass(9000);
    trace.close(20_000);
    assert_eq!(trace.texts(), [""; 0]);
    assert_eq!(trace.tally(Property::EndState), due(1, 1, 0));
}

#[test]
fn an_election_that_nobody_could_be_passed_over_in_ends_with_the_largest_that_is_up() {
    // When the last process came, when the second election began, and whether 3, which took no part in it, had to.
    for (came, began, had_to) in [(10, 700, false), (10, 900, true), (500, 900, false), (500, 1400, true)] {
        for named in [2, 3] {
            let mut trace = lab(3, Property::EndState);
            trace.states(5, &[1, 2, 3].map(|_| numbered(electing(), 1)));
            trace.states(6, &[1, 2, 3].map(|_| numbered(normal(3), 1)));
            trace.crash(1, 7);
            trace.recover(1, came, numbered(normal(3), 1));
            for of in [1, 2] {
                trace.become_state(of, began, numbered(electing(), 2));
            }
            trace.states(began + 50, &[1, 2, 3].map(|_| numbered(normal(named), 2)));
            trace.pass(9000);
            trace.close(20_000);
            let is_right = named == if had_to { 3 } else { 2 };
            assert_eq!(trace.reports.is_empty(), is_right, "{came} {began} {named}: {:?}", trace.texts());
        }
    }
}

#[test]
fn who_may_have_been_passed_over_because_a_link_failed_or_a_process_stood_still_may_be_left_out() {
    let unsettles: [fn(&mut Trace); 5] = [
        |_| {},
        |trace| {
            let cut = trace.cut(1500, "1<->2");
            trace.take(Record::of_host(1600 * MS, Body::FaultLifted { id: cut }));
        },
        |trace| {
            trace.pause(1, 1500);
            trace.resume(1, 1600);
        },
        |trace| trace.time_out(1, 1000, 1500, 1600, "-", None),
        |trace| {
            trace.fault(1600, "elect 1", "1");
        },
    ];
    for (kind, unsettle) in unsettles.iter().enumerate() {
        let mut trace = lab(3, Property::EndState);
        trace.states(5, &[1, 2, 3].map(|_| numbered(normal(3), 1)));
        unsettle(&mut trace);
        for of in [1, 2] {
            trace.become_state(of, 2000, numbered(electing(), 2));
        }
        trace.states(2050, &[1, 2, 3].map(|_| numbered(normal(2), 2)));
        trace.pass(9000);
        trace.close(20_000);
        let may_be_left_out = (1..=3).contains(&kind);
        assert_eq!(trace.reports.is_empty(), may_be_left_out, "{kind}: {:?}", trace.texts());
    }
}

#[test]
fn nobody_may_name_nobody_after_an_election_and_before_the_first_nobody_may_name_anybody() {
    let recovering = || numbered(state(Status::Down, "Recovering", None), 0);
    for (elects, names, is_right) in [(false, false, true), (false, true, false), (true, false, false)] {
        let mut trace = Trace::new(&head(2, &[Property::EndState], &Assumption::ALL));
        for of in [1, 2] {
            trace.start(of, 0, recovering());
        }
        if elects {
            trace.become_state(2, 50, numbered(electing(), 1));
            trace.crash(2, 60);
            trace.recover(2, 70, recovering());
        }
        if names {
            trace.become_state(1, 100, numbered(normal(2), 0));
        }
        trace.pass(9000);
        trace.close(20_000);
        assert_eq!(trace.reports.is_empty(), is_right, "{elects} {names}: {:?}", trace.texts());
    }
}

#[test]
fn what_was_garbled_in_an_election_excuses_that_it_does_not_end_and_no_other() {
    let cases = [(150, None), (250, Some(Assumption::NothingGarbled)), (1150, Some(Assumption::NothingGarbled))];
    for ((garbled_at, because), property) in
        cases.iter().flat_map(|case| [(*case, Property::DeadlockFree), (*case, Property::EndState)])
    {
        let mut trace = lab(2, property);
        let word = trace.send(1, 40, 2, None);
        for (at, of) in [(1000, 1), (1001, 2)] {
            trace.become_state(of, at, StateVector { election: Some(4), ..state(Status::Election, "coll1", None) });
        }
        let garbled = Body::Garbled { id: word, by: FaultId(1), was: text(), became: Some(text()) };
        trace.happened(2, garbled_at, garbled);
        trace.pass(9000);
        trace.close(20_000);
        assert_eq!((trace.only().property, trace.only().because), (property, because));
    }
}

/// 1 and 2 go through election 4 from 1 s on and come to a wrong end at 1.2 s; something of 2's was garbled then.
fn garbled_at(at: i64, property: Property) -> Trace {
    let mut trace = lab(3, property);
    let word = trace.send(1, 40, 2, None);
    trace.states(1000, &[1, 2, 3].map(|_| numbered(electing(), 4)));
    let garbled = Body::Garbled { id: word, by: FaultId(1), was: text(), became: Some(text()) };
    let mut garbled = Some(garbled).filter(|_| at > 0);
    for (step, state) in [(1200, normal(2)), (1300, numbered(electing(), 4))] {
        if at < step
            && let Some(garbled) = garbled.take()
        {
            trace.happened(2, at, garbled);
        }
        if step == 1200 {
            trace.states(step, &[1, 2, 3].map(|_| numbered(state.clone(), 4)));
        }
    }
    if let Some(garbled) = garbled.take() {
        trace.happened(2, at, garbled);
    }
    trace
}

#[test]
fn what_is_garbled_after_the_election_has_ended_excuses_nothing_of_its_end() {
    let garbled = Some(Assumption::NothingGarbled);
    for (at, because) in [(150, None), (1100, garbled), (1250, None), (2500, None)] {
        let mut trace = garbled_at(at, Property::EndState);
        trace.pass(9000);
        trace.close(20_000);
        assert_eq!((trace.only().nodes, trace.only().because), (set("1-3"), because), "{at}");
    }
}

#[test]
fn who_names_a_master_that_is_none_is_excused_by_what_was_garbled_until_that_one_stood_so() {
    let garbled = Some(Assumption::NothingGarbled);
    for (at, because) in [(1250, garbled), (1500, None)] {
        let mut trace = lab(2, Property::DeadlockFree);
        let word = trace.send(1, 40, 2, None);
        trace.states(1000, &[1, 2].map(|_| numbered(state(Status::Election, "coll1", None), 4)));
        trace.become_state(2, 1100, numbered(normal(2), 4));
        trace.become_state(1, 1200, numbered(normal(2), 4));
        let body = Body::Garbled { id: word, by: FaultId(1), was: text(), became: Some(text()) };
        if at < 1400 {
            trace.happened(2, at, body.clone());
        }
        trace.become_state(2, 1400, numbered(state(Status::Election, "help", None), 4));
        if at > 1400 {
            trace.happened(2, at, body);
        }
        trace.pass(9000);
        trace.close(20_000);
        let told: Vec<_> = trace.reports.iter().filter(|report| report.text.contains("quiet")).collect();
        assert_eq!(told.iter().map(|report| report.because).collect::<Vec<_>>(), [because], "{:?}", trace.texts());
    }
}

#[test]
fn a_wrong_end_that_nothing_excuses_is_told_though_one_before_it_was_excused() {
    // The election that ends wrong again is another one, or the same.
    for (second, told) in
        [(5, vec![Some(Assumption::NothingGarbled), None]), (4, vec![Some(Assumption::NothingGarbled)])]
    {
        let mut trace = garbled_at(1100, Property::EndState);
        trace.pass(6000);
        trace.states(6100, &[1, 2, 3].map(|_| numbered(electing(), second)));
        trace.states(6200, &[1, 2, 3].map(|_| numbered(normal(1), second)));
        trace.speak(6300, "1-3");
        trace.pass(12_000);
        trace.states(12_100, &[1, 2, 3].map(|_| numbered(normal(2), second)));
        trace.close(20_000);
        assert_eq!(trace.reports.iter().map(|report| report.because).collect::<Vec<_>>(), told, "{:?}", trace.texts());
    }
}
