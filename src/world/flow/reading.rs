//! Reading the rows: which one a record began, what happened before one, how long nothing happened.
//!
//! Invariant: the past of a row is closed: it has the past of each of its rows.

use std::collections::BTreeSet;

use super::fold::FlowRules;
use super::row::{FlowCause, FlowRow, RowTone};
use protocol::Span;
use record::{Body, EffectText, Input, MessageText, Record};

/// Whether a record is one that the rows show under these rules: not only a heartbeat, or what a machine did unseen.
pub fn shows(rules: &FlowRules, record: &Record) -> bool {
    let is_shown = |message: &MessageText| !rules.hides(message);
    match &record.body {
        Body::Step(step) => {
            let sends = |effect: &EffectText| matches!(effect, EffectText::Send { message, .. } if is_shown(message));
            let is_given = match &step.input {
                Input::Start { .. } | Input::Order { .. } => true,
                Input::Timer { .. } => false,
                Input::Message { message, .. } => is_shown(message),
            };
            is_given || step.state.is_some() || step.effects.iter().any(sends)
        }
        Body::Dropped { message, .. }
        | Body::Held { message, .. }
        | Body::Spoiled { message, .. }
        | Body::Late { message, .. } => message.as_ref().is_none_or(is_shown),
        Body::Garbled { was, .. } => is_shown(was),
        Body::Began
        | Body::Ended { .. }
        | Body::Spawned { .. }
        | Body::Died { .. }
        | Body::Stopped { .. }
        | Body::Continued
        | Body::Panicked { .. }
        | Body::Overflowed { .. }
        | Body::Gap(_)
        | Body::Marker { .. }
        | Body::Violation(_)
        | Body::FaultOrdered { .. }
        | Body::FaultNotInForce { .. }
        | Body::FaultLifted { .. } => true,
        _ => false,
    }
}

/// Whether a record makes a row under these rules, or changes one.
pub fn changes_rows(rules: &FlowRules, record: &Record) -> bool {
    let is_seen_elsewhere = matches!(record.body, Body::Ready { .. } | Body::Stale { .. } | Body::SendFailed { .. });
    is_seen_elsewhere || shows(rules, record)
}

/// The rows that happened before this one, and itself.
pub fn past_of(rows: &[FlowRow], row: usize) -> BTreeSet<usize> {
    let mut past = BTreeSet::from([row]);
    let mut open = vec![row];
    while let Some(row) = open.pop() {
        open.extend(rows[row].after.iter().filter(|before| past.insert(**before)));
    }
    past
}

/// The row that caused this one: where processes were silent the death of one, else the last one right before it. What
/// a fault does is caused by no row.
pub fn cause_of(rows: &[FlowRow], row: usize) -> Option<usize> {
    let of = &rows[row];
    if of.tone == RowTone::Fault {
        return None;
    }
    let is_death = |before: &&usize| match &of.cause {
        FlowCause::Timer { waited_for, .. } => rows[**before].deaths().any(|dead| waited_for.contains(dead)),
        _ => false,
    };
    of.after.iter().rev().find(is_death).or(of.after.last()).copied()
}

/// The first row that came of this one.
pub fn consequence_of(rows: &[FlowRow], row: usize) -> Option<usize> {
    (row + 1..rows.len()).find(|next| rows[*next].tone != RowTone::Fault && rows[*next].after.contains(&row))
}

/// The place of the row that this record began, or of the last one before it.
pub fn row_of(rows: &[FlowRow], record: u64) -> Option<usize> {
    let exact = rows.iter().rposition(|row| row.record.number == record);
    exact.or_else(|| rows.iter().rposition(|row| row.record.number <= record)).or((!rows.is_empty()).then_some(0))
}

/// The length of an idle time between two rows, if it reaches this bound.
pub fn idle_between(before: &FlowRow, next: &FlowRow, bound: i64) -> Option<Span> {
    let idle = next.record.at.saturating_sub(before.until.max(before.record.at));
    (idle >= bound).then(|| Span::from_nanos(u64::try_from(idle).unwrap_or(0)))
}
