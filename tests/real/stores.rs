//! Stores that lie elsewhere than in the run directory.
//!
//! Invariant: what is asserted of a store is what its process did with it, or what lies on the disk.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::bench::{Bench, bully_lab};

#[test]
fn a_recovery_reads_the_store_where_it_was_put_and_the_lab_leaves_none() {
    let bench = Bench::new();
    let (file, session) = (bench.file("lab.toml", &bully_lab("")), bench.path("session.jsonl"));
    fs::create_dir(bench.path("disk")).unwrap();
    let mut up = bench.hustings(&["up", &file, "--detach", "--store", "disk", "--record", session.to_str().unwrap()]);
    let up = up.current_dir(bench.path("")).output().unwrap();
    assert!(up.status.success(), "{up:?}");
    let lab = String::from_utf8(up.stdout).unwrap().trim().to_owned();
    bench.must(&["inject", "crash 2,3"]);
    let stores = bench.path("disk").join(&lab);
    assert!(stores.join("store-2").is_dir() && !bench.path("hustings").join(&lab).join("store-2").exists());
    for generation in ["even", "odd"] {
        fs::write(stores.join("store-3").join(generation), "spoiled").unwrap();
    }
    bench.must(&["inject", "recover 2"]);
    let printed = bench.run(&["inject", "recover 3"]);
    let spoiled = format!("the store {} cannot be read", stores.join("store-3").display());
    assert!(printed.code == 5 && printed.err.contains(&spoiled), "{printed:?}");
    bench.must(&["down"]);
    assert_eq!(fs::read_dir(bench.path("disk")).unwrap().count(), 0);

    let session = fs::read_to_string(session).unwrap();
    let records = session.lines().skip(1).map(|line| serde_json::from_str::<Value>(line).unwrap());
    let steps = records.filter(|record| record["kind"] == "step" && record["node"] == 2);
    assert_eq!(steps.filter_map(|step| step["incarnation"].as_u64()).max(), Some(2), "it found that it had been there");
}

#[test]
fn a_store_that_is_exchanged_for_an_older_one_breaks_4_and_no_incarnation_comes_again() {
    let bench = Bench::new();
    let (file, session) = (bench.file("lab.toml", &bully_lab("")), bench.path("session.jsonl"));
    let lab = bench.must(&["up", &file, "--detach", "--record", session.to_str().unwrap()]).trim().to_owned();
    bench.must(&["wait", "coordinator 5"]);
    let (store, copy) = (bench.path("hustings").join(lab).join("store-2"), bench.path("copy"));
    let exchange = |from: &Path, to: &Path| {
        fs::create_dir_all(to).unwrap();
        fs::read_dir(from).unwrap().map(Result::unwrap).for_each(|file| {
            fs::copy(file.path(), to.join(file.file_name())).unwrap();
        });
    };
    exchange(&store, &copy);
    for _ in 0..2 {
        bench.must(&["inject", "crash 2"]);
        bench.must(&["inject", "recover 2"]);
    }
    bench.must(&["inject", "crash 2"]);
    exchange(&copy, &store);
    bench.must(&["inject", "recover 2"]);
    bench.must(&["wait", "all normal"]);
    bench.must(&["down"]);
    let records = Bench::records(&session);
    let of_2 = |kind: &'static str| records.iter().filter(move |record| record["kind"] == kind && record["node"] == 2);
    let incarnations: Vec<u64> = of_2("ready").map(|ready| ready["incarnation"].as_u64().unwrap()).collect();
    assert_eq!(incarnations, [1, 2, 3, 4]);
    assert_eq!(of_2("cells-changed").count(), 1);
    let mut broken = records.iter().filter(|record| record["kind"] == "assumption-broken");
    let is_told =
        |text: &str| text.contains("this computer broke assumption 4") && text.contains("changed by somebody");
    assert!(broken.any(|broken| is_told(broken["text"].as_str().unwrap())), "{records:?}");
    bench.must(&["verify", session.to_str().unwrap()]);
}

#[test]
fn where_no_stores_can_be_put_no_lab_runs_and_a_simulated_one_has_none() {
    let bench = Bench::without_labs();
    let (file, absent) = (bench.file("lab.toml", &bully_lab("")), bench.path("absent"));
    let absent = absent.to_str().unwrap();
    for command in [&["run"][..], &["up", "--detach"]] {
        let printed = bench.run(&[command, &[&file, "--store", absent]].concat());
        assert_eq!(printed.code, 6, "{printed:?}");
        assert!(printed.err.contains(&format!("cannot put stores into {absent}: No such file")), "{printed:?}");
        assert!(printed.err.contains("name an existing directory with --store"), "{printed:?}");
    }
    for command in ["run", "up"] {
        assert_eq!(bench.run(&[command, &file, "--sim", "--store", absent]).code, 2);
    }
}
