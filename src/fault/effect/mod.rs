//! The effects on links: one type an effect, one file a type, and the one table of all of them.
//!
//! An effect's file holds its text form in both directions, its action on a datagram, the assumption that it breaks,
//! how a swarm draws it and what a key proposes. A new effect needs its file, its `mod` line and its line in the table.
//!
//! Invariant: nothing outside this folder lists the effects.

mod burst;
mod cast;
mod courier;
mod cut;
mod delay;
mod hold;
mod loss;
mod partial;
mod release;
mod sign;
mod tamper;
mod throttle;

use std::fmt::{self, Display};

pub use self::burst::{BurstLength, BurstLengthError};
pub use self::cast::SendMode;
pub use self::courier::{CourierAct, CourierRefusal, DatagramName, DatagramNameError};
pub use self::hold::{freeing, holding};
pub use self::release::ReleaseOrder;
pub use self::sign::{EffectStrength, LinkSign};
pub use self::tamper::{CopyKind, Tampering, tampered};
use super::applicability::Unsuited;
use super::draw::Draw;
use super::rule::{LinkFault, LinkRule, Links};
use super::text::TextPiece;
use super::verdict::Passage;
use super::{FaultTextError, Form, Target};
use protocol::{Assumption, Channel, NodeSet, Span};

/// An effect on links.
pub(super) trait LinkEffect: Sized {
    /// The forms with what each does, for help, palette and error texts.
    const FORMS: &'static [Form];
    /// The ways in which a swarm draws it.
    const DRAWN: &'static [DrawnEffect];

    /// Reads the text after the verb; `None` if the verb is another effect's.
    fn read(verb: &str, rest: TextPiece<'_>) -> Option<Result<(Links<Target>, Self), FaultTextError>>;

    /// Writes it as it is read.
    fn write<T: Display>(&self, links: &Links<T>, f: &mut fmt::Formatter<'_>) -> fmt::Result;

    /// The assumption that it is meant to break, if one way may take this long; `None` if it keeps within that.
    fn breaks(&self, one_way_bound: Span) -> Option<Assumption>;

    /// The sign on a link that it is about; `None` if nothing is in force there because of it.
    fn sign<T>(&self, links: &Links<T>) -> Option<LinkSign>;

    /// Which of its results dice or a person decides.
    fn leaves_to_chance(&self) -> &'static [Assumption] {
        &[Assumption::DeliveryInTime]
    }

    /// What it does to a datagram, except behind the order filter and until a release.
    fn fate(&self, _encounter: &DatagramUnderFault<'_>) -> FaultOutcome {
        FaultOutcome::Passes
    }

    /// Whether a datagram that it delays keeps its place in the order of its link.
    fn keeps_order(&self) -> bool {
        false
    }

    /// Whether it stays in force until it is lifted; else it is done once.
    fn stays(&self) -> bool {
        true
    }

    /// Whether it makes datagrams queue.
    fn queues(&self) -> bool {
        false
    }

    /// What it does to a datagram that arrives now and that no fault has lost, given when the next one may pass.
    fn queue(&self, _now: u64, _next: &mut u64) -> FaultOutcome {
        FaultOutcome::Passes
    }

    /// Whether it can do something to these links of an algorithm that sends on this channel, in a lab of these nodes.
    fn suits(&self, _links: &Links<Target>, _channel: Channel, _all: NodeSet) -> Result<(), Unsuited> {
        Ok(())
    }

    /// What a key proposes for the datagrams of these nodes, for this T.
    fn proposal(_nodes: NodeSet, _t: Span) -> Option<(&'static str, String)> {
        None
    }
}

/// A datagram meets a fault that concerns it.
pub(super) struct DatagramUnderFault<'a> {
    /// The seed of the dice.
    pub seed: u64,
    pub fault: &'a LinkFault,
    /// The datagram at its receiver.
    pub passage: &'a Passage,
}

/// What one fault does to a datagram.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
pub(super) enum FaultOutcome {
    Passes,
    Lost,
    Waits(Span),
}

/// A way in which a swarm draws an effect.
#[derive(Copy, Clone, Debug)]
pub struct DrawnEffect {
    /// The name: no two are called the same.
    pub name: &'static str,
    /// The assumption that it breaks when it bites.
    pub breaks: Assumption,
    /// Whether it means something to an algorithm that sends on this channel, in a lab of this size.
    pub fits: fn(Channel, usize) -> bool,
    /// Draws one.
    pub draw: fn(&mut dyn Draw) -> LinkRule<Target>,
}

impl PartialEq for DrawnEffect {
    fn eq(&self, other: &DrawnEffect) -> bool {
        self.name == other.name
    }
}

impl Eq for DrawnEffect {}

/// Means something in every lab that has links.
fn always(_: Channel, _: usize) -> bool {
    true
}

macro_rules! effects {
    ($($file:ident::$effect:ident),* $(,)?) => {
        $(pub use self::$file::$effect;)*

        /// What a fault does to datagrams on links.
        #[derive(Clone, Eq, PartialEq, Hash, Debug)]
        pub enum FaultEffect {
            $(#[doc = concat!("See [`", stringify!($effect), "`].")] $effect($effect),)*
        }

        /// The forms of all effects, effect by effect.
        pub(super) const FORMS: &[&[Form]] = &[$($effect::FORMS),*];

        /// The ways in which a swarm draws effects, effect by effect.
        pub const DRAWN: &[&[DrawnEffect]] = &[$($effect::DRAWN),*];

        impl FaultEffect {
            /// Reads the text after the verb; `None` if no effect has that verb.
            pub(super) fn read(verb: &str, rest: TextPiece<'_>) -> Option<Result<LinkRule<Target>, FaultTextError>> {
                $(if let Some(read) = $effect::read(verb, rest) {
                    return Some(read.map(|(links, effect)| LinkRule { links, effect: FaultEffect::$effect(effect) }));
                })*
                None
            }

            /// Writes it as it is read.
            pub(super) fn write<T: Display>(&self, links: &Links<T>, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                match self {
                    $(FaultEffect::$effect(effect) => effect.write(links, f),)*
                }
            }

            /// The assumption that it is meant to break, if one way may take this long.
            pub fn breaks(&self, one_way_bound: Span) -> Option<Assumption> {
                match self {
                    $(FaultEffect::$effect(effect) => effect.breaks(one_way_bound),)*
                }
            }

            /// The sign on one of these links; `None` if nothing is in force there because of it.
            pub(super) fn sign<T>(&self, links: &Links<T>) -> Option<LinkSign> {
                match self {
                    $(FaultEffect::$effect(effect) => effect.sign(links),)*
                }
            }

            /// Which of its results dice or a person decides; a cut leaves nothing to chance.
            pub fn leaves_to_chance(&self) -> &'static [Assumption] {
                match self {
                    $(FaultEffect::$effect(effect) => effect.leaves_to_chance(),)*
                }
            }

            /// Whether a datagram that it delays keeps its place in the order of its link.
            pub fn keeps_order(&self) -> bool {
                match self {
                    $(FaultEffect::$effect(effect) => effect.keeps_order(),)*
                }
            }

            /// Whether it stays in force until it is lifted; else it is done once.
            pub fn stays(&self) -> bool {
                match self {
                    $(FaultEffect::$effect(effect) => effect.stays(),)*
                }
            }

            pub(super) fn fate(&self, encounter: &DatagramUnderFault<'_>) -> FaultOutcome {
                match self {
                    $(FaultEffect::$effect(effect) => effect.fate(encounter),)*
                }
            }

            pub(super) fn queues(&self) -> bool {
                match self {
                    $(FaultEffect::$effect(effect) => effect.queues(),)*
                }
            }

            pub(super) fn queue(&self, now: u64, next: &mut u64) -> FaultOutcome {
                match self {
                    $(FaultEffect::$effect(effect) => effect.queue(now, next),)*
                }
            }

            pub(super) fn suits(&self, links: &Links<Target>, channel: Channel, all: NodeSet) -> Result<(), Unsuited> {
                match self {
                    $(FaultEffect::$effect(effect) => effect.suits(links, channel, all),)*
                }
            }
        }

        /// The line that a key proposes for this verb, about the datagrams of these nodes, for this T.
        pub fn proposal(verb: &str, nodes: NodeSet, t: Span) -> Option<String> {
            let all = [$($effect::proposal(nodes, t)),*];
            all.into_iter().flatten().find(|(of, _)| *of == verb).map(|(_, line)| line)
        }
    };
}

effects![
    cut::Cut,
    loss::Loss,
    partial::Partial,
    delay::Delay,
    throttle::Throttle,
    hold::Hold,
    release::Release,
    courier::Courier,
    tamper::Tamper,
];

impl FaultEffect {
    /// Whether it leaves nothing to dice on any channel: nothing passes.
    pub fn is_cut(&self) -> bool {
        matches!(self, FaultEffect::Cut(Cut { channel: None }))
    }
}
