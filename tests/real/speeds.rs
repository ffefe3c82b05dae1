//! Slow motion on real processes: one table of speeds for all of them, whatever happens to each meanwhile.
//!
//! Invariant: everything is asserted in lab time, or of the line on which lab time and this computer's time lie.

use serde_json::Value;

use crate::bench::{Bench, bully_lab};

/// 5 crashes at half the speed while 1 stands still; at the next moment of the election the speed is a fifth, still
/// without 1; then both are back, and in the end lab time runs as ever.
const STEPS: &str = r#"
[[step]]
name = "crash"
when = "coordinator 5"
then_wait = "100ms"
do = ["pause 1", "speed 0.5x", "crash 5"]

[[step]]
name = "slower"
when = "4 enters Election"
do = ["speed 0.2x"]

[[step]]
name = "back"
when = "coordinator 4 of 2-4"
do = ["resume 1", "recover 5"]

[[step]]
name = "plain"
when = "coordinator 5"
do = ["speed 1x"]

[[expect]]
that = "all normal"
after = "plain"
within = "60T"
stays = "1s"
"#;

fn at(record: &Value) -> i64 {
    record["at"].as_i64().unwrap()
}

fn wall(record: &Value) -> i64 {
    record["wall"].as_i64().unwrap_or_else(|| at(record))
}

/// The first record of which that is so, and those after it.
fn from(records: &[Value], is_it: impl Fn(&Value) -> bool) -> &[Value] {
    &records[records.iter().position(is_it).unwrap()..]
}

/// All steps that were taken between these moments of this computer's time lie on one line, whoever took them: lab time
/// ran so many thousandths of it.
fn ran_at(records: &[Value], thousandths: i64, (since, until): (i64, i64)) {
    let is_between = |record: &&Value| (since..until).contains(&wall(record));
    let steps: Vec<&Value> = records.iter().filter(|record| record["kind"] == "step").filter(is_between).collect();
    let [first, .., last] = &steps[..] else { panic!("too few steps at {thousandths}") };
    for step in &steps {
        // Lab time is cut to nanoseconds, and so is what is told of this computer's.
        let off = (wall(step) - wall(first)) * thousandths - (at(step) - at(first)) * 1_000;
        assert!(off.abs() <= 2_000, "{off} thousandths of a nanosecond at {thousandths}: {step} after {first}");
    }
    let nodes = |step: &&Value| step["node"] == first["node"];
    assert!(!steps.iter().all(nodes), "several nodes took steps up to {last}");
}

#[test]
fn slow_motion_is_one_time_for_all_processes_however_they_stand_and_return() {
    let bench = Bench::new();
    let (lab, session) = (bench.file("lab.toml", &bully_lab(STEPS)), bench.path("session.jsonl"));
    let session_text = session.to_str().unwrap();
    bench.must(&["run", &lab, "--record", session_text]);
    let records = Bench::records(&session);

    // All have acknowledged each speed, and it was set once.
    let set: Vec<usize> = (0..records.len()).filter(|place| records[*place]["kind"] == "speed-set").collect();
    let speeds: Vec<&str> = set.iter().map(|place| records[*place]["speed"].as_str().unwrap()).collect();
    assert_eq!(speeds, ["0.5x", "0.2x", "1x"]);
    let mut ordered = Vec::new();
    for place in &set {
        let by = &records[*place]["by"];
        let of_it = |record: &&Value| record["id"] == *by;
        ordered.push(wall(records.iter().find(of_it).unwrap()));
        let next = records[*place..].iter().find(of_it).unwrap();
        assert_eq!(next["kind"], "fault-in-force", "{next}");
    }

    // No process stamped by an old table, and no timer ran out before its lab time.
    let since: Vec<i64> = set.iter().map(|place| wall(&records[*place])).collect();
    ran_at(&records, 1_000, (0, ordered[0]));
    ran_at(&records, 500, (since[0], ordered[1]));
    ran_at(&records, 200, (since[1], ordered[2]));
    ran_at(&records, 1_000, (since[2], i64::MAX));
    for node in 1..=5 {
        let steps: Vec<&Value> =
            records.iter().filter(|record| record["kind"] == "step" && record["node"] == node).collect();
        for pair in steps.windows(2) {
            assert!(at(pair[0]) <= at(pair[1]) && wall(pair[0]) <= wall(pair[1]), "{pair:?}");
        }
        for step in steps {
            assert!(step["input"]["timer"]["due"].as_i64().is_none_or(|due| due <= at(step)), "{step}");
        }
    }

    // 4 took as long as ever, in lab time, to miss 5: the silence, which began with the last that it heard of it.
    let after = from(&records, |record| record["kind"] == "died");
    let found = after.iter().find(|record| record["node"] == 4 && record["state"]["status"] == "election").unwrap();
    let (second, silence, check) = (1_000_000_000, 2_500_000_000, 500_000_000);
    let took = at(found) - at(&after[0]);
    assert!(took >= silence - 2 * check - second / 100, "after {took} ns of lab time");
    assert!(wall(found) - wall(&after[0]) >= 2 * took - second / 100, "at half the speed");

    bench.must(&["verify", session_text]);
    let exported = bench.must(&["export", session_text, "--format", "lab"]);
    assert!(["speed 0.5x", "speed 0.2x", "speed 1x"].iter().all(|line| exported.contains(line)), "{exported}");
}
