//! All about a link, both ways: what is in force on it, what waits there, and what may be ordered.
//!
//! Invariant: the datagrams stand in the order in which they would be delivered, and the cursor begins on the next one.

use std::collections::BTreeMap;

use super::page::{LinkTarget, Page, PageWriter};
use crate::model::row::message_words;
use crate::model::{Model, Subject};
use crate::view::paint;
use crate::view::words::link::link_words;
use fault::{Courier, CourierAct, FaultEffect, FaultLine, LinkRule, Links, Target};
use protocol::{NodeId, NodeSet, Span};
use record::{EffectText, MessageId};
use world::{HeldDatagram, HeldQueue, Topology};

pub fn page(model: &Model, from: NodeId, to: NodeId, width: u16) -> Page {
    let mut sheet = PageWriter::new(&model.theme, width);
    let topology = Topology::of(&model.seen().world);
    for (from, to) in [(from, to), (to, from)] {
        sheet.text(&link_words(model, from, to));
    }
    queue(model, &mut sheet, &topology, from, to);
    let faults = topology.faults(from, to);
    if !faults.is_empty() {
        sheet.heading("in force");
        for fault in faults {
            sheet.link(LinkTarget::To(Subject::Fault(fault.id)));
            sheet.field(&fault.id.to_string(), &fault.line.to_string());
        }
    }
    if from != to && model.permission().is_ok() {
        sheet.heading("what may be ordered; Enter begins the line");
        for line in lines(model, &topology, from, to) {
            sheet.link(LinkTarget::Begins(line.clone()));
            sheet.text(&format!("  {line}"));
        }
    }
    sheet.into_page(format!("link {from} -> {to}"))
}

/// The page of one datagram that waits: what it is, and what may be done to it.
pub fn of_datagram(model: &Model, (from, to): (NodeId, NodeId), id: MessageId, width: u16) -> Page {
    let mut sheet = PageWriter::new(&model.theme, width);
    let topology = Topology::of(&model.seen().world);
    let found = topology.queue(from, to).and_then(|queue| Some((queue, queue.listed.iter().find(|of| of.id == id)?)));
    let Some((queue, datagram)) = found else {
        sheet.text("It waits no longer: it was delivered or lost.");
        return sheet.into_page(format!("number {} from {from} to {to}", id.sequence));
    };
    let name = datagram.name(from);
    sheet.text(&words(datagram));
    sheet.field("place", &format!("{} of {}", place(queue, id), queue.len()));
    if let Some(at) = sent_at(model, queue).get(&id) {
        sheet.field("sent", &format!("{} s", paint::seconds(*at, 3)));
    }
    sheet.field("waits since", &format!("{} s", paint::seconds(datagram.since, 3)));
    sheet.field("held by", &datagram.by.to_string());
    if model.permission().is_ok() {
        sheet.heading("what may be done to it; Enter does it");
        for act in CourierAct::ALL {
            let links = Links::To { from: Target::Nodes(NodeSet::of(from)), to: Target::Nodes(NodeSet::of(to)) };
            let effect = FaultEffect::Courier(Courier { act, datagram: name });
            let line = FaultLine::Link(LinkRule { links, effect });
            sheet.link(LinkTarget::Orders(line.clone()));
            sheet.entry(&line.to_string(), 20, act.about());
        }
    }
    sheet.into_page(format!("number {name} from {from} to {to}"))
}

/// What waits, the next one first.
fn queue(model: &Model, sheet: &mut PageWriter<'_>, topology: &Topology<'_>, from: NodeId, to: NodeId) {
    let Some(queue) = topology.queue(from, to) else { return };
    sheet.heading("what waits, in the order of its delivery");
    let sent = sent_at(model, queue);
    for datagram in &queue.listed {
        let sent = match sent.get(&datagram.id) {
            Some(at) => format!("sent {} s, ", paint::seconds(*at, 3)),
            None => String::new(),
        };
        let since = paint::seconds(datagram.since, 3);
        let words = format!("{}  {sent}waits since {since} s ({})", words(datagram), datagram.by);
        sheet.link(LinkTarget::To(Subject::Held(from, to, datagram.id)));
        sheet.entry(&datagram.name(from).to_string(), 6, &words);
    }
    if queue.unlisted > 0 {
        let wait = if queue.unlisted == 1 { "waits" } else { "wait" };
        sheet.text(&format!("  {} more {wait} behind them.", queue.unlisted));
    }
}

/// What is in it.
fn words(datagram: &HeldDatagram) -> String {
    datagram.message.as_ref().map_or_else(|| "a copy of a broadcast".to_owned(), message_words)
}

fn place(queue: &HeldQueue, id: MessageId) -> usize {
    queue.listed.iter().position(|datagram| datagram.id == id).map_or(0, |place| place + 1)
}

/// When these datagrams left their senders, as far as the screen still has the records.
fn sent_at(model: &Model, queue: &HeldQueue) -> BTreeMap<MessageId, i64> {
    let mut sent = BTreeMap::new();
    for (_, row) in model.seen().rows.newest() {
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
