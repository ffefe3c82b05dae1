//! What a step did for the lab's application, in words.
//!
//! Invariant: what one process does is told once, by that process.

use protocol::{
    ACKNOWLEDGING_LINE, ADMITTING_LINE, ASKING_LINE, CONFLICTING_LINE, COPY_WRITING_LINE, CopyWork, DOUBTING_LINE,
    ENTERING_LINE, FINISHING_LINE, FencingWork, JoinWork, LEAVING_LINES, LineNumber, PART_LINE, REFUSING_LINE,
    ResourceWork, SILENT_LINE, SectionState, ServiceWork, ShardWork, TAKING_LINE, TURNED_AWAY_LINE, TokenWork,
    UpdateWork, WANTING_LINE, Work, WriteFate, WriteView, YIELDING_LINE,
};
use record::{EffectText, Input, Step};

/// What the step did for the lab's application, in words.
pub fn done(step: &Step) -> Option<String> {
    match step.state.as_ref()?.work.as_deref()? {
        Work::Shards(work) => computed(work, step),
        Work::Updates(work) => updated(work, step),
        Work::Fencing(FencingWork::Resource(work)) => taken(work, step),
        Work::Exclusion(section) => moved(section.stance, step),
        Work::Service(work) => served(work, step),
        Work::Token(work) => handed(work, step),
        Work::Copies(work) => copied(work, step),
        Work::Joining(work) => joined(work, step),
        Work::Fencing(FencingWork::Writer(_)) | Work::History(_) => None,
    }
}

/// What the step did at the critical section.
fn moved(stance: SectionState, step: &Step) -> Option<String> {
    let has = |lines: &[LineNumber]| step.lines.iter().any(|line| lines.contains(line));
    match stance {
        SectionState::Inside if has(&[ENTERING_LINE]) => Some("enters the critical section".to_owned()),
        _ if has(LEAVING_LINES) => Some("leaves the critical section".to_owned()),
        SectionState::Waiting if has(&[WANTING_LINE]) => Some("waits for the critical section".to_owned()),
        _ => None,
    }
}

/// What the step did for a service.
fn served(work: &ServiceWork, step: &Step) -> Option<String> {
    let has = |line: LineNumber| step.lines.contains(&line);
    let mut said = Vec::new();
    if has(ASKING_LINE) {
        said.push(match work.asked {
            Some(log) if log.done == 0 && log.server.is_none() => {
                format!("asks for service {}", log.id)
            }
            _ => format!("keeps {} more requests", work.waiting),
        });
    }
    if let Some(part) = work.part.filter(|_| has(PART_LINE)) {
        let is_last = if has(FINISHING_LINE) { ", the last" } else { "" };
        said.push(format!("does part {} of service {}{is_last}", part.part, part.id));
    }
    if has(TAKING_LINE) {
        said.push(format!("serves {}", work.serves));
    }
    if has(YIELDING_LINE) {
        said.push("leaves a service to another".to_owned());
    }
    if has(SILENT_LINE) {
        said.push("hears nothing of a server".to_owned());
    }
    (!said.is_empty()).then(|| said.join(", and "))
}

/// What the step did at the critical section, and with the token.
fn handed(work: &TokenWork, step: &Step) -> Option<String> {
    let handed = step.effects.iter().find_map(|effect| match effect {
        EffectText::Send { id, message, .. } if message.kind == "Token" => {
            Some(format!("hands the token to {}", id.to?))
        }
        _ => None,
    });
    let said: Vec<String> = moved(work.section.stance, step).into_iter().chain(handed).collect();
    (!said.is_empty()).then(|| said.join(", and "))
}

/// What the step did for a newcomer.
fn joined(work: &JoinWork, step: &Step) -> Option<String> {
    let has = |line: LineNumber| step.lines.contains(&line);
    let sends = |kind: &str| {
        step.effects.iter().any(|effect| matches!(effect, EffectText::Send { message, .. } if message.kind == kind))
    };
    match (work.pending, work.refused_by) {
        _ if has(ADMITTING_LINE) => Some(format!("is admitted: the members are {}", work.view.members)),
        (_, Some(poll)) if has(TURNED_AWAY_LINE) => Some(format!("is refused: {poll}")),
        (Some(pending), _) if sends("Yes") => Some(format!("says yes to {}", pending.newcomer)),
        _ if sends("No") => Some("says no to a newcomer".to_owned()),
        _ if sends("Join") => Some("asks to be admitted".to_owned()),
        _ => None,
    }
}

/// What the step did with a copy.
fn copied(work: &CopyWork, step: &Step) -> Option<String> {
    let sends = |kind: &str| {
        step.effects.iter().any(|effect| matches!(effect, EffectText::Send { message, .. } if message.kind == kind))
    };
    let has = |line: LineNumber| step.lines.contains(&line);
    let held = work.held;
    let mut said = Vec::new();
    if has(COPY_WRITING_LINE) {
        said.push(format!("writes update {}, which makes {}", held.count, held.counter));
    } else if keeps(step) && sends("Wrote") {
        said.push(format!("holds update {}: {}", held.count, held.counter));
    }
    if let (Some(acknowledged), true) = (work.acknowledged, has(ACKNOWLEDGING_LINE)) {
        said.push(format!("acknowledges order {}: it is update {}", acknowledged.id, acknowledged.held.count));
    }
    if let (Some(refused), true) = (work.refused, has(REFUSING_LINE)) {
        said.push(format!("refuses to add {}: {}", refused.value, refused.why));
    }
    if let (Some(doubted), true) = (work.doubted, has(DOUBTING_LINE)) {
        said.push(format!("does not know whether {:+} is done", doubted.value));
    }
    (!said.is_empty()).then(|| said.join(", and "))
}

fn keeps(step: &Step) -> bool {
    step.effects.iter().any(|effect| matches!(effect, EffectText::Save { .. }))
}

fn computed(work: &ShardWork, step: &Step) -> Option<String> {
    let is_own = matches!(step.input, Input::Timer { .. }) && keeps(step);
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

fn updated(work: &UpdateWork, step: &Step) -> Option<String> {
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
    if !work.learnt.is_empty() {
        let noun = if work.learnt.len() == 1 { "update" } else { "updates" };
        let (new, UpdateWork { length, counter, .. }) = (work.learnt.len(), work);
        said.push(format!("takes in {new} {noun} of another log: {length} make {counter}"));
    }
    if let (Some(conflicts), true) = (&work.conflicts, step.lines.contains(&CONFLICTING_LINE)) {
        said.push(format!("lists {conflicts}"));
    }
    if let (Some(acknowledged), true) = (work.acknowledged, step.lines.contains(&ACKNOWLEDGING_LINE)) {
        said.push(format!("acknowledges order {}: it is update {}", acknowledged.id, acknowledged.position));
    }
    if let (Some(refused), true) = (work.refused, step.lines.contains(&REFUSING_LINE)) {
        said.push(format!("refuses to add {}: {}", refused.value, refused.why));
    }
    (!said.is_empty()).then(|| said.join(", and "))
}
