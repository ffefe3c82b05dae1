//! The condition of shards: a coordinator has the results of so many.

use super::card::CARD;
use crate::condition::{Asks, ConditionForm, at_most};
use protocol::{NodeId, SHARDS_MAX, Work};
use world::{World, running};

pub const DONE: ConditionForm = ConditionForm {
    word: "done",
    asks: Asks::Number("shards", Some(SHARDS_MAX as u32)),
    ways: &[("done K", "a coordinator that runs and is Normal has the results of K shards, or more")],
    holds: |asked, world| collected(world).is_some_and(|(_, done)| done as i128 >= asked.number),
    instead: |_, world| match collected(world) {
        Some((node, done)) => format!("{node} has the results of {done}"),
        None => "no coordinator is at work".to_owned(),
    },
    lacks: |asked, lab| {
        let own = lab.application.filter(|(card, _)| card.name == CARD.name);
        let shards = own.and_then(|(card, own)| (card.shards)(own)).map_or(0, |facts| facts.shards);
        (lab.has_settings && asked.number > i128::from(shards)).then(|| {
            let number = asked.number;
            let what = format!("this lab has {shards} shards, so nobody has the results of {number}");
            at_most(shards, what, "give the lab an `[application]` with `name = \"shards\"` and as many `shards`")
        })
    },
};

/// The running coordinator in Normal that has the results of most shards, and how many.
fn collected(world: &World) -> Option<(NodeId, usize)> {
    let coordinators = running(world).filter(|(id, view)| view.is_normal() && view.believes_in() == Some(*id));
    let done = coordinators.filter_map(|(id, view)| match view.state.as_ref()?.work.as_deref()? {
        Work::Shards(shards) => Some((id, shards.done.len())),
        _ => None,
    });
    done.max_by_key(|(_, done)| *done)
}
