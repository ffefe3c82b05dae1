//! `loss`: each datagram is lost with a chance, independently or in bursts ([`super::burst`]).
//!
//! Invariant: one throw per receiver; a loss treats unicast and multicast alike.

use std::fmt::{self, Display};

use super::burst::in_burst;
use super::{BurstLength, DatagramUnderFault, DrawnEffect, EffectStrength, FaultOutcome, LinkEffect, LinkSign, always};
use crate::draw::pick;
use crate::text::TextPiece;
use crate::{FaultEffect, FaultTextError, Form, LinkRule, Links, Percent, Target, throw};
use protocol::{Assumption, NodeSet, Span};

/// Each datagram is lost with this chance.
#[derive(Copy, Clone, Eq, PartialEq, Hash, Debug)]
pub struct Loss {
    /// The chance.
    pub percent: Percent,
    /// The mean length of bursts; absent: each loss is independent.
    pub bursts: Option<BurstLength>,
}

/// The salt of its throw.
const SALT: u8 = 0;
/// The word between a loss and the length of its bursts.
const BURSTS: &str = " bursts";
const SHARES: [u8; 6] = [5, 10, 20, 30, 50, 80];

impl LinkEffect for Loss {
    const FORMS: &'static [Form] = &[
        ("loss A->B P%", "lose each datagram from A to B with this chance"),
        ("loss A->B P% bursts L", "lose the same share, in runs of L datagrams on average"),
    ];
    const DRAWN: &'static [DrawnEffect] = &[
        DrawnEffect {
            name: "loss",
            breaks: Assumption::DeliveryInTime,
            fits: always,
            draw: |draw| {
                let (from, to) = draw.link();
                let percent = Percent::whole(pick(draw, &SHARES));
                LinkRule { links: Links::To { from, to }, effect: FaultEffect::Loss(Loss { percent, bursts: None }) }
            },
        },
        DrawnEffect {
            name: "loss in bursts",
            breaks: Assumption::DeliveryInTime,
            fits: always,
            draw: |draw| {
                let (from, to) = draw.link();
                let percent = Percent::whole(pick(draw, &SHARES));
                let bursts = BurstLength::of_share(pick(draw, &[5, 10, 20, 50]), percent);
                let bursts = Some(bursts.expect("five in a row can lose four of five"));
                LinkRule { links: Links::To { from, to }, effect: FaultEffect::Loss(Loss { percent, bursts }) }
            },
        },
    ];

    fn read(verb: &str, rest: TextPiece<'_>) -> Option<Result<(Links<Target>, Loss), FaultTextError>> {
        (verb == "loss").then(|| match rest.split_once(BURSTS) {
            None => {
                let (links, percent) = rest.links_and_share("loss A->B P%")?;
                Ok((links, Loss { percent, bursts: None }))
            }
            Some((loss, length)) => {
                let form = "loss A->B P% bursts L";
                let (links, percent) = loss.links_and_share(form)?;
                let bursts = length.text.parse().and_then(|length: BurstLength| length.for_share(percent));
                let bursts = Some(bursts.map_err(|what| length.wrong(what, form))?);
                Ok((links, Loss { percent, bursts }))
            }
        })
    }

    fn write<T: Display>(&self, links: &Links<T>, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "loss {links} {}", self.percent)?;
        self.bursts.map_or(Ok(()), |bursts| write!(f, "{BURSTS} {bursts}"))
    }

    fn sign<T>(&self, _: &Links<T>) -> Option<LinkSign> {
        let bursts = if self.bursts.is_some() { "b" } else { "" };
        Some(LinkSign::new(EffectStrength::Loses, format!("{}{bursts}", self.percent)))
    }

    fn breaks(&self, _: Span) -> Option<Assumption> {
        Some(Assumption::DeliveryInTime)
    }

    fn fate(&self, encounter: &DatagramUnderFault<'_>) -> FaultOutcome {
        let DatagramUnderFault { seed, fault, passage } = *encounter;
        let is_lost = match self.bursts {
            None => throw(seed, fault, passage, SALT) < self.percent.fraction(),
            Some(bursts) => in_burst(fault, seed, passage, self.percent, bursts),
        };
        if is_lost { FaultOutcome::Lost } else { FaultOutcome::Passes }
    }

    fn proposal(nodes: NodeSet, _: Span) -> Option<(&'static str, String)> {
        Some(("loss", format!("loss {nodes}->* 30%")))
    }
}

#[cfg(test)]
mod tests {
    use crate::LinkVerdict;
    use crate::verdict::test::{fault, unicast, verdict_by};

    #[test]
    fn loss_keeps_to_its_share_and_repeats() {
        let lossy = [fault(1, "loss 1->2 30%")];
        let is_lost =
            |seed, sequence| verdict_by(&lossy, seed, &unicast(1, 2, sequence)) == LinkVerdict::Drop(lossy[0].id);
        let lost = |seed| -> Vec<u64> { (0..10_000).filter(|sequence| is_lost(seed, *sequence)).collect() };
        // The 99.99 % interval of 30 % in ten thousand throws; the seed is fixed, so this cannot flicker.
        assert!((2_820..3_180).contains(&lost(7).len()), "{}", lost(7).len());
        assert_eq!(lost(7), lost(7));
        assert_ne!(lost(7), lost(8));
    }
}
