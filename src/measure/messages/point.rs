//! The points of the costs of a failover: an algorithm, a number of processes, and how the crash is noticed.
//!
//! Invariant: the algorithm's Card allows so many processes.

use protocol::{Card, Span};

/// By these messages the groups of Invitation find each other, until there is one.
const FINDS_BY: [&str; 2] = ["AreYouCoordinator", "AreYouCoordinatorAnswer"];

/// One point.
#[derive(Copy, Clone, Debug)]
pub struct FailoverPoint {
    /// The algorithm.
    pub card: Card,
    /// How many processes there are, the leader among them.
    pub nodes: u16,
    /// How the others notice its crash.
    pub noticing: Noticing,
}

/// How the processes that outlive the leader notice its crash.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
pub enum Noticing {
    /// All at one moment.
    AtOnce,
    /// Each at a moment of its own, within the time that one message may take.
    WithinAMessage,
    /// Each at a moment of its own, within the time that 4n messages take, one after another.
    Within4n,
}

impl Noticing {
    /// All of them.
    pub const ALL: [Noticing; 3] = [Noticing::AtOnce, Noticing::WithinAMessage, Noticing::Within4n];

    /// The word for it in a table.
    pub fn word(self) -> &'static str {
        match self {
            Noticing::AtOnce => "once",
            Noticing::WithinAMessage => "T",
            Noticing::Within4n => "4n",
        }
    }
}

impl FailoverPoint {
    /// The most that a message may take, one way, if T is so long.
    pub fn one_way(&self, t: Span) -> Span {
        self.card.t_bounds.one_way(t)
    }

    /// Whether messages of this kind are sent at every period whatever happens: questions whether somebody is alive.
    /// Invitation asks at every period too who coordinates, but that is how its groups find each other.
    pub fn is_periodic(&self, kind: &str) -> bool {
        self.card.periodic.contains(&kind) && !(self.card.name == "invitation" && FINDS_BY.contains(&kind))
    }

    /// Within how long the crash is noticed, if T is so long. A message takes half of its bound on average.
    pub fn noticed_within(&self, t: Span) -> Span {
        match self.noticing {
            Noticing::AtOnce => Span::ZERO,
            Noticing::WithinAMessage => self.one_way(t),
            Noticing::Within4n => self.one_way(t) * 2 * u64::from(self.nodes),
        }
    }
}
