//! Tests of whole simulated labs: every lab of the project as its file expects it, and one seed as one session.

mod conflicts;
mod coverage;
mod criteria;
mod elections;
mod excuses;
mod flows;
mod holes;
mod king_ni;
mod listings;
mod messages;
mod moments;
mod needs;
mod reordered;
mod storms;
mod timers;
mod token;
mod updates;
mod why;

use std::cell::RefCell;
use std::fs;
use std::sync::Arc;

use super::*;
use lab::{Condition, Expectation, ViolationReason};
use protocol::{ERRATA, Property, SettingValue};
use record::{Body, Record};
use registry::BUILT_IN;

fn lab_of(name: &str, text: &str) -> Arc<Lab> {
    Arc::new(lab::parse(name, text, BUILT_IN).unwrap_or_else(|errors| panic!("{errors}")))
}

fn labs() -> Vec<Arc<Lab>> {
    let folders = [
        concat!(env!("CARGO_MANIFEST_DIR"), "/../../labs"),
        concat!(env!("CARGO_MANIFEST_DIR"), "/../../labs/lessons"),
    ];
    let files = folders.into_iter().flat_map(|folder| fs::read_dir(folder).unwrap());
    let mut paths: Vec<_> = files.map(|entry| entry.unwrap().path()).collect();
    // What is measured on real processes has a folder of its own.
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "toml"));
    paths.sort();
    paths.iter().map(|path| lab_of(&path.display().to_string(), &fs::read_to_string(path).unwrap())).collect()
}

/// The lab of the project that has this name.
fn lab_named(name: &str) -> Arc<Lab> {
    let path = format!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../labs/{}.toml"), name);
    lab_of(name, &fs::read_to_string(path).unwrap())
}

/// What was recorded.
fn recorded(plan: &Plan) -> Vec<Record> {
    let records = RefCell::new(Vec::new());
    run(plan, Box::new(|record: &Record| records.borrow_mut().push(record.clone())));
    records.into_inner()
}

/// The session's lines, and how it ended.
fn session(plan: &Plan) -> (Vec<String>, SimEnd) {
    let lines = RefCell::new(Vec::new());
    let end = run(plan, Box::new(|record: &Record| lines.borrow_mut().push(record.to_line())));
    (lines.into_inner(), end)
}

/// How the comment of a lab begins that lasts for less than some promise of its algorithm takes to be due.
const NOT_DUE: &str = "# Not due here: ";

/// The promises that the lab's comment names, in the order in which they are judged.
fn not_due(text: &str) -> Vec<&str> {
    let comments = text.lines().filter_map(|line| line.strip_prefix(NOT_DUE));
    let mut names = comments.map(|rest| rest.split_once(". ").expect("a reason").0);
    let first = names.next().map_or_else(Vec::new, |names| names.split(", ").collect());
    assert_eq!(names.next(), None, "one such comment is enough");
    first
}

#[test]
fn every_lab_meets_its_expectations() {
    for lab in labs() {
        let (_, end) = session(&Plan::of(Arc::clone(&lab)));
        assert_eq!(end.run.summary.exit_code(), 0, "{}: {} {:?}", lab.name, end.run.summary, end.run.violations);
        assert_eq!(end.run.summary.met, lab.expectations.len(), "{}", end.run.summary);
        // Each promise was due, or the lab says which was not, and why.
        let never = end.run.tallies.iter().filter(|(_, tally)| tally.is_never_due());
        let never: Vec<String> = never.map(|(property, _)| property.to_string()).collect();
        assert_eq!(never, not_due(&lab.text), "{}", lab.name);
    }
}

/// The properties that a lab expects to be violated because of a hole of its paper.
fn holes(lab: &Lab) -> Vec<Property> {
    let hole = |expectation: &Expectation| match &expectation.that {
        Condition::Violation { property, because: Some(ViolationReason::Hole(_)) } => Some(*property),
        _ => None,
    };
    lab.expectations.iter().filter_map(hole).collect()
}

/// A lab to the letter with its holes mended; if the letter is the book's, with the paper's too.
fn without_its_holes(lab: &Lab) -> Vec<Arc<Lab>> {
    let has = |name: &str, value: &SettingValue| lab.settings.iter().any(|setting| setting == (name, value));
    let with = |name: &str, value: SettingValue| {
        Arc::new(Lab { settings: lab.settings.clone().with(name, value), ..Lab::clone(lab) })
    };
    let mut without = Vec::new();
    if has("errata", &SettingValue::Flag(false)) {
        without.push(with("errata", SettingValue::Flag(true)));
    }
    if has("letter", &SettingValue::Word("book".to_owned())) {
        without.push(with("letter", SettingValue::Word("paper".to_owned())));
    }
    without
}

#[test]
fn what_shows_a_hole_is_gone_when_mended() {
    for lab in labs() {
        // In a lab of one hole nothing else is wrong, and with the hole what it expects is gone.
        let is_of_one = lab.name.contains("-hole-") && lab.settings.value(ERRATA) == Some(&SettingValue::Flag(false));
        for mended in without_its_holes(&lab) {
            let violated = RefCell::new(Vec::new());
            let listener = |record: &Record| {
                if let Body::Violation(report) = &record.body
                    && !report.is_excused()
                {
                    violated.borrow_mut().push(report.property);
                }
            };
            let end = run(&Plan::of(Arc::clone(&mended)), Box::new(listener));
            let violated = violated.into_inner();
            assert!(holes(&mended).iter().all(|property| !violated.contains(property)), "{}: {violated:?}", lab.name);
            assert!(!is_of_one || end.run.summary.exit_code() == 4, "{}: {}", lab.name, end.run.summary);
        }
    }
}

#[test]
fn one_seed_is_one_session() {
    // Every fourth lab, to save time: each algorithm has several.
    for lab in labs().into_iter().step_by(4) {
        let plan = Plan { network_kind: NetworkKind::Drawn, seed: 5, ..Plan::of(lab) };
        let (typed, _) = session(&plan);
        // Run again through the codec it is the same: so neither the codec nor a second run changes anything.
        assert_same(&typed, &session(&Plan { moves: MessageTransfer::Encoded, ..plan.clone() }).0);
        assert!(typed != session(&Plan { seed: 6, ..plan }).0);
    }
}

#[test]
fn without_records_the_same_datagrams_move() {
    let text = include_str!("../../../labs/first.toml").split("[[step]]").next().unwrap().to_owned();
    let lab = lab_of("first.toml", &format!("{text}\n[[step]]\nat = \"30s\"\ndo = [\"crash 5\", \"recover 5\"]\n"));
    let plan = Plan { network_kind: NetworkKind::Drawn, ..Plan::of(lab) };
    let recorded = run(&plan, Box::new(|_| {}));
    let bare = run(&Plan { recorded: Recorded::No, ..plan }, Box::new(|_| panic!("nobody is to hear a record")));
    assert_eq!(recorded.run.summary.violations, 0);
    assert!(recorded.delivered > 100, "{}", recorded.delivered);
    assert_eq!(bare.delivered, recorded.delivered);
}

#[test]
fn records_come_in_causal_order() {
    for lab in labs() {
        let mut sent = std::collections::BTreeSet::new();
        let mut latest = 0;
        run(
            &Plan { network_kind: NetworkKind::Drawn, ..Plan::of(lab) },
            Box::new(|record| {
                assert!(record.at >= latest, "record {} at {} after {latest}", record.number, record.at);
                latest = record.at;
                let Body::Step(step) = &record.body else { return };
                if let record::Input::Message { id, .. } = &step.input {
                    assert!(sent.contains(id), "record {}: {id:?} was received before it was sent", record.number);
                }
                sent.extend(step.effects.iter().filter_map(|effect| match effect {
                    record::EffectText::Send { id, .. } => Some(*id),
                    _ => None,
                }));
            }),
        );
    }
}

#[test]
fn a_simulation_in_pieces_is_the_same() {
    let plan = Plan::of(lab_of("first.toml", include_str!("../../../labs/first.toml")));
    let (whole, _) = session(&plan);
    let lines = RefCell::new(Vec::new());
    let mut simulation = start(&plan, Box::new(|record: &Record| lines.borrow_mut().push(record.to_line())));
    let mut until = 0;
    while simulation.next_at().is_some() {
        until += 37_000_000;
        simulation.advance_to(until);
    }
    simulation.end();
    assert_same(&lines.into_inner(), &whole);
}

/// Fails with the first line that differs, not with all of them.
fn assert_same(lines: &[String], others: &[String]) {
    for (line, other) in lines.iter().zip(others) {
        assert_eq!(line, other);
    }
    assert_eq!(lines.len(), others.len());
}

#[test]
fn an_order_to_a_held_node_holds_now() {
    let text = include_str!("../../../labs/first.toml").split("[[step]]").next().unwrap().to_owned();
    let step = "\n[[step]]\nwhen = \"Halt sent by 5\"\ndo = [\"elect 5\"]\n";
    let lab = lab_of("first.toml", &format!("{text}{step}"));
    let (mut ordered, mut in_force) = (None, None);
    run(
        &Plan::of(lab),
        Box::new(|record| match &record.body {
            Body::FaultOrdered { .. } => ordered = Some(record.at),
            Body::FaultInForce { .. } => in_force = Some(record.at),
            _ => {}
        }),
    );
    assert!(ordered.is_some());
    assert_eq!(in_force, ordered);
}

#[test]
fn what_a_lab_of_stoller_cannot_be() {
    let refused = |name: &str, from: &str, to: &str| {
        let path = format!("{}/labs/{name}.toml", concat!(env!("CARGO_MANIFEST_DIR"), "/../.."));
        let text = fs::read_to_string(path).unwrap();
        assert!(text.contains(from), "{name}: {from}");
        lab::parse(name, &text.replace(from, to), BUILT_IN).unwrap_err().to_string()
    };
    let errors = refused("async-bully", "\"are-you-alive\"", "\"attendance-list\"");
    assert!(errors.contains("expected one of are-you-alive, i-am-alive, cooperative"), "{errors}");
    assert!(errors.contains("a node is on it for all or for none"), "{errors}");
    for (name, from, to) in [
        ("bully-fd", "silence = \"600ms\"", "silence = \"400ms\""),
        ("async-bully-i-am-alive", "silence = \"600ms\"", "silence = \"400ms\""),
        ("bully-fd-attendance-list", "silence = \"1200ms\"", "silence = \"1s\""),
    ] {
        let errors = refused(name, from, to);
        assert!(errors.contains("silence must be longer than 2T, with an attendance list longer than nT"), "{errors}");
    }
}

/// Section 4: correctness does not depend on tau.
#[test]
fn stollers_labs_bear_a_small_tau() {
    for name in ["bully-fd", "bully-fd-hole-9", "async-bully"] {
        let lab = labs().into_iter().find(|lab| lab.name == name).unwrap();
        let text = lab.text.replace("check = \"1s\"", "check = \"70ms\"");
        assert_ne!(text, lab.text, "{name}");
        let (_, end) = session(&Plan::of(lab_of(name, &text)));
        assert_eq!(end.run.summary.exit_code(), 0, "{name}: {} {:?}", end.run.summary, end.run.violations);
    }
}
