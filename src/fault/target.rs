//! The nodes that a fault line means: nodes by their ids, all of them, or the node that coordinates.
//!
//! Invariant: a target that means nobody at this moment is an error that says why.

use std::fmt;

use protocol::{NodeId, NodeSet};

/// The nodes that a fault line means.
#[derive(Clone, Eq, PartialEq, Hash, Debug)]
pub enum Target {
    /// An id, a list or a range.
    Nodes(NodeSet),
    /// `*`: every node.
    All,
    /// `coordinator`: the node that most running processes name as coordinator.
    Coordinator,
    /// `coordinator of 3`: the node that 3 names as coordinator.
    CoordinatorOf(NodeId),
}

/// Why a target means nobody at this moment.
#[derive(Clone, Eq, PartialEq, Debug, thiserror::Error)]
pub enum TargetError {
    /// The lab has no such nodes.
    #[error("there is no node {unknown} in this lab; it has {all}")]
    Unknown {
        /// The nodes that it does not have.
        unknown: NodeSet,
        /// The nodes that it has.
        all: NodeSet,
    },
    /// No process names a coordinator.
    #[error("no running process names a coordinator at this moment; name the node by its id")]
    NoCoordinator,
    /// That node names no coordinator.
    #[error("{0} names no coordinator at this moment; name the node by its id")]
    NoCoordinatorOf(NodeId),
}

impl Target {
    /// The nodes that are meant, in a lab of `all`. `coordinator` says which coordinator the given node names, or most
    /// nodes name.
    pub fn resolve(
        &self,
        all: NodeSet,
        coordinator: impl Fn(Option<NodeId>) -> Option<NodeId>,
    ) -> Result<NodeSet, TargetError> {
        let known = |nodes: NodeSet| match nodes.minus(&all) {
            unknown if unknown.is_empty() => Ok(nodes),
            unknown => Err(TargetError::Unknown { unknown, all }),
        };
        match self {
            Target::Nodes(nodes) => known(*nodes),
            Target::All => Ok(all),
            Target::Coordinator => coordinator(None).map(NodeSet::of).ok_or(TargetError::NoCoordinator),
            Target::CoordinatorOf(node) => {
                known(NodeSet::of(*node))?;
                coordinator(Some(*node)).map(NodeSet::of).ok_or(TargetError::NoCoordinatorOf(*node))
            }
        }
    }
}

impl Target {
    /// The nodes that it names by their ids.
    pub fn named(&self) -> NodeSet {
        match self {
            Target::Nodes(nodes) => *nodes,
            Target::CoordinatorOf(node) => NodeSet::of(*node),
            Target::All | Target::Coordinator => NodeSet::EMPTY,
        }
    }

    /// The nodes that it means in a lab of these, if that is known beforehand.
    pub fn known(&self, all: NodeSet) -> Option<NodeSet> {
        match self {
            Target::Nodes(nodes) => Some(*nodes),
            Target::All => Some(all),
            Target::Coordinator | Target::CoordinatorOf(_) => None,
        }
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Target::Nodes(nodes) => write!(f, "{nodes}"),
            Target::All => f.write_str("*"),
            Target::Coordinator => f.write_str("coordinator"),
            Target::CoordinatorOf(node) => write!(f, "coordinator of {node}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_resolve_against_the_lab_and_what_it_believes() {
        let all: NodeSet = "1-5".parse().unwrap();
        let five = NodeId::new(5);
        let believes = |of: Option<NodeId>| if of.is_none() { five } else { None };
        assert_eq!(Target::All.resolve(all, believes), Ok(all));
        assert_eq!(Target::Coordinator.resolve(all, believes), Ok("5".parse().unwrap()));
        let three = NodeId::new(3).unwrap();
        assert_eq!(Target::CoordinatorOf(three).resolve(all, believes), Err(TargetError::NoCoordinatorOf(three)));
        let unknown = Target::Nodes("4-6".parse().unwrap()).resolve(all, believes);
        assert_eq!(unknown, Err(TargetError::Unknown { unknown: "6".parse().unwrap(), all }));
    }
}
