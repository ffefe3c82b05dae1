//! The id of a fault.
//!
//! Invariant: ids count the lines that were ordered in a session, from 1.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

/// The id of a fault: its ordinal in the session, from 1. Written `f3`.
#[derive(Copy, Clone, Eq, PartialEq, Ord, PartialOrd, Hash, Debug)]
pub struct FaultId(pub u32);

impl fmt::Display for FaultId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&format!("f{}", self.0))
    }
}

/// Why a text is not a fault id.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
#[error("`{0}` is not a fault id; fault ids are `f1`, `f2` and so on")]
pub struct FaultIdTextError(pub String);

impl FromStr for FaultId {
    type Err = FaultIdTextError;

    fn from_str(text: &str) -> Result<FaultId, FaultIdTextError> {
        text.strip_prefix('f')
            .and_then(|number| number.parse().ok())
            .map(FaultId)
            .ok_or_else(|| FaultIdTextError(text.to_owned()))
    }
}

impl Serialize for FaultId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for FaultId {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<FaultId, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(de::Error::custom)
    }
}
