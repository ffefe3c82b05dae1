//! The bugs of the updates, one by one.
//!
//! Invariant: every bug of that file has a test here.

use super::{Apart, Twins, without};
use crate::updates::{
    AbortsInDoubt, AcknowledgesAtOnce, AddsOneMore, CommitNotSaved, CommitsInDoubt, DoubtNotReported, FirstYesIsEnough,
    LogNotRead, NamesTransactionsAnew, NoIsYes, PreparedNotSaved, RequestNotSent, SilenceIsYes, TellsBeforeDeciding,
    update_work,
};
use application::updates::{LogStanding, Proposal, UpdateMessage, UpdateTimer};
use application::working::{Working, WorkingCells, WorkingMessage, WorkingTimer};
use application::{APPLICATIONS, AnyMessage, AnySaved, AnyTimer};
use bench::call;
use bench::{node, nodes};
use election::bully::{self, Bully};
use election::garcia_molina::YesOrNo;
use election::invitation::{self, Invitation};
use fault::{Bug, Given};
use protocol::{
    Algorithm, CallNumber, Effect, GroupNumber, Incarnation, LogDigest, LoggedUpdate, NodeSet, Order, OrderId,
    PreparedUpdate, Settings, Span, Task, TaskId, Timing, TransactionId,
};

const TIMING: Timing =
    Timing { t: Span::from_millis(200), check: Span::from_millis(1000), silence: Span::from_millis(2000) };

type Said = WorkingMessage<bully::Message>;

fn with_updates(settings: Settings) -> Settings {
    let card = APPLICATIONS.iter().find(|card| card.name == "updates").unwrap();
    settings.with_application("updates", Settings::defaults(card.settings, NodeSet::EMPTY))
}

fn started<B: Bug<Machine = Working<Bully>>>() -> Twins<B> {
    Twins::start(3, 4, TIMING, with_updates)
}

fn said(message: bully::Message) -> Said {
    WorkingMessage::Election(message, None)
}

fn of_4(serial: u32) -> CallNumber {
    CallNumber { incarnation: Incarnation(4), serial }
}

fn task() -> Task {
    Task { author: node(4), incarnation: Incarnation(1), serial: 1, members: nodes("1-3") }
}

/// A message of the updates under the task of 4.
fn of_task<M>(message: UpdateMessage) -> WorkingMessage<M> {
    WorkingMessage::Application(TaskId::of(&task()), AnyMessage::Updates(message))
}

/// Node 3, Normal under 4.
fn member<B: Bug<Machine = Working<Bully>>>() -> Twins<B> {
    let halted = started().hear(4, said(bully::Message::Halt { call: of_4(1) }));
    let following = halted.hear(4, said(bully::Message::NewCoordinator { call: of_4(2) }));
    following.hear(4, said(bully::Message::Ready { call: of_4(3), task: task() }))
}

fn transaction() -> TransactionId {
    TransactionId { task: TaskId::of(&task()), attempt: 1 }
}

/// 4 asks to prepare the first update.
fn proposal() -> UpdateMessage {
    let id = OrderId { node: node(1), incarnation: Incarnation(1), serial: 1 };
    let update = LoggedUpdate { id, value: 7, by: transaction() };
    let prepared = PreparedUpdate { update, position: 1, voters: nodes("1-4") };
    UpdateMessage::Prepare(Box::new(Proposal { prepared, before: LogDigest::default() }))
}

/// Node 3, which has prepared that.
fn in_doubt<B: Bug<Machine = Working<Bully>>>() -> Twins<B> {
    member().hear(4, of_task(proposal()))
}

/// Node 3, Normal, which coordinates 1 and 2 of four, and has asked them about an update.
fn asking<B: Bug<Machine = Working<Bully>>>() -> Twins<B> {
    let candidate = started().time_out(WorkingTimer::Election(bully::Timer::AreYouThere));
    let answer = said(bully::Message::HaltAnswer { call: call(2) });
    let halting = candidate.hear(2, answer.clone()).hear(1, answer);
    let announcing = halting.time_out(WorkingTimer::Election(bully::Timer::Halt));
    let report =
        || UpdateMessage::Report(LogStanding { length: 0, digest: LogDigest::default(), in_doubt: None }, None);
    let joins = |report| {
        WorkingMessage::Election(
            bully::Message::NewCoordinatorAnswer { call: call(3) },
            Some(AnyMessage::Updates(report)),
        )
    };
    let giving = announcing.hear(2, joins(report())).hear(1, joins(report()));
    let answer = said(bully::Message::ReadyAnswer { call: call(4) });
    let mut asking = giving.hear(1, answer.clone()).hear(2, answer);
    asking.give(Given::Order(Order::Update(7)));
    asking.alike()
}

fn vote<B: Bug<Machine = Working<Bully>>>(twins: &Twins<B>, vote: UpdateMessage) -> Said {
    let task = TaskId::at_work(&twins.plain.machine.state()).unwrap();
    WorkingMessage::Application(task, AnyMessage::Updates(vote))
}

fn timer(timer: UpdateTimer) -> WorkingTimer<bully::Timer> {
    WorkingTimer::Application(AnyTimer::Updates(timer))
}

/// How long both logs are.
fn lengths<B: Bug>(apart: &Apart<B>) -> (u32, u32) {
    (update_work(&apart.plain_state).length, update_work(&apart.mutant_state).length)
}

/// Whether both are in doubt.
fn doubts<B: Bug>(apart: &Apart<B>) -> (bool, bool) {
    let in_doubt = |state| update_work(state).in_doubt.is_some();
    (in_doubt(&apart.plain_state), in_doubt(&apart.mutant_state))
}

fn has_lost_its_save<A: Algorithm>(plain: &[Effect<A>], mutant: &[Effect<A>]) {
    let saves: Vec<Effect<A>> = plain.iter().filter(|effect| matches!(effect, Effect::Save { .. })).cloned().collect();
    assert_eq!((saves.len(), mutant), (1, &without(plain, &saves)[..]));
}

#[test]
fn silence_is_a_yes() {
    let apart = asking::<SilenceIsYes>().apart_at(timer(UpdateTimer::Silent));
    assert_eq!(lengths(&apart), (0, 1));
}

#[test]
fn the_first_yes_decides() {
    let twins = asking::<FirstYesIsEnough>();
    let yes = vote(&twins, UpdateMessage::Yes { attempt: 1 });
    assert_eq!(lengths(&twins.apart_hearing(1, yes)), (0, 1));
}

#[test]
fn a_no_is_a_yes() {
    let twins = asking::<NoIsYes>();
    let yes = vote(&twins, UpdateMessage::Yes { attempt: 1 });
    let standing = LogStanding { length: 0, digest: LogDigest::default(), in_doubt: None };
    let no = vote(&twins, UpdateMessage::No { attempt: 1, standing });
    assert_eq!(lengths(&twins.hear(1, yes).apart_hearing(2, no)), (0, 1));
}

#[test]
fn what_is_prepared_is_not_saved() {
    let Apart { plain, mutant, .. } = member::<PreparedNotSaved>().apart_hearing(4, of_task(proposal()));
    has_lost_its_save(&plain, &mutant);
}

#[test]
fn what_is_done_is_not_saved() {
    let done = of_task(UpdateMessage::Commit { transaction: transaction() });
    let Apart { plain, mutant, .. } = in_doubt::<CommitNotSaved>().apart_hearing(4, done);
    has_lost_its_save(&plain, &mutant);
}

#[test]
fn a_process_starts_with_an_empty_log() {
    let saved: AnySaved = serde_json::from_str(
        r#"{"Updates":{"updates":[{"id":{"node":1,"incarnation":1,"serial":1},"value":7,
        "by":{"task":{"author":4,"incarnation":1,"serial":1},"attempt":1}}],"prepared":null}}"#,
    )
    .unwrap();
    let cells = WorkingCells { election: None, application: Some(saved) };
    assert_eq!(lengths(&started::<LogNotRead>().recovered(cells).apart()), (1, 0));
}

#[test]
fn long_doubt_is_an_abort() {
    assert_eq!(doubts(&in_doubt::<AbortsInDoubt>().apart_at(timer(UpdateTimer::Doubt))), (true, false));
}

#[test]
fn long_doubt_is_a_commit() {
    assert_eq!(lengths(&in_doubt::<CommitsInDoubt>().apart_at(timer(UpdateTimer::Doubt))), (0, 1));
}

#[test]
fn a_doubt_is_not_reported() {
    let halted = in_doubt::<DoubtNotReported>().hear(4, said(bully::Message::Halt { call: of_4(4) }));
    let apart = halted.apart_hearing(4, said(bully::Message::NewCoordinator { call: of_4(5) }));
    let reports = |effects: &[Effect<Working<Bully>>]| -> Vec<bool> {
        let of = |effect: &Effect<Working<Bully>>| match effect {
            Effect::Send {
                message: WorkingMessage::Election(_, Some(AnyMessage::Updates(UpdateMessage::Report(standing, _)))),
                ..
            } => Some(standing.in_doubt.is_some()),
            _ => None,
        };
        effects.iter().filter_map(of).collect()
    };
    assert_eq!((reports(&apart.plain), reports(&apart.mutant)), (vec![true], vec![false]));
}

#[test]
fn an_order_is_acknowledged_when_it_is_taken() {
    let mut twins = member::<AcknowledgesAtOnce>();
    twins.give(Given::Order(Order::Update(7)));
    let Apart { plain_state, mutant_state, .. } = twins.apart();
    let acknowledged = |state| update_work(state).acknowledged.map(|acknowledged| acknowledged.position);
    assert_eq!((acknowledged(&plain_state), acknowledged(&mutant_state)), (None, Some(1)));
}

#[test]
fn each_life_names_its_transactions_as_the_first() {
    let cells = WorkingCells { election: None, application: None };
    let apart = started::<NamesTransactionsAnew>().alike().recovered(cells).apart();
    let asked = |effects: &[Effect<Working<Bully>>]| {
        effects.iter().find_map(|effect| match effect {
            Effect::Send { message: WorkingMessage::Election(bully::Message::AreYouThere { call }, _), .. } => {
                Some(call.incarnation)
            }
            _ => None,
        })
    };
    assert_eq!((asked(&apart.plain), asked(&apart.mutant)), (Some(Incarnation(2)), Some(Incarnation(1))));
}

fn group() -> GroupNumber {
    GroupNumber { node: node(4), counter: 1 }
}

/// Node 3 of 4, Normal in a group of 4.
fn invited<B: Bug<Machine = Working<Invitation>>>() -> Twins<B> {
    let only = Twins::start(3, 4, TIMING, with_updates);
    let invitation = invitation::Message::Invitation { call: of_4(1), coordinator: node(4), group: group() };
    let accepted = only.hear(4, WorkingMessage::Election(invitation, None));
    let answer = invitation::Message::AcceptAnswer { call: call(1), accepted: YesOrNo::Yes };
    let joined = accepted.hear(4, WorkingMessage::Election(answer, None));
    let ready = invitation::Message::Ready { call: of_4(2), group: group(), task: Box::new(task()) };
    joined.hear(4, WorkingMessage::Election(ready, None))
}

#[test]
fn one_more_is_added() {
    let apart = invited::<AddsOneMore>().apart_hearing(4, of_task(proposal()));
    let value = |state| update_work(state).in_doubt.map(|prepared| prepared.update.value);
    assert_eq!((value(&apart.plain_state), value(&apart.mutant_state)), (Some(7), Some(8)));
}

#[test]
fn the_voters_are_told_before_they_have_voted() {
    let alone = Twins::<TellsBeforeDeciding>::start(3, 3, TIMING, with_updates);
    let looking = alone.time_out(WorkingTimer::Election(invitation::Timer::Check));
    let answer = invitation::Message::AreYouCoordinatorAnswer { call: call(1), coordinator: YesOrNo::Yes };
    let found = looking.hear(2, WorkingMessage::Election(answer, None));
    let inviting = found.time_out(WorkingTimer::Election(invitation::Timer::AreYouCoordinator));
    let number = GroupNumber { node: node(3), counter: 2 };
    let accept = invitation::Message::Accept { call: call(1), group: number };
    let standing = LogStanding { length: 0, digest: LogDigest::default(), in_doubt: None };
    let report = AnyMessage::Updates(UpdateMessage::Report(standing, Some(number)));
    let accepted = inviting.hear(2, WorkingMessage::Election(accept, Some(report)));
    let giving = accepted.time_out(WorkingTimer::Election(invitation::Timer::Accepts));
    let ready = invitation::Message::ReadyAnswer { call: call(3), taken: YesOrNo::Yes };
    let mut leading = giving.hear(2, WorkingMessage::Election(ready, None));
    leading.give(Given::Order(Order::Update(7)));
    let Apart { plain, mutant, .. } = leading.apart();
    let commits = |effects: &[Effect<Working<Invitation>>]| {
        let is_commit = |effect: &&Effect<Working<Invitation>>| {
            matches!(
                effect,
                Effect::Send {
                    message: WorkingMessage::Application(_, AnyMessage::Updates(UpdateMessage::Commit { .. })),
                    ..
                }
            )
        };
        effects.iter().filter(is_commit).count()
    };
    assert_eq!((commits(&plain), commits(&mutant)), (0, 1));
}

#[test]
fn an_order_is_kept_at_the_member_that_took_it() {
    let mut ordered = member::<RequestNotSent>();
    ordered.give(Given::Order(Order::Update(7)));
    let Apart { plain, mutant, .. } = ordered.apart();
    let id = OrderId { node: node(3), incarnation: Incarnation(1), serial: 1 };
    let message = of_task(UpdateMessage::Request { id, value: 7 });
    assert_eq!(mutant, without(&plain, &[Effect::Send { to: node(4), message }]));
}
