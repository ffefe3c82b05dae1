//! hustings: a terminal lab in which real processes hold elections and people break them.
//!
//! Each room is a crate, and its manifest says which rooms it uses: the compiler lets no room use one above it. Lowest
//! floor first:
//!
//! | floor | room | holds |
//! |---|---|---|
//! | 1 | [`protocol`] | words of the field, the machine's trait, the machine without its type, the Card |
//! | 2 | [`election`] | one folder an algorithm; what a liar can make of their messages |
//! | 2 | [`fault`] | what can go wrong, its text form, link verdicts, the dice |
//! | 2 | `test_harness` | for tests alone: one machine with one input at a time, and a network of machines |
//! | 3 | [`link`] | what stands between socket and machine: order filter, verdict queue, ordered broadcast, tampering |
//! | 3 | [`record`] | the record and its one text form, the session file and its recorder, the frames, the one hub that serves watchers |
//! | 3 | [`liar`] | a machine round a machine that may lie |
//! | 4 | [`world`] | the fold of records: causal order, nodes, groups, faults; happened-before and the past of an event |
//! | 4 | [`driver`] | what a real node and a simulated one share round a machine: its step, its holds, its way from the link; conformance of what was recorded |
//! | 5 | [`judge`] | properties, excuses, the assumption meter; why: the causes of a state in sentences |
//! | 5 | [`node`] | the real process: sockets, wire, store, clock |
//! | 6 | [`application`] | what an election is for: one folder an application, with its machine, as pure as an algorithm, its judge, its words and its conditions |
//! | 7 | [`registry`] | what is built in: one line for each algorithm, and the list of the applications |
//! | 7 | [`lab`] | a lab file as typed data |
//! | 8 | [`script`] | the conductor: steps and expectations; orders: fault lines carried out |
//! | 9 | [`host`] | spawns, stops, records, judges, serves watchers |
//! | 9 | [`sim`] | the same labs in virtual time |
//! | 9 | [`dashboard`] | the screen, live, replayed and simulated |
//! | 9 | [`web`] | pages for the browsers of this computer: what a listener reads, bounds and refuses |
//! | 10 | [`export`] | one file a format |
//! | 10 | [`explore`] | every order of a small lab, in ticks: a model of stateright over the true machines, its search, a counterexample as a lab file |
//! | 10 | [`measure`] | what the papers claim, measured on many simulated runs, and some of it on real processes too: one file a measurement |
//! | 10 | `mutants` | for tests alone: bugs planted in machines, and the hunt for them |
//! | 11 | [`cli`] | one file a command |
//!
//! Invariants:
//! - `protocol`, `election` and `application` know no clock, no randomness, no socket, no file, no log, no tokio, no ratatui.
//! - Only [`registry`] and [`measure`] know algorithms by name, and the tests: who changes one compiles these and the
//!   command line, and no room between.
//! - What stands round a machine is written once: a real node and a simulated one differ in their surroundings only.
//! - Drivers know no algorithm by name; algorithms know no driver.
//! - An application hands other rooms its entry: its machine, its judge, its words, its conditions. What a state and a
//!   contradiction say of its work are types of `protocol` and `record`, because sessions name them.
//! - A panel cannot tell where its records come from, and takes `&Model`.
//! - Observing never slows an election: queues are bounded, what is dropped is counted, the gap is itself a record.
//! - A record is written before its effects are carried out, so a kill loses no cause. That a node is held at a moment,
//!   with the effects before it carried out, is therefore not told by the record but by `Report::Held` after it.
//! - Time is one: lab time is the same for all of a lab, stamps are in it, and links delay and layers deliver by it. Slow
//!   motion runs it slower or faster than this computer's clock, for all processes at one instant; the time that a
//!   process is given to start, to answer or to die counts by that clock. What a `clock` fault runs at another rate is
//!   the machine's own clock, by which its timers run and nothing else does; when a timer was set and was due stands in
//!   lab time, so everything that is recorded compares across nodes.
//! - Faults live in one place; dice are a function of seed, fault and datagram.

#![warn(missing_docs)]
#![doc = ""]
#![doc = include_str!("manual/glossary.md")]

mod app;
mod check;
pub mod cli;

pub use app::App;
pub use check::{CheckError, check};
pub use {
    application, dashboard, driver, election, explore, export, fault, host, judge, lab, liar, link, measure, node,
    protocol, record, registry, script, sim, web, world,
};
