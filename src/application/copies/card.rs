//! What the copies say of themselves, and what they do in our words (King, Gendreau and Ni 1988, section 7, item 3).
//!
//! Invariant: the machine cites every line of the listing and no other.

use protocol::{ApplicationCard, Assumption, Demand, Hearers, Property};

listing! {
    ORDER = 31, "order", "A user orders an update: it waits here until a master has done it or refused it.";
    REFUSE = 32, "order", "The order is refused: i is not Normal, too many wait, or its master has no control of more than \
                           half of all weight. It is not done.";
    ASK = 33, "Normal", "Another is master: hand it the order. Do so again every 2T until it answers.";
    TAKE = 34, "Normal", "An order comes: if it is new, it waits its turn.";
    READ = 35, "master", "i is elected, or an order waits: bind yourself to a version above all that are known, and ask all \
                          for their copies.";
    TELL = 36, "Normal", "The master asks for the copy: if i is bound to no larger version, bind it to this one, keep that, \
                          and send the copy.";
    WRITE = 37, "master", "Those that have answered weigh more than half of all, so i has control: take the copy with the \
                           largest version of theirs, add the order to it, keep it under its own version, and tell all.";
    HOLD = 38, "Normal", "The master writes: if i is bound to no larger version, hold what it writes, keep it, and say so.";
    BOUND = 39, "Normal", "i is bound to a larger version than the master's: say to which.";
    ABOVE = 40, "master", "Somebody is bound to a larger version: ask again with one above it.";
    DONE = 41, "master", "Those that hold the write weigh more than half of all: the order is done.";
    AGAIN = 42, "master", "Some have not answered for 2T: ask them again.";
    NO_CONTROL = 43, "master", "Those that answer do not weigh enough, even when asked again: no order that waits is done.";
    UNSURE = 44, "master", "Those that hold the write do not weigh enough, even when asked again: nobody knows whether it \
                            lasts.";
    KNOCK = 45, "master", "Some do not hold the latest write: ask them for their copies once in a check period.";
    ACKNOWLEDGE = 54, "order", "An order of i is done: it is acknowledged.";
    DOUBT = 55, "order", "Nobody knows whether an order of i is done: its master is gone, or says so. i gives it up.";
    STOP = 56, "STOP", "i is no longer at work, or at work under another master.";
}

pub const CARD: ApplicationCard = ApplicationCard {
    name: "copies",
    title: "Copies",
    paper: "King, Gendreau and Ni 1988, section 7, item 3",
    listing: LISTING,
    messages: &["Ask", "Done", "Refused", "InDoubt", "Read", "Knock", "Copy", "Write", "Wrote", "Bound"],
    periodic: &["Knock"],
    settings: &[],
    orders: &["update"],
    demand: Demand::ElectsByWeight,
    hearers: Hearers::Group,
    bystanders: 0,
    promises: &[Property::Majority],
    withholds: |_, _| &[],
    // Neither order, time nor pauses: without control nothing is done, and nothing wrong.
    needs: Assumption::first(6),
    needs_with: |_, _| &[],
    shards: |_| None,
    services: |_| None,
    section: |_| None,
};
