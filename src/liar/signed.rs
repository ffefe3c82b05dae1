//! What a liar can make of the messages of section 5.3 of King, Gendreau and Ni 1988, where everything is signed.
//!
//! A liar has its own key, and no other one: it may sign two capacities, two lists, or a list without some names. What
//! it changes of another's words, and what it says in another's name, nobody takes.
//!
//! Invariant: what goes out under a liar's own name is truly signed by it, so that only the lie is wrong.

use std::sync::Arc;

use crate::election::king_ni::ElectionNumber;
use crate::election::king_ni::agreement::{
    Endorsement, ListDigest, Message, RelayedList, SignedInit, Word, part_bytes, sealed,
};
use crate::protocol::{Claimant, Deceit, Keyring, Lie, NodeId, NodeSet, Roster, Signature};

/// The capacity that a forged entry of a list gets.
const FORGED_CAPACITY: i64 = 1 << 20;

/// Stands in what is not signed yet.
const ANYBODY: NodeId = match NodeId::new(1) {
    Some(node) => node,
    None => panic!("1 is the number of a node"),
};

/// What nobody has signed.
const UNSIGNED: Signature = Signature { r: [0; 32], s: [0; 32] };

impl Deceit for Message {
    const LIES: &'static [Lie] =
        &[Lie::RandomValue, Lie::Equivocate, Lie::Claim, Lie::LongList, Lie::Bar, Lie::Collude];

    /// Of a list, how long it is.
    fn value(&self) -> Option<i64> {
        match self {
            Message::Init { init, .. } => Some(init.capacity),
            Message::Vect { relay, .. } => i64::try_from(relay.list.len()).ok(),
            Message::Part { .. } | Message::Word { .. } | Message::Watch { .. } => None,
        }
    }

    /// A list is cut to that length: names can be left out of it, and no capacity made up.
    fn with_value(self, value: i64, _: Roster) -> Self {
        match self {
            Message::Init { election, init } => {
                Message::Init { election, init: Arc::new(SignedInit { capacity: value, ..*init }) }
            }
            Message::Vect { election, relay } => {
                let mut relay = RelayedList::clone(&relay);
                relay.list.truncate(usize::try_from(value.max(1)).unwrap_or(usize::MAX));
                Message::Vect { election, relay: Arc::new(relay) }
            }
            other => other,
        }
    }

    /// Their inits are not theirs.
    fn with_names(self, names: NodeSet) -> Option<Self> {
        let Message::Vect { election, relay } = self else { return None };
        let mut relay = RelayedList::clone(&relay);
        relay.list.retain(|init| !names.contains(init.node));
        let forged = |node| SignedInit { node, capacity: FORGED_CAPACITY, signature: UNSIGNED };
        relay.list.extend(names.iter().map(forged));
        relay.list.sort_by_key(|init| init.node);
        Some(Message::Vect { election, relay: Arc::new(relay) })
    }

    fn naming(self, node: NodeId) -> Option<Self> {
        match self {
            Message::Word { word: Word::Ended { call, election, .. }, seal } => {
                Some(Message::Word { word: Word::Ended { call, election, master: Some(node) }, seal })
            }
            Message::Watch { message, seal } => message.naming(node).map(|message| Message::Watch { message, seal }),
            _ => None,
        }
    }

    fn number(&self) -> Option<u64> {
        match self {
            Message::Init { election, .. } | Message::Vect { election, .. } | Message::Part { election, .. } => {
                Some(election.0)
            }
            Message::Word { word: Word::Ask { .. }, .. } => None,
            Message::Word {
                word: Word::Elected { election } | Word::UnderWay { election, .. } | Word::Ended { election, .. },
                ..
            } => Some(election.0),
            Message::Watch { message, .. } => message.number(),
        }
    }

    fn claims(claimant: &Claimant) -> Vec<Self> {
        vec![Word::Elected { election: ElectionNumber(claimant.number) }.into()]
    }

    /// Whoever signs it stands in it.
    fn opening(number: u64, capacity: i64) -> Option<Self> {
        let init = SignedInit { node: ANYBODY, capacity, signature: UNSIGNED };
        Some(Message::Init { election: ElectionNumber(number), init: Arc::new(init) })
    }

    fn signed(self, keyring: &Keyring, me: NodeId, to: Option<NodeId>) -> Self {
        match self {
            Message::Init { election, init } if init.node == me || init.signature == UNSIGNED => {
                Message::Init { election, init: Arc::new(SignedInit::sign(keyring, election, me, init.capacity)) }
            }
            Message::Vect { election, relay } if relay.owner == me => {
                let mut relay = RelayedList::clone(&relay);
                let digest = ListDigest::of(&relay.list);
                relay.signatures = vec![Endorsement::sign(keyring, election, me, digest, me)];
                Message::Vect { election, relay: Arc::new(relay) }
            }
            Message::Part { election, part } => {
                let mut part = (*part).clone();
                part.seal = keyring.sign(&part_bytes(election, &part));
                Message::Part { election, part: Arc::new(part) }
            }
            // What goes to all is sealed for all, whether one datagram bears it or one for each.
            message @ Message::Word { word: Word::Elected { .. } | Word::Ask { .. }, .. } => {
                sealed(message, keyring, None)
            }
            message => sealed(message, keyring, to),
        }
    }
}
