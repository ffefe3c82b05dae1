//! What the algorithm of section 5.3 sends: signed inits, signed lists with their signatures, and words to the others.
//!
//! Who hands a message on does not matter for inits and lists: what counts is who has signed. A word counts for the
//! node that it comes from, and only if that node has sealed it.
//!
//! Invariant: a signature covers the kind of what is signed, the election (or the call) and everything that is said.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::super::{ElectionNumber, watch};
use super::signed::{Endorsement, ListDigest, SignedInit, WordSignature};
use protocol::{CallNumber, Described, NodeId, Signature};

/// A message of the algorithm of section 5.3.
#[derive(Clone, Eq, PartialEq, Ord, PartialOrd, Hash, Debug, Serialize, Deserialize)]
pub enum Message {
    /// `init,v`, by broadcast: a process takes part, with this capacity. Others broadcast it again.
    Init {
        /// Which election.
        election: ElectionNumber,
        /// What the process has signed.
        #[serde(with = "shared")]
        init: Arc<SignedInit>,
    },
    /// `vect,S`, by broadcast: the list of a process, with the signatures of those that have handed it on.
    Vect {
        /// Which election.
        election: ElectionNumber,
        /// The list and its signatures.
        #[serde(with = "shared")]
        relay: Arc<RelayedList>,
    },
    /// A part of such a list, where the whole does not fit a datagram.
    Part {
        /// Which election.
        election: ElectionNumber,
        #[serde(with = "shared")]
        part: Arc<ListPart>,
    },
    /// A word to one or all.
    Word {
        word: Word,
        /// The sender's seal.
        seal: WordSignature,
    },
    /// Between a follower and its master.
    Watch {
        message: watch::Message,
        /// The sender's seal.
        seal: WordSignature,
    },
}

/// A process's list on its way: `(j, Sj)` and who has signed it.
#[derive(Clone, Eq, PartialEq, Ord, PartialOrd, Hash, Debug, Serialize, Deserialize)]
pub struct RelayedList {
    /// Whose list.
    pub owner: NodeId,
    /// The list, by id.
    pub list: Vec<SignedInit>,
    /// The signatures, the owner's first.
    pub signatures: Vec<Endorsement>,
}

/// A part of a relayed list: its inits and its signatures, in order, are those of all parts one after the other.
#[derive(Clone, Eq, PartialEq, Ord, PartialOrd, Hash, Debug, Serialize, Deserialize)]
pub struct ListPart {
    /// Whose list.
    pub owner: NodeId,
    /// Which of the lists that the owner has perhaps signed.
    pub digest: ListDigest,
    /// Which part, from 0.
    pub place: u8,
    /// How many parts there are.
    pub parts: u8,
    /// Inits of the list.
    pub inits: Vec<SignedInit>,
    /// Signatures of the list.
    pub signatures: Vec<Endorsement>,
    /// The sender's signature: a part of another sender would spoil the whole.
    pub seal: Signature,
}

/// What is said around the table.
#[derive(Copy, Clone, Eq, PartialEq, Ord, PartialOrd, Hash, Debug, Serialize, Deserialize)]
pub enum Word {
    /// By broadcast: the sender has stopped as master.
    Elected {
        /// Which election.
        election: ElectionNumber,
    },
    /// `ask`, by broadcast: the sender does not know what it has missed.
    Ask {
        /// The number of its question.
        call: CallNumber,
        /// The highest number under which it signs nothing any more.
        spent: ElectionNumber,
    },
    /// The answer of a process in mid-election.
    UnderWay {
        /// The number of the question.
        call: CallNumber,
        /// Which election.
        election: ElectionNumber,
    },
    /// The answer of a process that is not in mid-election.
    Ended {
        /// The number of the question.
        call: CallNumber,
        /// The last election that it knows of.
        election: ElectionNumber,
        /// The master that it has since then, if it has one.
        master: Option<NodeId>,
        /// The highest number under which it signs nothing any more.
        spent: ElectionNumber,
    },
    /// `call`, by broadcast: the sender wants an election, and can take part in none of the next ones of the others,
    /// whose numbers it has spent.
    Call {
        /// The highest number under which it has signed.
        spent: ElectionNumber,
    },
}

/// Not sealed yet: the machine seals everything that goes out.
impl From<Word> for Message {
    fn from(word: Word) -> Message {
        Message::Word { word, seal: WordSignature::default() }
    }
}

impl From<watch::Message> for Message {
    fn from(message: watch::Message) -> Message {
        Message::Watch { message, seal: WordSignature::default() }
    }
}

impl Described for Message {
    fn kind(&self) -> &'static str {
        match self {
            Message::Init { .. } => "init",
            Message::Vect { .. } => "vect",
            Message::Part { .. } => "part",
            Message::Word { word: Word::Elected { .. }, .. } => "elected",
            Message::Word { word: Word::Ask { .. }, .. } => "ask",
            Message::Word { word: Word::UnderWay { .. }, .. } => "underway",
            Message::Word { word: Word::Ended { .. }, .. } => "ended",
            Message::Word { word: Word::Call { .. }, .. } => "call",
            Message::Watch { message, .. } => message.kind(),
        }
    }

    fn fields(&self) -> Vec<(&'static str, String)> {
        match self {
            Message::Init { election, init } => vec![
                ("node", init.node.to_string()),
                ("capacity", init.capacity.to_string()),
                ("election", election.to_string()),
            ],
            Message::Vect { election, relay } => vec![
                ("owner", relay.owner.to_string()),
                ("list", told(&relay.list)),
                ("signed by", signers(&relay.signatures)),
                ("election", election.to_string()),
            ],
            Message::Part { election, part } => vec![
                ("owner", part.owner.to_string()),
                ("part", format!("{} of {}", u16::from(part.place) + 1, part.parts)),
                ("list", told(&part.inits)),
                ("signed by", signers(&part.signatures)),
                ("election", election.to_string()),
            ],
            Message::Word { word, .. } => word.fields(),
            Message::Watch { message, .. } => message.fields(),
        }
    }
}

impl Word {
    fn fields(self) -> Vec<(&'static str, String)> {
        match self {
            Word::Elected { election } => vec![("election", election.to_string())],
            Word::Ask { call, spent } => vec![("spent", spent.to_string()), ("call", call.to_string())],
            Word::UnderWay { call, election } => vec![("election", election.to_string()), ("call", call.to_string())],
            Word::Ended { call, election, master, spent } => {
                let master = master.map(|master| ("master", master.to_string()));
                let numbers = [("election", election.to_string()), ("spent", spent.to_string())];
                master.into_iter().chain(numbers).chain([("call", call.to_string())]).collect()
            }
            Word::Call { spent } => vec![("spent", spent.to_string())],
        }
    }
}

fn told(list: &[SignedInit]) -> String {
    let told: Vec<String> = list.iter().map(|init| format!("{}:{}", init.node, init.capacity)).collect();
    format!("[{}]", told.join(" "))
}

fn signers(signatures: &[Endorsement]) -> String {
    signatures.iter().map(|signed| signed.by.to_string()).collect::<Vec<_>>().join(",")
}

/// What is shared travels as itself.
mod shared {
    use std::sync::Arc;

    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    pub fn serialize<T: Serialize, S: Serializer>(shared: &Arc<T>, serializer: S) -> Result<S::Ok, S::Error> {
        T::serialize(shared, serializer)
    }

    pub fn deserialize<'de, T: Deserialize<'de>, D: Deserializer<'de>>(deserializer: D) -> Result<Arc<T>, D::Error> {
        T::deserialize(deserializer).map(Arc::new)
    }
}
