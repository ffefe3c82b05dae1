//! What the panes of text on the overview say.
//!
//! Invariant: drawing and scrolling use the same lines, and no line is wider than its pane.

use ratatui::text::{Line, Span};

use super::assumptions::{AssumptionStatus, Mark, marks};
use super::paint;
use super::words::election::told;
use super::words::steps::in_short;
use crate::model::places::Pane;
use crate::model::{Model, Viewpoint};

/// The columns of an assumption's number and its sign.
const ASSUMPTION_COLUMNS: u16 = 5;
/// The columns of the titles of the steps' lines.
const STEPS_COLUMNS: u16 = 7;

/// The title of a pane.
pub fn title(model: &Model, pane: Pane) -> String {
    let election = || model.seen().world.elections.latest.back();
    match (pane, model.selected_node()) {
        (Pane::Why, Some(node)) => format!("why {node}"),
        (Pane::Election, _) => match election().map(|election| (election.ended, election.ordinal)) {
            Some((None, ordinal)) => format!("this election: number {ordinal}, which goes on"),
            Some((Some(_), ordinal)) => format!("the latest election: number {ordinal}"),
            None => pane.title().to_owned(),
        },
        _ => pane.title().to_owned(),
    }
}

/// The lines of a pane of text that is this many columns wide; none for another pane.
pub fn lines(model: &Model, pane: Pane, columns: u16) -> Vec<Line<'static>> {
    match pane {
        Pane::Election => election(model, columns),
        Pane::Assumptions => assumptions(model, columns),
        Pane::Steps => steps(model, columns),
        Pane::Why => why(model, columns),
        Pane::Nodes | Pane::Flow | Pane::Paper | Pane::Log => Vec::new(),
    }
}

/// How many lines of a pane of text stand above those that are in sight.
pub fn scrolled(model: &Model, pane: Pane, count: usize, height: u16) -> usize {
    model.places.panes.scrolls[pane as usize].min(count.saturating_sub(usize::from(height)))
}

fn election(model: &Model, columns: u16) -> Vec<Line<'static>> {
    match model.seen().world.elections.latest.back() {
        Some(election) => told(model, election, columns),
        None => {
            let text = match model.vantage {
                Viewpoint::Lab => "There was no election yet.",
                Viewpoint::Node(_) => "This node has been in no election yet.",
            };
            vec![Line::styled(text, model.theme.dim)]
        }
    }
}

/// What is broken comes first, then what was.
fn assumptions(model: &Model, columns: u16) -> Vec<Line<'static>> {
    let Some(head) = &model.head else { return vec![Line::styled("The algorithm is not known yet.", model.theme.dim)] };
    let mut marks = marks(model, head);
    marks.sort_by_key(|mark| match mark.by {
        Some((_, AssumptionStatus::Broken)) => 0,
        Some((_, AssumptionStatus::StandsAgain)) => 1,
        None => 2,
    });
    marks.iter().flat_map(|mark| assumption(model, mark, columns)).collect()
}

fn assumption(model: &Model, mark: &Mark<'_>, columns: u16) -> Vec<Line<'static>> {
    let (theme, glyphs) = (&model.theme, &model.theme.glyphs);
    let by = mark.by.as_ref().zip(mark.told()).map(|((_, now), told)| match now {
        AssumptionStatus::Broken => (format!(": {told}"), glyphs.bad, theme.bad),
        AssumptionStatus::StandsAgain => (format!(": {told}"), glyphs.doubt, theme.doubt),
    });
    let (by, sign, style) = by.unwrap_or((String::new(), glyphs.good, theme.good));
    let text = format!("{}{by}", mark.assumption.says());
    let rows = paint::wrap(&text, columns.saturating_sub(ASSUMPTION_COLUMNS)).into_iter().enumerate();
    let before = |row: usize| match row {
        0 => vec![Span::raw(format!("{:>2} ", mark.assumption.number())), Span::styled(format!("{sign} "), style)],
        _ => vec![Span::raw(" ".repeat(usize::from(ASSUMPTION_COLUMNS)))],
    };
    let is_broken = mark.by.is_some();
    rows.map(|(row, text)| {
        let mut spans = before(row);
        spans.push(if is_broken { Span::styled(text, style) } else { Span::raw(text) });
        Line::from(spans)
    })
    .collect()
}

fn steps(model: &Model, columns: u16) -> Vec<Line<'static>> {
    paint::titled(&model.theme, in_short(model), columns, STEPS_COLUMNS)
}

fn why(model: &Model, columns: u16) -> Vec<Line<'static>> {
    let Some(node) = model.selected_node() else { return Vec::new() };
    let text = model.why_in_brief(node).sentence.text;
    paint::wrap(&text, columns).into_iter().map(|line| Line::styled(line, model.theme.strong)).collect()
}
