//! The head of a session, made from the lab that it records.
//!
//! Invariant: everything that a session says of the lab and its Card comes from here, live and simulated.

use std::net::SocketAddrV4;

use lab::{FILE_BYTES_MAX, Lab};
use record::{FORMAT, Head, LINE_BYTES_MAX, Origin, VERSION};

// A session of every lab that is accepted can be read. A byte of the lab file has at most six in JSON, and stands in the
// head twice: in the file's text, and in a value such as `about`. The rest is room for what the Card says.
const _: () = assert!(LINE_BYTES_MAX >= 16 * FILE_BYTES_MAX);

/// How a lab runs.
#[derive(Copy, Clone, Debug)]
pub enum RunOrigin {
    /// By real processes.
    Live {
        /// Node N has this port plus N.
        base_port: u16,
        /// The multicast group, if the algorithm broadcasts.
        group: Option<SocketAddrV4>,
        /// When, in seconds since 1970.
        wall_clock: u64,
    },
    /// In virtual time. Its session does not say when it was made.
    Simulated,
}

/// The head of a session of this lab; its id is 32 hex digits.
pub fn head_of(lab: &Lab, lab_id: &str, made: RunOrigin) -> Head {
    let (base_port, group, wall_clock, origin) = match made {
        RunOrigin::Live { base_port, group, wall_clock } => (base_port, group, wall_clock, Origin::Live),
        RunOrigin::Simulated => (0, None, 0, Origin::Simulated),
    };
    Head {
        format: FORMAT.to_owned(),
        version: VERSION,
        lab_id: lab_id.to_owned(),
        name: lab.name.clone(),
        about: lab.about.clone(),
        source: lab.source.clone(),
        lab_file: lab.text.clone(),
        seed: lab.seed,
        nodes: lab.roster.electors().len(),
        timing: lab.timing,
        settings: lab.settings.clone(),
        facts: lab.facts(),
        base_port,
        group,
        build: env!("CARGO_PKG_VERSION").to_owned(),
        wall_clock,
        origin,
        drawn: None,
    }
}
