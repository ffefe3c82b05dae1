//! A message in words: its kind, its named fields, its body; and the names of timers.
//!
//! Only the judge reads most records. It asks what came from where, and not what a message said. So a message is kept
//! as its machine had it, and put into words when somebody first reads them.
//!
//! Invariant: its words were settled when it was made; nobody outside can tell whether somebody has read them yet.

use std::borrow::Cow;
use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A message in words, and its body. It reads as its [`Words`]; a copy of it shares the same text.
#[derive(Clone)]
pub struct MessageText(Wording);

/// The words of a message.
#[derive(Clone, Eq, PartialEq, Debug, Serialize, Deserialize)]
pub struct Words {
    /// Such as `Halt`.
    pub kind: Cow<'static, str>,
    /// The fields by name, in the machine's order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fields: Vec<(Cow<'static, str>, String)>,
    /// The encoded body in hex.
    pub body: String,
}

/// A message that can be put into words.
pub trait HasWords: Send + Sync {
    /// The words, the same each time.
    fn words(&self) -> &Words;
    /// The kind among its words, without the others.
    fn kind(&self) -> &'static str;
    /// How many bytes its body has.
    fn body_bytes(&self) -> usize;
}

#[derive(Clone)]
enum Wording {
    Written(Arc<Words>),
    Spoken(Arc<dyn HasWords>),
}

impl MessageText {
    /// The text of a message that is put into words when somebody reads it.
    pub fn of(message: Arc<dyn HasWords>) -> MessageText {
        MessageText(Wording::Spoken(message))
    }

    /// The kind; this makes no other word of it.
    pub fn kind(&self) -> Cow<'static, str> {
        match &self.0 {
            Wording::Written(words) => words.kind.clone(),
            Wording::Spoken(message) => Cow::Borrowed(message.kind()),
        }
    }

    /// How many bytes its body has.
    pub fn body_bytes(&self) -> usize {
        match &self.0 {
            Wording::Written(words) => words.body.len() / 2,
            Wording::Spoken(message) => message.body_bytes(),
        }
    }
}

impl From<Words> for MessageText {
    fn from(words: Words) -> MessageText {
        MessageText(Wording::Written(Arc::new(words)))
    }
}

impl Deref for MessageText {
    type Target = Words;

    fn deref(&self) -> &Words {
        match &self.0 {
            Wording::Written(words) => words,
            Wording::Spoken(message) => message.words(),
        }
    }
}

impl PartialEq for MessageText {
    fn eq(&self, other: &MessageText) -> bool {
        **self == **other
    }
}

impl Eq for MessageText {}

impl fmt::Debug for MessageText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&**self, f)
    }
}

impl Serialize for MessageText {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        (**self).serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for MessageText {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<MessageText, D::Error> {
        Words::deserialize(deserializer).map(MessageText::from)
    }
}

/// The name of a timer. A copy of it shares the same text.
#[derive(Clone, Eq, PartialEq)]
pub struct TimerName(Arc<str>);

impl Deref for TimerName {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl From<&str> for TimerName {
    fn from(name: &str) -> TimerName {
        TimerName(name.into())
    }
}

impl PartialEq<str> for TimerName {
    fn eq(&self, other: &str) -> bool {
        **self == *other
    }
}

impl fmt::Display for TimerName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self)
    }
}

impl fmt::Debug for TimerName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&**self, f)
    }
}

impl Serialize for TimerName {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self)
    }
}

impl<'de> Deserialize<'de> for TimerName {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<TimerName, D::Error> {
        String::deserialize(deserializer).map(|name| TimerName(name.into()))
    }
}
