//! The bands above the scrubber: when an election was under way, when a fault was in force, where a violation was told and
//! where somebody wrote something.
//!
//! Invariant: a mark stands at its time between the session's beginning and the end of what the flow tells, and the script
//! jumps to no other place.

use std::fmt::Write as _;

use crate::told::{ToldSession, micros};
use record::{Body, Record, SessionNote};
use web::escaped;
use world::stamp;

/// The bands are so wide in their own units; the browser stretches them.
const WIDTH: f64 = 1_000.0;
/// A mark that has no length is so wide, and no mark is narrower.
const MARK: f64 = 2.0;
/// Of each kind, so many first marks are drawn.
const MARKS_MAX: usize = 1_000;

/// The bands as a picture.
pub(super) fn bands(told: &ToldSession, notes: &[SessionNote]) -> String {
    let (start, end) = (told.start(), told.shown_until().max(told.start() + 1));
    let mut svg =
        format!("<svg id=\"bands\" viewBox=\"0 0 {WIDTH} 30\" preserveAspectRatio=\"none\" aria-hidden=\"true\">\n");
    let mut add = |kind: &str, row: u32, from: i64, to: Option<i64>, words: &str| {
        if from > end {
            return;
        }
        let place = |at: i64| (at.clamp(start, end) - start) as f64 / (end - start) as f64 * (WIDTH - MARK);
        let (x, until) = (place(from), place(to.unwrap_or(from)));
        writeln!(
            svg,
            "<rect class=\"{kind}\" data-at=\"{}\" x=\"{x:.2}\" y=\"{}\" width=\"{:.2}\" height=\"8\"><title>{}</title></rect>",
            micros(from.clamp(start, end)),
            row * 10 + 1,
            (until - x).max(MARK),
            escaped(words)
        )
        .expect("memory can be written to");
    };
    for election in told.elections.iter().take(MARKS_MAX) {
        let words = election.in_a_line(&told.head.facts.periodic);
        add("election", 0, election.began, Some(election.ended.unwrap_or(end)), &words);
    }
    for fault in told.world.faults.iter().take(MARKS_MAX) {
        let until = fault.in_force.map(|_| fault.lifted.unwrap_or(end));
        let words = format!("{} {} at {}", fault.id, fault.line, stamp(fault.ordered));
        add("fault", 1, fault.ordered, until, &words);
    }
    let is_marked = |record: &&Record| matches!(record.body, Body::Violation(_) | Body::Marker { .. });
    for record in told.records.iter().filter(is_marked).take(MARKS_MAX) {
        match &record.body {
            Body::Violation(violation) => {
                add("violation", 2, record.at, None, &format!("{} is violated", violation.property));
            }
            Body::Marker { text } => add("marker", 2, record.at, None, text),
            _ => {}
        }
    }
    for note in notes.iter().take(MARKS_MAX) {
        add("marker", 2, note.at, None, &format!("{}: {}", note.kind.word(), note.text));
    }
    svg.push_str("</svg>\n");
    svg
}
