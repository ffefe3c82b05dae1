//! The front door: the program with algorithms of somebody's own.
//!
//! Invariant: whatever the program can do with an algorithm that is built in, it can do with these.

use std::process::ExitCode;

use crate::cli;
use protocol::{Algorithm, AlgorithmEntry, Deceit, Registry};
use registry::BUILT_IN;

/// The program: what is built in, and the algorithms that are added.
///
/// ```no_run
/// # use hustings::election::bully::Bully as MyElection;
/// fn main() -> std::process::ExitCode {
///     hustings::App::new().with::<MyElection>().main()
/// }
/// ```
#[derive(Clone, Debug)]
pub struct App {
    algorithms: Vec<&'static AlgorithmEntry>,
}

impl Default for App {
    fn default() -> App {
        App { algorithms: BUILT_IN.algorithms.to_vec() }
    }
}

impl App {
    /// The program with what is built in.
    pub fn new() -> App {
        App::default()
    }

    /// Adds an algorithm. Its processes can tell the lies that need nothing of its messages.
    ///
    /// # Panics
    /// Its name, or its number in every datagram, is another one's.
    pub fn with<A: Algorithm>(self) -> App {
        self.with_entry(AlgorithmEntry::of::<A>())
    }

    /// Adds an algorithm that says what a liar can make of its messages.
    ///
    /// # Panics
    /// As [`App::with`].
    pub fn with_deceit<A: Algorithm<Message: Deceit>>(self) -> App {
        self.with_entry(AlgorithmEntry::that_deceives::<A>())
    }

    fn with_entry(mut self, entry: &'static AlgorithmEntry) -> App {
        for other in &self.algorithms {
            let (card, of) = (&entry.card, &other.card);
            assert!(card.name != of.name, "there is an algorithm `{}` already: choose another `name`", card.name);
            assert!(
                card.wire != of.wire,
                "`{}` and `{}` have the number {}: choose another `wire`",
                card.name,
                of.name,
                of.wire
            );
        }
        self.algorithms.push(entry);
        self
    }

    /// All of them.
    fn registry(self) -> Registry {
        Registry { algorithms: self.algorithms.leak(), applications: BUILT_IN.applications }
    }

    /// Runs the program with the arguments of this process: a lab's host, its nodes and its screen are this same program.
    pub fn main(self) -> ExitCode {
        // A panic is our bug, and has been told on stderr by the panic hook.
        std::panic::catch_unwind(|| cli::main(self.registry())).unwrap_or(ExitCode::from(70))
    }
}
