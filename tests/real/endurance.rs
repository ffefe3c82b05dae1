//! What a lab bears for long: nodes killed from outside, crash loops, watchers that come and go, a store that is gone.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::bench::{Bench, Printed, bully_lab};

/// Longer than any of these waits takes on a loaded machine; they end as soon as what they wait for is there.
const PATIENCE: Duration = Duration::from_secs(60);

/// The lab that runs, as `ls` tells of it.
fn entry(bench: &Bench) -> Value {
    serde_json::from_str(bench.must(&["ls", "--json"]).trim()).unwrap()
}

fn count(directory: String) -> usize {
    fs::read_dir(directory).unwrap().count()
}

/// Attaches, waits for the snapshot, and leaves.
fn look_in(socket: &Path) {
    let mut line = String::new();
    BufReader::new(UnixStream::connect(socket).unwrap()).read_line(&mut line).unwrap();
    assert!(line.starts_with("{\"frame\":\"snapshot\""), "{line}");
}

/// The records of a kind in a session.
fn records(session: &str, kind: &str) -> Vec<Value> {
    let is_wanted = |line: &&str| line.contains(&format!("\"kind\":\"{kind}\""));
    session.lines().filter(is_wanted).map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn twenty_kills_from_outside_use_no_number_twice() {
    let bench = Bench::new();
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("scripts/endurance.sh");
    let home = bench.path("");
    let mut command = Command::new(script);
    command.arg("20").env("HUSTINGS", env!("CARGO_BIN_EXE_hustings"));
    command.env("XDG_RUNTIME_DIR", &home).env("XDG_STATE_HOME", &home).env("XDG_CONFIG_HOME", &home);
    command.env_remove("HUSTINGS_CONFIG");
    let printed = Printed::of(command.output().unwrap());
    assert_eq!(printed.code, 0, "{printed:?}");
    assert!(printed.out.contains("20 killed") && printed.last_line().contains("no start refused"), "{printed:?}");
}

#[test]
fn hundreds_of_watchers_come_and_go_and_leave_nothing_open() {
    let bench = Bench::new();
    let file = bench.file("lab.toml", &bully_lab(""));
    let lab = bench.must(&["up", &file, "--detach", "--no-record"]).trim().to_owned();
    bench.must(&["wait", "coordinator 5"]);
    let directory = bench.path("hustings").join(&lab);
    let host = entry(&bench)["pid"].to_string();
    let node = {
        let mut line = String::new();
        let stream = UnixStream::connect(directory.join("observe.sock")).unwrap();
        BufReader::new(stream).read_line(&mut line).unwrap();
        let snapshot: Value = serde_json::from_str(&line).unwrap();
        snapshot["world"]["nodes"]["3"]["pid"].to_string()
    };
    let open = || {
        let task = count(format!("/proc/{host}/task"));
        [count(format!("/proc/{host}/fd")), task, count(format!("/proc/{node}/fd"))]
    };
    // The host and each node give a sign of life four times a second, and so learn who has left.
    let settled = |expected: Option<[usize; 3]>| {
        let deadline = Instant::now() + PATIENCE;
        let (mut last, mut since) = (open(), Instant::now());
        while Instant::now() < deadline {
            let now = open();
            if now != last {
                (last, since) = (now, Instant::now());
            }
            match expected {
                Some(expected) if expected == now => break,
                None if since.elapsed() > Duration::from_secs(1) => break,
                _ => std::thread::yield_now(),
            }
        }
        last
    };
    let before = settled(None);
    for _ in 0..300 {
        look_in(&directory.join("observe.sock"));
        look_in(&directory.join("node-3.sock"));
        drop(UnixStream::connect(directory.join("inject.sock")).unwrap());
    }
    assert_eq!(settled(Some(before)), before, "descriptors of the host, its threads, descriptors of node 3");
    bench.must(&["down"]);
}

#[test]
fn a_crowd_is_turned_away_and_the_lab_goes_on() {
    let bench = Bench::new();
    let file = bench.file("lab.toml", &bully_lab(""));
    let lab = bench.must(&["up", &file, "--detach", "--no-record"]).trim().to_owned();
    bench.must(&["wait", "coordinator 5"]);
    let directory = bench.path("hustings").join(&lab);
    let first_line = |stream: &UnixStream| {
        let mut line = String::new();
        BufReader::new(stream).read_line(&mut line).unwrap();
        line
    };
    let watchers: Vec<UnixStream> =
        (0..200).map(|_| UnixStream::connect(directory.join("observe.sock")).unwrap()).collect();
    let told: Vec<String> = watchers.iter().map(first_line).collect();
    assert!(told[0].contains("\"snapshot\"") && told[199].contains("which is the maximum"), "{}", told[199]);
    drop(watchers);
    let askers: Vec<UnixStream> =
        (0..200).map(|_| UnixStream::connect(directory.join("inject.sock")).unwrap()).collect();
    // Those that have waited longest without asking give way.
    assert!(first_line(&askers[0]).contains("another client needed the place"));
    (&askers[199]).write_all(b"{\"inject\":\"crash 5\"}\n").unwrap();
    assert!(first_line(&askers[199]).contains("in force"));
    drop(askers);
    // So that nobody need wait for a silence.
    bench.must(&["inject", "elect 4"]);
    bench.must(&["wait", "coordinator 4"]);
    bench.must(&["down"]);
}

#[test]
fn a_crash_loop_backs_off() {
    let bench = Bench::new();
    let file = bench.file("lab.toml", &bully_lab(""));
    let session = bench.path("loop.jsonl");
    bench.must(&["up", &file, "--detach", "--record", session.to_str().unwrap()]);
    let begun = Instant::now();
    for _ in 0..15 {
        bench.must(&["inject", "crash 3"]);
        assert!(bench.must(&["inject", "recover 3"]).ends_with("recover 3: in force\n"));
    }
    assert!(begun.elapsed() > Duration::from_secs(1), "sixteen starts take a second or more");
    bench.must(&["wait", "coordinator 5"]);
    bench.must(&["down"]);
    let session = fs::read_to_string(session).unwrap();
    let of_three = |record: &Value| record["node"] == 3;
    let starts: Vec<i64> = records(&session, "spawned")
        .iter()
        .filter(|record| of_three(record))
        .map(|record| record["at"].as_i64().unwrap())
        .collect();
    assert_eq!(starts.len(), 16);
    for first in &starts {
        let within = starts.iter().filter(|start| (*first..first + 1_000_000_000).contains(*start)).count();
        assert!(within <= 10, "{within} starts in the second from {first}");
    }
    // A machine so slow that no ten starts fit a second has nothing to hold back.
    let held_back = starts.windows(11).any(|eleven| eleven[10] - eleven[0] < 1_050_000_000);
    let told = records(&session, "note").iter().any(|note| note["text"].as_str().unwrap().contains("next start waits"));
    assert_eq!(held_back, told, "{starts:?}");
}

/// Spoils both generations of a dead node's store.
fn spoil_store(directory: &Path, node: u16) {
    for generation in ["even", "odd"] {
        fs::write(directory.join(format!("store-{node}")).join(generation), "spoiled").unwrap();
    }
}

#[test]
fn a_store_that_cannot_be_read_starts_no_node_and_says_so() {
    let bench = Bench::new();
    let file = bench.file("lab.toml", &bully_lab(""));
    let lab = bench.must(&["up", &file, "--detach", "--no-record"]).trim().to_owned();
    bench.must(&["inject", "crash 2"]);
    spoil_store(&bench.path("hustings").join(&lab), 2);
    let printed = bench.run(&["inject", "recover 2"]);
    assert_eq!(printed.code, 5, "{printed:?}");
    assert!(printed.err.contains("f2 recover 2: not in force: node 2 cannot run: the store "), "{printed:?}");
    assert!(printed.err.contains("remove the store to begin anew"), "{printed:?}");
    bench.must(&["wait", "coordinator 5 of 1,3-5"]);
    bench.must(&["down"]);
}

#[test]
fn a_run_in_which_a_store_cannot_be_read_ends_with_six() {
    let bench = Bench::new();
    let steps = "[[step]]\nat = \"1s\"\ndo = [\"crash 5\"]\n[[step]]\nat = \"4s\"\ndo = [\"recover 5\"]\n";
    let file = bench.file("lab.toml", &bully_lab(steps));
    let session: PathBuf = bench.path("run.jsonl");
    let mut command = bench.hustings(&["run", &file, "--record", session.to_str().unwrap()]);
    let run = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let deadline = Instant::now() + PATIENCE;
    // There are three seconds between its death and its return.
    while !fs::read_to_string(&session).unwrap_or_default().contains("\"kind\":\"died\"") {
        assert!(Instant::now() < deadline);
        std::thread::yield_now();
    }
    let lab = entry(&bench)["lab_id"].as_str().unwrap().to_owned();
    spoil_store(&bench.path("hustings").join(lab), 5);
    let printed = Printed::of(run.wait_with_output().unwrap());
    assert_eq!(printed.code, 6, "{printed:?}");
    assert!(printed.err.contains("node 5 cannot run: the store "), "{printed:?}");
}
