//! What the service says of itself, and what it does in our words (King, Gendreau and Ni 1988, section 7, items 1, 2 and
//! 4).
//!
//! Invariant: the machine cites every line of the listing and no other.

use protocol::{
    ApplicationCard, Assumption, Demand, Hearers, Property, ServiceFacts, SettingCard, SettingKind, Settings,
};

/// How many parts a service has.
pub const PARTS: &str = "parts";
/// How many numbers a part has.
pub const NUMBERS: &str = "numbers";
/// How long a part takes, in milliseconds.
pub const PACE_MS: &str = "pace_ms";
/// What a service in hand takes from its server's capacity.
pub const SERVICE_LOAD: &str = "service_load";
/// Which process computes for itself all the time.
pub const BUSY: &str = "busy";

listing! {
    ELECT = 0, "election", "The application has begun an election at i.";
    ASK = 1, "request", "A user asks for a service, and i begins an election for it; or it waits for the one before it.";
    ASK_MASTER = 2, "request", "The service for i's user is not finished: tell the master of it. After a check period do so again.";
    MASTERLESS = 3, "request", "It is not finished, and nobody is master: begin an election.";
    TELL = 4, "master", "i has been elected, and after T all know that: ask what is under way.";
    ANSWER = 5, "member", "The new master asks: tell it all accounts.";
    TAKE_UP = 6, "master", "Nobody serves this one, or its server has not answered: i takes it up where its account ends.";
    GO_ON = 13, "master", "All have had their time to answer: tell all the newest accounts, so that their servers go on.";
    ANOTHER = 12, "master", "One more service has no server: begin an election for it.";
    PART = 7, "server", "The time for a part is over: do it, keep the account, tell all.";
    FINISH = 8, "server", "That was the last part.";
    LEARN = 9, "member", "A newer account of a service comes: keep it.";
    STOP = 10, "server", "By the newer account another serves it: i serves it no more.";
    SILENT = 11, "master", "A server has told nothing of a service at four looks, a check period and a part apart: begin an election.";
}

/// What these settings say.
pub fn facts(settings: &Settings) -> ServiceFacts {
    let number = |name| settings.number(name) as u32;
    ServiceFacts { parts: number(PARTS).max(1) as u16, numbers: number(NUMBERS), pace_ms: number(PACE_MS) }
}

pub const CARD: ApplicationCard = ApplicationCard {
    name: "service",
    title: "Service",
    paper: "King, Gendreau and Ni 1988, section 7, items 1, 2 and 4",
    listing: LISTING,
    messages: &["Ask", "Tell", "Log"],
    periodic: &["Ask"],
    settings: &[
        SettingCard {
            name: PARTS,
            kind: SettingKind::Number { default: 5, most: |_| 1_000 },
            about: "How many parts a service has, at least one.",
        },
        SettingCard {
            name: NUMBERS,
            kind: SettingKind::Number { default: 1_000, most: |_| 100_000 },
            about: "How many numbers a part has: its result is the count of the primes among them.",
        },
        SettingCard {
            name: PACE_MS,
            kind: SettingKind::Number { default: 200, most: |_| 10_000 },
            about: "How many milliseconds a part takes.",
        },
        SettingCard {
            name: SERVICE_LOAD,
            kind: SettingKind::Number { default: 0, most: |_| 1_000_000 },
            about: "What each service that a process serves takes from its capacity.",
        },
        SettingCard {
            name: BUSY,
            kind: SettingKind::Number { default: 0, most: |nodes| nodes as u64 },
            about: "Which process computes for itself all the time; 0 is none.",
        },
    ],
    orders: &["request"],
    demand: Demand::ElectsByCapacity,
    hearers: Hearers::Group,
    bystanders: 0,
    promises: &[Property::Service, Property::Progress],
    withholds: |_, _| &[],
    // An account is only what the safe cells keep of it, and is believed as it comes. Who serves, and for whom, is
    // decided by elections.
    needs: Assumption::first(6),
    needs_with: |card, _| card.needs,
    shards: |_| None,
    services: |settings| Some(facts(settings)),
    section: |_| None,
};
