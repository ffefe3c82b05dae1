//! `throttle`: each link lets only a given number of datagrams pass in a second, evenly spaced; the others wait in
//! order, and those that find a full queue are lost.
//!
//! Invariant: a datagram that waits leaves its receiver's link no sooner than one spacing after the one before it.

use std::fmt::{self, Display};

use super::{DrawnEffect, EffectStrength, FaultOutcome, LinkEffect, LinkSign, always};
use crate::draw::{Draw, pick};
use crate::text::TextPiece;
use crate::{FaultEffect, FaultTextError, Form, LinkRule, Links, Target};
use protocol::{Assumption, NodeSet, Span};

/// Each link lets only a given number of datagrams pass in a second.
#[derive(Copy, Clone, Eq, PartialEq, Hash, Debug)]
pub struct Throttle {
    /// How many; at least one.
    per_second: u32,
}

/// At most this many datagrams of a link may wait.
const QUEUE_MAX: u64 = 64;
/// A higher rate would affect nothing that a lab sends.
const PER_SECOND_MAX: u32 = 10_000;
const FORM: &str = "throttle A->B K/s";
const SECOND: u64 = 1_000_000_000;

impl LinkEffect for Throttle {
    const FORMS: &'static [Form] =
        &[(FORM, "let K datagrams a second pass on each link; up to 64 others wait, and the rest are lost")];
    const DRAWN: &'static [DrawnEffect] =
        &[DrawnEffect { name: "throttle", breaks: Assumption::DeliveryInTime, fits: always, draw: drawn }];

    fn read(verb: &str, rest: TextPiece<'_>) -> Option<Result<(Links<Target>, Throttle), FaultTextError>> {
        (verb == "throttle").then(|| {
            let (links, measure) = rest.links_and_measure(FORM)?;
            let number = measure.text.strip_suffix("/s").and_then(|number| number.trim().parse().ok());
            match number {
                Some(per_second) if (1..=PER_SECOND_MAX).contains(&per_second) => Ok((links, Throttle { per_second })),
                _ => {
                    let what = format!(
                        "`{}` is not a rate; write how many a second, from 1/s to {PER_SECOND_MAX}/s",
                        measure.text
                    );
                    Err(measure.wrong(what, FORM))
                }
            }
        })
    }

    fn write<T: Display>(&self, links: &Links<T>, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "throttle {links} {}/s", self.per_second)
    }

    fn sign<T>(&self, _: &Links<T>) -> Option<LinkSign> {
        Some(LinkSign::new(EffectStrength::Slows, format!("{}/s", self.per_second)))
    }

    fn breaks(&self, _: Span) -> Option<Assumption> {
        Some(Assumption::DeliveryInTime)
    }

    fn keeps_order(&self) -> bool {
        true
    }

    fn queues(&self) -> bool {
        true
    }

    fn queue(&self, now: u64, next: &mut u64) -> FaultOutcome {
        let spacing = self.spacing();
        let wait = next.saturating_sub(now);
        // The last datagram that was let pass is in front of the queue and not in it.
        if wait.div_ceil(spacing) > QUEUE_MAX {
            return FaultOutcome::Lost;
        }
        *next = now + wait + spacing;
        if wait == 0 { FaultOutcome::Passes } else { FaultOutcome::Waits(Span::from_nanos(wait)) }
    }

    fn proposal(nodes: NodeSet, _: Span) -> Option<(&'static str, String)> {
        Some(("throttle", format!("throttle {nodes}->* 20/s")))
    }
}

impl Throttle {
    /// How far apart two datagrams are at least, in nanoseconds.
    fn spacing(self) -> u64 {
        SECOND.div_ceil(u64::from(self.per_second))
    }
}

/// A rate at which few datagrams of an election wait, or at which most come too late.
fn drawn(draw: &mut dyn Draw) -> LinkRule<Target> {
    let (from, to) = draw.link();
    let in_one_way = pick(draw, &[1, 2, 4, 8, 16]);
    let per_second = SECOND * in_one_way / draw.one_way_bound().nanos().max(1);
    let per_second = u32::try_from(per_second).unwrap_or(PER_SECOND_MAX).clamp(1, PER_SECOND_MAX);
    LinkRule { links: Links::To { from, to }, effect: FaultEffect::Throttle(Throttle { per_second }) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::verdict::test::{fault, unicast};
    use crate::{FaultId, LinkVerdict, RateLimits, verdict};

    const MS: u64 = 1_000_000;

    /// What happens to a datagram of that sender at that moment, at a receiver that lets 20 a second pass.
    fn at(paces: &mut RateLimits, from: u16, now: u64) -> LinkVerdict {
        verdict(&[fault(1, "throttle 1,3->2 20/s")], 1, &unicast(from, 2, 1), now, paces)
    }

    fn waits(ms: u64) -> LinkVerdict {
        LinkVerdict::Hold(FaultId(1), Span::from_millis(ms))
    }

    #[test]
    fn one_passes_and_the_next_wait_a_spacing_each_and_each_link_counts_by_itself() {
        let mut paces = RateLimits::default();
        assert_eq!(at(&mut paces, 1, 0), LinkVerdict::Deliver);
        assert_eq!(at(&mut paces, 1, 0), waits(50));
        assert_eq!(at(&mut paces, 1, 10 * MS), waits(90));
        assert_eq!(at(&mut paces, 3, 10 * MS), LinkVerdict::Deliver);
        assert_eq!(at(&mut paces, 1, 200 * MS), LinkVerdict::Deliver, "the queue is empty again");
        assert_eq!(at(&mut paces, 4, 200 * MS), LinkVerdict::Deliver, "its link has no throttle");
    }

    #[test]
    fn sixty_four_wait_and_the_next_is_lost_and_takes_no_place() {
        let mut paces = RateLimits::default();
        assert_eq!(at(&mut paces, 1, 0), LinkVerdict::Deliver);
        for place in 1..=64 {
            assert_eq!(at(&mut paces, 1, 0), waits(50 * place));
        }
        assert_eq!(at(&mut paces, 1, 0), LinkVerdict::Drop(FaultId(1)));
        assert_eq!(at(&mut paces, 1, 49 * MS), LinkVerdict::Drop(FaultId(1)));
        assert_eq!(at(&mut paces, 1, 50 * MS), waits(50 * 64));
    }

    #[test]
    fn what_is_lost_takes_no_place_and_a_delay_adds_to_the_wait() {
        let mut paces = RateLimits::default();
        let faults = [fault(1, "throttle 1->2 20/s"), fault(2, "cut 1->2 multicast"), fault(3, "delay 1->2 5ms")];
        let mut judged = |multicast| {
            let passage = crate::Passage { multicast, ..unicast(1, 2, 1) };
            verdict(&faults, 1, &passage, 0, &mut paces)
        };
        assert_eq!(judged(true), LinkVerdict::Drop(FaultId(2)));
        assert_eq!(judged(false), LinkVerdict::Hold(FaultId(3), Span::from_millis(5)));
        assert_eq!(judged(false), LinkVerdict::Hold(FaultId(1), Span::from_millis(55)));
    }

    #[test]
    fn a_throttle_that_is_over_leaves_no_trace() {
        let mut paces = RateLimits::default();
        at(&mut paces, 1, 0);
        paces.keep(&[]);
        assert_eq!(at(&mut paces, 1, 0), LinkVerdict::Deliver);
    }
}
