//! What a liar can make of an algorithm's messages: [`Deceit`], which a family of algorithms says of its messages, and
//! [`MessageDeceit`], the same without the type of the messages.
//!
//! An algorithm may do without: then its processes tell the lies that need nothing of the messages.
//!
//! Invariant: what a liar makes of a message is a message of the same algorithm.

use super::{Algorithm, Described, Incarnation, Keyring, NodeId, NodeSet, Payload, Roster};

/// Who claims to be master, and under which numbers.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
pub struct Claimant {
    /// The node, or that of the process in whose name it speaks.
    pub node: NodeId,
    /// The incarnation.
    pub incarnation: Incarnation,
    /// The lab's nodes.
    pub roster: Roster,
    /// The highest number of an election that it has heard of, where elections have numbers.
    pub number: u64,
    /// How often it has claimed before, in this incarnation.
    pub claims: u32,
}

/// What a liar can make of a message. What a message does not define, its algorithm has no such lie for.
pub trait Deceit: Described + Sized {
    /// The value that it tells: a capacity, a number of a process, a yes or no.
    fn value(&self) -> Option<i64> {
        None
    }

    /// With another value; a message without a value stays as it is.
    fn with_value(self, _value: i64, _roster: Roster) -> Self {
        self
    }

    /// With a list that names these besides.
    fn with_names(self, _names: NodeSet) -> Option<Self> {
        None
    }

    /// With another process named in it, where it names one.
    fn naming(self, _node: NodeId) -> Option<Self> {
        None
    }

    /// The number of its election, where elections have numbers.
    fn number(&self) -> Option<u64> {
        None
    }

    /// What says that this process is the master, in the order in which it is sent.
    fn claims(_: &Claimant) -> Vec<Self> {
        Vec::new()
    }

    /// What begins an election of this number.
    fn opening(_number: u64, _capacity: i64) -> Option<Self> {
        None
    }

    /// As the liar signs it with its own key, for this receiver or for all: what is its own becomes truly signed.
    fn signed(self, _keyring: &Keyring, _me: NodeId, _to: Option<NodeId>) -> Self {
        self
    }

    /// With the liar's own signature so many times more, where signers are counted.
    fn signed_again(self, _me: NodeId, _times: usize) -> Option<Self> {
        None
    }

    /// A fellow's word with the liar's signature besides, where signers are counted and only fellows have signed it.
    fn countersigned(self, _keyring: &Keyring, _me: NodeId, _fellows: NodeSet) -> Option<Self> {
        None
    }
}

/// What a liar can make of the messages of a process. It lies about the election alone: what a message carries for an
/// application stays as it is, and so does a message of an application.
#[derive(Copy, Clone, Debug)]
pub struct MessageDeceit {
    pub(super) election: &'static ElectionDeceit,
    /// Makes of a message of the algorithm what the process sends.
    pub(super) as_sent: fn(Payload) -> Payload,
}

/// What a liar can make of the messages of one algorithm: [`Deceit`] without the type of the messages.
#[derive(Copy, Clone, Debug)]
pub(super) struct ElectionDeceit {
    value: fn(&Payload) -> Option<i64>,
    number: fn(&Payload) -> Option<u64>,
    with_value: fn(&Payload, i64, Roster) -> Payload,
    with_names: fn(&Payload, NodeSet) -> Option<Payload>,
    naming: fn(&Payload, NodeId) -> Option<Payload>,
    claims: fn(&Claimant) -> Vec<Payload>,
    opening: fn(u64, i64) -> Option<Payload>,
    signed: fn(&Payload, &Keyring, NodeId, Option<NodeId>) -> Payload,
    signed_again: fn(&Payload, NodeId, usize) -> Option<Payload>,
    countersigned: fn(&Payload, &Keyring, NodeId, NodeSet) -> Option<Payload>,
}

impl MessageDeceit {
    /// [`Deceit::value`].
    pub fn value(self, message: &Payload) -> Option<i64> {
        (self.election.value)(message.election()?)
    }

    /// [`Deceit::number`].
    pub fn number(self, message: &Payload) -> Option<u64> {
        (self.election.number)(message.election()?)
    }

    /// [`Deceit::with_value`].
    pub fn with_value(self, message: &Payload, value: i64, roster: Roster) -> Payload {
        let changed = |of_election: &Payload| Some((self.election.with_value)(of_election, value, roster));
        change(message, changed).unwrap_or_else(|| message.clone())
    }

    /// [`Deceit::with_names`].
    pub fn with_names(self, message: &Payload, names: NodeSet) -> Option<Payload> {
        change(message, |of_election| (self.election.with_names)(of_election, names))
    }

    /// [`Deceit::naming`].
    pub fn naming(self, message: &Payload, node: NodeId) -> Option<Payload> {
        change(message, |of_election| (self.election.naming)(of_election, node))
    }

    /// [`Deceit::claims`].
    pub fn claims(self, claimant: &Claimant) -> Vec<Payload> {
        (self.election.claims)(claimant).into_iter().map(self.as_sent).collect()
    }

    /// [`Deceit::opening`].
    pub fn opening(self, number: u64, capacity: i64) -> Option<Payload> {
        (self.election.opening)(number, capacity).map(self.as_sent)
    }

    /// [`Deceit::signed`].
    pub fn signed(self, message: &Payload, keyring: &Keyring, me: NodeId, to: Option<NodeId>) -> Payload {
        let changed = |of_election: &Payload| Some((self.election.signed)(of_election, keyring, me, to));
        change(message, changed).unwrap_or_else(|| message.clone())
    }

    /// [`Deceit::signed_again`].
    pub fn signed_again(self, message: &Payload, me: NodeId, times: usize) -> Option<Payload> {
        change(message, |of_election| (self.election.signed_again)(of_election, me, times))
    }

    /// [`Deceit::countersigned`].
    pub fn countersigned(self, message: &Payload, keyring: &Keyring, me: NodeId, fellows: NodeSet) -> Option<Payload> {
        change(message, |of_election| (self.election.countersigned)(of_election, keyring, me, fellows))
    }
}

/// The message with another one of the algorithm in it.
fn change(message: &Payload, changed: impl FnOnce(&Payload) -> Option<Payload>) -> Option<Payload> {
    Some(message.with_election(changed(message.election()?)?))
}

impl ElectionDeceit {
    /// Nothing can be made of them.
    pub const NONE: ElectionDeceit = ElectionDeceit {
        value: |_| None,
        number: |_| None,
        with_value: |message, _, _| message.clone(),
        with_names: |_, _| None,
        naming: |_, _| None,
        claims: |_| Vec::new(),
        opening: |_, _| None,
        signed: |message, _, _, _| message.clone(),
        signed_again: |_, _, _| None,
        countersigned: |_, _, _, _| None,
    };

    /// What can be made of this algorithm's messages.
    pub const fn of<A: Algorithm<Message: Deceit>>() -> ElectionDeceit {
        ElectionDeceit {
            value: |message| typed::<A>(message).value(),
            number: |message| typed::<A>(message).number(),
            with_value: |message, value, roster| Payload::of(typed::<A>(message).clone().with_value(value, roster)),
            with_names: |message, names| typed::<A>(message).clone().with_names(names).map(Payload::of),
            naming: |message, node| typed::<A>(message).clone().naming(node).map(Payload::of),
            claims: |claimant| A::Message::claims(claimant).into_iter().map(Payload::of).collect(),
            opening: |number, capacity| A::Message::opening(number, capacity).map(Payload::of),
            signed: |message, keyring, me, to| Payload::of(typed::<A>(message).clone().signed(keyring, me, to)),
            signed_again: |message, me, times| typed::<A>(message).clone().signed_again(me, times).map(Payload::of),
            countersigned: |message, keyring, me, fellows| {
                typed::<A>(message).clone().countersigned(keyring, me, fellows).map(Payload::of)
            },
        }
    }
}

fn typed<A: Algorithm>(message: &Payload) -> &A::Message {
    message.get().expect("a message of this kind")
}
