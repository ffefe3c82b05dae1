//! A violation, told in paragraphs: who, what, when and why; the states; what lay between them; the path from the cause.
//!
//! Invariant: every word of the recorded text is shown, and none of it twice.

use super::sheet::Sheet;
use crate::model::Model;
use crate::paint;
use protocol::NodeSet;
use record::ViolationReport;

/// Writes the paragraphs, each after its heading.
pub fn paragraphs(model: &Model, sheet: &mut Sheet<'_>, report: &ViolationReport) {
    sheet.text(&in_short(model, report));
    let told = ViolationParts::of(&report.text);
    let states = if told.states.len() == 1 { "what was found" } else { "the two states" };
    let others = [("between them", told.between), ("the path from the cause", told.path), ("the cause", told.cause)];
    sheet.heading(&told.grade.map_or_else(|| states.to_owned(), |grade| format!("{states} ({grade})")));
    told.states.iter().for_each(|state| sheet.text(&format!("{state}.")));
    for (title, text) in others.into_iter().filter_map(|(title, text)| Some((title, text?))) {
        sheet.heading(title);
        sheet.text(&format!("{text}."));
    }
}

/// Who, what, when, and because of which fault, in one sentence.
fn in_short(model: &Model, report: &ViolationReport) -> String {
    let what =
        format!("{} violated at {} s by {}", report.property, paint::seconds(report.since, 3), listed(&report.nodes));
    let Some(assumption) = report.because else { return format!("{what}; no broken assumption excuses it.") };
    let by = match report.by {
        Some(id) => {
            let fault = model.seen().world.faults.iter().find(|fault| fault.id == id);
            fault.map_or_else(|| id.to_string(), |fault| format!("{id} ({})", fault.line))
        }
        None if report.by_machine => "this computer".to_owned(),
        None => return format!("{what}, because {assumption} was broken."),
    };
    format!("{what}, because {by} broke {assumption}.")
}

/// `1, 2 and 4`.
fn listed(nodes: &NodeSet) -> String {
    let each: Vec<String> = nodes.iter().map(|node| node.to_string()).collect();
    match &each[..] {
        [first @ .., last] if !first.is_empty() && first.len() < 4 => format!("{} and {last}", first.join(", ")),
        _ => nodes.to_string(),
    }
}

/// The parts of the recorded sentence.
#[derive(Clone, Eq, PartialEq, Debug)]
struct ViolationParts<'a> {
    /// How certain it is.
    grade: Option<&'a str>,
    /// The states that contradict each other, or what was found.
    states: Vec<&'a str>,
    between: Option<&'a str>,
    path: Option<&'a str>,
    cause: Option<&'a str>,
}

impl ViolationParts<'_> {
    /// Of a text; one of another form is all found.
    fn of(text: &str) -> ViolationParts<'_> {
        let text = text.trim_end_matches('.');
        let (found, rest) = parted(text, "; between them: ");
        let rest = rest.unwrap_or_default();
        let (rest, cause) = parted(rest, "; cause: ");
        let (between, path) = parted(rest, "; path: ");
        let (between, innocent) = between.split_once("; no assumption").map_or((between, false), |(it, _)| (it, true));
        let cause = cause.or(innocent.then_some("no assumption was broken"));
        let headed = found.split_once("): ").and_then(|(head, found)| Some((head.split_once(" s (")?, found)));
        let (grade, found) = match headed {
            Some(((head, grade), found)) if head.contains(" violated at ") => (Some(grade), found),
            _ => (None, found),
        };
        let states = two_states(found).unwrap_or_else(|| vec![found]);
        ViolationParts { grade, states, between: Some(between).filter(|text| !text.is_empty()), path, cause }
    }
}

fn parted<'a>(text: &'a str, mark: &str) -> (&'a str, Option<&'a str>) {
    text.split_once(mark).map_or((text, None), |(before, after)| (before, Some(after)))
}

/// The two states, if the text tells two: the first ends in a stamp, and the second begins with a node.
fn two_states(text: &str) -> Option<Vec<&str>> {
    let begins_state = |text: &str| {
        let node = text.find(|c: char| !c.is_ascii_digit()).filter(|end| *end > 0);
        node.is_some_and(|end| text[end..].starts_with(" is ") || text[end..].starts_with(" was "))
    };
    let mut ends = text.match_indices(" s, ").filter(|(at, mark)| begins_state(&text[at + mark.len()..]));
    let (at, mark) = ends.next()?;
    let is_two = ends.next().is_none() && begins_state(text);
    is_two.then(|| vec![&text[..at + 2], &text[at + mark.len()..]])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_recorded_sentence_is_taken_apart_and_no_word_is_lost() {
        let text = "assertion-1 violated at 6.501 s (observed): 4 is Normal under 4 since 3.301 s, 1 was Normal under \
                    2 from 6.501 s to 6.6 s; between them: f2 partition 1,2|3-5 in force at 5.003 s (record 9), f1 \
                    over at 6.0 s (record 10); path: 1 was affected at 5.100 s; cause: f2 (partition 1,2|3-5) broke \
                    assumption 8";
        assert_eq!(
            ViolationParts::of(text),
            ViolationParts {
                grade: Some("observed"),
                states: vec!["4 is Normal under 4 since 3.301 s", "1 was Normal under 2 from 6.501 s to 6.6 s"],
                between: Some("f2 partition 1,2|3-5 in force at 5.003 s (record 9), f1 over at 6.0 s (record 10)"),
                path: Some("1 was affected at 5.100 s"),
                cause: Some("f2 (partition 1,2|3-5) broke assumption 8"),
            }
        );
        let innocent = ViolationParts::of(
            "progress violated at 9.000 s (observed): no node coordinates 1-5; between them: nothing recorded; no \
             assumption was broken",
        );
        assert_eq!(innocent.states, ["no node coordinates 1-5"]);
        assert_eq!((innocent.between, innocent.cause), (Some("nothing recorded"), Some("no assumption was broken")));
        assert_eq!(ViolationParts::of("It is wrong.").states, ["It is wrong"]);
    }
}
