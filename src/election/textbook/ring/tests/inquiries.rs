//! The inquiry, its reply, and what mends their holes: a state, one input, exact effects.
//!
//! Invariant: what goes round by mistake changes nothing here.

use super::*;
use protocol::Described;

fn inquiry(of: u16, serial: u32, election: u64, after: Option<u16>, hops: u16) -> Load {
    Load::Inquiry { of: node(of), call: call(serial), election: ElectionNumber(election), after: after.map(node), hops }
}

fn reply(of: u16, serial: u32, coordinator: u16, election: u64, hops: u16) -> Load {
    let coordinator: NodeId = node(coordinator);
    Load::Reply { of: node(of), call: call(serial), coordinator, election: ElectionNumber(election), hops }
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
fn an_inquiry_that_is_back_was_answered_by_nobody_and_begins_an_election() {
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
fn anothers_inquiry_is_passed_on_by_all_but_the_coordinator() {
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
fn copies_of_two_inquiries_that_take_turns_end_here() {
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
fn hole_2_mended_a_copy_of_what_was_in_hand_ends_here() {
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
fn hole_3_mended_an_inquiry_that_is_neither_answered_nor_back_begins_an_election() {
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
fn hole_4_mended_who_takes_no_part_lets_an_election_pass() {
    let mut bench = under_4(mended);
    let passed = to_right(elect(3, 1), 3);
    assert_eq!(bench.hear(1, from_left(elect(3, 1))), all([vec![received()], passed]));
    assert_eq!(bench.lines, [card::RECEIPT, card::NO_PART]);
    is(&bench, "Normal", Some(4), "-");
}

/// 1 was cut off, elected itself in the third election, and was met again; 4 does not know that the number is taken.
#[test]
fn hole_4_mended_who_takes_no_part_begins_where_the_coordinator_does_not_outrank_who_does() {
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
fn hole_5_mended_the_coordinator_of_the_later_election_stays_and_of_the_same_one_the_larger() {
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
fn hole_2_mended_copies_that_are_garbled_one_by_one_do_not_fill_the_ring() {
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
