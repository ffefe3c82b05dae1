//! Bully-FD on a network of virtual time, with each of the detectors.
//!
//! Invariant: at no instant do two nodes in Norm have two leaders, unless a test breaks an assumption.

use super::*;
use bench::network::Network;

pub(super) const DETECTORS: [&str; 4] = ["are-you-alive", "i-am-alive", "attendance-list", "cooperative"];

pub(super) fn timing(detector: &str) -> Timing {
    let silence = if detector == "attendance-list" { 1_000 } else { 300 };
    Timing { silence: Span::from_millis(silence), ..TIMING }
}

fn with(detector: &'static str) -> impl Fn(Settings) -> Settings {
    move |settings| settings.with(detector::SETTING, SettingValue::Word(detector.to_owned()))
}

pub(super) fn network(of: u16, detector: &'static str) -> Network<BullyFd> {
    Network::started(of, timing(detector), with(detector))
}

/// c_S as printed.
fn bound(of: u16, detector: &'static str, reading: ReadingOf) -> Span {
    let settings = reading(with(detector)(Settings::defaults(BullyFd::CARD.settings, NodeSet::EMPTY)));
    (BullyFd::CARD.quiet_bound.value)(&timing(detector), of, &settings)
}

#[test]
fn the_first_in_rank_leads_and_whoever_is_next_follows_it() {
    for detector in DETECTORS {
        let mut network = network(5, detector);
        let bound = bound(5, detector, mended);
        network.run_till(bound, detector, |network| network.normal_under("1-5", 1));
        network.run(Span::from_millis(5_000));
        assert!(network.normal_under("1-5", 1), "{detector}: {}", network.picture());
        network.crash(1);
        network.crash(2);
        network.run_till(bound, detector, |network| network.normal_under("3-5", 3));
        network.start(2);
        network.run_till(bound, detector, |network| network.normal_under("2-5", 2));
        network.start(1);
        network.run_till(bound, detector, |network| network.normal_under("1-5", 1));
        assert_eq!(network.violations, [""; 0], "{detector}");
    }
}

#[test]
fn a_crash_is_reported_within_the_latency_that_the_card_counts_with() {
    for detector in DETECTORS {
        let settings = with(detector)(Settings::defaults(BullyFd::CARD.settings, NodeSet::EMPTY));
        let latency = detector::Choice::of(&settings).latency(&timing(detector), 5);
        for after in 0..20 {
            let mut network = network(5, detector);
            network.run(Span::from_millis(1_000 + 37 * after));
            network.crash(1);
            let noticed = |network: &Network<BullyFd>| network.state(4).status == Status::Election;
            network.run_till(latency, detector, noticed);
        }
    }
}

/// 5 is dead and answers nobody. 1 cannot reach 2, which the others reach until it crashes.
#[test]
fn a_crash_that_others_have_just_denied_is_reported_within_the_latency_too() {
    let settings = with("cooperative")(Settings::defaults(BullyFd::CARD.settings, NodeSet::EMPTY));
    let latency = detector::Choice::of(&settings).latency(&timing("cooperative"), 5);
    for after in 0..60 {
        let mut network = network(5, "cooperative");
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
fn what_rides_on_norm_tells_of_a_crash_in_time_and_never_wrongly() {
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

#[test]
fn nobody_is_reported_while_all_are_up_however_slow_the_links_are_within_the_bound() {
    for detector in DETECTORS {
        let mut network = network(4, detector);
        for (from, to) in [(1, 2), (2, 1), (1, 4), (4, 1), (3, 4), (4, 3), (2, 3)] {
            network.delay(from, to, T);
        }
        network.run(bound(4, detector, mended));
        let before = network.state(4);
        network.run(Span::from_millis(20_000));
        assert!(network.normal_under("1-4", 1), "{}", network.picture());
        assert_eq!(network.state(4), before);
        assert_eq!(network.violations, [""; 0]);
    }
}

#[test]
fn hole_1_a_lost_halt_to_a_node_that_is_back_is_waited_for_for_ever_to_the_letter() {
    for (reading, ends) in [(mended as ReadingOf, true), (to_the_letter, false)] {
        let mut network: Network<BullyFd> = Network::started(2, TIMING, reading);
        network.run(Span::from_millis(2_000));
        network.crash(2);
        network.elect(1);
        network.run(Span::from_millis(100));
        network.start(2);
        network.run(bound(2, "are-you-alive", reading));
        assert_eq!(network.normal_under("1,2", 1), ends, "{}", network.picture());
        network.run(Span::from_millis(60_000));
        assert_eq!(network.normal_under("1,2", 1), ends, "{}", network.picture());
        assert_eq!(network.violations, [""; 0]);
    }
}

/// 2 leads while 1 is down, and halts 3 twice over a slow link. When the first Halt is obeyed, 1 comes back.
fn halted_twice(reading: ReadingOf) -> Network<BullyFd> {
    let mut network: Network<BullyFd> = Network::started(3, TIMING, reading);
    network.run(Span::from_millis(2_000));
    network.crash(1);
    network.run(Span::from_millis(2_000));
    network.delay(2, 3, T);
    // 2 halts 3 half a second later, 50 ms before its period ends.
    network.run(Span::from_millis(450));
    network.elect(2);
    network.run(Span::from_millis(500));
    network.run_till(T * 2, "2 leads, and its second Halt is under way", |network| network.normal_under("2", 2));
    network
}

#[test]
fn hole_9_a_halt_that_comes_again_takes_nobody_back() {
    for reading in [mended as ReadingOf, to_the_letter] {
        let mut network = halted_twice(reading);
        network.start(1);
        network.run(bound(3, "are-you-alive", reading));
        assert!(network.normal_under("1-3", 1), "{}", network.picture());
        assert_eq!(network.violations, [""; 0]);
    }
}

#[test]
fn hole_9_with_hole_1_mended_alone_a_halt_that_comes_again_makes_two_leaders() {
    let mut network = halted_twice(|settings| mending::<Figure1>(&["1"], settings));
    network.start(1);
    network.run(bound(3, "are-you-alive", mended));
    assert!(!network.violations.is_empty(), "{}", network.picture());
}

#[test]
fn hole_9_a_halt_that_comes_again_after_a_crash_is_not_new() {
    let mut network = halted_twice(mended);
    network.crash(3);
    network.start(3);
    network.start(1);
    network.run(bound(3, "are-you-alive", mended));
    assert!(network.normal_under("1-3", 1), "{}", network.picture());
    assert_eq!(network.violations, [""; 0]);
}

/// To the letter a leader watches its members too.
#[test]
fn a_list_costs_fewer_messages_than_asking_when_all_watch() {
    let steady = |detector| {
        let letter = move |settings| to_the_letter(with(detector)(settings));
        let mut network: Network<BullyFd> = Network::started(6, timing(detector), letter);
        network.run(Span::from_millis(5_000));
        network.count(&detector::Message::KINDS, |network| network.run(timing(detector).silence * 10))
    };
    let [asking, saying, listing, cooperating] = DETECTORS.map(steady);
    assert!(listing < saying && saying < asking && asking == cooperating, "{listing} {saying} {asking} {cooperating}");
}
