//! The conditions of updates: how long logs are, what blocks, and what conflicts.

use super::card::{CARD, LogShape, shape};
use crate::condition::{Asks, ConditionForm, KnownLab, another, at_most};
use protocol::{BlockedUpdate, LOG_MAX, NodeId, UpdateWork, Work};
use world::{NodeView, Phrase, World, described, running};

/// Every log has so many updates.
pub const LOGGED: ConditionForm = ConditionForm {
    word: "logged",
    asks: Asks::Number("updates", Some(LOG_MAX)),
    ways: &[("logged K", "every process that runs has at least K updates in its log")],
    holds: |asked, world| {
        let mut logs = logs(world).peekable();
        logs.peek().is_some()
            && running(world).all(|(_, view)| updates_of(view).is_some())
            && logs.all(|(_, work)| i128::from(work.length) >= asked.number)
    },
    instead: |_, world| {
        let without = running(world).find(|(_, view)| updates_of(view).is_none());
        match (without, logs(world).min_by_key(|(_, work)| work.length)) {
            (Some((node, _)), _) => format!("{node} has told of no log"),
            (None, Some((node, work))) => format!("the log of {node} has {}", work.length),
            (None, None) => "no process runs".to_owned(),
        }
    },
    lacks: |asked, lab| {
        let (most, number) = (room(lab), asked.number);
        (lab.has_settings && number > i128::from(most)).then(|| {
            let what = format!("a log has room for {most} updates in this lab, and not for {number}");
            at_most(most, what, "give the lab an `[application]` with `name = \"updates\"` and as large a `log_max`")
        })
    },
};

/// A coordinator is blocked.
pub const BLOCKED: ConditionForm = ConditionForm {
    word: "blocked",
    asks: Asks::NodesOrNone,
    ways: &[
        (
            "blocked none",
            "no coordinator that runs and is Normal is blocked by an update of which it does not know the outcome",
        ),
        ("blocked A", "one is, and only the nodes A may know the outcome"),
    ],
    holds: |asked, world| {
        blocked(world).map(|(_, blocked)| blocked.knows) == Some(asked.nodes).filter(|nodes| !nodes.is_empty())
    },
    instead: |_, world| match blocked(world) {
        Some((node, blocked)) => format!("{node} is blocked: {blocked}"),
        None => "no coordinator is blocked".to_owned(),
    },
    lacks: |_, lab| {
        (lab.has_settings && room(lab) == 0).then(|| {
            another(
                "this lab has no updates that could block",
                "give the lab an `[application]` with `name = \"updates\"`",
            )
        })
    },
};

/// Every process lists so many updates in conflict.
pub const CONFLICTS: ConditionForm = ConditionForm {
    word: "conflicts",
    asks: Asks::Number("updates", None),
    ways: &[("conflicts K", "every process that runs lists K updates in conflict, no more and no fewer")],
    holds: |asked, world| {
        let mut all = running(world).peekable();
        let lists = |view| updates_of(view).is_some_and(|work| i128::from(work.in_conflict()) == asked.number);
        all.peek().is_some() && all.all(|(_, view)| lists(view))
    },
    instead: |_, world| {
        described(world, world.running(), |view| {
            let listed = updates_of(view).map_or(0, UpdateWork::in_conflict);
            Phrase::Is(format!("at work with {listed} updates in conflict"))
        })
    },
    lacks: |_, lab| {
        (lab.has_settings && !log_of(lab).is_some_and(|log| log.may_conflict)).then(|| {
            another(
                "no updates of this lab can conflict",
                "give the lab an `[application]` with `name = \"updates\"` and `majority = false`",
            )
        })
    },
};

/// What the logs of the lab are like, if it has updates.
fn log_of(lab: &KnownLab<'_>) -> Option<LogShape> {
    lab.application.filter(|(card, _)| card.name == CARD.name).map(|(_, own)| shape(own))
}

/// For how many updates a log has room.
fn room(lab: &KnownLab<'_>) -> u32 {
    log_of(lab).map_or(0, |log| log.updates_max)
}

/// What a process does for the updates of a counter, as far as it has told.
fn updates_of(view: &NodeView) -> Option<&UpdateWork> {
    match view.state.as_ref()?.work.as_deref()? {
        Work::Updates(work) => Some(work),
        _ => None,
    }
}

/// The logs of the processes that run.
fn logs(world: &World) -> impl Iterator<Item = (NodeId, &UpdateWork)> {
    running(world).filter_map(|(id, view)| Some((id, updates_of(view)?)))
}

/// The first running coordinator in Normal that is blocked, and by what.
fn blocked(world: &World) -> Option<(NodeId, BlockedUpdate)> {
    let mut coordinators = running(world).filter(|(id, view)| view.is_normal() && view.believes_in() == Some(*id));
    coordinators.find_map(|(id, view)| Some((id, updates_of(view)?.blocked?)))
}
