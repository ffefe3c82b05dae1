//! Many elections of Algorithms A to C over the ordered broadcast, and of C over a bare one: who is elected, what an
//! election and a failover cost, and that crashes, recoveries and orders leave one master.
//!
//! Invariant: the same seed gives the same elections on every machine; the watch's unicasts are not counted.

use super::network::{Datagram, Errata::Mended, Event, Network, T_NANOS, Xorshift, settings, t};
use crate::king_ni::a::AlgorithmA;
use crate::king_ni::b1::AlgorithmB1;
use crate::king_ni::b2::AlgorithmB2;
use crate::king_ni::c::AlgorithmC;
use protocol::{Algorithm, Described, SettingValue, Span};

const NODES: u16 = 7;
/// A process that asks at its start has done so by then.
const BEGIN: f64 = 5.0;

/// What the Card of an algorithm says of c candidates, and b others that have begun.
struct Bounds {
    /// How its bound begins.
    said: &'static str,
    /// All that begin do so within this much of T.
    within: f64,
    kinds: &'static [&'static str],
    /// What an election takes.
    election: fn(usize, usize) -> usize,
    /// The most that a failover takes.
    failover: fn(usize, usize) -> usize,
}

/// Seven capacities from -1 to 3.
fn capacities(random: &mut Xorshift) -> Vec<i64> {
    (0..NODES).map(|_| random.below(5) as i64 - 1).collect()
}

/// Who is elected of those that are up: of equal capacities the larger id.
fn largest<A: Algorithm>(network: &Network<A>, capacities: &[i64]) -> Option<u16> {
    let candidates = capacities.iter().zip(1..).filter(|(capacity, of)| **capacity >= 0 && network.is_up(*of));
    candidates.max().map(|(_, of)| of)
}

/// All that are up name the largest, and how many broadcasts that took, of how many candidates and others that began.
fn ended<A: Algorithm>(network: &Network<A>, capacities: &[i64], kinds: &[&str], told: &str) -> (usize, usize, usize) {
    let largest = largest(network, capacities);
    for of in (1..=NODES).filter(|of| network.is_up(*of)) {
        assert_eq!(network.master(of), largest, "{of} in {told}");
    }
    assert_eq!(network.two_masters, [""; 0], "{told}");
    let took = network.broadcasts.iter().filter(|(.., message)| kinds.contains(&message.kind())).count();
    let is_candidate = |(capacity, of): &(&i64, u16)| **capacity >= 0 && network.is_up(*of);
    let candidates = capacities.iter().zip(1..).filter(is_candidate).count();
    (took, candidates, network.lines.iter().filter(|(_, line)| *line == 107).count())
}

/// One election that some of them, or all, are ordered to begin; and then one after the master's crash, at any moment of
/// a check period.
fn elect_the_largest<A: Algorithm>(bounds: &Bounds) {
    assert!(A::CARD.message_bound.starts_with(bounds.said), "{}", A::CARD.message_bound);
    let mut random = Xorshift(0x2545_f491_4f6c_dd1d);
    for trial in 0..300 {
        let mut settings = settings::<A>(NODES, Mended);
        if A::CARD.settings.iter().any(|setting| setting.name == "t") {
            settings = settings.with("t", SettingValue::Number(2));
        }
        let capacities = capacities(&mut random);
        let told = format!("trial {trial}: {capacities:?}");
        let mut network = Network::<A>::with(settings, &capacities, 0.75, random.below(1 << 40));
        let all = A::CARD.name == "king-ni-a" || random.below(2) == 0;
        let one = random.below(u64::from(NODES)) as u16 + 1;
        for of in 1..=NODES {
            if all || of == one || random.below(3) == 0 {
                let at = Span::from_nanos(random.below((T_NANOS as f64 * bounds.within) as u64));
                network.at(t(BEGIN) + at, Event::Elect(of));
            }
        }
        network.run_until(t(BEGIN - 0.5));
        network.broadcasts.clear();
        network.run_until(t(BEGIN + 20.0));
        let (took, candidates, others) = ended(&network, &capacities, bounds.kinds, &told);
        assert_eq!(took, (bounds.election)(candidates, others), "{told}");

        let Some(master) = network.master(one) else { continue };
        network.broadcasts.clear();
        network.lines.clear();
        network.at(t(BEGIN + 20.0) + Span::from_nanos(random.below(4 * T_NANOS)), Event::Crash(master));
        network.run_until(t(BEGIN + 60.0));
        let told = format!("the failover of {told}");
        if candidates == 1 {
            continue;
        }
        let (took, candidates, others) = ended(&network, &capacities, bounds.kinds, &told);
        assert!(took <= (bounds.failover)(candidates, others), "{told}: {took}");
    }
}

#[test]
fn elections_of_a_keep_to_the_card() {
    elect_the_largest::<AlgorithmA>(&Bounds {
        said: "one election: n + 1 broadcasts",
        // A little is left for the handling of a broadcast.
        within: 0.23,
        kinds: &["capacity", "elected", "call"],
        election: |c, _| usize::from(NODES) + c.min(1),
        // The capacities, the calls of all that find the master gone, and the master's word.
        failover: |_, _| 2 * (usize::from(NODES) - 1) + 1,
    });
}

#[test]
fn elections_of_b1_keep_to_the_card() {
    elect_the_largest::<AlgorithmB1>(&Bounds {
        said: "one election, or failover: c + b + 1 broadcasts",
        within: 1.0,
        kinds: &["capacity", "elected"],
        election: |c, b| c + b + c.min(1),
        failover: |c, b| c + b + 1,
    });
}

#[test]
fn elections_of_b2_keep_to_the_card() {
    elect_the_largest::<AlgorithmB2>(&Bounds {
        said: "one election, or failover: c + b + n + 1 broadcasts",
        within: 1.0,
        kinds: &["init", "vect", "elected"],
        election: |c, b| c + b + usize::from(NODES) + c.min(1),
        failover: |c, b| c + b + usize::from(NODES),
    });
}

/// The starter's 2T are over just before the answers come: it has heard of nobody but itself.
#[test]
fn delta_of_t_makes_two_masters_of_b1() {
    let mut random = Xorshift(0x9e37_79b9_7f4a_7c15);
    for (delta, masters) in [(1.0, 1), (0.75, 0)].into_iter().cycle().take(200) {
        let mut network = Network::<AlgorithmB1>::new(Mended, &[1, 2, 3, 4, 5], delta, random.below(1 << 40));
        network.at(t(BEGIN), Event::Elect(random.below(4) as u16 + 1));
        network.run_until(t(BEGIN + 4.0));
        assert_eq!(network.two_masters.len(), masters, "{delta}");
    }
}

/// Five processes for 80T: now and then one crashes, recovers with what it saved, or is ordered to elect (of A, all are).
/// Then all are left in peace, and one order is enough.
fn turmoil<A: Algorithm>(network_of: impl Fn(&mut Xorshift) -> Network<A>) {
    let begins_together = A::CARD.name == "king-ni-a";
    let order = |network: &mut Network<A>, at: Span, of: u16| {
        let ordered = if begins_together { 1..=5 } else { of..=of };
        ordered.for_each(|of| network.at(at, Event::Elect(of)));
    };
    let mut random = Xorshift(0x9e37_79b9_7f4a_7c15);
    for trial in 0..1_000 {
        let mut network = network_of(&mut random);
        for _ in 0..30 {
            let at = Span::from_nanos(random.below(80 * T_NANOS));
            let of = random.below(5) as u16 + 1;
            match random.below(4) {
                0 => network.at(at, Event::Crash(of)),
                1 => network.at(at, Event::Recover(of)),
                _ => order(&mut network, at, of),
            }
        }
        (1..=5).for_each(|of| network.at(t(81.0), Event::Recover(of)));
        order(&mut network, t(130.0), 1);
        network.run_until(t(150.0));
        assert_eq!(network.masters(), [Some(5); 5], "trial {trial}");
        // A process of A that begins alone breaks its condition.
        assert!(begins_together || network.two_masters.is_empty(), "trial {trial}: {:?}", network.two_masters);
    }
}

/// The same capacities on the ordered broadcast; of B.2 one process may be faulty.
fn ordered<A: Algorithm>(random: &mut Xorshift) -> Network<A> {
    Network::new(Mended, &[1, 2, -1, 4, 5], 0.75, random.below(1 << 40))
}

#[test]
fn turmoil_leaves_one_master_of_a() {
    turmoil::<AlgorithmA>(ordered);
}

#[test]
fn turmoil_leaves_one_master_of_b1() {
    turmoil::<AlgorithmB1>(ordered);
}

#[test]
fn turmoil_leaves_one_master_of_b2() {
    turmoil::<AlgorithmB2>(|random| {
        let lists = ["full", "lengths"][random.below(2) as usize];
        let settings = settings::<AlgorithmB2>(5, Mended).with("lists", SettingValue::Word(lists.to_owned()));
        Network::with(settings, &[1, 2, -1, 4, 5], 0.75, random.below(1 << 40))
    });
}

#[test]
fn turmoil_leaves_one_master_of_c() {
    turmoil::<AlgorithmC>(|random| {
        let mut delays = Xorshift(random.below(u64::MAX >> 12) | 1);
        let delay = move |_: &Datagram<AlgorithmC>| Some(Span::from_nanos(delays.below(T_NANOS) + 1));
        Network::bare(Mended, &[1, 2, -1, 4, 5], t(4.0), Box::new(delay))
    });
}

/// Every 16T all are ordered to elect, whatever they are doing: they ask, or have just stopped. No process is left to
/// begin alone.
#[test]
fn one_order_to_all_leaves_one_master() {
    let mut random = Xorshift(0x0123_4567_89ab_cdef);
    for trial in 0..500 {
        let mut network = Network::<AlgorithmA>::new(Mended, &[5, 2, -1, 4, 1], 0.75, random.below(1 << 40));
        for round in 1..15 {
            let begin = round * 16 * T_NANOS + random.below(2 * T_NANOS);
            let (crash, recover) = (random.below(4 * T_NANOS), random.below(4 * T_NANOS));
            let of = random.below(5) as u16 + 1;
            network.at(Span::from_nanos(begin - 12 * T_NANOS + crash), Event::Crash(of));
            network.at(Span::from_nanos(begin - 4 * T_NANOS + recover), Event::Recover(of));
            (1..=5).for_each(|of| network.at(Span::from_nanos(begin), Event::Elect(of)));
        }
        network.run_until(t(240.0));
        assert_eq!(network.two_masters, [""; 0], "trial {trial}");
    }
}

/// All are told to begin within T, two of them crash, and with t = 2 the election does not need them.
#[test]
fn full_lists_and_lengths_elect_alike() {
    let mut random = Xorshift(0x2545_f491_4f6c_dd1d);
    let election = |lists: &str, capacities: &[i64], seed: u64| {
        let mut random = Xorshift(seed | 1);
        let settings = settings::<AlgorithmB2>(NODES, Mended).with("t", SettingValue::Number(2));
        let settings = settings.with("lists", SettingValue::Word(lists.to_owned()));
        let mut network = Network::<AlgorithmB2>::with(settings, capacities, 0.75, seed);
        for of in 1..=NODES {
            network.at(t(BEGIN) + Span::from_nanos(random.below(T_NANOS + 1)), Event::Elect(of));
        }
        for _ in 0..2 {
            let (at, of) = (Span::from_nanos(random.below(6 * T_NANOS)), random.below(7) as u16 + 1);
            network.at(t(BEGIN) + at, Event::Crash(of));
        }
        network.run_until(t(BEGIN + 5.0));
        assert_eq!(network.two_masters, [""; 0]);
        network.masters()
    };
    for trial in 0..500 {
        let (capacities, seed) = (capacities(&mut random), random.below(1 << 40));
        let [full, lengths] = ["full", "lengths"].map(|lists| election(lists, &capacities, seed));
        assert_eq!(full, lengths, "trial {trial}: {capacities:?}");
    }
}
