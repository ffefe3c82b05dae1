//! What a step did for the lab's application, in words.
//!
//! Invariant: what one process computes, prepares or does is told once, by that process.

use crate::protocol::{ACKNOWLEDGING_LINE, REFUSING_LINE, ShardWork, UpdateWork, Work};
use crate::record::{EffectText, Input, Step};

/// What the step did for the lab's application, in words.
pub fn done(step: &Step) -> Option<String> {
    match step.state.as_ref()?.work.as_deref()? {
        Work::Shards(work) => computed(step, work),
        Work::Updates(work) => updated(step, work),
        Work::History(_) => None,
    }
}

fn keeps(step: &Step) -> bool {
    step.effects.iter().any(|effect| matches!(effect, EffectText::Save { .. }))
}

fn computed(step: &Step, work: &ShardWork) -> Option<String> {
    let is_own = matches!(step.input, Input::Timer { .. }) && keeps(step);
    let result = work.latest.filter(|_| is_own)?;
    Some(format!("computes shard {}: {} primes", result.shard, result.primes))
}

fn updated(step: &Step, work: &UpdateWork) -> Option<String> {
    let concerns = |kind: &str| {
        let is_sent = |effect: &EffectText| matches!(effect, EffectText::Send { message, .. } if message.kind == kind);
        let is_given = matches!(&step.input, Input::Message { message, .. } if message.kind == kind);
        is_given || step.effects.iter().any(is_sent)
    };
    let mut said = Vec::new();
    match (keeps(step), work.in_doubt, work.last) {
        (true, Some(prepared), _) if concerns("Prepare") => {
            said.push(format!("prepares update {}: {:+}", prepared.position, prepared.update.value));
        }
        (true, None, _) if concerns("Abort") => said.push("aborts the update that it had prepared".to_owned()),
        (true, None, Some(last)) if concerns("Commit") || concerns("Entries") => {
            let UpdateWork { length, counter, .. } = work;
            said.push(format!("does update {length}: {:+}, which makes {counter}", last.value));
        }
        _ => {}
    }
    if let (Some(acknowledged), true) = (work.acknowledged, step.lines.contains(&ACKNOWLEDGING_LINE)) {
        said.push(format!("acknowledges order {}: it is update {}", acknowledged.id, acknowledged.position));
    }
    if let (Some(refused), true) = (work.refused, step.lines.contains(&REFUSING_LINE)) {
        said.push(format!("refuses to add {}: {}", refused.value, refused.why));
    }
    (!said.is_empty()).then(|| said.join(", and "))
}
