//! The algorithms and applications of a program, in two lists.
//!
//! Invariant: no two of a list have the same name.

use super::{ApplicationCard, Card, MachineKind, Settings};

/// An algorithm of a program.
#[derive(Copy, Clone, Debug)]
pub struct AlgorithmEntry {
    /// What it says of itself.
    pub card: Card,
    /// Its machines where nothing is beside them.
    pub alone: &'static MachineKind,
    /// Its machines with an application beside each.
    pub with_application: &'static MachineKind,
}

/// All algorithms and applications of a program, in the order in which they are listed.
#[derive(Copy, Clone, Debug)]
pub struct Registry {
    /// The algorithms.
    pub algorithms: &'static [AlgorithmEntry],
    /// The Cards of the applications.
    pub applications: &'static [ApplicationCard],
}

impl Registry {
    /// The Cards of the algorithms.
    pub fn cards(self) -> impl Iterator<Item = &'static Card> + Clone {
        self.algorithms.iter().map(|entry| &entry.card)
    }

    /// The Card of the algorithm of this name.
    pub fn card(self, name: &str) -> Option<&'static Card> {
        self.cards().find(|card| card.name == name)
    }

    /// The Card of the application of this name.
    pub fn application(self, name: &str) -> Option<&'static ApplicationCard> {
        self.applications.iter().find(|card| card.name == name)
    }

    /// The kind of machine of the algorithm of this name, in a lab of these settings.
    pub fn kind_of(self, algorithm: &str, settings: &Settings) -> Option<&'static MachineKind> {
        let entry = self.algorithms.iter().find(|entry| entry.card.name == algorithm)?;
        Some(if settings.application().is_some() { entry.with_application } else { entry.alone })
    }
}
