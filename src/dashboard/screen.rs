//! The screens of the dashboard.
//!
//! Invariant: a screen's place among all is its number, which is its key.

/// The screens, in the order of their numbers.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
pub enum Screen {
    /// 1: the nodes and the log.
    Overview,
    /// 2: every message and event.
    Messages,
    /// 3: every fault line.
    Faults,
    /// 4: the algorithm's listing.
    Paper,
    /// 5: who hears whom.
    Links,
    /// 6: the latest elections.
    Elections,
}

impl Screen {
    /// All of them.
    pub const ALL: [Screen; 6] =
        [Screen::Overview, Screen::Messages, Screen::Faults, Screen::Paper, Screen::Links, Screen::Elections];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Screen::Overview => "overview",
            Screen::Messages => "messages",
            Screen::Faults => "faults",
            Screen::Paper => "paper",
            Screen::Links => "links",
            Screen::Elections => "elections",
        }
    }

    /// The one after it; after the last one the first.
    pub fn next(self) -> Screen {
        let place = Screen::ALL.iter().position(|screen| *screen == self).unwrap_or(0);
        Screen::ALL[(place + 1) % Screen::ALL.len()]
    }

    /// The one before it; before the first one the last.
    pub fn previous(self) -> Screen {
        let place = Screen::ALL.iter().position(|screen| *screen == self).unwrap_or(0);
        Screen::ALL[(place + Screen::ALL.len() - 1) % Screen::ALL.len()]
    }
}
