//! Stains: every step and message carries the stamp of the latest bite in a node's past.
//!
//! Invariant: a node that was hit, or heard of a node that was hit, is stained from then on; only time removes the
//! stain.

/// The scope of a question about breaks: all that the algorithm needs, what its group numbers need, or what the lab's
/// application needs.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
pub enum Needs {
    /// What its algorithm promises.
    Algorithm,
    /// That coordinators are numbered upwards.
    Numbers,
    /// What its application promises.
    Application,
}

impl Needs {
    /// All of them, in the order of the stamps.
    pub const ALL: [Needs; 3] = [Needs::Algorithm, Needs::Numbers, Needs::Application];
}

/// The stamp of the latest bite in a past, by [`Needs`].
pub(super) type LatestBites = [i64; Needs::ALL.len()];

pub(super) const UNSTAINED: LatestBites = [i64::MIN; Needs::ALL.len()];

/// What was broken in a node's past.
#[derive(Copy, Clone, Debug)]
pub(super) struct PastBreaks {
    pub latest: LatestBites,
    /// How many bites have hit the node itself and last.
    pub lasting: [u32; Needs::ALL.len()],
}

impl PastBreaks {
    /// The stamp of the latest bite, for the scope in question, at this stamp.
    pub fn at(&self, at: i64) -> LatestBites {
        let mut latest = self.latest;
        for (latest, lasting) in latest.iter_mut().zip(self.lasting) {
            if lasting > 0 {
                *latest = (*latest).max(at);
            }
        }
        latest
    }

    pub fn learn(&mut self, other: LatestBites) {
        for (mine, theirs) in self.latest.iter_mut().zip(other) {
            *mine = (*mine).max(theirs);
        }
    }
}
