//! `hustings measure WHAT`: what the papers claim, measured on many simulated runs.
//!
//! Invariant: stdout holds only the table, or its CSV, once, at the end; progress goes to stderr.

mod detectors;
mod duel;
mod figures;
mod holding;
mod merged;
mod messages;
mod numbers;
mod rounds;
mod showing;
mod surveying;
mod time;

pub use merged::show as show_merged;
pub use showing::Showing;

/// What `measure` takes.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    #[command(subcommand)]
    what: Measurement,
}

/// The measurements, one file each.
#[derive(Debug, clap::Subcommand)]
enum Measurement {
    /// The rounds of King, Gendreau and Ni's Algorithm C under loss, beside the formula of their figure 1, and how often
    /// it fails
    Rounds(rounds::Arguments),
    /// The messages that a leader's crash costs with each algorithm, by how it is noticed (Stoller 1997, section 7)
    Messages(messages::Arguments),
    /// The time from the common start, from a leader's crash and from the end of a partition until all agree, beside the
    /// bounds of each algorithm
    Time(time::Arguments),
    /// The failure detectors under the same loss: how soon they report a crash, how often they are mistaken, for how
    /// long, and with how many messages (Stoller 1997, sections 2 and 6)
    Detectors(detectors::Arguments),
    /// Several algorithms over one script with the same seeds, side by side, and who wins each row
    Duel(duel::Arguments),
    /// Any count in a stretch of any lab, such as the Halts from a crash until the next leader
    Figures(figures::Arguments),
}

/// Measures it.
pub fn main(arguments: &Arguments) -> u8 {
    match &arguments.what {
        Measurement::Rounds(arguments) => rounds::main(arguments),
        Measurement::Messages(arguments) => messages::main(arguments),
        Measurement::Time(arguments) => time::main(arguments),
        Measurement::Detectors(arguments) => detectors::main(arguments),
        Measurement::Duel(arguments) => duel::main(arguments),
        Measurement::Figures(arguments) => figures::main(arguments),
    }
}
