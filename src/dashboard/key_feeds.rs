//! The kinds of sources that a screen's records come from, and in which of them a row of the table of keys applies.
//!
//! Invariant: a running lab and its past are two kinds, because other keys move in them.

/// Where the records come from.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
pub enum FeedKind {
    /// A running lab.
    Live,
    /// The last minute of a running lab.
    Past,
    /// A session file.
    Replay,
    /// Two session files side by side.
    Pair,
    /// A lab in virtual time.
    Simulated,
}

impl FeedKind {
    /// All of them.
    pub const ALL: [FeedKind; 5] =
        [FeedKind::Live, FeedKind::Past, FeedKind::Replay, FeedKind::Pair, FeedKind::Simulated];
}

/// In which feeds a row of the table applies.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
pub enum Feeds {
    /// In all.
    All,
    /// In the present of a running lab only.
    Live,
    /// In a running lab, its present and its past.
    Running,
    /// In feeds with movable time: a running lab's past, a replay and a simulated lab.
    Timed,
    /// In what was recorded: a running lab's past, a replay, and two of them.
    Recorded,
    /// In two replays side by side only.
    Pair,
    /// In a simulated lab only.
    Simulated,
}

impl Feeds {
    /// Whether the row applies in this feed.
    pub fn holds_in(self, feed: FeedKind) -> bool {
        match self {
            Feeds::All => true,
            Feeds::Live => feed == FeedKind::Live,
            Feeds::Running => matches!(feed, FeedKind::Live | FeedKind::Past),
            Feeds::Timed => feed != FeedKind::Live,
            Feeds::Recorded => matches!(feed, FeedKind::Past | FeedKind::Replay | FeedKind::Pair),
            Feeds::Pair => feed == FeedKind::Pair,
            Feeds::Simulated => feed == FeedKind::Simulated,
        }
    }
}
