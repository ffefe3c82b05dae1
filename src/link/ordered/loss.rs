//! The ordered broadcast under loss: ten thousand broadcasts of eight nodes, a fifth of all copies lost, and what is
//! missed, compared with what one relay hop can miss.
//!
//! Invariant: times are numbers, nothing waits; what is random comes from a fixed seed, so nothing here flickers.

use std::collections::{BTreeMap, BTreeSet};

use super::tests::Draws;
use super::*;
use crate::{Arrival, Departure, Link, LinkTerms};
use fault::{FaultId, LinkFault};
use protocol::{Delivery, NodeMap, NodeSet};

const DELTA: u64 = 15_000_000;
const NODES: u16 = 8;
const BROADCASTS: usize = 10_000;

/// Eight links in virtual time, and what became of each broadcast at each node.
struct Eight {
    links: NodeMap<Link<()>>,
    /// Copies on their way, by the time of arrival; the number tells equal ones apart.
    copies: BTreeMap<(u64, u64), (Passage, BroadcastId)>,
    sent: u64,
    draws: Draws,
    census: BroadcastCount<BroadcastId>,
    /// At which nodes a fault has bitten a copy of it: what the meter counts as assumption 8 broken.
    bitten: BTreeSet<(NodeId, BroadcastId)>,
    late: u64,
}

fn all() -> NodeSet {
    "1-8".parse().unwrap()
}

impl Eight {
    fn new(percent: &str) -> Eight {
        let rule = format!("loss {all}->{all} {percent}", all = all()).parse().unwrap();
        let fault = LinkFault { id: FaultId(1), text: format!("loss *->* {percent}"), rule };
        let link = |me| {
            let (one_way, delta) = (Span::ZERO, Span::from_nanos(DELTA));
            let terms = LinkTerms { me, seed: 7, delivery: Delivery::OrderedBroadcast, one_way, delta };
            (me, Link::new(terms, vec![fault.clone()]))
        };
        Eight {
            links: all().iter().map(link).collect(),
            copies: BTreeMap::new(),
            sent: 0,
            draws: Draws::new(7),
            census: BroadcastCount::new(all()),
            bitten: BTreeSet::new(),
            late: 0,
        }
    }

    /// A copy to every other node; each takes up to half of Delta, as much as the hop rule allows it.
    fn send(&mut self, now: u64, by: NodeId, original: BroadcastId) {
        let sequence = if by == original.from { original.sequence } else { original.relay_number() };
        for to in all().iter().filter(|to| *to != by) {
            let passage = Passage { from: by, sequence, ..original.passage(to) };
            let takes = 1 + self.draws.up_to(DELTA / 2 - 1);
            self.sent += 1;
            self.copies.insert((now + takes, self.sent), (passage, original));
        }
    }

    fn arrive_by(&mut self, until: u64) {
        while let Some(((now, _), (passage, original))) = self.copies.pop_first() {
            if now > until {
                self.sent += 1;
                self.copies.insert((now, self.sent), (passage, original));
                return;
            }
            self.deliver(passage.to, now - 1);
            let link = self.links.get_mut(&passage.to).unwrap();
            match link.arrive(now, now, passage, Some(original), ()) {
                Arrival::Passes => {}
                Arrival::Dropped { .. } => {
                    self.bitten.insert((passage.to, original));
                }
                other => panic!("{other:?}"),
            }
            self.leave(passage.to, now);
        }
    }

    /// What is due at this node by then.
    fn deliver(&mut self, at: NodeId, by: u64) {
        while self.links.get_mut(&at).unwrap().release_ordered(by, by) {
            self.leave(at, by);
        }
    }

    fn leave(&mut self, at: NodeId, now: u64) {
        while let Some(departure) = self.links.get_mut(&at).unwrap().depart(now) {
            match departure {
                Departure::Relay(original, ()) => self.send(now, at, original),
                Departure::Deliver(passage, ()) => {
                    let Passage { from, incarnation, sequence, .. } = passage;
                    let stamp = sequence_stamp(from, sequence);
                    self.census.deliver(at, BroadcastId { stamp, from, incarnation, sequence });
                }
                Departure::Late(..) => self.late += 1,
                other => panic!("{other:?}"),
            }
        }
    }
}

/// When a node sends its broadcast of this number: each millisecond one node sends one, in turn.
fn sequence_stamp(from: NodeId, sequence: u64) -> u64 {
    ((sequence - 1) * u64::from(NODES) + u64::from(from.get())) * 1_000_000
}

/// What became of ten thousand broadcasts.
fn broadcasts(percent: &str) -> Eight {
    let mut eight = Eight::new(percent);
    for sequence in 1..=BROADCASTS as u64 / u64::from(NODES) {
        for from in all().iter() {
            let stamp = sequence_stamp(from, sequence);
            let word = BroadcastId { stamp, from, incarnation: Incarnation(1), sequence };
            eight.arrive_by(stamp);
            eight.census.send(word);
            eight.links.get_mut(&from).unwrap().broadcast(word, ());
            eight.send(stamp, from, word);
        }
    }
    eight.arrive_by(u64::MAX);
    all().iter().for_each(|node| eight.deliver(node, u64::MAX));
    eight
}

#[test]
fn under_loss_all_deliver_in_one_order_and_as_few_miss_as_one_relay_hop_leaves_to_miss() {
    let Eight { census, bitten, late, .. } = broadcasts("20%");
    assert_eq!(census.broadcasts(), BROADCASTS);
    assert_eq!(census.twice(), []);
    assert_eq!(census.disordered(), []);
    let missed = census.missed();
    let robbed = |missed: &(NodeId, BroadcastId)| bitten.contains(missed);
    assert!(missed.iter().all(robbed), "one is missed that no fault took");
    let odds = MissChance::new(NODES, 0.2);
    let (fewest, most) = odds.between(BROADCASTS, 0.99);
    let (missed, expected) = (missed.len(), odds.expected(BROADCASTS));
    assert!((fewest..=most).contains(&missed), "{missed} were missed; {expected:.1}, {fewest} to {most}, were to be");
    assert_eq!(late, 0);
}

#[test]
fn without_loss_all_deliver_all() {
    let Eight { census, bitten, .. } = broadcasts("0%");
    assert_eq!((bitten.len(), census.missed(), census.twice(), census.disordered()), (0, vec![], vec![], vec![]));
}
