//! The condition of joining: every process knows these members.

use super::card::CARD;
use crate::condition::{Asks, ConditionForm, another};
use protocol::NodeSet;
use world::{NodeView, Phrase, described, running};

pub const MEMBERS: ConditionForm = ConditionForm {
    word: "members",
    asks: Asks::Nodes,
    ways: &[("members A", "every process that runs knows the nodes A, and no others, as members of the group")],
    holds: |asked, world| {
        let mut all = running(world).peekable();
        all.peek().is_some() && all.all(|(_, view)| members_of(view) == Some(asked.nodes))
    },
    instead: |_, world| {
        described(world, world.running(), |view| match members_of(view) {
            Some(members) => Phrase::Names(members.to_string()),
            None => Phrase::Names("no members".to_owned()),
        })
    },
    lacks: |_, lab| {
        lab.is_without(CARD.name).then(|| {
            another(
                "the processes of this lab are members of nothing",
                "give the lab an `[application]` with `name = \"joining\"`",
            )
        })
    },
};

/// The members that a process knows, as far as it has told.
fn members_of(view: &NodeView) -> Option<NodeSet> {
    Some(view.state.as_ref()?.work.as_deref()?.members()?.members)
}
