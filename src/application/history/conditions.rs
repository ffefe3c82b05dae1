//! The condition of histories: every process knows so many groups, and lacks none.

use super::card::CARD;
use crate::condition::{Asks, ConditionForm, another};
use protocol::{HISTORY_MAX, Work};
use world::{NodeView, Phrase, described, running};

pub const HISTORY: ConditionForm = ConditionForm {
    word: "history",
    asks: Asks::Number("groups", Some(HISTORY_MAX)),
    ways: &[("history K", "every process that runs is at work with a history of K groups, or more, and lacks none")],
    holds: |asked, world| {
        let mut all = running(world).peekable();
        let knows = |view| known_groups(view).is_some_and(|known| i128::from(known) >= asked.number);
        all.peek().is_some() && all.all(|(_, view)| knows(view))
    },
    instead: |_, world| {
        described(world, world.running(), |view| match known_groups(view) {
            Some(known) => Phrase::Is(format!("at work with {known} groups in its history")),
            None => Phrase::Is("not at work with a whole history".to_owned()),
        })
    },
    lacks: |_, lab| {
        (lab.has_settings && lab.is_without(CARD.name)).then(|| {
            another(
                "the processes of this lab keep no history of their groups",
                "give the lab an `[application]` with `name = \"history\"`",
            )
        })
    },
};

/// How many groups a process at work knows of, if it lacks none that its group knows.
fn known_groups(view: &NodeView) -> Option<u32> {
    match view.state.as_ref()?.work.as_deref()? {
        Work::History(work) if work.group.is_some() && work.fetches.is_empty() => Some(work.groups),
        _ => None,
    }
}
