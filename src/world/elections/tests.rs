//! When elections begin and end, who began them, and whom they elected.
//!
//! Invariant: every election here comes of folding records, as it does outside of tests.

use super::*;
use crate::World;
use fault::FaultId;
use protocol::{Incarnation, Roster};
use record::{Death, MessageId, Words};

fn node(number: u16) -> NodeId {
    NodeId::new(number).unwrap()
}

fn set(text: &str) -> NodeSet {
    text.parse().unwrap()
}

fn step(at: i64, who: u16, input: Input, status: Status, coordinator: Option<u16>) -> Record {
    let state = Some(StateVector::new(status, status.to_string(), coordinator.map(node)));
    let step = Step { state, ..Step::first(input) };
    Record::of_node(at, node(who), Body::Step(step))
}

fn time_out(timer: &str, waited_for: &str) -> Input {
    Input::Timer { timer: timer.into(), set: 0, due: 0, waited_for: set(waited_for) }
}

fn elected(at: i64, who: u16, by: u16) -> Record {
    let id = MessageId { from: node(by), incarnation: Incarnation(1), to: Some(node(who)), sequence: 1 };
    let message = Words { kind: "Elected".into(), fields: Vec::new(), body: String::new() }.into();
    step(at, who, Input::Message { id, message }, Status::Normal, Some(by))
}

fn sets_out(at: i64, who: u16, input: Input) -> Record {
    step(at, who, input, Status::Election, None)
}

fn taken(records: Vec<Record>) -> Elections {
    let mut world = World::new(Roster::new(5).unwrap());
    records.iter().for_each(|record| world.fold(record));
    world.elections
}

#[test]
fn those_began_it_whose_same_timer_ran_out() {
    let records = vec![
        sets_out(100, 4, time_out("silence", "5")),
        sets_out(101, 3, time_out("silence", "4,5")),
        sets_out(102, 2, time_out("answers", "1")),
    ];
    let elections = taken(records);
    let election = elections.present().unwrap();
    assert_eq!((election.by, election.took_part), (set("3,4"), set("2-4")));
    assert_eq!(election.why.to_string(), "nothing from 4,5");
}

#[test]
fn what_began_one_election_is_not_the_cause_of_the_next() {
    let silence = || time_out("silence", "-");
    let records = vec![
        Record::of_host(50, Body::FaultInForce { id: FaultId(1) }),
        sets_out(100, 4, silence()),
        elected(110, 4, 4),
        sets_out(900, 4, silence()),
        elected(910, 4, 4),
        Record::of_host(950, Body::FaultLifted { id: FaultId(1) }),
        sets_out(960, 4, silence()),
    ];
    let elections = taken(records);
    let noticed: Vec<_> = elections.latest.iter().map(ElectionView::noticed_after).collect();
    assert_eq!((elections.count, noticed), (3, vec![Some(50), None, Some(10)]));
}

#[test]
fn a_fault_that_comes_into_force_after_the_election_began_is_not_its_cause() {
    let records = vec![
        Record::of_host(50, Body::FaultInForce { id: FaultId(1) }),
        Record::of_node(60, node(4), Body::Continued),
        Record::of_host(62, Body::FaultLifted { id: FaultId(1) }),
        Record::of_host(62, Body::FaultInForce { id: FaultId(2) }),
        sets_out(61, 4, time_out("silence", "-")),
    ];
    let elections = taken(records);
    assert_eq!((elections.latest[0].since, elections.latest[0].noticed_after()), (Some(60), Some(1)));
}

#[test]
fn who_had_no_part_in_an_election_elected_nobody_in_it() {
    let records = vec![
        elected(1, 3, 5),
        elected(2, 5, 5),
        // 5 is isolated, and goes on by itself.
        sets_out(100, 4, time_out("silence", "5")),
        elected(101, 3, 4),
        elected(110, 4, 4),
    ];
    assert_eq!(taken(records).latest.back().unwrap().elected, set("4"));
}

#[test]
fn what_the_stopped_and_the_dead_followed_is_no_outcome() {
    let records = vec![
        elected(1, 1, 5),
        elected(2, 2, 5),
        elected(3, 3, 5),
        Record::of_node(4, node(1), Body::Stopped { by: FaultId(1) }),
        Record::of_node(5, node(2), Body::Died { death: Death::Exited { code: 1 } }),
        sets_out(100, 4, time_out("silence", "5")),
        elected(101, 3, 4),
        elected(110, 4, 4),
    ];
    let elections = taken(records);
    let election = elections.latest.back().unwrap();
    assert_eq!((election.ended, election.elected, election.without), (Some(110), set("4"), NodeSet::EMPTY));
    assert_eq!(election.outcome(), "4");
}

#[test]
fn who_hears_of_an_election_that_is_over_holds_none() {
    let hears = |at: i64, status: Status| {
        let id = MessageId { from: node(4), incarnation: Incarnation(1), to: Some(node(5)), sequence: 2 };
        let message = Words { kind: "Elected".into(), fields: Vec::new(), body: String::new() }.into();
        step(at, 5, Input::Message { id, message }, status, Some(4))
    };
    let over = || vec![sets_out(100, 4, time_out("silence", "5")), elected(110, 4, 4)];
    let told = |more: Vec<Record>| taken(over().into_iter().chain(more).collect());
    // It waits whether another master tells of itself, and then follows this one.
    let goes_on = |at: i64, status: Status| step(at, 5, time_out("table", "-"), status, Some(4));
    let follows =
        told(vec![hears(900, Status::Election), goes_on(950, Status::Election), goes_on(960, Status::Normal)]);
    assert_eq!((follows.count, follows.present().is_none()), (1, true));
    // It leaves the one that it has heard of.
    let leaves = told(vec![hears(900, Status::Election), sets_out(950, 5, time_out("table", "-"))]);
    assert_eq!((leaves.count, leaves.present().unwrap().by, leaves.latest[1].began), (2, set("5"), 950));
    // The one that tells it is still on its way.
    let joins = taken(vec![sets_out(100, 4, time_out("silence", "5")), hears(101, Status::Election)]);
    assert_eq!((joins.count, joins.latest[0].took_part), (1, set("4,5")));
}
