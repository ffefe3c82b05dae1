//! Bars that `scripts/reliability` holds the program to and that read sessions, stores and sockets closely.
//!
//! Invariant: each is ignored by a plain `cargo test`, takes its count from BAR_COUNT, and passes with a count of one.

#[cfg(feature = "failpoints")]
mod failpoints;
mod flood;
mod links;
mod ports;
mod replays;
mod requests;
mod spoiled;
mod strangers;

use std::collections::BTreeSet;
use std::fs::File;
use std::io::Read;
use std::path::PathBuf;
use std::process::Command;

use serde_json::Value;

use crate::bench::Bench;

/// How many of its things a bar is asked for.
pub fn count() -> usize {
    std::env::var("BAR_COUNT").map_or(1, |text| text.parse().unwrap())
}

/// A lab that runs, its session read as it grows.
pub struct RunningLab {
    pub base_port: u16,
    pub host: u32,
    pub directory: PathBuf,
    pub records: Vec<Value>,
    session: PathBuf,
    file: Option<File>,
    rest: Vec<u8>,
}

/// Five nodes (or so many) of this algorithm, without steps.
pub fn lab_text(algorithm: &str, nodes: u16) -> String {
    format!(
        "name = \"bar\"\nabout = \"A bar.\"\nalgorithm = \"{algorithm}\"\nnodes = {nodes}\nseed = 1\n\
         T = \"200ms\"\ncheck = \"1s\"\nsilence = \"2s\"\n"
    )
}

impl RunningLab {
    /// Starts this lab, with more in its environment.
    pub fn up(bench: &Bench, text: &str, environment: impl FnOnce(&mut Command)) -> RunningLab {
        let (file, session) = (bench.file("bar.toml", text), bench.path("bar.jsonl"));
        let mut command = bench.hustings(&["up", &file, "--detach", "--record", session.to_str().unwrap()]);
        environment(&mut command);
        let up = command.output().unwrap();
        assert!(up.status.success(), "{up:?}");
        let id = String::from_utf8(up.stdout).unwrap().trim().to_owned();
        let entry: Value = serde_json::from_str(bench.must(&["ls", "--json"]).trim()).unwrap();
        let directory = bench.path("hustings").join(&id);
        let number = |name: &str| entry[name].as_u64().unwrap();
        let (base_port, host) = (number("base_port") as u16, number("pid") as u32);
        RunningLab { base_port, host, directory, records: Vec::new(), session, file: None, rest: Vec::new() }
    }

    /// Reads what the session holds by now.
    pub fn read(&mut self) -> &[Value] {
        let file = self.file.get_or_insert_with(|| File::open(&self.session).unwrap());
        file.read_to_end(&mut self.rest).unwrap();
        let end = self.rest.iter().rposition(|byte| *byte == b'\n').map_or(0, |place| place + 1);
        let whole: Vec<u8> = self.rest.drain(..end).collect();
        let lines = whole.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
        self.records.extend(lines.map(|line| serde_json::from_slice::<Value>(line).unwrap()));
        &self.records
    }

    /// Reads until the records hold this.
    pub fn read_until(&mut self, what: &str, holds: impl Fn(&[Value]) -> bool) {
        let deadline = std::time::Instant::now() + std::time::Duration::from_secs(30);
        while !holds(self.read()) {
            assert!(std::time::Instant::now() < deadline, "it does not come: {what}");
            std::thread::sleep(std::time::Duration::from_millis(5));
        }
    }

    /// The address of a node.
    pub fn address(&self, node: u16) -> std::net::SocketAddr {
        ([127, 0, 0, 1], self.base_port + node).into()
    }

    /// Ends the lab: no promise was broken without a broken assumption.
    pub fn down(&mut self, bench: &Bench) {
        let verdict = bench.must(&["down"]);
        assert!(!verdict.contains("no assumption was broken"), "{verdict}");
        self.read();
        assert!(self.records.iter().all(|record| record["kind"] != "gap"), "records are missing");
    }
}

/// Whether a record is of this kind and node.
pub fn is_of(record: &Value, kind: &str, node: u64) -> bool {
    record["kind"] == kind && record["node"] == node
}

/// The ids of the messages that were sent to a node, by anybody.
pub fn sent_to(records: &[Value], node: u64) -> BTreeSet<String> {
    let effects = records.iter().filter_map(|record| record["effects"].as_array()).flatten();
    let ids = effects.map(|effect| &effect["send"]["id"]).filter(|id| id["to"] == node);
    ids.map(Value::to_string).collect()
}

/// The ids of the messages that a node's machine has had, each as often as it had it.
pub fn received_by(records: &[Value], node: u64) -> Vec<String> {
    let inputs = records.iter().filter(|record| is_of(record, "step", node)).map(|record| &record["input"]["message"]);
    inputs.filter(|input| !input.is_null()).map(|input| input["id"].to_string()).collect()
}

/// How many datagrams a node has counted that came to no machine.
pub fn counted_by(records: &[Value], node: u64) -> u64 {
    let told = records.iter().filter(|record| is_of(record, "refused", node) || is_of(record, "overflowed", node));
    told.map(|record| record["count"].as_u64().unwrap()).sum()
}
