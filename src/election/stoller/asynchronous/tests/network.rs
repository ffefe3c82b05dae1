//! The Asynchronous Bully on a network of virtual time: links that are not transitive, and what section 7 and the Card
//! say of messages.
//!
//! Invariant: at no instant do two nodes in Norm in one group have two leaders, whatever a test does.

use super::*;
use crate::stoller::random_starts::{each_election_costs_no_more_than_its_bound, succession};
use test_harness::network::Network;

/// Longer than the nodes may take to agree in these networks.
const LONG: Span = Span::from_millis(30_000);

fn network(of: u16, detector: &'static str, reading: ReadingOf) -> Network<AsynchronousBully> {
    let word = SettingValue::Word(detector.to_owned());
    Network::started(of, TIMING, |settings| reading(settings.with(detector::SETTING, word.clone())))
}

/// ldrsElected: every node is Norm, and its leader is in its group.
fn leaders_elected(network: &Network<AsynchronousBully>, of: u16) -> bool {
    (1..=of).all(|me| {
        let state = network.state(me);
        state.coordinator.is_some_and(|leader| network.state(leader.get()).group == state.group)
    })
}

/// 2 hears 1 and 3, which do not hear each other. So 2 vouches for 3, and 1 waits for the answer of 3 for ever.
#[test]
fn cooperation_needs_links_that_are_transitive() {
    let of_three = |detector, separate: (&str, &str)| {
        let mut network = network(3, detector, mended);
        network.partition(separate.0, separate.1);
        network.run(LONG);
        network
    };
    assert!(leaders_elected(&of_three("are-you-alive", ("1", "3")), 3));
    let network = of_three("cooperative", ("1", "3"));
    assert_eq!(network.state(1).word, "Elec2", "{}", network.picture());
    assert_eq!(network.violations, [""; 0]);
    for separate in [("1", "2,3"), ("1,2", "3")] {
        let network = of_three("cooperative", separate);
        assert!(leaders_elected(&network, 3), "{}", network.picture());
    }
}

#[test]
fn each_rung_may_take_a_whole_election() {
    let timing = Timing { t: T, check: T * 5, silence: T * 20 };
    let (of, links) = ladder(4);
    let mut network = Network::<AsynchronousBully>::new(of, timing, mended);
    for low in 1..=of {
        let far = (low + 1..=of).filter(|high| !links.contains(&(low, *high)));
        far.for_each(|high| network.partition(&low.to_string(), &high.to_string()));
    }
    (1..=of).for_each(|me| network.start(me));
    let latency = timing.silence + T * 2;
    network.run(latency * u64::from(2 * of));
    network.crash(1);
    let settled = |network: &Network<AsynchronousBully>| {
        let group = |leader: u16, follower: u16| network.normal_under(&format!("{leader},{follower}"), leader);
        let of_rung = |place: u16| {
            group(place, place + 1) && network.normal_under(&format!("{}-{}", place + 2, place + 4), place + 2)
        };
        (0..4).all(|rung| of_rung(5 * rung + 2))
    };
    let settings = Settings::defaults(AsynchronousBully::CARD.settings, NodeSet::EMPTY);
    let bound = (AsynchronousBully::CARD.quiet_bound.value)(&timing, of, &settings);
    let took = network.run_till(bound, "each node is in its place", settled);
    // The elections of the four j alone, of n - j nodes each.
    let elections = u64::from([4, 9, 14, 19].map(|j| of - j).iter().sum::<u16>());
    assert!(took > latency * (elections - 2), "{took}, and not {}", latency * elections);
    assert!(took > latency * 3 / 2 * u64::from(of - 1), "more than the n-1 of the paper's bound");
    network.run(latency * u64::from(of));
    assert!(settled(&network), "{}", network.picture());
}

#[test]
fn an_election_keeps_to_the_card() {
    let said = AsynchronousBully::CARD.message_bound;
    for bound in ["one election: 3(n-1)", "n^2/2 on average, n^2 at worst", "in all 2 n^2. With tau <= 2T in all 4 n^2"]
    {
        assert!(said.contains(bound), "{bound}: {said}");
    }
    each_election_costs_no_more_than_its_bound::<AsynchronousBully>(&["are-you-alive", "i-am-alive", "cooperative"]);
}

/// `of` nodes on quick links, led by 1. Each of the others notices 1's crash this much later than the first to notice
/// it.
fn noticing(of: u16, tau: Span, later: impl Fn(u16) -> Span) -> Network<AsynchronousBully> {
    let mut network = Network::new(of, Timing { check: tau, ..TIMING }, mended);
    for (from, to) in (1..=of).flat_map(|from| (1..=of).map(move |to| (from, to))) {
        network.delay(from, to, T / 1_000 + if from == 1 { later(to) } else { Span::ZERO });
    }
    (1..=of).for_each(|node| network.start(node));
    network.run(T * 30);
    network
}

/// 2 notices first, and the others one by one, each after 2's Norm? has found the one before. Each refuses 2's Halts
/// until it notices; then it halts all nodes below it in vain, and 2 begins anew.
#[test]
fn a_short_tau_may_cost_more() {
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
fn a_tau_at_rest_costs_n_messages() {
    let at_rest = |of: u16, detector: &str, tau: u64, reading: ReadingOf| {
        let timing = Timing { check: Span::from_millis(tau), silence: Span::from_millis(500), ..TIMING };
        let word = SettingValue::Word(detector.to_owned());
        let change = |settings: Settings| reading(settings.with(detector::SETTING, word.clone()));
        let mut network: Network<AsynchronousBully> = Network::started(of, timing, change);
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
