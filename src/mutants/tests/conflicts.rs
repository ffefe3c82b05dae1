//! The bugs of the updates without the majority rule, one by one.
//!
//! Invariant: every bug of that file has a test here.

use super::{Apart, Twins, without};
use crate::conflicts::{FirstBuildsOnNothing, LackingNotSaved, ListsOneLess};
use crate::updates::update_work;
use application::updates::{BuiltUpdate, LogVersion, UpdateMessage};
use application::working::{Working, WorkingMessage};
use application::{APPLICATIONS, AnyMessage};
use bench::{node, nodes};
use election::bully::{self, Bully};
use fault::Bug;
use protocol::{
    CallNumber, Effect, Incarnation, LoggedUpdate, NodeSet, OrderId, SettingValue, Settings, Span, Task, TaskId,
    Timing, TransactionId,
};

const TIMING: Timing =
    Timing { t: Span::from_millis(200), check: Span::from_millis(1000), silence: Span::from_millis(2000) };

fn without_majority(settings: Settings) -> Settings {
    let card = APPLICATIONS.iter().find(|card| card.name == "updates").unwrap();
    let own = Settings::defaults(card.settings, NodeSet::EMPTY).with("majority", SettingValue::Flag(false));
    settings.with_application("updates", own)
}

fn task() -> Task {
    Task { author: node(4), incarnation: Incarnation(1), serial: 1, members: nodes("1-3") }
}

/// Node 3, Normal under 4.
fn member<B: Bug<Machine = Working<Bully>>>() -> Twins<B> {
    let of_4 = |serial| CallNumber { incarnation: Incarnation(4), serial };
    let said = |message| WorkingMessage::Election(message, None);
    let halted = Twins::start(3, 4, TIMING, without_majority).hear(4, said(bully::Message::Halt { call: of_4(1) }));
    let following = halted.hear(4, said(bully::Message::NewCoordinator { call: of_4(2) }));
    following.hear(4, said(bully::Message::Ready { call: of_4(3), task: task() }))
}

/// The update of this coordinator that builds on this.
fn built(coordinator: u16, after: LogVersion) -> BuiltUpdate {
    let id = OrderId { node: node(coordinator), incarnation: Incarnation(1), serial: 1 };
    let task = TaskId { author: node(coordinator), ..TaskId::of(&task()) };
    BuiltUpdate { update: LoggedUpdate { id, value: 7, by: TransactionId { task, attempt: 1 } }, after }
}

/// 4 tells of these.
fn lacking(part: &[BuiltUpdate]) -> WorkingMessage<bully::Message> {
    WorkingMessage::Application(TaskId::of(&task()), AnyMessage::Updates(UpdateMessage::Lacking(part.into())))
}

/// How many updates both list.
fn listed<B: Bug>(apart: &Apart<B>) -> (u32, u32) {
    (update_work(&apart.plain_state).in_conflict(), update_work(&apart.mutant_state).in_conflict())
}

#[test]
fn what_builds_on_another_is_taken_for_one_that_builds_on_nothing() {
    let part = [built(1, LogVersion::default()), built(2, LogVersion::default().with_next_of(node(1)))];
    assert_eq!(listed(&member::<FirstBuildsOnNothing>().apart_hearing(4, lacking(&part))), (0, 2));
}

#[test]
fn what_a_process_lacked_is_not_saved() {
    let part = [built(1, LogVersion::default())];
    let Apart { plain, mutant, .. } = member::<LackingNotSaved>().apart_hearing(4, lacking(&part));
    let saves: Vec<_> = plain.iter().filter(|effect| matches!(effect, Effect::Save { .. })).cloned().collect();
    assert_eq!((saves.len(), mutant), (1, without(&plain, &saves)));
}

#[test]
fn one_of_three_in_conflict_is_not_counted() {
    let part: Vec<BuiltUpdate> = (1..=3).map(|of| built(of, LogVersion::default())).collect();
    assert_eq!(listed(&member::<ListsOneLess>().apart_hearing(4, lacking(&part))), (3, 2));
}
