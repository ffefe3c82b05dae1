//! What reads bytes from outside, one function each, for any bytes: none of them may panic, whatever it is given, and what
//! it accepts must mean the same when it is written and read again.
//!
//! Invariant: a target keeps nothing from one input to the next.

use std::net::{Ipv4Addr, SocketAddrV4};

use hustings::driver::conformance;
use hustings::fault::FaultLine;
use hustings::application;
use hustings::judge::Judge;
use hustings::lab;
use hustings::node::wire::{Via, Wire};
use hustings::protocol::codec::BODY_BYTES_MAX;
use hustings::protocol::{Incarnation, MachineKind, NodeId};
use hustings::record::{Record, Request, SessionReader};
use hustings::registry::BUILT_IN;
use hustings::world::World;

/// The names of the targets, and what they do with an input.
pub const TARGETS: [(&str, fn(&[u8])); 5] =
    [("datagram", datagram), ("request", request), ("session", session), ("lab", lab_file), ("fault", fault_line)];

const LAB_ID: &str = "00112233445566778899aabbccddeeff";
const BASE_PORT: u16 = 20_224;

/// A datagram. The first byte chooses the algorithm, the second the application beside it, if any, and whether the rest is
/// a whole datagram, or the body of one that is sealed with the right key.
pub fn datagram(bytes: &[u8]) {
    let Some((choice, rest)) = bytes.split_first_chunk::<2>() else { return };
    let algorithm = BUILT_IN.algorithms[usize::from(choice[0]) % BUILT_IN.algorithms.len()];
    let how = choice[1];
    let kind = MachineKind::new(algorithm, BUILT_IN.applications.get(usize::from(how >> 4)).copied());
    let node = |number| NodeId::new(number).expect("it is a node's number");
    let wire =
        |me| Wire::new(LAB_ID, &"07".repeat(32), BASE_PORT, 5, kind.card().wire, node(me)).expect("id and key are hex");
    let via = [Via::Unicast, Via::Multicast, Via::Ordered][usize::from(how >> 1) % 3];
    let source = SocketAddrV4::new(Ipv4Addr::LOCALHOST, BASE_PORT + 2);
    let sealed = wire(2).seal(Incarnation(1), via, 7, &rest[..rest.len().min(BODY_BYTES_MAX)]);
    let arrived = if how & 1 == 0 { rest } else { &sealed };
    if let Ok(opened) = wire(1).open(arrived, via, source, |body| kind.read_message(body)) {
        opened.message.encode().expect("what was decoded can be encoded");
    }
    let _ = kind.read_cells(rest);
}

/// A request to a host.
pub fn request(bytes: &[u8]) {
    if let Ok(request) = serde_json::from_slice::<Request>(bytes) {
        let text = serde_json::to_string(&request).expect("a request is plain data");
        serde_json::from_str::<Request>(&text).expect("what was written can be read");
        if let Request::Inject(line) = request {
            fault_line(line.as_bytes());
        }
    }
}

/// A session file: what was read goes to the world, the judge and the comparison with the algorithm.
pub fn session(bytes: &[u8]) {
    let session = SessionReader::read(bytes);
    for record in &session.records {
        let line = record.to_line();
        assert_eq!(Record::from_line(&line).expect("what was written can be read").to_line(), line);
    }
    let Some(head) = &session.head else { return };
    let _ = conformance::verify(&session, BUILT_IN);
    let Some(roster) = head.roster() else { return };
    let (mut world, mut judge) = (World::new(roster), Judge::new(head, application::judge_of(head)));
    for record in &session.records {
        world.fold(record);
        judge.take(record);
    }
    judge.close(i64::MAX / 4);
}

/// A lab file.
pub fn lab_file(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    if let Err(errors) = lab::parse("fuzzed.toml", text, BUILT_IN) {
        let _ = errors.to_string();
    }
}

/// A fault line.
pub fn fault_line(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    match text.parse::<FaultLine>() {
        Ok(line) => {
            let written = line.to_string();
            assert_eq!(written.parse::<FaultLine>().expect("what was written can be read"), line, "{text:?}");
        }
        Err(error) => drop(error.to_string()),
    }
}
