//! The conditions of a critical section: how often all have entered, and who is inside.

use crate::condition::{Asked, Asks, ConditionForm, KnownLab, another};
use fault::Unsuited;
use protocol::{NodeId, NodeSet, Property, SectionState, SectionWork};
use world::{NodeView, World, running};

/// Every process has entered so often.
pub const ENTERED: ConditionForm = ConditionForm {
    word: "entered",
    asks: Asks::Number("entries", None),
    ways: &[("entered K", "every process that runs has entered the critical section K times since its start, or more")],
    holds: |asked, world| fewest_entries(world).is_some_and(|(_, fewest)| i128::from(fewest) >= asked.number),
    instead: |_, world| match fewest_entries(world) {
        Some((node, 1)) => format!("{node} has entered once"),
        Some((node, entries)) => format!("{node} has entered {entries} times"),
        None => "nobody has told of a critical section".to_owned(),
    },
    lacks,
};

/// These are inside.
pub const INSIDE: ConditionForm = ConditionForm {
    word: "inside",
    asks: Asks::NodesOrNone,
    ways: &[
        ("inside none", "no process that runs is inside the critical section"),
        ("inside A", "these processes run and are inside the critical section, and no others that run"),
    ],
    holds: |asked, world| inside(world) == asked.nodes,
    instead: |_, world| match inside(world) {
        nobody if nobody.is_empty() => "nobody is inside".to_owned(),
        nodes if nodes.len() == 1 => format!("{nodes} is inside"),
        nodes => format!("{nodes} are inside"),
    },
    lacks,
};

fn lacks(_: &Asked, lab: &KnownLab<'_>) -> Option<Unsuited> {
    let has_section = lab.card().is_some_and(|card| card.promises.contains(&Property::MutualExclusion));
    (lab.has_nodes && !has_section).then(|| {
        another(
            "this lab has no critical section that a process could enter",
            "give the lab an `[application]` with `name = \"mutual-exclusion\"` or `name = \"token\"`",
        )
    })
}

fn section_of(view: &NodeView) -> Option<SectionWork> {
    view.state.as_ref()?.work.as_deref()?.section()
}

/// The running process that has entered the critical section least often, and how often.
fn fewest_entries(world: &World) -> Option<(NodeId, u64)> {
    let entries = running(world).filter_map(|(id, view)| Some((id, section_of(view)?.entries)));
    entries.min_by_key(|(_, entries)| *entries)
}

/// The running processes that are inside the critical section.
fn inside(world: &World) -> NodeSet {
    let is_inside = |view: &NodeView| section_of(view).is_some_and(|section| section.stance == SectionState::Inside);
    running(world).filter(|(_, view)| is_inside(view)).map(|(id, _)| id).collect()
}
