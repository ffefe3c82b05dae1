//! Shrinking keeps what it is asked for: not any violation of the same property.

use std::sync::Arc;

use super::*;
use registry::BUILT_IN;

/// The built-in lab of the hole early-halts, with a short pause of a node long before it.
fn paused_early() -> Plan {
    let text = include_str!("../../../labs/bully-early.toml");
    let (before, after) = text.split_once("# A message may take T/2").unwrap();
    let pause = "[[step]]\nname = \"pause\"\nat = \"1s\"\ndo = [\"pause 1\"]\n\n\
                 [[step]]\nname = \"resume\"\nat = \"1400ms\"\ndo = [\"resume 1\"]\n\n";
    Plan::of(Arc::new(
        lab::parse("bully-early", &format!("{before}{pause}# A message may take T/2{after}"), BUILT_IN).unwrap(),
    ))
}

fn play(plan: &Plan, listener: Listener<'_>) -> SimEnd {
    crate::run(plan, listener)
}

fn lines(lab: &Lab) -> Vec<String> {
    lab.steps.iter().flat_map(|step| &step.lines).map(ToString::to_string).collect()
}

#[test]
fn what_is_left_shows_the_same_contradiction() {
    let plan = paused_early();
    let report = first(&plan);
    let shrunk = shrink(&plan, &WantedViolation::of(&report), &play, &mut |_| {}).unwrap();
    let left = lines(&shrunk.lab);
    assert!(shrunk.lines < shrunk.lines_before, "{left:?}");
    for (fault, end) in [("pause 1", "resume 1"), ("crash 3", "recover 3")] {
        let has = |line: &str| left.iter().any(|left| left == line);
        assert!(!has(fault) || has(end), "{left:?}");
    }
    // An early Halt, as in the whole lab, and not a sleeper that still follows a dead coordinator.
    let again = Plan { lab: shrunk.lab, after: AfterScript::End, ..plan };
    let again = showing(&again, &WantedViolation::of(&report), &play);
    let shown = again.wanted().unwrap();
    assert!(
        shown.text.contains("Reorganization under 3") && shown.text.contains("Reorganization under 2"),
        "{shown:?}"
    );
}

/// The first violation that a plan shows.
fn first(plan: &Plan) -> ViolationReport {
    let seen = RefCell::new(None);
    play(
        plan,
        Box::new(|record: &Record| {
            if let Body::Violation(report) = &record.body {
                seen.borrow_mut().get_or_insert_with(|| report.clone());
            }
        }),
    );
    seen.into_inner().unwrap()
}
