//! The courier with real processes: single datagrams of a held link, and what the session says of each.
//!
//! Invariant: what is done by hand is done by numbers that the session has told before.

use std::path::Path;

use serde_json::Value;

use crate::bench::{Bench, bully_lab};

/// The numbers of the datagrams from 5 that these records hold at 4, in their order.
fn held(records: &[Value]) -> Vec<u64> {
    let held = records.iter().filter(|record| record["kind"] == "held" && record["node"] == 4);
    held.map(|record| record["id"]["sequence"].as_u64().unwrap()).collect()
}

/// What the session says that this fault did, in order: kinds and numbers.
fn done_by(session: &Path, fault: &str) -> Vec<(String, u64)> {
    let records = Bench::records(session);
    let by = records.iter().filter(|record| record["by"] == fault && record["id"].is_object());
    by.map(|record| (record["kind"].as_str().unwrap().to_owned(), record["id"]["sequence"].as_u64().unwrap())).collect()
}

#[test]
fn held_datagrams_are_delivered_dropped_doubled_and_put_first_by_hand() {
    let bench = Bench::new();
    let (file, session) = (bench.file("lab.toml", &bully_lab("")), bench.path("courier.jsonl"));
    bench.must(&["up", &file, "--detach", "--record", session.to_str().unwrap()]);
    bench.must(&["wait", "coordinator 5"]);
    bench.must(&["wait", "all normal"]);
    bench.must(&["inject", "hold 5->4"]);
    Bench::until("four datagrams that are held", || held(&Bench::records(&session)).len() >= 4);
    let [one, two, three, four] = held(&Bench::records(&session))[..4] else { panic!("four are held") };

    let lines = [
        format!("first 5->4 {two}"),
        "deliver 5->4 next".to_owned(),
        format!("drop 5->4 {three}"),
        format!("double 5->4 {four}"),
    ];
    for (id, line) in (2..).zip(&lines) {
        assert_eq!(bench.must(&["inject", line]), format!("f{id} {line}: in force\n"));
    }
    let late = bench.run(&["inject", &format!("deliver 5->4 {three}")]);
    assert!(late.code != 0 && late.err.contains("that datagram does not wait there"), "{late:?}");
    bench.must(&["inject", "release 5->4"]);
    let told = |kind: &str, number| (kind.to_owned(), number);
    Bench::until("the doubled one", || done_by(&session, "f5").len() >= 2);
    Bench::until("the overtaken one", || done_by(&session, "f3").len() >= 2);
    bench.must(&["down"]);

    assert_eq!(done_by(&session, "f2"), [told("put-first", two)]);
    // The second was delivered before the first, which comes with the release.
    assert_eq!(done_by(&session, "f3"), [told("released", two), told("reordered", one)]);
    assert_eq!(done_by(&session, "f4"), [told("dropped", three)]);
    assert_eq!(done_by(&session, "f5"), [told("released", four), told("duplicated", four)]);
    assert_eq!(done_by(&session, "f6"), [], "it came late");
    assert_eq!(done_by(&session, "f7")[0], told("released", one));
    assert_eq!(bench.run(&["verify", session.to_str().unwrap()]).code, 0);
}
