//! Bully-FD on a network of virtual time: what no lab shows of its detectors and of hole 9, and what an election costs.
//!
//! Invariant: at no instant do two nodes in Norm have two leaders, unless a test breaks an assumption.

use super::*;
use crate::stoller::random_starts::each_election_costs_no_more_than_its_bound;
use test_harness::network::Network;

fn with(detector: &'static str) -> impl Fn(Settings) -> Settings {
    move |settings| settings.with(detector::SETTING, SettingValue::Word(detector.to_owned()))
}

/// 5 is dead and answers nobody. 1 cannot reach 2, which the others reach until it crashes.
#[test]
fn a_denied_crash_is_reported_in_time() {
    let settings = with("cooperative")(Settings::defaults(BullyFd::CARD.settings, NodeSet::EMPTY));
    let latency = detector::Choice::of(&settings).latency(&TIMING, 5);
    for after in 0..60 {
        let mut network = Network::<BullyFd>::started(5, TIMING, with("cooperative"));
        network.run(Span::from_millis(1_000));
        network.crash(5);
        network.partition("1", "2");
        network.elect(1);
        network.run(T * 10 + T / 10 * after);
        let from = network.log.len();
        network.crash(2);
        network.run_till(latency, "1 halts 3", |network| {
            let is_halt = |(_, to, message): &(NodeId, NodeId, Message)| to.get() == 3 && message.kind() == "Halt";
            network.log[from..].iter().any(is_halt)
        });
    }
}

/// A leader's Norm? stands for its I'm alive.
#[test]
fn what_rides_on_norm_tells_of_a_crash() {
    let timing = Timing { silence: TIMING.check, ..TIMING };
    let riding = || {
        let mut network: Network<BullyFd> = Network::new(5, timing, with("i-am-alive"));
        for (from, to) in [(1, 2), (2, 1), (1, 5), (4, 1), (3, 4), (4, 3), (2, 3)] {
            network.delay(from, to, T);
        }
        (1..=5).for_each(|node| network.start(node));
        network
    };
    let mut network = riding();
    network.run(Span::from_millis(5_000));
    let surprised = network.count(&["NotNorm"], |network| {
        for _ in 0..20 {
            network.run(Span::from_millis(1_370));
            network.elect(1);
        }
        network.run(Span::from_millis(5_000));
    });
    assert!(surprised == 0 && network.normal_under("1-5", 1), "{surprised} {}", network.picture());
    for after in 0..20 {
        let mut network = riding();
        network.run(Span::from_millis(2_000 + 37 * after));
        network.crash(1);
        let noticed = |network: &Network<BullyFd>| network.state(4).status == Status::Election;
        network.run_till(timing.silence + T * 5 / 2, "4 notices", noticed);
    }
}

/// 2 leads while 1 is down, and halts 3 twice over a slow link. When the first Halt is obeyed, 1 comes back.
#[test]
fn hole_9_left_in_makes_two_leaders() {
    let mut network: Network<BullyFd> = Network::started(3, TIMING, |settings| mending::<BullyFd>(&["1"], settings));
    network.run(Span::from_millis(2_000));
    network.crash(1);
    network.run(Span::from_millis(2_000));
    network.delay(2, 3, T);
    // 2 halts 3 half a second later, 50 ms before its period ends.
    network.run(Span::from_millis(450));
    network.elect(2);
    network.run(Span::from_millis(500));
    network.run_till(T * 2, "2 leads, and its second Halt is under way", |network| network.normal_under("2", 2));
    network.start(1);
    network.run(TIMING.check * 10);
    assert!(!network.violations.is_empty(), "{}", network.picture());
}

#[test]
fn an_election_keeps_to_the_card() {
    let said = BullyFd::CARD.message_bound;
    assert!(said.contains("one election: 3(n-1)") && said.contains("the leader crashes: one election"), "{said}");
    each_election_costs_no_more_than_its_bound::<BullyFd>(&[
        "are-you-alive",
        "i-am-alive",
        "attendance-list",
        "cooperative",
    ]);
}
