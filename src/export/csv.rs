//! The elections of a session as CSV (RFC 4180): when each began and ended, who began it and why, what it cost, and whom
//! it elected.
//!
//! Invariant: a row an election; times are whole nanoseconds since the lab began; what is not known is an empty field.

use std::io::{self, Write};

use super::Exported;
use super::chronicle::Chronicle;
use crate::world::ElectionView;

/// Writes the rows, the names of the fields first.
pub(super) fn write(exported: &Exported<'_>, out: &mut dyn Write) -> io::Result<()> {
    let chronicle = Chronicle::of(exported.session)?;
    writeln!(
        out,
        "election,began_ns,cause_ns,ended_ns,by,why,took_part,elected,without_coordinator,messages,periodic_messages,rounds,messages_by_kind"
    )?;
    for election in &chronicle.elections {
        writeln!(out, "{}", row(election, &chronicle.head.facts.periodic))?;
    }
    Ok(())
}

fn row(election: &ElectionView, periodic: &[String]) -> String {
    let own = election.messages(periodic);
    let all: u64 = election.sent.iter().map(|(_, count)| count).sum();
    let number = |number: Option<i64>| number.map_or_else(String::new, |number| number.to_string());
    let kinds: Vec<String> = election.sent.iter().map(|(kind, count)| format!("{kind} {count}")).collect();
    let fields = [
        election.ordinal.to_string(),
        election.began.to_string(),
        number(election.since),
        number(election.ended),
        election.by.to_string(),
        election.why.to_string(),
        election.took_part.to_string(),
        if election.ended.is_some() { election.elected.to_string() } else { String::new() },
        if election.ended.is_some() { election.without.to_string() } else { String::new() },
        own.to_string(),
        (all - own).to_string(),
        election.rounds.map_or_else(String::new, |rounds| rounds.to_string()),
        kinds.join("; "),
    ];
    fields.map(|field| quoted(&field)).join(",")
}

/// The field, in quotes if it holds what would end it.
fn quoted(field: &str) -> String {
    if field.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", field.replace('"', "\"\""))
    } else {
        field.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_field_that_holds_a_comma_is_quoted() {
        assert_eq!([quoted("1-3,5"), quoted("say \"x\""), quoted("1-5")], ["\"1-3,5\"", "\"say \"\"x\"\"\"", "1-5"]);
    }
}
