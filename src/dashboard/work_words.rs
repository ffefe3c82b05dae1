//! What a step did for the lab's application, in words.
//!
//! Invariant: what one process computes is told once, by that process.

use crate::protocol::Work;
use crate::record::{EffectText, Input, Step};

/// What the step computed for the lab's application, in words.
pub fn computed(step: &Step) -> Option<String> {
    let Work::Shards(work) = step.state.as_ref()?.work.as_deref()? else { return None };
    let keeps = step.effects.iter().any(|effect| matches!(effect, EffectText::Save { .. }));
    let is_own = matches!(step.input, Input::Timer { .. }) && keeps;
    let result = work.latest.filter(|_| is_own)?;
    Some(format!("computes shard {}: {} primes", result.shard, result.primes))
}
