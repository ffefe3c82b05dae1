//! What a liar can make of the messages of King, Gendreau and Ni's algorithms.
//!
//! Invariant: a claim is what a master says of itself when it is elected.

use crate::king_ni::{ElectionNumber, a, b1, b2, c, succession, watch};
use protocol::{Claimant, Deceit, NodeId, NodeSet, Roster};

/// The capacity that a forged entry of a list gets.
pub(super) const FORGED_CAPACITY: i64 = 1 << 20;

impl Deceit for watch::Message {
    fn naming(self, node: NodeId) -> Option<Self> {
        match self {
            watch::Message::Claim(claim) => Some(watch::Message::Claim(watch::Claim { master: node, ..claim })),
            watch::Message::Ask { .. } | watch::Message::Answer(_) => None,
        }
    }

    fn number(&self) -> Option<u64> {
        match self {
            watch::Message::Ask { election, .. } => Some(election.0),
            watch::Message::Claim(claim) => Some(claim.election.0),
            watch::Message::Answer(_) => None,
        }
    }
}

impl Deceit for succession::Message {
    fn naming(self, node: NodeId) -> Option<Self> {
        match self {
            succession::Message::Ended { election, taken, .. } => {
                Some(succession::Message::Ended { election, master: Some(node), taken })
            }
            _ => None,
        }
    }

    fn number(&self) -> Option<u64> {
        let (succession::Message::Elected { election }
        | succession::Message::Ask { election }
        | succession::Message::UnderWay { election }
        | succession::Message::Ended { election, .. }) = self;
        Some(election.0)
    }

    fn claims(claimant: &Claimant) -> Vec<Self> {
        vec![succession::Message::Elected { election: ElectionNumber(claimant.number) }]
    }
}

impl Deceit for a::Message {
    fn value(&self) -> Option<i64> {
        match self {
            a::Message::Capacity { capacity, .. } => Some(*capacity),
            _ => None,
        }
    }

    fn with_value(self, value: i64, _: Roster) -> Self {
        match self {
            a::Message::Capacity { election, .. } => a::Message::Capacity { election, capacity: value },
            other => other,
        }
    }

    fn naming(self, node: NodeId) -> Option<Self> {
        match self {
            a::Message::Succession(message) => message.naming(node).map(a::Message::Succession),
            a::Message::Watch(message) => message.naming(node).map(a::Message::Watch),
            a::Message::Capacity { .. } | a::Message::Call { .. } => None,
        }
    }

    fn number(&self) -> Option<u64> {
        match self {
            a::Message::Capacity { election, .. } | a::Message::Call { election } => Some(election.0),
            a::Message::Succession(message) => message.number(),
            a::Message::Watch(message) => message.number(),
        }
    }

    fn claims(claimant: &Claimant) -> Vec<Self> {
        succession::Message::claims(claimant).into_iter().map(a::Message::Succession).collect()
    }

    fn opening(number: u64, _: i64) -> Option<Self> {
        Some(a::Message::Call { election: ElectionNumber(number) })
    }
}

impl Deceit for b1::Message {
    fn value(&self) -> Option<i64> {
        match self {
            b1::Message::Capacity { capacity, .. } => Some(*capacity),
            _ => None,
        }
    }

    fn with_value(self, value: i64, _: Roster) -> Self {
        match self {
            b1::Message::Capacity { election, .. } => b1::Message::Capacity { election, capacity: value },
            other => other,
        }
    }

    fn naming(self, node: NodeId) -> Option<Self> {
        match self {
            b1::Message::Ended { election, .. } => Some(b1::Message::Ended { election, master: Some(node) }),
            b1::Message::Watch(message) => message.naming(node).map(b1::Message::Watch),
            _ => None,
        }
    }

    fn number(&self) -> Option<u64> {
        match self {
            b1::Message::Capacity { election, .. }
            | b1::Message::Elected { election }
            | b1::Message::Ask { election }
            | b1::Message::UnderWay { election }
            | b1::Message::Ended { election, .. } => Some(election.0),
            b1::Message::Watch(message) => message.number(),
        }
    }

    fn claims(claimant: &Claimant) -> Vec<Self> {
        vec![b1::Message::Elected { election: ElectionNumber(claimant.number) }]
    }

    fn opening(number: u64, capacity: i64) -> Option<Self> {
        Some(b1::Message::Capacity { election: ElectionNumber(number), capacity })
    }
}

impl Deceit for b2::Message {
    /// Of a list, how long it is.
    fn value(&self) -> Option<i64> {
        match self {
            b2::Message::Init { capacity, .. } => Some(*capacity),
            b2::Message::Vect { list: b2::List::Full(entries), .. } => i64::try_from(entries.len()).ok(),
            b2::Message::Vect { list: b2::List::Length(length), .. } => Some(i64::from(*length)),
            b2::Message::Succession(_) | b2::Message::Watch(_) => None,
        }
    }

    /// A list is cut to that length; one that is to be longer tells another capacity for each process.
    fn with_value(self, value: i64, roster: Roster) -> Self {
        match self {
            b2::Message::Init { election, .. } => b2::Message::Init { election, capacity: value },
            b2::Message::Vect { election, list } => {
                let length = usize::from(u16::try_from(value.max(0)).unwrap_or(u16::MAX).min(4 * roster.len()));
                let list = match list {
                    b2::List::Full(entries) if length <= entries.len() => b2::List::Full(entries[..length].into()),
                    b2::List::Full(entries) => {
                        b2::List::Full(entries.iter().map(|(node, capacity)| (*node, capacity ^ 1)).collect())
                    }
                    b2::List::Length(_) => b2::List::Length(length as u16),
                };
                b2::Message::Vect { election, list }
            }
            other => other,
        }
    }

    fn with_names(self, names: NodeSet) -> Option<Self> {
        match self {
            b2::Message::Vect { election, list: b2::List::Full(entries) } => {
                let forged = names.iter().map(|name| (name, FORGED_CAPACITY));
                let list = b2::List::Full(forged.chain(entries.iter().copied()).collect());
                Some(b2::Message::Vect { election, list })
            }
            b2::Message::Vect { election, list: b2::List::Length(length) } => {
                let list = b2::List::Length(length.saturating_add(names.len() as u16 + 1));
                Some(b2::Message::Vect { election, list })
            }
            _ => None,
        }
    }

    fn naming(self, node: NodeId) -> Option<Self> {
        match self {
            b2::Message::Vect { election, list: b2::List::Full(entries) } => {
                let forged = std::iter::once((node, FORGED_CAPACITY));
                let list = b2::List::Full(forged.chain(entries.iter().copied()).collect());
                Some(b2::Message::Vect { election, list })
            }
            b2::Message::Succession(message) => message.naming(node).map(b2::Message::Succession),
            b2::Message::Watch(message) => message.naming(node).map(b2::Message::Watch),
            b2::Message::Init { .. } | b2::Message::Vect { .. } => None,
        }
    }

    fn number(&self) -> Option<u64> {
        match self {
            b2::Message::Init { election, .. } | b2::Message::Vect { election, .. } => Some(election.0),
            b2::Message::Succession(message) => message.number(),
            b2::Message::Watch(message) => message.number(),
        }
    }

    fn claims(claimant: &Claimant) -> Vec<Self> {
        succession::Message::claims(claimant).into_iter().map(b2::Message::Succession).collect()
    }

    fn opening(number: u64, capacity: i64) -> Option<Self> {
        Some(b2::Message::Init { election: ElectionNumber(number), capacity })
    }
}

impl Deceit for c::Message {
    fn value(&self) -> Option<i64> {
        match self {
            c::Message::Init { capacity, .. } => Some(*capacity),
            c::Message::Elected { capacity, .. } => *capacity,
            _ => None,
        }
    }

    fn with_value(self, value: i64, _: Roster) -> Self {
        match self {
            c::Message::Init { election, .. } => c::Message::Init { election, capacity: value },
            c::Message::Elected { election, round, .. } => {
                c::Message::Elected { election, round, capacity: Some(value) }
            }
            other => other,
        }
    }

    fn with_names(self, names: NodeSet) -> Option<Self> {
        match (self, names.highest()) {
            (c::Message::Dup { election, round, k, .. }, Some(node)) => {
                Some(c::Message::Dup { election, round, k, l: c::Name { node, capacity: Some(FORGED_CAPACITY) } })
            }
            _ => None,
        }
    }

    fn naming(self, node: NodeId) -> Option<Self> {
        match self {
            c::Message::Dup { election, round, k, .. } => {
                Some(c::Message::Dup { election, round, k, l: c::Name { node, capacity: Some(FORGED_CAPACITY) } })
            }
            c::Message::Watch(message) => message.naming(node).map(c::Message::Watch),
            _ => None,
        }
    }

    fn number(&self) -> Option<u64> {
        match self {
            c::Message::Init { election, .. }
            | c::Message::Elected { election, .. }
            | c::Message::Dup { election, .. }
            | c::Message::Ask { election } => Some(election.0),
            c::Message::Watch(message) => message.number(),
        }
    }

    /// To the letter rounds have no number; mended, a round beyond all that were begins anew for all.
    fn claims(claimant: &Claimant) -> Vec<Self> {
        let (election, round) = (ElectionNumber(claimant.number), claimant.claims.saturating_add(1));
        vec![c::Message::Elected { election, round, capacity: Some(FORGED_CAPACITY) }]
    }

    fn opening(number: u64, capacity: i64) -> Option<Self> {
        Some(c::Message::Init { election: ElectionNumber(number), capacity })
    }
}
