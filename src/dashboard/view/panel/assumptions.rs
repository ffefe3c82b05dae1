//! The assumption meter: which assumptions of the running algorithm hold, and what broke the others.
//!
//! Each is shown by its number: `8✗f2` is broken by f2, `8(f2)` was broken and holds again, `9✗f3,computer` was broken by
//! f3 and by a stall of this computer.
//!
//! Invariant: a broken one is always in sight: where room is short, those that hold are drawn together, then left out.

use ratatui::text::{Line, Span};

use crate::model::Model;
use crate::view::assumptions::{AssumptionStatus, Mark, marks};

/// The strip in at most this many columns; empty, if the algorithm is unknown.
pub fn strip(model: &Model, columns: u16) -> Line<'static> {
    let Some(head) = &model.head else { return Line::default() };
    let marks = marks(model, head);
    let each = titled(model, marks.iter().map(|mark| word(model, mark)));
    let together = || drawn_together(model, &marks);
    let broken = listed(marks.iter().filter(|mark| mark.by.is_some()).map(|mark| word(model, mark)));
    let broken_titled = titled(model, marks.iter().filter(|mark| mark.by.is_some()).map(|mark| word(model, mark)));
    let drawn = [each, titled(model, together()), broken_titled, listed(together()), broken];
    let fits = |line: &&Line<'_>| line.width() <= usize::from(columns);
    drawn.iter().find(fits).or(drawn.last()).cloned().unwrap_or_default()
}

/// How many columns it takes, if those that hold are drawn together.
pub fn wanted(model: &Model) -> u16 {
    let line = model.head.as_ref().map(|head| titled(model, drawn_together(model, &marks(model, head))));
    line.map_or(0, |line| u16::try_from(line.width()).unwrap_or(u16::MAX))
}

fn word(model: &Model, mark: &Mark<'_>) -> Span<'static> {
    let theme = &model.theme;
    let Some((_, now)) = mark.by else { return Span::raw(mark.assumption.number().to_string()) };
    let by = mark.names();
    match now {
        AssumptionStatus::Broken => {
            Span::styled(format!("{}{}{by}", mark.assumption.number(), theme.glyphs.bad), theme.bad)
        }
        AssumptionStatus::StandsAgain => Span::styled(format!("{}({by})", mark.assumption.number()), theme.doubt),
    }
}

fn titled(model: &Model, words: impl IntoIterator<Item = Span<'static>>) -> Line<'static> {
    let mut line = listed(words);
    line.spans.insert(0, Span::styled(" assumes", model.theme.dim));
    line
}

fn listed(words: impl IntoIterator<Item = Span<'static>>) -> Line<'static> {
    let spaced = words.into_iter().flat_map(|word| [Span::raw(" "), word]);
    Line::from(spaced.chain([Span::raw(" ")]).collect::<Vec<_>>())
}

/// The ones that hold, with their neighbours: `1-7 8✗f2`.
fn drawn_together(model: &Model, marks: &[Mark<'_>]) -> Vec<Span<'static>> {
    let is_one = |a: &Mark<'_>, b: &Mark<'_>| {
        a.by.is_none() && b.by.is_none() && a.assumption.number() + 1 == b.assumption.number()
    };
    let runs = marks.chunk_by(is_one).map(|run| match run {
        [first, .., last] => Span::raw(format!("{}-{}", first.assumption.number(), last.assumption.number())),
        _ => word(model, &run[0]),
    });
    runs.collect()
}
