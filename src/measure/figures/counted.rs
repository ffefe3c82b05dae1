//! What is counted in a stretch of a run: messages of a kind, all of them, bytes, elections, time.
//!
//! Invariant: what a lab cannot have is refused with what it can have.

use std::borrow::Cow;

use lab::{Lab, near};

/// Something that is counted.
#[derive(Clone, Eq, PartialEq, Debug)]
pub enum Counted {
    /// Messages of this kind; a broadcast is one.
    Kind(String),
    /// All messages.
    Messages,
    /// All but those that are sent at every period anyway.
    Own,
    /// The bytes of the bodies of all messages.
    Bytes,
    /// Elections that began.
    Elections,
    /// Time, in microseconds.
    Time,
}

/// A lab has nothing of this name to count.
#[derive(Clone, Eq, PartialEq, Debug, thiserror::Error)]
#[error("{lab} has nothing called `{word}` to count; {meant}it has {WORDS}, and the message kinds {kinds}")]
pub struct CountedTextError {
    word: String,
    lab: String,
    meant: String,
    kinds: String,
}

/// The words for what is no kind of messages.
const WORDS: &str = "messages, own, bytes, elections, time_us";

impl Counted {
    /// What this word means in this lab.
    ///
    /// # Errors
    /// The lab has no such messages.
    pub fn parse(word: &str, lab: &Lab) -> Result<Counted, CountedTextError> {
        let of_application = lab.application().map_or(&[][..], |application| application.messages);
        let kinds = [lab.card.messages, of_application].concat();
        match word {
            "messages" => Ok(Counted::Messages),
            "own" => Ok(Counted::Own),
            "bytes" => Ok(Counted::Bytes),
            "elections" => Ok(Counted::Elections),
            "time_us" => Ok(Counted::Time),
            kind if kinds.contains(&kind) => Ok(Counted::Kind(kind.to_owned())),
            _ => {
                let words: Vec<&str> = WORDS.split(", ").chain(kinds.iter().copied()).collect();
                let meant = match &near(word, &words)[..] {
                    [] => String::new(),
                    near => format!("did you mean {}? ", near.join(", ")),
                };
                Err(CountedTextError { word: word.to_owned(), lab: lab.name.clone(), meant, kinds: kinds.join(", ") })
            }
        }
    }

    /// The word for it.
    pub fn word(&self) -> Cow<'_, str> {
        match self {
            Counted::Kind(kind) => Cow::Borrowed(kind),
            Counted::Messages => Cow::Borrowed("messages"),
            Counted::Own => Cow::Borrowed("own"),
            Counted::Bytes => Cow::Borrowed("bytes"),
            Counted::Elections => Cow::Borrowed("elections"),
            Counted::Time => Cow::Borrowed("time_us"),
        }
    }
}
