//! Why: the sentences of an answer, with a cursor, and below them what reruns have shown.
//!
//! Invariant: the sentence under the cursor is marked by a sign, not by colour alone.

use ratatui::text::Line;

use super::page::PageWriter;
use crate::model::pages::WhyAnswer;
use crate::view::theme::Theme;

/// The lines of an answer, where this key asks which faults were needed; and the first and the last line of the sentence under the cursor.
pub fn lines(sheet: &WhyAnswer, theme: &Theme, key: &str, width: u16) -> (Vec<Line<'static>>, (usize, usize)) {
    let mut lines: Vec<Line<'static>> = Vec::new();
    let mut marked = (0, 0);
    let headings = [(1, "because"), (1 + sheet.explanation.sentences.len(), "and not because")];
    for (place, sentence) in sheet.sentences().into_iter().enumerate() {
        if let Some((_, heading)) = headings.iter().find(|(first, _)| *first == place) {
            let mut titled = PageWriter::new(theme, width);
            titled.heading(if *heading == "because" { "why" } else { "why not" });
            lines.push(Line::default());
            lines.extend(titled.into_page("").lines);
        }
        let mut told = PageWriter::new(theme, width);
        told.entry(if place == sheet.cursor { ">" } else { " " }, 1, &sentence.text);
        let told = told.into_page("").lines;
        if place == sheet.cursor {
            marked = (lines.len(), lines.len() + told.len().saturating_sub(1));
        }
        lines.extend(told);
    }
    let mut below = PageWriter::new(theme, width);
    if !sheet.explanation.needs.is_empty() {
        below.heading("left out in virtual time");
        sheet.explanation.needs.iter().for_each(|need| below.text(need));
        lines.push(Line::default());
    }
    below.heading("keys");
    below.text("Up and down walk, Enter opens the records of a sentence one after another.");
    if !sheet.explanation.faults().is_empty() {
        below.text(&format!(
            "`{key}` plays the lab again in virtual time without each of these faults and says which were needed."
        ));
    }
    lines.extend(below.into_page("").lines);
    (lines, marked)
}
