//! What section 7 and the Card of the Asynchronous Bully say of messages, counted from random starts.
//!
//! Invariant: only what they count is counted; the detectors' own messages apart.

use super::network::{DETECTORS, LONG};
use super::*;
use crate::stoller::starts::{Tau, Throws, each_election_costs_no_more_than_its_bound, settled, succession};
use bench::network::Network;

type AsyncNetwork = Network<AsynchronousBully>;

#[test]
fn the_card_says_what_is_counted_here() {
    let said = AsynchronousBully::CARD.message_bound;
    for bound in ["one election: 3(n-1)", "n^2/2 on average, n^2 at worst", "in all 2 n^2. With tau <= 2T in all 4 n^2"]
    {
        assert!(said.contains(bound), "{bound}: {said}");
    }
}

#[test]
fn an_election_keeps_to_its_bound_from_any_start() {
    each_election_costs_no_more_than_its_bound::<AsynchronousBully>(&DETECTORS);
}

#[test]
fn a_leaders_crash_keeps_to_the_papers_tally_and_to_the_cards_bound_from_any_start() {
    for (detector, tau) in DETECTORS.into_iter().flat_map(|detector| [(detector, Tau::Short), (detector, Tau::Long)]) {
        for seed in 0..40 {
            let mut throws = Throws::of_seed(seed);
            let of = 3 + throws.below(8) as u16;
            let mut network: AsyncNetwork = settled(&mut throws, of, detector, tau);
            let cost = succession(&mut network);
            let n = usize::from(of);
            let (most, most_tally) = match tau {
                Tau::Short => (4 * n * n, usize::MAX),
                Tau::Long => (2 * n * n, n * n),
            };
            let told = format!("{detector}, {tau:?}, seed {seed}, {of} nodes: {cost:?}");
            assert!(cost.once() <= most && cost.tally() <= most_tally, "{told}");
            assert!(cost.once() >= 3 * (n - 2), "{told}");
            assert_eq!(network.violations, [""; 0], "{told}");
        }
    }
}

/// `of` nodes on quick links, led by 1. Each of the others notices 1's crash this much later than the first to notice
/// it.
fn noticing(of: u16, tau: Span, later: impl Fn(u16) -> Span) -> AsyncNetwork {
    let mut network: AsyncNetwork = Network::new(of, Timing { check: tau, ..TIMING }, mended);
    for (from, to) in (1..=of).flat_map(|from| (1..=of).map(move |to| (from, to))) {
        network.delay(from, to, T / 1_000 + if from == 1 { later(to) } else { Span::ZERO });
    }
    (1..=of).for_each(|node| network.start(node));
    network.run(T * 30);
    network
}

/// Half of the others begin before node 2 does, and at worst all of them, each with half of all Halts, and their
/// answers.
#[test]
fn the_papers_tally_is_n_squared_halved_on_average_and_n_squared_at_worst() {
    let of = 12;
    let last_is_2 = |node| if node == 2 { T / 2 } else { T / 50 * u64::from(node) };
    let worst = (usize::from(of) - 2) * (usize::from(of) - 3);
    assert_eq!(succession(&mut noticing(of, T * 50, last_is_2)).tally(), worst);
    let tally = |seed| {
        let mut throws = Throws::of_seed(seed);
        let later: Vec<Span> = (0..=of).map(|_| throws.span(Span::ZERO, T / 2)).collect();
        succession(&mut noticing(of, T * 50, |node| later[usize::from(node)])).tally()
    };
    let all: usize = (0..100).map(tally).sum();
    assert!((40..=60).contains(&(all / worst)), "{all} in a hundred, and at worst {worst}");
}

/// 2 notices first, and the others one by one, each after 2's Norm? has found the one before. Each refuses 2's Halts
/// until it notices; then it halts all nodes below it in vain, and 2 begins anew.
#[test]
fn with_a_tau_below_two_delta_a_leaders_crash_may_cost_more_than_two_n_squared() {
    let of = 16;
    let cost = succession(&mut noticing(of, T / 40, |node| T / 20 * u64::from(node)));
    let n = usize::from(of);
    let of_2 = cost.elections.iter().filter(|(election, _)| election.starts_with("2.")).count();
    assert_eq!(of_2, n - 1, "{cost:?}");
    assert!((2 * n * n..=4 * n * n).contains(&cost.once()), "{}", cost.once());
}

/// Section 7: at rest one tau of a leader costs N-1 Norm?, and as many I'm alive, which ride on the Norm? if they may.
/// To the letter a leader watches its members too, which section 7 does not count.
#[test]
fn a_tau_at_rest_costs_what_section_7_says() {
    let at_rest = |of: u16, detector: &str, tau: u64, reading: ReadingOf| {
        let timing = Timing { check: Span::from_millis(tau), silence: Span::from_millis(500), ..TIMING };
        let word = SettingValue::Word(detector.to_owned());
        let change = |settings: Settings| reading(settings.with(detector::SETTING, word.clone()));
        let mut network: AsyncNetwork = Network::started(of, timing, change);
        network.run(LONG);
        let before = network.sent;
        let of_detector = network.count(&detector::Message::KINDS, |network| network.run(Span::from_millis(6_000)));
        (network.sent - before - of_detector, of_detector)
    };
    // In six seconds there are twelve periods of a detector, and this many tau.
    for (detector, tau, reading, norms, of_detector) in [
        ("i-am-alive", 500, mended as ReadingOf, 12, 0),
        ("i-am-alive", 600, mended, 10, 12),
        ("are-you-alive", 500, mended, 12, 24),
        ("cooperative", 500, mended, 12, 24),
        ("i-am-alive", 500, to_the_letter, 12, 12),
        ("i-am-alive", 600, to_the_letter, 10, 24),
        ("are-you-alive", 500, to_the_letter, 12, 48),
    ] {
        for of in [2_u16, 5, 9] {
            let others = usize::from(of) - 1;
            let counted = at_rest(of, detector, tau, reading);
            assert_eq!(counted, (norms * others, of_detector * others), "{detector}, tau {tau}, {of} nodes");
        }
    }
}
