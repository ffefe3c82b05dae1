//! The broadcast network of these tests, whose datagrams take what the test says, with Algorithm C on it.
//!
//! Invariant: at one instant deliveries come before time-outs; otherwise events happen in the order they were made.

use super::super::AlgorithmC;
use crate::king_ni::tests::network;
pub use crate::king_ni::tests::network::Xorshift;

pub type Network = network::Network<AlgorithmC>;
pub type Event = network::Event<AlgorithmC>;
pub type Datagram = network::Datagram<AlgorithmC>;
