//! Each lab lasts until every promise of its algorithm was due, or says which was not, and why.
//!
//! Invariant: a lab that says so of a promise which was due is as wrong as one that does not say it.

use super::{labs, session};
use crate::Plan;

/// How a lab's comment begins.
const NOT_DUE: &str = "# Not due here: ";

/// The promises that the lab's comment names, in the order in which they are judged.
fn said(text: &str) -> Vec<&str> {
    let comments = text.lines().filter_map(|line| line.strip_prefix(NOT_DUE));
    let mut names = comments.map(|rest| rest.split_once(". ").expect("a reason").0);
    let first = names.next().map_or_else(Vec::new, |names| names.split(", ").collect());
    assert_eq!(names.next(), None, "one such comment is enough");
    first
}

#[test]
fn each_promise_is_due_in_each_lab_or_the_lab_says_why_not() {
    for lab in labs() {
        let (_, end) = session(&Plan::of(lab.clone()));
        let tallies = end.run.tallies.iter().filter(|(_, tally)| tally.is_never_due());
        let never: Vec<String> = tallies.map(|(property, _)| property.to_string()).collect();
        assert_eq!(never, said(&lab.text), "{}", lab.name);
    }
}
