//! The signs of links, groups and processes, for the matrix and the drawing of the links alike.
//!
//! Invariant: a sign's characters alone say what it means; its style says nothing more.

use ratatui::style::Style;

use crate::model::Model;
use fault::Grip;
use protocol::NodeId;
use world::{FaultState, FaultView, GroupView, NodeView, ProcessState, Topology};

/// The text and style of a link's cell.
pub fn sign_of(model: &Model, topology: &Topology<'_>, from: NodeId, to: NodeId) -> Option<(String, Style)> {
    let theme = &model.theme;
    let faults = topology.faults(from, to);
    let waiting = topology.queue(from, to).map(|queue| queue.len());
    let (text, style) = match (Topology::sign(&faults), waiting) {
        (None, None) => return None,
        (None, Some(count)) => (format!("…{count}"), theme.lost),
        (Some((sign, others)), waiting) => {
            let count =
                waiting.filter(|_| sign.grip == Grip::Keeps).map_or_else(String::new, |count| count.to_string());
            let more = if others > 0 { "+" } else { "" };
            let is_certain = |fault: &&FaultView| fault.state == FaultState::InForce;
            let doubt = if faults.iter().all(is_certain) { "" } else { "?" };
            let style = match sign.grip {
                Grip::Severs => theme.fault,
                Grip::Keeps | Grip::Loses | Grip::Slows | Grip::Tampers => theme.lost,
            };
            (format!("{}{count}{doubt}{more}", sign.text), style)
        }
    };
    Some((theme.glyphs.flow.spoken(&text), style))
}

/// A node's group, as a letter with a mark, and its style.
pub fn group_of(model: &Model, groups: &[GroupView], node: NodeId) -> (String, Style) {
    match groups.iter().enumerate().find(|(_, group)| group.members.contains(node)) {
        Some((place, group)) => {
            (format!("{}{}", group.letter, model.theme.group_mark(place)), model.theme.group(place))
        }
        None => ("-".to_owned(), model.theme.dim),
    }
}

/// The sign of a node's process, if it does not run, and its style.
pub fn process_of(model: &Model, node: NodeId) -> Option<(&'static str, Style)> {
    let view = model.seen().world.nodes.get(&node);
    if view.is_some_and(NodeView::is_liar) {
        return Some((model.theme.glyphs.mask, model.theme.fault));
    }
    let process = view.map_or(ProcessState::Absent, |view| view.process);
    let (glyph, _, style) = model.theme.process(process);
    (process != ProcessState::Running).then_some((glyph, style))
}
