//! What is built in: one line for each algorithm and for each application.
//!
//! Invariant: each stands here once. Who looks one up by its name is handed this list.

#[cfg(test)]
mod tests;

use application::APPLICATIONS;
use application::working::Working;
use election::{bully, invitation, king_ni, stoller, textbook};
use protocol::{Algorithm, AlgorithmEntry, Deceit, MachineKind, Registry};

/// The algorithms and applications that are built in.
pub static BUILT_IN: Registry = Registry {
    algorithms: &[
        entry::<bully::Bully>(),
        entry::<invitation::Invitation>(),
        entry::<king_ni::a::AlgorithmA>(),
        entry::<king_ni::b1::AlgorithmB1>(),
        entry::<king_ni::b2::AlgorithmB2>(),
        entry::<king_ni::c::AlgorithmC>(),
        entry::<king_ni::agreement::Algorithm53>(),
        entry::<textbook::bully::TextbookBully>(),
        entry::<textbook::ring::Ring>(),
        entry::<stoller::fd::BullyFd>(),
        entry::<stoller::asynchronous::AsynchronousBully>(),
    ],
    applications: APPLICATIONS,
};

/// The most bytes of a message in memory: they are moved often.
const MESSAGE_BYTES_MAX: usize = 64;

const fn entry<A: Algorithm<Message: Deceit>>() -> AlgorithmEntry {
    assert!(size_of::<A::Message>() <= MESSAGE_BYTES_MAX, "what is longer lies behind an Arc");
    AlgorithmEntry {
        card: A::CARD,
        alone: MachineKind::that_deceives::<A>(),
        with_application: MachineKind::that_deceives::<Working<A>>(),
    }
}
