//! The why line of the last drawing.
//!
//! Invariant: it is kept as long as its node and the newest record before it are the same ones.

use std::cell::RefCell;
use std::sync::Arc;

use crate::judge::why::Sentence;
use crate::protocol::NodeId;
use crate::record::Record;

/// The last answer in one line, with what it follows from.
#[derive(Debug, Default)]
pub struct WhyLine(RefCell<Option<(Arc<Record>, NodeId, Sentence)>>);

impl WhyLine {
    /// Why the node is in its state after this record: as it was said last, or said anew.
    pub fn sentence(&self, newest: Option<Arc<Record>>, node: NodeId, answer: impl FnOnce() -> Sentence) -> Sentence {
        let mut last = self.0.borrow_mut();
        if let (Some((record, of, sentence)), Some(newest)) = (&*last, &newest)
            && Arc::ptr_eq(record, newest)
            && *of == node
        {
            return sentence.clone();
        }
        let sentence = answer();
        *last = newest.map(|newest| (newest, node, sentence.clone()));
        sentence
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::{Body, Missed};

    fn record() -> Arc<Record> {
        Arc::new(Record::of_host(0, Body::Gap(Missed { count: 1, place: String::new() })))
    }

    #[test]
    fn only_the_same_node_after_the_same_record_is_answered_from_memory() {
        let (line, first, second) = (WhyLine::default(), record(), record());
        let (one, two) = (NodeId::new(1).unwrap(), NodeId::new(2).unwrap());
        let text = |newest: Option<&Arc<Record>>, node, text: &str| {
            let answer = || Sentence { text: text.to_owned(), ..Sentence::default() };
            line.sentence(newest.cloned(), node, answer).text
        };
        assert_eq!(text(Some(&first), one, "a"), "a");
        assert_eq!(text(Some(&first), one, "b"), "a", "nothing has changed");
        assert_eq!(text(Some(&first), two, "c"), "c", "another node");
        assert_eq!(text(Some(&second), two, "d"), "d", "another record");
        assert_eq!(text(None, two, "e"), "e");
        assert_eq!(text(None, two, "f"), "f", "without a record nothing is known to be the same");
    }
}
