//! The options of a screen, as its caller gives them.
//!
//! Invariant: nothing here changes while the screen is open.

use std::io;
use std::path::{Path, PathBuf};

use super::input::keymap::Keymap;
use super::model::pages::Rerun;
use super::view::theme::{Colour, Glyphs};
use protocol::NodeId;
use script::SharedLab;

/// Where a screen's records come from.
#[derive(Clone, Debug)]
pub enum Source {
    /// A running lab.
    Lab {
        /// The run directory ([`record::run_directory`] names its sockets).
        directory: PathBuf,
        /// The node whose own socket is watched; absent: the host's.
        node: Option<NodeId>,
    },
    /// A session file.
    Session(PathBuf),
    /// A lab in virtual time.
    Simulated(SharedLab),
}

/// Whether a screen may order faults.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
pub enum Access {
    /// Faults may be ordered.
    Full,
    /// Each fault key shows a sentence and orders nothing.
    ReadOnly,
}

/// What leaving a screen does to the lab. The screen itself ends nothing: its caller does.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
pub enum Role {
    /// Leaving ends the lab, and the screen ends with the lab (`up`).
    Owner,
    /// The lab goes on, and the screen stays when the lab is over (`watch`, `replay`).
    Visitor,
}

/// Whether one key press is enough to leave a screen.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
pub enum Leaving {
    /// The key leaves at once.
    AtOnce,
    /// The screen asks first, once.
    AfterAsking,
}

/// Whose the mouse is.
#[derive(Copy, Clone, Default, Eq, PartialEq, Debug)]
pub enum Mouse {
    /// The terminal's, which selects text with it.
    #[default]
    OfTheTerminal,
    /// The screen's: it selects, scrolls and seeks.
    OfTheScreen,
}

/// Whether a strip tells newcomers what they can do.
#[derive(Copy, Clone, Default, Eq, PartialEq, Debug)]
pub enum Tour {
    /// The strip is shown.
    Shown,
    /// The strip is hidden.
    #[default]
    Hidden,
}

/// What is remembered from one screen to the next.
#[derive(Clone, Eq, PartialEq, Debug)]
pub enum Remembered {
    /// The strip for newcomers has been seen.
    TourSeen,
    /// The lesson of the lab of this name has been seen to its end.
    LessonDone(String),
}

/// The options of a screen.
#[derive(Clone, Debug)]
pub struct Options {
    /// Where its records come from.
    pub source: Source,
    /// Whether it may order faults.
    pub access: Access,
    /// What leaving does.
    pub role: Role,
    /// Whether it asks before it leaves.
    pub leaving: Leaving,
    /// Which characters it is drawn with.
    pub glyphs: Glyphs,
    /// Whether it has colours.
    pub colour: Colour,
    /// Which key does what.
    pub keymap: Keymap,
    /// Whose the mouse is when it opens.
    pub mouse: Mouse,
    /// What it tells when it opens.
    pub told: Option<String>,
    /// Plays its lab again without a fault.
    pub rerun: Rerun,
    /// Whether it tells newcomers what they can do.
    pub tour: Tour,
    /// Keeps what is to be remembered.
    pub remember: fn(&Remembered) -> io::Result<()>,
}

impl Options {
    /// Options for showing a session file without keyboard input.
    pub fn of_session(path: &Path) -> Options {
        Options {
            source: Source::Session(path.to_owned()),
            access: Access::ReadOnly,
            role: Role::Visitor,
            leaving: Leaving::AtOnce,
            glyphs: Glyphs::Unicode,
            colour: Colour::Dark,
            keymap: Keymap::default(),
            mouse: Mouse::OfTheTerminal,
            told: None,
            rerun: |_, _, _, _| Vec::new(),
            tour: Tour::Hidden,
            remember: |_| Ok(()),
        }
    }
}
