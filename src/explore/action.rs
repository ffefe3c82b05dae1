//! What may happen next in a state: the actions of the model.
//!
//! Invariant: an action names its message by its place among those that are under way in the state it belongs to.

/// Something that happens.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
pub struct LabAction {
    pub kind: ActionKind,
    /// The node's process is killed within the step, when so many effects of it have been carried out.
    pub dies_after: Option<u8>,
}

/// What happens.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
pub enum ActionKind {
    /// A message comes.
    Deliver(u8),
    /// A timer runs out.
    TimeOut {
        /// The node's place.
        node: u8,
        /// The timer's number.
        timer: u8,
    },
    /// The next tick begins.
    NextTick,
    /// A process is killed.
    Crash(u8),
    /// A process is started.
    Recover(u8),
    /// A message is lost.
    Lose(u8),
    /// A process stands still.
    Pause(u8),
    /// Goes on.
    Resume(u8),
    /// A timer that waits for others runs out before its time.
    FalseAlarm {
        /// The node's place.
        node: u8,
        /// The timer's number.
        timer: u8,
    },
    /// The operator orders an election.
    Elect(u8),
}

impl ActionKind {
    /// Happens whole.
    pub fn whole(self) -> LabAction {
        LabAction { kind: self, dies_after: None }
    }
}
