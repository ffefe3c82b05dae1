//! The algorithms, one folder each, and what liars can make of their messages.
//!
//! Invariant: an algorithm knows no other one, no driver, no lie and no judge.

pub mod bully;
mod deceit;
pub mod detector;
pub mod garcia_molina;
pub mod invitation;
pub mod king_ni;
pub mod raft;
pub mod stoller;
pub mod textbook;
