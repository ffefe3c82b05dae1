//! Copies what is under the cursor, or all of the page that is open, to the terminal's clipboard.
//!
//! Invariant: what is copied has no character that a terminal or a shell might obey: it is written as the screen shows it,
//! and only where a page has a new line has the copy one.

use ratatui::text::Line;

use super::flow;
use crate::input::message::Command;
use crate::model::places::{Pane, PaperItem, Screen};
use crate::model::row::Row;
use crate::model::{Model, Subject, Tone};
use crate::view::arrangement::focus;
use crate::view::listing::under_cursor;
use crate::view::words::election::told;
use crate::view::words::link::link_words;
use crate::view::{layer, paint, pane_text};
use protocol::visible;

/// Terminals take so many characters at least.
const CHARACTERS_MAX: usize = 65_536;
/// So wide that no sentence is broken.
const COLUMNS: u16 = 10_000;

/// Copies it, and says how much it was.
pub fn copy(model: &mut Model) -> Vec<Command> {
    let Some(lines) = under_the_cursor(model).filter(|lines| !lines.is_empty()) else {
        model.tell(Tone::Plain, "There is nothing under the cursor to copy.");
        return Vec::new();
    };
    let whole = lines.iter().map(|line| shown(line)).collect::<Vec<_>>().join("\n");
    let text: String = whole.chars().take(CHARACTERS_MAX).collect();
    let count = text.chars().count();
    let cut = if text.len() < whole.len() { "; the rest is too long" } else { "" };
    let rows = if lines.len() == 1 { "1 line".to_owned() } else { format!("{} lines", lines.len()) };
    model.tell(Tone::Plain, format!("Sent to the terminal's clipboard: {rows}, {count} characters{cut}."));
    vec![Command::Copy(text)]
}

/// A line as the screen shows it.
fn shown(line: &str) -> String {
    visible(line.trim_end()).replace('\n', "\\n").replace('\t', "\\t")
}

fn under_the_cursor(model: &Model) -> Option<Vec<String>> {
    if let Some(layer) = &model.dialogs.layer {
        return Some(match &layer.about {
            Subject::Why(sheet) => sheet.sentences().iter().map(|sentence| sentence.text.clone()).collect(),
            _ => texts(&layer::page(model, layer, COLUMNS).lines),
        });
    }
    let one = |text: String| vec![text];
    match model.places.screen {
        Screen::Messages => {
            let row = model.selected_message().and_then(|number| model.seen().rows.get(number));
            row.map(|row| one(words(row)))
        }
        Screen::Faults => model.selected_fault().map(|fault| one(fault.line.to_string())),
        Screen::Elections => model.selected_election().map(|election| {
            let title = format!("election {}", election.ordinal);
            std::iter::once(title).chain(texts(&told(model, election, COLUMNS))).collect()
        }),
        Screen::Links => model.selected_link().map(|(from, to)| one(link_words(model, from, to))),
        Screen::Paper => of_paper(model).map(one),
        Screen::History => None,
        Screen::Overview => match focus(model) {
            Pane::Flow => flow::row_under_cursor(model).map(|row| one(words(&row))),
            Pane::Log => model.selected_news().map(|row| one(words(&row))),
            Pane::Nodes | Pane::Why => {
                model.selected_node().map(|node| one(format!("{node}: {}", model.why_in_brief(node).sentence.text)))
            }
            Pane::Paper => of_paper(model).map(one),
            pane @ (Pane::Election | Pane::Assumptions | Pane::Steps) => {
                Some(texts(&pane_text::lines(model, pane, COLUMNS)))
            }
        },
    }
}

/// A row with its time.
fn words(row: &Row) -> String {
    format!("{} s  {}", paint::seconds(row.record.at, 3), row.text)
}

/// The line of the listing, or what is said of the hole.
fn of_paper(model: &Model) -> Option<String> {
    let facts = model.seen().facts.as_deref()?;
    match under_cursor(model)? {
        PaperItem::Line(number) => {
            let line = facts.listing.iter().find(|line| line.number == number)?;
            Some(format!("{}: {number} {}", line.procedure, line.text))
        }
        PaperItem::Hole(place) => facts.holes.get(place).map(|hole| format!("{}: {}", hole.number, hole.title)),
    }
}

fn texts(lines: &[Line<'_>]) -> Vec<String> {
    let text = |line: &Line<'_>| line.spans.iter().map(|span| span.content.as_ref()).collect::<String>();
    lines.iter().map(text).collect()
}
