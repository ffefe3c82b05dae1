//! Protocol moments: something that a machine does, named so that a step can wait for it. Their one text form.
//!
//! Nodes hold an armed moment: the first node that comes to it stops right there, between two effects of one step,
//! until the step that waits for the moment is in force.
//!
//! Invariant: a moment reads back what it prints; the algorithm says which messages and states there are.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use protocol::{NodeId, NodeSet};

const SENT: &str = "first KIND sent` or `KIND sent by N";
const ENTERS: &str = "N enters WORD";

/// Every form of a moment with what happens then; the manual reads this table.
pub const MOMENT_FORMS: &[(&str, &str)] = &[
    (
        "first KIND sent",
        "a node has sent a message of this kind, such as `first Halt sent`; it is the first one that does",
    ),
    ("KIND sent by N", "node N has sent a message of this kind, such as `Ready sent by 5`"),
    (ENTERS, "node N has come into the state of this word, such as `2 enters Reorganization`"),
];

/// Something that a machine does. It counts from when it is armed: the first time after that.
#[derive(Clone, Eq, PartialEq, Hash, Debug)]
pub enum Moment {
    /// `first KIND sent`, `KIND sent by N`: a node, or that one, has sent a message of that kind, and nothing after it.
    Sent {
        /// The kind of the message, such as `Halt`.
        kind: String,
        /// The sender; absent: the node that sends one first.
        by: Option<NodeId>,
    },
    /// `N enters WORD`: it has changed into the state of that word, and has sent no message since.
    Enters {
        node: NodeId,
        /// The algorithm's own word for the state, such as `coll2`.
        word: String,
    },
}

/// Why a text is not a moment.
#[derive(Clone, Eq, PartialEq, Debug, thiserror::Error)]
#[error("{what}; the form is `{form}`")]
pub struct MomentTextError {
    /// Where in the text, in bytes.
    pub at: std::ops::Range<usize>,
    /// What is wrong there.
    pub what: String,
    /// The form it should have.
    pub form: &'static str,
}

impl Moment {
    /// Whether a text is meant as a moment, and not as a condition: its words decide, even where it is wrong.
    pub fn is_meant(text: &str) -> bool {
        let mut words = text.split_whitespace();
        words.next() == Some("first") || matches!(words.next(), Some("sent" | "enters"))
    }

    /// The nodes it names.
    pub fn nodes(&self) -> NodeSet {
        match self {
            Moment::Sent { by, .. } => by.iter().copied().collect(),
            Moment::Enters { node, .. } => NodeSet::of(*node),
        }
    }
}

impl fmt::Display for Moment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Moment::Sent { kind, by: None } => write!(f, "first {kind} sent"),
            Moment::Sent { kind, by: Some(node) } => write!(f, "{kind} sent by {node}"),
            Moment::Enters { node, word } => write!(f, "{node} enters {word}"),
        }
    }
}

impl FromStr for Moment {
    type Err = MomentTextError;

    fn from_str(text: &str) -> Result<Moment, MomentTextError> {
        let mut words = WordsLeft { text, at: 0 };
        let first = words.next();
        if first.text == "first" {
            let kind = words.needed("a message's kind is missing here", SENT)?;
            words.exactly("sent", SENT)?;
            words.end("nothing may follow `sent`; to name a sender, leave out `first`", SENT)?;
            return Ok(Moment::Sent { kind, by: None });
        }
        let verb = words.next();
        match verb.text {
            "enters" => {
                let node = first.node(ENTERS)?;
                let word = words.needed("a state's word is missing here", ENTERS)?;
                words.end("nothing may follow the state's word", ENTERS)?;
                Ok(Moment::Enters { node, word })
            }
            "sent" => {
                words.exactly("by", SENT)?;
                let by = words.next().node(SENT)?;
                words.end("nothing may follow the sender", SENT)?;
                Ok(Moment::Sent { kind: first.text.to_owned(), by: Some(by) })
            }
            _ => Err(verb.wrong("`sent` or `enters` belongs here", SENT)),
        }
    }
}

/// One word with its place; empty at the end of the text.
struct PlacedWord<'a> {
    text: &'a str,
    at: std::ops::Range<usize>,
}

/// The words of a text that have not been taken yet.
struct WordsLeft<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> WordsLeft<'a> {
    fn next(&mut self) -> PlacedWord<'a> {
        let rest = &self.text[self.at..];
        let start = self.at + (rest.len() - rest.trim_start().len());
        let length = self.text[start..].find(char::is_whitespace).unwrap_or(self.text.len() - start);
        self.at = start + length;
        PlacedWord { text: &self.text[start..self.at], at: start..self.at }
    }

    fn needed(&mut self, what: &str, form: &'static str) -> Result<String, MomentTextError> {
        let word = self.next();
        if word.text.is_empty() { Err(word.wrong(what, form)) } else { Ok(word.text.to_owned()) }
    }

    fn exactly(&mut self, expected: &str, form: &'static str) -> Result<(), MomentTextError> {
        let word = self.next();
        if word.text == expected { Ok(()) } else { Err(word.wrong(format!("`{expected}` belongs here"), form)) }
    }

    fn end(&mut self, what: &str, form: &'static str) -> Result<(), MomentTextError> {
        let word = self.next();
        if word.text.is_empty() { Ok(()) } else { Err(word.wrong(what, form)) }
    }
}

impl PlacedWord<'_> {
    fn wrong(self, what: impl Into<String>, form: &'static str) -> MomentTextError {
        MomentTextError { at: self.at, what: what.into(), form }
    }

    fn node(self, form: &'static str) -> Result<NodeId, MomentTextError> {
        match self.text.parse::<NodeId>() {
            Ok(node) => Ok(node),
            Err(_) if self.text.is_empty() => Err(self.wrong("a node is missing here", form)),
            Err(error) => Err(self.wrong(error.to_string(), form)),
        }
    }
}

impl Serialize for Moment {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Moment {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Moment, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_moment_reads_back_what_it_prints() {
        for text in ["first Halt sent", "Ready sent by 5", "2 enters Reorganization", "3 enters coll2"] {
            assert!(Moment::is_meant(text), "{text}");
            assert_eq!(text.parse::<Moment>().unwrap().to_string(), text);
        }
        assert_eq!("  Ready  sent by  5 ".parse::<Moment>().unwrap().to_string(), "Ready sent by 5");
        for text in ["coordinator 4", "all normal", "", "groups 2"] {
            assert!(!Moment::is_meant(text), "{text}");
        }
    }

    #[test]
    fn what_is_wrong_is_named_in_its_place() {
        for (text, place, what) in [
            ("first", "", "a message's kind is missing here"),
            ("first Halt", "", "`sent` belongs here"),
            ("first Halt send", "send", "`sent` belongs here"),
            ("first Halt sent by 5", "by", "nothing may follow `sent`; to name a sender, leave out `first`"),
            ("Ready sent", "", "`by` belongs here"),
            ("Ready sent by", "", "a node is missing here"),
            ("Ready sent by all", "all", "`all` is not a node id; write a number from 1 to 256"),
            ("Ready sent by 5 twice", "twice", "nothing may follow the sender"),
            ("two enters Normal", "two", "`two` is not a node id; write a number from 1 to 256"),
            ("2 enters", "", "a state's word is missing here"),
            ("2 enters Normal again", "again", "nothing may follow the state's word"),
            ("2 leaves Normal", "leaves", "`sent` or `enters` belongs here"),
        ] {
            let error = text.parse::<Moment>().unwrap_err();
            assert_eq!((&text[error.at.clone()], error.what.as_str()), (place, what), "{text}");
        }
    }
}
