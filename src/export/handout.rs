//! A handout in Markdown: the lab, what was done to it, what happened and why, the verdicts, and the flow as a picture.
//!
//! Invariant: no text of the session is markup of the handout.

use std::io::{self, Write};

use super::Exported;
use super::chronicle::Chronicle;
use super::mermaid::diagram;
use crate::judge::why::{Annals, AskedWhy, coordinators, violations};
use crate::protocol::visible;
use crate::world::{FaultState, between, seconds};

/// So many violations are explained; the others are counted.
const EXPLAINED_MAX: usize = 5;

/// Writes the handout.
pub(super) fn write(exported: &Exported<'_>, out: &mut dyn Write) -> io::Result<()> {
    let chronicle = Chronicle::of(exported.session)?;
    write_lab(&chronicle, out)?;
    write_faults(&chronicle, out)?;
    write_elections(&chronicle, out)?;
    write_verdicts(&chronicle, out)?;
    write_why(&chronicle, out)?;
    writeln!(out, "\n## The flow\n\n```mermaid\n{}```", diagram(&chronicle))
}

fn write_lab(chronicle: &Chronicle, out: &mut dyn Write) -> io::Result<()> {
    let head = &chronicle.head;
    writeln!(out, "# {}\n\n{}\n", plain(&head.name), plain(&head.about))?;
    writeln!(out, "- Algorithm: {} ({})", plain(&head.facts.title), plain(&head.facts.paper))?;
    if let Some(source) = &head.source {
        writeln!(out, "- About: {}", plain(source))?;
    }
    let timing = &head.timing;
    writeln!(out, "- Processes: {}, T {}, check {}, silence {}", head.nodes, timing.t, timing.check, timing.silence)?;
    writeln!(out, "- It lasted {} s.", seconds(chronicle.world.now, 1))
}

fn write_faults(chronicle: &Chronicle, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "\n## What was done\n")?;
    if chronicle.world.faults.is_empty() {
        return writeln!(out, "Nothing was broken.");
    }
    writeln!(out, "| at | fault | line | state |\n|---|---|---|---|")?;
    for fault in &chronicle.world.faults {
        let state = match &fault.state {
            FaultState::Ordered => "ordered".to_owned(),
            FaultState::InForce => "in force".to_owned(),
            FaultState::NotInForce(why) => format!("not in force: {why}"),
            FaultState::Lifted => "over".to_owned(),
        };
        let line = plain(&fault.line.to_string());
        writeln!(out, "| {} s | {} | {line} | {} |", seconds(fault.ordered, 3), fault.id, plain(&state))?;
    }
    Ok(())
}

fn write_elections(chronicle: &Chronicle, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "\n## The elections\n")?;
    if chronicle.elections.is_empty() {
        return writeln!(out, "There was none.");
    }
    writeln!(out, "| no | began | by | because | took | messages | elected |\n|---|---|---|---|---|---|---|")?;
    for election in &chronicle.elections {
        let took = election.ended.map_or_else(|| "goes on".to_owned(), |ended| between(ended - election.began));
        writeln!(
            out,
            "| {} | {} s | {} | {} | {took} | {} | {} |",
            election.ordinal,
            seconds(election.began, 3),
            election.by,
            plain(&election.why.to_string()),
            election.messages(&chronicle.head.facts.periodic),
            plain(&election.outcome()),
        )?;
    }
    Ok(())
}

fn write_verdicts(chronicle: &Chronicle, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "\n## The verdicts\n")?;
    if chronicle.verdicts.is_empty() {
        writeln!(out, "Nothing was expected, or the session ends before a verdict.")?;
    }
    for text in &chronicle.verdicts {
        writeln!(out, "- {}", plain(text))?;
    }
    Ok(())
}

/// Why each violation came, and why the coordinators coordinate.
fn write_why(chronicle: &Chronicle, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "\n## Why\n")?;
    let annals = Annals::new(Some(&chronicle.head), &chronicle.records);
    let found = violations(&annals);
    let asked = found.iter().take(EXPLAINED_MAX).map(|number| AskedWhy::Record(*number));
    for question in asked.chain(coordinators(&annals).iter().map(AskedWhy::Node)) {
        let Some(explanation) = question.answer(&annals) else { continue };
        for (place, sentence) in explanation.all().enumerate() {
            let mark = if place == 0 { "- " } else { "  - " };
            writeln!(out, "{mark}{}", plain(&sentence.text))?;
        }
    }
    match found.len().saturating_sub(EXPLAINED_MAX) {
        0 => Ok(()),
        more => writeln!(out, "- {more} more violations are not explained here; `hustings why` explains each."),
    }
}

/// The text without what Markdown would read as markup.
fn plain(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    for c in visible(text).chars() {
        if "\\`*_{}[]<>#|!&".contains(c) {
            plain.push('\\');
        }
        plain.push(c);
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_text_is_markup() {
        assert_eq!(plain("a_b <i> | #1 [x](y)"), "a\\_b \\<i\\> \\| \\#1 \\[x\\](y)");
    }
}
