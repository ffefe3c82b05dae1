//! The seals: everything that counts for its sender is signed by it, for its receiver.
//!
//! A liar can send in another's name, but not seal in it. An answer names the call that it answers, so an old one is
//! worth nothing; an old word of another kind says what was so once, and does no more than make its hearer ask.
//!
//! Invariant: no word goes out unsealed, and none is heard whose seal is not its sender's.

use super::super::{ElectionNumber, watch};
use super::message::{ListPart, Message, Word};
use super::signed::{ListDigest, WordSignature};
use protocol::{CallNumber, Keyring, NodeId};

/// The message with its sender's seal, for this receiver, or for all. Inits, lists and parts bear their signatures
/// already.
pub fn sealed(message: Message, keyring: &Keyring, to: Option<NodeId>) -> Message {
    match message {
        Message::Word { word, .. } => {
            Message::Word { word, seal: WordSignature::of(keyring.sign(&word_bytes(word, to))) }
        }
        Message::Watch { message, .. } => {
            Message::Watch { message, seal: WordSignature::of(keyring.sign(&watch_bytes(message, to))) }
        }
        message => message,
    }
}

/// Whether that node has said this to this process, or to all.
pub fn is_word_true(word: Word, seal: &WordSignature, keyring: &Keyring, from: NodeId, me: NodeId) -> bool {
    let to = match word {
        Word::Elected { .. } | Word::Ask { .. } | Word::Call { .. } => None,
        Word::UnderWay { .. } | Word::Ended { .. } => Some(me),
    };
    seal.signature().is_some_and(|seal| keyring.verifies(from, &word_bytes(word, to), seal))
}

/// The same of what goes between a follower and its master.
pub fn is_watch_true(
    message: watch::Message,
    seal: &WordSignature,
    keyring: &Keyring,
    from: NodeId,
    me: NodeId,
) -> bool {
    seal.signature().is_some_and(|seal| keyring.verifies(from, &watch_bytes(message, Some(me)), seal))
}

/// What a part's sender signs.
pub fn part_bytes(election: ElectionNumber, part: &ListPart) -> Vec<u8> {
    let ListPart { owner, digest, place, parts, inits, signatures, .. } = part;
    let mut hasher = blake3::Hasher::new();
    hasher.update(&ListDigest::of(inits).0);
    for signed in signatures {
        hasher.update(&signed.by.get().to_le_bytes());
        hasher.update(&signed.signature.r);
        hasher.update(&signed.signature.s);
    }
    let head = [b"part".as_slice(), &election.0.to_le_bytes(), &owner.get().to_le_bytes(), &digest.0].concat();
    [head.as_slice(), &[*place, *parts], hasher.finalize().as_bytes()].concat()
}

fn word_bytes(word: Word, to: Option<NodeId>) -> Vec<u8> {
    let none = ElectionNumber::default();
    let (kind, call, election, master, spent) = match word {
        Word::Elected { election } => (0, None, election, None, none),
        Word::Ask { call, spent } => (1, Some(call), none, None, spent),
        Word::UnderWay { call, election } => (2, Some(call), election, None, none),
        Word::Ended { call, election, master, spent } => (3, Some(call), election, master, spent),
        Word::Call { spent } => (4, None, none, None, spent),
    };
    [bytes_of(b"word", kind, to, call, election, master), spent.0.to_le_bytes().to_vec()].concat()
}

fn watch_bytes(message: watch::Message, to: Option<NodeId>) -> Vec<u8> {
    let (kind, call, election, master) = match message {
        watch::Message::Ask { call, election } => (0, Some(call), election, None),
        watch::Message::Answer(call) => (1, Some(call), ElectionNumber::default(), None),
        watch::Message::Claim(claim) => (2, None, claim.election, Some(claim.master)),
    };
    bytes_of(b"look", kind, to, call, election, master)
}

/// A node that is not there is 0, which is no node's number; so is the incarnation of a call that is not there.
fn bytes_of(
    what: &[u8; 4],
    kind: u8,
    to: Option<NodeId>,
    call: Option<CallNumber>,
    election: ElectionNumber,
    master: Option<NodeId>,
) -> Vec<u8> {
    let number = |node: Option<NodeId>| node.map_or(0, NodeId::get).to_le_bytes();
    let (incarnation, serial) = call.map_or((0, 0), |call| (call.incarnation.0, call.serial));
    let call = [incarnation.to_le_bytes(), serial.to_le_bytes()].concat();
    [what.as_slice(), &[kind], &number(to), &call, &election.0.to_le_bytes(), &number(master)].concat()
}
