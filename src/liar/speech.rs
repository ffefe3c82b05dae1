//! What a process that may lie sends: the message of its algorithm, and what it is besides: said in another's name, or
//! whispered to a fellow.
//!
//! Invariant: a message without an aside has the same bytes as within its algorithm, so an honest process's datagrams do
//! not show that it might lie. An aside is open: a record shows it, and the true sender.

use std::fmt;

use serde::de::{SeqAccess, Visitor};
use serde::ser::SerializeTuple;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::protocol::{Deceit, Described, IN_NAME_OF, NodeId, WHISPER};

/// A message, and what it is besides.
#[derive(Clone, Eq, PartialEq, Ord, PartialOrd, Hash, Debug)]
pub struct Speech<M> {
    /// The message of the algorithm.
    pub message: M,
    /// What it is besides, if it is a lie that its sender's name shows.
    pub aside: Option<Aside>,
}

/// What a message is besides.
#[derive(Copy, Clone, Eq, PartialEq, Ord, PartialOrd, Hash, Debug, Serialize, Deserialize)]
pub enum Aside {
    /// Its receiver takes it for a message of this node.
    InNameOf(NodeId),
    /// It tells a fellow what the sender knows; no machine gets it.
    Whisper,
}

impl<M> Speech<M> {
    /// The message alone.
    pub fn plain(message: M) -> Speech<M> {
        Speech { message, aside: None }
    }
}

impl<M: Described> Described for Speech<M> {
    fn kind(&self) -> &'static str {
        self.message.kind()
    }

    fn fields(&self) -> Vec<(&'static str, String)> {
        let mut fields = self.message.fields();
        match self.aside {
            None => {}
            Some(Aside::InNameOf(node)) => fields.push((IN_NAME_OF, node.to_string())),
            Some(Aside::Whisper) => fields.push((WHISPER, "to a fellow".to_owned())),
        }
        fields
    }
}

impl<M: Deceit> Deceit for Speech<M> {
    fn is_for_all(&self) -> bool {
        self.aside != Some(Aside::Whisper) && self.message.is_for_all()
    }
}

impl<M: Serialize> Serialize for Speech<M> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut parts = serializer.serialize_tuple(1 + usize::from(self.aside.is_some()))?;
        parts.serialize_element(&self.message)?;
        if let Some(aside) = &self.aside {
            parts.serialize_element(aside)?;
        }
        parts.end()
    }
}

impl<'de, M: Deserialize<'de>> Deserialize<'de> for Speech<M> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Speech<M>, D::Error> {
        deserializer.deserialize_tuple(2, Parts(std::marker::PhantomData))
    }
}

/// Reads the message, and the aside if anything follows.
struct Parts<M>(std::marker::PhantomData<M>);

impl<'de, M: Deserialize<'de>> Visitor<'de> for Parts<M> {
    type Value = Speech<M>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a message, and what it is besides")
    }

    fn visit_seq<S: SeqAccess<'de>>(self, mut parts: S) -> Result<Speech<M>, S::Error> {
        let message = parts.next_element()?.ok_or_else(|| serde::de::Error::invalid_length(0, &self))?;
        // Nothing follows a plain message. What follows and is no aside is left over, and the codec refuses it.
        let aside = parts.next_element().ok().flatten();
        Ok(Speech { message, aside })
    }
}
