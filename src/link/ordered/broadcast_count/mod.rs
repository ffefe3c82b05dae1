//! The ordered broadcast seen from outside: what each node delivers of what was broadcast, compared with what King,
//! Gendreau and Ni 1988 take for granted of it (their conditions b, one order everywhere, and c, all or nothing), and
//! how much of it one relay hop can miss when copies are lost.
//!
//! Invariant: it knows nothing of how the layer works, only who broadcast what and who delivered it.

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};

use protocol::{NodeId, NodeMap, NodeSet};

/// What was broadcast, and what each node delivered of it, in its own order. `B` tells broadcasts apart.
#[derive(Clone, Debug)]
pub struct BroadcastCount<B> {
    sent: BTreeSet<B>,
    delivered: NodeMap<Vec<B>>,
}

impl<B: Copy + Ord> BroadcastCount<B> {
    /// Nothing was broadcast yet among these nodes.
    pub fn new(nodes: NodeSet) -> BroadcastCount<B> {
        BroadcastCount { sent: BTreeSet::new(), delivered: nodes.iter().map(|node| (node, Vec::new())).collect() }
    }

    /// This is broadcast to all, its sender too.
    pub fn send(&mut self, broadcast: B) {
        self.sent.insert(broadcast);
    }

    /// That node delivers it. A broadcast that this census was not told of is left aside.
    pub fn deliver(&mut self, node: NodeId, broadcast: B) {
        if self.sent.contains(&broadcast) {
            self.delivered.get_or_default(node).push(broadcast);
        }
    }

    /// How many were broadcast.
    pub fn broadcasts(&self) -> usize {
        self.sent.len()
    }

    /// Whether this is one of them.
    pub fn knows(&self, broadcast: B) -> bool {
        self.sent.contains(&broadcast)
    }

    /// Which node does not deliver which broadcast.
    pub fn missed(&self) -> Vec<(NodeId, B)> {
        let missed = |(node, delivered): (&NodeId, &Vec<B>)| {
            let (node, has): (NodeId, BTreeSet<&B>) = (*node, delivered.iter().collect());
            self.sent.iter().filter(move |one| !has.contains(one)).map(move |one| (node, *one)).collect::<Vec<_>>()
        };
        self.delivered.iter().flat_map(missed).collect()
    }

    /// Which node delivers which broadcast again.
    pub fn twice(&self) -> Vec<(NodeId, B)> {
        let again = |(node, delivered): (&NodeId, &Vec<B>)| {
            let mut has = BTreeSet::new();
            delivered.iter().filter(|one| !has.insert(**one)).map(|one| (*node, *one)).collect::<Vec<_>>()
        };
        self.delivered.iter().flat_map(again).collect()
    }

    /// Which broadcast the first of two nodes delivers after one that the other delivers later. Empty: any two nodes
    /// deliver what both deliver in one order.
    pub fn disordered(&self) -> Vec<(NodeId, NodeId, B)> {
        let mut found = Vec::new();
        for (other, delivered) in &self.delivered {
            // Where the other has each; of what it delivers twice, the first.
            let mut places = BTreeMap::new();
            delivered.iter().enumerate().for_each(|(place, one)| {
                places.entry(*one).or_insert(place);
            });
            for (node, delivered) in self.delivered.iter().take_while(|(node, _)| *node < other) {
                let mut latest = 0;
                for (one, place) in delivered.iter().filter_map(|one| Some((*one, *places.get(one)?))) {
                    if place < latest {
                        found.push((*node, *other, one));
                    }
                    latest = latest.max(place);
                }
            }
        }
        found
    }
}

/// How many receivers miss a broadcast when each copy of it, the direct ones and the relayed ones, is lost by itself
/// with one chance, and nothing comes too late. A node that takes the direct copy relays it; a node that misses it
/// hears the relays. So the misses of one broadcast depend on each other: the fewer nodes have relayed it, the more
/// miss it.
#[derive(Clone, Debug)]
pub struct MissChance {
    loss: f64,
    receivers: i32,
    /// The chance that this many of the receivers miss one broadcast, by their number.
    missing: Vec<f64>,
}

impl MissChance {
    /// Among this many nodes, at least two, with this chance of each copy's loss.
    pub fn new(nodes: u16, loss: f64) -> MissChance {
        let receivers = i32::from(nodes) - 1;
        let mut missing = vec![0.0; usize::from(nodes)];
        // How many ways there are to choose the nodes that take the direct copy.
        let mut ways = 1.0;
        for direct in 0..=receivers {
            let others = receivers - direct;
            let so_many = ways * (1.0 - loss).powi(direct) * loss.powi(others);
            let all_relays_lost = loss.powi(direct);
            let mut of_others = 1.0;
            for miss in 0..=others {
                let chance = of_others * all_relays_lost.powi(miss) * (1.0 - all_relays_lost).powi(others - miss);
                missing[miss as usize] += so_many * chance;
                of_others *= f64::from(others - miss) / f64::from(miss + 1);
            }
            ways *= f64::from(others) / f64::from(direct + 1);
        }
        MissChance { loss, receivers, missing }
    }

    /// The chance that a receiver misses a broadcast: p (1 - (1-p)²)^(n-2). Its direct copy is lost, and of each other
    /// receiver's two copies, the direct one to it and the relay from it, at least one is lost.
    pub fn miss(&self) -> f64 {
        self.loss * (1.0 - (1.0 - self.loss).powi(2)).powi(self.receivers - 1)
    }

    /// How many receptions of this many broadcasts are missed on average.
    pub fn expected(&self, broadcasts: usize) -> f64 {
        broadcasts as f64 * f64::from(self.receivers) * self.miss()
    }

    /// The two numbers, both included, between which the missed receptions of this many broadcasts lie with this
    /// confidence: fewer misses have at most half of the remaining chance, and so have more. Exact, as far as floating
    /// point goes: one broadcast after the other is added to the distribution.
    pub fn between(&self, broadcasts: usize, confidence: f64) -> (usize, usize) {
        let expected = self.expected(broadcasts);
        // Far beyond what has any weight: no broadcast is missed by more than all.
        let most = (expected + (20.0 + f64::from(self.receivers)) * (expected.sqrt() + 2.0)) as usize;
        let mut chances = vec![0.0; most + 1];
        chances[0] = 1.0;
        for _ in 0..broadcasts {
            for total in (0..=most).rev() {
                let before = self.missing.iter().take(total + 1).enumerate();
                chances[total] = before.map(|(miss, chance)| chance * chances[total - miss]).sum();
            }
        }
        let reaches = |share: f64| {
            let mut sum = 0.0;
            chances.iter().position(|chance| {
                sum += chance;
                sum >= share
            })
        };
        let left = (1.0 - confidence) / 2.0;
        (reaches(left).unwrap_or(most), reaches(1.0 - left).unwrap_or(most))
    }
}
