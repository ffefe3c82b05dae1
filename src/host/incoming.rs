//! The events that reach the lab's loop from outside.
//!
//! Invariant: the loop has one queue, and every event waits its turn in it.

use std::os::unix::net::UnixStream;
use std::sync::mpsc::Sender;

use protocol::NodeId;
use record::Answer;

/// How many events may wait for the lab. When there are this many, the host reads nothing more: what nodes write then
/// waits in their sockets, and what finds no room there is counted and reported as a gap.
pub const EVENTS_WAITING_MAX: usize = 4_096;

/// An event for the host.
#[derive(Debug)]
pub enum Incoming {
    /// A node wrote a packet.
    Packet(NodeId, Vec<u8>),
    /// A node's end of its stream is closed: its process has ended, or is about to.
    Closed(NodeId),
    /// Somebody wants to watch, and waits for a snapshot.
    WatcherHasCome,
    /// Somebody orders a fault line; the answer goes back this way.
    Inject(String, Sender<Answer>),
    /// Somebody wants the lab's steps played; the answer goes back this way.
    PlaySteps(Sender<Answer>),
    /// Somebody wants this note recorded; the answer goes back this way.
    Note(String, Sender<Answer>),
    /// Somebody wants the lab to end; the answer goes to this connection.
    End(UnixStream),
    /// Everything that this node had written when the reader was asked has been passed on.
    Drained(NodeId),
    /// The owner is gone.
    LifelineClosed,
    /// A signal told the host to end.
    Signal(i32),
}
