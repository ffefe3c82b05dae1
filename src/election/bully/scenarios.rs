//! Whole runs of Bully over the tests' network. They end as the paper says, or as the notes on its holes say.
//!
//! Invariant: each run keeps every assumption, or the test's name says which it breaks.

use super::{Bully, Message};
use bench::call;
use bench::network::Network;
use bench::{node, nodes};
use protocol::{Algorithm, NodeSet, SettingValue, Settings, Span, Status, Timing};

const T: Span = Span::from_millis(200);
const TIMING: Timing = Timing { t: T, check: Span::from_millis(200), silence: Span::from_millis(1000) };

fn mended(settings: Settings) -> Settings {
    settings
}

fn to_the_letter(settings: Settings) -> Settings {
    settings.with("errata", SettingValue::Flag(false))
}

fn by_the_book(settings: Settings) -> Settings {
    to_the_letter(settings).with("letter", SettingValue::Word("book".to_owned()))
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

/// 3 has halted 2 and 1, and dies before it tells them who coordinates.
fn a_halter_that_died(settings: fn(Settings) -> Settings) -> Network<Bully> {
    let mut network = Network::started(3, TIMING, settings);
    network.run(T / 2);
    network.crash(3);
    network
}

#[test]
fn hole_b2_to_the_letter_of_the_book_those_whom_a_dead_node_has_halted_wait_for_ever() {
    let mut network = a_halter_that_died(by_the_book);
    network.run(Span::from_millis(20_000));
    for halted in [1, 2] {
        let state = network.state(halted);
        assert_eq!((state.status, state.halted_by), (Status::Election, Some(node(3))));
    }
}

#[test]
fn hole_b2_mended_and_in_the_paper_timeout_leads_out_of_election() {
    for settings in [mended, to_the_letter] {
        let mut network = a_halter_that_died(settings);
        network.run_till(quiet_bound(3), "2 takes over", |network| network.normal_under("1,2", 2));
        assert_eq!(network.violations, Vec::<String>::new());
    }
}

/// How many elections 5 completes in ten Check periods when 2 has been dead for long.
fn elections_beside_a_dead_node(settings: fn(Settings) -> Settings) -> u32 {
    let mut network = settled(settings);
    network.crash(2);
    network.run(quiet_bound(5));
    let serial = |network: &Network<Bully>| network.state(5).task.unwrap().serial;
    let before = serial(&network);
    network.run(TIMING.check * 10);
    assert_eq!(network.violations, Vec::<String>::new(), "assertion 1 holds throughout");
    serial(&network) - before
}

#[test]
fn hole_b3_to_the_letter_of_the_book_one_dead_node_makes_every_check_an_election() {
    // From one such Check over its election, which waits one T at its Halts, to the next such Check is three periods at
    // most.
    assert!(elections_beside_a_dead_node(by_the_book) >= 3);
}

#[test]
fn hole_b3_mended_and_in_the_paper_a_dead_node_changes_nothing() {
    for settings in [mended, to_the_letter] {
        assert_eq!(elections_beside_a_dead_node(settings), 0);
    }
}

/// 5 is ordered to elect for a second time. Its first election has told the others that 5 coordinates, and waits for
/// their answers.
fn an_election_beside_another(settings: fn(Settings) -> Settings) -> Network<Bully> {
    let mut network = settled(settings);
    network.elect(5);
    network.run(T + T / 40);
    assert_eq!(network.state(5).status, Status::Reorganization);
    network.elect(5);
    network.run(T / 10);
    network
}

#[test]
fn hole_b4_to_the_letter_of_the_book_the_first_election_makes_its_node_normal_amid_the_second() {
    let mut network = an_election_beside_another(by_the_book);
    let state = network.state(5);
    assert_eq!((state.status, state.up), (Status::Normal, nodes("1-4")), "the second is at its Halts");
    assert!((1..=4).all(|halted| network.state(halted).status == Status::Election));
    network.run_till(quiet_bound(5), "it passes", |network| network.normal_under("1-5", 5));
    assert_eq!(network.violations, Vec::<String>::new());
}

#[test]
fn hole_b4_mended_and_in_the_paper_the_second_election_stops_the_first() {
    for settings in [mended, to_the_letter] {
        let network = an_election_beside_another(settings);
        assert!((1..=5).all(|halted| network.state(halted).status == Status::Election));
    }
}

/// 2 dies as soon as it has been halted; 1 answers NewCoordinator and Ready of 3 twice each.
fn answers_that_come_twice(settings: fn(Settings) -> Settings) -> Network<Bully> {
    let mut network = Network::started(3, TIMING, settings);
    network.run(T / 2);
    network.crash(2);
    network.run(T * 7 / 10);
    network.hear(3, 1, Message::NewCoordinatorAnswer { call: call(3) });
    network.run(T / 5);
    network.hear(3, 1, Message::ReadyAnswer { call: call(4) });
    network
}

#[test]
fn hole_b5_to_the_letter_of_the_book_a_repeated_answer_stands_in_for_a_dead_node() {
    let network = answers_that_come_twice(by_the_book);
    assert!(network.normal_under("1,3", 3));
    assert_eq!(network.state(3).up, nodes("1,2"), "2 has heard nothing");
}

#[test]
fn hole_b5_mended_and_in_the_paper_3_finds_out_that_2_is_silent() {
    for settings in [mended, to_the_letter] {
        let mut network = answers_that_come_twice(settings);
        assert_eq!(network.state(3).status, Status::Reorganization);
        network.run_till(quiet_bound(3), "3 coordinates", |network| network.normal_under("1,3", 3));
        assert_eq!(network.state(3).up, nodes("1"));
    }
}

/// An answer to a NewCoordinator does not say whether it was refused. This is harmless, so no setting mends it.
#[test]
fn hole_b6_in_every_edition_check_finds_who_has_refused() {
    for settings in [mended, to_the_letter, by_the_book] {
        let mut network = settled(settings);
        network.elect(5);
        network.run(T / 2);
        // 2 hears a Halt that 4 sent long ago.
        network.hear(2, 4, Message::Halt { call: call(99) });
        network.run(T * 3 / 4);
        assert!(network.normal_under("1,3-5", 5) && network.state(5).up == nodes("1-4"));
        assert_eq!((network.state(2).status, network.state(2).halted_by), (Status::Election, Some(node(4))));
        network.run_till(quiet_bound(5), "2 is found", |network| network.normal_under("1-5", 5));
        assert_eq!(network.violations, Vec::<String>::new());
    }
}

/// 5 was cut off and 4 coordinates the others. The first message of 4 that 5 hears is garbled into a Halt.
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

fn sequential(settings: Settings) -> Settings {
    settings.with("form", SettingValue::Word("sequential".to_owned()))
}

/// 4 is down. 1 dies when 2 has come to its election point, so 2 begins a second Election. This one returns, because 3
/// has just come up and answers it. 3 waits for an answer of 4, and dies before it halts anybody.
fn an_election_that_returns_in_reorganization(settings: fn(Settings) -> Settings) -> Network<Bully> {
    let mut network = Network::new(4, Timing { silence: T * 10, ..TIMING }, settings);
    network.start(1);
    network.start(2);
    network.run_till(T * 6, "2 coordinates", |network| network.state(2).status == Status::Reorganization);
    network.crash(1);
    network.run(T / 2);
    network.start(3);
    network.run(T * 3 / 5);
    network.crash(3);
    let state = network.state(2);
    assert_eq!((state.status, state.coordinator), (Status::Reorganization, Some(node(2))));
    network
}

#[test]
fn hole_b9_to_the_letter_a_coordinator_whose_election_has_returned_stays_in_reorganization_for_ever() {
    let letters: [fn(Settings) -> Settings; 4] = [
        to_the_letter,
        by_the_book,
        |settings| sequential(to_the_letter(settings)),
        |settings| sequential(by_the_book(settings)),
    ];
    for settings in letters {
        let mut network = an_election_that_returns_in_reorganization(settings);
        network.start(1);
        network.run(Span::from_millis(60_000));
        let state = network.state(2);
        assert_eq!((state.status, state.coordinator), (Status::Reorganization, Some(node(2))));
        assert_eq!(network.state(1).status, Status::Down, "2 answers it, and halts nobody");
        assert_eq!(network.violations, Vec::<String>::new());
    }
}

#[test]
fn hole_b9_mended_timeout_leads_out_in_every_form() {
    for settings in [mended as fn(Settings) -> Settings, sequential] {
        let mut network = an_election_that_returns_in_reorganization(settings);
        network.run_till(T * 20, "2 coordinates itself", |network| network.normal_under("2", 2));
        network.start(1);
        network.run_till(T * 40, "and 1", |network| network.normal_under("1,2", 2));
        assert_eq!(network.violations, Vec::<String>::new());
    }
}

#[test]
fn one_election_keeps_to_the_message_bound() {
    let mut network = Network::<Bully>::started(1, TIMING, mended);
    assert!(network.normal_under("1", 1), "a lab of one needs no message and no time");
    assert_eq!(network.sent, 0);
    network = settled(mended);
    let before = network.sent;
    network.elect(5);
    // A Check that comes due meanwhile sends nothing: only a coordinator that is Normal asks in its Check.
    network.run(T + T / 2);
    assert!(network.sent - before <= 6 * 4, "{}", network.sent - before);
}
