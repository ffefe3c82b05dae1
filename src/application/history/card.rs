//! What the history of the groups says of itself, and what it does in our words (Garcia-Molina 1982, section IV.B).
//!
//! Invariant: the machine cites every line of the listing and no other.

use protocol::{ApplicationCard, Assumption, Demand, Hearers, Property};

listing! {
    REPORT = 1, "Reorganization", "A member joins: note the group in which it was at work last.";
    LEAD = 2, "Normal", "i coordinates a new group: its parents are the last groups of its members; keep it.";
    FOLLOW = 3, "Normal", "The coordinator's definition comes: keep the new group.";
    FETCH = 4, "Normal", "The history of another is not one's own: ask for it, part by part.";
    GIVE = 5, "Normal", "Another asks for a part: send it.";
    TAKE = 6, "Normal", "A part comes: keep the groups that are new; ask for the next part, if something is lacking.";
    FETCH_AGAIN = 7, "Normal", "A part has not come for a check period, or the coordinator lacked something: ask again.";
    STOP = 8, "STOP", "i is no longer at work in this group: what it has not fetched it leaves.";
}

pub const CARD: ApplicationCard = ApplicationCard {
    name: "history",
    title: "Group history",
    paper: "Garcia-Molina 1982, section IV.B (the graph of groups, kept in d)",
    listing: LISTING,
    messages: &["Report", "Definition", "Fetch", "Part"],
    periodic: &[],
    settings: &[],
    orders: &[],
    demand: Demand::GivesOutTask,
    hearers: Hearers::Group,
    bystanders: 0,
    promises: &[Property::History],
    withholds: |_, _| &[],
    // Neither time nor pauses: what a member reports is so, however late it comes.
    needs: Assumption::first(7),
    needs_with: |_, _| &[],
    shards: |_| None,
    services: |_| None,
    section: |_| None,
};
