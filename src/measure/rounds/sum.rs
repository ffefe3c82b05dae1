//! What the elections of one point come to: rounds, and failures, each kind for itself.
//!
//! Invariant: it does not depend on the order of the elections.

use std::ops::AddAssign;

use serde::{Deserialize, Serialize};

use super::super::Sample;
use super::election::{ElectionEnd, ElectionTurn};

/// Elections of one point, added up.
#[derive(Copy, Clone, Default, Eq, PartialEq, Debug, Serialize, Deserialize)]
pub struct RoundsSum {
    /// How many elections were held.
    pub held: u64,
    /// How many ended with one master that all name.
    pub good: u64,
    /// The rounds where the first election ended with a master.
    pub first: Sample,
    /// The rounds where a later one did.
    pub later: Sample,
    /// How many ended without a master. An election may have failed in several ways.
    pub no_master: u64,
    /// With several masters.
    pub several: u64,
    /// With a process that names a master that is none.
    pub misled: u64,
    /// With a process that asks for help.
    pub in_help: u64,
    /// With a process that has heard of no election.
    pub never_heard: u64,
}

impl RoundsSum {
    /// One more election was held.
    pub fn add(&mut self, end: &ElectionEnd) {
        self.held += 1;
        self.good += u64::from(end.is_good);
        if let Some(rounds) = end.rounds {
            match end.turn {
                ElectionTurn::First => self.first.add(rounds),
                ElectionTurn::Later => self.later.add(rounds),
            }
        }
        self.no_master += u64::from(end.masters == 0);
        self.several += u64::from(end.masters > 1);
        self.misled += u64::from(end.misled > 0);
        self.in_help += u64::from(end.in_help > 0);
        self.never_heard += u64::from(end.never_heard > 0);
    }
}

impl AddAssign for RoundsSum {
    fn add_assign(&mut self, other: RoundsSum) {
        self.held += other.held;
        self.good += other.good;
        self.first += other.first;
        self.later += other.later;
        self.no_master += other.no_master;
        self.several += other.several;
        self.misled += other.misled;
        self.in_help += other.in_help;
        self.never_heard += other.never_heard;
    }
}
