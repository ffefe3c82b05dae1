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
    /// 7: the history of the groups, in a lab that keeps one.
    History,
}

impl Screen {
    /// All of them.
    pub const ALL: [Screen; 7] = [
        Screen::Overview,
        Screen::Messages,
        Screen::Faults,
        Screen::Paper,
        Screen::Links,
        Screen::Elections,
        Screen::History,
    ];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Screen::Overview => "overview",
            Screen::Messages => "messages",
            Screen::Faults => "faults",
            Screen::Paper => "paper",
            Screen::Links => "links",
            Screen::Elections => "elections",
            Screen::History => "history",
        }
    }

    /// The one after it among these; after the last one the first.
    pub fn next(self, screens: &[Screen]) -> Screen {
        let place = screens.iter().position(|screen| *screen == self).unwrap_or(0);
        screens[(place + 1) % screens.len()]
    }

    /// The one before it among these; before the first one the last.
    pub fn previous(self, screens: &[Screen]) -> Screen {
        let place = screens.iter().position(|screen| *screen == self).unwrap_or(0);
        screens[(place + screens.len() - 1) % screens.len()]
    }
}
