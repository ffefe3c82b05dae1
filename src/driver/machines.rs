//! The machine of a lab: its algorithm's, with its application beside it if it has one, and round both
//! what may lie.
//!
//! Invariant: whoever drives a lab's machine takes it from here, so all run the same.

use crate::application::working::Working;
use crate::election::{self, Visitor};
use crate::liar::Liar;
use crate::protocol::{Algorithm, MachineKind, Settings};

/// The kind of machine of the algorithm of this name, in a lab of these settings; `None` if there is no such algorithm.
pub fn kind_of(algorithm: &str, settings: &Settings) -> Option<&'static MachineKind> {
    match settings.application() {
        Some(_) => election::visit(algorithm, WithApplication),
        None => election::visit(algorithm, ThatMayLie),
    }
}

/// The kind of machine of the algorithm of this name alone, which cannot lie and has no application.
pub fn bare_kind_of(algorithm: &str) -> Option<&'static MachineKind> {
    election::visit(algorithm, Bare)
}

struct ThatMayLie;

impl Visitor for ThatMayLie {
    type Output = &'static MachineKind;

    fn visit<A: Algorithm>(self) -> &'static MachineKind {
        MachineKind::of::<Liar<A>>()
    }
}

struct WithApplication;

impl Visitor for WithApplication {
    type Output = &'static MachineKind;

    fn visit<A: Algorithm>(self) -> &'static MachineKind {
        MachineKind::of::<Liar<Working<A>>>()
    }
}

struct Bare;

impl Visitor for Bare {
    type Output = &'static MachineKind;

    fn visit<A: Algorithm>(self) -> &'static MachineKind {
        MachineKind::of::<A>()
    }
}
