//! `deliver`, `drop`, `double` and `first`: a person's hand in the queue of a held link, one datagram at a time.
//!
//! The hold stays in force. A datagram that is let go by hand is delivered behind the order filter, and so is each one
//! that it overtakes: so an act breaks assumption 7 where a reversed release, in front of the filter, loses messages. A
//! receiver does an act once, when it is told of it, and keeps no rule of it.
//!
//! Invariant: an act concerns one datagram of one link. If that datagram does not wait there, nothing is done.

use std::fmt::{self, Display};
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::{DrawnEffect, LinkEffect, LinkSign};
use crate::text::TextPiece;
use crate::{FaultTextError, Form, Links, Passage, Target, Unsuited};
use protocol::{Assumption, Channel, Incarnation, NodeId, NodeSet, Span};

/// An act on one held datagram.
#[derive(Copy, Clone, Eq, PartialEq, Hash, Debug)]
pub struct Courier {
    /// What is done.
    pub act: CourierAct,
    /// To which datagram.
    pub datagram: DatagramName,
}

protocol::worded! {
    /// What is done to a held datagram.
    #[derive(Copy, Clone, Eq, PartialEq, Hash, Debug)]
    pub enum CourierAct {
        /// Is delivered now, and the others wait on.
        Deliver = "deliver",
        /// Is lost.
        Drop = "drop",
        /// Is delivered now, twice.
        Double = "double",
        /// Waits on, before all others.
        First = "first",
    }
}

/// The name of a held datagram on its link.
#[derive(Copy, Clone, Eq, PartialEq, Hash, Debug)]
pub enum DatagramName {
    /// The one that would be delivered next.
    Next,
    /// The one that would be delivered last.
    Last,
    /// The one with this number.
    Numbered {
        /// The node that sent it first; absent if that is the link's sender, and not another one that it relays.
        of: Option<NodeId>,
        /// Whether it came by multicast.
        multicast: bool,
        /// The incarnation of the node that sent it first.
        incarnation: Incarnation,
        /// The number on that channel.
        sequence: u64,
    },
}

/// Why an act was not done. Nothing was changed.
#[derive(Copy, Clone, Eq, PartialEq, Debug, Serialize, Deserialize, thiserror::Error)]
#[serde(rename_all = "kebab-case")]
pub enum CourierRefusal {
    /// The link's queue does not have it.
    #[error("that datagram does not wait there: it has not come, or it was delivered or lost before")]
    NotThere,
    /// Is a copy of an ordered broadcast.
    #[error("it is a copy of an ordered broadcast, and of these a node takes only one: nothing can be doubled")]
    OneOfMany,
}

/// Why a text is not the name of a held datagram.
#[derive(Clone, Eq, PartialEq, Debug, thiserror::Error)]
#[error(
    "`{0}` names no datagram; write `next`, `last` or its number as the links screen shows it, such as `7`, or `2.7` if \
     its sender had started twice"
)]
pub struct DatagramNameError(String);

impl CourierAct {
    /// What it does, for a person who chooses among them.
    pub fn about(self) -> &'static str {
        Courier::FORMS[self as usize].1
    }
}

impl DatagramName {
    /// Whether it is the name of the datagram at this place of so many that wait, on the link from this node. The
    /// passage of a copy of an ordered broadcast is the broadcast's own.
    pub fn is_of(&self, from: NodeId, passage: &Passage, place: usize, count: usize) -> bool {
        match *self {
            DatagramName::Next => place == 0,
            DatagramName::Last => place + 1 == count,
            DatagramName::Numbered { of, multicast, incarnation, sequence } => {
                (of.unwrap_or(from), multicast, incarnation, sequence)
                    == (passage.from, passage.multicast, passage.incarnation, passage.sequence)
            }
        }
    }
}

impl LinkEffect for Courier {
    const FORMS: &'static [Form] = &[
        ("deliver A->B N", "deliver the held datagram N now; the others wait on"),
        ("drop A->B N", "lose the held datagram N"),
        ("double A->B N", "deliver the held datagram N now, twice"),
        ("first A->B N", "let the held datagram N wait before all others"),
    ];
    // What a hold keeps depends on the moment, and a swarm draws its faults before the lab begins.
    const DRAWN: &'static [DrawnEffect] = &[];

    fn read(verb: &str, rest: TextPiece<'_>) -> Option<Result<(Links<Target>, Courier), FaultTextError>> {
        let act = CourierAct::named(verb)?;
        let form = Courier::FORMS[act as usize].0;
        Some(rest.links_and_measure(form).and_then(|(links, name)| {
            let datagram = name.text.parse().map_err(|error: DatagramNameError| name.wrong(error, form))?;
            Ok((links, Courier { act, datagram }))
        }))
    }

    fn write<T: Display>(&self, links: &Links<T>, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {links} {}", self.act, self.datagram)
    }

    fn sign<T>(&self, _: &Links<T>) -> Option<LinkSign> {
        None
    }

    fn breaks(&self, _: Span) -> Option<Assumption> {
        match self.act {
            // The next one may be delivered in time.
            CourierAct::Deliver => None,
            CourierAct::Drop => Some(Assumption::DeliveryInTime),
            CourierAct::Double | CourierAct::First => Some(Assumption::Order),
        }
    }

    fn leaves_to_chance(&self) -> &'static [Assumption] {
        &[Assumption::DeliveryInTime, Assumption::Order]
    }

    fn stays(&self) -> bool {
        false
    }

    fn suits(&self, links: &Links<Target>, _: Channel, all: NodeSet) -> Result<(), Unsuited> {
        let is_one = |target: &Target| target.known(all).is_none_or(|nodes| nodes.len() == 1);
        if links.targets().into_iter().all(is_one) {
            return Ok(());
        }
        Err(Unsuited {
            what: format!("`{}` is about one datagram, and this names more than one link", self.act),
            expected: "expected one sender and one receiver".to_owned(),
            remedy: format!("write for example `{} 1->2 {}`", self.act, self.datagram),
        })
    }
}

impl Display for DatagramName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            DatagramName::Next => f.write_str("next"),
            DatagramName::Last => f.write_str("last"),
            DatagramName::Numbered { of, multicast, incarnation, sequence } => {
                if let Some(of) = of {
                    write!(f, "{of}:")?;
                }
                f.write_str(if *multicast { "m" } else { "" })?;
                // Most processes start once.
                if *incarnation == FIRST { write!(f, "{sequence}") } else { write!(f, "{incarnation}.{sequence}") }
            }
        }
    }
}

/// The incarnation that a name leaves out.
const FIRST: Incarnation = Incarnation(1);

impl FromStr for DatagramName {
    type Err = DatagramNameError;

    fn from_str(text: &str) -> Result<DatagramName, DatagramNameError> {
        let wrong = || DatagramNameError(text.to_owned());
        match text {
            "next" => return Ok(DatagramName::Next),
            "last" => return Ok(DatagramName::Last),
            _ => {}
        }
        let (of, rest) = match text.split_once(':') {
            Some((of, rest)) => (Some(of.parse().map_err(|_| wrong())?), rest),
            None => (None, text),
        };
        let (multicast, rest) = rest.strip_prefix('m').map_or((false, rest), |rest| (true, rest));
        let (incarnation, sequence) = match rest.split_once('.') {
            Some((incarnation, sequence)) => (Incarnation(number(incarnation).ok_or_else(wrong)?), sequence),
            None => (FIRST, rest),
        };
        let sequence = number(sequence).ok_or_else(wrong)?;
        Ok(DatagramName::Numbered { of, multicast, incarnation, sequence })
    }
}

/// A number without a sign, from 1.
fn number<N: FromStr + Default + PartialEq>(text: &str) -> Option<N> {
    let is_number = text.chars().all(|c| c.is_ascii_digit());
    text.parse().ok().filter(|number| is_number && *number != N::default())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::FaultLine;

    #[test]
    fn a_name_reads_back_what_it_prints_and_nothing_else_is_one() {
        for text in ["next", "last", "7", "2.7", "m7", "m2.7", "3:m7", "3:m2.7"] {
            assert_eq!(text.parse::<DatagramName>().unwrap().to_string(), text);
        }
        assert_eq!("1.7".parse::<DatagramName>().unwrap().to_string(), "7");
        for text in ["", "0", "-7", "+7", "7.", ".7", "0.7", "m", "x:7", "newest", "7.7.7"] {
            assert!(text.parse::<DatagramName>().is_err(), "{text}");
        }
    }

    #[test]
    fn each_act_says_what_it_breaks_and_names_one_link() {
        let broken = |line: &str| line.parse::<FaultLine>().unwrap().breaks(Span::from_millis(100));
        assert_eq!(broken("deliver 1->2 7"), None);
        assert_eq!(broken("drop 1->2 7"), Some(Assumption::DeliveryInTime));
        assert_eq!(
            (broken("double 1->2 7"), broken("first 1->2 7")),
            (Some(Assumption::Order), Some(Assumption::Order))
        );
        let suits = |line: &str| {
            let FaultLine::Link(rule) = line.parse().unwrap() else { panic!("{line}") };
            rule.effect.suits(&rule.links, Channel::Unicast, "1-5".parse().unwrap()).map_err(|why| why.what)
        };
        assert_eq!(suits("first coordinator->2 last"), Ok(()));
        let several = "`drop` is about one datagram, and this names more than one link";
        assert_eq!(suits("drop 1,3->2 7"), Err(several.to_owned()));
        assert_eq!(suits("drop 1->* 7"), Err(several.to_owned()));
    }

    #[test]
    fn a_datagram_has_one_name_and_a_relayed_one_that_of_its_first_sender() {
        let node = |number| NodeId::new(number).unwrap();
        let passage =
            Passage { from: node(1), to: node(2), multicast: false, incarnation: Incarnation(2), sequence: 7 };
        let is_of = |name: &str, from, passage: &Passage, place| {
            name.parse::<DatagramName>().unwrap().is_of(node(from), passage, place, 3)
        };
        assert!(is_of("2.7", 1, &passage, 1) && !is_of("7", 1, &passage, 1) && !is_of("m2.7", 1, &passage, 1));
        assert!(is_of("next", 1, &passage, 0) && !is_of("next", 1, &passage, 1));
        assert!(is_of("last", 1, &passage, 2) && !is_of("last", 1, &passage, 1));
        let relayed = Passage { multicast: true, ..passage };
        assert!(is_of("1:m2.7", 3, &relayed, 1) && !is_of("m2.7", 3, &relayed, 1));
    }
}
