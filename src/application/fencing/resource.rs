//! The resource: it tells its content, and takes writes or refuses them.
//!
//! Its content is its safe cells: the file that its process keeps in the store of its own.
//!
//! Invariant: the highest number never goes back while the cells are whole; a refused write changes nothing.

use serde::{Deserialize, Serialize};

use super::card as line;
use super::message::FencingMessage;
use protocol::{Application, ApplicationEffects, FencingNumber, NodeId, ResourceWork, Settings, WriteFate, WriteView};

/// The resource's machine.
#[derive(Clone, Eq, PartialEq, Hash, Debug)]
pub struct Resource {
    fence: Fence,
    cells: ResourceCells,
    refused: u64,
    latest: Option<WriteView>,
}

/// Whether it looks at the numbers of writes.
#[derive(Copy, Clone, Eq, PartialEq, Hash, Debug)]
enum Fence {
    Open,
    Closed,
}

/// What is kept in the safe cells.
#[derive(Copy, Clone, Default, Eq, PartialEq, Hash, Debug, Serialize, Deserialize)]
pub struct ResourceCells {
    /// The content.
    pub value: u64,
    /// The highest number of a write that has landed.
    pub highest: Option<FencingNumber>,
    /// How many have landed.
    pub landed: u64,
}

impl Resource {
    /// With what its cells hold.
    pub(super) fn new(settings: &Settings, cells: ResourceCells) -> Resource {
        let fence = if line::is_fenced(settings) { Fence::Closed } else { Fence::Open };
        Resource { fence, cells, refused: 0, latest: None }
    }

    pub(super) fn on_question<P>(&mut self, from: NodeId, message: FencingMessage, fx: &mut ApplicationEffects<P>)
    where
        P: Application<Message = FencingMessage, Saved = ResourceCells>,
    {
        match message {
            FencingMessage::Read { call } => {
                fx.line(line::TELL);
                fx.send(from, FencingMessage::Content { call, value: self.cells.value });
            }
            FencingMessage::Write { call, term, number, value } => {
                let higher = self.cells.highest.filter(|highest| number < *highest);
                match (self.fence, higher) {
                    (Fence::Closed, Some(highest)) => {
                        fx.line(line::REFUSE);
                        self.refused += 1;
                        self.latest = Some(WriteView { term, number, value, fate: WriteFate::Refused });
                        fx.send(from, FencingMessage::Refused { call, highest });
                    }
                    _ => {
                        fx.line(line::LAND);
                        let highest = self.cells.highest.max(Some(number));
                        self.cells = ResourceCells { value, highest, landed: self.cells.landed + 1 };
                        self.latest = Some(WriteView { term, number, value, fate: WriteFate::Landed });
                        fx.save(self.cells);
                        fx.send(from, FencingMessage::Written { call });
                    }
                }
            }
            FencingMessage::Content { .. } | FencingMessage::Written { .. } | FencingMessage::Refused { .. } => {}
        }
    }

    pub(super) fn work(&self) -> ResourceWork {
        let ResourceCells { value, highest, landed } = self.cells;
        ResourceWork { value, highest, landed, refused: self.refused, latest: self.latest }
    }
}
