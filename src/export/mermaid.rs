//! The flow as a sequence diagram of Mermaid, with the chapters of a lesson and what people wrote at their times.
//!
//! Mermaid draws no diagram of more than 50,000 characters, so a longer one stops there and says so.
//!
//! Invariant: no text of the session is an instruction of the diagram: what Mermaid would read as one is written as the
//! number of its character.

use std::collections::BTreeSet;
use std::io::{self, Write};

use super::exported::Exported;
use super::lesson::chapters_and_notes;
use super::told::ToldSession;
use protocol::{NodeId, NodeSet, visible};
use record::{Body, SessionNote};
use world::flow::{Arrow, ArrowEnd, FlowRow};
use world::seconds;

/// The most characters of a diagram.
const CHARACTERS_MAX: usize = 50_000;
/// Room for the sentence that says that it stops.
const ROOM: usize = 200;
/// The words of a message's fields are cut after so many characters.
const FIELDS_MAX: usize = 40;
/// A note is cut after so many characters: Mermaid draws it in one line, and everything else as wide.
const NOTE_MAX: usize = 120;

/// Writes the diagram.
pub(super) fn write(exported: &Exported<'_>, out: &mut dyn Write) -> io::Result<()> {
    out.write_all(diagram(&ToldSession::of(exported.session)?, exported.notes).as_bytes())
}

/// The diagram of this session, as text with an end of line after each of its lines.
pub(super) fn diagram(told: &ToldSession, notes: &[SessionNote]) -> String {
    let mut text = String::from("sequenceDiagram\n");
    for node in told.roster.all().iter() {
        text.push_str(&format!("    participant {node}\n"));
    }
    let (mut characters, all) = (text.chars().count(), told.roster.all());
    let mut written = chapters_and_notes(told, notes).into_iter().peekable();
    let rows = told.flow.rows();
    for row in rows.iter().map(Some).chain([None]) {
        let until = row.map_or(i64::MAX, |row| row.record.at);
        let before = std::iter::from_fn(|| written.next_if(|(at, _)| *at < until));
        let mut lines: Vec<String> =
            before.map(|(at, words)| note(&all, &format!("{} s: {words}", seconds(at, 3)))).collect();
        lines.extend(row.into_iter().flat_map(|row| lines_of(row, &all)));
        let lines: String = lines.into_iter().map(|line| format!("    {line}\n")).collect();
        characters += lines.chars().count();
        if characters + ROOM > CHARACTERS_MAX {
            let at = seconds(row.map_or(told.world.now, |row| row.record.at), 3);
            let why = format!("here it stops at {at} s of {}", seconds(told.world.now, 3));
            text.push_str(&format!(
                "    {}\n",
                note(&all, &format!("{why} s: a diagram has at most 50,000 characters"))
            ));
            break;
        }
        text.push_str(&lines);
    }
    text
}

/// The lines of a row: what is told, what was sent, and what changed.
fn lines_of(row: &FlowRow, all: &NodeSet) -> Vec<String> {
    let at = seconds(row.record.at, 3);
    let mut lines = Vec::new();
    if !row.told.is_empty() {
        let nodes = row.nodes();
        let is_of_all = nodes.is_empty() || matches!(row.record.body, Body::Began | Body::Ended { .. });
        let over = if is_of_all { *all } else { nodes };
        lines.push(note(&over, &format!("{at} s: {}", row.told.join("; "))));
    }
    for arrow in &row.arrows {
        let words = format!("{at} s {}", message_words(arrow));
        for head in &arrow.heads {
            let (way, fate) = match &head.end {
                ArrowEnd::Dropped(by) => ("-x", format!(", lost by {by}")),
                ArrowEnd::Held(by) => ("--)", format!(", held by {by}")),
                ArrowEnd::Lost(why) => ("-x", format!(", {} {why}", head.to)),
                ArrowEnd::Later => ("--)", ", comes later".to_owned()),
                ArrowEnd::Flying | ArrowEnd::Unknown => ("--)", String::new()),
                ArrowEnd::Arrived | ArrowEnd::Answered | ArrowEnd::AnswerLost => ("->>", String::new()),
            };
            lines.push(format!("{}{way}{}: {}", arrow.from, head.to, plain(&format!("{words}{fate}"))));
            match head.end {
                ArrowEnd::Answered => lines.push(format!("{}-->>{}: answer", head.to, arrow.from)),
                ArrowEnd::AnswerLost => lines.push(format!("{}-x{}: answer, lost", head.to, arrow.from)),
                _ => {}
            }
        }
    }
    for arrival in &row.arrivals {
        let words = format!("{at} s {}, sent in record {}", arrival.kind, arrival.sent);
        lines.push(format!("{}->>{}: {}", arrival.from, arrival.to, plain(&words)));
    }
    let mut told: BTreeSet<(NodeId, String)> = BTreeSet::new();
    for (node, change) in &row.changes {
        let Some(words) = change.words() else { continue };
        told.insert((*node, words));
    }
    lines.extend(told.into_iter().map(|(node, words)| note(&NodeSet::of(node), &format!("{at} s: {words}"))));
    lines
}

/// A note over the lanes from the first of these nodes to the last.
fn note(nodes: &NodeSet, text: &str) -> String {
    let (first, last) = (nodes.iter().next(), nodes.iter().last());
    let over = match (first, last) {
        (Some(first), Some(last)) if first != last => format!("{first},{last}"),
        (Some(one), _) => one.to_string(),
        _ => "1".to_owned(),
    };
    let text = match text.char_indices().nth(NOTE_MAX) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    };
    format!("Note over {over}: {}", plain(&text))
}

fn message_words(arrow: &Arrow) -> String {
    let fields: Vec<String> = arrow.message.fields.iter().map(|(name, value)| format!("{name}={value}")).collect();
    let fields: String = fields.join(", ").chars().take(FIELDS_MAX).collect();
    if fields.is_empty() { arrow.message.kind.to_string() } else { format!("{}({fields})", arrow.message.kind) }
}

/// The text without what Mermaid would read as something else.
fn plain(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    for c in visible(text).chars() {
        match c {
            '#' | ';' | '<' | '>' | '%' | '{' | '}' | '"' | '\\' => plain.push_str(&format!("#{};", u32::from(c))),
            c => plain.push(c),
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_text_is_an_instruction_of_the_diagram() {
        assert_eq!(plain("a; b #1 <b> %% \"x\""), "a#59; b #35;1 #60;b#62; #37;#37; #34;x#34;");
        assert_eq!(note(&"2-4".parse().unwrap(), "x"), "Note over 2,4: x");
        let long = note(&"2".parse().unwrap(), &"ä".repeat(NOTE_MAX + 1));
        assert_eq!(long, format!("Note over 2: {}…", "ä".repeat(NOTE_MAX)));
    }
}
