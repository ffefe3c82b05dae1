//! The line that waits for the lab's answer.
//!
//! Invariant: a refused line stays with what is wrong, and nothing that was typed before the answer is an order then.

use crossterm::event::KeyEvent;

use crate::model::Model;
use crate::prompt::LineProgress;
use record::{Answer, Request};

/// An answer came. If it is the one for which the line waits, the line is done, or stays with what is wrong; returns the
/// keys that were pressed meanwhile and still count, or `None` if the answer concerns no line.
pub fn answered(model: &mut Model, request: &Request, answer: &Answer) -> Option<Vec<KeyEvent>> {
    let prompt = model.prompt.as_mut()?;
    let LineProgress::Waiting { requests, keys } = &mut prompt.progress else { return None };
    let place = requests.iter().position(|waiting| waiting == request)?;
    requests.remove(place);
    match answer {
        // What was typed meanwhile was typed by somebody who had not seen this.
        Answer::Refused { why } => prompt.progress = LineProgress::Refused(why.clone()),
        Answer::Done { .. } | Answer::NotInForce { .. } if requests.is_empty() => {
            let keys = std::mem::take(keys);
            model.prompt = None;
            return Some(keys);
        }
        Answer::Done { .. } | Answer::NotInForce { .. } => {}
    }
    Some(Vec::new())
}
