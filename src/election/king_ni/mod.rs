//! King, Gendreau and Ni 1988, "Distributed election in computer networks": elections by broadcast.
//!
//! Invariant: a transition is cited by the paper's own number; what mends a hole of the paper has a number from 100.

pub mod a;
pub mod agreement;
pub mod b1;
pub mod b2;
pub mod c;
pub mod succession;
mod table;
#[cfg(test)]
mod tests;
pub mod watch;

use std::fmt;

use serde::{Deserialize, Serialize};

use protocol::{
    Card, Channel, CoordinatorNumbers, Delivery, Lie, Line, ListingForm, NodeId, ORDERED_NODES_MAX, SettingCard,
    SettingKind, TBounds,
};

/// The number of an election (mend of hole 6): whoever begins one takes a higher number than any it has seen.
#[derive(Copy, Clone, Default, Eq, PartialEq, Ord, PartialOrd, Hash, Debug, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ElectionNumber(pub u64);

impl ElectionNumber {
    /// The number of the election that follows this one.
    pub fn next(self) -> ElectionNumber {
        ElectionNumber(self.0.saturating_add(1))
    }
}

impl fmt::Display for ElectionNumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}

protocol::worded! {
    /// The holes of the tables, by what is wrong; each word has the number in the Cards.
    #[derive(Copy, Clone, Eq, PartialEq, Debug)]
    enum Hole {
        VectInColl1 = "mend of hole 1",
        ElectedInColl1 = "mend of hole 2",
        NextRoundInWait3 = "mend of hole 3",
        NamesWithoutCapacities = "mend of hole 4",
        MissedOutcome = "mend of hole 5",
        NoSecondElection = "mend of hole 6",
        OnlyCandidatesBegin = "mend of hole 7",
        VectBeforeInit = "mend of hole 8",
        OwnListWalked = "mend of hole 9",
        InitInColl2 = "mend of hole 10",
        SaidTwice = "mend of hole 11",
        RoundsMixed = "mend of hole 12",
        DeafFinal = "mend of hole 13",
        LateCandidate = "mend of hole 14",
        HelpAtOnce = "mend of hole 15",
    }
}

/// The processes that may be elected: a setting of each algorithm.
const CANDIDATES: SettingCard = SettingCard {
    name: "candidates",
    kind: SettingKind::Nodes,
    about: "Who may be elected; the others have capacity -1.",
};

/// The timers of these algorithms. `TABLE` is the number of the algorithm's table in the paper.
#[derive(Copy, Clone, Eq, PartialEq, Ord, PartialOrd, Hash, Debug, Serialize, Deserialize)]
pub enum Timer<const TABLE: u8> {
    /// The one timer of the table.
    Table,
    /// The process may begin an election, or ask again.
    Ready,
    /// What was kept of the next election is too old (section 5.3).
    Kept,
    /// The master's first word is overdue.
    Elected,
    /// The watch's over the master.
    Watch(watch::Timer),
}

/// What it waits for, in words.
impl<const TABLE: u8> fmt::Display for Timer<TABLE> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Timer::Table => write!(f, "time-out of Table {TABLE}"),
            Timer::Ready => f.write_str("time to begin an election"),
            Timer::Kept => f.write_str("what is kept of the next election gets too old"),
            Timer::Elected => f.write_str("first word of the master"),
            Timer::Watch(timer) => timer.fmt(f),
        }
    }
}

impl<const TABLE: u8> From<watch::Timer> for Timer<TABLE> {
    fn from(timer: watch::Timer) -> Timer<TABLE> {
        Timer::Watch(timer)
    }
}

/// What the Cards have in common.
const CARD: Card = Card {
    listing_form: ListingForm::Table,
    periodic: &["query", "answer", "claim"],
    channel: Channel::Multicast,
    periods: &[watch::CHECK],
    ..Card::new("king-ni", "King/Ni")
};

/// What the Cards of A, B.1 and B.2 have in common, over the ordered broadcast.
const ORDERED_CARD: Card = Card {
    t_bounds: TBounds::OrderedBroadcast,
    delivery: Delivery::OrderedBroadcast,
    lies: &[Lie::RandomValue, Lie::Equivocate, Lie::Claim, Lie::Bar, Lie::Collude],
    numbers: CoordinatorNumbers::Rise(
        "Who begins an election takes a higher number than all that it has seen, and keeps it in its safe cells (the \
         mend of hole 6).",
    ),
    nodes_max: ORDERED_NODES_MAX,
    ..CARD
};

/// A line of a listing.
const fn line(number: u16, procedure: &'static str, text: &'static str) -> Line {
    Line::new(number, procedure, text)
}

/// `max(S)`: the largest capacity, and of equal ones the larger id. A list with nothing above -1 elects nobody.
pub(crate) fn largest(candidates: impl Iterator<Item = (NodeId, i64)>) -> Option<NodeId> {
    let able = candidates.filter(|(_, capacity)| *capacity >= 0);
    able.map(|(node, capacity)| (capacity, node)).max().map(|(_, node)| node)
}
