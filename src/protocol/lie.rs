//! What a process that lies may do: the lies by their names, what each attacks, and what a message is besides that a liar
//! has sent.
//!
//! Invariant: a lie has one word, everywhere; a liar's dice are part of its order, so the same order makes the same lies.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::{Assumption, NodeId, NodeSet, Property};

/// The field by which a record shows that a liar sent this message to a fellow, to agree with it on what both say.
pub const WHISPER: &str = "whisper";

/// The field by which a record shows in whose name a liar sent this message.
pub const IN_NAME_OF: &str = "in-name-of";

crate::worded! {
    /// What a process tells, or keeps to itself, that its algorithm would not; in the order in which a liar tells them.
    #[derive(Copy, Clone, Eq, PartialEq, Ord, PartialOrd, Hash, Debug, Serialize, Deserialize)]
    #[serde(rename_all = "kebab-case")]
    pub enum Lie {
        /// Sends a random value in place of its own.
        RandomValue = "random-value",
        /// Sends another value to each receiver.
        Equivocate = "equivocate",
        /// Says that it is the master.
        Claim = "claim",
        /// Sends to some, and not to others.
        Withhold = "withhold",
        /// Sends late: near the time-outs of the others.
        Late = "late",
        /// Speaks in another's name.
        Forge = "forge",
        /// Sends again what it sent before, under an old number.
        Replay = "replay",
        /// Answers, and never acts.
        MuteAcceptor = "mute-acceptor",
        /// The lists name processes that never announced themselves.
        LongList = "long-list",
        /// Announces one higher election after the other.
        Bar = "bar",
        /// Tells its fellows what it knows, and all of them speak for one of them.
        Collude = "collude",
    }
}

impl Lie {
    /// Those that need nothing of the messages: a process of any algorithm can tell them.
    pub const OF_ALL: [Lie; 5] = [Lie::Withhold, Lie::Late, Lie::Forge, Lie::Replay, Lie::MuteAcceptor];

    /// Whether who tells it keeps something to itself, for a while or for ever.
    pub fn keeps_back(self) -> bool {
        matches!(self, Lie::Withhold | Lie::Late | Lie::MuteAcceptor)
    }

    /// What it is, as the rest of a sentence about the liar.
    pub fn says(self) -> &'static str {
        match self {
            Lie::RandomValue => "sends a random value in place of its own",
            Lie::Equivocate => "sends another value to each receiver",
            Lie::Claim => "says that it is the master",
            Lie::Withhold => "sends to some and not to others",
            Lie::Late => "sends late, near the time-outs of the others",
            Lie::Forge => "speaks in another's name",
            Lie::Replay => "sends old messages again, with their old numbers",
            Lie::MuteAcceptor => "answers and never acts",
            Lie::LongList => "names in its lists processes that never announced themselves",
            Lie::Bar => "announces one higher election after the other",
            Lie::Collude => "tells its fellows what it knows, and speaks for one of them",
        }
    }

    /// The assumption that it breaks, where the algorithm makes it.
    pub fn breaks(self) -> Assumption {
        match self {
            Lie::Forge => Assumption::NothingFromNowhere,
            _ => Assumption::AllCooperate,
        }
    }

    /// The one of these promises that it attacks first: that anybody is elected, that the best is, or that all name the
    /// same.
    pub fn attacks(self, promises: &[Property]) -> Option<Property> {
        let [progress, best] = [PROGRESS, BEST];
        let wanted: &[Property] = match self {
            Lie::MuteAcceptor | Lie::Withhold | Lie::Bar => progress,
            Lie::RandomValue | Lie::LongList | Lie::Collude => best,
            _ => &[],
        };
        let wanted = wanted.iter().copied().find(|property| promises.contains(property));
        wanted.or_else(|| promises.first().copied())
    }
}

/// Promises that somebody is elected.
const PROGRESS: &[Property] = &[
    Property::DeadlockFree,
    Property::DeadlockFreeMalicious,
    Property::Assertion2,
    Property::Sle2,
    Property::EndState,
    Property::SteadyLeader,
];
/// Promises about which one is elected.
const BEST: &[Property] = &[Property::Largest, Property::EndState];

/// A text is no lie.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
#[error("`{0}` is no lie; the lies are {list}", list = Lie::WORDS.join(", "))]
pub struct LieTextError(String);

impl FromStr for Lie {
    type Err = LieTextError;

    fn from_str(text: &str) -> Result<Lie, LieTextError> {
        Lie::named(text).ok_or_else(|| LieTextError(text.to_owned()))
    }
}

/// A set of lies.
#[derive(Copy, Clone, Default, Eq, PartialEq, Ord, PartialOrd, Hash, Debug, Serialize, Deserialize)]
#[serde(from = "Vec<Lie>", into = "Vec<Lie>")]
pub struct LieSet(u16);

impl LieSet {
    /// No lie.
    pub const HONEST: LieSet = LieSet(0);

    /// Whether the lie is one of them.
    pub fn has(self, lie: Lie) -> bool {
        self.0 & (1 << lie as u8) != 0
    }

    /// These, and this one.
    pub fn with(self, lie: Lie) -> LieSet {
        LieSet(self.0 | 1 << lie as u8)
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0 == 0
    }

    /// Each of them.
    pub fn iter(self) -> impl Iterator<Item = Lie> {
        Lie::ALL.into_iter().filter(move |lie| self.has(*lie))
    }
}

impl From<Vec<Lie>> for LieSet {
    fn from(lies: Vec<Lie>) -> LieSet {
        lies.into_iter().collect()
    }
}

impl From<LieSet> for Vec<Lie> {
    fn from(lies: LieSet) -> Vec<Lie> {
        lies.iter().collect()
    }
}

impl FromIterator<Lie> for LieSet {
    fn from_iter<I: IntoIterator<Item = Lie>>(lies: I) -> LieSet {
        lies.into_iter().fold(LieSet::HONEST, LieSet::with)
    }
}

impl fmt::Display for LieSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.iter().map(Lie::word).collect::<Vec<_>>().join(", "))
    }
}

/// What a message is besides, if its sender's name shows a lie.
#[derive(Copy, Clone, Eq, PartialEq, Ord, PartialOrd, Hash, Debug, Serialize, Deserialize)]
pub enum MessageMark {
    /// The receiver takes it for a message of this node.
    InNameOf(NodeId),
    /// Tells a fellow what the sender knows; no machine gets it.
    Whisper,
}

impl MessageMark {
    /// As a field of the message.
    pub fn field(self) -> (&'static str, String) {
        match self {
            MessageMark::InNameOf(node) => (IN_NAME_OF, node.to_string()),
            MessageMark::Whisper => (WHISPER, "to a fellow".to_owned()),
        }
    }
}

/// What a process is ordered to lie from now on: all its lies, or none.
#[derive(Copy, Clone, Default, Eq, PartialEq, Ord, PartialOrd, Hash, Debug, Serialize, Deserialize)]
pub struct Lying {
    /// The lies.
    pub lies: LieSet,
    /// The processes that collude, if this one does.
    pub fellows: NodeSet,
    /// What its dice begin with: a number of the lab's seed, of its node and of its incarnation.
    pub dice: u64,
}

/// A lie that was told in a step, for the log and the judge.
#[derive(Clone, Eq, PartialEq, Debug, Serialize, Deserialize)]
pub struct ToldLie {
    /// Which.
    pub lie: Lie,
    /// To whom; to nobody, if it could not be told.
    pub to: NodeSet,
    /// What was said instead of what, as the rest of a sentence about the liar.
    pub what: String,
    /// The promise that it attacks.
    pub attacks: Option<Property>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lie_has_one_word_and_is_read_by_it() {
        for lie in Lie::ALL {
            assert_eq!(lie.word().parse(), Ok(lie));
            assert_eq!(serde_json::to_value(lie).unwrap(), lie.word());
        }
        let why = "clam".parse::<Lie>().unwrap_err().to_string();
        assert!(why.starts_with("`clam` is no lie; the lies are random-value, equivocate"), "{why}");
    }

    #[test]
    fn a_set_of_lies_is_a_list_of_their_words() {
        let lies: LieSet = [Lie::Late, Lie::Claim].into_iter().collect();
        assert_eq!(serde_json::to_string(&lies).unwrap(), r#"["claim","late"]"#);
        assert_eq!(serde_json::from_str::<LieSet>(r#"["late","claim"]"#).unwrap(), lies);
        assert!(lies.has(Lie::Late) && !lies.has(Lie::Bar));
    }

    #[test]
    fn a_lie_attacks_one_of_the_promises() {
        let promises = [Property::Uniqueness, Property::Largest, Property::DeadlockFree];
        assert_eq!(Lie::Equivocate.attacks(&promises), Some(Property::Uniqueness));
        assert_eq!(Lie::RandomValue.attacks(&promises), Some(Property::Largest));
        assert_eq!(Lie::MuteAcceptor.attacks(&promises), Some(Property::DeadlockFree));
        assert_eq!(Lie::Bar.attacks(&[Property::Assertion1]), Some(Property::Assertion1));
    }
}
