//! The algorithms, one file each, and the one table of all of them.
//!
//! Invariant: drivers reach an algorithm through this table only; no driver names one.

#[cfg(test)]
pub(crate) mod bench;
pub mod bully;
pub mod criterion;
mod deceit;
pub mod detector;
pub mod garcia_molina;
pub mod invitation;
pub mod king_ni;
#[cfg(test)]
pub(crate) mod network;
pub mod stoller;
#[cfg(test)]
mod tests;
pub mod textbook;

use crate::protocol::{Algorithm, Card, Deceit};

/// Work on an algorithm that is known by its name only.
pub trait Visitor {
    /// The result.
    type Output;
    /// Does the work, for this algorithm.
    fn visit<A: Algorithm<Message: Deceit>>(self) -> Self::Output;
}

macro_rules! algorithms {
    ($($algorithm:ty),* $(,)?) => {
        /// The Cards of all algorithms, in the table's order.
        pub const CARDS: &[Card] = &[$(<$algorithm as Algorithm>::CARD),*];

        /// Does something with the algorithm of this name; `None` if there is none.
        pub fn visit<V: Visitor>(name: &str, visitor: V) -> Option<V::Output> {
            $(if <$algorithm as Algorithm>::CARD.name == name {
                return Some(visitor.visit::<$algorithm>());
            })*
            let _ = (name, visitor);
            None
        }
    };
}

algorithms![
    bully::Bully,
    invitation::Invitation,
    king_ni::a::AlgorithmA,
    king_ni::b1::AlgorithmB1,
    king_ni::b2::AlgorithmB2,
    king_ni::c::AlgorithmC,
    king_ni::agreement::Algorithm53,
    textbook::bully::TextbookBully,
    textbook::ring::Ring,
    stoller::fd::BullyFd,
    stoller::asynchronous::AsynchronousBully,
];
