//! The ring: each line of the listing by a state, one input and its exact effects, and small networks.
//!
//! Invariant: every line of the listing is cited in a test of this folder.

mod inquiries;
mod networks;

use std::collections::BTreeSet;

use super::card::{self, LISTING};
use super::{Handed, Load, Message, Ring, Timer};
use crate::king_ni::ElectionNumber;
use bench::node;
use bench::{Bench, call, cancel, send, set};
use protocol::{Algorithm, CallNumber, Effect, Incarnation, NodeId, SettingValue, Settings, Span, Timing};

const T: Span = Span::from_millis(200);
const TIMING: Timing = Timing { t: T, check: Span::from_millis(500), silence: Span::from_millis(900) };

type Machine = Bench<Ring>;
type Effects = Vec<Effect<Ring>>;

fn mended(settings: Settings) -> Settings {
    settings
}

fn to_the_letter(settings: Settings) -> Settings {
    settings.with("errata", SettingValue::Flag(false))
}

/// Process 2 of 4, which has just started; its inquiry has number 1, the hand-over of it 2.
fn started(reading: fn(Settings) -> Settings) -> Machine {
    Bench::start(2, 4, TIMING, reading)
}

/// Its inquiry has been handed over.
fn recovering(reading: fn(Settings) -> Settings) -> Machine {
    let mut bench = started(reading);
    bench.hear(3, receipt(2));
    bench
}

/// It has started the first election, and handed elect(2) over; 3 is the next number.
fn electing(reading: fn(Settings) -> Settings) -> Machine {
    let mut bench = recovering(reading);
    bench.elect();
    bench.hear(3, receipt(3));
    bench
}

/// The first election is over: 1 and 2 have taken part, and 2 coordinates.
fn coordinating(reading: fn(Settings) -> Settings) -> Machine {
    let mut bench = electing(reading);
    let number = u64::from(bench.machine.state().election.is_some());
    bench.hear(1, from_left(elect(number, 1)));
    bench.hear(3, receipt(4));
    bench.hear(1, from_left(elect(number, 2)));
    is(&bench, "Normal", Some(2), "1,2");
    bench
}

fn is(bench: &Machine, word: &str, coordinator: Option<u16>, list: &str) {
    let state = bench.machine.state();
    assert_eq!((state.word.as_ref(), state.coordinator), (word, coordinator.map(node)));
    assert_eq!(state.up, list.parse().unwrap());
}

fn election(bench: &Machine) -> Option<u64> {
    bench.machine.state().election
}

fn elect(election: u64, of: u16) -> Load {
    Load::Elect { election: ElectionNumber(election), of: node(of), incarnation: Incarnation(1) }
}

fn hand_over(load: Load, serial: u32) -> Message {
    Message::HandOver { load, hand_over: call(serial) }
}

/// A hand-over of the left neighbour, with a number of its own.
fn from_left(load: Load) -> Message {
    Message::HandOver { load, hand_over: left() }
}

fn left() -> CallNumber {
    CallNumber { incarnation: Incarnation(3), serial: 77 }
}

fn receipt(serial: u32) -> Message {
    Message::Receipt { of: Handed::Elect, hand_over: call(serial) }
}

/// The receipt for the left neighbour's elect.
fn received() -> Effect<Ring> {
    send(1, Message::Receipt { of: Handed::Elect, hand_over: left() })
}

/// The receipt for the left neighbour's inquiry or reply.
fn inquiry_received() -> Effect<Ring> {
    send(1, Message::Receipt { of: Handed::Inquiry, hand_over: left() })
}

/// What 2 does with the first message that it sends to the right when nothing waits.
fn to_right(load: Load, serial: u32) -> Effects {
    vec![set(Timer::Receipt, T), send(3, hand_over(load, serial))]
}

fn back() -> Effect<Ring> {
    set(Timer::Return, TIMING.silence)
}

fn all<const N: usize>(parts: [Effects; N]) -> Effects {
    parts.concat()
}

#[test]
fn every_line_of_the_listing_is_cited_by_a_test() {
    let tests = [include_str!("tests.rs"), include_str!("tests/inquiries.rs")].concat();
    let ends = |c: char| !c.is_ascii_uppercase() && c != '_';
    let cited: BTreeSet<&str> = tests.split("card::").skip(1).map(|rest| rest.split(ends).next().unwrap()).collect();
    for line in LISTING {
        let is_its = |text: &&str| text.contains(&format!(" = {}, \"", line.number));
        let name = include_str!("card.rs").lines().find(is_its).unwrap().trim().split(' ').next().unwrap();
        assert!(cited.contains(name), "{name} is cited by no test");
    }
}

#[test]
fn the_card_states_its_bounds_and_forbids_a_silence_shorter_than_a_lap() {
    let settings = Settings::defaults(card::CARD.settings, "1-4".parse().unwrap());
    let facts = card::CARD.facts(&TIMING, 4, &settings);
    assert_eq!((facts.time_bound, facts.quiet_bound), (Span::from_millis(1600), Span::from_millis(6800)));
    let forbidden = |nodes| {
        let broken = card::CARD.periods.iter().filter(|rule| !(rule.holds)(&TIMING, nodes, &settings));
        broken.map(|rule| rule.key).collect::<Vec<_>>()
    };
    assert_eq!((forbidden(4), forbidden(5)), (vec![], vec!["silence"]));
}

#[test]
fn rule_1_who_detects_a_failure_makes_a_new_list_and_sends_its_number() {
    for (reading, number, waits) in [(mended as fn(_) -> _, 1, vec![back()]), (to_the_letter, 0, vec![])] {
        let mut bench = recovering(reading);
        assert_eq!(bench.elect(), all([waits, to_right(elect(number, 2), 3)]));
        assert_eq!(bench.lines, [card::ORDER, card::START]);
        is(&bench, "Election", None, "2");
        assert_eq!(bench.elect(), [], "it is in one already");
    }
}

#[test]
fn rule_2a_the_first_elect_makes_a_list_of_two_and_the_own_number_goes_first() {
    let mut bench = recovering(to_the_letter);
    let both = vec![send(3, hand_over(elect(0, 1), 4))];
    assert_eq!(bench.hear(1, from_left(elect(0, 1))), all([vec![received()], to_right(elect(0, 2), 3), both]));
    assert_eq!(bench.lines, [card::RECEIPT, card::FIRST]);
    is(&bench, "Election", None, "1,2");
}

#[test]
fn rule_2a_to_the_letter_holds_for_an_orphan_of_ones_own_too() {
    let mut bench = recovering(to_the_letter);
    let orphan = Load::Elect { election: ElectionNumber(0), of: node(2), incarnation: Incarnation(0) };
    let both = vec![send(3, hand_over(orphan, 4))];
    assert_eq!(bench.hear(1, from_left(orphan)), all([vec![received()], to_right(elect(0, 2), 3), both]));
    assert_eq!(bench.lines, [card::RECEIPT, card::FIRST]);
    is(&bench, "Election", None, "2");
    bench.hear(1, from_left(elect(0, 2)));
    assert_eq!(bench.lines, [card::RECEIPT, card::COMPLETE]);
}

#[test]
fn rule_2b_the_number_of_another_is_added_and_passed_on() {
    for (reading, number) in [(mended as fn(_) -> _, 1), (to_the_letter, 0)] {
        let mut bench = electing(reading);
        let passed = all([vec![received()], to_right(elect(number, 4), 4)]);
        assert_eq!(bench.hear(1, from_left(elect(number, 4))), passed);
        assert_eq!(bench.lines, [card::RECEIPT, card::PASS_ON]);
        is(&bench, "Election", None, "2,4");
    }
}

#[test]
fn rule_2c_when_the_own_number_is_back_the_largest_of_the_list_coordinates() {
    for (reading, number, waits) in [(mended as fn(_) -> _, 1, vec![cancel(Timer::Return)]), (to_the_letter, 0, vec![])]
    {
        let mut bench = electing(reading);
        bench.hear(1, from_left(elect(number, 4)));
        assert_eq!(bench.hear(1, from_left(elect(number, 2))), all([vec![received()], waits]));
        assert_eq!(bench.lines, [card::RECEIPT, card::COMPLETE]);
        is(&bench, "Normal", Some(4), "2,4");
    }
}

#[test]
fn the_receipt_ends_the_wait_when_nothing_else_is_in_hand() {
    let mut bench = started(mended);
    bench.hear(1, from_left(elect(1, 1)));
    // In hand are the inquiry, elect(2) and elect(1).
    assert_eq!(bench.hear(3, receipt(2)), [set(Timer::Receipt, T)]);
    assert_eq!(bench.lines, [card::HANDED_OVER]);
    assert_eq!(bench.hear(3, receipt(2)), [], "once");
    assert_eq!(bench.hear(3, receipt(3)), [set(Timer::Receipt, T)]);
    assert_eq!(bench.hear(3, receipt(4)), [cancel(Timer::Receipt)]);
    assert_eq!(bench.machine.waits_for(Timer::Receipt), "-".parse().unwrap());
}

#[test]
fn without_a_receipt_for_t_all_that_is_in_hand_goes_to_the_next_in_its_order() {
    let mut bench = recovering(mended);
    bench.hear(1, from_left(elect(1, 1)));
    assert_eq!(bench.machine.waits_for(Timer::Receipt), "3".parse().unwrap());
    let again = [hand_over(elect(1, 2), 5), hand_over(elect(1, 1), 6)].map(|message| send(4, message));
    assert_eq!(bench.time_out(Timer::Receipt), all([vec![set(Timer::Receipt, T)], again.to_vec()]));
    assert_eq!(bench.lines, [card::SKIP]);
    assert_eq!(bench.machine.waits_for(Timer::Receipt), "4".parse().unwrap());
    assert_eq!(bench.hear(1, from_left(elect(1, 4)))[1..], [send(4, hand_over(elect(1, 4), 7))], "behind them");
    for serial in 5..=7 {
        bench.hear(4, receipt(serial));
    }
    // 3 may be back, so it is tried again.
    bench.time_out(Timer::Return);
    assert_eq!(bench.effects.last(), Some(&send(3, hand_over(elect(2, 2), 8))));
}

#[test]
fn a_later_receipt_does_not_lengthen_the_wait_for_one_that_was_lost() {
    let mut bench = started(mended);
    bench.hear(1, from_left(elect(1, 1)));
    assert_eq!(bench.hear(3, receipt(4)), []);
    assert_eq!(bench.hear(3, receipt(3)), []);
    assert_eq!(bench.machine.waits_for(Timer::Receipt), "3".parse().unwrap());
}

#[test]
fn a_neighbour_that_was_passed_over_and_is_up_has_what_is_next_when_all_receipts_are_there() {
    let mut bench = recovering(mended);
    bench.hear(1, from_left(elect(1, 1)));
    bench.time_out(Timer::Receipt);
    assert_eq!(bench.hear(1, from_left(elect(1, 3))), [received()]);
    assert_eq!(bench.lines, [card::RECEIPT, card::UP_AGAIN, card::PASS_ON]);
    assert_eq!(bench.hear(1, from_left(elect(1, 4))), [received()], "behind it");
    assert_eq!(bench.hear(4, receipt(5)), [set(Timer::Receipt, T)]);
    let held = vec![send(3, hand_over(elect(1, 4), 8))];
    let now = all([vec![cancel(Timer::Receipt)], to_right(elect(1, 3), 7), held]);
    assert_eq!(bench.hear(4, receipt(6)), now);
    // Nobody was passed over, so that nothing has to wait.
    assert_eq!(bench.hear(1, from_left(elect(1, 3))), [received()]);
    assert_eq!(bench.lines, [card::RECEIPT, card::SEEN]);
}

#[test]
fn a_neighbour_that_was_passed_over_for_a_lap_is_tried_again_when_all_receipts_are_there() {
    let mut bench = recovering(mended);
    bench.hear(1, from_left(elect(1, 1)));
    bench.time_out(Timer::Receipt);
    bench.time_out(Timer::Check);
    assert!(bench.lines.is_empty());
    bench.time_out(Timer::Check);
    assert_eq!(bench.lines, [card::OVER_LONG], "two check periods of 500 ms are longer than 4 T of 200 ms");
    assert_eq!(bench.hear(1, from_left(elect(1, 4))), [received()]);
    bench.hear(4, receipt(5));
    let now = all([vec![cancel(Timer::Receipt)], to_right(elect(1, 4), 7)]);
    assert_eq!(bench.hear(4, receipt(6)), now);
}

#[test]
fn who_is_alone_has_everything_back_at_once() {
    let mut bench = recovering(mended);
    bench.hear(1, from_left(elect(1, 1)));
    bench.time_out(Timer::Receipt);
    bench.time_out(Timer::Receipt);
    assert_eq!(bench.time_out(Timer::Receipt), [cancel(Timer::Return)]);
    assert_eq!(bench.lines, [card::SKIP, card::ALONE, card::COMPLETE, card::ALONE]);
    is(&bench, "Normal", Some(2), "1,2");
    let alone: Machine = Bench::start(1, 1, TIMING, mended);
    is(&alone, "Normal", Some(1), "1");
}

#[test]
fn hole_1_mended_a_later_election_is_a_new_one() {
    for mut bench in [electing(mended), coordinating(mended)] {
        bench.hear(1, from_left(elect(5, 4)));
        assert_eq!(bench.lines, [card::RECEIPT, card::HIGHER, card::FIRST]);
        assert!(bench.effects.contains(&back()), "{:?}", bench.effects);
        is(&bench, "Election", None, "2,4");
        assert_eq!(election(&bench), Some(5));
    }
    let mut bench = coordinating(to_the_letter);
    bench.hear(1, from_left(elect(0, 4)));
    assert_eq!(bench.lines, [card::RECEIPT, card::PASS_ON]);
    is(&bench, "Normal", Some(2), "1,2,4");
}

#[test]
fn hole_1_mended_an_earlier_election_ends_in_a_later_one_and_is_answered_with_one_at_rest() {
    let mut bench = electing(mended);
    bench.hear(1, from_left(elect(5, 4)));
    assert_eq!(bench.hear(1, from_left(elect(4, 3))), [received()]);
    assert_eq!(bench.lines, [card::RECEIPT, card::LOWER]);
    bench.hear(1, from_left(elect(5, 2)));
    bench.hear(1, from_left(elect(4, 3)));
    assert_eq!(bench.lines, [card::RECEIPT, card::TAKEN, card::START]);
    assert_eq!(election(&bench), Some(6));
    is(&bench, "Election", None, "2");
}

#[test]
fn hole_2_mended_what_has_been_here_ends_here() {
    let mut bench = electing(mended);
    bench.hear(1, from_left(elect(1, 4)));
    assert_eq!(bench.hear(1, from_left(elect(1, 4))), [received()]);
    assert_eq!(bench.lines, [card::RECEIPT, card::SEEN]);
    bench.hear(1, from_left(elect(1, 2)));
    assert_eq!(bench.hear(1, from_left(elect(1, 4))), [received()], "at rest too");
    assert_eq!(bench.lines, [card::RECEIPT, card::SEEN]);
    let mut bench = electing(to_the_letter);
    bench.hear(1, from_left(elect(0, 4)));
    bench.hear(1, from_left(elect(0, 4)));
    assert_eq!(bench.lines, [card::RECEIPT, card::PASS_ON]);
}

#[test]
fn hole_2_mended_what_an_earlier_life_has_sent_ends_here() {
    let mut bench = electing(mended);
    let earlier = Load::Elect { election: ElectionNumber(1), of: node(2), incarnation: Incarnation(0) };
    assert_eq!(bench.hear(1, from_left(earlier)), [received()]);
    is(&bench, "Election", None, "2");
    let mut bench = recovering(mended);
    assert_eq!(bench.hear(1, from_left(elect(4, 2))), [received()]);
    assert_eq!(bench.lines, [card::RECEIPT, card::SEEN]);
    bench.elect();
    assert_eq!(election(&bench), Some(5), "its number is taken");
    let mut bench = coordinating(mended);
    assert_eq!(bench.hear(1, from_left(elect(4, 2))), [received()]);
    assert_eq!(election(&bench), Some(1), "who knows a coordinator knows of no later election");
}

#[test]
fn hole_3_mended_a_number_that_is_not_back_is_sent_in_a_new_election() {
    let mut bench = electing(mended);
    assert_eq!(bench.machine.waits_for(Timer::Return), "1,3,4".parse().unwrap());
    assert_eq!(bench.time_out(Timer::Return), all([vec![back()], to_right(elect(2, 2), 4)]));
    assert_eq!(bench.lines, [card::SWALLOWED, card::START]);
}

#[test]
fn hole_4_mended_a_number_that_comes_behind_ones_own_begins_a_new_election() {
    let mut bench = coordinating(mended);
    bench.hear(1, from_left(elect(1, 3)));
    assert_eq!(bench.lines, [card::RECEIPT, card::TOO_LATE, card::START]);
    assert_eq!(election(&bench), Some(2));
}

#[test]
fn what_names_processes_that_there_are_not_is_not_passed_on() {
    let mut bench = electing(mended);
    let before = bench.machine.clone();
    let reply = Load::Reply { of: node(2), call: call(1), coordinator: node(9), election: ElectionNumber(1), hops: 4 };
    for (load, received) in [(elect(1, 9), received()), (reply, inquiry_received())] {
        assert_eq!(bench.hear(1, from_left(load)), [received]);
        assert_eq!(bench.machine, before);
    }
}
