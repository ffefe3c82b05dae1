//! What mutual exclusion says of itself, and what it does in our words (King, Gendreau and Ni 1988, section 7, item 6).
//!
//! Invariant: the machine cites every line of the listing and no other.

use crate::application::section::SETTINGS;
use crate::protocol::{ApplicationCard, Assumption, Card, Criterion, Delivery, Demand, Hearers, Property, Settings};

listing! {
    ELECT = 0, "election", "The application has begun an election at i.";
    WANT = 1, "outside", "i wants in, because a user asks, or its time outside is over: it waits.";
    BEGIN = 2, "waiting", "There has been no master for a check period, or i is the master and idle: begin an election.";
    ASK = 3, "waiting", "Another is master: tell it that i waits. After a check period do so again.";
    GRANT = 4, "outside", "Another waits, and i is the master and idle: begin an election.";
    ENTER = 5, "waiting", "i is elected: it enters.";
    STAY = 6, "inside", "i is elected again, because somebody began an election: it is still inside.";
    LEAVE = 7, "inside", "The time inside is over: leave, and as the master begin an election.";
    ABSTAIN = 9, "outside", "A user asks, but the lab does not let i be elected: it does nothing.";
    OUSTED = 8, "inside", "Another is elected: leave at once. Two may have been inside.";
}

/// Whether a process that waits longer is elected before one that waits less long: the time since its own last win is
/// its capacity. By another criterion the same process may win again and again. And where broadcasts come in no one order
/// (King and Ni's C), a process that returns ends an old election before it takes part in the next one: while the others
/// hold one after another, it is always one behind.
fn is_fair(card: &Card, of_lab: &Settings) -> bool {
    Criterion::of(of_lab) == Some(Criterion::LastWin) && card.delivery == Delivery::OrderedBroadcast
}

pub const CARD: ApplicationCard = ApplicationCard {
    name: "mutual-exclusion",
    title: "Mutual exclusion",
    paper: "King, Gendreau and Ni 1988, section 7, item 6",
    listing: LISTING,
    messages: &["Wants"],
    periodic: &[],
    settings: SETTINGS,
    orders: &["request"],
    demand: Demand::ElectsByCapacity,
    hearers: Hearers::Group,
    bystanders: 0,
    promises: &[Property::MutualExclusion, Property::Fairness],
    withholds: |card, of_lab| if is_fair(card, of_lab) { &[] } else { &[Property::Fairness] },
    needs: Assumption::first(13),
    needs_with: |card, _| card.needs,
    shards: |_| None,
    services: |_| None,
    overtakes: Some(1),
};
