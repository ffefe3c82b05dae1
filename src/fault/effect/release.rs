//! `release`: links deliver the datagrams that they held, in order or the youngest first. [`super::hold`] says what a
//! release frees.
//!
//! Invariant: a release of itself loses and delays nothing.

use std::fmt::{self, Display};

use serde::{Deserialize, Serialize};

use super::{DrawnEffect, LinkEffect, LinkSign};
use crate::text::TextPiece;
use crate::{FaultTextError, Form, Links, Target};
use protocol::{Assumption, Span};

/// The datagrams that earlier holds keep back on these links are delivered, and the holds end on these links.
#[derive(Copy, Clone, Eq, PartialEq, Hash, Debug)]
pub struct Release {
    /// In which order.
    pub order: ReleaseOrder,
}

/// The order in which held datagrams are delivered.
#[derive(Copy, Clone, Eq, PartialEq, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ReleaseOrder {
    /// As it was sent.
    InOrder,
    /// The youngest first. It happens in front of the order filter, which then drops all but that one.
    Reversed,
}

impl fmt::Display for ReleaseOrder {
    /// The text after the link in a fault line.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ReleaseOrder::InOrder => Ok(()),
            ReleaseOrder::Reversed => f.write_str(" reversed"),
        }
    }
}

impl LinkEffect for Release {
    const FORMS: &'static [Form] = &[
        ("release A->B", "deliver what is held from A to B, in order"),
        ("release A->B reversed", "deliver it newest first; the order filter drops the rest"),
    ];
    // A swarm draws it as the end of a hold.
    const DRAWN: &'static [DrawnEffect] = &[];

    fn read(verb: &str, rest: TextPiece<'_>) -> Option<Result<(Links<Target>, Release), FaultTextError>> {
        (verb == "release").then(|| {
            let form = "release A->B` or `release A->B reversed";
            let (from, to) = rest.sides(form)?;
            let (to, word) = to.qualified();
            let order = match word {
                None => ReleaseOrder::InOrder,
                Some(word) if word.text == "reversed" => ReleaseOrder::Reversed,
                Some(word) => {
                    let what = format!("`{}` is not an order; leave it out, or write `reversed`", word.text);
                    return Err(word.wrong(what, form));
                }
            };
            Ok((Links::To { from: from.target(form)?, to: to.target(form)? }, Release { order }))
        })
    }

    fn write<T: Display>(&self, links: &Links<T>, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "release {links}{}", self.order)
    }

    fn sign<T>(&self, _: &Links<T>) -> Option<LinkSign> {
        None
    }

    fn breaks(&self, _: Span) -> Option<Assumption> {
        None
    }

    fn stays(&self) -> bool {
        false
    }
}
