//! Tests of what the Cards of Algorithms A, B.1 and B.2 say of their cost, over random capacities, starts and delays:
//! one election, and one failover.
//!
//! Invariant: nothing fails but the master, and the watch's unicasts are not counted.

use super::super::a::AlgorithmA;
use super::super::b1::AlgorithmB1;
use super::super::b2::AlgorithmB2;
use super::network::{Errata, Event, Network, T_NANOS, Xorshift, settings, t};
use protocol::{Algorithm, Described, SettingValue, Span};

const TRIALS: usize = 300;
const NODES: u16 = 7;
/// A process that asks at its start has done so by then.
const BEGIN: f64 = 5.0;

/// Seven capacities from -1 to 3.
fn capacities(random: &mut Xorshift) -> Vec<i64> {
    (0..NODES).map(|_| random.below(5) as i64 - 1).collect()
}

/// How many broadcasts of these kinds there were.
fn broadcasts<A: Algorithm>(network: &Network<A>, kinds: &[&str]) -> usize {
    network.broadcasts.iter().filter(|(.., message)| kinds.contains(&message.kind())).count()
}

/// How many non-candidates have begun.
fn others_that_began<A: Algorithm>(network: &Network<A>) -> usize {
    network.lines.iter().filter(|(_, line)| *line == 107).count()
}

/// An election that some of them, or all, are ordered to begin within this much of T; 20T later it is over.
fn election<A: Algorithm>(capacities: &[i64], within: f64, random: &mut Xorshift) -> Network<A> {
    let mut settings = settings::<A>(NODES, Errata::Mended);
    if A::CARD.settings.iter().any(|setting| setting.name == "t") {
        settings = settings.with("t", SettingValue::Number(2));
    }
    let mut network = Network::<A>::with(settings, capacities, 0.75, random.below(1 << 40));
    let all = A::CARD.name == "king-ni-a" || random.below(2) == 0;
    let one = random.below(u64::from(NODES)) as u16 + 1;
    for number in 1..=NODES {
        if all || number == one || random.below(3) == 0 {
            let at = t(BEGIN) + Span::from_nanos(random.below((T_NANOS as f64 * within) as u64));
            network.at(at, Event::Elect(number));
        }
    }
    network.run_until(t(BEGIN - 0.5));
    network.broadcasts.clear();
    network.run_until(t(BEGIN + 20.0));
    network
}

/// The same after the master's crash, at any moment of a check period; the failover is over 40T later.
fn failover<A: Algorithm>(network: &mut Network<A>, random: &mut Xorshift) -> Option<usize> {
    let master = network.masters()[0]?;
    network.broadcasts.clear();
    network.lines.clear();
    let at = t(BEGIN + 20.0) + Span::from_nanos(random.below(4 * T_NANOS));
    network.at(at, Event::Crash(master));
    network.run_until(t(BEGIN + 60.0));
    Some(usize::from(master) - 1)
}

fn candidates(capacities: &[i64]) -> usize {
    capacities.iter().filter(|capacity| **capacity >= 0).count()
}

#[test]
fn an_election_of_a_takes_n_plus_1_broadcasts_and_a_failover_n_minus_1_calls_besides() {
    assert!(AlgorithmA::CARD.message_bound.starts_with("one election: n + 1 broadcasts"));
    let n = usize::from(NODES);
    let (mut random, mut most_calls) = (Xorshift(0x2545_f491_4f6c_dd1d), 0);
    for trial in 0..TRIALS {
        let capacities = capacities(&mut random);
        let mut network = election::<AlgorithmA>(&capacities, 0.23, &mut random);
        let took = broadcasts(&network, &["capacity", "elected", "call"]);
        let elects = usize::from(candidates(&capacities) > 0);
        assert_eq!(took, n + elects, "trial {trial}: {capacities:?}");
        if failover(&mut network, &mut random).is_none() {
            continue;
        }
        let calls = broadcasts(&network, &["call"]);
        let others = broadcasts(&network, &["capacity", "elected"]);
        assert!((1..n).contains(&calls) && others <= n - 1 + 1, "trial {trial}: {calls} calls, {others} others");
        most_calls = most_calls.max(calls);
    }
    assert!(most_calls > 1, "several find the master gone at once");
}

#[test]
fn an_election_of_b1_takes_a_broadcast_of_each_candidate_and_each_other_that_begins_and_the_masters_word() {
    assert!(AlgorithmB1::CARD.message_bound.starts_with("one election, or failover: c + b + 1 broadcasts"));
    let mut random = Xorshift(0x9e37_79b9_7f4a_7c15);
    let mut began = 0;
    for trial in 0..TRIALS {
        let capacities = capacities(&mut random);
        let mut network = election::<AlgorithmB1>(&capacities, 1.0, &mut random);
        let (c, b) = (candidates(&capacities), others_that_began(&network));
        let took = broadcasts(&network, &["capacity", "elected"]);
        assert_eq!(took, c + b + usize::from(c > 0), "trial {trial}: {capacities:?}");
        began += b;
        if let Some(master) = failover(&mut network, &mut random) {
            let (c, b) = (c - usize::from(capacities[master] >= 0), others_that_began(&network));
            let took = broadcasts(&network, &["capacity", "elected"]);
            assert!(took <= c + b + 1, "trial {trial}: {took} in a failover of {capacities:?}, {c} and {b}");
            began += b;
        }
    }
    assert!(began > TRIALS / 10, "{began}");
}

#[test]
fn an_election_of_b2_takes_a_list_of_each_process_besides() {
    assert!(AlgorithmB2::CARD.message_bound.starts_with("one election, or failover: c + b + n + 1 broadcasts"));
    let n = usize::from(NODES);
    let mut random = Xorshift(0x0123_4567_89ab_cdef);
    let mut began = 0;
    for trial in 0..TRIALS {
        let capacities = capacities(&mut random);
        let mut network = election::<AlgorithmB2>(&capacities, 1.0, &mut random);
        let (c, b) = (candidates(&capacities), others_that_began(&network));
        let took = broadcasts(&network, &["init", "vect", "elected"]);
        assert_eq!(took, c + b + n + usize::from(c > 0), "trial {trial}: {capacities:?}");
        began += b;
        if let Some(master) = failover(&mut network, &mut random) {
            let (c, b) = (c - usize::from(capacities[master] >= 0), others_that_began(&network));
            let took = broadcasts(&network, &["init", "vect", "elected"]);
            assert!(took <= c + b + n, "trial {trial}: {took} in a failover of {capacities:?}, {c} and {b}");
            began += b;
        }
    }
    assert!(began > TRIALS / 10, "{began}");
}
