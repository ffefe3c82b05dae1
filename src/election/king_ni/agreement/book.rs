//! What a process holds of one election: the inits that have come (`S`), and the lists that are agreed on (`Y`).
//!
//! The agreement is that of Dolev and Strong (1983), once for each process's list. A list with k signatures is taken if
//! it comes no later than the end of round k; whoever takes it signs it and hands it on. There are t+1 rounds, so one
//! of t+1 signers is correct, and has handed the list to all in time. What one correct process takes, all take. An
//! owner that has signed two lists has none: of a third, nobody needs to know.
//!
//! Invariant: everything in a book is truly signed; it holds at most one init of a process, two lists of an owner, and
//! of each sender the parts of two lists of an owner.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::super::ElectionNumber;
use super::message::{ListPart, RelayedList};
use super::parts::{PartFault, WaitingParts};
use super::signed::{Endorsement, ListDigest, SignedInit, Verifier, is_list};
use protocol::{NodeId, NodeMap, Roster, Standing};

/// So many lists of one owner are enough to know that it has signed more than one.
const LISTS_MAX: usize = 2;

/// What becomes of an init.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
pub enum InitFate {
    /// Belongs in `S`.
    New,
    /// The process is in `S` already.
    Again,
    /// The process has not signed it.
    Forged,
}

/// What becomes of a list, or of a part of one.
#[derive(Clone, Eq, PartialEq, Debug)]
pub enum ListFate {
    /// Belongs in `Y`.
    New(Arc<RelayedList>),
    /// A part: others are missing.
    Waits,
    /// Is held already, or two others of its owner are.
    Known,
    /// Comes after the end of the round of its number of signatures.
    Late,
    /// Is no list, or its owner has not signed first, or somebody has signed twice.
    Malformed,
    /// A signature is not its signer's.
    Forged,
}

/// What a process holds of one election.
#[derive(Clone, Eq, PartialEq, Hash, Debug)]
pub struct ElectionBook {
    election: ElectionNumber,
    /// `S`.
    inits: NodeMap<SignedInit>,
    /// `Y`: of each owner the lists that are taken, with the signatures with which they came.
    lists: NodeMap<Vec<(ListDigest, Arc<RelayedList>)>>,
    /// Inits that were verified, so that none is verified with each list that has it.
    proven: BTreeSet<SignedInit>,
    parts: WaitingParts,
}

impl ElectionBook {
    /// An empty one.
    pub fn of(election: ElectionNumber) -> ElectionBook {
        ElectionBook {
            election,
            inits: NodeMap::new(),
            lists: NodeMap::new(),
            proven: BTreeSet::new(),
            parts: WaitingParts::default(),
        }
    }

    /// Which election.
    pub fn election(&self) -> ElectionNumber {
        self.election
    }

    /// `S`, by id.
    pub fn inits(&self) -> impl Iterator<Item = &SignedInit> {
        self.inits.values()
    }

    /// An init of it, if one has come.
    pub fn first_init(&self) -> Option<SignedInit> {
        self.inits.values().next().copied()
    }

    /// The lists that are taken.
    pub fn lists(&self) -> impl Iterator<Item = &Arc<RelayedList>> {
        self.lists.values().flatten().map(|(_, relay)| relay)
    }

    /// The process's own init, whatever was there.
    pub fn enter_own(&mut self, init: SignedInit) {
        self.inits.insert(init.node, init);
        self.proven.insert(init);
    }

    /// What becomes of an init: the first true one of each process belongs in `S`.
    pub fn judge_init(&mut self, init: &SignedInit, verifier: &Verifier) -> InitFate {
        if self.inits.contains_key(&init.node) {
            return InitFate::Again;
        }
        if !self.is_proven(init, verifier) {
            return InitFate::Forged;
        }
        InitFate::New
    }

    /// `S += (j,w)`.
    pub fn enter_init(&mut self, init: SignedInit) {
        self.inits.insert(init.node, init);
    }

    /// The process's own init.
    pub fn init_of(&self, node: NodeId) -> Option<SignedInit> {
        self.inits.get(&node).copied()
    }

    /// The process's own list, signed, as it goes out; from now on it is held.
    pub fn sign_own(&mut self, me: NodeId, verifier: &Verifier) -> Arc<RelayedList> {
        let list: Vec<SignedInit> = self.inits.values().copied().collect();
        let digest = ListDigest::of(&list);
        let signatures = vec![Endorsement::sign(&verifier.keyring, self.election, me, digest, me)];
        let relay = Arc::new(RelayedList { owner: me, list, signatures });
        self.enter_list(Arc::clone(&relay));
        relay
    }

    /// `Y += (j,Sj)`.
    pub fn enter_list(&mut self, relay: Arc<RelayedList>) {
        let digest = ListDigest::of(&relay.list);
        self.lists.get_or_default(relay.owner).push((digest, relay));
    }

    /// What becomes of a list: it belongs in `Y`, if it comes in time: in this round (0 before the first) or before it
    /// ends.
    pub fn judge_list(&mut self, relay: Arc<RelayedList>, round: u32, verifier: &Verifier) -> ListFate {
        let RelayedList { owner, list, signatures } = &*relay;
        if !is_list(list, &verifier.roster) || !is_chain(*owner, signatures, &verifier.roster) {
            return ListFate::Malformed;
        }
        let digest = ListDigest::of(list);
        if self.needs_no(*owner, digest) {
            return ListFate::Known;
        }
        if signatures.len() < round as usize {
            return ListFate::Late;
        }
        let Verifier { keyring, .. } = verifier;
        let is_true = |signed: &Endorsement| signed.is_true(keyring, self.election, *owner, digest);
        if !signatures.iter().all(is_true) || !list.iter().all(|init| self.is_proven(init, verifier)) {
            return ListFate::Forged;
        }
        ListFate::New(relay)
    }

    /// The same of a part that this sender has sent. A list counts when its last part comes.
    pub fn judge_part(&mut self, from: NodeId, part: Arc<ListPart>, round: u32, verifier: &Verifier) -> ListFate {
        if self.needs_no(part.owner, part.digest) {
            return ListFate::Known;
        }
        match self.parts.take(from, part, self.election, verifier) {
            Ok(Some(whole)) => self.judge_list(Arc::new(whole), round, verifier),
            Ok(None) => ListFate::Waits,
            Err(PartFault::TooMany) => ListFate::Known,
            Err(PartFault::Malformed) => ListFate::Malformed,
            Err(PartFault::Forged) => ListFate::Forged,
        }
    }

    /// The list with one more signature, this process's; `None` if it has signed already.
    pub fn endorsed(&self, relay: &RelayedList, me: NodeId, verifier: &Verifier) -> Option<RelayedList> {
        if relay.signatures.iter().any(|signed| signed.by == me) {
            return None;
        }
        let mut relay = relay.clone();
        let digest = ListDigest::of(&relay.list);
        relay.signatures.push(Endorsement::sign(&verifier.keyring, self.election, relay.owner, digest, me));
        Some(relay)
    }

    /// The list of each owner that has one: of those that have signed two, none.
    pub fn agreed(&self) -> Vec<(NodeId, Vec<Standing>)> {
        let alone = self.lists.iter().filter_map(|(owner, lists)| match lists.as_slice() {
            [(_, relay)] => Some((*owner, relay.list.iter().map(SignedInit::standing).collect())),
            _ => None,
        });
        alone.collect()
    }

    /// Whether an owner has signed two lists.
    pub fn has_two_of_one(&self) -> bool {
        self.lists.values().any(|lists| lists.len() >= LISTS_MAX)
    }

    fn needs_no(&self, owner: NodeId, digest: ListDigest) -> bool {
        let held = self.lists.get(&owner).map(Vec::as_slice).unwrap_or_default();
        held.len() >= LISTS_MAX || held.iter().any(|(of, _)| *of == digest)
    }

    fn is_proven(&mut self, init: &SignedInit, verifier: &Verifier) -> bool {
        if self.proven.contains(init) {
            return true;
        }
        let is_true = verifier.has_signed(init, self.election);
        // A liar may sign many capacities; the correct processes need one of each process.
        if is_true && self.proven.len() < 4 * usize::from(verifier.roster.len()) {
            self.proven.insert(*init);
        }
        is_true
    }
}

/// Whether these may be the signatures of a list: the owner's first, and nobody's twice.
fn is_chain(owner: NodeId, signatures: &[Endorsement], roster: &Roster) -> bool {
    let signers: BTreeSet<NodeId> = signatures.iter().map(|signed| signed.by).collect();
    let all = roster.all();
    signatures.first().is_some_and(|first| first.by == owner)
        && signers.len() == signatures.len()
        && signers.iter().all(|signer| all.contains(*signer))
}
