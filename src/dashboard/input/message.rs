//! The messages that reach the screen, and the commands that it gives.
//!
//! Invariant: both are data; the model does not know who delivers a message or who carries out a command.

use std::time::Duration;

use crossterm::event::{KeyEvent, MouseEvent};

use crate::ending::ScreenEnd;
use crate::model::pages::{ListedSession, NoSession, SessionChoice};
use crate::options::{Mouse, Remembered};
use crate::time::feed::SoFarWanted;
use crate::time::session_so_far::{NotReadSoFar, SessionSoFar};
use record::{Answer, Frame, NotesFile, Request, SessionNote};

/// Something that happened.
#[derive(Debug)]
pub enum ScreenMessage {
    /// A key was pressed.
    Key(KeyEvent),
    /// The mouse was pressed or its wheel turned.
    Mouse(MouseEvent),
    /// A text was pasted.
    Paste(String),
    /// The terminal has this size.
    Resize(u16, u16),
    /// The screen's own clock shows this time.
    Tick(Duration),
    /// A frame came from the lab.
    Frame(Box<Frame>),
    /// A line came from the lab that this build cannot read.
    Unreadable,
    /// The connection to the lab broke; it will be tried again.
    Lost,
    /// The lab is gone; it will not be tried again.
    Gone,
    /// The lab has said on its own socket that it is over, and why: to a screen that hears one of its nodes.
    LabOver(String),
    /// What the lab recorded before this screen came was read, or was not, and why.
    SoFar(Result<Box<SessionSoFar>, NotReadSoFar>),
    /// This could not be kept for the next screens.
    Unremembered(String),
    /// The recorded sessions were listed, or cannot be, and why.
    Listed(Result<Vec<ListedSession>, NoSession>),
    /// A request was answered.
    Answered { request: Request, answer: Answer },
    /// Something was to be done with a note.
    NoteChanged {
        change: NoteChange,
        /// Why it was not done, if it was not.
        refused: Option<String>,
    },
}

/// What is done with a note about the session.
#[derive(Clone, Debug)]
pub enum NoteChange {
    Written(SessionNote),
    TakenBack(SessionNote),
}

#[derive(Clone, Debug)]
pub enum Command {
    /// Send this to the lab.
    Request(Request),
    /// Do this in the file of notes.
    Note(NotesFile, NoteChange),
    /// Read what the lab recorded before this screen came.
    ReadSoFar(SoFarWanted),
    /// List the recorded sessions.
    ListSessions,
    /// Make a screen for this session.
    OpenSession(SessionChoice),
    /// Draw everything again.
    Redraw,
    /// Give the terminal back and stop until the shell says to go on.
    Suspend,
    /// Put this text into the terminal's clipboard.
    Copy(String),
    /// From now on the mouse is this one's.
    UseMouse(Mouse),
    /// Keep this for the next screens.
    Remember(Remembered),
    /// End the screen.
    Leave(ScreenEnd),
}
