//! Link faults in force and their verdict on one datagram at its receiver.
//!
//! Invariant: one throw per receiver; unicast and multicast are judged alike, but by rules that name
//! one of them. What [`verdict`] makes of
//! it breaks assumption 8.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use super::{BurstLength, Cast, Percent, ReleaseOrder, Tampering, Way, hears, holding, in_burst, throw};
use crate::protocol::{Incarnation, NodeId, NodeSet, Span};

/// The id of a fault: its ordinal in the session, from 1. Written `f3`.
#[derive(Copy, Clone, Eq, PartialEq, Ord, PartialOrd, Hash, Debug)]
pub struct FaultId(pub u32);

impl fmt::Display for FaultId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&format!("f{}", self.0))
    }
}

impl FromStr for FaultId {
    type Err = String;

    fn from_str(text: &str) -> Result<FaultId, String> {
        text.strip_prefix('f')
            .and_then(|number| number.parse().ok())
            .map(FaultId)
            .ok_or_else(|| format!("`{text}` is no fault id; they read `f1`, `f2` and so on"))
    }
}

impl Serialize for FaultId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for FaultId {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<FaultId, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(de::Error::custom)
    }
}

/// A link fault as nodes hold it: its targets are resolved.
#[derive(Clone, Eq, PartialEq, Hash, Debug, Serialize, Deserialize)]
pub struct LinkFault {
    /// Its id, and its ordinal for the dice.
    pub id: FaultId,
    /// The line it was ordered by, for the dice and for people.
    pub text: String,
    /// What it does.
    pub rule: LinkRule,
}

/// What a link fault does.
#[derive(Clone, Eq, PartialEq, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LinkRule {
    /// Nothing passes.
    Cut {
        /// Senders.
        from: NodeSet,
        /// Receivers.
        to: NodeSet,
        /// One way, or both.
        way: Way,
    },
    /// Nothing of one channel passes.
    CutChannel {
        /// Senders.
        from: NodeSet,
        /// Receivers.
        to: NodeSet,
        /// One way, or both.
        way: Way,
        /// The channel.
        cast: Cast,
    },
    /// Nothing passes to or from each of these.
    Isolate(NodeSet),
    /// Nothing passes between parts. Nodes that no part names are one more part.
    Partition(Vec<NodeSet>),
    /// Each datagram is lost with this chance.
    Loss {
        /// Senders.
        from: NodeSet,
        /// Receivers.
        to: NodeSet,
        /// The chance.
        percent: Percent,
    },
    /// Each datagram is lost with this chance, in bursts.
    BurstLoss {
        /// Senders.
        from: NodeSet,
        /// Receivers.
        to: NodeSet,
        /// The chance.
        percent: Percent,
        /// Their mean length.
        bursts: BurstLength,
    },
    /// Of each broadcast only some of these receivers hear it.
    Partial {
        /// Senders.
        from: NodeSet,
        /// Receivers.
        to: NodeSet,
        /// How many.
        hear: u16,
    },
    /// Each datagram is held for a time drawn from this range.
    Delay {
        /// Senders.
        from: NodeSet,
        /// Receivers.
        to: NodeSet,
        /// At least so long.
        shortest: Span,
        /// At most so long.
        longest: Span,
    },
    /// Each datagram is kept back until it is released.
    Hold {
        /// Senders.
        from: NodeSet,
        /// Receivers.
        to: NodeSet,
    },
    /// What earlier holds keep back on these links comes, and they hold these links no longer.
    Release {
        /// Senders.
        from: NodeSet,
        /// Receivers.
        to: NodeSet,
        /// In which order.
        order: ReleaseOrder,
    },
    /// Each datagram is tampered with by this chance.
    Tamper {
        /// What is done to it.
        how: Tampering,
        /// Senders.
        from: NodeSet,
        /// Receivers.
        to: NodeSet,
        /// The chance.
        percent: Percent,
    },
}

impl LinkRule {
    /// Whether it concerns what `from` sends to `to`.
    pub fn concerns(&self, from: NodeId, to: NodeId) -> bool {
        let along = |senders: &NodeSet, receivers: &NodeSet| senders.contains(from) && receivers.contains(to);
        match self {
            LinkRule::Cut { from: senders, to: receivers, way }
            | LinkRule::CutChannel { from: senders, to: receivers, way, .. } => {
                along(senders, receivers) || *way == Way::Both && senders.contains(to) && receivers.contains(from)
            }
            LinkRule::Isolate(nodes) => nodes.contains(from) || nodes.contains(to),
            LinkRule::Partition(parts) => {
                let part_of = |node| parts.iter().position(|part| part.contains(node));
                part_of(from) != part_of(to)
            }
            LinkRule::Loss { from: senders, to: receivers, .. }
            | LinkRule::BurstLoss { from: senders, to: receivers, .. }
            | LinkRule::Partial { from: senders, to: receivers, .. }
            | LinkRule::Delay { from: senders, to: receivers, .. }
            | LinkRule::Hold { from: senders, to: receivers }
            | LinkRule::Release { from: senders, to: receivers, .. }
            | LinkRule::Tamper { from: senders, to: receivers, .. } => along(senders, receivers),
        }
    }
}

/// One datagram at one receiver.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
pub struct Passage {
    /// Its sender.
    pub from: NodeId,
    /// The receiver.
    pub to: NodeId,
    /// Whether it came by multicast.
    pub multicast: bool,
    /// The sender's incarnation.
    pub incarnation: Incarnation,
    /// Its number on that channel.
    pub sequence: u64,
}

/// What becomes of a datagram.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
pub enum Verdict {
    /// It passes.
    Deliver,
    /// It is lost.
    Drop(FaultId),
    /// It is held back; the id is that of the fault which holds it longest.
    Hold(FaultId, Span),
    /// It is kept until it is released, and what delays it counts from now all the same.
    Keep(FaultId, Span),
}

/// What the faults in force make of a datagram. A loss wins over a delay and a hold; delays
/// add up, and count from the arrival also of what is held.
pub fn verdict(faults: &[LinkFault], seed: u64, passage: &Passage) -> Verdict {
    let mut held = Span::ZERO;
    let mut longest_hold: Option<(FaultId, Span)> = None;
    for fault in faults.iter().filter(|fault| fault.rule.concerns(passage.from, passage.to)) {
        match &fault.rule {
            LinkRule::Cut { .. } | LinkRule::Isolate(_) | LinkRule::Partition(_) => return Verdict::Drop(fault.id),
            LinkRule::Loss { percent, .. } => {
                if throw(seed, fault, passage, 0) < percent.fraction() {
                    return Verdict::Drop(fault.id);
                }
            }
            LinkRule::CutChannel { cast, .. } => {
                if cast.carries(passage) {
                    return Verdict::Drop(fault.id);
                }
            }
            LinkRule::BurstLoss { percent, bursts, .. } => {
                if in_burst(fault, seed, passage, *percent, *bursts) {
                    return Verdict::Drop(fault.id);
                }
            }
            LinkRule::Partial { to, hear, .. } => {
                if !hears(fault, seed, passage, to, *hear) {
                    return Verdict::Drop(fault.id);
                }
            }
            LinkRule::Delay { shortest, longest, .. } => {
                let spread = longest.saturating_sub(*shortest);
                let span = *shortest + spread.scaled(throw(seed, fault, passage, 1));
                held = held + span;
                if longest_hold.is_none_or(|(_, longest)| span > longest) {
                    longest_hold = Some((fault.id, span));
                }
            }
            // See `holding`: a hold counts only if no release behind it frees the link.
            LinkRule::Hold { .. } | LinkRule::Release { .. } => {}
            // It loses and holds nothing: see `tampered`.
            LinkRule::Tamper { .. } => {}
        }
    }
    if let Some(by) = holding(faults, passage.from, passage.to) {
        return Verdict::Keep(by, held);
    }
    match longest_hold {
        Some((id, _)) => Verdict::Hold(id, held),
        None => Verdict::Deliver,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn node(number: u16) -> NodeId {
        NodeId::new(number).unwrap()
    }

    fn set(text: &str) -> NodeSet {
        text.parse().unwrap()
    }

    fn fault(id: u32, rule: LinkRule) -> LinkFault {
        LinkFault { id: FaultId(id), text: format!("fault {id}"), rule }
    }

    fn passage(from: u16, to: u16, sequence: u64) -> Passage {
        Passage { from: node(from), to: node(to), multicast: false, incarnation: Incarnation(1), sequence }
    }

    #[test]
    fn a_cut_bites_one_way_or_both() {
        let one = fault(1, LinkRule::Cut { from: set("1"), to: set("2,3"), way: Way::OneWay });
        let both = fault(2, LinkRule::Cut { from: set("1"), to: set("2,3"), way: Way::Both });
        let bites = |fault: &LinkFault, from, to| {
            verdict(std::slice::from_ref(fault), 1, &passage(from, to, 1)) == Verdict::Drop(fault.id)
        };
        assert!(bites(&one, 1, 3) && !bites(&one, 3, 1));
        assert!(bites(&both, 1, 3) && bites(&both, 3, 1) && !bites(&both, 2, 3));
    }

    #[test]
    fn a_cut_of_one_channel_leaves_the_other() {
        let cut = |way, cast| fault(1, LinkRule::CutChannel { from: set("1"), to: set("2"), way, cast });
        let bites = |fault: &LinkFault, from, to, multicast| {
            let passage = Passage { multicast, ..passage(from, to, 1) };
            verdict(std::slice::from_ref(fault), 1, &passage) == Verdict::Drop(fault.id)
        };
        let broadcasts = cut(Way::OneWay, Cast::Multicast);
        assert!(bites(&broadcasts, 1, 2, true) && !bites(&broadcasts, 1, 2, false) && !bites(&broadcasts, 2, 1, true));
        let words = cut(Way::Both, Cast::Unicast);
        assert!(bites(&words, 1, 2, false) && bites(&words, 2, 1, false) && !bites(&words, 1, 2, true));
        assert!(!bites(&words, 1, 3, false));
    }

    #[test]
    fn a_partition_puts_the_unnamed_in_a_part_of_their_own() {
        let parted = LinkRule::Partition(vec![set("1,2"), set("3")]);
        assert!(parted.concerns(node(1), node(3)) && parted.concerns(node(4), node(1)));
        assert!(!parted.concerns(node(1), node(2)) && !parted.concerns(node(4), node(5)));
    }

    #[test]
    fn isolation_bites_between_two_that_are_isolated_together() {
        let alone = LinkRule::Isolate(set("1,2"));
        assert!(alone.concerns(node(1), node(2)) && alone.concerns(node(3), node(1)));
        assert!(!alone.concerns(node(3), node(4)));
    }

    #[test]
    fn loss_keeps_to_its_share_and_repeats() {
        let lossy = [fault(1, LinkRule::Loss { from: set("1"), to: set("2"), percent: "30%".parse().unwrap() })];
        let lost = |seed| -> Vec<u64> {
            (0..10_000)
                .filter(|sequence| verdict(&lossy, seed, &passage(1, 2, *sequence)) == Verdict::Drop(FaultId(1)))
                .collect()
        };
        // The 99.99 % interval of 30 % in ten thousand throws; the seed is fixed, so this cannot flicker.
        assert!((2_820..3_180).contains(&lost(7).len()), "{}", lost(7).len());
        assert_eq!(lost(7), lost(7));
        assert_ne!(lost(7), lost(8));
    }

    #[test]
    fn a_hold_wins_over_a_delay_and_a_loss_over_a_hold_and_a_release_leaves_neither() {
        let span = Span::from_millis(10);
        let (from, to) = (set("1"), set("2"));
        let slow = fault(1, LinkRule::Delay { from, to, shortest: span, longest: span });
        let held = fault(2, LinkRule::Hold { from, to });
        let lost = fault(3, LinkRule::Cut { from, to, way: Way::OneWay });
        let freed = fault(4, LinkRule::Release { from, to, order: ReleaseOrder::InOrder });
        let judged =
            |faults: &[&LinkFault]| verdict(&faults.iter().copied().cloned().collect::<Vec<_>>(), 1, &passage(1, 2, 1));
        assert_eq!(judged(&[&slow, &held]), Verdict::Keep(FaultId(2), span));
        assert_eq!(judged(&[&held]), Verdict::Keep(FaultId(2), Span::ZERO));
        assert_eq!(judged(&[&slow, &held, &lost]), Verdict::Drop(FaultId(3)));
        assert_eq!(judged(&[&slow, &held, &freed]), Verdict::Hold(FaultId(1), span));
        assert_eq!(judged(&[&held, &freed]), Verdict::Deliver);
        assert_eq!(verdict(&[held], 1, &passage(2, 1, 1)), Verdict::Deliver);
    }

    #[test]
    fn delays_add_up_and_stay_in_their_range() {
        let slow = |id, low, high| {
            let (shortest, longest) = (Span::from_millis(low), Span::from_millis(high));
            fault(id, LinkRule::Delay { from: set("1"), to: set("2"), shortest, longest })
        };
        let fixed = [slow(1, 10, 10), slow(2, 30, 30)];
        assert_eq!(verdict(&fixed, 1, &passage(1, 2, 1)), Verdict::Hold(FaultId(2), Span::from_millis(40)));
        let range = [slow(1, 10, 20)];
        for sequence in 0..100 {
            let Verdict::Hold(_, span) = verdict(&range, 1, &passage(1, 2, sequence)) else { panic!("not held") };
            assert!((Span::from_millis(10)..=Span::from_millis(20)).contains(&span));
        }
    }
}
