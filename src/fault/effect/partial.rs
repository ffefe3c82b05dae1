//! Partial broadcast: only a given number of receivers hear each broadcast, drawn anew each time.
//!
//! Every receiver throws for all of them, and so knows by itself whether it hears the broadcast: the lowest throws hear
//! it. No node has to ask another, and the dice stay a function of seed, fault and datagram.
//!
//! Invariant: exactly that many hear a broadcast, whichever receiver computes it and in whichever order.

use std::fmt::{self, Display};

use super::{DatagramUnderFault, DrawnEffect, EffectStrength, FaultOutcome, LinkEffect, LinkSign};
use crate::applicability::{Unsuited, by_unicast_only};
use crate::draw::Draw;
use crate::text::TextPiece;
use crate::{FaultEffect, FaultTextError, Form, LinkRule, Links, Passage, Target, throw};
use protocol::{Assumption, Channel, NodeId, NodeSet, Span};

/// Only some of the receivers hear each broadcast.
#[derive(Copy, Clone, Eq, PartialEq, Hash, Debug)]
pub struct Partial {
    /// How many.
    pub hear: u16,
}

/// The salt of its throws.
const SALT: u8 = 32;

impl LinkEffect for Partial {
    const FORMS: &'static [Form] =
        &[("partial A->B K", "only K nodes of B, drawn anew each time, hear each broadcast of A")];
    const DRAWN: &'static [DrawnEffect] = &[DrawnEffect {
        name: "partial",
        breaks: Assumption::DeliveryInTime,
        // With two nodes all or none hear a broadcast, and that is a cut.
        fits: |channel, nodes| nodes > 2 && channel == Channel::Multicast,
        draw: drawn,
    }];

    fn read(verb: &str, rest: TextPiece<'_>) -> Option<Result<(Links<Target>, Partial), FaultTextError>> {
        (verb == "partial").then(|| {
            let form = "partial A->B K";
            let (links, measure) = rest.links_and_measure(form)?;
            match measure.text.parse() {
                Ok(hear @ 1..) => Ok((links, Partial { hear })),
                _ => {
                    let what = format!("`{}` is not a number of receivers; write 1 or more", measure.text);
                    Err(measure.wrong(what, form))
                }
            }
        })
    }

    fn write<T: Display>(&self, links: &Links<T>, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "partial {links} {}", self.hear)
    }

    fn sign<T>(&self, _: &Links<T>) -> Option<LinkSign> {
        Some(LinkSign::new(EffectStrength::Loses, format!("p{}", self.hear)))
    }

    fn breaks(&self, _: Span) -> Option<Assumption> {
        Some(Assumption::DeliveryInTime)
    }

    fn fate(&self, encounter: &DatagramUnderFault<'_>) -> FaultOutcome {
        let Links::To { to, .. } = &encounter.fault.rule.links else { return FaultOutcome::Passes };
        if self.is_heard(encounter, to) { FaultOutcome::Passes } else { FaultOutcome::Lost }
    }

    fn suits(&self, links: &Links<Target>, channel: Channel, all: NodeSet) -> Result<(), Unsuited> {
        let Links::To { from, to } = links else { return Ok(()) };
        if channel == Channel::Unicast {
            let remedy =
                format!("write for example `loss {from}->{to} 30%`, or use an algorithm that broadcasts by multicast");
            return Err(by_unicast_only(remedy));
        }
        let senders = from.known(all).unwrap_or(all);
        let receivers = |from| match to.known(all) {
            Some(nodes) => nodes.minus(&NodeSet::of(from)).len(),
            None => 1,
        };
        let most = senders.iter().map(receivers).max().unwrap_or(0);
        if usize::from(self.hear) < most {
            return Ok(());
        }
        Err(Unsuited {
            what: format!(
                "{} nodes hear each broadcast, and it has at most {most} receivers: this loses nothing",
                self.hear
            ),
            expected: "expected fewer nodes than receivers".to_owned(),
            remedy: "name more receivers, such as `*`, or write a smaller number".to_owned(),
        })
    }
}

impl Partial {
    /// Whether the datagram's receiver is one of these receivers that hear it. All hear a datagram that is not a
    /// multicast.
    fn is_heard(&self, encounter: &DatagramUnderFault<'_>, receivers: &NodeSet) -> bool {
        let DatagramUnderFault { seed, fault, passage } = *encounter;
        if !passage.multicast {
            return true;
        }
        let place = |node: NodeId| (throw(seed, fault, &Passage { to: node, ..*passage }, SALT), node);
        let (mine, hear) = (place(passage.to), usize::from(self.hear));
        let others = receivers.iter().filter(|node| *node != passage.to && *node != passage.from);
        others.filter(|node| place(*node) < mine).take(hear).count() < hear
    }
}

fn drawn(draw: &mut dyn Draw) -> LinkRule<Target> {
    let from = draw.node_or_all();
    // At most one less than without the fault.
    let most = draw.all().len() as u64 - 2;
    let hear = draw.within(1, most) as u16;
    LinkRule { links: Links::To { from, to: Target::All }, effect: FaultEffect::Partial(Partial { hear }) }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::verdict::test::{fault, verdict_by};
    use crate::{LinkFault, LinkVerdict};
    use protocol::Incarnation;

    fn partial(hear: u16) -> LinkFault {
        fault(1, &format!("partial 2->1-6 {hear}"))
    }

    /// Who hears this broadcast of 2.
    fn hearers(fault: &LinkFault, seed: u64, sequence: u64) -> NodeSet {
        let node = |number| NodeId::new(number).unwrap();
        let heard = |to: &NodeId| {
            let passage = Passage { from: node(2), to: *to, multicast: true, incarnation: Incarnation(1), sequence };
            verdict_by(std::slice::from_ref(fault), seed, &passage) == LinkVerdict::Deliver
        };
        [1, 3, 4, 5, 6].map(node).into_iter().filter(heard).collect()
    }

    #[test]
    fn of_each_broadcast_exactly_so_many_hear_and_it_repeats() {
        for hear in 1..5 {
            let fault = partial(hear);
            for sequence in 0..500 {
                assert_eq!(hearers(&fault, 7, sequence).len(), usize::from(hear), "broadcast {sequence}");
                assert_eq!(hearers(&fault, 7, sequence), hearers(&fault, 7, sequence));
            }
        }
        assert!((0..50).any(|sequence| hearers(&partial(2), 7, sequence) != hearers(&partial(2), 8, sequence)));
    }

    #[test]
    fn each_set_of_hearers_is_as_likely_as_any_other() {
        let mut drawn: BTreeMap<String, u32> = BTreeMap::new();
        for sequence in 0..10_000 {
            *drawn.entry(hearers(&partial(2), 7, sequence).to_string()).or_default() += 1;
        }
        // Ten pairs; the 99.99 % interval of a tenth in ten thousand throws. The seed is fixed, so this cannot flicker.
        assert_eq!(drawn.len(), 10);
        assert!(drawn.values().all(|times| (884..1_118).contains(times)), "{drawn:?}");
    }

    #[test]
    fn unicasts_other_senders_and_other_receivers_are_not_bitten() {
        let node = |number| NodeId::new(number).unwrap();
        let passes = |from, to, multicast, sequence| {
            let passage = Passage { from: node(from), to: node(to), multicast, incarnation: Incarnation(1), sequence };
            verdict_by(&[partial(1)], 7, &passage) == LinkVerdict::Deliver
        };
        assert!((0..200).all(|sequence| passes(2, 1, false, sequence)));
        assert!((0..200).all(|sequence| passes(3, 1, true, sequence) && passes(2, 7, true, sequence)));
    }
}
