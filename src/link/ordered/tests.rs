//! Tests of the ordered broadcast: all or nothing, one order everywhere, what comes too late.
//!
//! Invariant: times are numbers, nothing waits; what is random comes from a seed that a failure names.

use std::collections::{BTreeMap, BTreeSet};

use super::*;

const DELTA: u64 = 15_000_000;
const NODES: u16 = 5;

fn node(number: u16) -> NodeId {
    NodeId::new(number).unwrap()
}

fn layer() -> OrderedBroadcast<u64> {
    OrderedBroadcast::new(Span::from_nanos(DELTA))
}

fn original(from: u16, sequence: u64, stamp: u64) -> BroadcastId {
    BroadcastId { stamp, from: node(from), incarnation: Incarnation(1), sequence }
}

/// Numbers that look random (Marsaglia's xorshift).
pub(super) struct Draws(u64);

impl Draws {
    pub(super) fn new(seed: u64) -> Draws {
        Draws(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub(super) fn up_to(&mut self, most: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % (most + 1)
    }
}

/// A network in virtual time: copies on their way, and what each node has delivered and reported as late.
struct Network {
    layers: NodeMap<OrderedBroadcast<u64>>,
    /// By the time of arrival; the number tells equal ones apart.
    copies: BTreeMap<(u64, u64), (NodeId, BroadcastId, CopySource)>,
    sent: u64,
    /// How long a relay takes at most.
    relay: u64,
    draws: Draws,
    delivered: NodeMap<Vec<(u64, BroadcastId)>>,
    late: NodeMap<Vec<BroadcastId>>,
    relays: u64,
}

impl Network {
    fn new(seed: u64, layer: impl Fn() -> OrderedBroadcast<u64>) -> Network {
        Network {
            layers: (1..=NODES).map(|number| (node(number), layer())).collect(),
            copies: BTreeMap::new(),
            sent: 0,
            relay: DELTA / 2,
            draws: Draws::new(seed),
            delivered: NodeMap::new(),
            late: NodeMap::new(),
            relays: 0,
        }
    }

    fn send(&mut self, at: u64, to: NodeId, original: BroadcastId, hop: CopySource) {
        self.sent += 1;
        self.copies.insert((at, self.sent), (to, original, hop));
    }

    /// The node dies: nothing reaches it and it delivers nothing from now on.
    fn kill(&mut self, dead: u16) {
        self.layers.remove(&node(dead));
    }

    fn others(&self, than: NodeId) -> Vec<NodeId> {
        self.layers.keys().copied().filter(|node| *node != than).collect()
    }

    /// Lets everything happen, in the order of time.
    fn run(&mut self) {
        loop {
            let arrival = self.copies.keys().next().map(|(at, _)| *at);
            let wake =
                |layer: &OrderedBroadcast<u64>| [layer.next_delivery(), layer.next_late()].into_iter().flatten().min();
            let due = self.layers.values().filter_map(wake).min();
            // A copy that comes at the very moment of a delivery comes first.
            match (arrival, due) {
                (None, None) => return,
                (Some(arrival), due) if due.is_none_or(|due| arrival <= due) => self.arrive(),
                (_, due) => self.deliver(due.unwrap()),
            }
        }
    }

    fn arrive(&mut self) {
        let ((now, _), (at, original, hop)) = self.copies.pop_first().unwrap();
        let Some(layer) = self.layers.get_mut(&at) else { return };
        match layer.take(now, original, hop, original.sequence) {
            CopyTaken::Nothing => {}
            CopyTaken::Late(..) => self.late.get_or_default(at).push(original),
            CopyTaken::Relay(_) => {
                self.relays += 1;
                for other in self.others(at) {
                    let takes = self.draws.up_to(self.relay);
                    self.send(now + takes, other, original, CopySource::Relayed);
                }
            }
        }
    }

    fn deliver(&mut self, now: u64) {
        for (node, layer) in &mut self.layers {
            while let Some((original, payload)) = layer.pop(now) {
                assert_eq!(payload, original.sequence);
                self.delivered.get_or_default(*node).push((now, original));
            }
            while let Some((original, late, _)) = layer.pop_late(now) {
                assert!(late > Span::ZERO);
                self.late.get_or_default(*node).push(original);
            }
        }
    }

    /// The nodes that have delivered it.
    fn delivered_by(&self, original: BroadcastId) -> Vec<NodeId> {
        let has = |list: &Vec<(u64, BroadcastId)>| list.iter().any(|(_, delivered)| *delivered == original);
        self.delivered.iter().filter(|(_, list)| has(list)).map(|(node, _)| *node).collect()
    }
}

/// Node 5 broadcasts and is killed before all direct copies have left. Those that have left take up to 6/5 of Delta:
/// some are too late. The number of nodes that deliver it, of four that run.
fn killed_between_its_copies(seed: u64, layer: impl Fn() -> OrderedBroadcast<u64>) -> (usize, Network) {
    let mut network = Network::new(seed, layer);
    network.kill(5);
    let word = original(5, 1, 1_000);
    let reached = network.draws.up_to(15);
    for (bit, to) in network.others(node(5)).into_iter().enumerate() {
        if reached >> bit & 1 == 1 {
            let takes = network.draws.up_to(DELTA * 6 / 5);
            network.send(word.stamp + takes, to, word, CopySource::Direct);
        }
    }
    network.run();
    (network.delivered_by(word).len(), network)
}

#[test]
fn a_broadcast_whose_sender_dies_between_its_copies_is_delivered_to_all_that_run_or_to_none() {
    let mut outcomes = BTreeMap::new();
    for seed in 1..=200 {
        let (delivered, network) = killed_between_its_copies(seed, layer);
        assert!(delivered == 0 || delivered == 4, "seed {seed}: delivered at {delivered} of 4");
        let told: usize = network.late.values().map(Vec::len).sum();
        assert!(delivered == 0 || told == 0, "seed {seed}: delivered to all and told as late by {told}");
        *outcomes.entry(delivered).or_insert(0) += 1;
    }
    assert!(outcomes[&0] > 20 && outcomes[&4] > 20, "one outcome was hardly tried: {outcomes:?}");
}

#[test]
fn without_the_hop_rule_some_deliver_what_others_do_not() {
    let ruleless = || OrderedBroadcast { direct: Span::from_nanos(DELTA), ..layer() };
    let split = (1..=200).filter(|seed| !matches!(killed_between_its_copies(*seed, ruleless).0, 0 | 4)).count();
    assert!(split > 10, "the rule was never needed: {split} of 200");
}

#[test]
fn all_deliver_all_in_one_order_at_stamp_and_delta_the_sender_too() {
    for seed in 1..=50 {
        let mut network = Network::new(seed, layer);
        let mut all = BTreeSet::new();
        for sequence in 1..=40 {
            for from in 1..=NODES {
                // Of few different stamps, so that equal ones are common.
                let word = original(from, sequence, sequence * 100_000 + network.draws.up_to(4) * 100_000);
                all.insert(word);
                network.layers.get_mut(&node(from)).unwrap().sent(word, sequence);
                for to in network.others(node(from)) {
                    let takes = network.draws.up_to(DELTA / 2);
                    network.send(word.stamp + takes, to, word, CopySource::Direct);
                }
            }
        }
        network.run();
        let expected: Vec<(u64, BroadcastId)> = all.iter().map(|word| (word.stamp + DELTA, *word)).collect();
        for number in 1..=NODES {
            assert_eq!(network.delivered[&node(number)], expected, "seed {seed}, node {number}");
        }
        assert!(network.late.is_empty(), "seed {seed}");
        // Every receiver relays every broadcast once; nobody relays a relay.
        assert_eq!(network.relays, 200 * u64::from(NODES - 1));
    }
}

#[test]
fn a_direct_copy_is_taken_until_half_of_delta_and_a_relayed_one_until_delta() {
    let word = original(1, 1, 1_000);
    let take = |now, hop| layer().take(now, word, hop, 1);
    assert_eq!(take(1_000 + DELTA / 2, CopySource::Direct), CopyTaken::Relay(1));
    assert_eq!(take(1_001 + DELTA / 2, CopySource::Direct), CopyTaken::Nothing, "a relay may make it good");
    assert_eq!(take(1_000 + DELTA, CopySource::Relayed), CopyTaken::Nothing);
    assert_eq!(take(1_001 + DELTA, CopySource::Relayed), CopyTaken::Late(Span::from_nanos(1), 1));
    let mut layer = layer();
    layer.take(1_000 + DELTA, word, CopySource::Relayed, 1);
    assert_eq!(layer.pop(1_000 + DELTA - 1), None);
    assert_eq!(layer.pop(1_000 + DELTA), Some((word, 1)));
}

#[test]
fn what_came_too_late_is_told_once_and_only_if_no_relay_made_it_good() {
    let (late, good) = (original(1, 1, 0), original(2, 1, 0));
    let mut layer = layer();
    for word in [late, good] {
        assert_eq!(layer.take(DELTA / 2 + 5, word, CopySource::Direct, 7), CopyTaken::Nothing);
    }
    assert_eq!(layer.take(DELTA, good, CopySource::Relayed, 7), CopyTaken::Nothing);
    assert_eq!(layer.pop_late(DELTA), None);
    assert_eq!(layer.next_late(), Some(DELTA + 1));
    assert_eq!(layer.pop(DELTA), Some((good, 7)));
    assert_eq!(layer.pop_late(DELTA + 1), Some((late, Span::from_nanos(5), 7)));
    assert_eq!((layer.pop_late(u64::MAX), layer.next_late(), layer.next_delivery()), (None, None, None));
    for word in [late, good] {
        for hop in [CopySource::Direct, CopySource::Relayed] {
            assert_eq!(layer.take(DELTA + 9, word, hop, 7), CopyTaken::Nothing, "{word:?} is no news any more");
        }
    }
}

#[test]
fn a_direct_copy_is_relayed_once_also_if_a_relay_was_faster_and_a_relay_never() {
    let word = original(1, 1, 0);
    let mut layer = layer();
    assert_eq!(layer.take(1, word, CopySource::Relayed, 7), CopyTaken::Nothing);
    assert_eq!(layer.take(2, word, CopySource::Direct, 7), CopyTaken::Relay(7));
    assert_eq!(layer.take(3, word, CopySource::Direct, 7), CopyTaken::Nothing);
    assert_eq!(layer.take(3, word, CopySource::Relayed, 7), CopyTaken::Nothing);
    assert_eq!((layer.pop(DELTA), layer.pop(DELTA)), (Some((word, 7)), None));
    for relayed_at in [1, DELTA + 1] {
        let mut own = self::layer();
        own.sent(word, 7);
        assert_eq!(own.pop(DELTA - 1), None);
        let delivered = if relayed_at > DELTA { own.pop(DELTA) } else { None };
        assert_eq!(own.take(relayed_at, word, CopySource::Relayed, 7), CopyTaken::Nothing, "one's own is no news");
        assert_eq!((delivered.or(own.pop(DELTA)), own.pop(DELTA)), (Some((word, 7)), None));
    }
}

#[test]
fn nothing_goes_before_what_was_delivered_also_at_its_very_moment() {
    let mut layer = layer();
    layer.take(1, original(3, 1, 0), CopySource::Relayed, 7);
    assert!(layer.pop(DELTA).is_some());
    assert_eq!(layer.take(DELTA, original(2, 1, 0), CopySource::Relayed, 7), CopyTaken::Late(Span::ZERO, 7));
    assert_eq!(layer.take(DELTA, original(4, 1, 0), CopySource::Relayed, 7), CopyTaken::Nothing);
    assert_eq!(layer.pop(DELTA), Some((original(4, 1, 0), 7)));
}

#[test]
fn a_younger_incarnation_counts_anew_and_what_is_too_old_to_be_remembered_is_no_news() {
    let mut layer = layer();
    let most = REMEMBERED_MAX as u64;
    for sequence in 1..=most + 10 {
        assert_eq!(layer.take(sequence, original(1, sequence, sequence), CopySource::Direct, 7), CopyTaken::Relay(7));
        layer.pop(u64::MAX);
    }
    assert_eq!(layer.known[&node(1)].len(), REMEMBERED_MAX);
    for sequence in [1, 10, 11, most] {
        assert_eq!(layer.take(u64::MAX, original(1, sequence, sequence), CopySource::Relayed, 7), CopyTaken::Nothing);
    }
    let recovered = BroadcastId { incarnation: Incarnation(2), ..original(1, 1, 2 * most) };
    assert_eq!(layer.take(2 * most, recovered, CopySource::Direct, 7), CopyTaken::Relay(7));
}
