//! What every panel says of elections, faults, links and the lab's steps.

pub mod election;
pub mod fault;
pub mod link;
pub mod steps;
