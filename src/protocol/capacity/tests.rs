//! Tests of the criterion function, criterion by criterion.
//!
//! Invariant: what is not measured is asked for with a measure that fails.

use std::collections::BTreeSet;

use super::*;
use crate::{CRITERION, Incarnation, Roster, SettingValue, Settings, Span, Status, Timing};

const MS: u64 = 1_000_000;

fn setup(me: u16, criterion: Criterion) -> Setup {
    let roster = Roster::new(3).unwrap();
    let settings = Settings::defaults(&[CRITERION, CAPACITIES], roster.all())
        .with("criterion", SettingValue::Word(criterion.word().into()))
        .with("capacities", SettingValue::Numbers(vec![3, 9, 4]));
    let (t, check, silence) = (Span::from_millis(20), Span::from_millis(50), Span::from_millis(100));
    let timing = Timing { t, check, silence };
    Setup { me: NodeId::new(me).unwrap(), roster, timing, settings, incarnation: Incarnation(1), keyring: None }
}

fn function(me: u16, criterion: Criterion) -> CriterionFunction {
    CriterionFunction::new(&setup(me, criterion), 7)
}

fn unmeasured() -> i64 {
    panic!("nothing is measured here")
}

fn state(status: Status, master: u16, election: u64) -> StateVector {
    StateVector { election: Some(election), ..StateVector::new(status, "", NodeId::new(master)) }
}

#[test]
fn the_id_and_a_fixed_number_are_the_same_whenever_they_are_asked_for() {
    for (me, number) in [(1, 3), (2, 9), (3, 4)] {
        let (id, fixed) = (function(me, Criterion::Id), function(me, Criterion::Fixed));
        for step in 1..4 {
            assert_eq!(id.capacity(step, step * MS, unmeasured), i64::from(me));
            assert_eq!(fixed.capacity(step, step * MS, unmeasured), number);
        }
    }
}

#[test]
fn who_is_no_candidate_has_minus_one_by_every_criterion() {
    for criterion in Criterion::ALL {
        let mut setup = setup(2, criterion);
        setup.settings = setup.settings.with("candidates", SettingValue::Nodes("1,3".parse().unwrap()));
        assert_eq!(CriterionFunction::new(&setup, 7).capacity(1, 0, unmeasured), -1, "{criterion:?}");
    }
}

#[test]
fn a_throw_hangs_on_seed_node_incarnation_and_step_and_on_nothing_else() {
    let plain = setup(2, Criterion::Random);
    let thrown = |setup: &Setup, seed, step| CriterionFunction::new(setup, seed).capacity(step, step, unmeasured);
    let recovered = Setup { incarnation: Incarnation(2), ..plain.clone() };
    let throws = |setup: &Setup, seed| (1..40).map(|step| thrown(setup, seed, step)).collect::<Vec<_>>();
    assert_eq!(throws(&plain, 7), throws(&plain, 7));
    let others = [throws(&plain, 8), throws(&recovered, 7), throws(&setup(3, Criterion::Random), 7)];
    assert!(others.iter().all(|other| *other != throws(&plain, 7)));
    let mut asked_late = function(2, Criterion::Random);
    asked_late.take_state(&state(Status::Normal, 2, 1), 5 * MS);
    assert_eq!(asked_late.capacity(5, 900 * MS, unmeasured), thrown(&plain, 7, 5));
    let different: BTreeSet<i64> = throws(&plain, 7).into_iter().collect();
    assert!(different.len() > 30 && different.iter().all(|throw| (0..RANDOM_END as i64).contains(throw)));
}

#[test]
fn the_load_is_what_was_measured_and_never_negative() {
    let load = function(2, Criterion::Load);
    assert_eq!(load.capacity(1, 0, || 998_500), 998_500);
    assert_eq!(load.capacity(2, 0, || -5), 0);
    assert_eq!(load.capacity(3, 0, || IDLE + 1), IDLE);
}

#[test]
fn the_longer_ago_a_win_is_the_larger_and_no_win_is_larger_than_any() {
    let mut won = function(2, Criterion::LastWin);
    assert!(won.counts_wins() && !function(2, Criterion::Id).counts_wins());
    let capacity = |function: &CriterionFunction, at: u64| function.capacity(1, at * MS, unmeasured);
    assert_eq!(capacity(&won, 0), NEVER_WON);
    // The win of another process, and an own election before it is decided, are no wins of its own.
    won.take_state(&state(Status::Normal, 3, 1), 10 * MS);
    won.take_state(&state(Status::Election, 2, 2), 20 * MS);
    assert_eq!(capacity(&won, 30), NEVER_WON);
    won.take_state(&state(Status::Normal, 2, 2), 40 * MS);
    assert_eq!(capacity(&won, 40), 0);
    // It stays master: that is the same win.
    won.take_state(&state(Status::Normal, 2, 2), 90 * MS);
    assert_eq!(capacity(&won, 140), 100);
    won.take_state(&state(Status::Normal, 3, 3), 150 * MS);
    assert_eq!(capacity(&won, 240), 200);
    // Elected again with nothing else in between: another election, another win.
    won.take_state(&state(Status::Normal, 2, 4), 250 * MS);
    won.take_state(&state(Status::Normal, 2, 5), 300 * MS);
    assert_eq!(capacity(&won, 310), 10);
    assert_eq!(capacity(&won, u64::MAX / MS), NEVER_WON - 1);
}

#[test]
fn an_election_is_won_once_however_often_its_master_comes_back_to_it() {
    let mut won = function(2, Criterion::LastWin);
    let capacity = |function: &CriterionFunction, at: u64| function.capacity(1, at * MS, unmeasured);
    won.take_state(&state(Status::Normal, 2, 4), 10 * MS);
    won.take_state(&state(Status::Election, 2, 4), 50 * MS);
    won.take_state(&state(Status::Normal, 2, 4), 70 * MS);
    assert_eq!(capacity(&won, 110), 100);
    won.take_state(&state(Status::Election, 3, 5), 120 * MS);
    won.take_state(&state(Status::Normal, 2, 4), 130 * MS);
    assert_eq!(capacity(&won, 210), 200);
    // Without numbers only the states in between tell one election from another.
    let unnumbered = |status| StateVector { election: None, ..state(status, 2, 0) };
    let mut won = function(2, Criterion::LastWin);
    won.take_state(&unnumbered(Status::Normal), 10 * MS);
    won.take_state(&unnumbered(Status::Normal), 20 * MS);
    assert_eq!(capacity(&won, 30), 20);
    won.take_state(&unnumbered(Status::Election), 40 * MS);
    won.take_state(&unnumbered(Status::Normal), 50 * MS);
    assert_eq!(capacity(&won, 60), 10);
}
