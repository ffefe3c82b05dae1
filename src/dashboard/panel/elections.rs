//! Screen 6: the latest elections, and all about the one under the cursor.
//!
//! Invariant: the counts are those of the records; messages that the Card calls periodic are counted apart.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use crate::dashboard::grid::{Column, Grid};
use crate::dashboard::model::{Model, Vantage};
use crate::dashboard::paint;
use crate::world::{ElectionView, between};

/// The titles of the lines below the table take this many columns.
const TITLE_COLUMNS: u16 = 10;
/// The table keeps at least this many rows.
const TABLE_ROWS_MIN: u16 = 5;

/// Draws it.
pub fn draw(model: &Model, buffer: &mut Buffer, area: Rect) {
    let theme = &model.theme;
    let Some(chosen) = model.selected_election() else {
        let text = match model.vantage {
            Vantage::Lab => "There was no election yet.",
            Vantage::Node(_) => "This node has been in no election yet.",
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
    grid(model, cursor).draw(buffer, theme, above);
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
        title,
        rank,
        least,
        cells: elections.iter().map(|election| vec![Span::raw(words(election))]).collect(),
    };
    let mut columns = vec![
        Column {
            title: "",
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
    Grid { columns, cursor }
}

/// All about an election, in lines of at most this many columns.
fn told(model: &Model, election: &ElectionView, columns: u16) -> Vec<Line<'static>> {
    let (facts, periodic) = (model.head.as_ref().map(|head| &head.facts), periodic(model));
    let mut facets =
        vec![("began", format!("{} s, by {}: {}", paint::seconds(election.began, 3), election.by, election.why))];
    if let (Some(since), Some(after)) = (election.since, election.noticed_after()) {
        facets.push(("noticed", format!("after {}: the cause lies at {} s", between(after), paint::seconds(since, 3))));
    }
    let others = election.took_part.minus(&election.by);
    if !others.is_empty() {
        facets.push(("with", others.to_string()));
    }
    facets.push(("messages", messages(election, periodic)));
    if let Some(facts) = facts {
        facets.push(("bound", facts.message_bound_text.clone()));
    }
    let bound =
        facts.map_or_else(String::new, |facts| format!("; bound {} = {}", facts.time_bound_text, facts.time_bound));
    facets.push(match election.ended {
        None => ("goes on", format!("for {} so far{bound}", between(model.seen().at - election.began))),
        Some(ended) => ("took", format!("{}{bound}", between(ended - election.began))),
    });
    if let Some(rounds) = election.rounds {
        facets.push(("rounds", format!("{rounds}: the inits, and each announcement of the master")));
    }
    if election.ended.is_some() {
        let without = match election.without.is_empty() {
            true => String::new(),
            false => format!("; {} without a coordinator", election.without),
        };
        facets.push(("elected", format!("{}{without}", election.outcome())));
    }
    let lines = facets.into_iter().flat_map(|(title, text)| {
        let wrapped = paint::wrap(&text, columns.saturating_sub(TITLE_COLUMNS));
        let titles = std::iter::once(title).chain(std::iter::repeat(""));
        titles.zip(wrapped).map(|(title, line)| format!("{title:<width$}{line}", width = usize::from(TITLE_COLUMNS)))
    });
    lines.map(Line::raw).collect()
}

/// The messages of an election by kind.
fn messages(election: &ElectionView, periodic: &[String]) -> String {
    let by_kind = |is_periodic: bool| -> Vec<String> {
        let sent = election.sent.iter().filter(|(kind, _)| periodic.iter().any(|other| other == kind) == is_periodic);
        sent.map(|(kind, count)| format!("{count} {kind}")).collect()
    };
    let kinds = match by_kind(false) {
        kinds if kinds.is_empty() => String::new(),
        kinds => format!(": {}", kinds.join(", ")),
    };
    let besides = match by_kind(true) {
        kinds if kinds.is_empty() => String::new(),
        kinds => format!("; periodic ones besides: {}", kinds.join(", ")),
    };
    format!("{}{kinds}{besides}", election.messages(periodic))
}

fn periodic(model: &Model) -> &[String] {
    model.head.as_ref().map_or(&[], |head| &head.facts.periodic)
}
