//! The lab of this room's tests: three nodes of the small algorithm, at addresses that nobody holds.
//!
//! Invariant: the owner of the guard has the ports to itself.

use std::net::{SocketAddrV4, UdpSocket};
use std::sync::{Mutex, MutexGuard, PoisonError};

use protocol::Algorithm;
pub use protocol::trial::{CountingAlgorithm, count, setup};
use record::{FORMAT, Head, VERSION};

/// The head of that lab.
pub fn head(base_port: u16, group: Option<SocketAddrV4>) -> Head {
    let setup = setup(1);
    Head {
        format: FORMAT.into(),
        version: VERSION,
        lab_id: format!("{base_port:032x}"),
        name: "trial".into(),
        about: "A test.".into(),
        source: None,
        lab_file: String::new(),
        seed: 7,
        nodes: 3,
        timing: setup.timing,
        settings: setup.settings.clone(),
        facts: CountingAlgorithm::CARD.facts(&setup.timing, 3, &setup.settings),
        base_port,
        group,
        build: "test".into(),
        wall_clock: 0,
        origin: Default::default(),
        drawn: None,
    }
}

/// The base port of a lab of three whose addresses nobody holds. Tests of this binary run at the same time: the owner
/// of the guard has the ports to itself.
pub fn free_base_port() -> (u16, MutexGuard<'static, ()>) {
    static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());
    let alone = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    let first = (std::process::id() % 45) as u16;
    let mut candidates = (0..45).map(|step| 20_224 + 256 * ((first + step) % 45));
    let free = |base: &u16| (1..=3).all(|node| UdpSocket::bind(("127.0.0.1", base + node)).is_ok());
    (candidates.find(free).expect("no three free ports in a row"), alone)
}
