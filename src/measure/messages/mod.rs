//! `measure messages`: what a leader's crash costs, for every algorithm (Stoller 1997, section 7, which compares the
//! Asynchronous Bully with Invitation).
//!
//! How the crash is noticed decides much of it, so it is noticed in three ways: at once, within the time of one message,
//! and within that of 4n messages, which is twice a whole stage 2.

mod failover;
mod follow;
mod point;
mod sheet;
mod sum;
mod survey;
#[cfg(test)]
mod tests;

pub use follow::FailoverTrace;
pub use point::{FailoverPoint, Noticing};
pub use sum::MessagesSum;
pub use survey::MessagesSurvey;
