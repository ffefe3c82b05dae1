//! Steps at moments: what the steps before them bring counts for them, and nothing before that.

use std::cell::RefCell;
use std::fs;

use super::lab_of;
use crate::{Plan, SimEnd, run};
use record::{Body, Record};

/// The steps that were taken, with the node that was held for each, and how the lab ended.
fn taken(name: &str, text: &str) -> (Vec<(String, Option<u16>)>, SimEnd) {
    let (held, taken) = (RefCell::new(Vec::new()), RefCell::new(Vec::new()));
    let listener = |record: &Record| match (&record.body, record.node) {
        (Body::Step(step), Some(node)) => {
            held.borrow_mut().extend(step.held.as_ref().map(|hold| (hold.by.clone(), node.get())));
        }
        (Body::StepTaken { step }, _) => {
            let of_step = held.borrow().iter().find(|(by, _)| by == step).map(|(_, node)| *node);
            taken.borrow_mut().push((step.clone(), of_step));
        }
        _ => {}
    };
    let end = run(&Plan::of(lab_of(name, text)), Box::new(listener));
    (taken.into_inner(), end)
}

/// A lab of three Bully nodes, which are Normal under 3 by 2 s, with these steps and a limit of 3 s.
fn lab(steps: &str) -> String {
    format!(
        "name = \"moments\"\nabout = \"Moments.\"\nalgorithm = \"bully\"\nnodes = 3\nseed = 1\nT = \"200ms\"\n\
         check = \"1s\"\nsilence = \"2s\"\nlimit = \"3s\"\n{steps}"
    )
}

/// Two steps: the first gives these orders at 2 s, the second waits for a Halt of 3.
fn halt_after(orders: &str) -> String {
    lab(&format!(
        "[[step]]\nname = \"orders\"\nat = \"2s\"\ndo = [{orders}]\n\
         [[step]]\nname = \"halt\"\nwhen = \"Halt sent by 3\"\ndo = []\n"
    ))
}

fn steps(taken: &[(String, Option<u16>)]) -> Vec<(&str, Option<u16>)> {
    taken.iter().map(|(step, node)| (step.as_str(), *node)).collect()
}

#[test]
fn moments_that_the_step_before_brings_are_met() {
    let folder = concat!(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."), "/tests/moments");
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap().to_str().unwrap();
        let (taken, end) = taken(name, &fs::read_to_string(&path).unwrap());
        assert_eq!(end.run.summary.exit_code(), 0, "{name}: {} {:?}", end.run.summary, end.run.violations);
        let expected: &[(&str, Option<u16>)] = match name {
            "own-order" => &[("elect", None), ("halt", Some(3))],
            "returns-and-dies" => &[("crash", None), ("return", None), ("halt", Some(3))],
            "in-a-row" => &[("elect", None), ("halt", Some(3)), ("point", Some(3)), ("ready", Some(3))],
            "answer-and-wait" => &[("dead", None), ("ask", None), ("answer", Some(2)), ("waits", Some(1))],
            other => panic!("{other} is not expected here"),
        };
        assert_eq!(steps(&taken), expected, "{name}");
    }
}

#[test]
fn a_second_order_delays_no_held_node() {
    let (taken, end) = taken("twice", &halt_after("\"elect 3\", \"elect 3\""));
    assert_eq!(steps(&taken), [("orders", None), ("halt", Some(3))]);
    assert_eq!((end.run.summary.exit_code(), end.run.unknown), (0, None));
}

#[test]
fn what_came_before_does_not_count() {
    let (taken, end) = taken("before", &halt_after(""));
    assert_eq!(steps(&taken), [("orders", None)]);
    assert_eq!((end.run.summary.exit_code(), end.run.defect), (4, None));
}

#[test]
fn a_killed_node_came_to_no_moment() {
    for orders in ["\"elect 3\", \"crash 3\"", "\"elect 3\", \"pause 3\""] {
        let (taken, end) = taken("orders", &halt_after(orders));
        assert_eq!(steps(&taken), [("orders", None)], "{orders}");
        assert_eq!((end.run.summary.exit_code(), end.run.defect), (4, None), "{orders}");
    }
}
