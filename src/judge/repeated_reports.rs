//! When a contradiction that stands is told again.
//!
//! It is told when it opens. What excuses how it opened need not excuse how it stands later: it is raised again when it
//! becomes harder to excuse than ever before, or is about a node that it was not about before. A finding that raises it
//! again is told only if nothing excuses it. Once the contradiction was told without an excuse it is not told again.
//!
//! Invariant: a contradiction that stands is one violation; or two, if it was excused at first and later it was not.

use super::finding::{ContradictingNodes, Window};
use protocol::NodeSet;

/// The serial numbers of contradictions.
#[derive(Clone, Debug, Default)]
pub(super) struct Serials(u64);

/// Which contradiction a finding is about, by its serial number, and whether that stood before.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
pub(super) enum Raised {
    /// The finding opened it.
    Opens(u64),
    /// The contradiction stood before.
    Again(u64),
}

/// What was raised of a contradiction that stands.
#[derive(Copy, Clone, Debug)]
pub(super) struct Raising {
    serial: u64,
    /// The window that is hardest to excuse and the nodes that it was about; absent once it was told without an excuse.
    before: Option<(Window, NodeSet)>,
}

impl Raised {
    /// The contradiction's serial number.
    pub fn serial(self) -> u64 {
        let (Raised::Opens(serial) | Raised::Again(serial)) = self;
        serial
    }
}

impl Raising {
    /// A contradiction opens, with all of these to be excused.
    pub fn open(serials: &mut Serials, first: &ContradictingNodes, others: &[ContradictingNodes]) -> Raising {
        serials.0 += 1;
        let before = others.iter().fold((first.window, first.nodes), and);
        Raising { serial: serials.0, before: Some(before) }
    }

    /// What a finding says that opens it.
    pub fn opens(&self) -> Raised {
        Raised::Opens(self.serial)
    }

    /// Takes in what else has to be excused. Leaves of the charges those that raise the contradiction again.
    pub fn raise(&mut self, charges: &mut Vec<ContradictingNodes>) -> Option<Raised> {
        let before = self.before?;
        charges.retain(|charge| is_news(before, charge));
        self.before = Some(charges.iter().fold(before, and));
        (!charges.is_empty()).then_some(Raised::Again(self.serial))
    }

    /// The contradiction of that number was told without an excuse.
    pub fn condemn(&mut self, serial: u64) {
        if self.serial == serial {
            self.before = None;
        }
    }
}

fn is_news((window, nodes): (Window, NodeSet), charge: &ContradictingNodes) -> bool {
    charge.window.is_harder_than(&window) || !charge.nodes.minus(&nodes).is_empty()
}

fn and((window, nodes): (Window, NodeSet), charge: &ContradictingNodes) -> (Window, NodeSet) {
    (window.hardest(charge.window), nodes.union(&charge.nodes))
}
