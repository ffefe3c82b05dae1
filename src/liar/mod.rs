//! Processes that lie (King, Gendreau and Ni 1988, section 5.2: malicious processes): a machine round a machine, and what
//! a liar can make of each algorithm's messages.
//!
//! Some lies need nothing of the messages: to be silent, late, or in another's name, to repeat, to answer and not to act.
//! For the others a family of algorithms says here what its messages give: [`Deceit`](crate::protocol::Deceit). No file of
//! an algorithm knows of it.
//!
//! Invariant: a lie for which an algorithm has no message is refused before anything runs.

mod deception;
mod dice;
mod garcia_molina;
mod king_ni;
mod machine;
mod place;
mod signed;
mod signers;
mod speech;
mod stoller;
#[cfg(test)]
mod tests;
mod textbook;
mod working;

pub use machine::{Liar, LiarTimer};
pub use speech::{Aside, Speech};

use crate::election::{self, Visitor};
use crate::protocol::{Algorithm, Deceit, Lie};

/// The lies that a process of any algorithm can tell.
const OF_ALL: [Lie; 5] = [Lie::Withhold, Lie::Late, Lie::Forge, Lie::Replay, Lie::MuteAcceptor];

/// The lies that processes of the algorithm of this name can tell, in the order of [`Lie::ALL`].
pub fn told_in(algorithm: &str) -> Vec<Lie> {
    struct Lies;
    impl Visitor for Lies {
        type Output = Vec<Lie>;

        fn visit<A: Algorithm>(self) -> Vec<Lie> {
            let own = <A::Message as Deceit>::LIES;
            Lie::ALL.into_iter().filter(|lie| OF_ALL.contains(lie) || own.contains(lie)).collect()
        }
    }
    election::visit(algorithm, Lies).unwrap_or_default()
}
