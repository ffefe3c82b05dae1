//! `hold` and `release`: what a link keeps back until somebody lets it go, in order or the youngest first.
//!
//! A release is told to nodes as a rule behind the hold that it frees links of: so one whose receiver is stopped
//! meanwhile is not lost, and one that frees some links of a hold leaves the others as they are. What is held is in the
//! receiver's process, and dies with it.
//!
//! Invariant: a link is held when some hold concerns it and no later release does. A hold that is lifted lets go in order.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::{FaultId, LinkFault, LinkRule};
use crate::protocol::{NodeId, NodeSet};

/// In which order what was held comes.
#[derive(Copy, Clone, Eq, PartialEq, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ReleaseOrder {
    /// As it was sent.
    InOrder,
    /// The youngest first. It happens in front of the order filter, which then drops all but that one.
    Reversed,
}

impl fmt::Display for ReleaseOrder {
    /// What follows on the link in a fault line.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ReleaseOrder::InOrder => Ok(()),
            ReleaseOrder::Reversed => f.write_str(" reversed"),
        }
    }
}

/// The hold that keeps back what `from` sends to `to`, if one does.
pub fn holding(faults: &[LinkFault], from: NodeId, to: NodeId) -> Option<FaultId> {
    let holds = faults.iter().filter(|fault| matches!(fault.rule, LinkRule::Hold { .. }));
    let mut concerning = holds.filter(|hold| hold.rule.concerns(from, to)).map(|hold| hold.id);
    concerning.find(|hold| freeing(faults, *hold, from, to).is_none())
}

/// The latest release that frees this link of this hold, and the order in which it lets go.
pub fn freeing(faults: &[LinkFault], hold: FaultId, from: NodeId, to: NodeId) -> Option<(FaultId, ReleaseOrder)> {
    let mut later = faults.iter().rev().filter(|fault| fault.id > hold && fault.rule.concerns(from, to));
    later.find_map(|fault| match fault.rule {
        LinkRule::Release { order, .. } => Some((fault.id, order)),
        _ => None,
    })
}

impl LinkFault {
    /// Whether it is a hold of which the releases among these leave no link of a lab of these nodes.
    pub fn is_released(&self, faults: &[LinkFault], all: NodeSet) -> bool {
        let is_free = |from: NodeId, to: NodeId| {
            from == to || !self.rule.concerns(from, to) || freeing(faults, self.id, from, to).is_some()
        };
        matches!(self.rule, LinkRule::Hold { .. }) && all.iter().all(|from| all.iter().all(|to| is_free(from, to)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn node(number: u16) -> NodeId {
        NodeId::new(number).unwrap()
    }

    fn hold(id: u32, from: &str, to: &str) -> LinkFault {
        let rule = LinkRule::Hold { from: from.parse().unwrap(), to: to.parse().unwrap() };
        LinkFault { id: FaultId(id), text: format!("hold {from}->{to}"), rule }
    }

    fn release(id: u32, from: &str, to: &str, order: ReleaseOrder) -> LinkFault {
        let rule = LinkRule::Release { from: from.parse().unwrap(), to: to.parse().unwrap(), order };
        LinkFault { id: FaultId(id), text: format!("release {from}->{to}{order}"), rule }
    }

    #[test]
    fn a_release_frees_its_links_of_the_holds_before_it_and_no_others() {
        let all = [hold(1, "1-3", "4"), release(2, "1", "4", ReleaseOrder::Reversed), hold(3, "1", "5")];
        assert_eq!(holding(&all[..1], node(1), node(4)), Some(FaultId(1)));
        assert_eq!(holding(&all, node(1), node(4)), None);
        assert_eq!(holding(&all, node(2), node(4)), Some(FaultId(1)));
        assert_eq!(holding(&all, node(4), node(1)), None, "a hold goes one way");
        assert_eq!(freeing(&all, FaultId(1), node(1), node(4)), Some((FaultId(2), ReleaseOrder::Reversed)));
        let again = [all[0].clone(), all[1].clone(), hold(4, "1", "4")];
        assert_eq!(holding(&again, node(1), node(4)), Some(FaultId(4)), "a later hold holds again");
        assert_eq!(freeing(&again, FaultId(4), node(1), node(4)), None);
    }

    #[test]
    fn a_hold_is_over_when_none_of_its_links_is_left() {
        let all: NodeSet = "1-5".parse().unwrap();
        let held = hold(1, "1-3", "3,4");
        let (some, rest) =
            (release(2, "1,2", "1-5", ReleaseOrder::InOrder), release(3, "3", "4", ReleaseOrder::Reversed));
        assert!(!held.is_released(std::slice::from_ref(&some), all));
        assert!(held.is_released(&[some.clone(), rest.clone()], all));
        let later = LinkFault { id: FaultId(9), ..held };
        assert!(!later.is_released(&[some, rest], all), "a release before it frees nothing of it");
    }
}
