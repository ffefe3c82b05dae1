//! Signals to nodes' processes that the host did not send.

use std::io::{BufRead, BufReader};
use std::process::Stdio;

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::Value;

use crate::bench::{Bench, bully_lab};

#[test]
fn what_others_do_to_a_process_is_told_and_a_pause_that_they_end_is_over() {
    let bench = Bench::new();
    let (file, session) = (bench.file("lab.toml", &bully_lab("")), bench.path("session.jsonl"));
    bench.must(&["up", &file, "--detach", "--record", session.to_str().unwrap()]);
    bench.must(&["wait", "coordinator 5"]);
    let is_of = |record: &Value, kind: &str, node: u64| record["kind"] == kind && record["node"] == node;
    let spawned = Bench::records(&session);
    let send = |node: u64, signal| {
        let of_node = spawned.iter().find(|record| is_of(record, "spawned", node)).unwrap();
        kill(Pid::from_raw(of_node["pid"].as_i64().unwrap() as i32), signal).unwrap();
    };
    let until = |what: &str, is_it: &dyn Fn(&Value) -> bool| {
        Bench::until(what, || Bench::records(&session).iter().any(is_it));
    };
    let noted = |node: u64, did: &str| {
        let note = format!("somebody else {did} its process");
        until(&note, &|record| is_of(record, "note", node) && record["text"].as_str().unwrap().starts_with(&note));
    };

    bench.must(&["inject", "pause 2"]);
    // What the host did itself is nobody else's.
    bench.must(&["inject", "pause 1"]);
    bench.must(&["inject", "resume 1"]);
    send(2, Signal::SIGCONT);
    noted(2, "continued");
    until("the end of the pause", &|record| record["kind"] == "fault-lifted" && record["id"] == "f1");
    assert!(Bench::records(&session).iter().any(|record| is_of(record, "continued", 2)));
    assert_eq!(bench.must(&["inject", "cut 2->1"]), "f4 cut 2->1: in force\n", "it answers as all do");

    send(3, Signal::SIGSTOP);
    noted(3, "stopped");
    send(3, Signal::SIGCONT);
    noted(3, "continued");
    assert_eq!(bench.must(&["inject", "crash 3"]), "f5 crash 3: in force\n");
    bench.must(&["down"]);
    assert!(!Bench::records(&session).iter().any(|record| is_of(record, "note", 1)));
}

#[test]
fn a_run_tells_whose_process_somebody_else_killed() {
    let bench = Bench::new();
    let (file, session) =
        (bench.file("lab.toml", &bully_lab("[[step]]\nat = \"10m\"\ndo = []\n")), bench.path("s.jsonl"));
    let mut run = bench.hustings(&["run", &file, "--record", session.to_str().unwrap()]);
    let mut run = run.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    let spawned = |record: &Value| record["kind"] == "spawned" && record["node"] == 2;
    Bench::until("node 2", || session.exists() && Bench::records(&session).iter().any(spawned));
    let pid = Bench::records(&session).iter().find(|record| spawned(record)).unwrap()["pid"].as_i64().unwrap();
    kill(Pid::from_raw(pid as i32), Signal::SIGKILL).unwrap();
    let told = BufReader::new(run.stderr.take().unwrap()).lines().map(Result::unwrap);
    assert!(told.into_iter().any(|line| line.ends_with("node 2: somebody else killed its process (signal 9)")));
    run.kill().unwrap();
    run.wait().unwrap();
}
