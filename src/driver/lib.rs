//! What a real node and a simulated one share around a machine: a step and its record, the moments at which it is held,
//! the way of a message from the link to the machine.
//!
//! From the inside out: [`machine`] a machine with its timers and numbers, [`hold`] where it is held at a protocol moment,
//! [`participant`] the machine behind its link; beside them [`stamp`]; [`conformance`] feeds the recorded inputs to
//! machines again, and [`broadcasts`] counts what became of the ordered broadcasts. A process, a simulation or a test
//! gives them what they need around them: [`Environment`].
//!
//! Invariant: this room has no clock, no socket and no file of its own, and knows no algorithm by name: what it does is
//! a function of what it is given and of what its surroundings answer.

pub mod broadcasts;
mod choices;
pub mod conformance;
pub mod counting_broadcast;
pub mod hold;
pub mod machine;
mod names;
pub mod participant;
pub mod stamp;
#[cfg(test)]
mod tests;
mod timers;

pub use hold::Armed;
pub use machine::Driver;
pub use participant::Participant;
pub use stamp::Stamp;

use std::io;

use fault::Passage;
use link::BroadcastId;
use protocol::{Payload, SavedCells};
use record::{Body, MessageId};

/// What a machine needs around it: the process gives it a host, sockets and a store, the simulator a network of its own,
/// a test a notebook.
pub trait Environment {
    /// Why the safe cells could not be written.
    type Error;

    /// The present moment, read anew each time.
    fn now(&self) -> Stamp;

    /// Whether anybody reads the records. If nobody does, none is made: events are then not put into words.
    fn keeps_records(&self) -> bool {
        true
    }

    /// Takes a record, without waiting; returns whether the record will reach the reader that waits for holds.
    fn record(&mut self, stamp: Stamp, body: Body) -> bool;

    /// Sends a message; a multicast if its id has no receiver.
    ///
    /// # Errors
    /// It did not leave. It is then lost, as any datagram may be.
    fn send(&mut self, id: &MessageId, message: Payload) -> io::Result<()>;

    /// Sends a copy of somebody's ordered broadcast on to all.
    ///
    /// # Errors
    /// As for [`Environment::send`].
    fn relay(&mut self, original: &BroadcastId, message: &Payload) -> io::Result<()>;

    /// The ordered broadcasts that have left this node since the last call.
    fn take_own(&mut self) -> Vec<(BroadcastId, Payload)>;

    /// When it returns, the safe cells are where a crash leaves them.
    ///
    /// # Errors
    /// They could not be written: nothing that followed in the step is carried out, and the node must halt.
    fn save(&mut self, saved: SavedCells) -> Result<(), Self::Error>;

    /// How idle the process is, from 0 to [`protocol::capacity::IDLE`]. Only a real process can be measured; to
    /// ask anything else is a bug.
    fn idleness(&mut self) -> i64 {
        panic!("only a real process has a load")
    }

    /// The moment that the lab waits for.
    fn armed(&mut self) -> &mut Armed;

    /// The effects up to the hold have been carried out: see [`Driver::reach_hold`].
    fn become_held(&mut self, by: &str);
}

/// The identity of a datagram at its receiver.
pub fn message_id(passage: &Passage) -> MessageId {
    let to = (!passage.multicast).then_some(passage.to);
    MessageId { from: passage.from, incarnation: passage.incarnation, to, sequence: passage.sequence }
}
