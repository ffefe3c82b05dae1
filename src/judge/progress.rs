//! Progress: when a lab of an application is at rest, everything is done that can be done (the property `progress`).
//!
//! The papers promise of an election that it ends; what it is for must go on too. A bug that lets nothing happen breaks no
//! other promise of an application.
//!
//! Invariant: only what the processes themselves show as undone is asked for, and only if those that it takes are there, at
//! work in one group, and the work of none has changed for a while: what is on its way is not undone.

use super::liveness::{ExcuseTerm, RestingLab, Wrong, WrongRest};
use super::work::WorkAtRest;
use protocol::{NodeId, NodeSet, TaskId};
use record::StalledWork;
use world::index;

/// What is undone, if something is. Whether all come to work in one group is a matter of the algorithm.
pub(super) fn progress(repose: &RestingLab) -> Option<Wrong> {
    let mut tasks = repose.running.iter().map(|node| TaskId::at_work(repose.states[index(node)].as_ref()?));
    let first = tasks.next()??;
    let is_one_group = tasks.all(|task| task == Some(first));
    if !is_one_group || repose.steady != repose.running {
        return None;
    }
    let work = |node: NodeId| Some((node, repose.states[index(node)].as_ref()?.work.as_deref()?));
    let works = repose.running.iter().filter_map(work).collect();
    let what = repose.work?.undone(&WorkAtRest { works, all_run: repose.running.len() == repose.states.len() })?;
    let (nodes, against) = match what {
        StalledWork::Section { waiting, inside } => (waiting, inside),
        StalledWork::Service(nodes) | StalledWork::Doubt(nodes) | StalledWork::Orders(nodes) => (nodes, NodeSet::EMPTY),
    };
    Some(Wrong { nodes, what: WrongRest::Undone(what), against, excused: ExcuseTerm::Always })
}
