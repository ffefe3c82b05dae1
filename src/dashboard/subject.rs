//! What lies over a screen: pages, one on the other.
//!
//! Invariant: closing the upper one shows the one beneath as it was left.

use std::sync::Arc;

use super::beside::ToldDifference;
use super::line_sheet::LineSheet;
use super::listed_session::ListedSession;
use super::row::Row;
use super::why_sheet::WhySheet;
use fault::FaultId;
use protocol::{Assumption, NodeId, Property};
use record::MessageId;

/// A page over a screen.
#[derive(Clone, Debug)]
pub struct Layer {
    /// What it is about.
    pub about: Subject,
    /// How many lines it is scrolled down.
    pub scroll: usize,
    /// Which of its links is under the cursor.
    pub chosen: Option<usize>,
    /// The text that its lines must contain, in the help.
    pub search: String,
    /// The page beneath.
    pub beneath: Option<Box<Layer>>,
}

impl Layer {
    /// A page from its beginning, over nothing but the screen.
    pub fn new(about: Subject) -> Layer {
        Layer { about, scroll: 0, chosen: None, search: String::new(), beneath: None }
    }
}

/// What a layer is about.
#[derive(Clone, Debug)]
pub enum Subject {
    /// The help.
    Help,
    /// Why something is so.
    Why(Box<WhySheet>),
    /// All about a record that an answer cites; closing it leads back to the answer.
    Cited(Box<WhySheet>, Arc<Row>),
    /// All about a node.
    Node(NodeId),
    /// All about a row's record.
    Row(Arc<Row>),
    /// All about a line of the listing.
    Line(Box<LineSheet>),
    /// All about a fault.
    Fault(FaultId),
    /// All about what one node sends to another.
    Link(NodeId, NodeId),
    /// One datagram that waits on the link from the first node to the second.
    Held(NodeId, NodeId, MessageId),
    /// The lab's steps.
    Steps,
    /// What was predicted of elections, and the score.
    Score,
    /// What two sessions differ in.
    Difference(Arc<ToldDifference>),
    /// The recorded sessions.
    Sessions(Arc<[ListedSession]>),
    /// The list of violations.
    Violations,
    /// The list of what the algorithm assumes and promises.
    Promises,
    /// One assumption.
    Assumption(Assumption),
    /// One promise.
    Promise(Property),
}
