//! What a row of the log or of the messages is.
//!
//! Invariant: a kind has one style on every screen.

/// What a row is, for its style and for the log.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
pub enum RowKind {
    /// A message that a machine received.
    Received,
    /// A message that a machine sent.
    Sent,
    /// A datagram that was dropped, held, tampered with or refused, or could not be sent.
    Lost,
    /// A timer that made a machine do something.
    Timer,
    /// A machine's state.
    State,
    /// What a process does.
    Process,
    /// A fault line.
    Fault,
    /// An expectation that was met.
    Met,
    /// An expectation that was not met.
    Failed,
    /// A contradiction.
    Violation,
    /// A call for help.
    Help,
    /// The lab's own course, and notes.
    Note,
    /// Records or datagrams that are missing.
    Gap,
}

impl RowKind {
    /// Whether the log shows it: everything but the single messages.
    pub fn is_news(self) -> bool {
        !matches!(self, RowKind::Received | RowKind::Sent | RowKind::Lost | RowKind::Timer)
    }
}
