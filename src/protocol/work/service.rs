//! A service that a user has asked for, as messages, safe cells, panels and the judge name it (King, Gendreau and Ni 1988,
//! section 7, items 1, 2 and 4).
//!
//! Invariant: of two accounts of one service the larger is the newer, and everybody keeps that one.

use serde::{Deserialize, Serialize};

use crate::{NodeId, NodeSet, OrderId, Span, TaskId, prime_count};

/// How far a service is. The order of the fields is that of the accounts: a service of one asker follows the one before
/// it; of one service more parts are newer; and of equally many the one that was taken up later is.
#[derive(Copy, Clone, Eq, PartialEq, Ord, PartialOrd, Hash, Debug, Serialize, Deserialize)]
pub struct ServiceLog {
    /// Which service.
    pub id: OrderId,
    /// How many of its parts are done.
    pub done: u16,
    /// How often it has been taken up.
    pub turn: u32,
    /// Who took it up last; nobody at first.
    pub server: Option<NodeId>,
    /// What these parts have come to: how many primes they hold.
    pub primes: u32,
}

/// What a process does for its users and for those of others.
#[derive(Clone, Default, Eq, PartialEq, Hash, Debug, Serialize, Deserialize)]
pub struct ServiceWork {
    /// The service for its own user, while that is under way.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub asked: Option<ServiceLog>,
    /// How many more requests of its users wait behind that one.
    pub waiting: u32,
    /// Whose services it serves.
    pub serves: NodeSet,
    /// How many services it has finished.
    pub finished: u32,
    /// The part that it did last, and for which group.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub part: Option<DonePart>,
}

/// One part of a service that a process has done.
#[derive(Copy, Clone, Eq, PartialEq, Hash, Debug, Serialize, Deserialize)]
pub struct DonePart {
    /// Of which service.
    pub id: OrderId,
    /// Which, from 1.
    pub part: u16,
    /// How many primes it holds.
    pub primes: u32,
    /// The task at which the process was.
    pub task: TaskId,
    /// How many parts the process has done since its start, with this one.
    pub times: u32,
}

/// A server is silent when it has told nothing for so many looks of the master, a check period and a part apart.
pub const SILENT_LOOKS: u8 = 3;

/// What the judge must know of services.
#[derive(Copy, Clone, Eq, PartialEq, Hash, Debug, Serialize, Deserialize)]
pub struct ServiceFacts {
    /// How many parts each has.
    pub parts: u16,
    /// How many numbers a part has.
    pub numbers: u32,
    /// How long a part takes, in milliseconds.
    pub pace_ms: u32,
}

impl ServiceFacts {
    /// After so long at most a master that checks so often finds a server silent: its next look is the first.
    pub fn found_silent(self, check: Span) -> Span {
        (check + Span::from_millis(u64::from(self.pace_ms))) * (u64::from(SILENT_LOOKS) + 1)
    }

    /// The primes of the part with this number, from 1.
    pub fn primes_of(self, part: u16) -> u32 {
        let numbers = u64::from(self.numbers);
        prime_count(u64::from(part.saturating_sub(1)) * numbers..u64::from(part) * numbers)
    }
}
