//! State, one input, the exact effects.

mod joined;
mod reorganized;

use super::*;
use crate::tests::{T, cancels as cancel, did, node, nodes, nothing, sends as send, sets as set, setup};
use protocol::{
    AcknowledgedUpdate, ApplicationEffect, BlockedUpdate, GroupNumber, Incarnation, LogDigest, LoggedUpdate,
    PreparedUpdate, RefusedUpdate, Roster, SettingValue, Span, Task, TransactionId,
};

const SILENCE: Span = Span::from_millis(1_000);

fn task_of(under: u16, serial: u32, members: &str) -> Task {
    Task { author: node(under), incarnation: Incarnation(1), serial, members: nodes(members) }
}

/// An attempt of the first task of this coordinator.
fn attempt(under: u16, attempt: u32) -> TransactionId {
    TransactionId { task: TaskId::of(&task_of(under, 1, "-")), attempt }
}

fn id(of: u16, serial: u32) -> OrderId {
    OrderId { node: node(of), incarnation: Incarnation(1), serial }
}

/// The update of this serial that node 2 took; it adds its serial.
fn update(serial: u32, by: TransactionId) -> LoggedUpdate {
    LoggedUpdate { id: id(2, serial), value: serial as i32, by }
}

/// So many updates, done by node 5 in as many attempts.
fn done(number: u32) -> Vec<LoggedUpdate> {
    (1..=number).map(|serial| update(serial, attempt(5, serial))).collect()
}

fn digest(updates: &[LoggedUpdate]) -> LogDigest {
    updates.iter().fold(LogDigest::default(), |digest, update| digest.after(update))
}

/// The next update after so many, prepared by this transaction.
fn prepared(after: u32, by: TransactionId, voters: &str) -> PreparedUpdate {
    PreparedUpdate { update: update(after + 1, by), position: after + 1, voters: nodes(voters) }
}

fn proposal(prepared: PreparedUpdate) -> UpdateMessage {
    let before = digest(&done(prepared.position - 1));
    UpdateMessage::Prepare(Box::new(Proposal { prepared, before }))
}

fn standing(length: u32, in_doubt: Option<PreparedUpdate>) -> LogStanding {
    LogStanding { length, digest: digest(&done(length)), in_doubt: in_doubt.map(Box::new) }
}

/// Node `me` of five, with so many updates in its log, and what it has prepared.
fn machine(me: u16, length: u32, prepared: Option<PreparedUpdate>) -> Updates {
    let roster = Roster::new(5).unwrap();
    let own = Settings::defaults(card::CARD.settings, roster.all())
        .with(card::LOG, SettingValue::Number(40))
        .with(card::ORDERS, SettingValue::Number(2));
    let cells = UpdateCells { updates: done(length), prepared, built: vec![] };
    Updates::start(&setup(me, roster, T, SILENCE), &own, Some(cells))
}

fn state(status: Status, under: u16, up: &str, members: &str) -> StateVector {
    let task = task_of(under, 1, members);
    StateVector { task: Some(task), up: nodes(up), ..StateVector::new(status, status.word(), Some(node(under))) }
}

type Did = crate::tests::Done<Updates>;

fn hear(machine: &mut Updates, from: u16, message: UpdateMessage) -> Did {
    did(|fx| machine.on_message(node(from), message, fx))
}

fn cells(length: u32, prepared: Option<PreparedUpdate>) -> Option<UpdateCells> {
    Some(UpdateCells { updates: done(length), prepared, built: vec![] })
}

fn work(machine: &Updates) -> UpdateWork {
    let Work::Updates(work) = machine.work() else { panic!("the work of updates") };
    work
}

/// Both timers of a coordinator that waits for answers.
fn waits() -> [ApplicationEffect<Updates>; 2] {
    [set(UpdateTimer::Resend, T), set(UpdateTimer::Silent, SILENCE)]
}

fn waits_no_more() -> [ApplicationEffect<Updates>; 2] {
    [cancel(UpdateTimer::Resend), cancel(UpdateTimer::Silent)]
}

/// Node `me`, which begins to coordinate these with so many updates; they have reported this. And what it did then.
fn begun(me: u16, length: u32, own: Option<PreparedUpdate>, reports: &[(u16, LogStanding)]) -> (Updates, Did) {
    let mut coordinator = machine(me, length, own);
    let up = reports.iter().map(|(of, _)| node(*of)).collect::<NodeSet>().to_string();
    did(|fx| coordinator.on_state(&state(Status::Reorganization, me, &up, &up), fx));
    for (of, standing) in reports {
        let report = UpdateMessage::Report(standing.clone(), None);
        assert_eq!(did(|fx| coordinator.on_report(node(*of), report, fx)), (vec![], vec![33], None));
    }
    let began = did(|fx| coordinator.on_state(&state(Status::Normal, me, &up, &up), fx));
    (coordinator, began)
}

/// Node 5, which coordinates 1 and 2, all with so many updates.
fn coordinator(length: u32) -> Updates {
    begun(5, length, None, &[(1, standing(length, None)), (2, standing(length, None))]).0
}

/// Node 2, a member under 5, with so many updates.
fn member(length: u32) -> Updates {
    let mut two = machine(2, length, None);
    did(|fx| two.on_state(&state(Status::Normal, 5, "-", "1,2"), fx));
    two
}

#[test]
fn an_order_is_prepared_decided_and_acknowledged() {
    let mut five = machine(5, 0, None);
    did(|fx| five.on_state(&state(Status::Reorganization, 5, "1,2", "1,2"), fx));
    for of in [1, 2] {
        did(|fx| five.on_report(node(of), UpdateMessage::Report(standing(0, None), None), fx));
    }
    let began = did(|fx| five.on_state(&state(Status::Normal, 5, "1,2", "1,2"), fx));
    assert_eq!(began, (waits_no_more().to_vec(), vec![34], None));
    let by = attempt(5, 1);
    let first = LoggedUpdate { id: id(5, 1), value: 7, by };
    let asked = PreparedUpdate { update: first, position: 1, voters: nodes("1,2,5") };
    let ordered = did(|fx| five.on_update(7, fx));
    let effects = [vec![send(1, proposal(asked)), send(2, proposal(asked))], waits().to_vec()].concat();
    let kept = Some(UpdateCells { updates: vec![], prepared: Some(asked), built: vec![] });
    assert_eq!(ordered, (effects, vec![31, 37], kept));
    assert_eq!(five.waits_for(UpdateTimer::Silent), nodes("1,2"));
    assert_eq!(hear(&mut five, 1, UpdateMessage::Yes { attempt: 1 }), nothing());
    assert_eq!(hear(&mut five, 1, UpdateMessage::Yes { attempt: 1 }), nothing(), "it has one vote");
    let decided = hear(&mut five, 2, UpdateMessage::Yes { attempt: 1 });
    let commit = UpdateMessage::Commit { transaction: by };
    let told = vec![send(1, commit.clone()), send(2, commit)];
    let effects = [told, waits().to_vec(), vec![cancel(UpdateTimer::Request)]].concat();
    assert_eq!(
        decided,
        (effects, vec![40, 54], Some(UpdateCells { updates: vec![first], prepared: None, built: vec![] }))
    );
    assert_eq!((work(&five).length, work(&five).counter, work(&five).in_doubt), (1, 7, None));
    assert_eq!(work(&five).acknowledged, Some(AcknowledgedUpdate { times: 1, id: id(5, 1), position: 1 }));
}

#[test]
fn the_next_begins_when_all_have_one() {
    let mut five = coordinator(1);
    hear(&mut five, 2, UpdateMessage::Request { id: id(2, 2), value: 2 });
    let waiting = hear(&mut five, 1, UpdateMessage::Request { id: id(1, 1), value: 9 });
    assert_eq!(waiting, (vec![], vec![36], None));
    hear(&mut five, 1, UpdateMessage::Yes { attempt: 1 });
    hear(&mut five, 2, UpdateMessage::Yes { attempt: 1 });
    let log = UpdateLog::of(&[done(1), vec![update(2, attempt(5, 1))]].concat());
    let has = LogStanding { length: 2, digest: log.digest(), in_doubt: None };
    assert_eq!(hear(&mut five, 1, UpdateMessage::Have(has.clone())), nothing(), "2 has not said so");
    let next = hear(&mut five, 2, UpdateMessage::Have(has));
    assert_eq!(next.1, vec![37]);
    assert_eq!(work(&five).in_doubt.map(|asked| (asked.position, asked.update.id)), Some((3, id(1, 1))));
    let again = hear(&mut five, 2, UpdateMessage::Request { id: id(2, 2), value: 2 });
    assert_eq!(again, nothing(), "what is done is not done again");
}

#[test]
fn a_member_asks_prepares_learns_and_acknowledges() {
    let mut two = member(0);
    let request = send(5, UpdateMessage::Request { id: id(2, 1), value: 1 });
    let ordered = did(|fx| two.on_update(1, fx));
    assert_eq!(ordered, (vec![request.clone(), set(UpdateTimer::Request, T * 2)], vec![31, 35], None));
    let again = did(|fx| two.on_timer(UpdateTimer::Request, fx));
    assert_eq!(again, (vec![request, set(UpdateTimer::Request, T * 2)], vec![35], None));
    let asked = prepared(0, attempt(5, 1), "1,2,5");
    let yes = send(5, UpdateMessage::Yes { attempt: 1 });
    let voted = hear(&mut two, 5, proposal(asked));
    assert_eq!(voted, (vec![yes.clone(), set(UpdateTimer::Doubt, SILENCE)], vec![38], cells(0, Some(asked))));
    assert_eq!(hear(&mut two, 5, proposal(asked)), (vec![yes], vec![38], None), "it is asked again");
    let asks = did(|fx| two.on_timer(UpdateTimer::Doubt, fx));
    let question = send(5, UpdateMessage::Ask(standing(0, Some(asked))));
    assert_eq!(asks, (vec![question, set(UpdateTimer::Doubt, SILENCE)], vec![44], None));
    let learnt = hear(&mut two, 5, UpdateMessage::Commit { transaction: attempt(5, 1) });
    let effects =
        vec![cancel(UpdateTimer::Doubt), cancel(UpdateTimer::Request), send(5, UpdateMessage::Have(standing(1, None)))];
    assert_eq!(learnt, (effects, vec![42, 54], cells(1, None)));
    assert_eq!(work(&two).acknowledged, Some(AcknowledgedUpdate { times: 1, id: id(2, 1), position: 1 }));
}

#[test]
fn a_member_says_no_while_in_doubt() {
    let mut two = member(1);
    let far = hear(&mut two, 5, proposal(prepared(3, attempt(5, 4), "1,2,5")));
    let no = |attempt, of| send(5, UpdateMessage::No { attempt, standing: of });
    assert_eq!(far, (vec![no(4, standing(1, None))], vec![39], None));
    let foreign = prepared(1, attempt(4, 1), "1-4");
    let mut two = machine(2, 1, Some(foreign));
    let began = did(|fx| two.on_state(&state(Status::Normal, 5, "-", "1,2"), fx));
    assert_eq!(began, (vec![set(UpdateTimer::Doubt, SILENCE)], vec![], None));
    let other = hear(&mut two, 5, proposal(prepared(1, attempt(5, 2), "1,2,5")));
    assert_eq!(other, (vec![no(2, standing(1, Some(foreign)))], vec![39], None));
    let aborted = hear(&mut two, 5, UpdateMessage::Abort { transaction: attempt(4, 1) });
    assert_eq!(aborted, (vec![cancel(UpdateTimer::Doubt)], vec![43], cells(1, None)));
    let other = hear(&mut two, 5, UpdateMessage::Abort { transaction: attempt(4, 1) });
    assert_eq!(other, nothing());
}

#[test]
fn a_later_attempt_takes_an_earlier_ones_place() {
    let mut two = member(1);
    hear(&mut two, 5, proposal(prepared(1, attempt(5, 2), "1,2,5")));
    let later = prepared(1, attempt(5, 3), "2,3,5");
    assert_eq!(hear(&mut two, 5, proposal(later)).2, cells(1, Some(later)));
    let late = hear(&mut two, 5, UpdateMessage::Abort { transaction: attempt(5, 2) });
    assert_eq!(late, nothing());
    let older = hear(&mut two, 5, proposal(prepared(1, attempt(5, 2), "1,2,5")));
    assert_eq!(older.1, vec![39]);
}

#[test]
fn a_no_and_a_silence_abort() {
    let mut five = coordinator(1);
    hear(&mut five, 2, UpdateMessage::Request { id: id(2, 2), value: 2 });
    let no = UpdateMessage::No { attempt: 1, standing: standing(0, None) };
    let abort = |number| UpdateMessage::Abort { transaction: attempt(5, number) };
    let part = LogPart { first: 1, before: LogDigest::default(), updates: done(1) };
    let entries = UpdateMessage::Entries(Box::new(part));
    let refused = hear(&mut five, 1, no);
    let effects = [vec![send(1, abort(1)), send(2, abort(1)), send(1, entries)], waits().to_vec()].concat();
    assert_eq!(refused, (effects, vec![41, 49], cells(1, None)), "1 lacks an update");
    let again = hear(&mut five, 1, UpdateMessage::Have(standing(1, None)));
    assert_eq!(again.1, vec![37]);
    hear(&mut five, 2, UpdateMessage::Yes { attempt: 2 });
    let silent = did(|fx| five.on_timer(UpdateTimer::Silent, fx));
    let why = RefusalReason::NoMajority { have: 2, of: 5 };
    let effects = [
        vec![send(1, abort(2)), send(2, abort(2)), set(UpdateTimer::Knock, SILENCE)],
        vec![send(2, UpdateMessage::Refuse { id: id(2, 2), why: Box::new(why) })],
        waits_no_more().to_vec(),
    ]
    .concat();
    assert_eq!(silent, (effects, vec![52, 41, 32], cells(1, None)), "without 1 they are no majority");
    let knocks = did(|fx| five.on_timer(UpdateTimer::Knock, fx));
    let knock = send(1, UpdateMessage::Have(standing(1, None)));
    assert_eq!(knocks, (vec![knock, set(UpdateTimer::Knock, SILENCE)], vec![53], None));
}

#[test]
fn who_has_not_answered_is_asked_again() {
    let mut five = coordinator(0);
    did(|fx| five.on_update(7, fx));
    hear(&mut five, 1, UpdateMessage::Yes { attempt: 1 });
    let asked = work(&five).in_doubt.unwrap();
    let again = did(|fx| five.on_timer(UpdateTimer::Resend, fx));
    assert_eq!(again, (vec![send(2, proposal(asked)), set(UpdateTimer::Resend, T)], vec![51], None));
}

#[test]
fn orders_are_refused_out_of_normal() {
    let mut two = machine(2, 0, None);
    did(|fx| two.on_state(&state(Status::Election, 5, "-", "1,2"), fx));
    assert_eq!(did(|fx| two.on_update(7, fx)), (vec![], vec![32], None));
    let why = RefusalReason::NotNormal(Status::Election);
    assert_eq!(work(&two).refused, Some(RefusedUpdate { times: 1, value: 7, why }));
    did(|fx| two.on_state(&state(Status::Normal, 5, "-", "2"), fx));
    assert_eq!(did(|fx| two.on_update(8, fx)), (vec![], vec![32], None));
    let why = RefusalReason::NoMajority { have: 2, of: 5 };
    assert_eq!(work(&two).refused, Some(RefusedUpdate { times: 2, value: 8, why }));
    let mut two = member(0);
    (0..2).for_each(|_| drop(did(|fx| two.on_update(1, fx))));
    did(|fx| two.on_update(9, fx));
    assert_eq!(work(&two).refused.map(|refused| refused.why), Some(RefusalReason::QueueFull(2)));
    assert_eq!(work(&two).waiting, 2);
}

#[test]
fn a_full_log_is_refused_and_says_so() {
    let mut five = coordinator(40);
    let full = did(|fx| five.on_update(1, fx));
    assert_eq!(full.1, vec![31, 32]);
    assert_eq!(work(&five).refused.map(|refused| refused.why), Some(RefusalReason::LogFull(40)));
}

#[test]
fn what_may_be_done_is_not_refused() {
    let refuse = |why| UpdateMessage::Refuse { id: id(2, 1), why: Box::new(why) };
    let few = RefusalReason::NoMajority { have: 2, of: 5 };
    let mut two = member(0);
    did(|fx| two.on_update(1, fx));
    let mut moved = two.clone();
    assert_eq!(hear(&mut two, 5, refuse(few)), (vec![cancel(UpdateTimer::Request)], vec![32], None));
    did(|fx| moved.on_state(&state(Status::Election, 5, "-", "1,2"), fx));
    let began = did(|fx| moved.on_state(&state(Status::Normal, 4, "-", "1-3"), fx));
    assert_eq!(began.1, vec![35], "the next coordinator is asked");
    let waits = vec![set(UpdateTimer::Request, SILENCE)];
    assert_eq!(hear(&mut moved, 4, refuse(few)), (waits, vec![], None));
    assert_eq!(work(&moved).waiting, 1);
    assert_eq!(hear(&mut moved, 4, refuse(RefusalReason::LogFull(40))).1, vec![32]);
}

#[test]
fn out_of_normal_everything_stops() {
    let mut five = coordinator(1);
    did(|fx| five.on_update(7, fx));
    let stopped = did(|fx| five.on_state(&state(Status::Election, 5, "-", "1,2"), fx));
    let timers = [UpdateTimer::Request, UpdateTimer::Resend, UpdateTimer::Silent, UpdateTimer::Knock];
    assert_eq!(stopped, (timers.map(cancel).to_vec(), vec![55], None));
    assert!(work(&five).in_doubt.is_some());
    for timer in timers {
        assert_eq!(did(|fx| five.on_timer(timer, fx)), nothing());
    }
    assert_eq!(hear(&mut five, 1, UpdateMessage::Yes { attempt: 1 }), nothing());
}

#[test]
fn a_part_of_a_log_fits() {
    assert!(size_of::<UpdateMessage>() <= 56, "{} bytes", size_of::<UpdateMessage>());
    let update = |of: u32| LoggedUpdate {
        id: OrderId { node: node(256), incarnation: Incarnation(u32::MAX), serial: of },
        value: i32::MIN,
        by: TransactionId { task: TaskId::of(&task_of(256, u32::MAX, "-")), attempt: u32::MAX },
    };
    let updates: Vec<LoggedUpdate> = (0..message::PART_MAX as u32).map(|of| update(u32::MAX - of)).collect();
    let part = LogPart { first: u32::MAX, before: digest(&updates), updates };
    let body = bincode::serde::encode_to_vec(UpdateMessage::Entries(Box::new(part)), bincode::config::standard());
    assert!(body.unwrap().len() <= 700);
}
