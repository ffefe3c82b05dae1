//! The host of a lab: it spawns, stops and kills the nodes' processes, keeps the order of their records, judges,
//! records, plays the script, and serves watchers.
//!
//! ```text
//!  spawner thread ── fork, exec, signal, reap
//!  reader thread ─── polls node streams, lifeline, signals ──▶ events ──▶ the lab's one loop
//!  hub thread ────── tokio: watchers' queues out, requests in ──▶ events
//!                                        lab loop: orderer ─▶ session, world, judge, conductor, watchers
//! ```
//!
//! Invariant: nothing outlives the host, and the host waits for no process without end. Nodes die with its spawner thread (PDEATHSIG, SIGKILL) and with its end of
//! their stream; the host itself ends when its owner's lifeline closes.

mod child;
mod clock;
mod commands;
mod directory;
mod directory_marker;
mod incoming;
mod lab_end;
mod lab_loop;
mod lab_sockets;
mod multicast_probe;
mod nodes;
mod reader;
mod received;
mod recent;
mod spawner;
mod start;
mod start_pace;
mod store_watch;
mod wake_delays;

pub use directory::{LabEntry, RunDirectories, RunDirectory};
pub use lab_end::LabEnd;
pub use lab_loop::{EndsBy, LabNews};
pub use multicast_probe::{NotHeard, hears_multicast};
pub use start::{HostError, LabOwner, RunPlan, run};
