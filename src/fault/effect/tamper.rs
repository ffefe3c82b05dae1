//! Tampering: what a fault can do to a datagram besides losing or holding it.
//!
//! `corrupt` spoils its bytes before the tag is checked. The tag reveals this, so it is only a loss (assumption 8). The
//! others act behind the tag and behind the order filter, where nothing else protects the machine: `duplicate` and
//! `reorder` break assumption 7, `garble` breaks 6. In front of the filter, the filter would drop a copy or an
//! overtaken datagram as stale.
//!
//! Invariant: each kind has its own throw, and a copy has a throw apart from its original; so what happens to one says
//! nothing of the other.

use std::fmt::{self, Display};

use serde::{Deserialize, Serialize};

use super::{DrawnEffect, EffectStrength, LinkEffect, LinkSign, always};
use crate::draw::{Draw, pick};
use crate::text::TextPiece;
use crate::{FaultEffect, FaultId, FaultTextError, Form, LinkFault, LinkRule, Links, Passage, Percent, Target, throw};
use protocol::{Assumption, Span};

/// Each datagram is tampered with at this chance.
#[derive(Copy, Clone, Eq, PartialEq, Hash, Debug)]
pub struct Tamper {
    /// The kind of change.
    pub how: Tampering,
    /// The chance.
    pub percent: Percent,
}

protocol::worded! {
    /// A kind of tampering.
    #[derive(Copy, Clone, Eq, PartialEq, Ord, PartialOrd, Hash, Debug, Serialize, Deserialize)]
    #[serde(rename_all = "kebab-case")]
    pub enum Tampering {
        /// Bytes are changed before the tag is checked.
        Corrupt = "corrupt",
        /// A message that came through the filter is delivered twice.
        Duplicate = "duplicate",
        /// The next message of its link overtakes one that came through the filter.
        Reorder = "reorder",
        /// The body is changed behind the tag.
        Garble = "garble",
    }
}

/// Whether a throw is about a datagram or about the copy that `duplicate` made of it.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
pub enum CopyKind {
    /// The datagram itself.
    Original,
    Copy,
}

impl Tampering {
    /// The assumption that it breaks when it acts.
    pub const fn breaks(self) -> Assumption {
        match self {
            Tampering::Corrupt => Assumption::DeliveryInTime,
            Tampering::Duplicate | Tampering::Reorder => Assumption::Order,
            Tampering::Garble => Assumption::NothingGarbled,
        }
    }

    /// The salt of its throw. A loss throws with 0, a delay with 1.
    fn salt(self, specimen: CopyKind) -> u8 {
        let kind = match self {
            Tampering::Corrupt => 2,
            Tampering::Duplicate => 4,
            Tampering::Reorder => 6,
            Tampering::Garble => 8,
        };
        kind + u8::from(specimen == CopyKind::Copy)
    }
}

impl LinkEffect for Tamper {
    const FORMS: &'static [Form] = &[
        ("corrupt A->B P%", "spoil each datagram with this chance; its tag is then wrong, and the receiver drops it"),
        ("duplicate A->B P%", "deliver each message twice with this chance, after the order filter"),
        ("reorder A->B P%", "let the next message overtake each one with this chance, after the order filter"),
        ("garble A->B P%", "change each message's body with this chance, after its tag was checked"),
    ];
    const DRAWN: &'static [DrawnEffect] = &[
        drawn("corrupt", Tampering::Corrupt, |draw| rule(draw, Tampering::Corrupt)),
        drawn("duplicate", Tampering::Duplicate, |draw| rule(draw, Tampering::Duplicate)),
        drawn("reorder", Tampering::Reorder, |draw| rule(draw, Tampering::Reorder)),
        drawn("garble", Tampering::Garble, |draw| rule(draw, Tampering::Garble)),
    ];

    fn read(verb: &str, rest: TextPiece<'_>) -> Option<Result<(Links<Target>, Tamper), FaultTextError>> {
        Tampering::named(verb).map(|how| {
            let (links, percent) = rest.links_and_share(Tamper::FORMS[how as usize].0)?;
            Ok((links, Tamper { how, percent }))
        })
    }

    fn write<T: Display>(&self, links: &Links<T>, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {links} {}", self.how, self.percent)
    }

    fn sign<T>(&self, _: &Links<T>) -> Option<LinkSign> {
        let letter = match self.how {
            Tampering::Corrupt => 'c',
            Tampering::Duplicate => 'd',
            Tampering::Reorder => 'r',
            Tampering::Garble => 'g',
        };
        Some(LinkSign::new(EffectStrength::Tampers, format!("{letter}{}", self.percent)))
    }

    fn breaks(&self, _: Span) -> Option<Assumption> {
        Some(self.how.breaks())
    }

    fn leaves_to_chance(&self) -> &'static [Assumption] {
        match self.how {
            Tampering::Corrupt => &[Assumption::DeliveryInTime],
            Tampering::Duplicate | Tampering::Reorder => &[Assumption::Order],
            // A datagram that is no longer a message is a loss.
            Tampering::Garble => &[Assumption::NothingGarbled, Assumption::DeliveryInTime],
        }
    }
}

const fn drawn(name: &'static str, how: Tampering, draw: fn(&mut dyn Draw) -> LinkRule<Target>) -> DrawnEffect {
    DrawnEffect { name, breaks: how.breaks(), fits: always, draw }
}

fn rule(draw: &mut dyn Draw, how: Tampering) -> LinkRule<Target> {
    let (from, to) = draw.link();
    let percent = Percent::whole(pick(draw, &[10, 30, 50, 100]));
    LinkRule { links: Links::To { from, to }, effect: FaultEffect::Tamper(Tamper { how, percent }) }
}

/// The first fault in force that does this to the datagram, and where in its bytes it acts: a number in [0, 1), which
/// means something for `corrupt` and `garble`. A datagram that a node sends to itself meets no link and no fault.
pub fn tampered(
    faults: &[LinkFault],
    seed: u64,
    passage: &Passage,
    kind: Tampering,
    specimen: CopyKind,
) -> Option<(FaultId, f64)> {
    if passage.from == passage.to {
        return None;
    }
    faults.iter().find_map(|fault| match &fault.rule.effect {
        FaultEffect::Tamper(Tamper { how, percent })
            if *how == kind && fault.rule.concerns(passage.from, passage.to) =>
        {
            let bites = throw(seed, fault, passage, kind.salt(specimen)) < percent.fraction();
            // The place has its own throw: with the first throw a rare fault would always act near the beginning.
            bites.then(|| (fault.id, throw(seed, fault, passage, PLACE + kind.salt(specimen))))
        }
        _ => None,
    })
}

/// The salt of a place, above the salt of its kind.
const PLACE: u8 = 16;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::verdict::test::{fault, unicast as passage};

    fn half(how: Tampering) -> LinkFault {
        LinkFault { text: "half".into(), ..fault(1, &format!("{how} 1-3->1-3 50%")) }
    }

    fn bitten(kind: Tampering, specimen: CopyKind) -> Vec<u64> {
        let faults = [half(kind)];
        let bites = |sequence: &u64| tampered(&faults, 7, &passage(1, 2, *sequence), kind, specimen).is_some();
        (0..4_000).filter(bites).collect()
    }

    #[test]
    fn each_kind_keeps_to_its_share_and_has_its_own_throw() {
        let all: Vec<Vec<u64>> = Tampering::ALL
            .into_iter()
            .flat_map(|kind| [bitten(kind, CopyKind::Original), bitten(kind, CopyKind::Copy)])
            .collect();
        for (index, bitten) in all.iter().enumerate() {
            assert!((1_850..2_150).contains(&bitten.len()), "{}", bitten.len());
            assert!(all[index + 1..].iter().all(|other| other != bitten), "two kinds have one throw");
        }
        assert_eq!(bitten(Tampering::Garble, CopyKind::Copy), all[7]);
    }

    #[test]
    fn a_fault_bites_its_own_kind_alone_and_never_what_a_node_sends_to_itself() {
        let sure = |how: Tampering| fault(1, &format!("{how} 1-3->1-3 100%"));
        for kind in Tampering::ALL {
            for other in Tampering::ALL {
                let found = tampered(&[sure(other)], 7, &passage(1, 2, 1), kind, CopyKind::Original);
                assert_eq!(found.map(|(id, _)| id), (kind == other).then_some(FaultId(1)));
            }
            assert_eq!(tampered(&[sure(kind)], 7, &passage(2, 2, 1), kind, CopyKind::Original), None);
            assert_eq!(tampered(&[sure(kind)], 7, &passage(1, 4, 1), kind, CopyKind::Original), None);
        }
    }

    #[test]
    fn the_place_is_anywhere_also_for_a_rare_fault() {
        let rare = LinkFault { text: "half".into(), ..fault(1, "garble 1-3->1-3 5%") };
        let place = |sequence| {
            tampered(std::slice::from_ref(&rare), 7, &passage(1, 2, sequence), Tampering::Garble, CopyKind::Original)
        };
        let places: Vec<f64> = (0..4_000).filter_map(place).map(|(_, place)| place).collect();
        assert!(places.iter().any(|place| *place > 0.9) && places.iter().any(|place| *place < 0.1), "{places:?}");
    }
}
