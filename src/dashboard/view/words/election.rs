//! What an election cost and how it ended, line by line.
//!
//! Invariant: the counts are those of the records; messages that the Card calls periodic are counted apart.

use ratatui::text::Line;

use crate::model::Model;
use crate::view::paint;
use world::{ElectionView, between};

/// The titles of the lines take this many columns.
const TITLE_COLUMNS: u16 = 10;

/// All about an election, in lines of at most this many columns.
pub fn told(model: &Model, election: &ElectionView, columns: u16) -> Vec<Line<'static>> {
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
        facts.map_or_else(String::new, |facts| format!(" of at most {} ({})", facts.time_bound, facts.time_bound_text));
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
    paint::titled(&model.theme, facets, columns, TITLE_COLUMNS)
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

/// The kinds that the Card calls periodic.
pub fn periodic(model: &Model) -> &[String] {
    model.head.as_ref().map_or(&[], |head| &head.facts.periodic)
}
