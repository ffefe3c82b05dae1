//! `cut`, `isolate` and `partition`: nothing passes, or nothing of one channel.
//!
//! Invariant: no dice decide what it does to a datagram.

use std::fmt::{self, Display};

use super::{DatagramUnderFault, DrawnEffect, EffectStrength, FaultOutcome, LinkEffect, LinkSign, SendMode, always};
use crate::applicability::{Unsuited, by_unicast_only};
use crate::draw::{Draw, pick};
use crate::text::TextPiece;
use crate::{FaultEffect, FaultTextError, Form, LinkRule, Links, Target};
use protocol::{Assumption, Channel, NodeSet, Span};

/// Nothing passes.
#[derive(Copy, Clone, Eq, PartialEq, Hash, Debug)]
pub struct Cut {
    /// The channel on which nothing passes; absent: both.
    pub channel: Option<SendMode>,
}

const WHOLE: Cut = Cut { channel: None };
const CUT: &str = "cut A->B`, `cut A<->B` or `cut A->B multicast";

impl LinkEffect for Cut {
    const FORMS: &'static [Form] = &[
        ("cut A->B", "lose all that A sends to B"),
        ("cut A<->B", "lose all between A and B"),
        ("cut A->B multicast", "lose all broadcasts from A to B, and nothing else"),
        ("cut A->B unicast", "lose all unicasts from A to B; with `<->`, lose them in both directions"),
        ("isolate N", "lose all that N sends or should receive"),
        ("partition 1,2|3,4,5", "lose all between the parts"),
    ];
    const DRAWN: &'static [DrawnEffect] = &[
        DrawnEffect { name: "cut", breaks: Assumption::DeliveryInTime, fits: always, draw: |draw| drawn(draw, whole) },
        DrawnEffect {
            name: "isolate",
            breaks: Assumption::DeliveryInTime,
            fits: always,
            draw: |draw| rule(Links::Around(draw.node()), WHOLE),
        },
        DrawnEffect {
            name: "partition",
            breaks: Assumption::DeliveryInTime,
            fits: always,
            draw: |draw| rule(Links::Across(draw.parts()), WHOLE),
        },
        DrawnEffect {
            name: "cut of a channel",
            breaks: Assumption::DeliveryInTime,
            fits: always,
            draw: |draw| drawn(draw, of_channel),
        },
    ];

    fn read(verb: &str, rest: TextPiece<'_>) -> Option<Result<(Links<Target>, Cut), FaultTextError>> {
        Some(match verb {
            "cut" => cut(rest),
            "isolate" => rest.target("isolate N").map(|target| (Links::Around(target), WHOLE)),
            "partition" => parts(rest).map(|parts| (Links::Across(parts), WHOLE)),
            _ => return None,
        })
    }

    fn write<T: Display>(&self, links: &Links<T>, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let verb = match links {
            Links::To { .. } | Links::Between { .. } => "cut",
            Links::Around(_) => "isolate",
            Links::Across(_) => "partition",
        };
        write!(f, "{verb} {links}")?;
        self.channel.map_or(Ok(()), |channel| write!(f, " {channel}"))
    }

    fn sign<T>(&self, links: &Links<T>) -> Option<LinkSign> {
        Some(match (self.channel, links) {
            (Some(SendMode::Multicast), _) => LinkSign::new(EffectStrength::Loses, "✗m"),
            (Some(SendMode::Unicast), _) => LinkSign::new(EffectStrength::Loses, "✗u"),
            (None, Links::To { .. } | Links::Between { .. }) => LinkSign::new(EffectStrength::Severs, "✗"),
            (None, Links::Around(_)) => LinkSign::new(EffectStrength::Severs, "✗i"),
            (None, Links::Across(_)) => LinkSign::new(EffectStrength::Severs, "✗p"),
        })
    }

    fn breaks(&self, _: Span) -> Option<Assumption> {
        Some(Assumption::DeliveryInTime)
    }

    fn leaves_to_chance(&self) -> &'static [Assumption] {
        &[]
    }

    fn fate(&self, encounter: &DatagramUnderFault<'_>) -> FaultOutcome {
        let is_lost = self.channel.is_none_or(|channel| channel.carries(encounter.passage));
        if is_lost { FaultOutcome::Lost } else { FaultOutcome::Passes }
    }

    fn suits(&self, links: &Links<Target>, channel: Channel, _: NodeSet) -> Result<(), Unsuited> {
        if self.channel != Some(SendMode::Multicast) || channel == Channel::Multicast {
            return Ok(());
        }
        let cut = LinkRule { links: links.clone(), effect: FaultEffect::Cut(WHOLE) };
        Err(by_unicast_only(format!("write `{cut}`, or use an algorithm that broadcasts by multicast")))
    }
}

fn rule(links: Links<Target>, cut: Cut) -> LinkRule<Target> {
    LinkRule { links, effect: FaultEffect::Cut(cut) }
}

/// A cut one way or both.
fn drawn(draw: &mut dyn Draw, what: fn(&mut dyn Draw) -> Cut) -> LinkRule<Target> {
    let (from, to) = draw.link();
    let is_one_way = pick(draw, &[true, false]);
    let cut = what(draw);
    let links = if is_one_way { Links::To { from, to } } else { Links::Between { these: from, those: to } };
    rule(links, cut)
}

fn whole(_: &mut dyn Draw) -> Cut {
    WHOLE
}

fn of_channel(draw: &mut dyn Draw) -> Cut {
    let channels = if draw.channel() == Channel::Multicast { &SendMode::ALL[..] } else { &[SendMode::Unicast] };
    Cut { channel: Some(pick(draw, channels)) }
}

fn cut(rest: TextPiece<'_>) -> Result<(Links<Target>, Cut), FaultTextError> {
    let both = rest.split_once("<->");
    let sides = both.or_else(|| rest.split_once("->"));
    let (from, to) = sides.ok_or_else(|| rest.wrong("an arrow is missing here", CUT))?;
    let (to, word) = to.qualified();
    let (from, to) = (from.target(CUT)?, to.target(CUT)?);
    let channel = match word {
        None => None,
        Some(word) => {
            let what = || format!("`{}` is not a channel; write unicast or multicast", word.text);
            Some(SendMode::named(word.text).ok_or_else(|| word.wrong(what(), CUT))?)
        }
    };
    let links = if both.is_some() { Links::Between { these: from, those: to } } else { Links::To { from, to } };
    Ok((links, Cut { channel }))
}

fn parts(rest: TextPiece<'_>) -> Result<Vec<Target>, FaultTextError> {
    let form = "partition 1,2|3,4,5";
    let mut parts = Vec::new();
    let mut named = NodeSet::EMPTY;
    let mut left = Some(rest);
    while let Some(piece) = left {
        let (part, more) = match piece.split_once("|") {
            Some((part, more)) => (part, Some(more)),
            None => (piece, None),
        };
        let target = part.target(form)?;
        if let Target::Nodes(nodes) = &target {
            let twice = named.intersection(nodes);
            if !twice.is_empty() {
                return Err(part.wrong(format!("{twice} is in two parts"), form));
            }
            named = named.union(nodes);
        }
        parts.push(target);
        left = more;
    }
    if parts.len() < 2 { Err(rest.wrong("a second part is missing here", form)) } else { Ok(parts) }
}

#[cfg(test)]
mod tests {
    use crate::LinkVerdict;
    use crate::verdict::test::{bites, fault, multicast, unicast, verdict_of};

    #[test]
    fn a_cut_bites_one_way_or_both() {
        let (one, both) = (fault(1, "cut 1->2,3"), fault(2, "cut 1<->2,3"));
        assert!(bites(&one, &unicast(1, 3, 1)) && !bites(&one, &unicast(3, 1, 1)));
        assert!(bites(&both, &unicast(1, 3, 1)) && bites(&both, &unicast(3, 1, 1)) && !bites(&both, &unicast(2, 3, 1)));
    }

    #[test]
    fn a_cut_of_one_channel_leaves_the_other() {
        let broadcasts = fault(1, "cut 1->2 multicast");
        assert!(bites(&broadcasts, &multicast(1, 2, 1)));
        assert!(!bites(&broadcasts, &unicast(1, 2, 1)) && !bites(&broadcasts, &multicast(2, 1, 1)));
        let words = fault(1, "cut 1<->2 unicast");
        assert!(bites(&words, &unicast(1, 2, 1)) && bites(&words, &unicast(2, 1, 1)));
        assert!(!bites(&words, &multicast(1, 2, 1)) && !bites(&words, &unicast(1, 3, 1)));
    }

    #[test]
    fn a_cut_wins_over_a_hold() {
        let faults = [fault(1, "hold 1->2"), fault(2, "cut 1->2")];
        assert!(matches!(verdict_of(&faults, &unicast(1, 2, 1)), LinkVerdict::Drop(id) if id == faults[1].id));
    }
}
