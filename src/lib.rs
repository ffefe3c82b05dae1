//! hustings: a terminal lab in which real processes hold elections and people break them.
//!
//! Rooms, lowest floor first; an upper room uses lower ones, never the other way (`tests/house.rs` holds the table):
//!
//! | floor | room | holds |
//! |---|---|---|
//! | 1 | [`protocol`] | words of the field, the machine's trait, the Card |
//! | 2 | [`election`] | one file an algorithm |
//! | 2 | [`fault`] | what can go wrong, its text form, link verdicts, the dice |
//! | 3 | [`link`] | what stands between socket and machine: order filter, verdict queue, ordered broadcast, tampering |
//! | 3 | [`record`] | the record and its one text form, the session file and its recorder, the frames, the one hub that serves watchers |
//! | 3 | [`lab`] | a lab file as typed data |
//! | 4 | [`world`] | the fold of records: causal order, nodes, groups, faults; happened-before and the past of an event |
//! | 5 | [`judge`] | properties, excuses, the assumption meter |
//! | 6 | [`script`] | the conductor: steps and expectations; orders: fault lines carried out |
//! | 6 | [`driver`] | what a real node and a simulated one share round a machine: its step, its holds, its way from the link; conformance of what was recorded |
//! | 7 | [`node`] | the real process: sockets, wire, store, clock |
//! | 7 | [`sim`] | the same labs in virtual time |
//! | 7 | [`host`] | spawns, stops, records, judges, serves watchers |
//! | 7 | [`dashboard`] | the screen, live, replayed and simulated |
//! | 8 | [`export`] | one file a format |
//! | 9 | [`cli`] | one file a command |
//!
//! Invariants:
//! - `protocol` and `election` know no clock, no randomness, no socket, no file, no log, no tokio, no ratatui.
//! - What stands round a machine is written once: a real node and a simulated one differ in their surroundings only.
//! - Drivers know no algorithm by name; algorithms know no driver.
//! - A panel cannot tell where its records come from, and takes `&Model`.
//! - Observing never slows an election: queues are bounded, what is dropped is counted, the gap is itself a record.
//! - A record is written before its effects are carried out, so a kill loses no cause. That a node is held at a moment,
//!   with the effects before it carried out, is therefore not told by the record but by `Report::Held` after it.
//! - Time is one: stamps and lab time are the same for all of a lab, and links delay and layers deliver by it. What a
//!   `clock` fault runs at another rate is the machine's own clock, by which its timers run and nothing else does; when a
//!   timer was set and was due stands in lab time, so everything that is recorded compares across nodes.
//! - Faults live in one place; dice are a function of seed, fault and datagram.

pub mod cli;
pub mod dashboard;
pub mod driver;
pub mod election;
pub mod export;
pub mod fault;
pub mod host;
pub mod judge;
pub mod lab;
pub mod link;
pub mod node;
pub mod protocol;
pub mod record;
pub mod script;
pub mod sim;
pub mod world;
