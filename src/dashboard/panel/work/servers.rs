//! The rows of two groups of servers: whom they serve, and whom they know as members.
//!
//! Invariant: it tells only of processes that run.

use ratatui::text::Span;

use crate::model::Model;
use protocol::{JoinStance, JoinWork, NodeId, NodeSet, ServiceFacts, ServiceWork, Work};
use world::ProcessState;

/// Who serves whom and how far, whose requests nobody serves, and how many services each has finished.
pub(super) fn services(model: &Model, facts: ServiceFacts) -> Vec<Span<'static>> {
    let theme = &model.theme;
    let nodes = model.seen().world.nodes.iter().filter(|(_, view)| view.process.is_up());
    let works: Vec<(NodeId, &ServiceWork)> = nodes
        .filter_map(|(id, view)| match view.state.as_ref()?.work.as_deref()? {
            Work::Service(work) => Some((*id, work)),
            _ => None,
        })
        .collect();
    let mut spans = Vec::new();
    for (id, work) in works.iter().filter(|(_, work)| !work.serves.is_empty()) {
        let far = work.serves.iter().map(|asker| {
            let log = works.iter().find(|(of, _)| *of == asker).and_then(|(_, work)| work.asked);
            let own = work.part.filter(|part| part.id.node == asker).map(|part| (part.id, part.part));
            match own.max(log.map(|log| (log.id, log.done))) {
                Some((_, done)) => format!("{asker} ({done} of {})", facts.parts),
                None => asker.to_string(),
            }
        });
        let far: Vec<String> = far.collect();
        spans.push(Span::styled(format!("{id} serves {}  ", far.join(", ")), theme.strong));
    }
    let is_served = |asker: NodeId| works.iter().any(|(_, work)| work.serves.contains(asker));
    let left: NodeSet =
        works.iter().filter(|(id, work)| work.asked.is_some() && !is_served(*id)).map(|(id, _)| *id).collect();
    if !left.is_empty() {
        spans.push(Span::styled(format!("nobody serves {left}  "), theme.doubt));
    }
    if spans.is_empty() {
        spans.push(Span::styled("nobody asks for anything  ", theme.dim));
    }
    let waiting: u32 = works.iter().map(|(_, work)| work.waiting).sum();
    if waiting > 0 {
        spans.push(Span::styled(format!("{waiting} more wait  "), theme.normal));
    }
    let finished: Vec<String> = (works.iter().filter(|(_, work)| work.finished > 0))
        .map(|(id, work)| format!("{id}:{}", work.finished))
        .collect();
    if !finished.is_empty() {
        spans.push(Span::styled(format!("finished {}", finished.join(" ")), theme.dim));
    }
    spans
}

/// Who is known as a member by whom, who asks with which votes, and who was refused.
pub(super) fn members(model: &Model) -> Vec<Span<'static>> {
    let theme = &model.theme;
    let nodes = model.seen().world.nodes.iter().filter(|(_, view)| view.process == ProcessState::Running);
    let works: Vec<(NodeId, &JoinWork)> = nodes
        .filter_map(|(id, view)| match view.state.as_ref()?.work.as_deref()? {
            Work::Joining(work) => Some((*id, work)),
            _ => None,
        })
        .collect();
    let mut views: Vec<(NodeSet, NodeSet)> = Vec::new();
    for (id, work) in &works {
        match views.iter_mut().find(|(members, _)| *members == work.view.members) {
            Some((_, knowing)) => drop(knowing.insert(*id)),
            None => views.push((work.view.members, NodeSet::of(*id))),
        };
    }
    views.sort_by_key(|(members, _)| std::cmp::Reverse(members.len()));
    let mut spans = Vec::new();
    for (members, knowing) in views {
        let verb = if knowing.len() == 1 { "knows" } else { "know" };
        spans.push(Span::styled(format!("{knowing} {verb} the members {members}  "), theme.strong));
    }
    for (id, work) in &works {
        match (work.stance, work.poll, work.refused_by) {
            (_, Some(poll), _) => spans.push(Span::styled(format!("{id} asks: {poll}  "), theme.normal)),
            (JoinStance::Asks | JoinStance::GivesWay, ..) => {
                spans.push(Span::styled(format!("{id} wants in  "), theme.dim));
            }
            (JoinStance::Outside, _, Some(poll)) => {
                spans.push(Span::styled(format!("{id} was refused: {poll}  "), theme.doubt));
            }
            (JoinStance::Outside | JoinStance::Member, ..) => {}
        }
    }
    spans
}
