//! Whom all must name in the end, of the textbook's algorithms, and what was garbled in an election that does not come to
//! such an end.
//!
//! Invariant: the quiet's bound is 3 s, and an election's 800 ms: what begins so long after the last process came may pass
//! over nobody.

use super::liveness::lab;
use super::*;

/// Lets the lab pass and end; what was told.
fn ended(trace: &mut Trace) -> Vec<&str> {
    trace.pass(9000);
    trace.close(20_000);
    trace.texts()
}

#[test]
fn the_largest_of_the_latest_election_is_named() {
    // Who has taken part in the second election, whether 3 has crashed since, and whom all should name then.
    for (took_part, crashes, right) in [("1-3", false, 3), ("1,2", false, 2), ("1-3", true, 2), ("3", true, 0)] {
        for named in 1..=3 {
            let mut trace = lab(3, Property::EndState);
            trace.all(3, 50, &electing_in(1));
            set(took_part).iter().for_each(|of| trace.become_state(of.get(), 60, electing_in(2)));
            if crashes {
                trace.crash(3, 70);
                trace.recover(3, 80, electing_in(1));
            }
            trace.all(3, 100, &numbered(normal(named), 2));
            let told = ended(&mut trace);
            assert_eq!(told.is_empty(), named == right, "{took_part} {crashes} {named}: {told:?}");
        }
    }
}

#[test]
fn when_all_have_crashed_numbers_begin_anew() {
    let mut trace = lab(2, Property::EndState);
    for number in 1..=100 {
        trace.all(2, 50 + i64::try_from(number).unwrap(), &electing_in(number));
    }
    for of in [1, 2] {
        trace.crash(of, 200);
        trace.recover(of, 210, electing());
        trace.become_state(of, 220, electing_in(1));
        trace.become_state(of, 230, numbered(normal(2), 1));
    }
    assert_eq!(ended(&mut trace), [""; 0]);
    assert_eq!(trace.tally(Property::EndState), due(1, 1, 0));
}

#[test]
fn who_could_be_passed_over_need_not_win() {
    // When the last process came, when the second election began, and whether 3, which took no part in it, had to.
    for (came, began, had_to) in [(10, 700, false), (10, 900, true), (500, 900, false), (500, 1400, true)] {
        for named in [2, 3] {
            let mut trace = lab(3, Property::EndState);
            trace.all(3, 5, &electing_in(1));
            trace.all(3, 6, &numbered(normal(3), 1));
            trace.crash(1, 7);
            trace.recover(1, came, numbered(normal(3), 1));
            trace.all(2, began, &electing_in(2));
            trace.all(3, began + 50, &numbered(normal(named), 2));
            let told = ended(&mut trace);
            assert_eq!(told.is_empty(), named == if had_to { 3 } else { 2 }, "{came} {began} {named}: {told:?}");
        }
    }
}

#[test]
fn who_was_cut_off_may_be_left_out() {
    // A link that failed and a process that stood still are reasons, and an order to elect is none.
    type Unsettle = fn(&mut Trace);
    let unsettles: [(bool, Unsettle); 5] = [
        (false, |_| {}),
        (true, |trace| {
            let cut = trace.cut(1500, "1<->2");
            trace.take(Record::of_host(1600 * MS, Body::FaultLifted { id: cut }));
        }),
        (true, |trace| {
            trace.pause(1, 1500);
            trace.resume(1, 1600);
        }),
        (true, |trace| trace.time_out(1, 1000, 1500, 1600, "-", None)),
        (false, |trace| _ = trace.fault(1600, "elect 1", "1")),
    ];
    for (kind, (may_be_left_out, unsettle)) in unsettles.into_iter().enumerate() {
        let mut trace = lab(3, Property::EndState);
        trace.all(3, 5, &numbered(normal(3), 1));
        unsettle(&mut trace);
        trace.all(2, 2000, &electing_in(2));
        trace.all(3, 2050, &numbered(normal(2), 2));
        let told = ended(&mut trace);
        assert_eq!(told.is_empty(), may_be_left_out, "{kind}: {told:?}");
    }
}

#[test]
fn before_the_first_election_nobody_is_named() {
    let recovering = || numbered(state(Status::Down, "Recovering", None), 0);
    for (elects, names, is_right) in [(false, false, true), (false, true, false), (true, false, false)] {
        let mut trace = Trace::new(&head(2, &[Property::EndState], &Assumption::ALL));
        trace.start_all(2, &recovering());
        if elects {
            trace.become_state(2, 50, electing_in(1));
            trace.crash(2, 60);
            trace.recover(2, 70, recovering());
        }
        if names {
            trace.become_state(1, 100, numbered(normal(2), 0));
        }
        let told = ended(&mut trace);
        assert_eq!(told.is_empty(), is_right, "{elects} {names}: {told:?}");
    }
}

#[test]
fn what_was_garbled_excuses_its_own_election_alone() {
    let garbled = Some(Assumption::NothingGarbled);
    for property in [Property::DeadlockFree, Property::EndState] {
        for (garbled_at, because) in [(150, None), (250, garbled), (1150, garbled)] {
            let mut trace = lab(2, property);
            let word = trace.send(1, 40, 2, None);
            trace.become_state(1, 1000, collecting(4));
            trace.become_state(2, 1001, collecting(4));
            trace.garbled(2, garbled_at, word, FaultId(1));
            ended(&mut trace);
            assert_eq!((trace.only().property, trace.only().because()), (property, because));
        }
    }
}

/// All go through election 4 from 1 s on and come to a wrong end at 1.2 s; something of 2's was garbled then.
fn garbled_at(at: i64) -> Trace {
    let mut trace = lab(3, Property::EndState);
    let word = trace.send(1, 40, 2, None);
    trace.all(3, 1000, &electing_in(4));
    if at < 1200 {
        trace.garbled(2, at, word, FaultId(1));
    }
    trace.all(3, 1200, &numbered(normal(2), 4));
    if at > 1200 {
        trace.garbled(2, at, word, FaultId(1));
    }
    trace
}

#[test]
fn what_is_garbled_after_the_end_excuses_nothing() {
    let garbled = Some(Assumption::NothingGarbled);
    for (at, because) in [(150, None), (1100, garbled), (1250, None), (2500, None)] {
        let mut trace = garbled_at(at);
        ended(&mut trace);
        assert_eq!((trace.only().nodes, trace.only().because()), (set("1-3"), because), "{at}");
    }
}

#[test]
fn what_was_garbled_until_then_excuses() {
    for (at, because) in [(1250, Some(Assumption::NothingGarbled)), (1500, None)] {
        let mut trace = lab(2, Property::DeadlockFree);
        let word = trace.send(1, 40, 2, None);
        trace.all(2, 1000, &collecting(4));
        trace.become_state(2, 1100, numbered(normal(2), 4));
        trace.become_state(1, 1200, numbered(normal(2), 4));
        if at < 1400 {
            trace.garbled(2, at, word, FaultId(1));
        }
        trace.become_state(2, 1400, help(4));
        if at > 1400 {
            trace.garbled(2, at, word, FaultId(1));
        }
        ended(&mut trace);
        trace.reports.retain(|report| report.text.contains("quiet"));
        assert_eq!(trace.causes(), [because], "{:?}", trace.texts());
    }
}

#[test]
fn a_wrong_end_follows_an_excused_one() {
    // The election that ends wrong again is another one, or the same.
    let garbled = Some(Assumption::NothingGarbled);
    for (second, told) in [(5, vec![garbled, None]), (4, vec![garbled])] {
        let mut trace = garbled_at(1100);
        trace.pass(6000);
        trace.all(3, 6100, &electing_in(second));
        trace.all(3, 6200, &numbered(normal(1), second));
        trace.speak(6300, "1-3");
        trace.pass(12_000);
        trace.all(3, 12_100, &numbered(normal(2), second));
        trace.close(20_000);
        assert_eq!(trace.causes(), told, "{:?}", trace.texts());
    }
}
