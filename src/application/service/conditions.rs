//! The condition of services: so many are finished, by all or by one.

use super::card::CARD;
use crate::condition::{Asks, ConditionForm, another};
use protocol::{NodeId, Work};
use world::{World, running};

pub const SERVED: ConditionForm = ConditionForm {
    word: "served",
    asks: Asks::NumberBy("services"),
    ways: &[
        ("served K", "the processes that run have finished K services together, or more"),
        ("served K by N", "process N has finished K services, or more"),
    ],
    holds: |asked, world| i128::from(served(world, asked.by)) >= asked.number,
    instead: |asked, world| {
        let who = asked.by.map_or_else(|| "together they have".to_owned(), |node| format!("{node} has"));
        format!("{who} finished {}", served(world, asked.by))
    },
    lacks: |_, lab| {
        lab.is_without(CARD.name).then(|| {
            another(
                "the processes of this lab serve no users",
                "give the lab an `[application]` with `name = \"service\"`",
            )
        })
    },
};

/// How many services the running processes have finished together, or this one has.
fn served(world: &World, by: Option<NodeId>) -> u64 {
    let asked = running(world).filter(|(id, _)| by.is_none_or(|by| by == *id));
    let finished = asked.filter_map(|(_, view)| match view.state.as_ref()?.work.as_deref()? {
        Work::Service(work) => Some(u64::from(work.finished)),
        _ => None,
    });
    finished.sum()
}
