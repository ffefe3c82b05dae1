//! What the applications with a replicated counter have in common on the screen: who holds what of it, and whether what
//! was refused would be refused again.

use std::cmp::Reverse;

use crate::words::{Emphasis, RowPart, together, words};
use protocol::{CopyWork, NodeId, RefusalReason, RefusedUpdate, Status, Work};
use world::World;

/// Who has how many updates, and what they add up to; most first.
pub fn counters(of: impl Iterator<Item = (NodeId, u32, i64)>) -> impl Iterator<Item = RowPart> {
    let mut counters = together(of.map(|(id, updates, counter)| (id, (updates, counter))));
    counters.sort_by_key(|((updates, _), _)| Reverse(*updates));
    counters.into_iter().enumerate().map(|(place, ((updates, counter), nodes))| {
        let text = match updates {
            0 => format!("{nodes}: no update  "),
            1 => format!("{nodes}: 1 update, counter {counter}  "),
            _ => format!("{nodes}: {updates} updates, counter {counter}  "),
        };
        words(text, if place == 0 { Emphasis::Strong } else { Emphasis::Dim })
    })
}

/// What a process refused last, if the reason still holds; whether an update blocks is to be told.
pub fn refusal(world: &World, node: NodeId, refused: Option<RefusedUpdate>, is_blocked: bool) -> Option<RowPart> {
    let refused = refused.filter(|refused| still_holds(world, node, refused.why, is_blocked))?;
    Some(words(format!("{node} refused {:+}: {}  ", refused.value, refused.why), Emphasis::Doubt))
}

fn still_holds(world: &World, node: NodeId, why: RefusalReason, is_blocked: bool) -> bool {
    let state = world.nodes.get(&node).and_then(|view| view.state.as_ref());
    match why {
        RefusalReason::NotNormal(_) => state.is_none_or(|state| state.status != Status::Normal),
        RefusalReason::NoMajority { of, .. } => {
            let members = state.and_then(|state| state.task).map_or(0, |task| task.members.len()) + 1;
            2 * members <= usize::from(of)
        }
        RefusalReason::NoWeight(_) => {
            let master = state.and_then(|state| state.believes_in());
            let master = master.and_then(|master| world.nodes.get(&master)?.state.as_ref()?.work.as_deref());
            let Some(Work::Copies(CopyWork { control: Some(control), .. })) = master else { return false };
            !control.is_majority()
        }
        RefusalReason::Blocked(_) => is_blocked,
        RefusalReason::QueueFull(_) | RefusalReason::LogFull(_) => true,
    }
}
