//! Where a person is in the paper's listing.
//!
//! Invariant: the cursor names a line or a hole, so it stays there while processes come and go.

use protocol::LineNumber;

/// The place on the paper's screen.
#[derive(Clone, Default, Debug)]
pub struct PaperPlace {
    /// What is under the cursor.
    pub cursor: PaperCursor,
    /// The record from which one came here.
    pub traced: Option<TracedRecord>,
}

/// The cursor of the paper's screen.
#[derive(Copy, Clone, Default, Eq, PartialEq, Debug)]
pub enum PaperCursor {
    /// It is on the line of the selected node's process, and goes with it.
    #[default]
    Following,
    /// A person has put it here.
    On(PaperItem),
}

/// What the cursor of the paper's screen can be on.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
pub enum PaperItem {
    /// The line of this number.
    Line(LineNumber),
    /// The hole at this place among the paper's.
    Hole(usize),
}

/// A record whose lines are marked.
#[derive(Clone, Eq, PartialEq, Debug)]
pub struct TracedRecord {
    /// Its number; 0 if it has none.
    pub number: u64,
    /// The lines that its step went through.
    pub lines: Vec<LineNumber>,
}
