//! Lists in parts: a list with many signatures is longer than a datagram.
//!
//! Each part is sealed by its sender, so that nobody can spoil a correct process's list with a part of his own. A part
//! counts for nothing before all are there.
//!
//! Invariant: of each sender the parts of at most two lists of an owner are kept, and no more parts than a list may
//! have.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::super::ElectionNumber;
use super::message::{ListPart, Message, RelayedList};
use super::sealing::part_bytes;
use super::signed::{ListDigest, Verifier};
use protocol::{Keyring, NodeId, Signature};

/// So many inits and signatures fit a datagram. The longest init has 3 bytes of node, 9 of capacity and 64 of
/// signature; with 13 of them and all else a part has 1,107 bytes, and 1,125 may go.
pub const ITEMS_MAX: usize = 13;

/// The lists of one owner of which a sender's parts are kept: a correct sender hands on no more.
const WHOLES_MAX: usize = 2;

/// The messages with which this list goes out: one, or its parts.
pub fn messages_of(relay: Arc<RelayedList>, election: ElectionNumber, keyring: &Keyring) -> Vec<Message> {
    let RelayedList { owner, list, signatures } = &*relay;
    let items = list.len() + signatures.len();
    if items <= ITEMS_MAX {
        return vec![Message::Vect { election, relay }];
    }
    let parts = items.div_ceil(ITEMS_MAX);
    let digest = ListDigest::of(list);
    let within = |place: usize, before: usize, length: usize| {
        let at = |item: usize| item.clamp(before, before + length) - before;
        at(place * ITEMS_MAX)..at((place + 1) * ITEMS_MAX)
    };
    let part = |place: usize| {
        let inits = list[within(place, 0, list.len())].to_vec();
        let signatures = signatures[within(place, list.len(), signatures.len())].to_vec();
        let unsealed = Signature { r: [0; 32], s: [0; 32] };
        // A Card's most nodes make a few parts.
        let (place, parts) = (place as u8, parts as u8);
        let mut part = ListPart { owner: *owner, digest, place, parts, inits, signatures, seal: unsealed };
        part.seal = keyring.sign(&part_bytes(election, &part));
        Message::Part { election, part: Arc::new(part) }
    };
    (0..parts).map(part).collect()
}

/// Why a part is not kept.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
pub enum PartFault {
    /// Parts of two other lists of the owner have come from this sender.
    TooMany,
    /// Fits no list.
    Malformed,
    /// The sender has not sealed it.
    Forged,
}

/// The parts that wait for others, by sender and owner.
#[derive(Clone, Default, Eq, PartialEq, Hash, Debug)]
pub struct WaitingParts(BTreeMap<(NodeId, NodeId), Vec<PartialList>>);

/// The parts of one list that have come.
#[derive(Clone, Eq, PartialEq, Hash, Debug)]
struct PartialList {
    digest: ListDigest,
    parts: Vec<Option<Arc<ListPart>>>,
}

impl WaitingParts {
    /// A part came from that sender. The whole list if it was the last one.
    ///
    /// # Errors
    /// The part is not kept, or the whole is not the list that its parts name.
    pub fn take(
        &mut self,
        from: NodeId,
        part: Arc<ListPart>,
        election: ElectionNumber,
        verifier: &Verifier,
    ) -> Result<Option<RelayedList>, PartFault> {
        let most = (2 * usize::from(verifier.roster.len())).div_ceil(ITEMS_MAX);
        let (place, parts) = (usize::from(part.place), usize::from(part.parts));
        let is_part = part.inits.len() + part.signatures.len() <= ITEMS_MAX && place < parts && parts <= most;
        if !is_part || !verifier.roster.all().contains(part.owner) {
            return Err(PartFault::Malformed);
        }
        if !verifier.keyring.verifies(from, &part_bytes(election, &part), &part.seal) {
            return Err(PartFault::Forged);
        }
        let key = (from, part.owner);
        let wholes = self.0.entry(key).or_default();
        let at = match wholes.iter().position(|whole| whole.digest == part.digest) {
            Some(at) => at,
            None if wholes.len() < WHOLES_MAX => {
                wholes.push(PartialList { digest: part.digest, parts: vec![None; parts] });
                wholes.len() - 1
            }
            None => return Err(PartFault::TooMany),
        };
        let whole = &mut wholes[at];
        if whole.parts.len() != parts {
            return Err(PartFault::Malformed);
        }
        whole.parts[place] = Some(part);
        let Some(all) = whole.parts.iter().cloned().collect::<Option<Vec<_>>>() else { return Ok(None) };
        let (owner, digest) = (key.1, whole.digest);
        // An empty place is left, so that the sender gets no room for a third list.
        whole.parts = vec![None; parts];
        let list = all.iter().flat_map(|part| part.inits.iter().copied()).collect::<Vec<_>>();
        let signatures = all.iter().flat_map(|part| part.signatures.iter().copied()).collect();
        if ListDigest::of(&list) != digest {
            return Err(PartFault::Malformed);
        }
        Ok(Some(RelayedList { owner, list, signatures }))
    }
}
