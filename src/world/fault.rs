//! A fault line as the world keeps it: its state, and what it did on each link.
//!
//! Invariant: its effects are counted only from the records of its bites; a fault in force without bites has done
//! nothing.

use serde::{Deserialize, Serialize};

use fault::{FaultId, FaultLine, LinkRule, Links};
use protocol::{NodeId, NodeSet};

/// One fault line and what happened to it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FaultView {
    pub id: FaultId,
    pub line: FaultLine,
    /// The nodes it is about.
    pub nodes: NodeSet,
    /// What it does to links, if it is a link fault.
    pub rule: Option<LinkRule>,
    /// The lab's step that ordered it; absent if a person did.
    pub step: Option<String>,
    pub state: FaultState,
    /// When it was ordered.
    pub ordered: i64,
    /// When it came into force.
    pub in_force: Option<i64>,
    /// When it ended.
    pub lifted: Option<i64>,
    /// What it did, per link.
    pub receipts: Vec<Receipt>,
    /// The nodes that found their safe cells lost or old because of it.
    #[serde(default, skip_serializing_if = "NodeSet::is_empty")]
    pub robbed: NodeSet,
    /// What it did to processes, for each the first and the last time.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub deeds: Vec<ProcessDeed>,
    /// How many timers ran out on a clock that it runs at another rate.
    #[serde(default, skip_serializing_if = "is_none")]
    pub mistimed: u64,
    /// How often this lie was told, and how often it was tried in vain.
    #[serde(default)]
    pub told: [u64; 2],
}

fn is_none(count: &u64) -> bool {
    *count == 0
}

impl FaultView {
    /// Whether it is about this node among all nodes, and not merely carried out there too: `isolate 1` is about 1,
    /// although every node drops what comes from it. Who stands for everybody is not named: `loss 1->*` is about 1.
    pub fn is_about(&self, node: NodeId, all: &NodeSet) -> bool {
        let Some(rule) = &self.rule else { return self.nodes.contains(node) };
        let named = |ones: &NodeSet, others: &NodeSet| match (ones == all, others == all) {
            (true, false) => others.contains(node),
            (false, true) => ones.contains(node),
            _ => ones.contains(node) || others.contains(node),
        };
        match &rule.links {
            Links::To { from, to } => named(from, to),
            Links::Between { these, those } => named(these, those),
            Links::Around(nodes) => nodes.contains(node),
            Links::Across(_) => self.nodes.contains(node),
        }
    }
}

/// What a fault did to a process: it killed it, or stopped it.
#[derive(Copy, Clone, Eq, PartialEq, Debug, Serialize, Deserialize)]
pub struct ProcessDeed {
    pub node: NodeId,
    /// When it did so first.
    pub at: i64,
    /// When the node had a new process, or its process went on or died, after the last time.
    pub until: Option<i64>,
    /// How often it did so.
    pub times: u64,
}

/// The state of a fault.
#[derive(Clone, Eq, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FaultState {
    /// Ordered; some process concerned has not acknowledged it.
    Ordered,
    /// Every running process concerned has acknowledged it.
    InForce,
    /// Did not come into force, and why.
    NotInForce(String),
    /// Is over.
    Lifted,
}

/// What a fault did on one link.
#[derive(Copy, Clone, Eq, PartialEq, Debug, Serialize, Deserialize)]
pub struct Receipt {
    /// The sender.
    pub from: NodeId,
    /// The receiver.
    pub to: NodeId,
    /// Datagrams it dropped.
    pub dropped: u64,
    /// Datagrams it held back.
    pub held: u64,
    /// Held datagrams that it released.
    pub released: u64,
    /// Datagrams it spoiled before their tag was checked: lost.
    pub spoiled: u64,
    /// Messages it doubled.
    pub duplicated: u64,
    /// Messages that it let another overtake.
    pub reordered: u64,
    /// Messages it garbled, those that were malformed then too.
    pub garbled: u64,
}

impl Receipt {
    fn of_link(from: NodeId, to: NodeId) -> Receipt {
        Receipt { from, to, dropped: 0, held: 0, released: 0, spoiled: 0, duplicated: 0, reordered: 0, garbled: 0 }
    }

    /// What it did besides dropping, holding and releasing, each with its count, without zero counts.
    pub fn tampered(&self) -> Vec<(&'static str, u64)> {
        let all = [
            ("spoiled", self.spoiled),
            ("duplicated", self.duplicated),
            ("reordered", self.reordered),
            ("garbled", self.garbled),
        ];
        all.into_iter().filter(|(_, count)| *count > 0).collect()
    }
}

impl FaultView {
    /// Whether it has not ended. A fault that did not come into force counts too: some nodes may hold a part of it.
    pub fn is_active(&self) -> bool {
        self.state != FaultState::Lifted
    }

    /// What it did on all links together: dropped and held.
    pub fn totals(&self) -> (u64, u64) {
        self.receipts.iter().fold((0, 0), |(dropped, held), link| (dropped + link.dropped, held + link.held))
    }

    /// How many datagrams it released on all links together.
    pub fn released(&self) -> u64 {
        self.receipts.iter().map(|link| link.released).sum()
    }

    /// How many datagrams it tampered with on all links together.
    pub fn tampered(&self) -> u64 {
        self.receipts.iter().flat_map(Receipt::tampered).map(|(_, count)| count).sum()
    }

    pub(super) fn hit(&mut self, node: NodeId, at: i64) {
        match self.deeds.iter_mut().find(|deed| deed.node == node) {
            Some(deed) => (deed.until, deed.times) = (None, deed.times + 1),
            None => self.deeds.push(ProcessDeed { node, at, until: None, times: 1 }),
        }
    }

    pub(super) fn end_deed(&mut self, node: NodeId, at: i64) {
        if let Some(deed) = self.deeds.iter_mut().find(|deed| deed.node == node && deed.until.is_none()) {
            deed.until = Some(at);
        }
    }

    /// The receipt of a link, which begins at nothing.
    pub fn receipt(&mut self, from: NodeId, to: NodeId) -> &mut Receipt {
        let place = self.receipts.binary_search_by_key(&(from, to), |link| (link.from, link.to));
        let index = place.unwrap_or_else(|index| {
            self.receipts.insert(index, Receipt::of_link(from, to));
            index
        });
        &mut self.receipts[index]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fault_is_about_those_that_its_line_names() {
        for (line, about) in [
            ("isolate 1", "1"),
            ("isolate 1,2", "1,2"),
            ("loss 1->* 30%", "1"),
            ("loss *->2 30%", "2"),
            ("cut 1->3", "1,3"),
            ("cut 2<->*", "2"),
            ("loss *->* 5%", "1-5"),
            ("partition 1,2|3-5", "1-5"),
            ("crash 5", "5"),
        ] {
            let all: NodeSet = "1-5".parse().unwrap();
            let nodes = if line == "crash 5" { NodeSet::of(NodeId::new(5).unwrap()) } else { all };
            let view = FaultView {
                id: FaultId(1),
                line: line.parse().unwrap(),
                nodes,
                rule: line.replace('*', "1-5").parse().ok(),
                step: None,
                state: FaultState::InForce,
                ordered: 0,
                in_force: None,
                lifted: None,
                receipts: Vec::new(),
                robbed: NodeSet::EMPTY,
                deeds: Vec::new(),
                mistimed: 0,
                told: [0; 2],
            };
            let named: NodeSet = all.iter().filter(|node| view.is_about(*node, &all)).collect();
            assert_eq!(named.to_string(), about, "{line}");
        }
    }
}
