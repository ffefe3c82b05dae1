//! What joining a group says of itself, and what it does in our words (King, Gendreau and Ni 1988, section 7, item 5).
//!
//! Invariant: the machine cites every line of the listing and no other.

use protocol::{ApplicationCard, Assumption, Demand, Hearers, Property, SettingCard, SettingKind};

/// The first members.
pub const MEMBERS: &str = "members";
/// Who votes yes.
pub const AGREES: &str = "agrees";

listing! {
    ELECT = 0, "election", "The application has begun an election at i.";
    WANT = 1, "outside", "i is no member, and has just started or a user asks: it wants in.";
    BEGIN = 2, "outside", "i wants in, and has waited for a check period: begin an election, in which i stands above all \
                           members.";
    ASK = 3, "master", "i is elected and wants in: ask all for their votes.";
    ADOPT = 4, "Normal", "Somebody knows of more members: so does i now, and keeps them.";
    YES = 5, "member", "A newcomer asks, and i has said yes to no other one: keep that, and say yes.";
    NO = 6, "member", "A newcomer asks, and i does not agree, or it is a member already: say no.";
    BUSY = 7, "member", "A newcomer asks, and i does not know yet what became of another one: say so.";
    ADMIT = 8, "master", "A majority of the members has said yes: i is admitted. Keep the new members.";
    REFUSED = 9, "master", "A majority has not said yes: i is refused. Tell those that have, and ask no more until a user \
                            orders it.";
    WAIT = 10, "master", "Another newcomer comes first: tell those that have said yes, and stand below it next time.";
    AGAIN = 11, "master", "Some have not answered for 2T: ask them again.";
    TELL = 12, "master", "i is elected or admitted: tell all who is a member, again and again until they know.";
    WITHDRAW = 13, "outside", "Members wait for what became of i, and i does not ask: tell them.";
    FORGET = 14, "member", "A newcomer asks no more: i has said yes to nobody.";
    RESIGN = 15, "master", "i is the master and no member: begin an election, so that a member is the master.";
    ABSTAIN = 16, "outside", "A user asks, and i is a member already, or the lab does not let it be elected.";
    STOP = 17, "STOP", "i is no longer at work, or at work under another master.";
}

pub const CARD: ApplicationCard = ApplicationCard {
    name: "joining",
    title: "Joining a group",
    paper: "King, Gendreau and Ni 1988, section 7, item 5",
    listing: LISTING,
    messages: &["Join", "Yes", "No", "Busy", "Members", "Blocks", "Withdraw"],
    periodic: &["Members"],
    settings: &[
        SettingCard {
            name: MEMBERS,
            kind: SettingKind::Nodes,
            about: "The first members; the others ask to be admitted.",
        },
        SettingCard {
            name: AGREES,
            kind: SettingKind::NodesOrNone,
            about: "Which members vote yes; the others vote no.",
        },
    ],
    orders: &["request"],
    demand: Demand::ElectsByCapacity,
    hearers: Hearers::Group,
    bystanders: 0,
    promises: &[Property::Majority],
    withholds: |_, _| &[],
    // Neither order, time nor pauses: without enough votes nobody is admitted.
    needs: Assumption::first(6),
    needs_with: |_, _| &[],
    shards: |_| None,
    services: |_| None,
    section: |_| None,
};
