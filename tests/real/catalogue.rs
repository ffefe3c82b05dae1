//! `hustings labs`, and labs that go by their names.
//!
//! Invariant: every name here is used from a folder that has no labs.

use crate::bench::{Bench, Printed};

fn elsewhere(bench: &Bench, arguments: &[&str]) -> Printed {
    let mut command = bench.hustings(arguments);
    Printed::of(command.current_dir(bench.path("")).output().unwrap())
}

#[test]
fn every_lab_that_is_listed_is_found_by_its_name() {
    let bench = Bench::without_labs();
    let listed = elsewhere(&bench, &["labs", "--json"]);
    assert_eq!(listed.code, 0, "{listed:?}");
    let labs: Vec<serde_json::Value> = listed.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let names: Vec<&str> = labs.iter().map(|lab| lab["name"].as_str().unwrap()).collect();
    assert!(names.contains(&"first") && names.contains(&"king-ni-c"), "{names:?}");
    let checked = elsewhere(&bench, &[vec!["check"], names.clone()].concat());
    assert_eq!((checked.code, checked.out.lines().count()), (0, names.len()), "{checked:?}");
    let table = elsewhere(&bench, &["labs"]);
    assert!(names.iter().all(|name| table.out.contains(&format!("\n{name} "))), "{table:?}");
    assert!(table.out.lines().all(|line| line.chars().count() <= 80), "{table:?}");
}

#[test]
fn the_picture_of_the_front_page_is_what_the_exporter_draws_of_real_processes() {
    let bench = Bench::without_labs();
    let session = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/sessions/first.jsonl.zst");
    let drawn = elsewhere(&bench, &["export", session, "--format", "svg", "--size", "100x30", "--at", "3.9s"]);
    assert!(drawn.out == include_str!("../../labs/first.svg"), "`scripts/fix` draws it anew");
    assert!(drawn.out.contains("Normal under 4") && !drawn.out.contains("SIMULATED"), "it shows no simulation");
}

#[test]
fn the_lab_files_that_the_pages_show_run() {
    let front = include_str!("../../README.md");
    let page_of_lab_files = include_str!("../../src/manual/lab-file.md");
    for page in [front, page_of_lab_files] {
        let bench = Bench::without_labs();
        let files = page.split("```toml\n").skip(1).filter_map(|block| block.split("```").next());
        let whole: Vec<&str> = files.filter(|block| block.starts_with("name = ")).collect();
        assert_eq!(whole.len(), 1, "{whole:?}");
        bench.file("shown.toml", whole[0]);
        let run = elsewhere(&bench, &["run", "--sim", "--no-record", "shown.toml"]);
        assert_eq!(run.code, 0, "{run:?}");
    }
}

#[test]
fn the_commands_of_the_tutorial_run() {
    let page = include_str!("../../src/manual/tutorial.md");
    let bench = Bench::without_labs();
    let blocks = page.split("```sh\n").skip(1).filter_map(|block| block.split("```").next());
    let commands: Vec<&str> = blocks.flat_map(str::lines).collect();
    assert!(commands.len() > 12, "{commands:?}");
    for command in commands {
        let words: Vec<&str> = command.split_whitespace().collect();
        let ran = elsewhere(&bench, &words[1..]);
        assert_eq!(ran.code, 0, "{command}: {ran:?}");
    }
}

#[test]
fn a_file_of_that_path_comes_before_the_lab_of_that_name() {
    let bench = Bench::without_labs();
    let built_in = elsewhere(&bench, &["run", "--sim", "--no-record", "first"]);
    assert_eq!(built_in.code, 0, "{built_in:?}");
    assert!(built_in.last_line().starts_with("first: 7 of 7"), "{built_in:?}");
    bench.file("first", &crate::bench::bully_lab(""));
    let file = elsewhere(&bench, &["run", "--sim", "--no-record", "first"]);
    assert!(file.last_line().starts_with("short: 0 of 0"), "{file:?}");
}

#[test]
fn a_name_that_is_none_says_which_are_near() {
    let bench = Bench::without_labs();
    let wrong = elsewhere(&bench, &["run", "frist"]);
    assert_eq!((wrong.code, wrong.out.as_str()), (3, ""), "{wrong:?}");
    assert!(wrong.err.contains("did you mean first?") && wrong.err.contains("`hustings labs`"), "{wrong:?}");
}

#[test]
fn what_is_measured_is_refused_by_everything_that_simulates() {
    let bench = Bench::without_labs();
    let commands: [&[&str]; 3] =
        [&["run", "--sim"], &["simulate", "--seeds", "0..5", "--swarm"], &["up", "--sim", "--no-record"]];
    for command in commands {
        let refused = elsewhere(&bench, &[command, &["king-ni-load"]].concat());
        assert_eq!((refused.code, refused.out.as_str()), (3, ""), "{refused:?}");
        for words in
            ["king-ni-load.toml (built in):", "criterion = \"load\"", "is measured on real processes", "without --sim"]
        {
            assert!(refused.err.contains(words), "{words}: {refused:?}");
        }
    }
    assert_eq!(elsewhere(&bench, &["check", "king-ni-load"]).code, 0);
}
