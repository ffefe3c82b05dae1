//! The ring in small networks: its count of messages, dead neighbours, and each hole to the letter and mended.
//!
//! Invariant: a hole's scenario is one function of the reading.

use super::*;
use bench::network::Network;
use protocol::Status;

type Net = Network<Ring>;

fn ring(of: u16, check: Span, reading: fn(Settings) -> Settings) -> Net {
    let timing = Timing { t: T, check, silence: T * u64::from(of) + T / 2 };
    let mut network = Net::started(of, timing, reading);
    network.run(T * (u64::from(of) / 4 + 2));
    assert!(network.normal_under(&format!("1-{of}"), of), "{}", network.picture());
    network
}

/// No inquiry is made while these tests look.
const NEVER: Span = Span::from_millis(10_000_000);

#[test]
fn an_election_takes_n_times_n_messages_and_as_many_receipts() {
    for of in 2..=20 {
        let mut network = ring(of, NEVER, mended);
        let before = network.sent;
        network.elect(of / 2);
        network.run(T * (u64::from(of) / 4 + 2));
        assert!(network.normal_under(&format!("1-{of}"), of));
        let n = usize::from(of);
        assert_eq!(network.sent - before, 2 * n * n);
    }
}

#[test]
fn several_that_begin_at_once_are_in_one_election_of_as_many_messages() {
    let mut network = ring(5, NEVER, mended);
    let before = network.sent;
    [1, 3, 4].into_iter().for_each(|of| network.elect(of));
    network.run(T * 4);
    assert!(network.normal_under("1-5", 5));
    assert_eq!(network.sent - before, 2 * 5 * 5);
}

#[test]
fn an_inquiry_and_its_reply_take_n_messages() {
    let mut network = ring(5, NEVER, mended);
    network.crash(2);
    let before = network.sent;
    network.start(2);
    network.run(T);
    assert!(network.normal_under("1-5", 5), "{}", network.picture());
    assert_eq!(network.sent - before, 2 * 5);
}

#[test]
fn dead_neighbours_are_passed_over() {
    for reading in [mended as fn(_) -> _, to_the_letter] {
        let mut network = ring(6, T * 4, reading);
        network.crash(3);
        network.crash(4);
        network.run(T * 30);
        assert!(network.normal_under("1,2,5,6", 6), "{}", network.picture());
    }
    let mut network = ring(6, T * 4, mended);
    [2, 3, 6].into_iter().for_each(|of| network.crash(of));
    network.run(T * 40);
    assert!(network.normal_under("1,4,5", 5), "{}", network.picture());
    [1, 5].into_iter().for_each(|of| network.crash(of));
    network.run(T * 40);
    assert!(network.normal_under("4", 4), "{}", network.picture());
}

#[test]
fn who_is_back_follows_and_takes_over_at_the_next_election() {
    let mut network = ring(4, T * 4, mended);
    network.crash(4);
    network.run(T * 20);
    assert!(network.normal_under("1-3", 3), "{}", network.picture());
    network.start(4);
    network.run(T * 20);
    assert!(network.normal_under("1-4", 3), "{}", network.picture());
    network.elect(1);
    network.run(T * 2);
    assert!(network.normal_under("1-4", 4), "{}", network.picture());
}

/// 4 dies, and 2 begins.
fn second_election(reading: fn(Settings) -> Settings) -> Net {
    let mut network = ring(4, NEVER, reading);
    network.crash(4);
    network.elect(2);
    network.run(T * 8);
    network
}

#[test]
fn hole_1_second_election() {
    let network = second_election(to_the_letter);
    assert!(network.normal_under("2", 2) && network.normal_under("1,3", 4), "{}", network.picture());
    let network = second_election(mended);
    assert!(network.normal_under("1-3", 3), "{}", network.picture());
}

/// 3 begins, and dies when its number has left it.
fn orphan(reading: fn(Settings) -> Settings) -> Net {
    let mut network = ring(4, NEVER, reading);
    network.elect(3);
    network.crash(3);
    network.run(T * 20);
    network
}

#[test]
fn hole_2_orphan() {
    let mut network = orphan(to_the_letter);
    let before = network.sent;
    network.run(T * 20);
    assert!(network.sent - before > 20, "it goes round and round: {}", network.sent - before);
    let mut network = orphan(mended);
    let before = network.sent;
    network.run(T * 20);
    assert_eq!(network.sent - before, 0, "{}", network.picture());
}

/// 2 begins; 3 dies with elect(2) in its hand, after it has given a receipt for it.
fn swallowed(reading: fn(Settings) -> Settings) -> Net {
    let mut network = ring(4, T * 4, reading);
    network.delay(3, 4, T / 2);
    network.cut("3", "4");
    network.elect(2);
    network.run(T / 5);
    network.crash(3);
    network.run(T);
    network.heal();
    network.run(T * 40);
    network
}

#[test]
fn hole_3_swallowed() {
    let network = swallowed(to_the_letter);
    assert_eq!(network.state(2).status, Status::Election, "{}", network.picture());
    let network = swallowed(mended);
    assert!(network.normal_under("1,2,4", 4), "{}", network.picture());
}

/// 2 begins while 3 is dead, and 3 is back when elect(2) has passed its place and elect(1) has not. 1 has a new life,
/// in which it has seen no elect.
fn latecomer(reading: fn(Settings) -> Settings) -> Net {
    let mut network = ring(3, T * 4, reading);
    network.crash(1);
    network.start(1);
    network.run(T);
    assert!(network.normal_under("1-3", 3), "{}", network.picture());
    network.crash(3);
    network.elect(2);
    network.run_till(T * 2, "1 has elect(2)", |network| network.state(1).status == Status::Election);
    network.start(3);
    network.run(T * 60);
    network
}

#[test]
fn hole_4_latecomer() {
    let network = latecomer(to_the_letter);
    assert!(network.normal_under("2", 2) && network.normal_under("3", 3), "{}", network.picture());
    let network = latecomer(mended);
    assert!(network.normal_under("1-3", 3), "{}", network.picture());
}

/// 1 and 2 cannot hear 3 and 4 for a while.
fn parted(reading: fn(Settings) -> Settings) -> Net {
    let mut network = ring(4, T * 4, reading);
    network.partition("1,2", "3,4");
    network.run(T * 40);
    assert!(network.normal_under("3,4", 4), "{}", network.picture());
    network.heal();
    network.run(T * 60);
    network
}

#[test]
fn hole_5_parted() {
    let network = parted(to_the_letter);
    assert!(network.normal_under("4", 4) && !network.normal_under("1-4", 4), "{}", network.picture());
    // The election of 1 and 2 is the later one, and 2 the largest of those that took part in it.
    let network = parted(mended);
    assert!(network.normal_under("1-4", 2), "{}", network.picture());
}
