//! Words about a critical section: who is inside, who waits, and how often each has entered.

use crate::words::{Emphasis, Field, RowPart, by_number, times, took, words, working};
use protocol::{APPLICATION_LINES, ApplicationFacts, LineNumber, NodeId, NodeSet, SectionState, SectionWork};
use record::Step;
use world::{ProcessState, World};

/// The line of each listing at which a process begins to wait for the section.
pub const WANTING_LINE: LineNumber = APPLICATION_LINES + 1;

/// The line at which a process enters.
pub const ENTERING_LINE: LineNumber = APPLICATION_LINES + 5;

/// The lines at which a process leaves: by itself, and because it must.
pub const LEAVING_LINES: [LineNumber; 2] = [APPLICATION_LINES + 7, APPLICATION_LINES + 8];

/// What a step did at the section.
pub fn did(section: SectionWork, step: &Step) -> Option<String> {
    match section.stance {
        SectionState::Inside if took(step, ENTERING_LINE) => Some("enters the critical section".to_owned()),
        _ if LEAVING_LINES.iter().any(|line| took(step, *line)) => Some("leaves the critical section".to_owned()),
        SectionState::Waiting if took(step, WANTING_LINE) => Some("waits for the critical section".to_owned()),
        _ => None,
    }
}

/// Who is inside, who waits, and how often each has entered.
pub fn row(world: &World, _: &ApplicationFacts) -> Vec<RowPart> {
    let sections: Vec<(NodeId, SectionWork)> =
        working(world, ProcessState::is_up).filter_map(|(id, _, work)| Some((id, work.section()?))).collect();
    let that_are = |stance: SectionState| -> NodeSet {
        sections.iter().filter(|(_, section)| section.stance == stance).map(|(id, _)| *id).collect()
    };
    let (inside, waiting) = (that_are(SectionState::Inside), that_are(SectionState::Waiting));
    let mut row = vec![match inside.len() {
        0 => words("nobody is inside", Emphasis::Dim),
        1 => words(format!("{inside} is inside"), Emphasis::Strong),
        _ => words(format!("{inside} are inside"), Emphasis::Bad),
    }];
    if !waiting.is_empty() {
        let verb = by_number(waiting.len(), "waits", "wait");
        row.push(words(format!(", {waiting} {verb}"), Emphasis::Normal));
    }
    let entered: Vec<String> = sections.iter().map(|(id, section)| format!("{id}:{}", section.entries)).collect();
    row.push(words(format!("  entered {}  ", entered.join(" ")), Emphasis::Dim));
    row
}

/// How a process stands to the section.
pub fn field(section: SectionWork) -> Field {
    ("section", format!("{}; it has entered {} since its start", section.stance, times(section.entries)))
}
