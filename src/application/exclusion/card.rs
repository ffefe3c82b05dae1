//! What mutual exclusion says of itself, and what it does in our words (King, Gendreau and Ni 1988, section 7, item 6).
//!
//! Invariant: the machine cites every line of the listing and no other.

use crate::section::{self, SETTINGS};
use protocol::{ApplicationCard, Assumption, Card, Criterion, Delivery, Demand, Hearers, Property, Settings};

listing! {
    ELECT = 0, "election", "The application has begun an election at i.";
    WANT = 1, "outside", "i wants in, because a user asks, or its time outside is over: it waits.";
    BEGIN = 2, "waiting", "There has been no master for a check period, or i is the master and idle: begin an election.";
    ASK = 3, "waiting", "Another is master: tell it that i waits. After a check period do so again.";
    GRANT = 4, "outside", "Another waits, and i is the master and idle: begin an election.";
    ENTER = 5, "waiting", "i is elected: it enters.";
    STAY = 6, "inside", "i is elected again, because somebody began an election: it is still inside.";
    LEAVE = 7, "inside", "The time inside is over: leave, and as the master begin an election.";
    OUSTED = 8, "inside", "Another is elected: leave at once. Two may have been inside.";
    ABSTAIN = 9, "outside", "A user asks, but the lab does not let i be elected: it does nothing.";
}

/// What it does not promise. The master of King and Ni's C is not final (holes 13 and 14): a process that returns amid an
/// election takes over from a master that is inside, and may enter before it has heard that the other one left. There it
/// also ends an old election before it takes part in the next one: while the others hold one after another, it is always
/// one behind. And only the time since the last win lets a process that waits longer be elected before one that waits less
/// long: by another criterion the same process may win again and again.
fn withheld(card: &Card, of_lab: &Settings) -> &'static [Property] {
    match (card.delivery, Criterion::of(of_lab)) {
        (Delivery::OrderedBroadcast, Some(Criterion::LastWin)) => &[],
        (Delivery::OrderedBroadcast, _) => &[Property::Fairness],
        _ => &[Property::MutualExclusion, Property::Fairness],
    }
}

pub const CARD: ApplicationCard = ApplicationCard {
    name: "mutual-exclusion",
    title: "Mutual exclusion",
    paper: "King, Gendreau and Ni 1988, section 7, item 6",
    listing: LISTING,
    messages: &["Wants"],
    periodic: &["Wants"],
    settings: SETTINGS,
    orders: &["request"],
    demand: Demand::ElectsByCapacity,
    hearers: Hearers::Group,
    bystanders: 0,
    promises: &[Property::MutualExclusion, Property::Fairness, Property::Progress],
    withholds: withheld,
    // Who enters is decided by elections; it keeps nothing in safe cells.
    needs: &[
        Assumption::AllCooperate,
        Assumption::NothingFromNowhere,
        Assumption::FailStop,
        Assumption::NothingGarbled,
    ],
    needs_with: |card, _| card.needs,
    shards: |_| None,
    services: |_| None,
    section: |settings| Some(section::facts(settings)),
};
