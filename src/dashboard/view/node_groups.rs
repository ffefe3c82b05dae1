//! Many processes in a few lines: one for each group, and what became of the others.
//!
//! Invariant: each process is counted in exactly one line.

use std::collections::BTreeMap;

use crate::model::Model;
use crate::model::places::NodeRows;
use crate::model::row::status_words;
use protocol::{NodeId, NodeSet};
use world::ProcessState;

/// This many processes, or fewer, have a row each, whatever room there is.
const EACH_UP_TO: usize = 16;

/// Processes that share a line.
#[derive(Clone, Eq, PartialEq, Debug)]
pub struct NodeGroup {
    /// The place of their group among all, and its letter; absent: they are in none.
    pub group: Option<(usize, String)>,
    pub coordinator: Option<NodeId>,
    pub nodes: NodeSet,
    /// What they do: `11 Normal, 1 paused`.
    pub states: String,
}

/// Whether a table with room for this many rows shows groups and not each process.
pub fn folds(model: &Model, room: usize) -> bool {
    let count = model.rows().len();
    count > EACH_UP_TO.max(room) && model.places.panes.nodes == NodeRows::Folded
}

/// Whether the lab has more processes than always have a row each.
pub fn may_fold(model: &Model) -> bool {
    model.rows().len() > EACH_UP_TO
}

/// The lines: the groups, then those that are up and in none, then those that are not up.
pub fn node_groups(model: &Model) -> Vec<NodeGroup> {
    let world = &model.seen().world;
    let is_up = |node: &NodeId| world.nodes.get(node).is_some_and(|view| view.process.is_up());
    let (up, down): (NodeSet, NodeSet) = {
        let rows = model.rows();
        (rows.iter().copied().filter(is_up).collect(), rows.iter().copied().filter(|node| !is_up(node)).collect())
    };
    let groups = world.groups();
    let grouped = groups.iter().enumerate().map(|(place, group)| NodeGroup {
        group: Some((place, group.letter.clone())),
        coordinator: Some(group.coordinator),
        nodes: group.members,
        states: states(model, &group.members),
    });
    let mut lines: Vec<NodeGroup> = grouped.collect();
    let alone = groups.iter().fold(up, |rest, group| rest.minus(&group.members));
    for nodes in [alone, down] {
        if !nodes.is_empty() {
            lines.push(NodeGroup { group: None, coordinator: None, nodes, states: states(model, &nodes) });
        }
    }
    lines
}

/// What these processes do, the most frequent first.
fn states(model: &Model, nodes: &NodeSet) -> String {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for view in nodes.iter().filter_map(|node| model.seen().world.nodes.get(&node)) {
        let word = match (view.process, &view.state) {
            (ProcessState::Running, Some(state)) => status_words(state),
            (process, _) => model.theme.process(process).1.to_owned(),
        };
        *counts.entry(word).or_default() += 1;
    }
    let mut counts: Vec<(String, usize)> = counts.into_iter().collect();
    counts.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    let words: Vec<String> = counts.into_iter().map(|(word, count)| format!("{count} {word}")).collect();
    words.join(", ")
}
