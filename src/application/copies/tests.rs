//! State, one input, the exact effects.

use super::*;
use crate::tests::{T, cancels, hears, node, normal, nothing, ordered, sends, sets, setup, state, timer, told};
use protocol::{
    AcknowledgedCopy, ApplicationEffect, CopyVersion, DoubtedUpdate, HeldCopy, Incarnation, LineNumber, RefusedUpdate,
    Roster, SettingValue, Span, WeightShare,
};

const CHECK: Span = Span::from_millis(500);

/// Node 1 of four that weigh 2, 1, 1 and 1, with these cells.
fn machine(saved: Option<CopyCells>) -> CounterCopies {
    let weights = SettingValue::Numbers(vec![2, 1, 1, 1]);
    let settings = Settings::default().with(CAPACITIES.name, weights);
    let setup = Setup { settings, ..setup(1, Roster::new(4).unwrap(), CHECK, Span::from_millis(2_000)) };
    CounterCopies::start(&setup, &Settings::default(), saved)
}

fn version(number: u64, author: u16) -> CopyVersion {
    CopyVersion { number, author: node(author) }
}

fn held(number: u64, author: u16, count: u32, counter: i64) -> HeldCopy {
    HeldCopy { version: Some(version(number, author)), count, counter }
}

fn order(of: u16, serial: u32, value: i32) -> CopyOrder {
    CopyOrder { id: OrderId { node: node(of), incarnation: Incarnation(1), serial }, value }
}

fn outcome(order: CopyOrder, outcome: CopyOutcome) -> CopyMessage {
    CopyMessage::Outcome(order.id, Box::new(outcome))
}

/// To these, and then it waits for 2T.
fn asks(to: &[u16], message: &CopyMessage) -> Vec<ApplicationEffect<CounterCopies>> {
    let sent = to.iter().map(|to| sends(*to, message.clone()));
    sent.chain([sets(CopyTimer::Again, T * 2)]).collect()
}

fn work(machine: &CounterCopies) -> CopyWork {
    let Work::Copies(work) = machine.work() else { panic!("another work") };
    work
}

/// The master, with its first write held by all.
fn master() -> CounterCopies {
    let mut master = machine(None);
    told(&mut master, &normal(1, 1));
    hears(&mut master, 2, CopyMessage::Copy(version(1, 1), HeldCopy::default()));
    (2..=4).for_each(|of| drop(hears(&mut master, of, CopyMessage::Wrote(version(1, 1)))));
    assert_eq!(work(&master).held, held(1, 1, 0, 0));
    master
}

#[test]
fn an_elected_one_writes_the_largest_copy() {
    let cells = CopyCells { held: held(3, 2, 1, 7), bound: Some(version(5, 2)) };
    let mut elected = machine(Some(cells));
    let bound = CopyCells { bound: Some(version(6, 1)), ..cells };
    let reads = asks(&[2, 3, 4], &CopyMessage::Read(version(6, 1)));
    assert_eq!(told(&mut elected, &normal(1, 1)), (reads, vec![line::READ], Some(bound)));
    assert_eq!(work(&elected).control, None);
    // A copy for another version says nothing.
    assert_eq!(hears(&mut elected, 2, CopyMessage::Copy(version(4, 1), held(4, 2, 9, 9))), nothing());
    let written = CopyCells { held: held(6, 1, 2, 17), bound: Some(version(6, 1)) };
    let writes = asks(&[2, 3, 4], &CopyMessage::Write(written.held));
    let copy = CopyMessage::Copy(version(6, 1), held(4, 3, 2, 17));
    assert_eq!(hears(&mut elected, 3, copy), (writes, vec![line::WRITE], Some(written)));
    assert_eq!(work(&elected).control, Some(WeightShare { have: 3, of: 5 }));
    let rests = vec![cancels(CopyTimer::Again), cancels(CopyTimer::Again), sets(CopyTimer::Knock, CHECK)];
    assert_eq!(hears(&mut elected, 4, CopyMessage::Wrote(version(6, 1))), (rests, vec![line::DONE], None));
    assert_eq!(work(&elected).control, Some(WeightShare { have: 4, of: 5 }));
}

#[test]
fn an_order_is_acknowledged_by_a_majority() {
    let mut master = master();
    let reads = std::iter::once(cancels(CopyTimer::Knock)).chain(asks(&[2, 3, 4], &CopyMessage::Read(version(2, 1))));
    let bound = CopyCells { held: held(1, 1, 0, 0), bound: Some(version(2, 1)) };
    let begun = (reads.collect(), vec![line::ORDER, line::TAKE, line::READ], Some(bound));
    assert_eq!(ordered(&mut master, 7), begun);
    let written = CopyCells { held: held(2, 1, 1, 7), bound: Some(version(2, 1)) };
    let writes = asks(&[2, 3, 4], &CopyMessage::Write(written.held));
    let copy = CopyMessage::Copy(version(2, 1), held(1, 1, 0, 0));
    assert_eq!(hears(&mut master, 2, copy), (writes, vec![line::WRITE], Some(written)));
    assert_eq!((work(&master).waiting, work(&master).acknowledged), (1, None));
    let wrote = hears(&mut master, 2, CopyMessage::Wrote(version(2, 1)));
    assert_eq!((wrote.1, wrote.2), (vec![line::DONE, line::ACKNOWLEDGE], None));
    let acknowledged = AcknowledgedCopy { times: 1, id: order(1, 1, 7).id, held: written.held };
    assert_eq!((work(&master).waiting, work(&master).acknowledged), (0, Some(acknowledged)));
}

#[test]
fn a_master_without_control_refuses_waiting_orders() {
    let mut master = master();
    ordered(&mut master, 7);
    hears(&mut master, 3, CopyMessage::Ask(order(3, 1, 5)));
    let again = asks(&[2, 3, 4], &CopyMessage::Read(version(2, 1)));
    assert_eq!(timer(&mut master, CopyTimer::Again), (again.clone(), vec![line::AGAIN], None));
    assert_eq!(timer(&mut master, CopyTimer::Again), (again, vec![line::AGAIN], None));
    let why = RefusalReason::NoWeight(WeightShare { have: 2, of: 5 });
    let ended = vec![
        cancels(CopyTimer::Again),
        cancels(CopyTimer::Ask),
        sends(3, outcome(order(3, 1, 5), CopyOutcome::Refused(why))),
        cancels(CopyTimer::Again),
        sets(CopyTimer::Knock, CHECK),
    ];
    assert_eq!(timer(&mut master, CopyTimer::Again), (ended, vec![line::NO_CONTROL, line::REFUSE], None));
    assert_eq!(work(&master).refused, Some(RefusedUpdate { times: 1, value: 7, why }));
    assert_eq!(why.to_string(), "2 of 5: no majority of the weight");
    // It asks for control again, once in a check period.
    let reads = asks(&[2, 3, 4], &CopyMessage::Read(version(3, 1)));
    let tried = timer(&mut master, CopyTimer::Knock);
    assert_eq!((tried.0, tried.1), (reads, vec![line::READ]));
    assert_eq!(timer(&mut master, CopyTimer::Again).1, [line::NO_CONTROL]);
}

#[test]
fn a_write_too_few_hold_leaves_doubt() {
    let mut master = master();
    hears(&mut master, 3, CopyMessage::Ask(order(3, 1, 5)));
    hears(&mut master, 3, CopyMessage::Copy(version(2, 1), held(1, 1, 0, 0)));
    let again = asks(&[2, 3, 4], &CopyMessage::Write(held(2, 1, 1, 5)));
    for _ in 0..2 {
        assert_eq!(timer(&mut master, CopyTimer::Again), (again.clone(), vec![line::AGAIN], None));
    }
    let given_up = timer(&mut master, CopyTimer::Again);
    assert_eq!(given_up.1, [line::UNSURE]);
    assert!(given_up.0.contains(&sends(3, outcome(order(3, 1, 5), CopyOutcome::InDoubt))));
    // Who asks again hears the same, and the order is not done a second time.
    let asked = hears(&mut master, 3, CopyMessage::Ask(order(3, 1, 5)));
    assert_eq!(asked, (vec![sends(3, outcome(order(3, 1, 5), CopyOutcome::InDoubt))], vec![], None));
}

#[test]
fn a_larger_version_is_asked_above() {
    let mut elected = machine(None);
    told(&mut elected, &normal(1, 1));
    let reads = asks(&[2, 3, 4], &CopyMessage::Read(version(8, 1)));
    let bound = CopyCells { bound: Some(version(8, 1)), ..CopyCells::default() };
    let risen = hears(&mut elected, 4, CopyMessage::Bound(version(7, 4)));
    assert_eq!(risen, (reads, vec![line::ABOVE, line::READ], Some(bound)));
    assert_eq!(hears(&mut elected, 4, CopyMessage::Bound(version(7, 4))), nothing());
    let mut rests = master();
    assert_eq!(hears(&mut rests, 4, CopyMessage::Bound(version(7, 4))).1, [line::ABOVE, line::READ]);
}

#[test]
fn a_resting_master_brings_up_those_behind() {
    let mut elected = machine(None);
    told(&mut elected, &normal(1, 1));
    hears(&mut elected, 2, CopyMessage::Copy(version(1, 1), HeldCopy::default()));
    hears(&mut elected, 2, CopyMessage::Wrote(version(1, 1)));
    let knocks = vec![
        sends(3, CopyMessage::Knock(version(1, 1))),
        sends(4, CopyMessage::Knock(version(1, 1))),
        sets(CopyTimer::Knock, CHECK),
    ];
    assert_eq!(timer(&mut elected, CopyTimer::Knock), (knocks, vec![line::KNOCK], None));
    let lagging = hears(&mut elected, 3, CopyMessage::Copy(version(1, 1), HeldCopy::default()));
    assert_eq!(lagging, (vec![sends(3, CopyMessage::Write(held(1, 1, 0, 0)))], vec![], None));
    hears(&mut elected, 3, CopyMessage::Wrote(version(1, 1)));
    hears(&mut elected, 4, CopyMessage::Copy(version(1, 1), held(1, 1, 0, 0)));
    assert_eq!(timer(&mut elected, CopyTimer::Knock), (vec![sets(CopyTimer::Knock, CHECK)], vec![], None));
}

#[test]
fn a_copy_holds_nothing_below_its_bound() {
    let mut member = machine(None);
    assert_eq!(told(&mut member, &normal(2, 1)), nothing());
    let bound = CopyCells { bound: Some(version(4, 2)), ..CopyCells::default() };
    let copy = vec![sends(2, CopyMessage::Copy(version(4, 2), HeldCopy::default()))];
    let read = hears(&mut member, 2, CopyMessage::Read(version(4, 2)));
    assert_eq!(read, (copy.clone(), vec![line::TELL], Some(bound)));
    assert_eq!(hears(&mut member, 2, CopyMessage::Knock(version(4, 2))), (copy, vec![line::TELL], None));
    let said = (vec![sends(2, CopyMessage::Bound(version(4, 2)))], vec![line::BOUND], None);
    assert_eq!(hears(&mut member, 2, CopyMessage::Read(version(3, 2))), said);
    assert_eq!(hears(&mut member, 2, CopyMessage::Write(held(3, 2, 1, 1))), said);
    let wrote = |saved| (vec![sends(2, CopyMessage::Wrote(version(4, 2)))], vec![line::HOLD], saved);
    let holds = CopyCells { held: held(4, 2, 1, 7), bound: Some(version(4, 2)) };
    assert_eq!(hears(&mut member, 2, CopyMessage::Write(holds.held)), wrote(Some(holds)));
    assert_eq!(hears(&mut member, 2, CopyMessage::Write(holds.held)), wrote(None));
    assert_eq!(hears(&mut member, 3, CopyMessage::Read(version(9, 3))), nothing());
}

#[test]
fn a_member_asks_its_master_until_that_answers() {
    let mut member = machine(None);
    told(&mut member, &normal(2, 1));
    let asked = |serial, value, lines: &[LineNumber]| {
        let effects = vec![sends(2, CopyMessage::Ask(order(1, serial, value))), sets(CopyTimer::Ask, T * 2)];
        (effects, lines.to_vec(), None)
    };
    assert_eq!(ordered(&mut member, 7), asked(1, 7, &[line::ORDER, line::ASK]));
    assert_eq!(ordered(&mut member, 8), (vec![], vec![line::ORDER], None));
    assert_eq!(timer(&mut member, CopyTimer::Ask), asked(1, 7, &[line::ASK]));
    let answer = outcome(order(1, 1, 7), CopyOutcome::Done(held(2, 2, 1, 7)));
    let mut next = asked(2, 8, &[line::ACKNOWLEDGE, line::ASK]);
    next.0.insert(0, cancels(CopyTimer::Ask));
    assert_eq!(hears(&mut member, 2, answer.clone()), next);
    assert_eq!(hears(&mut member, 2, answer), nothing());
    // Its master is gone: nobody knows whether the second one is done.
    let stopped = told(&mut member, &state(Status::Election, None, 2));
    assert_eq!((stopped.1, stopped.2), (vec![line::STOP, line::DOUBT], None));
    assert_eq!(work(&member).doubted, Some(DoubtedUpdate { times: 1, value: 8 }));
    assert_eq!(ordered(&mut member, 9).1, [line::REFUSE]);
    let why = RefusalReason::NotNormal(Status::Election);
    assert_eq!(work(&member).refused, Some(RefusedUpdate { times: 1, value: 9, why }));
}

#[test]
fn what_is_not_written_yet_waits() {
    let mut stopped = master();
    ordered(&mut stopped, 7);
    assert_eq!(told(&mut stopped, &state(Status::Election, None, 2)).1, [line::STOP]);
    assert_eq!(
        told(&mut stopped, &normal(2, 2)).0,
        [sends(2, CopyMessage::Ask(order(1, 1, 7))), sets(CopyTimer::Ask, T * 2)]
    );
    let mut amid = master();
    ordered(&mut amid, 7);
    hears(&mut amid, 2, CopyMessage::Copy(version(2, 1), held(1, 1, 0, 0)));
    assert_eq!(told(&mut amid, &state(Status::Election, None, 2)).1, [line::STOP, line::DOUBT]);
}

#[test]
fn too_many_orders_are_refused() {
    let mut member = machine(None);
    told(&mut member, &normal(2, 1));
    (0..ORDERS_MAX).for_each(|_| drop(ordered(&mut member, 1)));
    assert_eq!(ordered(&mut member, 1), (vec![], vec![line::REFUSE], None));
    assert_eq!(work(&member).refused.unwrap().why, RefusalReason::QueueFull(8));
}
