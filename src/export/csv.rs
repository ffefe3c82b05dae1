//! The elections of a session as CSV (RFC 4180): when each began and ended, who began it and why, what it cost, and whom
//! it elected.
//!
//! Invariant: a row an election; times are whole nanoseconds since the lab began; what is not known is an empty field.

use std::io::{self, Write};

use super::exported::Exported;
use super::told::ToldSession;
use world::{ElectionView, FigureSheet, SheetCell, SheetColumn};

/// The fields, in their order, with what each holds. The manual reads this table.
pub const FIELDS: &[(&str, &str)] = &[
    ("election", "which election of the lab it is, from 1"),
    ("began_ns", "when it began"),
    ("cause_ns", "when that happened which its processes noticed"),
    ("ended_ns", "when it ended"),
    ("by", "the processes that began it"),
    ("why", "why they did"),
    ("took_part", "the processes that took part"),
    ("elected", "the processes that were followed at its end"),
    ("without_coordinator", "the processes that followed nobody at its end"),
    ("messages", "its messages, without those that are sent in each period"),
    ("periodic_messages", "the messages of each period that were sent meanwhile"),
    ("rounds", "its rounds, where capacities decide"),
    ("messages_by_kind", "how many messages of each kind were sent, such as `Halt 3; Ready 3`"),
];

/// Writes the rows, the names of the fields first.
pub(super) fn write(exported: &Exported<'_>, out: &mut dyn Write) -> io::Result<()> {
    let told = ToldSession::of(exported.session)?;
    let columns = SheetColumn::all(&FIELDS.iter().map(|(field, _)| (None, *field)).collect::<Vec<_>>());
    let rows = told.elections.iter().map(|election| row(election, &told.head.facts.periodic)).collect();
    FigureSheet { columns, rows }.csv().iter().try_for_each(|line| writeln!(out, "{line}"))
}

fn row(election: &ElectionView, periodic: &[String]) -> Vec<SheetCell> {
    let own = election.messages(periodic);
    let all: u64 = election.sent.iter().map(|(_, count)| count).sum();
    let stamp = |at: Option<i64>| at.map_or(SheetCell::Nothing, |at| SheetCell::Text(at.to_string()));
    let at_end = |text: String| if election.ended.is_some() { SheetCell::Text(text) } else { SheetCell::Nothing };
    let kinds: Vec<String> = election.sent.iter().map(|(kind, count)| format!("{kind} {count}")).collect();
    vec![
        SheetCell::Count(election.ordinal),
        stamp(Some(election.began)),
        stamp(election.since),
        stamp(election.ended),
        SheetCell::Text(election.by.to_string()),
        SheetCell::Text(election.why.to_string()),
        SheetCell::Text(election.took_part.to_string()),
        at_end(election.elected.to_string()),
        at_end(election.without.to_string()),
        SheetCell::Count(own),
        SheetCell::Count(all - own),
        election.rounds.map_or(SheetCell::Nothing, SheetCell::Count),
        SheetCell::Text(kinds.join("; ")),
    ]
}
