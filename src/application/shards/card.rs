//! What the shards say of themselves, and what they do in our words (Garcia-Molina 1982, section II: the task
//! definition, and a fixed task that is delayed until Normal).
//!
//! Invariant: the machine cites every line of the listing and no other.

use protocol::{
    ApplicationCard, Assumption, ComputingGroups, Demand, Hearers, Property, SHARDS_MAX, SettingCard, SettingKind,
    Settings, ShardFacts,
};

/// How many shards there are.
pub const SHARDS: &str = "shards";
/// How many numbers a shard has.
pub const NUMBERS: &str = "numbers";
/// How long a process takes for a shard, in milliseconds.
pub const PACE_MS: &str = "pace_ms";
/// Whether a group without a majority of all nodes computes.
pub const GROUPS: &str = "groups";
/// The word of [`GROUPS`] with which it does not.
pub const MAJORITY: &str = "majority";

listing! {
    REPORT = 1, "Reorganization", "A member joins: take what it has computed, and keep it.";
    DIVIDE = 2, "Reorganization", "i gives out the task: divide the shards that are left among the group, in turn.";
    DIVIDE_AGAIN = 3, "Normal", "A member has shards out and is silent for the whole silence: divide what is left among \
                                 the others, in a new round.";
    MINORITY = 4, "Normal", "The group has no majority of all nodes: nobody computes.";
    TAKE = 5, "Normal", "The definition of the coordinator comes: take one's own shards of it.";
    COMPUTE = 6, "Normal", "The time for a shard is over: count its primes, keep the result, tell the coordinator.";
    COLLECT = 7, "Normal", "Results of a member come: keep them, and say so.";
    TELL_AGAIN = 8, "Normal", "The coordinator has not said that it keeps some results: tell them again.";
    KEPT = 9, "Normal", "The coordinator keeps them: they need not be told again.";
    STOP = 10, "STOP", "i is no longer at work, or at work in another group: its shards are no longer its own.";
}

/// What these settings say.
pub fn facts(settings: &Settings) -> ShardFacts {
    let groups = match settings.word(GROUPS) {
        MAJORITY => ComputingGroups::WithMajority,
        _ => ComputingGroups::All,
    };
    ShardFacts { shards: settings.number(SHARDS) as u16, numbers: settings.number(NUMBERS), groups }
}

pub const CARD: ApplicationCard = ApplicationCard {
    name: "shards",
    title: "Shards",
    paper: "Garcia-Molina 1982, section II (the task definition d)",
    listing: LISTING,
    messages: &["Report", "Definition", "Results", "Kept"],
    periodic: &["Results", "Kept"],
    settings: &[
        SettingCard {
            name: SHARDS,
            kind: SettingKind::Number { default: SHARDS_MAX as u64, most: |_| SHARDS_MAX as u64 },
            about: "how many shards the computation has",
        },
        SettingCard {
            name: NUMBERS,
            kind: SettingKind::Number { default: 1_000, most: |_| 100_000 },
            about: "how many numbers a shard has: its result is the count of the primes among them",
        },
        SettingCard {
            name: PACE_MS,
            kind: SettingKind::Number { default: 100, most: |_| 60_000 },
            about: "how many milliseconds a process takes for a shard",
        },
        SettingCard {
            name: GROUPS,
            kind: SettingKind::Word(&[MAJORITY, "all"]),
            about: "which groups compute: those with a majority of all nodes, or all",
        },
    ],
    orders: &[],
    demand: Demand::GivesOutTask,
    hearers: Hearers::Group,
    bystanders: 0,
    promises: &[Property::Work],
    withholds: |_, _| &[],
    needs: Assumption::first(10),
    needs_with: |_, _| &[],
    shards: |settings| Some(facts(settings)),
    services: |_| None,
    section: |_| None,
};
