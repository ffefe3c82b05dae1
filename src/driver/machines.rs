//! The machine of a lab: its algorithm's, with its application beside it if it has one, and round both
//! what may lie.
//!
//! Invariant: whoever drives a lab's machine takes it from here, so all run the same.

use crate::application::working::Working;
use crate::election::{self, Visitor};
use crate::liar::Liar;
use crate::protocol::{Algorithm, Settings};

/// Does something with the machine of the algorithm of this name, in a lab of these settings; `None` if there is no such
/// algorithm.
pub fn visit<V: Visitor>(algorithm: &str, settings: &Settings, visitor: V) -> Option<V::Output> {
    match settings.application() {
        Some(_) => election::visit(algorithm, WithApplication(visitor)),
        None => election::visit(algorithm, ThatMayLie(visitor)),
    }
}

struct ThatMayLie<V>(V);

impl<V: Visitor> Visitor for ThatMayLie<V> {
    type Output = V::Output;

    fn visit<A: Algorithm>(self) -> V::Output {
        self.0.visit::<Liar<A>>()
    }
}

struct WithApplication<V>(V);

impl<V: Visitor> Visitor for WithApplication<V> {
    type Output = V::Output;

    fn visit<A: Algorithm>(self) -> V::Output {
        self.0.visit::<Liar<Working<A>>>()
    }
}
