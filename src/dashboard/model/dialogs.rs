//! What lies over a screen: pages, the line that is being written, and what the person is asked.
//!
//! Invariant: a question comes before the line, and the line before the page: that is the order in which keys reach them.

use super::pages::Layer;
use crate::input::prompt::{Histories, Prompt};

/// What lies over a screen.
#[derive(Default, Debug)]
pub struct Dialogs {
    /// The uppermost page.
    pub layer: Option<Layer>,
    /// The line that is being written.
    pub prompt: Option<Prompt>,
    /// The lines that were written before.
    pub histories: Histories,
    /// What the person was asked, and has not answered.
    pub asked: PendingQuestion,
}

/// A question to the person.
#[derive(Copy, Clone, Default, Eq, PartialEq, Debug)]
pub enum PendingQuestion {
    /// None.
    #[default]
    Nothing,
    /// Whether the lab is to end.
    WhetherToEnd,
}
