//! Whole runs of Bully over the tests' network: what the paper, and the notes on its holes, say comes out.
//!
//! Invariant: each run keeps every assumption, or the test's name says which it breaks.

use super::{Bully, Message};
use crate::election::bench::call;
use crate::election::network::{Network, node};
use crate::protocol::{Algorithm, NodeSet, SettingValue, Settings, Span, Status, Timing};

const T: Span = Span::from_millis(200);
const TIMING: Timing = Timing { t: T, check: Span::from_millis(200), silence: Span::from_millis(1000) };

fn mended(settings: Settings) -> Settings {
    settings
}

fn to_the_letter(settings: Settings) -> Settings {
    settings.with("errata", SettingValue::Flag(false))
}

fn quiet_bound(nodes: u16) -> Span {
    (Bully::CARD.quiet_bound.value)(&TIMING, nodes, &mended(Settings::defaults(Bully::CARD.settings, NodeSet::EMPTY)))
}

fn settled(settings: fn(Settings) -> Settings) -> Network<Bully> {
    let mut network = Network::started(5, TIMING, settings);
    network.run_till(T * 4, "5 coordinates", |network| network.normal_under("1-5", 5));
    network
}

#[test]
fn five_nodes_start_and_the_highest_coordinates() {
    let network = settled(mended);
    assert_eq!(network.state(5).up.to_string(), "1-4");
    assert_eq!(network.violations, Vec::<String>::new());
}

#[test]
fn the_next_takes_over_after_silence_and_three_rounds_and_the_returned_takes_it_back() {
    let mut network = settled(mended);
    network.run(TIMING.check * 3);
    network.crash(5);
    let span = network.run_till(quiet_bound(5), "4 takes over", |network| network.normal_under("1-4", 4));
    // Timeout asks, Election asks, Halts: one T each; then two rounds that end as soon as all have answered.
    assert!(span <= TIMING.silence + T * 3 + T / 20 * 4, "{span}");
    assert!(span + TIMING.check >= TIMING.silence + T * 3, "{span}");
    network.run(T * 4);
    network.start(5);
    network.run_till(quiet_bound(5), "5 is back", |network| network.normal_under("1-5", 5));
    assert_eq!(network.violations, Vec::<String>::new());
}

#[test]
fn check_finds_a_lower_node_that_came_back() {
    let mut network = settled(mended);
    network.crash(2);
    network.run(T * 10);
    assert!(network.normal_under("1,3-5", 5), "a dead member changes nothing");
    network.start(2);
    network.run_till(quiet_bound(5), "2 is in the group", |network| network.normal_under("1-5", 5));
    assert_eq!(network.violations, Vec::<String>::new());
}

#[test]
fn a_coordinator_that_dies_after_its_halts_is_got_out_of_by_timeout() {
    let mut network = Network::<Bully>::started(5, TIMING, mended);
    network.run(T / 2);
    assert_eq!(network.state(1).halted_by.map(|node| node.get()), Some(5));
    network.crash(5);
    network.run_till(quiet_bound(5), "4 takes over", |network| network.normal_under("1-4", 4));
}

fn two_coordinators_after_a_pause(settings: fn(Settings) -> Settings) -> Network<Bully> {
    let mut network = settled(settings);
    network.pause(5);
    network.run_till(quiet_bound(5), "4 takes over", |network| network.normal_under("1-4", 4));
    network.resume(5);
    assert!(!network.violations.is_empty(), "a pause breaks assumption 9");
    network
}

#[test]
fn hole_b1_to_the_letter_two_coordinators_stay_after_a_pause_until_one_is_ordered() {
    let mut network = two_coordinators_after_a_pause(to_the_letter);
    network.run(Span::from_millis(20_000));
    assert!(network.normal_under("1-4", 4) && network.normal_under("5", 5));
    network.elect(5);
    network.run_till(quiet_bound(5), "5 coordinates", |network| network.normal_under("1-5", 5));
}

#[test]
fn hole_b1_mended_the_higher_of_two_coordinators_elects_by_itself() {
    let mut network = two_coordinators_after_a_pause(mended);
    network.run_till(quiet_bound(5), "5 coordinates", |network| network.normal_under("1-5", 5));
}

#[test]
fn hole_b1_after_a_partition() {
    for (settings, stay) in [(mended as fn(Settings) -> Settings, false), (to_the_letter, true)] {
        let mut network = settled(settings);
        network.partition("1,2", "3-5");
        network.run_till(quiet_bound(5), "2 coordinates", |network| network.normal_under("1,2", 2));
        network.heal();
        network.run(quiet_bound(5));
        let two = network.normal_under("1,2", 2) && network.normal_under("3-5", 5);
        assert_eq!((two, network.normal_under("1-5", 5)), (stay, !stay));
    }
}

/// 5 was cut off and 4 coordinates the others. The first that 5 hears of 4 is garbled into a Halt.
fn a_higher_node_halted_by_a_lower_coordinator(settings: fn(Settings) -> Settings) -> Network<Bully> {
    let mut network = settled(settings);
    network.partition("1-4", "5");
    network.run_till(quiet_bound(5), "4 takes over", |network| network.normal_under("1-4", 4));
    network.heal();
    network.hear(5, 4, Message::Halt { call: call(1) });
    network
}

#[test]
fn hole_b8_to_the_letter_a_higher_node_that_a_lower_coordinator_has_halted_waits_for_ever() {
    let mut network = a_higher_node_halted_by_a_lower_coordinator(to_the_letter);
    network.run(Span::from_millis(20_000));
    assert!(network.normal_under("1-4", 4), "4 gives its elections up at the answer of 5");
    assert_eq!((network.state(5).status, network.state(5).halted_by), (Status::Election, Some(node(4))));
}

#[test]
fn hole_b8_mended_a_lower_node_halts_nobody_above_it() {
    let mut network = a_higher_node_halted_by_a_lower_coordinator(mended);
    assert!(network.normal_under("5", 5));
    network.run_till(quiet_bound(5), "5 coordinates", |network| network.normal_under("1-5", 5));
}

#[test]
fn one_election_keeps_to_the_message_bound() {
    let mut network = Network::<Bully>::started(1, TIMING, mended);
    assert!(network.normal_under("1", 1), "a lab of one needs no message and no time");
    assert_eq!(network.sent, 0);
    network = settled(mended);
    let before = network.sent;
    network.elect(5);
    // The Checks that come due meanwhile find nobody normal, or are not the coordinator's.
    network.run(T + T / 2);
    assert!(network.sent - before <= 6 * 4, "{}", network.sent - before);
}
