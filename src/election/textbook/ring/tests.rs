//! The ring: each line of the listing by a state, one input and its exact effects; elections first, then inquiries.
//!
//! Invariant: what goes round by mistake changes nothing here.

use super::card;
use super::{Message, ReceiptKind, Ring, RingPayload, Timer};
use crate::king_ni::ElectionNumber;
use protocol::{Algorithm, CallNumber, Described, Effect, Incarnation, NodeId, SettingValue, Settings, Span, Timing};
use test_harness::{Bench, call, cancel, node, send, set};

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

/// The inquiry has been handed over.
fn recovering(reading: fn(Settings) -> Settings) -> Machine {
    let mut bench = started(reading);
    bench.hear(3, receipt(2));
    bench
}

/// Has started the first election, and handed elect(2) over; 3 is the next number.
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

fn elect(election: u64, of: u16) -> RingPayload {
    RingPayload::Elect { election: ElectionNumber(election), of: node(of), incarnation: Incarnation(1) }
}

fn hand_over(load: RingPayload, serial: u32) -> Message {
    Message::HandOver { load, hand_over: call(serial) }
}

/// A hand-over of the left neighbour, with a number of its own.
fn from_left(load: RingPayload) -> Message {
    Message::HandOver { load, hand_over: left() }
}

fn left() -> CallNumber {
    CallNumber { incarnation: Incarnation(3), serial: 77 }
}

fn receipt(serial: u32) -> Message {
    Message::Receipt { of: ReceiptKind::Elect, hand_over: call(serial) }
}

/// The receipt for the left neighbour's elect.
fn received() -> Effect<Ring> {
    send(1, Message::Receipt { of: ReceiptKind::Elect, hand_over: left() })
}

/// The receipt for the left neighbour's inquiry or reply.
fn inquiry_received() -> Effect<Ring> {
    send(1, Message::Receipt { of: ReceiptKind::Inquiry, hand_over: left() })
}

/// What 2 does with the first message that it sends to the right when nothing waits.
fn to_right(load: RingPayload, serial: u32) -> Effects {
    vec![set(Timer::Receipt, T), send(3, hand_over(load, serial))]
}

fn back() -> Effect<Ring> {
    set(Timer::Return, TIMING.silence)
}

fn all<const N: usize>(parts: [Effects; N]) -> Effects {
    parts.concat()
}

#[test]
fn the_card_states_its_bounds() {
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
fn rule_1_who_detects_a_failure() {
    for (reading, number, waits) in [(mended as fn(_) -> _, 1, vec![back()]), (to_the_letter, 0, vec![])] {
        let mut bench = recovering(reading);
        assert_eq!(bench.elect(), all([waits, to_right(elect(number, 2), 3)]));
        assert_eq!(bench.lines, [card::ORDER, card::START]);
        is(&bench, "Election", None, "2");
        assert_eq!(bench.elect(), [], "it is in one already");
    }
}

#[test]
fn rule_2a_the_first_elect() {
    let mut bench = recovering(to_the_letter);
    let both = vec![send(3, hand_over(elect(0, 1), 4))];
    assert_eq!(bench.hear(1, from_left(elect(0, 1))), all([vec![received()], to_right(elect(0, 2), 3), both]));
    assert_eq!(bench.lines, [card::RECEIPT, card::FIRST]);
    is(&bench, "Election", None, "1,2");
}

#[test]
fn rule_2a_left_in_holds_for_orphans() {
    let mut bench = recovering(to_the_letter);
    let orphan = RingPayload::Elect { election: ElectionNumber(0), of: node(2), incarnation: Incarnation(0) };
    let both = vec![send(3, hand_over(orphan, 4))];
    assert_eq!(bench.hear(1, from_left(orphan)), all([vec![received()], to_right(elect(0, 2), 3), both]));
    assert_eq!(bench.lines, [card::RECEIPT, card::FIRST]);
    is(&bench, "Election", None, "2");
    bench.hear(1, from_left(elect(0, 2)));
    assert_eq!(bench.lines, [card::RECEIPT, card::COMPLETE]);
}

#[test]
fn rule_2b_the_number_of_another() {
    for (reading, number) in [(mended as fn(_) -> _, 1), (to_the_letter, 0)] {
        let mut bench = electing(reading);
        let passed = all([vec![received()], to_right(elect(number, 4), 4)]);
        assert_eq!(bench.hear(1, from_left(elect(number, 4))), passed);
        assert_eq!(bench.lines, [card::RECEIPT, card::PASS_ON]);
        is(&bench, "Election", None, "2,4");
    }
}

#[test]
fn rule_2c_the_own_number_is_back() {
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
fn the_last_receipt_ends_the_wait() {
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
fn without_a_receipt_the_next_has_all() {
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
fn a_later_receipt_lengthens_no_wait() {
    let mut bench = started(mended);
    bench.hear(1, from_left(elect(1, 1)));
    assert_eq!(bench.hear(3, receipt(4)), []);
    assert_eq!(bench.hear(3, receipt(3)), []);
    assert_eq!(bench.machine.waits_for(Timer::Receipt), "3".parse().unwrap());
}

#[test]
fn a_neighbour_that_is_up_again() {
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
fn a_neighbour_is_tried_after_a_lap() {
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
fn hole_1_mended_a_later_election_is_new() {
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
fn hole_1_mended_an_earlier_election_ends() {
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
fn hole_2_mended_what_comes_again_ends() {
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
fn hole_2_mended_what_is_of_earlier_ends() {
    let mut bench = electing(mended);
    let earlier = RingPayload::Elect { election: ElectionNumber(1), of: node(2), incarnation: Incarnation(0) };
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
fn hole_3_mended_a_lost_number_begins_anew() {
    let mut bench = electing(mended);
    assert_eq!(bench.machine.waits_for(Timer::Return), "1,3,4".parse().unwrap());
    assert_eq!(bench.time_out(Timer::Return), all([vec![back()], to_right(elect(2, 2), 4)]));
    assert_eq!(bench.lines, [card::SWALLOWED, card::START]);
}

#[test]
fn hole_4_mended_a_late_number_begins_anew() {
    let mut bench = coordinating(mended);
    bench.hear(1, from_left(elect(1, 3)));
    assert_eq!(bench.lines, [card::RECEIPT, card::TOO_LATE, card::START]);
    assert_eq!(election(&bench), Some(2));
}

#[test]
fn what_names_nobody_is_not_passed_on() {
    let mut bench = electing(mended);
    let before = bench.machine.clone();
    let reply =
        RingPayload::Reply { of: node(2), call: call(1), coordinator: node(9), election: ElectionNumber(1), hops: 4 };
    for (load, received) in [(elect(1, 9), received()), (reply, inquiry_received())] {
        assert_eq!(bench.hear(1, from_left(load)), [received]);
        assert_eq!(bench.machine, before);
    }
}

fn inquiry(of: u16, serial: u32, election: u64, after: Option<u16>, hops: u16) -> RingPayload {
    RingPayload::Inquiry {
        of: node(of),
        call: call(serial),
        election: ElectionNumber(election),
        after: after.map(node),
        hops,
    }
}

fn reply(of: u16, serial: u32, coordinator: u16, election: u64, hops: u16) -> RingPayload {
    let coordinator: NodeId = node(coordinator);
    RingPayload::Reply { of: node(of), call: call(serial), coordinator, election: ElectionNumber(election), hops }
}

/// 2 follows 4, which was elected in the third election.
fn under_4(reading: fn(Settings) -> Settings) -> Machine {
    let mut bench = recovering(reading);
    bench.hear(1, from_left(reply(2, 1, 4, 3, 2)));
    bench
}

#[test]
fn who_is_back_inquires_who_coordinates() {
    let bench = started(mended);
    assert_eq!(bench.lines, [card::INQUIRE]);
    let sent = to_right(inquiry(2, 1, 0, None, 4), 2);
    assert_eq!(bench.effects, all([vec![set(Timer::Check, TIMING.check), back()], sent.clone()]));
    is(&bench, "Recovering", None, "-");
    assert_eq!(started(to_the_letter).effects, all([vec![set(Timer::Check, TIMING.check)], sent]));
}

#[test]
fn a_reply_names_the_coordinator() {
    for (reading, waits) in [(mended as fn(_) -> _, vec![cancel(Timer::Return)]), (to_the_letter, vec![])] {
        let mut bench = recovering(reading);
        assert_eq!(bench.hear(1, from_left(reply(2, 9, 4, 3, 2))), [inquiry_received()], "to another inquiry");
        assert_eq!(bench.hear(1, from_left(reply(2, 1, 4, 3, 2))), all([vec![inquiry_received()], waits]));
        assert_eq!(bench.lines, [card::RECEIPT, card::TOLD]);
        is(&bench, "Normal", Some(4), "-");
    }
}

#[test]
fn an_inquiry_that_is_back_begins_one() {
    let mut bench = recovering(mended);
    bench.hear(1, from_left(inquiry(2, 1, 0, None, 1)));
    assert_eq!(bench.lines, [card::RECEIPT, card::UNANSWERED, card::START]);
    is(&bench, "Election", None, "2");
    let mut bench = electing(mended);
    assert_eq!(bench.hear(1, from_left(inquiry(2, 1, 0, None, 1))), [inquiry_received()], "it is in one already");
}

#[test]
fn every_check_period_a_follower_inquires_once() {
    let mut bench = under_4(mended);
    let sent = to_right(inquiry(2, 3, 3, Some(4), 4), 4);
    assert_eq!(bench.time_out(Timer::Check), all([vec![set(Timer::Check, TIMING.check), back()], sent]));
    assert_eq!(bench.lines, [card::INQUIRE]);
    assert_eq!(bench.time_out(Timer::Check), [set(Timer::Check, TIMING.check)], "one is under way");
    let mut bench = electing(mended);
    assert_eq!(bench.time_out(Timer::Check), [set(Timer::Check, TIMING.check)], "in an election nobody coordinates");
}

#[test]
fn anothers_inquiry_is_passed_on_or_answered() {
    let mut bench = under_4(mended);
    let passed = to_right(inquiry(3, 9, 1, None, 3), 3);
    assert_eq!(bench.hear(1, from_left(inquiry(3, 9, 1, None, 4))), all([vec![inquiry_received()], passed]));
    assert_eq!(bench.lines, [card::RECEIPT, card::INQUIRY_PASSED]);
    let mut bench = coordinating(mended);
    let answered = to_right(reply(3, 9, 2, 1, 4), 5);
    assert_eq!(bench.hear(1, from_left(inquiry(3, 9, 0, None, 4))), all([vec![inquiry_received()], answered]));
    assert_eq!(bench.lines, [card::RECEIPT, card::INQUIRY_ANSWERED]);
}

#[test]
fn copies_of_two_inquiries_end_here() {
    let mut bench = under_4(mended);
    let lines = |bench: &mut Machine, serial| {
        bench.hear(1, from_left(inquiry(3, serial, 1, None, 4)));
        bench.lines.clone()
    };
    assert_eq!(lines(&mut bench, 9), [card::RECEIPT, card::INQUIRY_PASSED]);
    assert_eq!(lines(&mut bench, 200), [card::RECEIPT, card::INQUIRY_PASSED], "9, garbled");
    assert_eq!(lines(&mut bench, 12), [card::RECEIPT, card::INQUIRY_PASSED]);
    assert_eq!(lines(&mut bench, 9), [card::RECEIPT, card::COPY]);
    assert_eq!(lines(&mut bench, 12), [card::RECEIPT, card::COPY]);
    for _ in 0..2 {
        bench.time_out(Timer::Check);
    }
    assert_eq!(lines(&mut bench, 200).last(), Some(&card::COPY));
    bench.time_out(Timer::Check);
    assert_eq!(lines(&mut bench, 200).last(), Some(&card::INQUIRY_PASSED), "no copy can be under way any more");
}

#[test]
fn anothers_reply_is_passed_on() {
    let mut bench = under_4(mended);
    let passed = to_right(reply(3, 9, 4, 3, 1), 3);
    assert_eq!(bench.hear(1, from_left(reply(3, 9, 4, 3, 2))), all([vec![inquiry_received()], passed]));
    assert_eq!(bench.lines, [card::RECEIPT, card::REPLY_PASSED]);
}

#[test]
fn hole_2_mended_what_has_gone_round_ends() {
    for load in [inquiry(3, 9, 1, None, 1), reply(3, 9, 4, 3, 1), reply(3, 9, 4, 3, 0)] {
        let mut bench = under_4(mended);
        assert_eq!(bench.hear(1, from_left(load)), [inquiry_received()]);
        assert_eq!(bench.lines, [card::RECEIPT, card::SPENT]);
        let mut bench = under_4(to_the_letter);
        assert_eq!(bench.hear(1, from_left(load)).last(), Some(&send(3, hand_over(load, 3))), "and to the letter not");
    }
    // An inquiry that was garbled into more hops goes round once from here.
    let mut bench = under_4(mended);
    bench.hear(1, from_left(inquiry(3, 9, 1, None, 60_000)));
    assert_eq!(bench.effects.last(), Some(&send(3, hand_over(inquiry(3, 9, 1, None, 3), 3))));
}

#[test]
fn hole_2_mended_a_copy_ends_here() {
    for copy in [inquiry(3, 9, 1, None, 4), reply(3, 9, 4, 3, 4)] {
        let mut bench = under_4(mended);
        bench.hear(1, from_left(inquiry(3, 9, 1, None, 4)));
        assert_eq!(bench.hear(1, from_left(copy)), [inquiry_received()]);
        assert_eq!(bench.lines, [card::RECEIPT, card::COPY]);
        bench.hear(1, from_left(inquiry(3, 10, 1, None, 4)));
        assert_eq!(bench.lines, [card::RECEIPT, card::INQUIRY_PASSED]);
    }
    let mut bench = coordinating(mended);
    bench.hear(1, from_left(inquiry(3, 9, 0, None, 4)));
    assert_eq!(bench.hear(1, from_left(inquiry(3, 9, 0, None, 4))), [inquiry_received()]);
}

#[test]
fn hole_3_mended_a_lost_inquiry_begins_anew() {
    let mut bench = recovering(mended);
    bench.time_out(Timer::Return);
    assert_eq!(bench.lines, [card::INQUIRY_SWALLOWED, card::START]);
    let mut bench = coordinating(mended);
    bench.time_out(Timer::Check);
    bench.hear(3, receipt(6));
    assert_eq!(bench.time_out(Timer::Return), [], "a coordinator asks again at the next Check");
    assert_eq!(bench.time_out(Timer::Check).len(), 4);
}

#[test]
fn hole_4_mended_who_follows_passes_it_on() {
    let mut bench = under_4(mended);
    let passed = to_right(elect(3, 1), 3);
    assert_eq!(bench.hear(1, from_left(elect(3, 1))), all([vec![received()], passed]));
    assert_eq!(bench.lines, [card::RECEIPT, card::NO_PART]);
    is(&bench, "Normal", Some(4), "-");
}

/// 1 was cut off, elected itself in the third election, and was met again; 4 does not know that the number is taken.
#[test]
fn hole_4_mended_who_is_outranked_begins() {
    let mut bench = recovering(mended);
    bench.hear(1, from_left(reply(2, 1, 1, 3, 2)));
    bench.hear(1, from_left(elect(3, 4)));
    assert_eq!(bench.lines, [card::RECEIPT, card::TOO_LATE, card::START]);
    is(&bench, "Election", None, "2");
}

#[test]
fn hole_5_mended_a_coordinator_inquires_too() {
    let mut bench = coordinating(mended);
    bench.time_out(Timer::Check);
    assert_eq!(bench.lines, [card::INQUIRE]);
    assert_eq!(bench.effects.last(), Some(&send(3, hand_over(inquiry(2, 5, 1, Some(2), 4), 6))));
    assert_eq!(bench.hear(1, from_left(inquiry(2, 5, 1, Some(2), 1))), [inquiry_received(), cancel(Timer::Return)]);
    assert_eq!(bench.lines, [card::RECEIPT, card::STILL_MINE]);
    is(&bench, "Normal", Some(2), "1,2");
    let mut bench = coordinating(to_the_letter);
    assert_eq!(bench.time_out(Timer::Check), [set(Timer::Check, TIMING.check)]);
}

#[test]
fn hole_5_mended_the_later_coordinator_stays() {
    for (election, after, is_answered) in [(1, 3, false), (1, 2, true), (1, 1, true), (0, 4, true), (2, 1, false)] {
        let mut bench = coordinating(mended);
        bench.hear(1, from_left(inquiry(4, 9, election, Some(after), 4)));
        let line = if is_answered { card::INQUIRY_ANSWERED } else { card::OUTRANKED };
        assert_eq!(bench.lines, [card::RECEIPT, line], "{election} {after}");
    }
    let mut bench = coordinating(mended);
    bench.time_out(Timer::Check);
    bench.hear(1, from_left(reply(2, 5, 4, 1, 1)));
    is(&bench, "Normal", Some(4), "1,2");
    let mut bench = coordinating(mended);
    bench.time_out(Timer::Check);
    bench.hear(1, from_left(reply(2, 5, 2, 1, 1)));
    assert_eq!(bench.lines, [card::RECEIPT], "nobody else can say that it coordinates");
}

#[test]
fn hole_2_mended_copies_fill_no_ring() {
    let mut bench = under_4(mended);
    for serial in 10..42 {
        bench.hear(1, from_left(inquiry(3, serial, 1, None, 4)));
        assert_eq!(bench.lines, [card::RECEIPT, card::INQUIRY_PASSED]);
    }
    assert_eq!(bench.hear(1, from_left(inquiry(3, 42, 1, None, 4))), [inquiry_received()]);
    assert_eq!(bench.lines, [card::RECEIPT, card::INQUIRY_PASSED, card::FULL], "32 are in hand of 4 nodes");
}

#[test]
fn what_is_handed_over_is_told_whole() {
    let told = |message: Message| {
        let fields: Vec<String> = message.fields().iter().map(|(name, value)| format!("{name} {value}")).collect();
        format!("{}: {}", message.kind(), fields.join(", "))
    };
    assert_eq!(told(hand_over(elect(1, 4), 8)), "elect: of 4, election 1, handover 1.8");
    let inquiry = hand_over(inquiry(3, 9, 1, Some(2), 4), 8);
    assert_eq!(told(inquiry), "inquiry: of 3, call 1.9, election 1, after 2, handover 1.8");
    let reply = hand_over(reply(3, 9, 4, 5, 2), 8);
    assert_eq!(told(reply), "reply: of 3, call 1.9, coordinator 4, election 5, handover 1.8");
    assert_eq!(told(receipt(8)), "receipt: handover 1.8");
}
