//! All about a link, both ways: what is in force on it, what waits there, and what may be ordered.
//!
//! Invariant: the datagrams stand in the order in which they would be delivered.

use std::collections::BTreeMap;

use super::page::{Leads, Page};
use super::sheet::Sheet;
use crate::dashboard::model::{Model, Subject};
use crate::dashboard::paint;
use crate::dashboard::row::message_words;
use crate::protocol::{NodeId, Span};
use crate::record::{EffectText, MessageId};
use crate::world::{HeldQueue, Topology};

/// Its page.
pub fn page(model: &Model, from: NodeId, to: NodeId, width: u16) -> Page {
    let mut sheet = Sheet::new(&model.theme, width);
    let topology = Topology::of(&model.seen().world);
    for (from, to) in [(from, to), (to, from)] {
        sheet.text(&model.link_words(from, to));
    }
    queue(model, &mut sheet, &topology, from, to);
    let faults = topology.faults(from, to);
    if !faults.is_empty() {
        sheet.heading("in force");
        for fault in faults {
            sheet.link(Leads::To(Subject::Fault(fault.id)));
            sheet.field(&fault.id.to_string(), &fault.line.to_string());
        }
    }
    if from != to && model.permission().is_ok() {
        sheet.heading("what may be ordered; Enter begins the line");
        for line in lines(model, &topology, from, to) {
            sheet.link(Leads::Begins(line.clone()));
            sheet.text(&format!("  {line}"));
        }
    }
    sheet.into_page(format!("link {from} -> {to}"))
}

/// What waits, the next one first.
fn queue(model: &Model, sheet: &mut Sheet<'_>, topology: &Topology<'_>, from: NodeId, to: NodeId) {
    let Some(queue) = topology.queue(from, to) else { return };
    sheet.heading("what waits, in the order of its delivery");
    let sent = sent_at(model, queue);
    for datagram in &queue.listed {
        let words = datagram.message.as_ref().map_or_else(|| "a copy of a broadcast".to_owned(), message_words);
        let sent = match sent.get(&datagram.id) {
            Some(at) => format!("sent {} s, ", paint::seconds(*at, 3)),
            None => String::new(),
        };
        let since = paint::seconds(datagram.since, 3);
        let words = format!("{words}  {sent}waits since {since} s ({})", datagram.by);
        sheet.entry(&datagram.id.sequence.to_string(), 6, &words);
    }
    if queue.unlisted > 0 {
        sheet.text(&format!("  {} more wait behind them.", queue.unlisted));
    }
}

/// When these datagrams left their senders, as far as the screen still has the records.
fn sent_at(model: &Model, queue: &HeldQueue) -> BTreeMap<MessageId, i64> {
    let mut sent = BTreeMap::new();
    for (_, row) in model.seen().journal.newest() {
        if sent.len() == queue.listed.len() {
            break;
        }
        for effect in row.record.step().map_or(&[][..], |step| &step.effects) {
            if let EffectText::Send { id, .. } = effect
                && queue.listed.iter().any(|datagram| datagram.id == *id)
            {
                sent.insert(*id, row.record.at);
            }
        }
    }
    sent
}

/// The lines that a person may want here; those that end something first.
fn lines(model: &Model, topology: &Topology<'_>, from: NodeId, to: NodeId) -> Vec<String> {
    let t = model.head.as_ref().map_or(Span::from_millis(400), |head| head.timing.t);
    let mut lines = Vec::new();
    if topology.holding(from, to).is_some() {
        lines.extend([format!("release {from}->{to}"), format!("release {from}->{to} reversed")]);
    } else {
        lines.push(format!("hold {from}->{to}"));
    }
    lines.extend(topology.faults(from, to).iter().map(|fault| format!("lift {}", fault.id)));
    lines.extend([format!("cut {from}->{to}"), format!("loss {from}->{to} 30%"), format!("delay {from}->{to} {t}")]);
    lines
}
