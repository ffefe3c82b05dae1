//! The row of the lab's application, below the screens' names: how far the work is, and who does what.
//!
//! Invariant: it is there in every lab with an application and in no other, so nothing moves when the work changes.

mod counters;
mod sections;
mod servers;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use crate::model::Model;
use crate::paint;
use protocol::{
    FencingWork, NodeId, NodeSet, Property, ResourceWork, ShardFacts, ShardWork, Status, Work, WriteFate,
    WriteProgress, WriteView,
};
use world::{NodeView, ProcessState};

/// The bar has this many cells.
const CELLS: usize = 10;

/// Draws it.
pub fn draw(model: &Model, buffer: &mut Buffer, area: Rect) {
    let Some(application) = model.application() else { return };
    let theme = &model.theme;
    let mut spans = vec![Span::styled(application.title.to_lowercase(), theme.strong), Span::raw("  ")];
    if let Some(facts) = application.shards {
        spans.extend(shards(model, facts));
    }
    if application.promises.contains(&Property::History) {
        spans.extend(history(model));
    }
    if application.promises.contains(&Property::AtomicCommit) {
        spans.extend(counters::updates(model));
    }
    if !application.weights.is_empty() {
        spans.extend(counters::copies(model));
    }
    spans.extend(servers::members(model));
    spans.extend(writes(model));
    if let Some(facts) = application.services {
        spans.extend(servers::services(model, facts));
    }
    spans.extend(sections::token(model));
    if application.promises.contains(&Property::MutualExclusion) {
        spans.extend(sections::section(model));
    }
    paint::put(buffer, theme, area, 0, &Line::from(spans));
}

/// What the resource holds, has seen and has refused, and who writes to it with which number.
fn writes(model: &Model) -> Vec<Span<'static>> {
    let theme = &model.theme;
    let mut spans = Vec::new();
    let nodes = &model.seen().world.nodes;
    let works = nodes.iter().filter_map(|(id, view)| Some((*id, view, view.state.as_ref()?.work.as_deref()?)));
    for (id, view, work) in works.clone() {
        let Work::Fencing(FencingWork::Resource(work)) = work else { continue };
        let ResourceWork { value, highest, refused, latest, .. } = work;
        let highest = highest.map_or_else(String::new, |highest| format!(", highest {highest}"));
        spans.push(Span::styled(format!("{id} holds {value}{highest}"), theme.strong));
        match latest {
            Some(WriteView { term, number, fate: WriteFate::Refused, .. }) => {
                let text = format!(", refused {refused}: {number} of {} is lower", term.node);
                spans.push(Span::styled(text, theme.doubt));
            }
            Some(WriteView { term, .. }) => spans.push(Span::styled(format!(", written by {}", term.node), theme.dim)),
            None => {}
        }
        if view.process != ProcessState::Running {
            spans.push(Span::styled(", and does not run", theme.doubt));
        }
        spans.push(Span::raw("  "));
    }
    for (id, view, work) in works {
        let Work::Fencing(FencingWork::Writer(work)) = work else { continue };
        let Some(number) = work.number else { continue };
        let (does, style) = match (view.process, work.progress) {
            (ProcessState::Paused, WriteProgress::None) => ("is paused", theme.doubt),
            (ProcessState::Paused, _) => ("is paused amid a write", theme.doubt),
            (_, WriteProgress::Reads) => ("reads", theme.normal),
            (_, WriteProgress::Writes(_)) => ("writes", theme.normal),
            (_, WriteProgress::None) => ("waits to write", theme.normal),
        };
        spans.push(Span::styled(format!("{id} {does} with {number}  "), style));
    }
    spans
}

fn shards(model: &Model, facts: ShardFacts) -> Vec<Span<'static>> {
    let theme = &model.theme;
    let nodes = &model.seen().world.nodes;
    let at_work: Vec<(NodeId, &NodeView, &ShardWork)> = nodes
        .iter()
        .filter(|(_, view)| view.process == ProcessState::Running)
        .filter_map(|(id, view)| match view.state.as_ref()?.work.as_deref()? {
            Work::Shards(work) => Some((*id, view, work)),
            _ => None,
        })
        .collect();
    let coordinates = |(id, view, _): &&(NodeId, &NodeView, &ShardWork)| {
        view.state.as_ref().is_some_and(|state| state.status == Status::Normal && state.coordinates(*id))
    };
    let mut coordinators: Vec<_> = at_work.iter().filter(coordinates).collect();
    coordinators.sort_by_key(|(_, _, work)| std::cmp::Reverse(work.done.len()));
    let mut spans = Vec::new();
    for (place, (id, view, work)) in coordinators.into_iter().enumerate() {
        let (done, all) = (work.done.len(), usize::from(facts.shards));
        spans.push(Span::styled(format!("{id} has {done} of {all}"), theme.strong));
        if place == 0 {
            let full = (CELLS * done).checked_div(all).unwrap_or(CELLS);
            let bar: String = (0..CELLS).map(|place| theme.glyphs.bar[usize::from(place >= full)]).collect();
            spans.push(Span::styled(format!(" {bar}"), theme.good));
        }
        let members = view.state.as_ref().map_or(0, |state| state.up.len()) + 1;
        if work.given.is_empty() && done < all && 2 * members <= nodes.len() {
            let text = format!(", and waits: {members} of {} are no majority", nodes.len());
            spans.push(Span::styled(text, theme.doubt));
        }
        spans.push(Span::raw("  "));
    }
    if spans.is_empty() {
        spans.push(Span::styled("nobody computes: no coordinator is at work  ", theme.doubt));
    }
    let out: Vec<String> = at_work
        .iter()
        .filter(|(_, _, work)| !work.out.is_empty())
        .map(|(id, _, work)| format!("{id}:{}", work.out.len()))
        .collect();
    if !out.is_empty() {
        spans.push(Span::styled(format!("to compute {}", out.join(" ")), theme.dim));
    }
    spans
}

/// How many groups are known, and who lacks some.
fn history(model: &Model) -> Vec<Span<'static>> {
    let theme = &model.theme;
    let nodes = model.seen().world.nodes.iter().filter(|(_, view)| view.process == ProcessState::Running);
    let mut counts: Vec<(u32, NodeSet)> = Vec::new();
    let mut fetching: Vec<(NodeSet, NodeSet)> = Vec::new();
    for (id, view) in nodes {
        let Some(Work::History(work)) = view.state.as_ref().and_then(|state| state.work.as_deref()) else { continue };
        match counts.iter_mut().find(|(groups, _)| *groups == work.groups) {
            Some((_, knowing)) => drop(knowing.insert(*id)),
            None => counts.push((work.groups, NodeSet::of(*id))),
        };
        if !work.fetches.is_empty() {
            match fetching.iter_mut().find(|(_, from)| *from == work.fetches) {
                Some((asking, _)) => drop(asking.insert(*id)),
                None => fetching.push((NodeSet::of(*id), work.fetches)),
            };
        }
    }
    counts.sort_by_key(|(groups, _)| std::cmp::Reverse(*groups));
    let mut spans = Vec::new();
    for (groups, knowing) in counts {
        let (verb, noun) =
            (if knowing.len() == 1 { "knows" } else { "know" }, if groups == 1 { "group" } else { "groups" });
        spans.push(Span::styled(format!("{knowing} {verb} {groups} {noun}  "), theme.strong));
    }
    for (asking, from) in fetching {
        let verb = if asking.len() == 1 { "fetches" } else { "fetch" };
        spans.push(Span::styled(format!("{asking} {verb} from {from}  "), theme.doubt));
    }
    spans
}
