//! A fault of links: which links it is about, and what it does to datagrams on them.
//!
//! A lab writes it with targets ([`Target`]). When the rule is in force, nodes stand in their place.
//!
//! Invariant: a rule reads back what it prints, as written and in force.

use std::fmt::{self, Display};
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use super::{FaultEffect, FaultId, FaultLine, FaultTextError, LinkSign, Target};
use protocol::{NodeId, NodeSet};

/// A fault of links.
#[derive(Clone, Eq, PartialEq, Hash, Debug)]
pub struct LinkRule<T = NodeSet> {
    pub links: Links<T>,
    /// What it does to datagrams on them.
    pub effect: FaultEffect,
}

/// The links that a fault is about.
#[derive(Clone, Eq, PartialEq, Hash, Debug)]
pub enum Links<T = NodeSet> {
    /// Those from these to those: `A->B`.
    To {
        /// Senders.
        from: T,
        /// Receivers.
        to: T,
    },
    /// Links in both directions between the two sets: `A<->B`.
    Between { these: T, those: T },
    /// All to or from each of these: `isolate N`.
    Around(T),
    /// Those between parts: `partition A|B`. Nodes that no part names are one more part.
    Across(Vec<T>),
}

/// A link fault as nodes hold it.
#[derive(Clone, Eq, PartialEq, Hash, Debug, Serialize, Deserialize)]
pub struct LinkFault {
    /// The id, and its ordinal for the dice.
    pub id: FaultId,
    /// The line it was ordered by, for the dice and for people.
    pub text: String,
    /// What it does.
    pub rule: LinkRule,
}

impl<T> Links<T> {
    /// The targets, as they are written.
    pub fn targets(&self) -> Vec<&T> {
        match self {
            Links::To { from, to } => vec![from, to],
            Links::Between { these, those } => vec![these, those],
            Links::Around(around) => vec![around],
            Links::Across(parts) => parts.iter().collect(),
        }
    }

    /// Maps the ends of the links; returns the first error.
    pub fn try_map<U, E>(&self, mut name: impl FnMut(&T) -> Result<U, E>) -> Result<Links<U>, E> {
        Ok(match self {
            Links::To { from, to } => Links::To { from: name(from)?, to: name(to)? },
            Links::Between { these, those } => Links::Between { these: name(these)?, those: name(those)? },
            Links::Around(around) => Links::Around(name(around)?),
            Links::Across(parts) => Links::Across(parts.iter().map(name).collect::<Result<_, _>>()?),
        })
    }
}

impl Links {
    /// Whether the link from the first to the second is among them.
    pub fn contain(&self, from: NodeId, to: NodeId) -> bool {
        match self {
            Links::To { from: senders, to: receivers } => senders.contains(from) && receivers.contains(to),
            Links::Between { these, those } => {
                these.contains(from) && those.contains(to) || these.contains(to) && those.contains(from)
            }
            Links::Around(nodes) => nodes.contains(from) || nodes.contains(to),
            Links::Across(parts) => {
                let part_of = |node| parts.iter().position(|part| part.contains(node));
                part_of(from) != part_of(to)
            }
        }
    }
}

impl<T> LinkRule<T> {
    /// The same rule, with other names for the ends of its links; the first error, if an end has no such name.
    pub fn try_map<U, E>(&self, name: impl FnMut(&T) -> Result<U, E>) -> Result<LinkRule<U>, E> {
        Ok(LinkRule { links: self.links.try_map(name)?, effect: self.effect.clone() })
    }
}

impl LinkRule {
    /// The sign on a link that it concerns; `None` if nothing is in force there because of it.
    pub fn sign(&self) -> Option<LinkSign> {
        self.effect.sign(&self.links)
    }

    /// Whether it concerns what `from` sends to `to`.
    pub fn concerns(&self, from: NodeId, to: NodeId) -> bool {
        self.links.contain(from, to)
    }
}

impl<T: Display> Display for Links<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Links::To { from, to } => write!(f, "{from}->{to}"),
            Links::Between { these, those } => write!(f, "{these}<->{those}"),
            Links::Around(around) => write!(f, "{around}"),
            Links::Across(parts) => {
                let parts: Vec<String> = parts.iter().map(T::to_string).collect();
                f.write_str(&parts.join("|"))
            }
        }
    }
}

impl<T: Display> Display for LinkRule<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.effect.write(&self.links, f)
    }
}

/// Why a text is not a rule in force.
#[derive(Debug, thiserror::Error)]
pub enum LinkRuleTextError {
    /// Is not a fault line.
    #[error(transparent)]
    NotAFault(#[from] FaultTextError),
    /// Is not about links.
    #[error("`{0}` is not a fault of links")]
    NotOfLinks(String),
    /// The target does not name a fixed node.
    #[error("`{line}` names `{target}`, but a fault in force must name nodes")]
    NamesOther {
        line: String,
        /// What it names.
        target: Target,
    },
}

impl FromStr for LinkRule {
    type Err = LinkRuleTextError;

    /// Reads a rule in force: every target in it is a set of nodes.
    fn from_str(text: &str) -> Result<LinkRule, LinkRuleTextError> {
        let FaultLine::Link(rule) = text.parse()? else {
            return Err(LinkRuleTextError::NotOfLinks(text.to_owned()));
        };
        rule.try_map(|target| match target {
            Target::Nodes(nodes) => Ok(*nodes),
            other => Err(LinkRuleTextError::NamesOther { line: text.to_owned(), target: other.clone() }),
        })
    }
}

impl Serialize for LinkRule {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for LinkRule {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<LinkRule, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn node(number: u16) -> NodeId {
        NodeId::new(number).unwrap()
    }

    fn rule(text: &str) -> LinkRule {
        text.parse().unwrap()
    }

    #[test]
    fn a_partition_puts_the_unnamed_in_a_part_of_their_own() {
        let parted = rule("partition 1,2|3");
        assert!(parted.concerns(node(1), node(3)) && parted.concerns(node(4), node(1)));
        assert!(!parted.concerns(node(1), node(2)) && !parted.concerns(node(4), node(5)));
    }

    #[test]
    fn isolation_bites_between_two_that_are_isolated_together() {
        let alone = rule("isolate 1,2");
        assert!(alone.concerns(node(1), node(2)) && alone.concerns(node(3), node(1)));
        assert!(!alone.concerns(node(3), node(4)));
    }

    #[test]
    fn in_force_a_rule_names_nodes() {
        let refused = |text: &str| text.parse::<LinkRule>().unwrap_err().to_string();
        assert!(refused("cut 1->*").contains("names `*`"));
        assert!(refused("crash 1").contains("is not a fault of links"));
        let json = serde_json::to_string(&rule("cut 1<->2 unicast")).unwrap();
        assert_eq!(json, r#""cut 1<->2 unicast""#);
        assert_eq!(serde_json::from_str::<LinkRule>(&json).unwrap(), rule("cut 1<->2 unicast"));
    }
}
