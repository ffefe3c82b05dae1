//! Writes of coordinators, and who is older: decided by what their beginnings know, and never by their numbers.
//!
//! Invariant: there are three processes here that elect, and 4 is the resource.

use super::*;
use protocol::{
    ApplicationFacts, FencingNumber, FencingWork, ResourceWork, TermId, Work, WriteFate, WriteView, WriterWork,
};
use record::Missed;

fn lab() -> Trace {
    let mut head = head(3, &[Property::Fencing], Assumption::first(9));
    head.facts.application = Some(ApplicationFacts {
        name: "fencing".into(),
        title: "Fencing".into(),
        bystanders: 1,
        needs: Assumption::first(8).to_vec(),
        promises: vec![Property::Fencing],
        shards: None,
        services: None,
        section: None,
        weights: Vec::new(),
        orders: Vec::new(),
    });
    Trace::new(&head)
}

fn number(count: u64, of: u16) -> FencingNumber {
    FencingNumber { count, node: node(of) }
}

fn term(of: u16) -> TermId {
    TermId { node: node(of), incarnation: Incarnation(1), serial: 1 }
}

fn with(state: StateVector, work: FencingWork) -> StateVector {
    StateVector { work: Some(Box::new(Work::Fencing(work))), ..state }
}

/// It coordinates in its first term, with the number of this election.
fn writes(of: u16, election: u64) -> StateVector {
    let work = WriterWork { term: Some(term(of)), number: Some(number(election, of)), ..WriterWork::default() };
    with(StateVector { election: Some(election), ..normal(of) }, FencingWork::Writer(work))
}

/// Somebody who has not begun.
fn idle() -> StateVector {
    with(state(Status::Down, "Down", None), FencingWork::Writer(WriterWork::default()))
}

/// Somebody in an election.
fn elects() -> StateVector {
    with(electing(), FencingWork::Writer(WriterWork::default()))
}

/// The resource, after this many writes that landed and this many that it refused, the last of which was this one.
fn holds(value: u64, (landed, refused): (u64, u64), latest: Option<WriteView>) -> StateVector {
    let work = ResourceWork { value, highest: latest.map(|write| write.number), landed, refused, latest };
    with(state(Status::Normal, "Bystander", None), FencingWork::Resource(work))
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
    (1..=3).for_each(|of| trace.start(of, 0, idle()));
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

/// What was told, without when and why.
fn told(mut trace: Trace) -> Vec<String> {
    trace.close(9000);
    let what = |text: &&str| text.split("): ").nth(1).unwrap().split("; ").next().unwrap().to_owned();
    trace.texts().iter().map(what).collect()
}

#[test]
fn writes_in_the_order_of_the_terms_are_right() {
    let mut trace = one_after_the_other(started());
    trace.become_state(4, 400, holds(1, (1, 0), landed(3, 5, 1)));
    trace.become_state(4, 500, holds(2, (2, 0), landed(2, 4, 2)));
    trace.become_state(4, 600, holds(2, (2, 1), refused(3, 5, 2)));
    trace.become_state(4, 700, holds(3, (3, 1), landed(2, 4, 3)));
    trace.close(9000);
    assert_eq!(trace.texts(), [""; 0]);
    let tally = trace.judge.tallies().get(Property::Fencing);
    assert_eq!((tally.due, tally.held), (6, 6));
}

#[test]
fn the_write_of_an_older_term_lands_after_one_of_a_newer_whatever_their_numbers() {
    let mut trace = one_after_the_other(started());
    trace.become_state(4, 400, holds(1, (1, 0), landed(2, 4, 1)));
    trace.become_state(4, 500, holds(2, (2, 0), landed(3, 5, 2)));
    let what = "the write of 3 with number 5.3 lands on 4 after a write of the newer coordinator 2 with number 4.2";
    assert_eq!(told(trace), [what]);
}

#[test]
fn a_pause_excuses_it_only_if_the_application_needs_that() {
    let mut trace = started();
    trace.become_state(3, 100, writes(3, 5));
    trace.tell(3, 200, 2, None);
    trace.pause(3, 250);
    trace.become_state(2, 300, writes(2, 4));
    trace.become_state(4, 400, holds(1, (1, 0), landed(2, 4, 1)));
    trace.resume(3, 450);
    trace.become_state(4, 500, holds(2, (2, 0), landed(3, 5, 2)));
    trace.close(9000);
    assert_eq!(trace.reports.iter().map(|report| report.because).collect::<Vec<_>>(), [None]);
}

#[test]
fn a_second_write_of_the_same_term_is_refused() {
    let mut trace = one_after_the_other(started());
    trace.become_state(4, 400, holds(1, (1, 0), landed(2, 4, 1)));
    trace.become_state(4, 500, holds(1, (1, 1), refused(2, 4, 2)));
    let what = "4 refuses the write of 2 with number 4.2, although no newer coordinator has written: its own write has \
                landed before";
    assert_eq!(told(trace), [what]);
}

#[test]
fn the_write_of_a_newer_term_is_refused() {
    let mut trace = one_after_the_other(started());
    trace.become_state(4, 400, holds(1, (1, 0), landed(3, 5, 1)));
    trace.become_state(4, 500, holds(1, (1, 1), refused(2, 4, 2)));
    let what = "4 refuses the write of 2 with number 4.2, although no newer coordinator has written: 3 is older, and its \
                number is 5.3";
    assert_eq!(told(trace), [what]);
}

#[test]
fn of_terms_that_do_not_know_of_each_other_nothing_is_judged() {
    let mut trace = started();
    trace.become_state(3, 100, writes(3, 5));
    trace.become_state(2, 300, writes(2, 4));
    trace.become_state(4, 400, holds(1, (1, 0), landed(2, 4, 1)));
    trace.become_state(4, 500, holds(2, (2, 0), landed(3, 5, 2)));
    trace.become_state(4, 600, holds(2, (2, 1), refused(2, 4, 3)));
    assert_eq!(told(trace), [""; 0]);
}

#[test]
fn who_heard_of_the_other_only_amid_its_election_is_not_newer() {
    let mut trace = lab();
    [2, 3].into_iter().for_each(|of| trace.start(of, 0, elects()));
    trace.start(4, 0, holds(0, (0, 0), None));
    trace.become_state(3, 100, writes(3, 5));
    trace.tell(3, 200, 2, None);
    trace.become_state(2, 300, writes(2, 4));
    trace.become_state(4, 400, holds(1, (1, 0), landed(3, 5, 1)));
    trace.become_state(4, 500, holds(1, (1, 1), refused(2, 4, 2)));
    assert_eq!(told(trace), [""; 0]);
}

#[test]
fn a_write_that_its_process_did_not_keep_has_not_landed() {
    let mut trace = one_after_the_other(started());
    trace.become_state(4, 400, holds(1, (1, 0), landed(2, 4, 1)));
    trace.crash(4, 401);
    trace.recover(4, 410, holds(0, (0, 0), None));
    trace.become_state(4, 500, holds(2, (1, 0), landed(3, 5, 2)));
    assert_eq!(told(trace), [""; 0]);
}

#[test]
fn a_write_that_its_process_kept_has_landed() {
    let mut trace = one_after_the_other(started());
    trace.become_state(4, 400, holds(1, (1, 0), landed(2, 4, 1)));
    trace.crash(4, 401);
    trace.recover(4, 410, holds(1, (1, 0), None));
    trace.become_state(4, 500, holds(2, (2, 0), landed(3, 5, 2)));
    assert_eq!(told(trace).len(), 1);
}

#[test]
fn a_refused_value_is_not_held() {
    let mut trace = one_after_the_other(started());
    trace.become_state(4, 400, holds(1, (1, 0), landed(2, 4, 1)));
    trace.become_state(4, 500, holds(7, (1, 1), refused(3, 5, 7)));
    assert_eq!(told(trace), ["4 holds 7 after a write that leaves 1"]);
}

#[test]
fn a_term_belongs_to_a_coordinator_in_normal_and_has_its_number() {
    let mut trace = started();
    trace.become_state(3, 100, StateVector { status: Status::Election, ..writes(3, 5) });
    trace.become_state(3, 200, StateVector { status: Status::Election, up: set("1"), ..writes(3, 5) });
    trace.become_state(2, 300, StateVector { election: Some(6), ..writes(2, 4) });
    let expected = [
        "3 is in a term as coordinator, and does not coordinate in Normal",
        "2 begins a term with a number that is not its own",
    ];
    assert_eq!(told(trace), expected);
}

#[test]
fn behind_a_gap_of_the_resource_a_refusal_proves_nothing_and_a_landing_what_was_known_before() {
    let mut trace = one_after_the_other(started());
    trace.become_state(4, 350, holds(1, (1, 0), landed(3, 5, 1)));
    trace.become_state(4, 400, holds(2, (2, 0), landed(2, 4, 2)));
    trace.become_state(4, 410, holds(2, (2, 1), refused(3, 5, 2)));
    trace.happened(4, 420, Body::Gap(Missed { count: 3, place: "in the node's own buffer".into() }));
    trace.become_state(4, 500, holds(9, (7, 1), landed(3, 5, 9)));
    trace.become_state(4, 600, holds(9, (7, 2), refused(2, 4, 3)));
    assert_eq!(told(trace), [""; 0]);
}
