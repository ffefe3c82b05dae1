//! Random starts for the tests of both algorithms, and what the elections cost that follow.
//!
//! Invariant: what is drawn is a function of the seed, and no message takes longer than T.

use std::collections::{BTreeMap, BTreeSet};

use crate::detector::{Choice, SETTING};
use protocol::{Algorithm, Described, NodeId, NodeSet, SettingValue, Settings, Span, Timing};
use test_harness::network::Network;

const T: Span = Span::from_millis(100);

/// A stream of throws (xorshift).
pub(super) struct Throws(u64);

impl Throws {
    pub fn of_seed(seed: u64) -> Throws {
        Throws(0x9e37_79b9_7f4a_7c15 ^ (seed << 20))
    }

    /// A number less than this one.
    pub fn below(&mut self, number: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % number
    }

    /// A length of time from `shortest` to `longest`.
    pub fn span(&mut self, shortest: Span, longest: Span) -> Span {
        Span::from_nanos(shortest.nanos() + self.below(longest.saturating_sub(shortest).nanos() + 1))
    }

    /// One of these nodes.
    pub fn node(&mut self, of: u16) -> u16 {
        1 + self.below(u64::from(of)) as u16
    }
}

/// How long tau is.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
pub(super) enum Tau {
    /// At most 2T.
    Short,
    /// Longer than 2T.
    Long,
}

/// `of` nodes with this detector. The links are all equally quick, or each has its own delay, or only the links from 1
/// are slow, so that the others notice its crash one by one. All nodes have started within T, and 1 leads them.
pub(super) fn settled<A: Algorithm>(throws: &mut Throws, of: u16, detector: &str, tau: Tau) -> Network<A> {
    let change = |settings: Settings| settings.with(SETTING, SettingValue::Word(detector.to_owned()));
    let check = match tau {
        Tau::Short => throws.span(T / 50, T * 2),
        Tau::Long => throws.span(T * 2 + T / 100, T * 10),
    };
    let settings = change(Settings::defaults(A::CARD.settings, NodeSet::EMPTY));
    let least = Choice::of(&settings).period_min(&Timing { t: T, check, silence: T }, of);
    let silence = throws.span(least + T / 100, least * 3);
    let timing = Timing { t: T, check, silence };
    let mut network = Network::new(of, timing, change);
    let (style, quick) = (throws.below(3), throws.span(T / 1_000, T / 20));
    for (from, to) in (1..=of).flat_map(|from| (1..=of).map(move |to| (from, to))) {
        let is_slow = style == 1 || (style == 2 && from == 1);
        network.delay(from, to, if is_slow { throws.span(T / 1_000, T) } else { quick });
    }
    for node in 1..=of {
        network.run(throws.span(Span::ZERO, T / u64::from(of)));
        network.start(node);
    }
    network.run_till(patience(&network), "1 leads all", |network| network.normal_under(&format!("1-{of}"), 1));
    network.run(throws.span(T * 2, T * 2 + check + silence));
    network
}

/// Longer than the nodes may take to agree there.
fn patience<A: Algorithm>(network: &Network<A>) -> Span {
    let (timing, of) = (network.timing(), u64::from(network.of()));
    (timing.check + timing.silence + T * 10) * of * 4
}

/// The leader crashes, and 2 comes to lead the others; what that costs.
pub(super) fn succession<A: Algorithm>(network: &mut Network<A>) -> Cost {
    let from = network.log.len();
    network.crash(1);
    let followers = format!("2-{}", network.of());
    network.run_till(patience(network), "2 leads all", |network| network.normal_under(&followers, 2));
    // What is still under way.
    network.run(T * 2);
    Cost::of::<A>(&network.log[from..])
}

/// What elections cost: their Halts, Acks, Rejs and Ldrs.
#[derive(Debug)]
pub(super) struct Cost {
    /// Each election by its identifier, in the order in which they began.
    pub elections: Vec<(String, OfElection)>,
}

/// What one election cost.
#[derive(Clone, Default, Debug)]
pub(super) struct OfElection {
    pub halts: usize,
    /// How many of them were sent again.
    pub again: usize,
    pub answers: usize,
    pub ldrs: usize,
}

impl OfElection {
    /// All of it, but for the Halts that were sent again and their answers.
    pub fn once(&self) -> usize {
        (self.halts + self.answers + self.ldrs).saturating_sub(self.again * 2)
    }
}

impl Cost {
    pub fn of<A: Algorithm>(log: &[(NodeId, NodeId, A::Message)]) -> Cost {
        let mut cost = Cost { elections: Vec::new() };
        let (mut places, mut halted) = (BTreeMap::new(), BTreeSet::new());
        for (_, to, message) in log {
            let Some((_, election)) = message.fields().into_iter().find(|(name, _)| *name == "election") else {
                continue;
            };
            let place = *places.entry(election.clone()).or_insert(cost.elections.len());
            if place == cost.elections.len() {
                cost.elections.push((election.clone(), OfElection::default()));
            }
            let of_it = &mut cost.elections[place].1;
            match message.kind() {
                "Halt" => {
                    of_it.halts += 1;
                    of_it.again += usize::from(!halted.insert((election, *to)));
                }
                "Ack" | "Rej" => of_it.answers += 1,
                "Ldr" => of_it.ldrs += 1,
                _ => {}
            }
        }
        // What is left was only asked about.
        cost.elections.retain(|(_, of_it)| of_it.halts > 0);
        cost
    }

    /// All of it, but for the Halts that were sent again and their answers.
    pub fn once(&self) -> usize {
        self.elections.iter().map(|(_, of_it)| of_it.once()).sum()
    }
}

/// From random starts nodes are ordered to elect, die and come back at random moments. Every election costs at most
/// 3(n-1) messages, and two for each Halt that is sent again.
pub(super) fn each_election_costs_no_more_than_its_bound<A: Algorithm>(detectors: &[&str]) {
    let mut elections = 0;
    for (detector, tau) in detectors.iter().flat_map(|detector| [(detector, Tau::Short), (detector, Tau::Long)]) {
        for seed in 0..40 {
            let mut throws = Throws::of_seed(seed);
            let of = 2 + throws.below(6) as u16;
            let mut network = settled::<A>(&mut throws, of, detector, tau);
            let timing = network.timing();
            for _ in 0..6 {
                let node = throws.node(of);
                match (throws.below(3), network.is_up(node)) {
                    (_, false) => network.start(node),
                    (0, true) => network.crash(node),
                    (_, true) => network.elect(node),
                }
                network.run(throws.span(Span::ZERO, timing.silence + T * 4));
            }
            network.run(timing.silence + T * 20);
            let most = 3 * (usize::from(of) - 1);
            for (election, cost) in Cost::of::<A>(&network.log).elections {
                elections += 1;
                assert!(cost.once() <= most, "{detector}, {tau:?}, seed {seed}: {election} of {of}: {cost:?}");
            }
        }
    }
    assert!(elections > 500, "{elections}");
}
