//! The real process of one node.
//!
//! Invariant: this room knows no algorithm by name: the table in [`crate::election`] gives it a type to be generic over.

pub mod wire;
