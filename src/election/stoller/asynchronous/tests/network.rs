//! The Asynchronous Bully on a network of virtual time: groups, play dead, and the holes of figure 3.
//!
//! Invariant: at no instant do two nodes in Norm in one group have two leaders, whatever a test does.

use super::*;
use bench::network::Network;

pub(super) const DETECTORS: [&str; 3] = ["are-you-alive", "i-am-alive", "cooperative"];
/// Longer than the nodes may take to agree in these networks.
pub(super) const LONG: Span = Span::from_millis(30_000);

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

#[test]
fn a_partition_makes_two_groups_and_a_heal_one() {
    for detector in DETECTORS {
        let mut network = network(5, detector, mended);
        network.run(LONG);
        assert!(network.normal_under("1-5", 1), "{detector}: {}", network.picture());
        network.partition("1,2", "3-5");
        network.run(LONG);
        assert!(network.normal_under("1,2", 1) && network.normal_under("3-5", 3), "{}", network.picture());
        network.heal();
        network.run(LONG);
        assert!(network.normal_under("1-5", 1), "{}", network.picture());
        network.crash(1);
        network.run(LONG);
        assert!(network.normal_under("2-5", 2), "{}", network.picture());
        assert_eq!(network.violations, [""; 0]);
    }
}

#[test]
fn who_is_halted_plays_dead_so_that_its_members_get_free_of_it() {
    for detector in ["are-you-alive", "i-am-alive"] {
        let mut network = network(3, detector, mended);
        network.run(LONG);
        network.crash(1);
        network.run(LONG);
        assert!(network.normal_under("2,3", 2), "{}", network.picture());
        network.partition("1", "3");
        network.start(1);
        network.run(LONG);
        assert!(network.normal_under("1,2", 1) && network.normal_under("3", 3), "{}", network.picture());
    }
}

/// 2 hears 1 and 3, which do not hear each other. So 2 vouches for 3, and 1 waits for the answer of 3 for ever.
#[test]
fn cooperation_reports_nobody_that_others_reach_and_so_needs_links_that_are_transitive() {
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
fn of_the_papers_six_nodes_1_5_and_6_lead_and_no_two_that_are_linked_ever_do() {
    for detector in DETECTORS {
        let mut network = network(6, detector, mended);
        for (these, those) in [("1", "5,6"), ("2", "4,6"), ("3", "4,5"), ("4", "5,6"), ("5", "6")] {
            network.partition(these, those);
        }
        network.run(LONG);
        assert!(network.normal_under("1-4", 1), "{}", network.picture());
        assert!(network.normal_under("5", 5) && network.normal_under("6", 6), "{}", network.picture());
        assert!(leaders_elected(&network, 6));
    }
}

#[test]
fn hole_3_a_false_alarm_leaves_a_halted_node_waiting_for_ever_to_the_letter() {
    for (reading, ends) in [(mended as ReadingOf, true), (to_the_letter, false)] {
        let mut network = network(2, "are-you-alive", reading);
        network.run(LONG);
        network.pause(2);
        network.elect(1);
        network.run(Span::from_millis(1_000));
        network.resume(2);
        network.run(LONG);
        assert_eq!(leaders_elected(&network, 2), ends, "{}", network.picture());
    }
}

#[test]
fn hole_5_a_lost_halt_leaves_its_sender_waiting_for_ever_to_the_letter() {
    for (reading, ends) in [(mended as ReadingOf, true), (to_the_letter, false)] {
        let mut network = network(2, "are-you-alive", reading);
        network.run(LONG);
        network.cut("1", "2");
        network.elect(1);
        network.run(Span::from_millis(20));
        network.heal();
        network.run(LONG);
        assert_eq!(leaders_elected(&network, 2), ends, "{}", network.picture());
    }
}

/// 2 halts 3 a second time over a slow link, and 1 is back before that comes: figure 1's hole 9.
#[test]
fn a_halt_that_comes_again_takes_nobody_from_a_better_leader() {
    let mut network = network(3, "are-you-alive", mended);
    network.run(LONG);
    network.crash(1);
    network.run(LONG);
    network.delay(2, 3, T);
    // Its period ends 50 ms later.
    network.run(Span::from_millis(450));
    network.elect(2);
    network.run_till(T * 2, "2 leads, and its second Halt is under way", |network| network.normal_under("2", 2));
    network.start(1);
    network.run_till(T, "1 leads all", |network| network.normal_under("1-3", 1));
    assert_eq!(network.count(&["Rej"], |network| network.run(LONG)), 1);
    assert!(network.normal_under("1-3", 1), "{}", network.picture());
    assert_eq!(network.violations, [""; 0]);
}

#[test]
fn links_that_are_not_transitive_may_take_a_whole_election_for_each_rung_and_never_longer_than_the_card_says() {
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
