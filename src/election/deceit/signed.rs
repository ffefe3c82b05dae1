//! What a liar can make of the messages of section 5.3 of King, Gendreau and Ni 1988, where everything is signed.
//!
//! A liar has its own key, and no other one: it may sign two capacities, two lists, or a list without some names. What
//! it changes of another's words, and what it says in another's name, nobody takes.
//!
//! Invariant: what goes out under a liar's own name is truly signed by it, so that only the lie is wrong.

use std::sync::Arc;

use super::king_ni::FORGED_CAPACITY;
use crate::king_ni::ElectionNumber;
use crate::king_ni::agreement::{
    Endorsement, ITEMS_MAX, ListDigest, Message, RelayedList, SignedInit, Word, part_bytes, sealed,
};
use protocol::{Claimant, Deceit, Keyring, NodeId, NodeSet, Roster, Signature};

/// Stands in what is not signed yet.
const ANYBODY: NodeId = match NodeId::new(1) {
    Some(node) => node,
    None => panic!("1 is the number of a node"),
};

/// What nobody has signed.
const UNSIGNED: Signature = Signature { r: [0; 32], s: [0; 32] };

impl Deceit for Message {
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

    /// The inits are not theirs.
    fn with_names(self, names: NodeSet) -> Option<Self> {
        let Message::Vect { election, relay } = self else { return None };
        let mut relay = RelayedList::clone(&relay);
        relay.list.retain(|init| !names.contains(init.node));
        let forged = |node| SignedInit { node, capacity: FORGED_CAPACITY, signature: UNSIGNED };
        relay.list.extend(names.iter().map(forged));
        relay.list.sort_by_key(|init| init.node);
        in_a_datagram(election, relay)
    }

    fn naming(self, node: NodeId) -> Option<Self> {
        match self {
            Message::Word { word: Word::Ended { call, election, spent, .. }, seal } => {
                Some(Message::Word { word: Word::Ended { call, election, master: Some(node), spent }, seal })
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
            Message::Word { word: Word::Ask { .. } | Word::Call { .. }, .. } => None,
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

    fn signed_again(self, me: NodeId, times: usize) -> Option<Self> {
        let Message::Vect { election, relay } = self else { return None };
        let own = *relay.signatures.iter().find(|signed| signed.by == me)?;
        let mut relay = RelayedList::clone(&relay);
        relay.signatures.extend(vec![own; times]);
        in_a_datagram(election, relay)
    }

    fn countersigned(self, keyring: &Keyring, me: NodeId, fellows: NodeSet) -> Option<Self> {
        let Message::Vect { election, relay } = self else { return None };
        if relay.signatures.iter().any(|signed| signed.by == me || !fellows.contains(signed.by)) {
            return None;
        }
        let mut relay = RelayedList::clone(&relay);
        let digest = ListDigest::of(&relay.list);
        relay.signatures.push(Endorsement::sign(keyring, election, relay.owner, digest, me));
        in_a_datagram(election, relay)
    }

    fn signed(self, keyring: &Keyring, me: NodeId, to: Option<NodeId>) -> Self {
        match self {
            Message::Init { election, init } if init.node == me || init.signature == UNSIGNED => {
                Message::Init { election, init: Arc::new(SignedInit::sign(keyring, election, me, init.capacity)) }
            }
            Message::Vect { election, relay } if relay.owner == me => {
                let mut relay = RelayedList::clone(&relay);
                let digest = ListDigest::of(&relay.list);
                // As often as it has signed it: once, unless it lies about that.
                let signature = Endorsement::sign(keyring, election, me, digest, me);
                let times = relay.signatures.iter().filter(|signed| signed.by == me).count();
                relay.signatures = vec![signature; times.max(1)];
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

/// The list in one message, if a datagram has room for it.
fn in_a_datagram(election: ElectionNumber, relay: RelayedList) -> Option<Message> {
    let fits = relay.list.len() + relay.signatures.len() <= ITEMS_MAX;
    fits.then(|| Message::Vect { election, relay: Arc::new(relay) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::king_ni::agreement::Verifier;
    use protocol::LabKeys;

    const ELECTION: ElectionNumber = ElectionNumber(1);

    fn node(number: u16) -> NodeId {
        NodeId::new(number).unwrap()
    }

    fn roster() -> Roster {
        Roster::new(4).unwrap()
    }

    fn keyring(of: u16) -> Keyring {
        LabKeys::of(1, 4).keyring(node(of))
    }

    /// A capacity of that process, as it has signed it.
    fn init(of: u16) -> SignedInit {
        SignedInit::sign(&keyring(of), ELECTION, node(of), 7)
    }

    fn in_message(init: SignedInit) -> Message {
        Message::Init { election: ELECTION, init: Arc::new(init) }
    }

    /// The same message, as 2 signs it, and the init in it.
    fn signed_by_2(message: Message) -> SignedInit {
        let Message::Init { init, .. } = message.signed(&keyring(2), node(2), None) else { panic!("another message") };
        *init
    }

    fn is_true(init: &SignedInit) -> bool {
        Verifier { keyring: keyring(1), roster: roster() }.has_signed(init, ELECTION)
    }

    #[test]
    fn a_liar_signs_its_own_capacity_alone() {
        let own = signed_by_2(in_message(init(2)).with_value(9, roster()));
        assert_eq!((own.standing(), is_true(&own)), ((node(2), 9), true));
        let others = signed_by_2(in_message(init(3)).with_value(9, roster()));
        assert_eq!((others.standing(), is_true(&others)), ((node(3), 9), false));
    }

    #[test]
    fn a_liars_election_bears_its_name() {
        let begun = signed_by_2(Message::opening(1, 5).unwrap());
        assert_eq!((begun.standing(), is_true(&begun)), ((node(2), 5), true));
    }

    #[test]
    fn a_list_gains_no_true_name() {
        let list = vec![init(1), init(2), init(3)];
        let relay = Arc::new(RelayedList { owner: node(2), list, signatures: Vec::new() });
        let vect = Message::Vect { election: ELECTION, relay };
        let list_of = |message: Message| {
            let Message::Vect { relay, .. } = message.signed(&keyring(2), node(2), None) else { panic!("no list") };
            let [signed] = relay.signatures.as_slice() else { panic!("{} signatures", relay.signatures.len()) };
            assert!(signed.is_true(&keyring(1), ELECTION, node(2), ListDigest::of(&relay.list)));
            relay.list.iter().map(|init| (init.node.get(), is_true(init))).collect::<Vec<_>>()
        };
        assert_eq!(list_of(vect.clone().with_value(2, roster())), [(1, true), (2, true)]);
        let names = [node(3), node(4)].into_iter().collect();
        let longer = vect.with_names(names).unwrap();
        assert_eq!(list_of(longer), [(1, true), (2, true), (3, false), (4, false)]);
    }

    /// The list of 2, as it has signed it.
    fn own_list() -> Message {
        let relay = RelayedList { owner: node(2), list: vec![init(1), init(2)], signatures: Vec::new() };
        Message::Vect { election: ELECTION, relay: Arc::new(relay) }.signed(&keyring(2), node(2), None)
    }

    /// Who has signed that list, each of them truly.
    fn signers(message: Message) -> Vec<u16> {
        let Message::Vect { relay, .. } = message else { panic!("no list") };
        let digest = ListDigest::of(&relay.list);
        assert!(relay.signatures.iter().all(|signed| signed.is_true(&keyring(1), ELECTION, relay.owner, digest)));
        relay.signatures.iter().map(|signed| signed.by.get()).collect()
    }

    #[test]
    fn a_liar_may_sign_more_than_once() {
        let thrice = own_list().signed_again(node(2), 2).unwrap();
        assert_eq!(signers(thrice.signed(&keyring(2), node(2), None)), [2, 2, 2]);
        assert_eq!(own_list().signed_again(node(3), 1), None, "3 has not signed it");
        assert_eq!(own_list().signed_again(node(2), ITEMS_MAX - 2), None, "a datagram has no room for it");
    }

    #[test]
    fn a_fellow_signs_anothers_list_once() {
        let fellows: NodeSet = "2,3".parse().unwrap();
        let both = own_list().countersigned(&keyring(3), node(3), fellows).unwrap();
        assert_eq!(signers(both.clone()), [2, 3]);
        assert_eq!(both.clone().countersigned(&keyring(2), node(2), fellows), None);
        assert_eq!(both.countersigned(&keyring(4), node(4), "2,4".parse().unwrap()), None, "3 is no fellow of 4");
    }
}
