//! Screen 6: the latest elections, and all about the one under the cursor.
//!
//! Invariant: the counts are those of the records; messages that the Card calls periodic are counted apart.

use std::borrow::Cow;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use crate::model::{Model, Viewpoint};
use crate::view::grid::{Column, Grid};
use crate::view::mouse_targets::MouseTarget;
use crate::view::paint;
use crate::view::words::election::{periodic, told};
use world::{ElectionView, between};

/// The table keeps at least this many rows.
const TABLE_ROWS_MIN: u16 = 5;

/// Draws it.
pub fn draw(model: &Model, buffer: &mut Buffer, area: Rect) {
    let theme = &model.theme;
    let Some(chosen) = model.selected_election() else {
        let text = match model.vantage {
            Viewpoint::Lab => "There was no election yet.",
            Viewpoint::Node(_) => "This node has been in no election yet.",
        };
        paint::put(buffer, theme, area, 1, &Line::styled(text, theme.dim));
        return;
    };
    let elections = &model.seen().world.elections;
    let wanted = u16::try_from(elections.latest.len() + 1).unwrap_or(u16::MAX);
    let told = told(model, chosen, area.width);
    let below = u16::try_from(told.len() + 1).unwrap_or(u16::MAX);
    let below = below.min(area.height.saturating_sub(wanted.min(TABLE_ROWS_MIN)));
    let above = Rect { height: wanted.min(area.height - below), ..area };
    let cursor = elections.latest.iter().position(|election| election.ordinal == chosen.ordinal);
    let seen = grid(model, cursor).draw(buffer, theme, above);
    for (row, election) in (1..).zip(seen.into_iter().map(|place| &elections.latest[place])) {
        model.drawing.targets.note_row(above, row, MouseTarget::Election(election.ordinal));
    }
    draw_told(model, buffer, Rect { y: above.bottom(), height: below, ..area }, chosen, told);
}

fn draw_told(model: &Model, buffer: &mut Buffer, area: Rect, election: &ElectionView, lines: Vec<Line<'_>>) {
    let theme = &model.theme;
    let style = if election.ended.is_none() { theme.unsettled } else { theme.strong };
    let title = match election.ended {
        None => format!("election {}, which goes on", election.ordinal),
        Some(_) => format!("election {}", election.ordinal),
    };
    paint::rule(buffer, theme, area, 0, Line::styled(title, style));
    for (row, line) in (1..area.height).zip(lines) {
        paint::put(buffer, theme, area, row, &line);
    }
}

fn grid(model: &Model, cursor: Option<usize>) -> Grid {
    let theme = &model.theme;
    let elections = &model.seen().world.elections.latest;
    let periodic = periodic(model);
    let column = |title, rank, least, words: &dyn Fn(&ElectionView) -> String| Column {
        title: Cow::Borrowed(title),
        rank,
        least,
        cells: elections.iter().map(|election| vec![Span::raw(words(election))]).collect(),
    };
    let mut columns = vec![
        Column {
            title: Cow::Borrowed(""),
            rank: 0,
            least: 1,
            cells: (0..elections.len())
                .map(|row| vec![Span::raw(if Some(row) == cursor { theme.glyphs.cursor } else { " " })])
                .collect(),
        },
        column("no", 0, 3, &|election| election.ordinal.to_string()),
        column("began", 0, 9, &|election| format!("{} s", paint::seconds(election.began, 3))),
        column("by", 1, 5, &|election| election.by.to_string()),
        column("because", 5, 14, &|election| election.why.to_string()),
        column("noticed", 3, 7, &|election| election.noticed_after().map_or_else(|| "-".to_owned(), between)),
        column("took", 2, 6, &|election| {
            election.ended.map_or_else(|| "goes on".to_owned(), |ended| between(ended - election.began))
        }),
        column("messages", 2, 8, &|election| election.messages(periodic).to_string()),
        column("rounds", 4, 6, &|election| election.rounds.map_or_else(|| "-".to_owned(), |rounds| rounds.to_string())),
        column("elected", 0, 7, &|election| election.outcome()),
    ];
    if elections.iter().all(|election| election.rounds.is_none()) {
        columns.retain(|column| column.title != "rounds");
    }
    Grid { columns, cursor, kept: Vec::new() }
}
