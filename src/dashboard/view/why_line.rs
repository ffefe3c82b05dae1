//! The why line of the last drawing, and what is said of it where it does not fit.
//!
//! Invariant: it is kept as long as its node and the newest record before it are the same ones; where something is left
//! out, it ends in a sign and the key that tells all.

use std::cell::RefCell;
use std::sync::Arc;

use super::paint;
use judge::why::WhyInBrief;
use protocol::NodeId;
use record::Record;

/// The last answer in one line, with what it follows from.
#[derive(Debug, Default)]
pub struct WhyLine(RefCell<Option<(Arc<Record>, NodeId, WhyInBrief)>>);

impl WhyLine {
    /// Why the node is in its state after this record: as it was said last, or said anew.
    pub fn brief(&self, newest: Option<Arc<Record>>, node: NodeId, answer: impl FnOnce() -> WhyInBrief) -> WhyInBrief {
        let mut last = self.0.borrow_mut();
        if let (Some((record, of, brief)), Some(newest)) = (&*last, &newest)
            && Arc::ptr_eq(record, newest)
            && *of == node
        {
            return brief.clone();
        }
        let brief = answer();
        *last = newest.map(|newest| (newest, node, brief.clone()));
        brief
    }
}

/// The answer in so many columns and rows, after its title, and where it is cut before this rest: whole, or as the cause and the state, or as much of the
/// cause without its details as fits.
pub fn fitting(title: &str, brief: &WhyInBrief, rest: &str, (columns, rows): (u16, u16)) -> Vec<String> {
    let cause = brief.cause.as_ref().unwrap_or(&brief.state);
    let bare = without_details(cause);
    let with_state = |cause: &str| format!("{title}{cause}; {} {rest}", brief.state);
    let mut drawn = vec![format!("{title}{}", brief.sentence.text)];
    if brief.cause.is_some() {
        drawn.extend([with_state(cause), with_state(&bare)]);
    }
    let words: Vec<&str> = bare.split(' ').collect();
    drawn.extend((1..=words.len()).rev().map(|count| format!("{title}{} {rest}", words[..count].join(" "))));
    let wrapped = drawn.iter().map(|text| paint::wrap(text, columns));
    let mut fitting = wrapped.filter(|lines| lines.len() <= usize::from(rows));
    fitting.next().unwrap_or_else(|| paint::wrap(&format!("{title}{rest}"), columns))
}

/// The words without what stands in parentheses.
fn without_details(text: &str) -> String {
    let mut bare = String::with_capacity(text.len());
    let mut depth = 0_usize;
    for c in text.chars() {
        match c {
            '(' => depth += 1,
            ')' if depth > 0 => depth -= 1,
            c if depth == 0 => bare.push(c),
            _ => {}
        }
    }
    bare.split_whitespace().collect::<Vec<_>>().join(" ").replace(" ,", ",").replace(" ;", ";")
}

#[cfg(test)]
mod tests {
    use super::*;
    use record::{Body, Missed};

    fn record() -> Arc<Record> {
        Arc::new(Record::of_host(0, Body::Gap(Missed { count: 1, place: String::new() })))
    }

    #[test]
    fn only_the_same_node_after_the_same_record_is_answered_from_memory() {
        let (line, first, second) = (WhyLine::default(), record(), record());
        let (one, two) = (NodeId::new(1).unwrap(), NodeId::new(2).unwrap());
        let text = |newest: Option<&Arc<Record>>, node, text: &str| {
            let answer = || WhyInBrief { state: text.to_owned(), ..WhyInBrief::default() };
            line.brief(newest.cloned(), node, answer).state
        };
        assert_eq!(text(Some(&first), one, "a"), "a");
        assert_eq!(text(Some(&first), one, "b"), "a", "nothing has changed");
        assert_eq!(text(Some(&first), two, "c"), "c", "another node");
        assert_eq!(text(Some(&second), two, "d"), "d", "another record");
        assert_eq!(text(None, two, "e"), "e");
        assert_eq!(text(None, two, "f"), "f", "without a record nothing is known to be the same");
    }
}
