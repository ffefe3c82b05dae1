//! Processes that lie (King, Gendreau and Ni 1988, section 5.2: malicious processes): a machine round a machine.
//!
//! Some lies need nothing of the messages: to be silent, late, or in another's name, to repeat, to answer and not to act.
//! For the others a family of algorithms says what its messages give: [`Deceit`](protocol::Deceit). No file of an
//! algorithm knows of it.
//!
//! Invariant: a lie for which an algorithm has no message is refused before anything runs.

mod context;
mod deception;
mod dice;
mod machine;
mod signers;
#[cfg(test)]
mod tests;

pub use machine::{LiarTimer, ProcessMachine, timer_name};
