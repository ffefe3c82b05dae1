//! A handout in Markdown: the lab, its lesson if it is one, what was done to it, what happened and why, the verdicts, what
//! people wrote about it, and the flow as a picture.
//!
//! Invariant: no text of the session is markup of the handout.

use std::io::{self, Write};

use super::exported::Exported;
use super::lesson::{LessonPart, answer, lesson};
use super::mermaid::diagram;
use super::told::{ToldSession, fault_state};
use protocol::visible;
use record::SessionNote;
use world::{between, seconds};

/// Writes the handout.
pub(super) fn write(exported: &Exported<'_>, out: &mut dyn Write) -> io::Result<()> {
    let told = ToldSession::of(exported.session)?;
    write_lab(&told, out)?;
    write_lesson(&told, out)?;
    write_faults(&told, out)?;
    write_elections(&told, out)?;
    write_verdicts(&told, out)?;
    write_why(&told, out)?;
    write_notes(exported.notes, out)?;
    writeln!(out, "\n## The flow\n\n```mermaid\n{}```", diagram(&told, exported.notes))
}

fn write_lab(told: &ToldSession, out: &mut dyn Write) -> io::Result<()> {
    let head = &told.head;
    writeln!(out, "# {}\n\n{}\n", plain(&head.name), plain(&head.about))?;
    writeln!(out, "- Algorithm: {} ({})", plain(&head.facts.title), plain(&head.facts.paper))?;
    if let Some(source) = &head.source {
        writeln!(out, "- Source: {}", plain(source))?;
    }
    let timing = &head.timing;
    writeln!(out, "- Processes: {}, T {}, check {}, silence {}", head.nodes, timing.t, timing.check, timing.silence)?;
    writeln!(out, "- It lasted {} s.", seconds(told.world.now, 1))
}

/// The chapters, what was said, and each question with its choices and the right one after them.
fn write_lesson(told: &ToldSession, out: &mut dyn Write) -> io::Result<()> {
    let parts = lesson(told);
    if parts.is_empty() {
        return Ok(());
    }
    writeln!(out, "\n## The lesson")?;
    for (at, part) in parts {
        let at = seconds(at, 3);
        match part {
            LessonPart::Chapter(title) => writeln!(out, "\n### {} ({at} s)", plain(&title))?,
            LessonPart::Said(text) => writeln!(out, "\n{at} s: {}", plain(&text))?,
            LessonPart::Asked(question) => {
                writeln!(out, "\n{at} s: **{}**\n", plain(&question.text.to_string()))?;
                for (number, choice) in (1..).zip(&question.choices) {
                    writeln!(out, "{number}. {}", plain(&choice.to_string()))?;
                }
                writeln!(out, "\n> Right is {}", plain(&answer(&question)))?;
            }
        }
    }
    Ok(())
}

fn write_faults(told: &ToldSession, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "\n## What was done\n")?;
    if told.world.faults.is_empty() {
        return writeln!(out, "Nothing was broken.");
    }
    writeln!(out, "| at | fault | line | state |\n|---|---|---|---|")?;
    for fault in &told.world.faults {
        let line = plain(&fault.line.to_string());
        writeln!(out, "| {} s | {} | {line} | {} |", seconds(fault.ordered, 3), fault.id, plain(&fault_state(fault)))?;
    }
    Ok(())
}

fn write_elections(told: &ToldSession, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "\n## The elections\n")?;
    if told.elections.is_empty() {
        return writeln!(out, "There was none.");
    }
    writeln!(out, "| no | began | by | because | took | messages | elected |\n|---|---|---|---|---|---|---|")?;
    for election in &told.elections {
        let took = election.ended.map_or_else(|| "goes on".to_owned(), |ended| between(ended - election.began));
        writeln!(
            out,
            "| {} | {} s | {} | {} | {took} | {} | {} |",
            election.ordinal,
            seconds(election.began, 3),
            election.by,
            plain(&election.why.to_string()),
            election.messages(&told.head.facts.periodic),
            plain(&election.outcome()),
        )?;
    }
    Ok(())
}

fn write_verdicts(told: &ToldSession, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "\n## The verdicts\n")?;
    if let Some(why) = told.why_no_verdict() {
        writeln!(out, "{why}")?;
    }
    for text in &told.verdicts {
        writeln!(out, "- {}", plain(text))?;
    }
    writeln!(out, "\n{}", told.findings())
}

/// Why each violation came, and why the coordinators coordinate.
fn write_why(told: &ToldSession, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "\n## Why\n")?;
    let (explanations, more) = told.explanations();
    if explanations.is_empty() {
        return writeln!(out, "{}", told.nothing_explained());
    }
    for explanation in &explanations {
        for (place, sentence) in explanation.all().enumerate() {
            let mark = if place == 0 { "- " } else { "  - " };
            writeln!(out, "{mark}{}", plain(&sentence.text))?;
        }
    }
    match more {
        0 => Ok(()),
        more => writeln!(out, "- {more} more violations are not explained here; `hustings why` explains each."),
    }
}

/// The markers, notes and chapters.
fn write_notes(notes: &[SessionNote], out: &mut dyn Write) -> io::Result<()> {
    if notes.is_empty() {
        return Ok(());
    }
    writeln!(out, "\n## Markers, notes and chapters\n\n| at | kind | text |\n|---|---|---|")?;
    for SessionNote { kind, at, text, .. } in notes {
        writeln!(out, "| {} s | {} | {} |", seconds(*at, 3), kind.word(), plain(text))?;
    }
    Ok(())
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
