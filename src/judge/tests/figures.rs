//! A lab in figures, and sums of them.
//!
//! Invariant: whatever the order of the summands, the sum is one.

use super::*;
use world::{Figures, Tallies};

#[test]
fn time_in_contradiction_is_unsafe() {
    let mut trace = Trace::electing(3);
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
fn elections_messages_and_agreements_are_counted() {
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

/// A state whose word says nothing of its course.
fn on_course(course: Course, status: Status, master: Option<u16>) -> StateVector {
    let ballot = Ballot { course, stands_with: Some(1), announcements: 0, lists: None };
    StateVector { ballot: Some(ballot.into()), ..StateVector::new(status, "a word", master.map(node)) }
}

#[test]
fn who_asks_for_help_is_counted() {
    let mut trace = Trace::new(&head(4, &[Property::Uniqueness], &[]));
    trace.start_all(4, &asleep());
    trace.all(4, 10, &on_course(Course::Idle, Status::Election, None));
    [2, 3].into_iter().for_each(|of| trace.become_state(of, 10, on_course(Course::Help, Status::Election, None)));
    trace.crash(3, 20);
    let counted = |trace: &Trace| (trace.judge.figures().in_help, trace.judge.figures().never_heard);
    assert_eq!(counted(&trace), (0, 0));
    trace.close(1000);
    assert_eq!(counted(&trace), (1, 2));
}

#[test]
fn a_round_is_the_exchange_or_an_announcement() {
    let mut trace = Trace::new(&head(2, &[Property::Uniqueness], &[]));
    let of_seven = |course, status, master: Option<u16>, announcements| {
        let state = ballot(on_course(course, status, master), |ballot| ballot.announcements = announcements);
        numbered(state, 7)
    };
    trace.start_all(2, &asleep());
    trace.all(2, 10, &of_seven(Course::Electing, Status::Election, None, 0));
    // The first time it goes through coll2 within a step, as by line 112.
    for announcements in 1..=3 {
        let announces = of_seven(Course::Electing, Status::Election, None, announcements);
        trace.become_state(2, 20 * i64::from(announcements), announces);
    }
    // How often the others did is no matter.
    trace.become_state(1, 100, of_seven(Course::Electing, Status::Election, None, 1));
    trace.become_state(1, 110, of_seven(Course::AtRest, Status::Normal, Some(2), 1));
    trace.become_state(2, 120, of_seven(Course::AtRest, Status::Normal, Some(2), 3));
    let figures = trace.judge.figures();
    assert_eq!((figures.ends, figures.rounds, figures.elections), (1, 4, 2));
}

#[test]
fn who_has_asked_for_help_begins_another_election() {
    let mut trace = Trace::new(&head(2, &[Property::Uniqueness], &[]));
    trace.start(1, 0, asleep());
    for (at, course) in [(10, Course::Electing), (20, Course::Help), (30, Course::Electing)] {
        trace.become_state(1, at, on_course(course, Status::Election, None));
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
