//! The largest: who is elected, of those that stood.
//!
//! Invariant: each trace ends under one master, so that nothing is wrong but which.

use super::*;
use protocol::{Lists, Standing};

/// A process's state in election 1 with this capacity, or without one if it does not stand.
fn of(word: &'static str, master: Option<u16>, stands_with: Option<i64>, lists: Option<Lists>) -> StateVector {
    let status = if master.is_some() { Status::Normal } else { Status::Election };
    let state = state(status, word, master);
    let ballot = Ballot { course: state.course(), stands_with, announcements: 0, lists };
    StateVector { election: Some(1), ballot: Some(ballot.into()), ..state }
}

/// Of three that come into an election with these capacities, all end under that master.
fn elected(capacities: [i64; 3], master: u16, lists: Option<&[Standing]>, crashed: Option<u16>) -> Trace {
    let mut trace = Trace::new(&head(3, &[Property::Largest], &[]));
    for (number, capacity) in (1..).zip(capacities) {
        trace.capacity = capacity;
        trace.become_state(number, 100, of("coll1", None, Some(capacity).filter(|capacity| *capacity >= 0), None));
    }
    if let Some(crashed) = crashed {
        trace.crash(crashed, 200);
    }
    for (number, capacity) in (1..).zip(capacities).filter(|(number, _)| Some(*number) != crashed) {
        trace.capacity = capacity;
        let lists = lists.map(|decided| Lists { decided: Some(decided.to_vec()), ..Lists::default() });
        let stands_with = Some(capacity).filter(|capacity| *capacity >= 0);
        trace.become_state(number, 900, of("stop", Some(master), stands_with, lists));
    }
    trace.close(2900);
    trace
}

#[test]
fn the_largest_capacity_is_master() {
    for (capacities, master, is_well) in [
        ([1, 9, 3], 2, true),
        ([1, 9, 3], 3, false),
        ([7, 7, 3], 2, true),
        ([7, 7, 3], 1, false),
        ([-1, 0, -1], 2, true),
        ([-1, 0, -1], 3, false),
    ] {
        let trace = elected(capacities, master, None, None);
        assert_eq!(trace.texts().is_empty(), is_well, "{capacities:?} {master}: {:?}", trace.texts());
    }
    let told = elected([7, 7, 3], 1, None, None);
    let words = "all name 1 (capacity 7), but 2 (capacity 7) was a candidate too";
    assert!(told.only().text.contains(words), "{}", told.only().text);
    let told = elected([-1, 0, -1], 3, None, None);
    assert!(told.only().text.contains("all name 3, which was not a candidate, but 2 (capacity 0) was"));
}

#[test]
fn who_crashed_need_not_be_master() {
    assert_eq!(elected([1, 9, 3], 3, None, Some(2)).texts(), [""; 0]);
    assert_eq!(elected([1, 2, 9], 1, None, Some(1)).texts(), [""; 0]);
    assert_eq!(elected([1, 5, 9], 1, None, Some(3)).texts(), [""; 0], "2 may have given way to 3");
    assert_eq!(elected([9, 5, 1], 3, None, Some(1)).texts(), [""; 0], "2 may have given way to 1, which began");
    let told = elected([1, 9, 5], 1, None, Some(3));
    assert!(
        told.only().text.contains("all name 1 (capacity 1), but 2 (capacity 9) was a candidate too"),
        "2 had no \
        reason to"
    );
}

#[test]
fn a_list_decides_by_its_largest() {
    let stood = |list: &[(u16, i64)]| list.iter().map(|(id, capacity)| (node(*id), *capacity)).collect::<Vec<_>>();
    // 3 stood too; its init came too late for the list.
    assert_eq!(elected([1, 5, 9], 2, Some(&stood(&[(1, 1), (2, 5)])), None).texts(), [""; 0]);
    let told = elected([1, 5, 9], 1, Some(&stood(&[(1, 1), (2, 5), (3, -1)])), None);
    let words = "1 names 1, but the largest in the deciding list is 2 (capacity 5)";
    assert!(told.only().text.contains(words), "{}", told.only().text);
}

#[test]
fn who_came_to_no_end_may_excuse() {
    for (begins_at, because) in [(400, Some(Assumption::StartsTogether)), (100, None)] {
        let mut trace = Trace::new(&head(3, &[Property::Largest], &[Assumption::StartsTogether]));
        for number in [1, 2] {
            trace.capacity = i64::from(number);
            trace.become_state(number, 100, of("coll1", None, Some(i64::from(number)), None));
        }
        trace.capacity = 3;
        trace.become_state(3, begins_at, of("coll1", None, Some(3), None));
        trace.become_state(3, begins_at + 1, of("start", None, Some(3), None));
        for number in [1, 2] {
            trace.capacity = i64::from(number);
            trace.become_state(number, 900, of("stop", Some(2), Some(i64::from(number)), None));
        }
        trace.close(2900);
        assert_eq!((trace.only().nodes, trace.only().because()), (set("1-3"), because), "{:?}", trace.texts());
    }
}

#[test]
fn a_list_has_the_master_as_it_stood() {
    let stood = |list: &[(u16, i64)]| list.iter().map(|(id, capacity)| (node(*id), *capacity)).collect::<Vec<_>>();
    let told = elected([1, 5, 9], 2, Some(&stood(&[(1, 1), (2, 50), (3, 9)])), None);
    let words = "the list that decided at 1 has 2 (capacity 50), but it stood with capacity 5";
    assert!(told.only().text.contains(words), "{}", told.only().text);
    let told = elected([1, -1, 9], 2, Some(&stood(&[(1, 1), (2, 50), (3, 9)])), None);
    let words = "the list that decided at 1 has 2 (capacity 50), which was not a candidate";
    assert!(told.only().text.contains(words), "{}", told.only().text);
    // What a list says of others is no matter: they are not elected.
    assert_eq!(elected([1, 5, 9], 2, Some(&stood(&[(1, 3), (2, 5)])), None).texts(), [""; 0]);
}
