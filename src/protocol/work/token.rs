//! A token that is handed from process to process: who has it, and where each other one would ask for it.
//!
//! Invariant: a work that shows a token shows its number, and numbers rise with each hand-over.

use serde::{Deserialize, Serialize};

use crate::{NodeId, SectionWork};

/// What a process knows of the token, and how it stands to the critical section that the token opens.
#[derive(Copy, Clone, Default, Eq, PartialEq, Hash, Debug, Serialize, Deserialize)]
pub struct TokenWork {
    /// How it stands to the section.
    pub section: SectionWork,
    /// The number of the token, if this process has it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub token: Option<u64>,
    /// The best guess of who has the token, or comes last to it; absent if it is the last of the waiting list itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub guess: Option<NodeId>,
    /// To whom it hands the token when it has had it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next: Option<NodeId>,
}
