//! Progress: when a lab of an application is at rest, everything is done that can be done (the property `progress`).
//!
//! The papers promise of an election that it ends; what it is for must go on too. A bug that lets nothing happen breaks no
//! other promise of an application.
//!
//! Invariant: only what the processes themselves show as undone is asked for, and only if those that it takes are there, at
//! work in one group, and the work of none has changed for a while: what is on its way is not undone.

use super::liveness::{ExcuseTerm, RestingLab, Wrong, WrongRest};
use protocol::{NodeId, NodeSet, SectionState, TaskId, Work};
use record::Undone;
use world::index;

/// What is undone, if something is. Whether all come to work in one group is a matter of the algorithm.
pub(super) fn progress(repose: &RestingLab) -> Option<Wrong> {
    let mut tasks = repose.running.iter().map(|node| TaskId::at_work(repose.states[index(node)].as_ref()?));
    let first = tasks.next()??;
    let is_one_group = tasks.all(|task| task == Some(first));
    if !is_one_group || repose.steady != repose.running {
        return None;
    }
    let works = || {
        let work = |node: NodeId| repose.states[index(node)].as_ref()?.work.as_deref();
        repose.running.iter().filter_map(move |node| Some((node, work(node)?)))
    };
    let of = |holds: &dyn Fn(NodeId, &Work) -> bool| {
        works().filter(|(node, work)| holds(*node, work)).map(|(node, _)| node).collect::<NodeSet>()
    };
    let waiting = of(&|_, work| is(work, SectionState::Waiting));
    if !waiting.is_empty() {
        let inside = of(&|_, work| is(work, SectionState::Inside));
        return Some(undone(waiting, inside, Undone::Section { waiting, inside }));
    }
    // One service may wait until another one has ended.
    let serving = of(&|_, work| matches!(work, Work::Service(work) if !work.serves.is_empty()));
    let unserved = of(&|_, work| matches!(work, Work::Service(work) if work.asked.is_some() || work.waiting > 0));
    if serving.is_empty() && !unserved.is_empty() {
        return Some(undone(unserved, NodeSet::EMPTY, Undone::Service(unserved)));
    }
    // One that is down may be the only one that knows an outcome, or one of a majority.
    if repose.running.len() < repose.states.len() {
        return None;
    }
    let in_doubt = of(&|_, work| matches!(work, Work::Updates(work) if work.in_doubt.is_some()));
    if !in_doubt.is_empty() {
        return Some(undone(in_doubt, NodeSet::EMPTY, Undone::Doubt(in_doubt)));
    }
    let holding = of(&|_, work| matches!(work, Work::Updates(work) if work.waiting > 0));
    (!holding.is_empty()).then(|| undone(holding, NodeSet::EMPTY, Undone::Orders(holding)))
}

/// Whether the process stands so to a critical section that is entered by election. A token may be lost with a process
/// that is down, and nothing is promised then.
fn is(work: &Work, stance: SectionState) -> bool {
    matches!(work, Work::Exclusion(section) if section.stance == stance)
}

fn undone(nodes: NodeSet, against: NodeSet, what: Undone) -> Wrong {
    Wrong { nodes, what: WrongRest::Undone(what), against, excused: ExcuseTerm::Always }
}
