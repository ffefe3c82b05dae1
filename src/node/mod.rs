//! The real process of one node.
//!
//! Invariant: this room knows no algorithm by name: the table in [`crate::election`] gives it a type to be generic over.

pub mod attach;
pub mod clock;
pub mod driver;
pub mod life;
pub mod os;
pub mod process;
pub mod reports;
pub mod sockets;
pub mod store;
pub mod tally;
#[cfg(test)]
mod trial;
pub mod wire;

pub use process::{CHANNEL_DESCRIPTOR, main};
