//! The real process of one node: sockets, wire, stable store, clock, watchers. The machine behind its link is
//! [`driver`]'s.
//!
//! The host starts it as `hustings node`, with its end of a packet socket pair as descriptor 3 and nothing else: the
//! first packet is the plan. The parts of this room, from the outside in: [`process`] starts and waits, [`life`] makes
//! the turns; beside them are [`wire`], [`sockets`], [`store`], [`reports`] (to the host), [`attach`] (to watchers),
//! [`replay`], [`tally`], [`load`], [`clock`] and [`os`].
//!
//! Invariant: this room knows no algorithm by name: the table in [`election`] gives it a type to be generic over.

pub mod attach;
pub mod clock;
pub mod drop_counts;
pub mod host_channel;
pub mod life;
pub mod load;
pub mod os;
pub mod process;
pub mod replay;
pub mod sockets;
mod stderr;
pub mod store;
#[cfg(test)]
mod trial;
pub mod wire;

pub use process::main;
