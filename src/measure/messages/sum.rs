//! What the failovers of one point come to.
//!
//! Invariant: it does not depend on the order of the failovers.

use std::ops::AddAssign;

use serde::{Deserialize, Serialize};

use super::super::Sample;
use super::failover::Failover;
use super::follow::Kinds;

/// Failovers of one point, added up.
#[derive(Clone, Default, Eq, PartialEq, Debug, Serialize, Deserialize)]
pub struct MessagesSum {
    /// How many failovers there were.
    pub held: u64,
    /// The messages of those after which all agreed.
    pub sent: Sample,
    /// The same, by kind.
    pub kinds: Kinds,
    /// The messages of each period until all agreed.
    pub periodic: Sample,
    /// The messages of the elections that had begun when the next in rank began one, and of this one.
    pub early: Sample,
    /// The messages of the steady state, in [`super::failover::STEADY`] check periods.
    pub steady: Sample,
    /// How long after the crash all agreed, in microseconds.
    pub agreed_after_us: Sample,
}

impl MessagesSum {
    /// One more failover happened.
    pub fn add(&mut self, failover: Option<&Failover>) {
        self.held += 1;
        let Some(failover) = failover else { return };
        self.sent.add(failover.sent.values().sum());
        self.add_kinds(&failover.sent);
        self.periodic.add(failover.periodic);
        self.steady.add(failover.steady);
        self.agreed_after_us.add(failover.agreed_after.nanos() / 1_000);
        if let Some(early) = failover.early {
            self.early.add(early);
        }
    }

    fn add_kinds(&mut self, kinds: &Kinds) {
        for (kind, count) in kinds {
            *self.kinds.entry(kind.clone()).or_default() += count;
        }
    }
}

impl AddAssign for MessagesSum {
    fn add_assign(&mut self, other: MessagesSum) {
        self.held += other.held;
        self.sent += other.sent;
        self.add_kinds(&other.kinds);
        self.periodic += other.periodic;
        self.early += other.early;
        self.steady += other.steady;
        self.agreed_after_us += other.agreed_after_us;
    }
}
