//! What became of the messages that the rows show as sent.
//!
//! Invariant: it knows just the messages whose sending is among the rows that are kept, so a receipt is folded into
//! its sending only where that can be seen.

use std::collections::HashMap;

use super::row::{Row, RowKind};
use protocol::{NodeId, NodeSet};
use record::{Body, Input, MessageId};
use world::flow::ArrowEnd;

/// The ends of each message, at the nodes that have told of one.
#[derive(Clone, Default, Debug)]
pub struct Sendings(HashMap<MessageId, Vec<(NodeId, ArrowEnd)>>);

impl Sendings {
    /// Takes in the next row.
    pub fn take(&mut self, row: &Row) {
        if let Some(id) = row.sent {
            self.0.entry(id).or_default();
            return;
        }
        let Some((id, end)) = end_of(row) else { return };
        let Some(ends) = self.0.get_mut(&id) else { return };
        let node = row.record.node.unwrap_or(id.from);
        match ends.iter_mut().find(|(at, end)| *at == node && matches!(end, ArrowEnd::Held(_))) {
            Some(held) => held.1 = end,
            None => ends.push((node, end)),
        }
    }

    /// Forgets a row that is no longer kept.
    pub fn forget(&mut self, row: &Row) {
        if let Some(id) = row.sent {
            self.0.remove(&id);
        }
    }

    /// Whether the row is a receipt whose sending has a row.
    pub fn has_sending_of(&self, row: &Row) -> bool {
        row.kind == RowKind::Received && end_of(row).is_some_and(|(id, _)| self.0.contains_key(&id))
    }

    /// What became of a message, in signs and words: `✓`, `✗ f3`, and of a multicast `✓1,2 ✗3 f3`.
    pub fn words(&self, id: MessageId) -> String {
        let mut said: Vec<(&ArrowEnd, Vec<NodeId>)> = Vec::new();
        for (node, end) in self.0.get(&id).into_iter().flatten() {
            match said.iter_mut().find(|(other, _)| *other == end) {
                Some((_, nodes)) => nodes.push(*node),
                None => said.push((end, vec![*node])),
            }
        }
        let words = said.into_iter().map(|(end, nodes)| {
            let signs = match id.to {
                Some(_) => end.mark().repeat(nodes.len()),
                None => format!("{}{}", end.mark(), nodes.into_iter().collect::<NodeSet>()),
            };
            match end {
                ArrowEnd::Dropped(by) | ArrowEnd::Held(by) => format!("{signs} {by}"),
                ArrowEnd::Lost(why) => format!("{signs} {why}"),
                _ => signs,
            }
        });
        words.collect::<Vec<_>>().join(" ")
    }
}

/// The message whose end this row tells, and that end.
fn end_of(row: &Row) -> Option<(MessageId, ArrowEnd)> {
    match (&row.record.body, row.kind) {
        (Body::Step(step), RowKind::Received) => match &step.input {
            Input::Message { id, .. } => Some((*id, ArrowEnd::Arrived)),
            _ => None,
        },
        (Body::Dropped { id, by, .. }, _) => Some((*id, ArrowEnd::Dropped(*by))),
        (Body::Held { id, by, .. }, _) => Some((*id, ArrowEnd::Held(*by))),
        (Body::Spoiled { id, .. }, _) => Some((*id, ArrowEnd::Lost("spoiled"))),
        (Body::Stale { id }, _) => Some((*id, ArrowEnd::Lost("overtaken"))),
        (Body::Late { id, .. }, _) => Some((*id, ArrowEnd::Lost("too late"))),
        (Body::SendFailed { id, .. }, _) => Some((*id, ArrowEnd::Lost("not sent"))),
        _ => None,
    }
}
