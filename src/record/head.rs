//! The head of a session: what its first line says, and what watchers and nodes are told of the lab.
//!
//! `format` is `hustings-session`, `version` 2; `lab_id` 32 hex digits; `name`, `about`, `source` if the lab has one;
//! `lab_file` the lab file's text; `seed`; `nodes`; `timing` (`t`, `check`, `silence` in nanoseconds); `settings`;
//! `facts` (the algorithm's Card, its bounds in nanoseconds); `base_port` (node N is 127.0.0.1:base_port+N); `group`
//! (the multicast group, if the algorithm broadcasts); `build`; `wall_clock` (seconds since 1970, when the lab was
//! made); `origin`, `simulated` if it was; `drawn`, if a campaign made it: the `seed` of the run, and `again`, the
//! command that plays it again. In a file stands besides: `made_by`, the command that recorded the session by itself to
//! the directory of sessions, if one did; `part`, which part of the session the file is, if it is not the first.
//!
//! Invariant: a head without `made_by` can be read, and its session belongs to a person.

use std::net::SocketAddrV4;

use serde::{Deserialize, Deserializer, Serialize, de};
use serde_json::value::RawValue;

use protocol::{Facts, Roster, Settings, Timing};

/// The format's name in the first line of every session.
pub const FORMAT: &str = "hustings-session";
/// The format's version.
pub const VERSION: u32 = 2;
/// The first line of a session's file: the head, and how the file was made.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FirstLine {
    /// The session's head.
    #[serde(flatten)]
    pub head: Head,
    /// The command that recorded it to the default place, where its lab was not told where to record. Absent: a person
    /// named the file, or it is of a build that did not say.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub made_by: Option<MadeBy>,
    /// Which part of the session the file is, from 0; a long session has several, each with the same head.
    #[serde(skip_serializing_if = "is_first")]
    pub part: u32,
}

/// What is told of a session in a list: what is taken of its first line, the rest of which is passed over.
#[derive(Clone, Debug, Deserialize)]
pub struct ListedHead {
    /// [`FORMAT`], if the file is a session.
    pub format: String,
    /// [`VERSION`], if this build reads it.
    pub version: u32,
    /// The lab's id.
    pub lab_id: String,
    /// The lab's name.
    pub name: String,
    lab_file: String,
    facts: ListedFacts,
    /// Seconds since 1970 when the lab was made; 0 if it was simulated.
    pub wall_clock: u64,
    /// The command that recorded it by itself, if one did.
    #[serde(default)]
    pub made_by: Option<MadeBy>,
    /// Which part of the session the file is.
    #[serde(default)]
    pub part: u32,
}

/// What is told of the algorithm in a list.
#[derive(Clone, Debug, Deserialize)]
struct ListedFacts {
    name: String,
}

impl ListedHead {
    /// The algorithm's name.
    pub fn algorithm(&self) -> &str {
        &self.facts.name
    }

    /// Whether the lab's file expects anything.
    pub fn expects_something(&self) -> bool {
        expects_something(&self.lab_file)
    }
}

fn is_first(part: &u32) -> bool {
    *part == 0
}

impl<'de> Deserialize<'de> for FirstLine {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<FirstLine, D::Error> {
        #[derive(Deserialize)]
        struct OfFile {
            made_by: Option<MadeBy>,
            #[serde(default)]
            part: u32,
        }
        // The text is read twice: serde's `flatten` would compile every field of the head once more.
        let text = <&RawValue>::deserialize(deserializer)?.get();
        let head = serde_json::from_str(text).map_err(de::Error::custom)?;
        let OfFile { made_by, part } = serde_json::from_str(text).map_err(de::Error::custom)?;
        Ok(FirstLine { head, made_by, part })
    }
}

/// A command that records sessions without being told where.
#[derive(Copy, Clone, Eq, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum MadeBy {
    /// `up`: a person sat before it.
    Up,
    /// `run`, in real or in virtual time.
    Run,
    Simulate,
}

/// What the first line of a session says, and what watchers and nodes are told of the lab.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Head {
    pub format: String,
    pub version: u32,
    /// The lab's id, 32 hex digits.
    pub lab_id: String,
    /// The lab's name.
    pub name: String,
    /// What the lab is about, in a sentence.
    pub about: String,
    /// The paper and the part of it that the lab is about, if it says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// The lab file's text.
    pub lab_file: String,
    /// The seed of the dice; beyond 2^53 it is written as a string, because not every JSON reader can hold such a
    /// number.
    #[serde(with = "wide")]
    pub seed: u64,
    /// How many nodes elect.
    pub nodes: u16,
    /// The lab's periods.
    pub timing: Timing,
    /// The algorithm's settings.
    pub settings: Settings,
    /// What the algorithm's Card says.
    pub facts: Facts,
    /// Node N is 127.0.0.1:base_port+N.
    pub base_port: u16,
    /// The multicast group, if the algorithm broadcasts.
    pub group: Option<SocketAddrV4>,
    /// The version of the program.
    pub build: String,
    /// Seconds since 1970 when the lab was made; 0 if it was simulated.
    pub wall_clock: u64,
    /// What made the records.
    #[serde(default, skip_serializing_if = "Origin::is_live")]
    pub origin: Origin,
    /// What a campaign drew the lab with: the lab file alone does not make it again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub drawn: Option<Drawn>,
}

/// What a campaign drew a session with, besides the seed of the dice.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Drawn {
    /// The seed of the run: of the network and the starts, and in a swarm of the faults.
    #[serde(with = "wide")]
    pub seed: u64,
    /// The command that plays it again.
    pub again: String,
}

impl Head {
    /// The lab's roster, with the bystanders of its application; `None` if no lab can have this number of nodes.
    pub fn roster(&self) -> Option<Roster> {
        let bystanders = self.facts.application.as_ref().map_or(0, |application| application.bystanders);
        Roster::ranked(self.nodes, self.facts.rank)?.with_bystanders(bystanders)
    }

    /// Whether the lab's file expects anything.
    pub fn expects_something(&self) -> bool {
        expects_something(&self.lab_file)
    }
}

fn expects_something(lab_file: &str) -> bool {
    let lab: toml::Table = lab_file.parse().unwrap_or_default();
    lab.get("expect").and_then(toml::Value::as_array).is_some_and(|expected| !expected.is_empty())
}

/// What made a session's records.
#[derive(Copy, Clone, Default, Eq, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Origin {
    /// Real processes.
    #[default]
    Live,
    /// The simulator, in virtual time.
    Simulated,
}

impl Origin {
    fn is_live(&self) -> bool {
        *self == Origin::Live
    }
}

/// Integers beyond 2^53 as strings.
mod wide {
    use serde::{Deserialize, Deserializer, Serializer, de};

    const EXACT_MAX: u64 = 1 << 53;

    pub fn serialize<S: Serializer>(number: &u64, serializer: S) -> Result<S::Ok, S::Error> {
        if *number <= EXACT_MAX { serializer.serialize_u64(*number) } else { serializer.collect_str(number) }
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u64, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Written {
            Number(u64),
            Text(String),
        }
        match Written::deserialize(deserializer)? {
            Written::Number(number) => Ok(number),
            Written::Text(text) => text.parse().map_err(de::Error::custom),
        }
    }
}
