//! What reaches the screen, and what it wants done.
//!
//! Invariant: both are data; who brings the one and carries out the other is no concern of the model.

use std::time::Duration;

use crossterm::event::KeyEvent;

use super::ending::ScreenEnd;
use crate::record::{Answer, Frame, Request};

/// Something that happened.
#[derive(Debug)]
pub enum Happening {
    /// A key was pressed.
    Key(KeyEvent),
    /// The terminal has this size.
    Resize(u16, u16),
    /// It is so late by the screen's own clock.
    Tick(Duration),
    /// A frame came from the lab.
    Frame(Box<Frame>),
    /// A line came from the lab that this build cannot read.
    Unreadable,
    /// The connection to the lab broke; it will be tried again.
    Lost,
    /// The lab is gone; it will not be tried again.
    Gone,
    /// A request was answered.
    Answered {
        /// Which.
        request: Request,
        /// How.
        answer: Answer,
    },
}

/// Something to be done.
#[derive(Clone, Debug)]
pub enum Command {
    /// Send this to the lab.
    Request(Request),
    /// Draw everything afresh.
    Redraw,
    /// Give the terminal back and stop until the shell says to go on.
    Suspend,
    /// End the screen.
    Leave(ScreenEnd),
}
