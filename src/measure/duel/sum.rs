//! What the bouts of one algorithm come to.
//!
//! Invariant: it does not depend on the order of the bouts.

use std::ops::AddAssign;

use serde::{Deserialize, Serialize};

use super::super::Sample;
use super::bout::Bout;

/// What is compared; less is better.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
pub enum Compared {
    /// Messages sent; a broadcast is one.
    Messages,
    /// The bytes of their bodies.
    Bytes,
    /// Elections: each process's way through one.
    Elections,
    /// Rounds of an election, where capacities decide.
    Rounds,
    /// From a disturbance until all agree, on average, in microseconds.
    AgreedAfter,
    /// The same, the longest.
    AgreedAfterMost,
    /// How long nobody coordinated, in microseconds.
    WithoutCoordinator,
    /// How long two states contradicted each other, in microseconds.
    Unsafe,
}

impl Compared {
    /// All of them, in the order of the rows.
    pub const ALL: [Compared; 8] = [
        Compared::Messages,
        Compared::Bytes,
        Compared::Elections,
        Compared::Rounds,
        Compared::AgreedAfter,
        Compared::AgreedAfterMost,
        Compared::WithoutCoordinator,
        Compared::Unsafe,
    ];

    /// Its name and its field in CSV; times are shown in milliseconds.
    pub fn names(self) -> (&'static str, &'static str) {
        match self {
            Compared::Messages => ("messages", "messages"),
            Compared::Bytes => ("bytes", "bytes"),
            Compared::Elections => ("processes in elections", "processes_in_elections"),
            Compared::Rounds => ("rounds of an election", "rounds"),
            Compared::AgreedAfter => ("agreed after, ms", "agreed_after_ms"),
            Compared::AgreedAfterMost => ("agreed after at most, ms", "agreed_after_at_most_ms"),
            Compared::WithoutCoordinator => ("no coordinator, ms", "without_coordinator_ms"),
            Compared::Unsafe => ("contradictions, ms", "unsafe_ms"),
        }
    }

    /// By how much an observed number is larger than the shown one.
    pub fn scale(self) -> f64 {
        match self {
            Compared::Messages | Compared::Bytes | Compared::Elections | Compared::Rounds => 1.0,
            Compared::AgreedAfter | Compared::AgreedAfterMost | Compared::WithoutCoordinator | Compared::Unsafe => 1e3,
        }
    }

    /// What the bout says of it, if it does.
    fn of(self, Bout { figures, without_coordinator }: &Bout) -> Option<u64> {
        let micros = |nanos: u64| nanos / 1_000;
        match self {
            Compared::Messages => Some(figures.messages),
            Compared::Bytes => Some(figures.bytes),
            Compared::Elections => Some(figures.elections),
            Compared::Rounds => figures.rounds.checked_div(figures.ends),
            Compared::AgreedAfter => figures.agreed_after.nanos().checked_div(figures.agreements).map(micros),
            Compared::AgreedAfterMost => (figures.agreements > 0).then(|| micros(figures.agreed_after_max.nanos())),
            Compared::WithoutCoordinator => Some(micros(without_coordinator.nanos())),
            Compared::Unsafe => Some(micros(figures.unsafe_for.nanos())),
        }
    }
}

/// Bouts of one algorithm, added up.
#[derive(Clone, Default, Eq, PartialEq, Debug, Serialize, Deserialize)]
pub struct DuelSum {
    /// How many there were.
    pub held: u64,
    /// In how many of them not all steps of the lab were taken; they do not count.
    pub cut_short: u64,
    /// In the order of [`Compared::ALL`].
    samples: [Sample; 8],
}

impl DuelSum {
    /// One more bout.
    pub fn add(&mut self, bout: Option<&Bout>) {
        self.held += 1;
        let Some(bout) = bout else {
            self.cut_short += 1;
            return;
        };
        for (sample, compared) in self.samples.iter_mut().zip(Compared::ALL) {
            compared.of(bout).into_iter().for_each(|value| sample.add(value));
        }
    }

    /// What it says of this.
    pub fn sample(&self, compared: Compared) -> &Sample {
        &self.samples[compared as usize]
    }
}

impl AddAssign for DuelSum {
    fn add_assign(&mut self, other: DuelSum) {
        self.held += other.held;
        self.cut_short += other.cut_short;
        self.samples.iter_mut().zip(other.samples).for_each(|(sample, other)| *sample += other);
    }
}
