//! What can go wrong, each with the assumption that it breaks: the one text form, link verdicts, the dice; and planted
//! bugs, which break none.
//!
//! Invariant: a fault line means the same in a lab file, at the keyboard, on the command line and in a session, and
//! a link fault bites the same way for real and for simulated links.

mod burst;
mod cast;
mod clock;
mod dice;
mod hold;
mod line;
mod link;
mod loss;
mod moment;
mod mutant;
mod parse;
mod partial;
mod suits;
mod tamper;

pub use burst::{BurstLength, in_burst};
pub use cast::Cast;
pub use clock::{ClockFault, ClockRate, OwnClock};
pub use dice::throw;
pub use hold::{ReleaseOrder, freeing, holding};
pub use line::{FORMS, FaultLine, FaultTextError, Percent, Target, TargetError, Way};
pub use link::{FaultId, LinkFault, LinkRule, Passage, Verdict, verdict};
pub use loss::{Loss, StoreLoss};
pub use moment::{MOMENT_FORMS, Moment, MomentTextError};
pub use mutant::{Bug, Given, Mutant, Reaction, pretend};
pub use partial::hears;
pub use suits::Unsuited;
pub use tamper::{Specimen, Tampering, tampered};
