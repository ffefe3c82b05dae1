//! The simulated network: how long each datagram takes, and when each machine starts.
//!
//! A link keeps its order, as loopback does: a later datagram does not arrive earlier. (Reordering is a fault, and
//! faults act at the receiver.) The algorithm's bound says how long one way may take; for the ordered broadcast it is
//! half of Delta, because its hop rule leaves this much to a direct copy. Within that the seed draws how slow this
//! network is at most, whether some of its links are slower than the others, and then how long each datagram takes.
//!
//! Invariant: without a fault nothing takes longer than the bound, so assumption 8 is never broken here; the draws are
//! a function of the seed and of the order of the requests.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

use protocol::{Card, Delivery, NodeId, Settings, Span, Timing, delta};

/// How the network and the starts are drawn.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
pub enum NetworkKind {
    /// As on a quiet computer: datagrams take up to a fiftieth of the bound, all machines start at one instant.
    Calm,
    /// A datagram takes any time up to the bound, each as likely as another; all machines start at one instant.
    Even,
    /// Anything that the assumptions allow: the seed draws how much of the bound datagrams may take, on all links or on
    /// each, and how far apart the machines start.
    Drawn,
}

/// The links between all nodes.
#[derive(Debug)]
pub(super) struct Network {
    dice: ChaCha8Rng,
    nodes: usize,
    pace: TransitTime,
    /// By link, if they differ; else none.
    paces: Vec<TransitTime>,
    starts_within: u64,
    /// When the latest datagram of each link and channel arrives.
    latest: Vec<u64>,
}

/// How long a datagram takes on a link, in nanoseconds.
#[derive(Copy, Clone, Debug)]
struct TransitTime {
    /// At least this long.
    least: u64,
    /// And at most this much longer.
    room: u64,
}

impl TransitTime {
    fn up_to(longest: u64) -> TransitTime {
        TransitTime { least: 0, room: longest }
    }

    /// Nearly all of the bound, and half of it at the least.
    fn slow(bound: u64, dice: &mut ChaCha8Rng) -> TransitTime {
        let longest = scaled(bound, LONGEST);
        let least = scaled(longest, 0.5 + 0.5 * share(dice));
        TransitTime { least, room: longest - least }
    }
}

/// The most of the bound that a datagram takes.
const LONGEST: f64 = 0.99;

/// The longest that a datagram may take by what T bounds.
pub fn transit_bound(card: &Card, timing: &Timing, settings: &Settings) -> Span {
    match card.delivery {
        Delivery::OrderedBroadcast => delta(timing.t, settings) / 2,
        Delivery::InOrder | Delivery::AsItComes => card.t_bounds.one_way(timing.t),
    }
}

impl Network {
    /// The network of a lab with this Card and these periods.
    pub fn new(
        card: &Card,
        timing: &Timing,
        settings: &Settings,
        nodes: u16,
        seed: u64,
        network_kind: NetworkKind,
    ) -> Network {
        let bound = transit_bound(card, timing, settings);
        let mut dice = ChaCha8Rng::seed_from_u64(seed);
        let bound = bound.nanos();
        let nodes = usize::from(nodes);
        let (pace, paces, starts_within) = match network_kind {
            NetworkKind::Calm => (TransitTime::up_to(bound / 50), Vec::new(), 0),
            NetworkKind::Even => (TransitTime::up_to(scaled(bound, LONGEST)), Vec::new(), 0),
            // The cube makes quick networks as frequent as slow ones.
            NetworkKind::Drawn => {
                let share = share(&mut dice);
                let pace = TransitTime::up_to(scaled(bound, 0.01 + (LONGEST - 0.01) * share * share * share));
                let paces = drawn_paces(pace, bound, nodes, &mut dice);
                (pace, paces, scaled(bound, share * 0.25))
            }
        };
        Network { dice, nodes, pace, paces, starts_within, latest: vec![0; nodes * nodes * 2] }
    }

    /// When a datagram arrives that leaves now, in nanoseconds of lab time.
    pub fn arrival(&mut self, now: u64, from: NodeId, to: NodeId, multicast: bool) -> u64 {
        let index = |node: NodeId| usize::from(node.get() - 1);
        let link = index(from) * self.nodes + index(to);
        let TransitTime { least, room } = self.paces.get(link).copied().unwrap_or(self.pace);
        let span = 1 + least + self.below(room);
        let latest = &mut self.latest[link * 2 + usize::from(multicast)];
        *latest = (*latest).max(now + span);
        *latest
    }

    /// The nodes in the order in which they start, and how long after the lab's beginning each does.
    pub fn starts(&mut self, nodes: impl Iterator<Item = NodeId>) -> Vec<(NodeId, Span)> {
        let mut order: Vec<NodeId> = nodes.collect();
        for last in (1..order.len()).rev() {
            order.swap(last, self.below(last as u64 + 1) as usize);
        }
        order.into_iter().map(|node| (node, Span::from_nanos(self.below(self.starts_within)))).collect()
    }

    /// How long a process takes from its spawning to its first step: one to four milliseconds.
    pub fn start_up(&mut self) -> Span {
        Span::from_nanos(1_000_000 + self.below(3_000_000))
    }

    /// A number below this one; zero if there is none.
    fn below(&mut self, end: u64) -> u64 {
        below(&mut self.dice, end)
    }
}

/// The pace of each link, if the seed makes them differ: one link is slow, or one direction of all links of a node, or
/// each has a pace of its own.
fn drawn_paces(pace: TransitTime, bound: u64, nodes: usize, dice: &mut ChaCha8Rng) -> Vec<TransitTime> {
    let kind = below(dice, 100);
    if nodes < 2 || kind < 60 {
        return Vec::new();
    }
    let mut paces = vec![pace; nodes * nodes];
    let mut node = || below(dice, nodes as u64) as usize;
    let (one, other) = (node(), node());
    let slow = TransitTime::slow(bound, dice);
    for (link, pace) in paces.iter_mut().enumerate() {
        let (from, to) = (link / nodes, link % nodes);
        match kind {
            60..80 if (from, to) == (one, if other == one { (one + 1) % nodes } else { other }) => *pace = slow,
            80..87 if from == one => *pace = slow,
            87..94 if to == one => *pace = slow,
            94.. => {
                let share = share(dice);
                *pace = TransitTime::up_to(scaled(bound, LONGEST * share * share));
            }
            _ => {}
        }
    }
    paces
}

fn below(dice: &mut ChaCha8Rng, end: u64) -> u64 {
    // The high half of a product: the bias is below one in 2^30 for anything that is drawn here.
    ((u128::from(dice.next_u64()) * u128::from(end)) >> 64) as u64
}

fn share(dice: &mut ChaCha8Rng) -> f64 {
    // 53 bits are what a float holds exactly.
    (dice.next_u64() >> 11) as f64 / (1u64 << 53) as f64
}

fn scaled(count: u64, by: f64) -> u64 {
    (count as f64 * by) as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use protocol::Roster;
    use registry::BUILT_IN;

    fn network(seed: u64, network_kind: NetworkKind) -> (Network, u64) {
        let card = &BUILT_IN.algorithms[0].card;
        let t = Span::from_millis(200);
        let timing = Timing { t, check: t, silence: t * 5 };
        let roster = Roster::new(5).unwrap();
        let settings = Settings::defaults(card.settings, roster.all());
        (Network::new(card, &timing, &settings, 5, seed, network_kind), card.t_bounds.one_way(t).nanos())
    }

    #[test]
    fn a_datagram_keeps_bound_and_order() {
        let (one, two) = (NodeId::new(1).unwrap(), NodeId::new(2).unwrap());
        for seed in 0..200 {
            let (mut network, bound) = network(seed, NetworkKind::Drawn);
            let mut latest = 0;
            for now in (0..10_000_000).step_by(100_000) {
                let arrival = network.arrival(now, one, two, false);
                assert!(arrival > now && arrival <= now + bound && arrival >= latest);
                latest = arrival;
            }
        }
    }

    #[test]
    fn even_weather_takes_half_of_the_bound() {
        let (mut network, bound) = network(1, NetworkKind::Even);
        assert!(network.starts(Roster::new(5).unwrap().all().iter()).iter().all(|(_, after)| *after == Span::ZERO));
        let (one, two) = (NodeId::new(1).unwrap(), NodeId::new(2).unwrap());
        let took = |turn: u64| network.arrival(turn * 2 * bound, one, two, false) - turn * 2 * bound;
        let took: Vec<u64> = (0..2_000).map(took).collect();
        assert!(took.iter().all(|took| *took <= bound));
        let mean = took.iter().sum::<u64>() as f64 / 2_000.0 / bound as f64;
        // Four standard deviations of the mean.
        assert!((mean - 0.495).abs() < 0.026, "{mean} of the bound");
    }

    #[test]
    fn some_seeds_have_one_slow_link() {
        let node = |number| NodeId::new(number).unwrap();
        let mut shapes = std::collections::BTreeMap::new();
        for seed in 0..400 {
            let (mut network, bound) = network(seed, NetworkKind::Drawn);
            let mut slow = Vec::new();
            for (from, to) in (1..=5).flat_map(|from| (1..=5).map(move |to| (from, to))).filter(|(from, to)| from != to)
            {
                // What comes last on a link has waited for nothing that was sent before it.
                let took: Vec<u64> = (0..20)
                    .map(|turn| network.arrival(turn * bound, node(from), node(to), false) - turn * bound)
                    .collect();
                assert!(took.iter().all(|took| *took <= bound), "seed {seed}: {took:?} of {bound}");
                if took.iter().all(|took| *took > bound / 3) {
                    slow.push((from, to));
                }
            }
            *shapes.entry(slow.len()).or_insert(0) += 1;
        }
        assert!(shapes[&0] > 200 && shapes[&1] > 40 && shapes[&4] > 30, "{shapes:?}");
    }

    #[test]
    fn the_seed_draws_delays_and_starts() {
        let nodes = || Roster::new(5).unwrap().all().iter();
        let drawn = |seed| {
            let (mut network, _) = network(seed, NetworkKind::Drawn);
            (network.starts(nodes()), network.arrival(0, NodeId::new(1).unwrap(), NodeId::new(2).unwrap(), true))
        };
        assert_eq!(drawn(7), drawn(7));
        assert_ne!(drawn(7), drawn(8));
        let firsts: std::collections::BTreeSet<NodeId> = (0..100).map(|seed| drawn(seed).0[0].0).collect();
        assert_eq!(firsts.len(), 5);
    }
}
