//! What the judge counts: how often each property was due and held, and the figures of a lab.
//!
//! A property of two states of one cut is due at each new state that is compared with the others; a property of the end
//! of an election at each end; unique group numbers at each new group; a property of quiet when quiet has lasted for
//! the bound, and after each change while it lasts. If a quiet lasts for one election or longer but not for the whole
//! bound, a property of quiet is unknown.
//!
//! Invariant: sums of tallies and figures do not depend on the order of the summands; due = held + broken.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::AddAssign;

use serde::{Deserialize, Serialize};

use protocol::{Property, Span};

/// How often one property was judged, with each outcome.
#[derive(Copy, Clone, Default, Eq, PartialEq, Debug, Serialize, Deserialize)]
pub struct Tally {
    /// Was judged while all assumptions held that the algorithm needs for it.
    pub due: u64,
    /// Of these, it held.
    pub held: u64,
    /// Of these, it did not: a bug, or a hole of the paper.
    pub broken: u64,
    /// Was broken, and so was an assumption, by a fault or by this computer.
    pub excused: u64,
    /// Was broken while all assumptions held, and with the lab's settings the algorithm does not promise it.
    pub unpromised: u64,
    /// Unknown: records are missing, or the quiet was over too soon.
    pub unknown: u64,
}

impl Tally {
    /// Whether the property was never judged, so that nothing is known of it.
    pub fn is_never_due(&self) -> bool {
        self.due + self.excused + self.unpromised == 0
    }
}

/// As a sentence's end: `due 12 times, held 12 times; besides violated and excused once`.
impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let times = |count: u64| if count == 1 { "once".to_owned() } else { format!("{count} times") };
        if self.is_never_due() {
            f.write_str("never due")?;
        } else if self.due > 0 {
            write!(f, "due {}, held {}", times(self.due), times(self.held))?;
        }
        if self.broken > 0 {
            write!(f, ", violated without an excuse {}", times(self.broken))?;
        }
        // These are not among the times at which it was due.
        let besides = [
            (self.excused, "violated and excused"),
            (self.unpromised, "violated and not promised with these settings"),
            (self.unknown, "unknown"),
        ];
        let mut between = if self.due > 0 {
            "; besides "
        } else if self.is_never_due() {
            ", "
        } else {
            ""
        };
        for (count, what) in besides.into_iter().filter(|(count, _)| *count > 0) {
            write!(f, "{between}{what} {}", times(count))?;
            between = ", ";
        }
        Ok(())
    }
}

impl AddAssign for Tally {
    fn add_assign(&mut self, other: Tally) {
        self.due += other.due;
        self.held += other.held;
        self.broken += other.broken;
        self.excused += other.excused;
        self.unpromised += other.unpromised;
        self.unknown += other.unknown;
    }
}

/// The outcomes of each property that an algorithm promises.
#[derive(Clone, Default, Eq, PartialEq, Debug, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Tallies(BTreeMap<Property, Tally>);

impl Tallies {
    /// These properties, not judged yet.
    pub fn of(properties: &[Property]) -> Tallies {
        Tallies(properties.iter().map(|property| (*property, Tally::default())).collect())
    }

    /// One property's.
    pub fn get(&self, property: Property) -> Tally {
        self.0.get(&property).copied().unwrap_or_default()
    }

    /// Each property with its own, in the order of the properties.
    pub fn iter(&self) -> impl Iterator<Item = (Property, Tally)> + '_ {
        self.0.iter().map(|(property, tally)| (*property, *tally))
    }

    /// The tally of a property, which begins at nothing.
    pub fn of_property(&mut self, property: Property) -> &mut Tally {
        self.0.entry(property).or_default()
    }
}

impl AddAssign<&Tallies> for Tallies {
    fn add_assign(&mut self, other: &Tallies) {
        for (property, tally) in other.iter() {
            *self.of_property(property) += tally;
        }
    }
}

impl AddAssign for Tallies {
    fn add_assign(&mut self, other: Tallies) {
        *self += &other;
    }
}

/// A lab in figures, kept from its records.
#[derive(Copy, Clone, Default, Eq, PartialEq, Debug, Serialize, Deserialize)]
pub struct Figures {
    /// How long two states that contradict each other stood, by the shared clock.
    pub unsafe_for: Span,
    /// How many elections there were: each machine's way through one, to Normal or to giving up, counts.
    pub elections: u64,
    /// Messages sent, one for each receiver; a broadcast is one.
    pub messages: u64,
    /// The bytes of their bodies, as far as the records tell them.
    pub bytes: u64,
    /// Elections that ended with a master, where elections have an end, and the rounds they took together.
    pub ends: u64,
    /// See [`Figures::ends`].
    pub rounds: u64,
    /// Where elections have an end, the running processes that ask for help as the lab ends.
    #[serde(default)]
    pub in_help: u64,
    /// Where elections have an end, those that have heard of none since they started.
    #[serde(default)]
    pub never_heard: u64,
    /// How often all running processes came to agree (Normal under one that runs) after something had disturbed them.
    pub agreements: u64,
    /// The total time of these, since the disturbance.
    pub agreed_after: Span,
    /// The longest of these times.
    pub agreed_after_max: Span,
}

impl AddAssign for Figures {
    fn add_assign(&mut self, other: Figures) {
        self.unsafe_for = self.unsafe_for + other.unsafe_for;
        self.elections += other.elections;
        self.messages += other.messages;
        self.bytes += other.bytes;
        self.ends += other.ends;
        self.rounds += other.rounds;
        self.in_help += other.in_help;
        self.never_heard += other.never_heard;
        self.agreements += other.agreements;
        self.agreed_after = self.agreed_after + other.agreed_after;
        self.agreed_after_max = self.agreed_after_max.max(other.agreed_after_max);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_not_due_stands_besides() {
        let told = |tally: Tally| tally.to_string();
        let due = Tally { due: 16, held: 15, broken: 1, ..Tally::default() };
        assert_eq!(told(due), "due 16 times, held 15 times, violated without an excuse once");
        let besides = "due 16 times, held 15 times, violated without an excuse once; besides violated and excused once, \
                       unknown 2 times";
        assert_eq!(told(Tally { excused: 1, unknown: 2, ..due }), besides);
        let excused = Tally { excused: 2, unknown: 1, ..Tally::default() };
        assert_eq!(told(excused), "violated and excused 2 times, unknown once");
        assert_eq!(told(Tally { unknown: 1, ..Tally::default() }), "never due, unknown once");
        assert_eq!(told(Tally::default()), "never due");
    }
}
