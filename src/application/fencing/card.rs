//! What fencing says of itself, and what it does in our words (this lab's; what it shows is known to every practitioner).
//!
//! Invariant: the machine cites every line of the listing and no other.

use protocol::{
    ApplicationCard, Assumption, Card, CoordinatorNumbers, Demand, ERRATA, Hearers, Property, SettingCard, SettingKind,
    SettingValue, Settings,
};

/// Whether the resource refuses lower numbers.
pub const FENCE: &str = "fence";
/// How long a coordinator waits before a write, in milliseconds.
pub const PACE_MS: &str = "pace_ms";

listing! {
    BEGIN = 1, "Normal", "i coordinates: its term begins. Its number is that of its election, else of its group, else of \
                          its task.";
    READ = 2, "write", "The pace is over: ask the resource for its content.";
    WRITE = 3, "write", "The content comes: send the content + 1, with the number of the term.";
    LANDED = 4, "write", "The resource says that the write has landed: wait for the pace.";
    REFUSED = 5, "write", "The resource says that it has refused the write: wait for the pace.";
    AGAIN = 6, "write", "The resource is silent for the whole silence: begin the write anew.";
    STOP = 7, "STOP", "i no longer coordinates in Normal, or has another number: it drops a write that it is in the \
                       midst of.";
    TELL = 8, "resource", "A reader asks: tell it the content.";
    LAND = 9, "resource", "A write comes: its value is the content from now on. Keep that, and the highest number.";
    REFUSE = 10, "resource", "fence = true, and a write comes with a lower number than the highest: refuse it.";
}

/// What these settings say.
pub fn is_fenced(settings: &Settings) -> bool {
    settings.flag(FENCE)
}

/// Whether a late write is kept out by its number. A lab to the letter of its paper may have no numbers.
fn is_kept_out(card: &Card, of_lab: &Settings) -> bool {
    let is_fenced = of_lab.application().is_some_and(|(_, own)| is_fenced(own));
    let is_mended = of_lab.value(ERRATA).is_none_or(|errata| *errata == SettingValue::Flag(true));
    matches!(card.numbers, CoordinatorNumbers::Rise(_)) && is_fenced && is_mended
}

pub const CARD: ApplicationCard = ApplicationCard {
    name: "fencing",
    title: "Fencing",
    paper: "this lab, on Garcia-Molina 1982, section II (assumption 9), and King, Gendreau and Ni 1988",
    listing: LISTING,
    messages: &["Read", "Content", "Write", "Written", "Refused"],
    periodic: &["Read", "Content", "Write", "Written"],
    settings: &[
        SettingCard {
            name: FENCE,
            kind: SettingKind::Flag { default: true },
            about: "whether the resource refuses a write with a lower number than the highest that has landed",
        },
        SettingCard {
            name: PACE_MS,
            kind: SettingKind::Number { default: 500, most: |_| 60_000 },
            about: "how many milliseconds a coordinator waits before its first write and between two writes",
        },
    ],
    orders: &[],
    demand: Demand::NumbersCoordinators,
    hearers: Hearers::Group,
    bystanders: 1,
    promises: &[Property::Fencing],
    // Else only the assumptions of the algorithm keep an older coordinator from writing, and some algorithms allow two
    // coordinators at once; and numbers that do not rise let the fence refuse a newer one.
    withholds: |card, of_lab| if is_kept_out(card, of_lab) { &[] } else { &[Property::Fencing] },
    // Such numbers are there for pauses, so a pause excuses nothing behind them.
    needs: Assumption::first(8),
    // Without them only the election keeps an older coordinator from writing.
    needs_with: |card, of_lab| if is_kept_out(card, of_lab) { &[] } else { card.needs },
    shards: |_| None,
    services: |_| None,
    section: |_| None,
};
