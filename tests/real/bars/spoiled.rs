//! Stores that are cut or changed on the disk while their node is down.
//!
//! Invariant: a node then starts from the generation that is left, or not at all and says so in one line; it never begins
//! as if nothing had been saved, and no incarnation comes again.

use std::fs;

use super::{RunningLab, count, is_of, lab_text};
use crate::bench::Bench;

#[test]
#[ignore = "scripts/reliability 4"]
fn a_store_spoiled_at_any_place_starts_from_what_is_left_or_not_at_all() {
    let bench = Bench::new();
    let mut lab = RunningLab::up(&bench, &lab_text("bully", 5), |_| {});
    bench.must(&["wait", "coordinator 5"]);
    let store = lab.directory.join("store-3");
    let (mut refused, mut begun) = (0, 0);
    for place in 0..count() {
        bench.must(&["inject", "crash 3"]);
        let whole: Vec<Vec<u8>> = ["even", "odd"].iter().map(|name| fs::read(store.join(name)).unwrap()).collect();
        // Each length, and each bit, in no order; in either generation, and in both.
        let spoil = |bytes: &[u8]| {
            let cuts = bytes.len();
            let mut bytes = bytes.to_vec();
            match place * 7_919 % (cuts * 9) {
                cut if cut < cuts => bytes.truncate(cut),
                bit => bytes[(bit - cuts) / 8] ^= 1 << ((bit - cuts) % 8),
            }
            bytes
        };
        let which: &[usize] = [&[0][..], &[1], &[0, 1]][(place + place / (whole[0].len() * 9)) % 3];
        for index in which {
            fs::write(store.join(["even", "odd"][*index]), spoil(&whole[*index])).unwrap();
        }
        let printed = bench.run(&["inject", "recover 3"]);
        if which.len() == 1 {
            assert_eq!(printed.code, 0, "{place}: {printed:?}");
            begun += 1;
            continue;
        }
        refused += 1;
        assert_eq!(printed.code, 5, "{place}: {printed:?}");
        assert!(printed.err.lines().count() <= 2 && printed.err.contains("cannot be read"), "{place}: {printed:?}");
        for index in 0..2 {
            fs::write(store.join(["even", "odd"][index]), &whole[index]).unwrap();
        }
        bench.must(&["inject", "recover 3"]);
    }
    bench.must(&["wait", "all normal"]);
    lab.down(&bench);
    assert!(lab.records.iter().all(|record| record["kind"] != "panicked"));
    let ready: Vec<u64> = lab
        .records
        .iter()
        .filter(|record| is_of(record, "ready", 3))
        .map(|record| record["incarnation"].as_u64().unwrap())
        .collect();
    assert!(ready.windows(2).all(|two| two[0] < two[1]), "an incarnation came again: {ready:?}");
    let empty = |record: &&serde_json::Value| is_of(record, "step", 3) && record["input"]["start"]["saved"] == false;
    assert_eq!(lab.records.iter().filter(empty).count(), 1, "it forgot what it had saved");
    println!("bar: {begun} starts from one generation, {refused} refused");
}
