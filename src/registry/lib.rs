//! What is built in: one line for each algorithm and for each application.
//!
//! Invariant: each stands here once. Who looks one up by its name is handed this list.

#[cfg(test)]
mod tests;

use application::APPLICATIONS;
use application::working::Working;
use election::{bully, invitation, king_ni, raft, stoller, textbook};
use protocol::{Algorithm, AlgorithmEntry, Deceit, MachineKind, Registry};

/// The algorithms and applications that are built in.
pub static BUILT_IN: Registry = Registry {
    algorithms: &[
        entry_with_deceit::<bully::Bully>(),
        entry_with_deceit::<invitation::Invitation>(),
        entry_with_deceit::<king_ni::a::AlgorithmA>(),
        entry_with_deceit::<king_ni::b1::AlgorithmB1>(),
        entry_with_deceit::<king_ni::b2::AlgorithmB2>(),
        entry_with_deceit::<king_ni::c::AlgorithmC>(),
        entry_with_deceit::<king_ni::agreement::Algorithm53>(),
        entry_with_deceit::<textbook::bully::TextbookBully>(),
        entry_with_deceit::<textbook::ring::Ring>(),
        entry_with_deceit::<stoller::fd::BullyFd>(),
        entry_with_deceit::<stoller::asynchronous::AsynchronousBully>(),
        entry_with_deceit::<raft::Raft>(),
    ],
    applications: APPLICATIONS,
};

/// An algorithm for a registry, alone and with an application beside it.
pub const fn entry<A: Algorithm>() -> AlgorithmEntry {
    const { assert_short::<A::Message>() };
    AlgorithmEntry { card: A::CARD, alone: MachineKind::of::<A>(), with_application: MachineKind::of::<Working<A>>() }
}

/// The same for an algorithm that says what a liar can make of its messages.
pub const fn entry_with_deceit<A: Algorithm<Message: Deceit>>() -> AlgorithmEntry {
    const { assert_short::<A::Message>() };
    AlgorithmEntry {
        card: A::CARD,
        alone: MachineKind::that_deceives::<A>(),
        with_application: MachineKind::that_deceives::<Working<A>>(),
    }
}

/// Messages are moved often.
const fn assert_short<M>() {
    assert!(size_of::<M>() <= 64, "a message has at most 64 bytes: what is longer lies behind an Arc");
}
