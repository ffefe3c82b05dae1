//! What is built in: one line for each algorithm, and the applications in the order of their own list.
//!
//! Invariant: each stands there once. Who looks one up by its name is handed this list.

#[cfg(test)]
mod tests;

use election::{bully, invitation, king_ni, raft, stoller, textbook};
use protocol::{AlgorithmEntry, Registry};

/// The algorithms and applications that are built in.
pub static BUILT_IN: Registry = Registry {
    algorithms: &[
        AlgorithmEntry::that_deceives::<bully::Bully>(),
        AlgorithmEntry::that_deceives::<invitation::Invitation>(),
        AlgorithmEntry::that_deceives::<king_ni::a::AlgorithmA>(),
        AlgorithmEntry::that_deceives::<king_ni::b1::AlgorithmB1>(),
        AlgorithmEntry::that_deceives::<king_ni::b2::AlgorithmB2>(),
        AlgorithmEntry::that_deceives::<king_ni::c::AlgorithmC>(),
        AlgorithmEntry::that_deceives::<king_ni::agreement::Algorithm53>(),
        AlgorithmEntry::that_deceives::<textbook::bully::TextbookBully>(),
        AlgorithmEntry::that_deceives::<textbook::ring::Ring>(),
        AlgorithmEntry::that_deceives::<stoller::fd::BullyFd>(),
        AlgorithmEntry::that_deceives::<stoller::asynchronous::AsynchronousBully>(),
        AlgorithmEntry::that_deceives::<raft::Raft>(),
    ],
    applications: &application::MACHINES,
};
