//! `delay`: each datagram is held for a time, fixed or drawn from a range.
//!
//! Invariant: delays of several faults add up; each keeps the order of its link (the queue of the link does).

use std::fmt::{self, Display};

use super::{DatagramUnderFault, DrawnEffect, EffectStrength, FaultOutcome, LinkEffect, LinkSign, always};
use crate::draw::Draw;
use crate::text::TextPiece;
use crate::{FaultEffect, FaultTextError, Form, LinkRule, Links, Target, throw};
use protocol::{Assumption, NodeSet, Span, SpanTextError};

/// Each datagram is held for a time drawn from this range.
#[derive(Copy, Clone, Eq, PartialEq, Hash, Debug)]
pub struct Delay {
    /// At least this long.
    pub shortest: Span,
    /// At most this long.
    pub longest: Span,
}

/// The salt of its throw.
const SALT: u8 = 1;

impl LinkEffect for Delay {
    const FORMS: &'static [Form] = &[
        ("delay A->B D", "hold each datagram from A to B for D"),
        ("delay A->B D..D", "hold each datagram for a random time from this range"),
    ];
    const DRAWN: &'static [DrawnEffect] =
        &[DrawnEffect { name: "delay", breaks: Assumption::DeliveryInTime, fits: always, draw: drawn }];

    fn read(verb: &str, rest: TextPiece<'_>) -> Option<Result<(Links<Target>, Delay), FaultTextError>> {
        (verb == "delay").then(|| {
            let form = "delay A->B D` or `delay A->B D..D";
            let (links, measure) = rest.links_and_measure(form)?;
            let span = |piece: TextPiece<'_>| -> Result<Span, FaultTextError> {
                piece.text.parse().map_err(|error: SpanTextError| piece.wrong(error, form))
            };
            let (shortest, longest) = match measure.split_once("..") {
                None => (span(measure)?, span(measure)?),
                Some((low, high)) => (span(low)?, span(high)?),
            };
            if longest < shortest {
                return Err(measure.wrong("the range runs backwards", form));
            }
            Ok((links, Delay { shortest, longest }))
        })
    }

    fn write<T: Display>(&self, links: &Links<T>, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Delay { shortest, longest } = self;
        write!(f, "delay {links} {shortest}")?;
        if shortest == longest { Ok(()) } else { write!(f, "..{longest}") }
    }

    fn sign<T>(&self, _: &Links<T>) -> Option<LinkSign> {
        Some(LinkSign::new(EffectStrength::Slows, format!("+{}", self.longest)))
    }

    fn breaks(&self, one_way_bound: Span) -> Option<Assumption> {
        (self.longest > one_way_bound).then_some(Assumption::DeliveryInTime)
    }

    fn keeps_order(&self) -> bool {
        true
    }

    fn fate(&self, encounter: &DatagramUnderFault<'_>) -> FaultOutcome {
        let spread = self.longest.saturating_sub(self.shortest);
        let drawn = throw(encounter.seed, encounter.fault, encounter.passage, SALT);
        FaultOutcome::Waits(self.shortest + spread.scaled(drawn))
    }

    fn proposal(nodes: NodeSet, t: Span) -> Option<(&'static str, String)> {
        Some(("delay", format!("delay {nodes}->* {t}")))
    }
}

/// A range of delays, mostly within the bound, else longer; never so long that a run would have to wait for it.
fn drawn(draw: &mut dyn Draw) -> LinkRule<Target> {
    let (from, to) = draw.link();
    let bound = draw.one_way_bound();
    let (shortest, longest) = match draw.below(10) {
        0..6 => (draw.span(Span::ZERO, bound / 4), draw.span(bound / 4, bound * 3 / 4)),
        6..8 => (draw.span(Span::ZERO, bound), draw.span(bound, bound * 4)),
        _ => (draw.span(bound, bound * 2), draw.span(bound * 2, bound * 4)),
    };
    let shortest = if draw.chance(25) { longest } else { shortest };
    LinkRule { links: Links::To { from, to }, effect: FaultEffect::Delay(Delay { shortest, longest }) }
}

#[cfg(test)]
mod tests {
    use crate::verdict::test::{fault, unicast, verdict_of};
    use crate::{FaultId, LinkVerdict};
    use protocol::Span;

    #[test]
    fn delays_add_up_and_stay_in_their_range() {
        let fixed = [fault(1, "delay 1->2 10ms"), fault(2, "delay 1->2 30ms")];
        let both = LinkVerdict::Hold(FaultId(2), Span::from_millis(40));
        assert_eq!(verdict_of(&fixed, &unicast(1, 2, 1)), both);
        let range = [fault(1, "delay 1->2 10ms..20ms")];
        for sequence in 0..100 {
            let LinkVerdict::Hold(_, span) = verdict_of(&range, &unicast(1, 2, sequence)) else { panic!("not held") };
            assert!((Span::from_millis(10)..=Span::from_millis(20)).contains(&span));
        }
    }
}
