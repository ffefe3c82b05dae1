//! A critical section: what at most one process does at a time, and how each process stands to it.
//!
//! Invariant: a process is inside from the step in which it enters to the step in which it leaves, or to its crash.

use serde::{Deserialize, Serialize};

use crate::Span;

crate::worded! {
    /// How a process stands to the critical section.
    #[derive(Copy, Clone, Default, Eq, PartialEq, Ord, PartialOrd, Hash, Debug, Serialize, Deserialize)]
    #[serde(rename_all = "kebab-case")]
    pub enum SectionState {
        /// Does not want in.
        #[default]
        Outside = "outside",
        /// Wants in.
        Waiting = "waiting",
        /// Is inside.
        Inside = "inside",
    }
}

/// What the judge must know of a critical section.
#[derive(Copy, Clone, Eq, PartialEq, Hash, Debug, Serialize, Deserialize)]
pub struct SectionFacts {
    /// How often at most one process gets in while another waits that it knows of, or before which it stands in a waiting
    /// list.
    pub overtakes: u16,
    /// How long a process stays inside.
    pub inside: Span,
}

/// What a process does for a critical section.
#[derive(Copy, Clone, Default, Eq, PartialEq, Hash, Debug, Serialize, Deserialize)]
pub struct SectionWork {
    /// How it stands to it.
    pub stance: SectionState,
    /// How often this process has entered.
    pub entries: u64,
}
