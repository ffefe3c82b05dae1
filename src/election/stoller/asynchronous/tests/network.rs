//! The Asynchronous Bully on a network of virtual time: groups, play dead, and the holes of figure 3.
//!
//! Invariant: at no instant do two nodes in Norm in one group have two leaders, whatever a test does.

use super::*;
use crate::election::network::Network;

const DETECTORS: [&str; 2] = ["are-you-alive", "i-am-alive"];
/// Longer than everybody may take to agree in these networks.
const LONG: Span = Span::from_millis(30_000);

fn network(of: u16, detector: &'static str, reading: ReadingOf) -> Network<AsynchronousBully> {
    let word = SettingValue::Word(detector.to_owned());
    Network::started(of, TIMING, |settings| reading(settings.with(detector::SETTING, word.clone())))
}

/// ldrsElected: everybody is Norm, and its leader is in its group.
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
    for detector in DETECTORS {
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
