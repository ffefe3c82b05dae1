//! Bully by the book (Chow and Johnson 1997, listings 10.18 to 10.20): holes B2 to B7, one input each.
//!
//! Invariant: every line of the listing that begins with "The book" is cited here.

use super::*;

fn by_the_book(mut bench: Bench<Bully>) -> Bench<Bully> {
    bench.machine.mends = letter_of::<Bully>("book");
    bench
}

#[test]
fn hole_b2_timeout_does_nothing() {
    for mut bench in [down(), candidate(), halted()].map(by_the_book) {
        assert_eq!(bench.time_out(Timer::Timeout), [set(Timer::Timeout, TIMING.silence)]);
        assert_eq!(bench.lines, [line::TIMEOUT_NOTHING]);
    }
}

#[test]
fn hole_b3_check_elects_for_who_is_silent() {
    let checking = || {
        let mut bench = by_the_book(coordinator());
        bench.time_out(Timer::Check);
        bench
    };
    let normal = Message::AreYouNormalAnswer { call: call(5), normal: YesOrNo::Yes };
    let mut bench = checking();
    assert_eq!(bench.hear(2, normal.clone()), [], "a member");
    bench.time_out(Timer::AreYouNormal);
    assert_eq!(bench.lines, [line::CHECK_NOT_IN_UP, line::ELECTION_ASK], "1 and 4 are silent, as the dead are");
    let mut bench = checking();
    bench.hear(1, normal);
    assert_eq!(bench.lines, [line::CHECK_NOT_IN_UP, line::ELECTION_ASK]);
    let mut bench = checking();
    bench.hear(2, Message::AreYouNormalAnswer { call: call(5), normal: YesOrNo::No });
    assert_eq!(bench.lines, [line::CHECK_NO, line::ELECTION_ASK]);
}

#[test]
fn hole_b3_another_check_leaves_the_wait() {
    let mut bench = by_the_book(coordinator());
    bench.time_out(Timer::Check);
    assert_eq!(bench.time_out(Timer::Check), [set(Timer::Check, TIMING.check)]);
}

#[test]
fn hole_b4_election_does_not_stop() {
    let mut bench = by_the_book(announcing());
    bench.elect();
    bench.time_out(Timer::AreYouThere);
    assert_eq!(bench.lines, [line::ELECTION_NO_STOP, line::ELECTION_HALT]);
    assert_eq!(bench.machine.waits_for(Timer::NewCoordinator), nodes("2"), "the first goes on");
    bench.hear(2, Message::NewCoordinatorAnswer { call: call(3) });
    let expected = [line::ELECTION_COUNT, line::ELECTION_READY, line::ELECTION_NORMAL];
    assert_eq!((bench.lines.as_slice(), state(&bench).status), (expected.as_slice(), Status::Normal));
    assert_eq!(bench.machine.waits_for(Timer::Halt), nodes("1,2"), "and so does the second");
}

#[test]
fn hole_b5_answers_are_counted_whoever_gives_them() {
    let mut bench = by_the_book(announcing());
    bench.hear(1, Message::NewCoordinatorAnswer { call: call(99) });
    assert_eq!(bench.lines, [line::ELECTION_COUNT, line::ELECTION_READY], "1 for 2");
    bench.hear(4, Message::ReadyAnswer { call: call(98) });
    assert_eq!(bench.lines, [line::ELECTION_COUNT, line::ELECTION_NORMAL], "4 for 2");
    assert_eq!(bench.hear(2, Message::ReadyAnswer { call: call(4) }), [], "nobody counts any more");
}

#[test]
fn hole_b7_recovery_keeps_h() {
    let book = |settings: Settings| {
        settings.with("errata", SettingValue::Flag(false)).with("letter", SettingValue::Word("book".to_owned()))
    };
    let mut bench: Bench<Bully> = Bench::start(3, 4, TIMING, book);
    bench.hear(4, Message::Halt { call: call(9) });
    let cells = SafeCells::clone(&bench.machine.cells);
    let mut bench = bench.recovered(cells.clone());
    assert_eq!((SafeCells::clone(&bench.machine.cells), cells.halted_by), (cells.clone(), Some(node(4))));
    assert_eq!(bench.lines, [line::RECOVERY_KEEPS_H, line::ELECTION_ASK]);
    bench.hear(4, Message::NewCoordinator { call: call(10) });
    assert_eq!(
        (bench.lines.as_slice(), state(&bench).status),
        ([line::NEW_COORDINATOR_REFUSED].as_slice(), Status::Down)
    );
}

#[test]
fn hole_b7_recovery_makes_its_node_down() {
    let mut bench = by_the_book(member());
    bench.order(Order::StartOver);
    assert_eq!(bench.lines, [line::ORDER_START_OVER, line::RECOVERY_KEEPS_H, line::ELECTION_ASK]);
    assert_eq!((state(&bench).status, state(&bench).halted_by), (Status::Down, Some(node(4))));
}

#[test]
fn errata_mends_whatever_the_letter_is() {
    let settings = |settings: Settings| settings.with("letter", SettingValue::Word("book".to_owned()));
    let bench: Bench<Bully> = Bench::start(3, 4, TIMING, settings);
    assert!(Bully::CARD.holes().iter().all(|hole| bench.machine.mends.has(hole.place)));
}
