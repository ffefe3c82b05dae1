//! `hold`: a link keeps back its datagrams until somebody releases them ([`super::release`]).
//!
//! Nodes hear of a release as a rule behind the hold, a rule that says which links it frees. So a release whose
//! receiver is stopped meanwhile is not lost, and a release of some links of a hold does not change the others. Held
//! datagrams are in the receiver's process, and die with it.
//!
//! Invariant: a link is held when some hold concerns it and no later release does. A lifted hold delivers in order.

use std::fmt::{self, Display};

use super::{DrawnEffect, EffectStrength, LinkEffect, LinkSign, Release, ReleaseOrder, always};
use crate::text::TextPiece;
use crate::{FaultEffect, FaultId, FaultTextError, Form, LinkFault, LinkRule, Links, Target};
use protocol::{Assumption, NodeId, NodeSet, Span};

/// Each datagram is kept back until it is released.
#[derive(Copy, Clone, Eq, PartialEq, Hash, Debug)]
pub struct Hold;

impl LinkEffect for Hold {
    const FORMS: &'static [Form] =
        &[("hold A->B", "hold all that A sends to B until it is released; if B dies, it is lost")];
    const DRAWN: &'static [DrawnEffect] = &[DrawnEffect {
        name: "hold",
        breaks: Assumption::DeliveryInTime,
        fits: always,
        draw: |draw| {
            let (from, to) = draw.link();
            LinkRule { links: Links::To { from, to }, effect: FaultEffect::Hold(Hold) }
        },
    }];

    fn read(verb: &str, rest: TextPiece<'_>) -> Option<Result<(Links<Target>, Hold), FaultTextError>> {
        (verb == "hold").then(|| Ok((rest.links("hold A->B")?, Hold)))
    }

    fn write<T: Display>(&self, links: &Links<T>, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "hold {links}")
    }

    fn sign<T>(&self, _: &Links<T>) -> Option<LinkSign> {
        Some(LinkSign::new(EffectStrength::Keeps, "…"))
    }

    /// The duration is not known; a hold is meant to go past the bound.
    fn breaks(&self, _: Span) -> Option<Assumption> {
        Some(Assumption::DeliveryInTime)
    }
}

/// The hold that keeps back what `from` sends to `to`, if one does.
pub fn holding(faults: &[LinkFault], from: NodeId, to: NodeId) -> Option<FaultId> {
    let holds = faults.iter().filter(|fault| matches!(fault.rule.effect, FaultEffect::Hold(_)));
    let mut concerning = holds.filter(|hold| hold.rule.concerns(from, to)).map(|hold| hold.id);
    concerning.find(|hold| freeing(faults, *hold, from, to).is_none())
}

/// The latest release that frees this link of this hold, and its order of delivery.
pub fn freeing(faults: &[LinkFault], hold: FaultId, from: NodeId, to: NodeId) -> Option<(FaultId, ReleaseOrder)> {
    let mut later = faults.iter().rev().filter(|fault| fault.id > hold && fault.rule.concerns(from, to));
    later.find_map(|fault| match fault.rule.effect {
        FaultEffect::Release(Release { order }) => Some((fault.id, order)),
        _ => None,
    })
}

impl LinkFault {
    /// Whether it is a hold and the releases among these free all its links in a lab of these nodes.
    pub fn is_released(&self, faults: &[LinkFault], all: NodeSet) -> bool {
        let is_free = |from: NodeId, to: NodeId| {
            from == to || !self.rule.concerns(from, to) || freeing(faults, self.id, from, to).is_some()
        };
        matches!(self.rule.effect, FaultEffect::Hold(_))
            && all.iter().all(|from| all.iter().all(|to| is_free(from, to)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::LinkVerdict;
    use crate::verdict::test::{fault, unicast, verdict_of};

    fn node(number: u16) -> NodeId {
        NodeId::new(number).unwrap()
    }

    fn hold(id: u32, from: &str, to: &str) -> LinkFault {
        fault(id, &format!("hold {from}->{to}"))
    }

    fn release(id: u32, from: &str, to: &str, order: ReleaseOrder) -> LinkFault {
        fault(id, &format!("release {from}->{to}{order}"))
    }

    #[test]
    fn a_release_frees_its_links_of_the_holds_before_it_and_no_others() {
        let all = [hold(1, "1-3", "4"), release(2, "1", "4", ReleaseOrder::Reversed), hold(3, "1", "5")];
        assert_eq!(holding(&all[..1], node(1), node(4)), Some(FaultId(1)));
        assert_eq!(holding(&all, node(1), node(4)), None);
        assert_eq!(holding(&all, node(2), node(4)), Some(FaultId(1)));
        assert_eq!(holding(&all, node(4), node(1)), None, "a hold goes one way");
        assert_eq!(freeing(&all, FaultId(1), node(1), node(4)), Some((FaultId(2), ReleaseOrder::Reversed)));
        let again = [all[0].clone(), all[1].clone(), hold(4, "1", "4")];
        assert_eq!(holding(&again, node(1), node(4)), Some(FaultId(4)), "a later hold holds again");
        assert_eq!(freeing(&again, FaultId(4), node(1), node(4)), None);
    }

    #[test]
    fn a_hold_is_over_when_none_of_its_links_is_left() {
        let all: NodeSet = "1-5".parse().unwrap();
        let held = hold(1, "1-3", "3,4");
        let (some, rest) =
            (release(2, "1,2", "1-5", ReleaseOrder::InOrder), release(3, "3", "4", ReleaseOrder::Reversed));
        assert!(!held.is_released(std::slice::from_ref(&some), all));
        assert!(held.is_released(&[some.clone(), rest.clone()], all));
        let later = LinkFault { id: FaultId(9), ..held };
        assert!(!later.is_released(&[some, rest], all), "a release before it frees nothing of it");
    }

    #[test]
    fn a_hold_wins_over_a_delay_and_a_loss_over_a_hold_and_a_release_leaves_neither() {
        let (slow, held) = (fault(1, "delay 1->2 10ms"), fault(2, "hold 1->2"));
        let (lost, freed) = (fault(3, "cut 1->2"), fault(4, "release 1->2"));
        let judged =
            |faults: &[&LinkFault]| verdict_of(&faults.iter().copied().cloned().collect::<Vec<_>>(), &unicast(1, 2, 1));
        let span = Span::from_millis(10);
        assert_eq!(judged(&[&slow, &held]), LinkVerdict::Keep(FaultId(2), span));
        assert_eq!(judged(&[&held]), LinkVerdict::Keep(FaultId(2), Span::ZERO));
        assert_eq!(judged(&[&slow, &held, &lost]), LinkVerdict::Drop(FaultId(3)));
        assert_eq!(judged(&[&slow, &held, &freed]), LinkVerdict::Hold(FaultId(1), span));
        assert_eq!(judged(&[&held, &freed]), LinkVerdict::Deliver);
        assert_eq!(verdict_of(&[held], &unicast(2, 1, 1)), LinkVerdict::Deliver);
    }
}
