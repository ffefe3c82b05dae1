//! What the updates say of themselves, and what they do in our words (Garcia-Molina 1982, section IV.B: restricted
//! operations; the two-phase commit is that of his reference [6], Gray 1977).
//!
//! Invariant: the machine cites every line of the listing and no other.

use protocol::{
    ApplicationCard, Assumption, Demand, Hearers, LOG_MAX, Property, SettingCard, SettingKind, SettingValue, Settings,
};

/// For how many updates a log has room.
pub const LOG: &str = "log_max";
/// How many orders may wait at a process.
pub const ORDERS: &str = "orders_max";
/// Whether only a group with a majority of all nodes does updates.
pub const MAJORITY: &str = "majority";

listing! {
    ORDER = 31, "order", "The operator orders an update: it waits here until it is in the log.";
    REFUSE = 32, "order", "The order is refused: i is not Normal, its group has no majority of all nodes, too many wait, \
                           the log is full, or an earlier update blocks.";
    REPORT = 33, "Reorganization", "A member joins: note how far its log goes, and what it is in doubt about.";
    BEGIN = 34, "Normal", "i coordinates: first it gets what it lacks, and settles what is in doubt.";
    REQUEST = 35, "Normal", "i is a member with an order: ask the coordinator, again and again until the update is in \
                             the log or refused.";
    TAKE = 36, "Normal", "A request comes: if it is neither done nor waits, it waits its turn.";
    PREPARE = 37, "Normal", "An order waits, and all members that answer have i's log. They and i are a majority of all \
                             nodes, or majority = false: prepare the update, keep it, and ask them to prepare it too.";
    VOTE_YES = 38, "Normal", "The update follows one's own log, and no other is in doubt: prepare it, keep it, say yes.";
    VOTE_NO = 39, "Normal", "It does not follow one's own log, or another one is in doubt: say no.";
    COMMIT = 40, "Normal", "All voters have said yes: put the update in the log, keep it, and tell them.";
    ABORT = 41, "Normal", "A voter has said no, or is silent for the whole silence: the update is not done this time. \
                           A silent member is not asked again until it is heard.";
    LEARN_COMMIT = 42, "Normal", "The update is done: put it in the log, and keep it.";
    LEARN_ABORT = 43, "Normal", "The update is not done: it is no longer in doubt.";
    ASK = 44, "Normal", "i is in doubt: ask the coordinator for the outcome.";
    SETTLE_COMMIT = 45, "Normal", "Somebody is in doubt about an update that is in the log: it is done.";
    SETTLE_ABORT = 46, "Normal", "Somebody is in doubt about an update that can no longer be done: another one has its \
                                  place, its coordinator is here and has not decided, or a voter is here that never \
                                  prepared it. It is aborted.";
    BLOCKED = 47, "Normal", "Nobody here knows the outcome, and nobody may abort it: no update is done until somebody \
                             who knows is back.";
    FETCH = 48, "Normal", "A member has a longer log: ask it for the rest.";
    TELL_ENTRIES = 49, "Normal", "Somebody has a shorter log: send it the next part.";
    TAKE_ENTRIES = 50, "Normal", "A part of the log comes that follows one's own: put it in the log, and keep it.";
    RESEND = 51, "Normal", "Somebody has not answered for T: send it again.";
    SILENT = 52, "Normal", "Somebody is silent for the whole silence: go on without it.";
    KNOCK = 53, "Normal", "A member of the group did not answer: tell it how far the log goes, in case it hears.";
    ACKNOWLEDGE = 54, "Normal", "An update that was ordered here is in the log: it is acknowledged.";
    STOP = 55, "STOP", "i is no longer at work, or at work in another group: what is prepared stays in doubt.";
    COMPARE = 56, "Normal", "majority = false, and the log of another is not i's: tell it what i has.";
    TELL_LACKING = 57, "Normal", "majority = false, and somebody lacks updates: send it the next part, each with what it \
                                  builds on.";
    TAKE_LACKING = 58, "Normal", "majority = false, and a part comes that i lacks: put each update at its place in the \
                                  log, and keep it. No update is begun before the log is the union of all.";
    CONFLICT = 59, "Normal", "Some of them conflict with updates in the log, as neither builds on the other: list them.";
}

/// What a log of updates is like.
#[derive(Copy, Clone, Eq, PartialEq, Hash, Debug)]
pub struct LogShape {
    /// For how many updates it has room.
    pub updates_max: u32,
    /// Whether groups without a majority of all nodes put updates in it, so that updates may conflict.
    pub may_conflict: bool,
}

/// What its log is like. Without the majority rule, updates may conflict.
pub fn shape(settings: &Settings) -> LogShape {
    LogShape {
        updates_max: settings.number(LOG) as u32,
        may_conflict: settings.value(MAJORITY) == Some(&SettingValue::Flag(false)),
    }
}

pub const CARD: ApplicationCard = ApplicationCard {
    name: "updates",
    title: "Updates",
    paper: "Garcia-Molina 1982, section IV.B (restricted operations)",
    listing: LISTING,
    messages: &[
        "Report", "Request", "Refuse", "Prepare", "Yes", "No", "Commit", "Abort", "Ask", "Have", "Entries", "Known",
        "Lacking",
    ],
    periodic: &["Have"],
    settings: &[
        SettingCard {
            name: LOG,
            kind: SettingKind::Number { default: 1_024, most: |_| LOG_MAX as u64 },
            about: "for how many updates the log has room; when it is full, orders are refused",
        },
        SettingCard {
            name: ORDERS,
            kind: SettingKind::Number { default: 8, most: |_| 256 },
            about: "how many orders may wait at a process; another one is refused",
        },
        SettingCard {
            name: MAJORITY,
            kind: SettingKind::Flag { default: true },
            about: "whether only a group with a majority of all nodes does updates; else all groups do, and when they \
                    merge they list the updates that conflict",
        },
    ],
    orders: &["update"],
    demand: Demand::GivesOutTask,
    hearers: Hearers::Group,
    bystanders: 0,
    promises: &[Property::Majority, Property::AtomicCommit, Property::Progress],
    // Else two groups do updates at once. No process does what another aborts all the same: a coordinator alone decides,
    // and all whom it asks say yes.
    withholds: |_, of_lab| match of_lab.application() {
        Some((_, own)) if shape(own).may_conflict => &[Property::Majority],
        _ => &[],
    },
    // Neither time nor pauses: two-phase commit may block, but it does nothing wrong.
    needs: Assumption::first(7),
    needs_with: |_, _| &[],
    shards: |_| None,
    services: |_| None,
    section: |_| None,
};
