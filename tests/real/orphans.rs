//! Nothing outlives the host, whatever kills it.

use std::fs;
use std::time::{Duration, Instant};

use crate::bench::{Bench, bully_lab};

/// Processes that name the lab and are no zombies.
fn alive(lab: &str) -> Vec<String> {
    let mut found = Vec::new();
    for entry in fs::read_dir("/proc").unwrap().flatten() {
        let command = fs::read(entry.path().join("cmdline")).unwrap_or_default();
        let status = fs::read_to_string(entry.path().join("stat")).unwrap_or_default();
        let is_zombie = status.rsplit(") ").next().is_some_and(|rest| rest.starts_with('Z'));
        if !is_zombie && String::from_utf8_lossy(&command).contains(lab) {
            found.push(String::from_utf8_lossy(&command).replace('\0', " "));
        }
    }
    found
}

#[test]
fn a_killed_host_takes_its_nodes_with_it_the_paused_one_too() {
    let bench = Bench::new();
    let file = bench.file("lab.toml", &bully_lab(""));
    for _ in 0..3 {
        let lab = bench.must(&["up", &file, "--detach", "--no-record"]).trim().to_owned();
        bench.must(&["inject", "pause 2"]);
        bench.must(&["inject", "crash 3"]);
        bench.must(&["inject", "recover 3"]);
        assert_eq!(alive(&lab).len(), 5, "{:?}", alive(&lab));
        let entry: serde_json::Value = serde_json::from_str(bench.must(&["ls", "--json"]).trim()).unwrap();
        let host = nix::unistd::Pid::from_raw(entry["pid"].as_i64().unwrap() as i32);
        nix::sys::signal::kill(host, nix::sys::signal::Signal::SIGKILL).unwrap();
        // Two seconds is the promise; the wait ends as soon as it is kept.
        let deadline = Instant::now() + Duration::from_secs(2);
        while !alive(&lab).is_empty() && Instant::now() < deadline {
            std::thread::yield_now();
        }
        assert!(alive(&lab).is_empty(), "{:?}", alive(&lab));
        assert_eq!(bench.run(&["ls"]).out, "", "the directory is swept");
    }
}
