//! `why`: what it tells of a session in virtual time, in words and in JSON, which faults were needed, and how it ends.
//!
//! Invariant: no lab of processes is run for it.

use serde_json::Value;

use crate::bench::{Bench, bully_lab};

const CRASH: &str = "[[step]]\nname = \"crash\"\nat = \"4s\"\ndo = [\"delay 1->2 1ms\", \"crash 5\"]\n[[step]]\nat = \"12s\"\n\
                     do = []\n[[expect]]\nthat = \"coordinator 4\"\nafter = \"crash\"\nwithin = \"30T\"\n";

/// A session in which 5 is crashed and 4 takes over.
fn session(bench: &Bench) -> String {
    let lab = bench.file("lab.toml", &bully_lab(CRASH));
    let session = bench.path("session.jsonl").display().to_string();
    bench.must(&["run", "--sim", &lab, "--record", &session]);
    session
}

#[test]
fn it_tells_of_the_coordinator_and_which_faults_were_needed() {
    let bench = Bench::new();
    let session = session(&bench);
    let told = bench.must(&["why", &session, "--needed"]);
    assert!(told.starts_with("4 has coordinated since "), "{told}");
    assert!(told.contains("  - f2 crashed 5 at 4.000 s (") && told.contains("f2: needed."), "{told}");
    // Before the crash it is another one, and no fault had a part in that.
    let told = bench.must(&["why", &session, "--at", "3900ms", "--needed"]);
    assert!(told.starts_with("5 has coordinated since ") && !told.contains("needed"), "{told}");
    let told = bench.must(&["why", &session, "--node", "3", "--needed"]);
    assert!(told.starts_with("3 has followed 4 since ") && told.contains("Why not 3: "), "{told}");

    let json = bench.must(&["why", &session, "--node", "4", "--needed", "--json"]);
    let answer: Value = serde_json::from_str(&json).unwrap();
    let crash = answer["sentences"].as_array().unwrap().iter().find(|sentence| sentence["faults"][0] == "f2").unwrap();
    let number = crash["records"][0]["number"].as_u64().unwrap();
    let records = Bench::records(&bench.path("session.jsonl"));
    let cited = records.iter().find(|record| record["number"] == number).unwrap();
    assert_eq!((&cited["kind"], &cited["node"]), (&"died".into(), &5.into()));
    assert_eq!(crash["records"][0]["bond"], "silence");
    assert!(answer["needs"][0].as_str().unwrap().starts_with("f2: needed."), "{answer}");
}

#[test]
fn what_is_not_there_ends_it_with_a_code_and_a_word() {
    let bench = Bench::new();
    let session = session(&bench);
    for (arguments, code, why) in [
        (vec!["why", &session, "--node", "9"], 2, "there is no node 9 in this lab"),
        (vec!["why", &session, "--violation", "1"], 2, "there is no violation 1: the session has 0 by then"),
        (vec!["why", &session, "--at", "0ms"], 5, "nobody coordinates then"),
    ] {
        let printed = bench.run(&arguments);
        assert_eq!(printed.code, code, "{printed:?}");
        assert!(printed.err.contains(why), "{printed:?}");
    }
    let strange = bench.file("strange.jsonl", "{}\n");
    let printed = bench.run(&["why", &strange]);
    assert_eq!(printed.code, 5, "{printed:?}");
    let printed = bench.run(&["why", &bench.path("nothing.jsonl").display().to_string()]);
    assert_eq!(printed.code, 1, "{printed:?}");
}

#[test]
fn a_session_that_somebody_wrote_rules_no_terminal() {
    let bench = Bench::new();
    let session = session(&bench);
    let text = std::fs::read_to_string(&session).unwrap().replace("\"AreYouThere\"", "\"Are\\u001b[31mYou\"");
    let hostile = bench.file("hostile.jsonl", &text);
    for form in [vec!["why", &hostile, "--needed"], vec!["why", &hostile, "--json"]] {
        let told = bench.must(&form);
        assert!(told.contains("u001b[31mYou") && !told.contains('\u{1b}'), "{told}");
    }
}
