//! What reaches the lab's loop from outside.
//!
//! Invariant: the loop has one queue, and everything waits its turn in it.

use std::os::unix::net::UnixStream;
use std::sync::mpsc::Sender;

use crate::protocol::NodeId;
use crate::record::Answer;

/// How many events may wait for the lab. While there are as many nothing more is read: what nodes write then waits in
/// their sockets, and what finds no room there is counted and told as a gap.
pub const EVENTS_WAITING_MAX: usize = 16_384;

/// What reaches the host.
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
    /// Somebody wants the lab to end; the answer goes to this connection.
    End(UnixStream),
    /// All that this node had written when the reader was asked has been passed on.
    Drained(NodeId),
    /// The owner is gone.
    LifelineClosed,
    /// A signal told the host to end.
    Signal(i32),
}
