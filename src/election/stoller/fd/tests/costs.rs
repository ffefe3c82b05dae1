//! What the Card of Bully-FD says of messages, counted from random starts.
//!
//! Invariant: only what the Card counts is counted; the detectors' own messages apart.

use super::network::{DETECTORS, network, timing};
use super::*;
use crate::stoller::starts::{Tau, Throws, each_election_costs_no_more_than_its_bound, settled, succession};
use bench::network::Network;

#[test]
fn the_card_says_what_is_counted_here() {
    let said = BullyFd::CARD.message_bound;
    assert!(said.contains("one election: 3(n-1)") && said.contains("the leader crashes: one election"), "{said}");
}

#[test]
fn an_election_keeps_to_its_bound_from_any_start() {
    each_election_costs_no_more_than_its_bound::<BullyFd>(&DETECTORS);
}

/// 1 cannot be halted, and 2 does not halt itself: n - 2 nodes are halted, answer with Ack, and get Ldr.
#[test]
fn a_leaders_crash_costs_one_election_from_any_start() {
    let mut again = 0;
    for (detector, tau) in DETECTORS.into_iter().flat_map(|detector| [(detector, Tau::Short), (detector, Tau::Long)]) {
        for seed in 0..30 {
            let mut throws = Throws::of_seed(seed);
            let of = 3 + throws.below(7) as u16;
            let mut network: Network<BullyFd> = settled(&mut throws, of, detector, tau);
            let cost = succession(&mut network);
            let told = format!("{detector}, {tau:?}, seed {seed}, {of} nodes: {cost:?}");
            assert_eq!((cost.elections.len(), cost.once()), (1, 3 * (usize::from(of) - 2)), "{told}");
            assert_eq!(network.violations, [""; 0], "{told}");
            again += cost.elections[0].1.again;
        }
    }
    assert!(again > 100, "{again}");
}

#[test]
fn a_leader_at_rest_costs_a_question_to_each_and_what_its_detector_takes() {
    for detector in DETECTORS {
        let mut network = network(5, detector);
        network.run(Span::from_millis(10_000));
        let asked = network.count(&["Norm?", "NotNorm"], |network| network.run(TIMING.check * 10));
        assert_eq!(asked, 10 * 4, "{detector}");
        let periods = timing(detector).silence * 10;
        let of_detector = network.count(&detector::Message::KINDS, |network| network.run(periods));
        let each = match detector {
            "are-you-alive" | "cooperative" => 2 * 4,
            "i-am-alive" => 4,
            _ => 5,
        };
        assert_eq!(of_detector, 10 * each, "{detector}");
    }
}
