//! The algorithms and applications of a program, in two lists.
//!
//! Invariant: no two of a list have the same name.

use super::{AlgorithmEntry, ApplicationCard, ApplicationEntry, Card, MachineKind, Settings};

/// All algorithms and applications of a program, in the order in which they are listed.
#[derive(Copy, Clone, Debug)]
pub struct Registry {
    /// The algorithms.
    pub algorithms: &'static [&'static AlgorithmEntry],
    /// The applications.
    pub applications: &'static [&'static ApplicationEntry],
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

    /// The Cards of the applications.
    pub fn application_cards(self) -> impl Iterator<Item = &'static ApplicationCard> + Clone {
        self.applications.iter().map(|entry| &entry.card)
    }

    /// The Card of the application of this name.
    pub fn application(self, name: &str) -> Option<&'static ApplicationCard> {
        self.application_cards().find(|card| card.name == name)
    }

    /// The kind of machine of the algorithm of this name, in a lab of these settings. `None` if the registry lacks the
    /// algorithm, or the application that the settings name.
    pub fn kind_of(self, algorithm: &str, settings: &Settings) -> Option<MachineKind> {
        let entry = self.algorithms.iter().find(|entry| entry.card.name == algorithm)?;
        let application = match settings.application() {
            Some((name, _)) => Some(*self.applications.iter().find(|entry| entry.card.name == name)?),
            None => None,
        };
        Some(MachineKind::new(entry, application))
    }
}
