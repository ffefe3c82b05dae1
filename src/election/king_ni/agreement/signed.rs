//! What processes sign: their capacity, and a list of capacities.
//!
//! A list bears the inits as their processes have signed them: its owner can leave names out of it, but not make up a
//! capacity. All signers of a list sign the same: whose it is, in which election, and its digest.
//!
//! Invariant: two things that differ in anything are signed as different bytes.

use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::super::ElectionNumber;
use protocol::{Keyring, NodeId, Roster, Signature, Standing};

/// `(j,w)` as `j` has signed it.
#[derive(Copy, Clone, Eq, PartialEq, Ord, PartialOrd, Hash, Debug, Serialize, Deserialize)]
pub struct SignedInit {
    /// The process.
    pub node: NodeId,
    /// The capacity; -1 for a non-candidate that begins.
    pub capacity: i64,
    /// The signature of both, for one election.
    pub signature: Signature,
}

/// A process's signature of a list.
#[derive(Copy, Clone, Eq, PartialEq, Ord, PartialOrd, Hash, Debug, Serialize, Deserialize)]
pub struct Endorsement {
    /// The signer.
    pub by: NodeId,
    pub signature: Signature,
}

/// The signature of a word; nothing before the word is sealed.
#[derive(Clone, Default, Eq, PartialEq, Ord, PartialOrd, Hash, Debug)]
pub struct WordSignature(Option<Arc<Signature>>);

impl WordSignature {
    /// With this signature.
    pub fn of(signature: Signature) -> WordSignature {
        WordSignature(Some(Arc::new(signature)))
    }

    /// It, if there is one.
    pub fn signature(&self) -> Option<&Signature> {
        self.0.as_deref()
    }
}

impl Serialize for WordSignature {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.as_deref().serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for WordSignature {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<WordSignature, D::Error> {
        Ok(WordSignature(Option::<Signature>::deserialize(deserializer)?.map(Arc::new)))
    }
}

/// The digest of a list, with its signatures of inits.
#[derive(Copy, Clone, Eq, PartialEq, Ord, PartialOrd, Hash, Serialize, Deserialize)]
pub struct ListDigest(pub [u8; 32]);

/// The first bytes: enough to tell two apart.
impl fmt::Debug for ListDigest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ListDigest({:02x}{:02x}{:02x}..)", self.0[0], self.0[1], self.0[2])
    }
}

/// What a process verifies with.
#[derive(Clone, Eq, PartialEq, Hash, Debug)]
pub struct Verifier {
    /// All public keys, and its own secret one.
    pub keyring: Keyring,
    /// The processes.
    pub roster: Roster,
}

impl Verifier {
    /// Whether this is the init of one of the processes, signed for that election.
    pub fn has_signed(&self, init: &SignedInit, election: ElectionNumber) -> bool {
        self.roster.all().contains(init.node) && init.is_true(&self.keyring, election)
    }
}

impl SignedInit {
    /// The init of that process, signed with its keyring.
    pub fn sign(keyring: &Keyring, election: ElectionNumber, node: NodeId, capacity: i64) -> SignedInit {
        SignedInit { node, capacity, signature: keyring.sign(&init_bytes(election, node, capacity)) }
    }

    /// Whether its process has signed it, for that election.
    fn is_true(&self, keyring: &Keyring, election: ElectionNumber) -> bool {
        keyring.verifies(self.node, &init_bytes(election, self.node, self.capacity), &self.signature)
    }

    /// What it says.
    pub fn standing(&self) -> Standing {
        (self.node, self.capacity)
    }
}

impl Endorsement {
    /// The signature of this process under a list.
    pub fn sign(
        keyring: &Keyring,
        election: ElectionNumber,
        owner: NodeId,
        digest: ListDigest,
        by: NodeId,
    ) -> Endorsement {
        Endorsement { by, signature: keyring.sign(&list_bytes(election, owner, digest)) }
    }

    /// Whether its process has signed that list.
    pub fn is_true(&self, keyring: &Keyring, election: ElectionNumber, owner: NodeId, digest: ListDigest) -> bool {
        keyring.verifies(self.by, &list_bytes(election, owner, digest), &self.signature)
    }
}

impl ListDigest {
    /// The digest of these inits.
    pub fn of(list: &[SignedInit]) -> ListDigest {
        let mut hasher = blake3::Hasher::new();
        for init in list {
            hasher.update(&init.node.get().to_le_bytes());
            hasher.update(&init.capacity.to_le_bytes());
            hasher.update(&init.signature.r);
            hasher.update(&init.signature.s);
        }
        ListDigest(*hasher.finalize().as_bytes())
    }
}

/// Whether a list has the form of one: entries of these processes, by id, each once, and at least one.
pub fn is_list(list: &[SignedInit], roster: &Roster) -> bool {
    let all = roster.all();
    !list.is_empty() && list.iter().all(|init| all.contains(init.node)) && list.is_sorted_by(|a, b| a.node < b.node)
}

fn init_bytes(election: ElectionNumber, node: NodeId, capacity: i64) -> Vec<u8> {
    [b"init".as_slice(), &election.0.to_le_bytes(), &node.get().to_le_bytes(), &capacity.to_le_bytes()].concat()
}

fn list_bytes(election: ElectionNumber, owner: NodeId, digest: ListDigest) -> Vec<u8> {
    [b"list".as_slice(), &election.0.to_le_bytes(), &owner.get().to_le_bytes(), &digest.0].concat()
}
