//! What a node holds of an election by capacity (King, Gendreau and Ni 1988): its capacity in this election, how often
//! it has announced itself, and the candidate lists of Algorithm B.2 and of section 5.3 in their order.
//!
//! Invariant: a list of `Y` is shown with its entries, even if only the length of its part of `S` came.

use super::sheet::Sheet;
use protocol::{Ballot, Lists, Standing};

/// Its fields, below those of the state vector.
pub fn lines(sheet: &mut Sheet<'_>, ballot: &Ballot) {
    let stands_with = ballot.stands_with.map_or_else(|| "-".to_owned(), |capacity| capacity.to_string());
    sheet.field("stands with", &stands_with);
    if ballot.announcements > 0 {
        let times = if ballot.announcements == 1 { "time" } else { "times" };
        sheet.field("announced", &format!("itself, {} {times}", ballot.announcements));
    }
    if let Some(lists) = &ballot.lists {
        of_lists(sheet, lists);
    }
}

fn of_lists(sheet: &mut Sheet<'_>, lists: &Lists) {
    sheet.field("S", &list(&lists.candidates));
    for (place, (from, received)) in lists.received.iter().enumerate() {
        let name = if place == 0 { "Y" } else { "" };
        sheet.field(name, &format!("{from} has {}", list(lists.entries(received))));
    }
    if let Some(decided) = &lists.decided {
        sheet.field("el(Y)", &format!("{} decided", list(decided)));
    }
}

fn list(entries: &[Standing]) -> String {
    let told: Vec<String> = entries.iter().map(|(node, capacity)| format!("{node}:{capacity}")).collect();
    format!("[{}]", told.join(" "))
}
