//! The row of a replicated counter: the logs or copies, and what was refused.
//!
//! Invariant: equal logs and equal copies are told once, with all that have them.

use ratatui::text::Span;

use crate::model::Model;
use protocol::{ConflictList, CopyWork, NodeId, NodeSet, RefusalReason, Status, UpdateWork, Work};
use world::ProcessState;

/// The logs, longest first; then what conflicts, what is in doubt, what blocks, and what was refused.
pub(super) fn updates(model: &Model) -> Vec<Span<'static>> {
    let theme = &model.theme;
    let at_work: Vec<(NodeId, &UpdateWork)> = model
        .seen()
        .world
        .nodes
        .iter()
        .filter(|(_, view)| view.process == ProcessState::Running)
        .filter_map(|(id, view)| match view.state.as_ref()?.work.as_deref()? {
            Work::Updates(work) => Some((*id, work)),
            _ => None,
        })
        .collect();
    let mut spans = counters(model, at_work.iter().map(|(id, work)| (*id, work.length, work.counter)));
    for (id, work) in &at_work {
        if let Some(blocked) = work.blocked {
            spans.push(Span::styled(format!("{id} is blocked: {blocked}  "), theme.bad));
        }
    }
    let mut lists: Vec<(&ConflictList, NodeSet)> = Vec::new();
    for (id, work) in &at_work {
        let Some(conflicts) = work.conflicts.as_deref() else { continue };
        match lists.iter_mut().find(|(list, _)| *list == conflicts) {
            Some((_, nodes)) => drop(nodes.insert(*id)),
            None => lists.push((conflicts, NodeSet::of(*id))),
        };
    }
    for (list, nodes) in lists {
        let text = match nodes.len() {
            // All list the same.
            all if all == at_work.len() => format!("{list}  "),
            1 => format!("{nodes} lists {list}  "),
            _ => format!("{nodes} list {list}  "),
        };
        spans.push(Span::styled(text, theme.bad));
    }
    let is_blocked = at_work.iter().any(|(_, work)| work.blocked.is_some());
    for (id, work) in &at_work {
        if let Some(refused) = work.refused.filter(|refused| still_holds(model, *id, refused.why, is_blocked)) {
            spans.push(Span::styled(format!("{id} refused {:+}: {}  ", refused.value, refused.why), theme.doubt));
        }
    }
    let in_doubt = |(id, work): &(NodeId, &UpdateWork)| work.in_doubt.map(|prepared| (prepared.position, *id));
    let mut doubts: Vec<(u32, NodeSet)> = Vec::new();
    for (position, id) in at_work.iter().filter_map(in_doubt) {
        match doubts.iter_mut().find(|(of, _)| *of == position) {
            Some((_, nodes)) => drop(nodes.insert(id)),
            None => doubts.push((position, NodeSet::of(id))),
        };
    }
    for (position, nodes) in doubts {
        spans.push(Span::styled(format!("{nodes} in doubt of {position}  "), theme.doubt));
    }
    spans
}

/// Who controls how much of the weight, the copies, and what was refused or given up.
pub(super) fn copies(model: &Model) -> Vec<Span<'static>> {
    let theme = &model.theme;
    let nodes = model.seen().world.nodes.iter().filter(|(_, view)| view.process == ProcessState::Running);
    let at_work: Vec<(NodeId, &CopyWork)> = nodes
        .filter_map(|(id, view)| match view.state.as_ref()?.work.as_deref()? {
            Work::Copies(work) => Some((*id, work)),
            _ => None,
        })
        .collect();
    let mut spans = Vec::new();
    for (id, control) in at_work.iter().filter_map(|(id, work)| Some((*id, work.control?))) {
        spans.push(match control.is_majority() {
            true => Span::styled(format!("{id} controls {control} of the weight  "), theme.good),
            false => Span::styled(format!("{id} has no majority of the weight: {control}  "), theme.doubt),
        });
    }
    if spans.is_empty() {
        spans.push(Span::styled("nobody has control  ", theme.doubt));
    }
    spans.extend(counters(model, at_work.iter().map(|(id, work)| (*id, work.held.count, work.held.counter))));
    for (id, work) in &at_work {
        if let Some(refused) = work.refused.filter(|refused| still_holds(model, *id, refused.why, false)) {
            spans.push(Span::styled(format!("{id} refused {:+}: {}  ", refused.value, refused.why), theme.doubt));
        }
        if let Some(doubted) = work.doubted {
            spans.push(Span::styled(format!("{id} in doubt of {:+}  ", doubted.value), theme.doubt));
        }
    }
    spans
}

/// Who has how many updates, and what they add up to; most first.
fn counters(model: &Model, of: impl Iterator<Item = (NodeId, u32, i64)>) -> Vec<Span<'static>> {
    let mut counters: Vec<(u32, i64, NodeSet)> = Vec::new();
    for (id, updates, counter) in of {
        match counters.iter_mut().find(|(other, sum, _)| (*other, *sum) == (updates, counter)) {
            Some((.., nodes)) => drop(nodes.insert(id)),
            None => counters.push((updates, counter, NodeSet::of(id))),
        };
    }
    counters.sort_by_key(|(updates, ..)| std::cmp::Reverse(*updates));
    let said = |(place, (updates, counter, nodes)): (usize, (u32, i64, NodeSet))| {
        let text = match updates {
            0 => format!("{nodes}: no update  "),
            1 => format!("{nodes}: 1 update, counter {counter}  "),
            _ => format!("{nodes}: {updates} updates, counter {counter}  "),
        };
        Span::styled(text, if place == 0 { model.theme.strong } else { model.theme.dim })
    };
    counters.into_iter().enumerate().map(said).collect()
}

/// Whether the reason for which a process refused an order is still one.
fn still_holds(model: &Model, node: NodeId, why: RefusalReason, is_blocked: bool) -> bool {
    let state = model.seen().world.nodes.get(&node).and_then(|view| view.state.as_ref());
    match why {
        RefusalReason::NotNormal(_) => state.is_none_or(|state| state.status != Status::Normal),
        RefusalReason::NoMajority { of, .. } => {
            let members = state.and_then(|state| state.task).map_or(0, |task| task.members.len()) + 1;
            2 * members <= usize::from(of)
        }
        RefusalReason::NoWeight(_) => {
            let master = state.and_then(|state| state.believes_in());
            let master =
                master.and_then(|master| model.seen().world.nodes.get(&master)?.state.as_ref()?.work.as_deref());
            let Some(Work::Copies(CopyWork { control: Some(control), .. })) = master else { return false };
            !control.is_majority()
        }
        RefusalReason::Blocked(_) => is_blocked,
        RefusalReason::QueueFull(_) | RefusalReason::LogFull(_) => true,
    }
}
