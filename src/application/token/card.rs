//! What path compression says of itself, and what it does in our words (Chow and Johnson 1997, the page before
//! section 10.2).
//!
//! Of that page only the tail is left: the guesses, the waiting list, and that a requester is pointed at. All that is
//! marked as ours below is not in it.
//!
//! Invariant: the machine cites every line of the listing and no other.

use crate::section::{self, SETTINGS};
use protocol::{ApplicationCard, Assumption, Demand, Hearers, Property};

listing! {
    WANT = 1, "outside", "i wants in, because a user asks, or its time outside is over.";
    ASK = 2, "waiting", "i does not have the token: ask its best guess. i is now the last of the waiting list.";
    ENTER = 5, "waiting", "i has the token: it enters.";
    LEAVE = 7, "inside", "The time inside is over: leave.";
    PASS = 9, "outside", "i has the token, and somebody comes next: hand it over. Its number rises by one (ours). If i \
                          dies before it leaves, or the next one is dead, the token is lost (ours).";
    FORWARD = 3, "request", "j asks, and i is not the last: forward that along its own guess, then point at j.";
    APPEND = 4, "request", "j asks, and i is the last, and waits or is inside: j comes next after i; point at j.";
    GIVE = 6, "request", "j asks, and i has the token and does not need it: hand it to j, point at j.";
    SEEN = 10, "request", "A request of j came again: its number is not higher than the last one of j. Do nothing (ours).";
    STALE = 11, "token", "The token came again: its number is not higher than the highest that i has seen. Do nothing \
                          (ours).";
    KEEP = 12, "token", "The token comes, and i does not wait for it, for its safe cells are not what they were: it has \
                         it (ours).";
    RETURN = 13, "recovery", "i starts again with all that it knew (ours). It has the token as before, or its place in the \
                              list. Until then nobody else had it: no other process takes the place of a dead one.";
}

/// Neither loss nor delay, no order of the links, no pause and no clock makes a second token, and none lets anybody past
/// those who stand before it in the list. A message that is lost stops progress only: a token for ever, a request for
/// those that stand behind it.
const NEEDS: &[Assumption] = Assumption::first(6);

pub const CARD: ApplicationCard = ApplicationCard {
    name: "token",
    title: "Token",
    paper: "Chow and Johnson 1997, path compression, before section 10.2; what that page does not say is ours",
    listing: LISTING,
    messages: &["Request", "Token"],
    periodic: &[],
    settings: SETTINGS,
    orders: &["request"],
    demand: Demand::Nothing,
    hearers: Hearers::All,
    bystanders: 0,
    promises: &[Property::MutualExclusion, Property::Fairness],
    withholds: |_, _| &[],
    needs: NEEDS,
    needs_with: |_, _| &[],
    shards: |_| None,
    services: |_| None,
    section: |settings| Some(section::facts(settings)),
};
