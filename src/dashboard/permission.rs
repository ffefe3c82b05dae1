//! Whether a person may order faults on a screen.
//!
//! Invariant: what has already happened takes no faults.

use super::action::Action;
use super::feed::{Contact, Feed, Live};
use super::model::Model;
use super::options::Access;

/// Why this screen orders no faults.
#[derive(Clone, Eq, PartialEq, Debug, thiserror::Error)]
pub enum NoFaults {
    /// It shows what has already happened.
    #[error("A replay takes no faults: it shows what has already happened.")]
    InAReplay,
    /// It shows the past of a running lab.
    #[error("This is the past, which takes no faults; {0} returns to the present of the lab.")]
    InThePast(String),
    /// It was opened only to watch.
    #[error("This screen is read-only and takes no faults; use `hustings watch` without --read-only.")]
    ReadOnly,
    /// The lab has ended.
    #[error("The lab is over and takes no more faults.")]
    Over,
}

impl Model {
    /// Whether a fault may be ordered here; if not, why.
    pub fn permission(&self) -> Result<(), NoFaults> {
        match &self.feed {
            _ if self.present.is_some() => Err(NoFaults::InThePast(self.key(Action::LastMinute))),
            Feed::Replay(_) => Err(NoFaults::InAReplay),
            _ if self.access == Access::ReadOnly => Err(NoFaults::ReadOnly),
            Feed::Live(Live { contact: Contact::Ended(_) | Contact::Gone, .. }) => Err(NoFaults::Over),
            Feed::Live(_) | Feed::Simulated(_) => Ok(()),
        }
    }
}
