//! Copies of a replicated counter that are weighed, as messages, safe cells, panels and the judge name them (King,
//! Gendreau and Ni 1988, section 7, item 3).
//!
//! Invariant: two copies with one version are equal.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::{NodeId, OrderId, RefusedUpdate};

/// Names a write of the copies. Of two, the larger one is the later one.
#[derive(Copy, Clone, Eq, PartialEq, Ord, PartialOrd, Hash, Debug, Serialize, Deserialize)]
pub struct CopyVersion {
    /// Larger than that of any write that its author has heard of.
    pub number: u64,
    /// Who writes.
    pub author: NodeId,
}

impl fmt::Display for CopyVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.number, self.author)
    }
}

/// What a process holds of the counter.
#[derive(Copy, Clone, Default, Eq, PartialEq, Ord, PartialOrd, Hash, Debug, Serialize, Deserialize)]
pub struct HeldCopy {
    /// The write that it is of; absent before the first one. On the wire every field is there, this one too.
    pub version: Option<CopyVersion>,
    /// How many updates are in it.
    pub count: u32,
    /// What they add up to.
    pub counter: i64,
}

/// Some of the weight of all copies.
#[derive(Copy, Clone, Default, Eq, PartialEq, Ord, PartialOrd, Hash, Debug, Serialize, Deserialize)]
pub struct WeightShare {
    /// How much of it.
    pub have: u64,
    /// How much there is.
    pub of: u64,
}

impl WeightShare {
    /// Whether it is more than half of all.
    pub fn is_majority(self) -> bool {
        2 * self.have > self.of
    }
}

impl fmt::Display for WeightShare {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} of {}", self.have, self.of)
    }
}

/// What a process acknowledged last: an update that was ordered here.
#[derive(Copy, Clone, Eq, PartialEq, Hash, Debug, Serialize, Deserialize)]
pub struct AcknowledgedCopy {
    /// How many orders it has acknowledged in this life.
    pub times: u32,
    /// The update.
    pub id: OrderId,
    /// The copy that it was written with.
    pub held: HeldCopy,
}

/// What a process gave up last without knowing whether it is done: an update that was ordered here.
#[derive(Copy, Clone, Eq, PartialEq, Hash, Debug, Serialize, Deserialize)]
pub struct DoubtedUpdate {
    /// How many orders it has given up so in this life.
    pub times: u32,
    /// What the last one would add.
    pub value: i32,
}

/// A process's part in the copies of a counter.
#[derive(Clone, Default, Eq, PartialEq, Hash, Debug, Serialize, Deserialize)]
pub struct CopyWork {
    /// The copy, which is in its safe cells.
    pub held: HeldCopy,
    /// At a master: the weight over which it had control when it last asked for it; absent before that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub control: Option<WeightShare>,
    /// How many orders wait here.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub waiting: u16,
    /// What it refused last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refused: Option<RefusedUpdate>,
    /// What it gave up last without knowing whether it is done.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub doubted: Option<DoubtedUpdate>,
    /// What it acknowledged last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub acknowledged: Option<AcknowledgedCopy>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks by reference")]
fn is_zero(number: &u16) -> bool {
    *number == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_of_the_weight_is_no_majority() {
        let is_majority = |have, of| WeightShare { have, of }.is_majority();
        assert_eq!(
            [(3, 7), (4, 7), (4, 8), (5, 8), (0, 0)].map(|(have, of)| is_majority(have, of)),
            [false, true, false, true, false]
        );
    }

    #[test]
    fn a_later_write_has_a_larger_version_and_no_write_has_the_least() {
        let version = |number, author| Some(CopyVersion { number, author: NodeId::new(author).unwrap() });
        let ordered = [None, version(1, 1), version(1, 2), version(2, 1)];
        assert!(ordered.is_sorted());
        let text = serde_json::to_string(&CopyWork::default()).unwrap();
        assert_eq!(text, r#"{"held":{"version":null,"count":0,"counter":0}}"#);
        assert_eq!(serde_json::from_str::<CopyWork>(&text).unwrap(), CopyWork::default());
    }
}
