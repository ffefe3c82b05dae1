//! `simulate`: what it prints, which run it tells of, and how it ends.
//!
//! Invariant: nothing here hangs on how fast this computer is: time is virtual, and a campaign that is ended is one
//! that could not have come to its end.

use std::io::{BufRead, BufReader, Read};
use std::process::Stdio;

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use crate::bench::{Bench, bully_lab};

const AGREED: &str = "[[expect]]\nthat = \"coordinator 5\"\nwithin = \"10T\"\n[[expect]]\nthat = \"no violation\"\n";

#[test]
fn a_range_or_a_number_of_jobs_that_makes_no_sense_is_refused_with_the_reason() {
    let bench = Bench::without_labs();
    let file = bench.file("lab.toml", &bully_lab(AGREED));
    for (seeds, jobs, why) in [
        ("5..5", "1", "has no seed in it"),
        ("9..5", "1", "runs backwards"),
        ("many", "1", "is not a range of seeds"),
        ("0..5", "0", "0 threads play nothing"),
    ] {
        let printed = bench.run(&["simulate", &file, "--seeds", seeds, "--jobs", jobs]);
        assert_eq!(printed.code, 2, "{printed:?}");
        assert!(printed.err.contains(why) && printed.out.is_empty(), "{printed:?}");
    }
    let broken = bench.file("broken.toml", "nodes = 5\n");
    let printed = bench.run(&["simulate", &file, &broken, "--seeds", "0..5"]);
    assert_eq!(printed.code, 3, "{printed:?}");
}

#[test]
fn what_a_campaign_came_to_is_a_table_and_hangs_on_no_number_of_jobs() {
    let bench = Bench::without_labs();
    let file = bench.file("lab.toml", &bully_lab(AGREED));
    let table = |jobs: &str| {
        let printed = bench.run(&["simulate", &file, "--seeds", "0..40", "--jobs", jobs, "--json"]);
        assert_eq!(printed.code, 0, "{printed:?}");
        let lines = printed.out.lines().map(|line| serde_json::from_str(line).unwrap());
        let mut lines: Vec<serde_json::Value> = lines.collect();
        lines.last_mut().unwrap()["seconds"].take();
        lines
    };
    let lines = table("1");
    assert_eq!(lines, table("3"));
    let whole = lines.last().unwrap();
    assert_eq!((&whole["runs"], &whole["twice"], &whole["code"]), (&40.into(), &2.into(), &0.into()));
    let row = lines.iter().find(|line| line["property"] == "assertion-1").unwrap();
    assert!(row["due"].as_u64() > Some(100) && row["broken"] == 0, "{row}");

    let text = bench.must(&["simulate", &file, "--seeds", "0..40", "--swarm"]);
    for word in [
        "algorithm",
        "assertion-1",
        "in force",
        "partition",
        "reached of",
        "40 runs of 1 lab, seeds 0..40, swarm: none failed",
    ] {
        assert!(text.contains(word), "{word}: {text}");
    }
}

#[test]
fn the_first_run_that_fails_is_told_with_its_command_and_its_session() {
    let bench = Bench::without_labs();
    let never = "[[expect]]\nthat = \"coordinator 1\"\nwithin = \"10T\"\n";
    let file = bench.file("my lab.toml", &bully_lab(never));
    let session = bench.path("session.jsonl");
    let record = session.to_str().unwrap();
    let printed = bench.run(&["simulate", &file, "--seeds", "7..60", "--record", record]);
    assert_eq!(printed.code, 4, "{printed:?}");
    let command = format!("hustings simulate '{file}' --seeds 7..8");
    assert!(printed.err.contains(&format!("seed 7 of short failed; `{command}` plays it again")), "{printed:?}");
    assert!(printed.err.contains("FAILED coordinator 1"), "{printed:?}");
    assert!(printed.err.contains(&format!("`hustings replay {record}` shows it")), "{printed:?}");
    assert_eq!(printed.last_line(), format!("the first that failed: seed 7 of short; {command}"));
    assert_eq!(printed.err.matches("failed; `").count(), 1, "{printed:?}");

    // Played alone it is the same session, byte for byte.
    let again = bench.path("again.jsonl");
    let printed = bench.run(&["simulate", &file, "--seeds", "7..8", "--record", again.to_str().unwrap()]);
    assert_eq!(printed.code, 4, "{printed:?}");
    let written = std::fs::read(&session).unwrap();
    assert!(written.len() > 10_000 && written == std::fs::read(&again).unwrap());
    assert!(bench.must(&["export", record, "--format", "jsonl"]).contains("\"kind\":\"ended\""));
}

#[test]
fn each_seed_loses_other_datagrams_and_dice_that_are_held_lose_the_same() {
    let bench = Bench::without_labs();
    // Whether 1 hears of 5 in time hangs on what is lost of 5's first words to it, and those are the same in each run.
    let lossy = "[[step]]\nat = \"0s\"\ndo = [\"loss 5->1 50%\"]\n[[step]]\nat = \"1500ms\"\ndo = [\"heal\"]\n\
                 [[expect]]\nthat = \"coordinator 5 of 1\"\nafter = \"step 1\"\nwithin = \"5T\"\n";
    let file = bench.file("lab.toml", &bully_lab(lossy));
    let failed = |more: &[&str]| {
        let printed = bench.run(&[&["simulate", &file, "--seeds", "0..30", "--no-record", "--json"], more].concat());
        let whole: serde_json::Value = serde_json::from_str(printed.last_line()).unwrap();
        (whole["failed"].as_u64().unwrap(), whole["dice"].clone(), printed.err)
    };
    let (free, dice, _) = failed(&[]);
    assert!((1..30).contains(&free) && dice.is_null(), "{free}");
    let held: Vec<_> = ["3", "4", "5", "6", "7"].map(|dice| failed(&["--dice", dice])).into();
    assert!(held.iter().all(|(failed, ..)| [0, 30].contains(failed)), "{held:?}");
    let (_, dice, said) = held.iter().find(|(failed, ..)| *failed == 30).unwrap();
    let dice = dice.as_str().unwrap();
    assert!(said.starts_with(&format!("1 lab, seeds 0..30, dice {dice}, on ")), "{said}");
    assert!(said.contains(&format!("`hustings simulate {file} --seeds 0..1 --dice {dice}` plays it again")), "{said}");
}

#[test]
fn the_session_of_each_run_that_fails_is_kept_where_that_is_asked_for() {
    let bench = Bench::without_labs();
    let never = "[[expect]]\nthat = \"coordinator 1\"\nwithin = \"10T\"\n";
    let file = bench.file("lab.toml", &bully_lab(never));
    let keep = bench.path("kept");
    let arguments = ["simulate", &file, "--seeds", "7..127", "--json", "--keep", keep.to_str().unwrap()];
    let printed = bench.run(&[&arguments[..], &["--dice", "9"]].concat());
    assert_eq!(printed.code, 4, "{printed:?}");
    assert!(printed.err.contains("100 sessions of 120 failed runs kept in "), "{printed:?}");
    let whole: serde_json::Value = serde_json::from_str(printed.last_line()).unwrap();
    assert_eq!((&whole["kept"], &whole["failed"]), (&100.into(), &120.into()));
    assert_eq!(whole["first"]["session"], keep.join("short-7.jsonl.zst").to_str().unwrap());
    let mut kept: Vec<String> =
        std::fs::read_dir(&keep).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    kept.sort_by_key(|name| name["short-".len()..].trim_end_matches(".jsonl.zst").parse::<u64>().unwrap());
    assert_eq!(kept, (7..107).map(|seed| format!("short-{seed}.jsonl.zst")).collect::<Vec<_>>());
    // Each says what it was drawn with and what plays it again.
    let session = std::fs::read(keep.join("short-56.jsonl.zst")).unwrap();
    let text = Bench::unpacked(&keep.join("short-56.jsonl.zst"));
    let head: serde_json::Value = serde_json::from_str(text.lines().next().unwrap()).unwrap();
    let again = format!("hustings simulate {file} --seeds 56..57 --dice 9");
    assert_eq!(
        (&head["seed"], &head["drawn"]["seed"], &head["drawn"]["again"]),
        (&9.into(), &56.into(), &again.into())
    );
    // What is there already is not touched.
    let printed = bench.run(&arguments);
    assert!(printed.err.contains("0 sessions of 120 failed runs kept in "), "{printed:?}");
    assert_eq!(std::fs::read(keep.join("short-56.jsonl.zst")).unwrap(), session);
    let whole: serde_json::Value = serde_json::from_str(printed.last_line()).unwrap();
    assert!(whole["first"]["session"].is_null(), "{whole}");
}

#[test]
fn a_signal_ends_it_with_what_is_known_so_far() {
    let bench = Bench::without_labs();
    let file = bench.file("lab.toml", &bully_lab(AGREED));
    let arguments = ["simulate", &file, "--swarm", "--seeds", "0..9000000000", "--jobs", "1"];
    let mut child = bench.hustings(&arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    // From this line on signals are listened to.
    let mut said = BufReader::new(child.stderr.take().unwrap());
    let mut line = String::new();
    said.read_line(&mut line).unwrap();
    assert_eq!(line, "1 lab, seeds 0..9000000000, swarm, on 1 thread\n");
    kill(Pid::from_raw(child.id() as i32), Signal::SIGINT).unwrap();
    let mut table = String::new();
    child.stdout.take().unwrap().read_to_string(&mut table).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert!(table.contains(" of 1 lab, seeds 0..9000000000, swarm, broken off: none failed"), "{table}");
}

#[test]
fn a_signal_ends_a_lab_in_its_midst() {
    let bench = Bench::without_labs();
    // Five processes that ask each other all day, every millisecond.
    let text = bully_lab("[[step]]\nname = \"end\"\nat = \"1440m\"\ndo = []\n").replace("500ms", "1ms");
    let file = bench.file("lab.toml", &text);
    for (arguments, told) in [
        (&["run", "--sim", "--no-record", &file][..], "0 of 0 expectations"),
        (&["simulate", "--no-record", &file, "--seeds", "0..1", "--jobs", "1"], "seeds 0..1, broken off"),
    ] {
        let mut child = bench.hustings(arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        // From this line on signals are listened to.
        let mut said = BufReader::new(child.stderr.take().unwrap());
        said.read_line(&mut String::new()).unwrap();
        kill(Pid::from_raw(child.id() as i32), Signal::SIGTERM).unwrap();
        let mut printed = String::new();
        child.stdout.take().unwrap().read_to_string(&mut printed).unwrap();
        assert_eq!(child.wait().unwrap().code(), Some(143), "{arguments:?}");
        assert!(printed.contains(told), "{arguments:?}: {printed}");
    }
}

/// Whether it counts hangs on how fast this computer is, and so does its number of rounds.
#[test]
fn a_real_election_stands_beside_the_simulated_ones_or_is_left_out() {
    let bench = Bench::new();
    let asked = ["measure", "rounds", "--real", "1", "--p", "0%", "--candidates", "2", "--seeds", "0..8", "--csv"];
    let printed = bench.run(&asked);
    assert_eq!(printed.code, 0, "{printed:?}");
    let lines: Vec<Vec<&str>> = printed.out.lines().map(|line| line.split(',').collect()).collect();
    let number = |name: &str| {
        let place = lines[0].iter().position(|column| *column == name).unwrap();
        lines[1][place].parse::<u32>().unwrap()
    };
    assert_eq!(number("elections"), 8, "{printed:?}");
    assert_eq!(number("elections_real") + number("left_out_real"), 1, "{printed:?}");
    assert_eq!(number("ended_well_real"), number("elections_real"), "with nothing lost it ends well: {printed:?}");
}
