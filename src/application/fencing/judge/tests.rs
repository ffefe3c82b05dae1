//! Writes of coordinators, and who is older: decided by what their beginnings know, and never by their numbers.
//!
//! Invariant: there are three processes here that elect, and 4 is the resource.

use crate::tests::judged;
use judge::trial::*;
use protocol::{
    Assumption, FencingNumber, FencingWork, Incarnation, Property, ResourceWork, StateVector, Status, TermId, Work,
    WriteFate, WriteView, WriterWork,
};

fn lab() -> Trace {
    let mut application = application("fencing", &[Property::Fencing], 8);
    application.bystanders = 1;
    let mut head = head_with(3, application);
    head.facts.needs = Assumption::first(9).to_vec();
    judged(&head)
}

fn number(count: u64, of: u16) -> FencingNumber {
    FencingNumber { count, node: node(of) }
}

fn term(of: u16) -> TermId {
    TermId { node: node(of), incarnation: Incarnation(1), serial: 1 }
}

/// Coordinates in its first term, with the number of this election.
fn writes(of: u16, election: u64) -> StateVector {
    let work = WriterWork { term: Some(term(of)), number: Some(number(election, of)), ..WriterWork::default() };
    at_work(Work::Fencing(FencingWork::Writer(work)), numbered(normal(of), election))
}

/// Somebody who has not begun.
fn idle() -> StateVector {
    at_work(Work::Fencing(FencingWork::Writer(WriterWork::default())), state(Status::Down, "Down", None))
}

/// Somebody in an election.
fn elects() -> StateVector {
    at_work(Work::Fencing(FencingWork::Writer(WriterWork::default())), electing())
}

/// The resource, after this many writes that landed and this many that it refused, the last of which was this one.
fn holds(value: u64, (landed, refused): (u64, u64), latest: Option<WriteView>) -> StateVector {
    let work = ResourceWork { value, highest: latest.map(|write| write.number), landed, refused, latest };
    at_work(Work::Fencing(FencingWork::Resource(work)), state(Status::Normal, "Bystander", None))
}

fn write(of: u16, election: u64, value: u64, fate: WriteFate) -> Option<WriteView> {
    Some(WriteView { term: term(of), number: number(election, of), value, fate })
}

fn landed(of: u16, election: u64, value: u64) -> Option<WriteView> {
    write(of, election, value, WriteFate::Landed)
}

fn refused(of: u16, election: u64, value: u64) -> Option<WriteView> {
    write(of, election, value, WriteFate::Refused)
}

fn started() -> Trace {
    let mut trace = lab();
    trace.start_all(3, &idle());
    trace.start(4, 0, holds(0, (0, 0), None));
    trace
}

/// 3 begins its term, 2 hears of it, and begins its own.
fn one_after_the_other(mut trace: Trace) -> Trace {
    trace.become_state(3, 100, writes(3, 5));
    trace.tell(3, 200, 2, None);
    trace.become_state(2, 250, elects());
    trace.become_state(2, 300, writes(2, 4));
    trace
}

#[test]
fn writes_land_in_the_order_of_the_terms() {
    let right = [
        holds(1, (1, 0), landed(3, 5, 1)),
        holds(2, (2, 0), landed(2, 4, 2)),
        holds(2, (2, 1), refused(3, 5, 2)),
        holds(3, (3, 1), landed(2, 4, 3)),
    ];
    let older_lands = [holds(1, (1, 0), landed(2, 4, 1)), holds(2, (2, 0), landed(3, 5, 2))];
    let own_refused = [holds(1, (1, 0), landed(2, 4, 1)), holds(1, (1, 1), refused(2, 4, 2))];
    let newer_refused = [holds(1, (1, 0), landed(3, 5, 1)), holds(1, (1, 1), refused(2, 4, 2))];
    let refused_held = [holds(1, (1, 0), landed(2, 4, 1)), holds(7, (1, 1), refused(3, 5, 7))];
    for (shows, told) in [
        (&right[..], None),
        (
            &older_lands,
            Some("the write of 3 with number 5.3 lands on 4 after a write of the newer coordinator 2 with number 4.2"),
        ),
        (
            &own_refused,
            Some(
                "4 refuses the write of 2 with number 4.2, although no newer coordinator has written: its own write has \
                 landed before",
            ),
        ),
        (
            &newer_refused,
            Some(
                "4 refuses the write of 2 with number 4.2, although no newer coordinator has written: 3 is older, and its \
                 number is 5.3",
            ),
        ),
        (&refused_held, Some("4 holds 7 after a write that leaves 1")),
    ] {
        let mut trace = one_after_the_other(started());
        (400..).step_by(100).zip(shows).for_each(|(at, state)| trace.become_state(4, at, state.clone()));
        if told.is_none() {
            assert_eq!(trace.tally(Property::Fencing), due(6, 6, 0));
        }
        assert_eq!(trace.told(), told.into_iter().collect::<Vec<_>>());
    }
}

#[test]
fn only_what_the_application_needs_excuses() {
    let mut trace = started();
    trace.become_state(3, 100, writes(3, 5));
    trace.tell(3, 200, 2, None);
    trace.pause(3, 250);
    trace.become_state(2, 300, writes(2, 4));
    trace.become_state(4, 400, holds(1, (1, 0), landed(2, 4, 1)));
    trace.resume(3, 450);
    trace.become_state(4, 500, holds(2, (2, 0), landed(3, 5, 2)));
    trace.close(9000);
    assert_eq!(trace.causes(), [None]);
}

#[test]
fn terms_that_know_nothing_are_not_compared() {
    let mut trace = started();
    trace.become_state(3, 100, writes(3, 5));
    trace.become_state(2, 300, writes(2, 4));
    trace.become_state(4, 400, holds(1, (1, 0), landed(2, 4, 1)));
    trace.become_state(4, 500, holds(2, (2, 0), landed(3, 5, 2)));
    trace.become_state(4, 600, holds(2, (2, 1), refused(2, 4, 3)));
    assert_eq!(trace.told(), [""; 0]);
}

#[test]
fn who_heard_amid_its_election_is_not_newer() {
    let mut trace = lab();
    [2, 3].into_iter().for_each(|of| trace.start(of, 0, elects()));
    trace.start(4, 0, holds(0, (0, 0), None));
    trace.become_state(3, 100, writes(3, 5));
    trace.tell(3, 200, 2, None);
    trace.become_state(2, 300, writes(2, 4));
    trace.become_state(4, 400, holds(1, (1, 0), landed(3, 5, 1)));
    trace.become_state(4, 500, holds(1, (1, 1), refused(2, 4, 2)));
    assert_eq!(trace.told(), [""; 0]);
}

#[test]
fn a_write_has_landed_if_it_was_kept() {
    let (empty, kept) = (holds(0, (0, 0), None), holds(1, (1, 0), None));
    for (found, next, told) in
        [(empty, holds(2, (1, 0), landed(3, 5, 2)), 0), (kept, holds(2, (2, 0), landed(3, 5, 2)), 1)]
    {
        let mut trace = one_after_the_other(started());
        trace.become_state(4, 400, holds(1, (1, 0), landed(2, 4, 1)));
        trace.crash(4, 401);
        trace.recover(4, 410, found);
        trace.become_state(4, 500, next);
        assert_eq!(trace.told().len(), told);
    }
}

#[test]
fn a_term_has_its_coordinators_number() {
    let mut trace = started();
    trace.become_state(3, 100, StateVector { status: Status::Election, ..writes(3, 5) });
    trace.become_state(3, 200, StateVector { status: Status::Election, up: set("1"), ..writes(3, 5) });
    trace.become_state(2, 300, StateVector { election: Some(6), ..writes(2, 4) });
    let expected = [
        "3 is in a term as coordinator, and does not coordinate in Normal",
        "2 begins a term with a number that is not its own",
    ];
    assert_eq!(trace.told(), expected);
}

#[test]
fn behind_a_gap_a_refusal_proves_nothing() {
    let mut trace = one_after_the_other(started());
    trace.become_state(4, 350, holds(1, (1, 0), landed(3, 5, 1)));
    trace.become_state(4, 400, holds(2, (2, 0), landed(2, 4, 2)));
    trace.become_state(4, 410, holds(2, (2, 1), refused(3, 5, 2)));
    trace.gap(Some(4), 420);
    trace.become_state(4, 500, holds(9, (7, 1), landed(3, 5, 9)));
    trace.become_state(4, 600, holds(9, (7, 2), refused(2, 4, 3)));
    assert_eq!(trace.told(), [""; 0]);
}
