//! What a step did for the lab's application, in words.
//!
//! Invariant: what one process does is told once, by that process.

use crate::protocol::{FencingWork, ResourceWork, ShardWork, Work, WriteFate, WriteView};
use crate::record::{EffectText, Input, Step};

/// What the step did for the lab's application, in words.
pub fn done(step: &Step) -> Option<String> {
    match step.state.as_ref()?.work.as_deref()? {
        Work::Shards(work) => computed(work, step),
        Work::Fencing(FencingWork::Resource(work)) => taken(work, step),
        Work::Fencing(FencingWork::Writer(_)) | Work::History(_) => None,
    }
}

fn computed(work: &ShardWork, step: &Step) -> Option<String> {
    let keeps = step.effects.iter().any(|effect| matches!(effect, EffectText::Save { .. }));
    let is_own = matches!(step.input, Input::Timer { .. }) && keeps;
    let result = work.latest.filter(|_| is_own)?;
    Some(format!("computes shard {}: {} primes", result.shard, result.primes))
}

/// What the resource did with a write. Only a write changes what it shows.
fn taken(work: &ResourceWork, step: &Step) -> Option<String> {
    let write = work.latest.filter(|_| matches!(step.input, Input::Message { .. }))?;
    let WriteView { term, number, value, fate } = write;
    Some(match (fate, work.highest) {
        (WriteFate::Refused, Some(highest)) => {
            format!("refuses {value} of {}: its number {number} is lower than {highest}", term.node)
        }
        _ => format!("takes {value} of {}, number {number}", term.node),
    })
}
