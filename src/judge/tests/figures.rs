//! A lab in figures, and sums of them.
//!
//! Invariant: whatever the order of the summands, the sum is one.

use super::*;
use protocol::{Ballot, Course};
use world::{Figures, Tallies, Tally};

#[test]
fn time_in_contradiction_is_unsafe_and_two_contradictions_at_once_count_once() {
    let mut trace = Trace::bully(3);
    trace.start(1, 0, electing());
    trace.start(2, 0, electing());
    trace.start(3, 0, electing());
    trace.become_state(3, 100, normal(3));
    trace.become_state(1, 200, normal(1));
    trace.become_state(2, 250, normal(2));
    trace.become_state(1, 300, electing());
    trace.become_state(2, 350, electing());
    trace.become_state(2, 900, normal(2));
    trace.close(1000);
    assert_eq!(trace.judge.figures().unsafe_for, Span::from_millis(250));
}

#[test]
fn elections_messages_and_the_time_to_agreement_are_counted() {
    let mut trace = Trace::bully(3);
    trace.agree(3, 900);
    let figures = trace.judge.figures();
    assert_eq!((figures.elections, figures.messages, figures.bytes), (3, 2, 0));
    assert_eq!((figures.agreements, figures.agreed_after), (1, Span::from_millis(905)));
    trace.crash(3, 2000);
    trace.time_out(2, 2500, 2700, 2700, "3", Some(electing()));
    trace.take_over(2, "1", 2701);
    trace.broadcast(2, 3000, None);
    let figures = trace.judge.figures();
    assert_eq!((figures.elections, figures.messages), (5, 2 + 4 + 1));
    assert_eq!((figures.agreements, figures.agreed_after_max), (2, Span::from_millis(911)));
}

#[test]
fn who_asks_for_help_and_who_never_heard_of_an_election_are_counted_apart_as_the_lab_ends() {
    let mut trace = Trace::new(&head(4, &[Property::Uniqueness], &[]));
    let ends = |trace: &mut Trace, of, course| {
        let ballot = Ballot { course, stands_with: None, announcements: 0, lists: None };
        trace.become_state(
            of,
            10,
            StateVector { ballot: Some(ballot.into()), ..state(Status::Election, "a word", None) },
        );
    };
    for of in 1..=4 {
        trace.start(of, 0, state(Status::Down, "normal", None));
        ends(&mut trace, of, Course::Idle);
    }
    for of in [2, 3] {
        ends(&mut trace, of, Course::Help);
    }
    trace.crash(3, 20);
    assert_eq!((trace.judge.figures().in_help, trace.judge.figures().never_heard), (0, 0));
    trace.close(1000);
    assert_eq!((trace.judge.figures().in_help, trace.judge.figures().never_heard), (1, 2));
}

#[test]
fn a_round_is_the_first_exchange_and_each_announcement_of_the_master() {
    let mut trace = Trace::new(&head(2, &[Property::Uniqueness], &[]));
    let of_seven = |state: StateVector, course, announcements| {
        let ballot = Ballot { course, stands_with: Some(1), announcements, lists: None };
        StateVector { election: Some(7), ballot: Some(ballot.into()), ..state }
    };
    for of in [1, 2] {
        trace.start(of, 0, state(Status::Down, "normal", None));
        let coll1 = state(Status::Election, "coll1", None);
        trace.become_state(of, 10, of_seven(coll1, Course::Electing, 0));
    }
    // The first time it goes through coll2 within a step, as by line 112.
    for announcements in 1..=3 {
        let coll3 = state(Status::Election, "coll3", None);
        trace.become_state(2, 20 * i64::from(announcements), of_seven(coll3, Course::Electing, announcements));
    }
    // How often the others did is no matter, nor what their phases are called.
    trace.become_state(1, 100, of_seven(state(Status::Election, "coll2", None), Course::Electing, 1));
    trace.become_state(1, 110, of_seven(state(Status::Normal, "stop", Some(2)), Course::AtRest, 1));
    trace.become_state(2, 120, of_seven(state(Status::Normal, "master", Some(2)), Course::AtRest, 3));
    let figures = trace.judge.figures();
    assert_eq!((figures.ends, figures.rounds, figures.elections), (1, 4, 2));
}

#[test]
fn who_has_asked_for_help_has_given_up_one_election_and_begins_another() {
    let mut trace = Trace::new(&head(2, &[Property::Uniqueness], &[]));
    let with = |course, word| {
        let ballot = Ballot { course, stands_with: None, announcements: 0, lists: None };
        StateVector { ballot: Some(ballot.into()), ..state(Status::Election, word, None) }
    };
    trace.start(1, 0, state(Status::Down, "normal", None));
    for (at, state) in [with(Course::Electing, "wait1"), with(Course::Help, "help"), with(Course::Electing, "wait1")]
        .into_iter()
        .enumerate()
    {
        trace.become_state(1, 10 * (1 + at as i64), state);
    }
    assert_eq!(trace.judge.figures().elections, 2);
}

#[test]
fn tallies_and_figures_add_up() {
    let tallies = |seed: u64| {
        let mut tallies = Tallies::of(&[Property::Assertion1, Property::Assertion2]);
        *tallies.of_property(Property::Assertion1) += Tally { due: seed, held: seed, ..Tally::default() };
        *tallies.of_property(Property::EndState) += Tally { unknown: 1, ..Tally::default() };
        tallies
    };
    let (mut forth, mut back) = (Tallies::default(), Tallies::default());
    for seed in 0..10 {
        forth += tallies(seed);
        back += &tallies(9 - seed);
    }
    assert_eq!(forth, back);
    let rows: Vec<(Property, u64, u64)> =
        forth.iter().map(|(property, tally)| (property, tally.due, tally.unknown)).collect();
    assert_eq!(rows, [(Property::Assertion1, 45, 0), (Property::Assertion2, 0, 0), (Property::EndState, 0, 10)]);
    let text = serde_json::to_string(&forth).unwrap();
    assert!(text.starts_with("{\"assertion-1\":{\"due\":45,"), "{text}");
    assert_eq!(serde_json::from_str::<Tallies>(&text).unwrap(), forth);
    let mut figures = Figures { messages: 2, agreed_after_max: Span::from_millis(9), ..Figures::default() };
    figures += Figures { messages: 3, agreed_after_max: Span::from_millis(4), ..Figures::default() };
    assert_eq!((figures.messages, figures.agreed_after_max), (5, Span::from_millis(9)));
}
