//! The textbook's Bully: each line of the listing by a state, one input and its exact effects.
//!
//! Invariant: what is not said of a reading holds to the letter and mended.

use super::card;
use super::{Message, TextbookBully, Timer};
use protocol::{Algorithm, Effect, SettingValue, Settings, Span, Timing};
use test_harness::{Bench, call, cancel, node, send, set};

const T: Span = Span::from_millis(200);

const TIMING: Timing = Timing { t: T, check: Span::from_millis(500), silence: Span::from_millis(700) };

type Machine = Bench<TextbookBully>;

type Effects = Vec<Effect<TextbookBully>>;

fn mended(settings: Settings) -> Settings {
    settings
}

fn to_the_letter(settings: Settings) -> Settings {
    settings.with("errata", SettingValue::Flag(false))
}

/// Process 2 of 4, in its first election.
fn electing(reading: fn(Settings) -> Settings) -> Machine {
    Bench::start(2, 4, TIMING, reading)
}

/// Has recorded 3.
fn under_3(reading: fn(Settings) -> Settings) -> Machine {
    let mut bench = electing(reading);
    bench.hear(3, Message::Coordinator);
    bench
}

/// Has sent 3 a request.
fn requesting(reading: fn(Settings) -> Settings) -> Machine {
    let mut bench = under_3(reading);
    bench.time_out(Timer::Check);
    bench
}

fn is(bench: &Machine, word: &str, coordinator: Option<u16>) {
    let state = bench.machine.state();
    assert_eq!((state.word.as_ref(), state.coordinator), (word, coordinator.map(node)));
}

fn election(serial: u32) -> Message {
    Message::Election { call: call(serial) }
}

fn answer(serial: u32) -> Message {
    Message::Answer { call: call(serial) }
}

fn request(serial: u32) -> Message {
    Message::Request { call: call(serial) }
}

fn reply(serial: u32, coordinator: Option<u16>) -> Message {
    Message::Reply { call: call(serial), coordinator: coordinator.map(node) }
}

/// What 2 of 4 does when it starts its election of this serial.
fn asks(serial: u32) -> Effects {
    vec![send(4, election(serial)), send(3, election(serial)), set(Timer::Answer, T)]
}

fn after(first: Effects, then: Effects) -> Effects {
    [first, then].concat()
}

#[test]
fn who_is_back_starts_an_election() {
    let bench = electing(mended);
    assert_eq!(bench.lines, [card::RECOVERY, card::ASK]);
    assert_eq!(bench.effects, after(vec![set(Timer::Check, TIMING.check)], asks(1)));
    is(&bench, "Election", None);
    assert_eq!(bench.machine.waits_for(Timer::Answer), "3,4".parse().unwrap());
}

#[test]
fn the_highest_asks_nobody_and_tells_all() {
    let bench: Machine = Bench::start(4, 4, TIMING, mended);
    assert_eq!(bench.lines, [card::RECOVERY, card::ELECT_SELF, card::TELL]);
    let tells = [3, 2, 1].map(|to| send(to, Message::Coordinator));
    assert_eq!(bench.effects, after(vec![set(Timer::Check, TIMING.check)], tells.to_vec()));
    is(&bench, "Normal", Some(4));
}

#[test]
fn without_an_answer_it_elects_itself() {
    let mut bench = electing(mended);
    assert_eq!(bench.time_out(Timer::Answer), [send(1, Message::Coordinator)]);
    assert_eq!(bench.lines, [card::ELECT_SELF, card::TELL]);
    is(&bench, "Normal", Some(2));
}

#[test]
fn an_answer_begins_the_wait_of_t_prime() {
    let mut bench = electing(mended);
    assert_eq!(bench.hear(4, answer(9)), [], "it answers nothing that was asked");
    assert_eq!(bench.hear(4, answer(1)), [cancel(Timer::Answer), set(Timer::Coordinator, TIMING.silence)]);
    assert_eq!(bench.lines, [card::WAIT]);
    is(&bench, "Waiting", None);
    assert_eq!(bench.machine.waits_for(Timer::Coordinator), "4".parse().unwrap());
    assert_eq!(bench.hear(3, answer(1)), []);
}

#[test]
fn without_a_word_it_starts_over() {
    let mut bench = electing(mended);
    bench.hear(4, answer(1));
    let over = after(vec![cancel(Timer::Coordinator)], asks(2));
    assert_eq!(bench.time_out(Timer::Coordinator), over);
    assert_eq!(bench.lines, [card::START_OVER, card::ASK]);
    is(&bench, "Election", None);
}

#[test]
fn the_word_of_a_higher_process_is_recorded() {
    let mut bench = electing(mended);
    assert_eq!(bench.hear(3, Message::Coordinator), [cancel(Timer::Answer)]);
    assert_eq!(bench.lines, [card::RECORD]);
    is(&bench, "Normal", Some(3));
    assert_eq!(bench.hear(4, Message::Coordinator), []);
    is(&bench, "Normal", Some(4));
    assert_eq!(bench.hear(1, Message::Coordinator), [], "no lower one tells a higher one");
    is(&bench, "Normal", Some(4));
    let mut bench = electing(mended);
    bench.hear(4, answer(1));
    assert_eq!(bench.hear(3, Message::Coordinator), [cancel(Timer::Coordinator)]);
    let mut bench = requesting(mended);
    assert_eq!(bench.hear(4, Message::Coordinator), [cancel(Timer::Reply)]);
}

#[test]
fn a_lower_ones_election_is_answered() {
    let mut bench = electing(mended);
    assert_eq!(bench.hear(1, election(8)), [send(1, answer(8))]);
    assert_eq!(bench.lines, [card::ANSWER]);
    bench.hear(3, answer(1));
    assert_eq!(bench.hear(1, election(9)), [send(1, answer(9))], "it is waiting for the outcome");
    assert_eq!(bench.hear(3, election(1)), [], "the page knows no election of a higher process here");
}

#[test]
fn hole_3_left_in_all_join() {
    let mut bench = under_3(to_the_letter);
    assert_eq!(bench.hear(1, election(7)), after(vec![send(1, answer(7))], asks(2)));
    assert_eq!(bench.lines, [card::ANSWER, card::JOIN, card::ASK]);
    is(&bench, "Election", None);
    let mut bench = electing(to_the_letter);
    bench.time_out(Timer::Answer);
    assert_eq!(bench.hear(1, election(7)), after(vec![send(1, answer(7))], asks(2)), "a coordinator too");
    is(&bench, "Election", None);
}

#[test]
fn hole_3_mended_it_asks_its_coordinator_first() {
    let mut bench = under_3(mended);
    let asked = vec![send(1, answer(7)), send(3, request(2)), set(Timer::Reply, T)];
    assert_eq!(bench.hear(1, election(7)), asked);
    assert_eq!(bench.lines, [card::ANSWER, card::ASKS_FIRST]);
    assert_eq!(bench.hear(1, election(8)), [send(1, answer(8))], "one request is enough");
    assert_eq!(bench.time_out(Timer::Check), [set(Timer::Check, TIMING.check)], "for both purposes");
    is(&bench, "Normal", Some(3));
    assert_eq!(bench.time_out(Timer::Reply), after(vec![cancel(Timer::Reply)], asks(3)));
    assert_eq!(bench.lines, [card::FAILED, card::ASK]);
    let mut bench = under_3(mended);
    bench.hear(1, election(7));
    assert_eq!(bench.hear(3, reply(2, Some(3))), [cancel(Timer::Reply)]);
    assert_eq!(bench.lines, [card::REPLIED]);
}

#[test]
fn hole_3_mended_a_coordinator_tells_who_asks() {
    let mut bench = electing(mended);
    bench.time_out(Timer::Answer);
    assert_eq!(bench.hear(1, election(7)), [send(1, answer(7)), send(1, Message::Coordinator)]);
    assert_eq!(bench.lines, [card::ANSWER, card::SAYS_ITSELF]);
    is(&bench, "Normal", Some(2));
}

#[test]
fn the_coordinator_is_asked_each_check_period() {
    let mut bench = under_3(mended);
    let asked = vec![set(Timer::Check, TIMING.check), send(3, request(2)), set(Timer::Reply, T)];
    assert_eq!(bench.time_out(Timer::Check), asked);
    assert_eq!(bench.lines, [card::REQUEST]);
    assert_eq!(bench.machine.waits_for(Timer::Reply), "3".parse().unwrap());
    assert_eq!(bench.hear(3, reply(1, Some(3))), [], "it replies to nothing that was asked");
    assert_eq!(bench.hear(3, reply(2, Some(3))), [cancel(Timer::Reply)]);
    assert_eq!(bench.lines, [card::REPLIED]);
    is(&bench, "Normal", Some(3));
    let mut bench = electing(mended);
    assert_eq!(bench.time_out(Timer::Check), [set(Timer::Check, TIMING.check)], "in an election there is none");
}

#[test]
fn without_a_reply_it_starts_an_election() {
    let mut bench = requesting(mended);
    assert_eq!(bench.time_out(Timer::Reply), after(vec![cancel(Timer::Reply)], asks(3)));
    assert_eq!(bench.lines, [card::FAILED, card::ASK]);
}

#[test]
fn the_operator_orders_an_election_where_none_runs() {
    let mut bench = under_3(mended);
    assert_eq!(bench.elect(), asks(2));
    assert_eq!(bench.lines, [card::ORDER, card::ASK]);
    assert_eq!(bench.elect(), []);
}

#[test]
fn hole_1_left_in_whoever_is_up_replies() {
    for (mut bench, lines) in [(under_3(to_the_letter), [card::REPLY]), (electing(to_the_letter), [card::REPLY])] {
        assert_eq!(bench.hear(1, request(5)), [send(1, reply(5, None))]);
        assert_eq!(bench.lines, lines);
    }
    let mut bench = requesting(to_the_letter);
    assert_eq!(bench.hear(3, reply(2, None)), [cancel(Timer::Reply)]);
    assert_eq!(bench.lines, [card::REPLIED]);
    is(&bench, "Normal", Some(3));
}

#[test]
fn hole_1_mended_it_says_who_coordinates() {
    let mut bench = under_3(mended);
    assert_eq!(bench.hear(1, request(5)), [send(1, reply(5, Some(3)))]);
    assert_eq!(bench.lines, [card::REPLY, card::SAYS_WHO]);
    let mut bench = electing(mended);
    assert_eq!(bench.hear(1, request(5)), [send(1, reply(5, None))]);
    assert_eq!(bench.lines, [card::REPLY]);
}

#[test]
fn hole_1_mended_who_is_referred_records_it() {
    let mut bench = requesting(mended);
    assert_eq!(bench.hear(3, reply(2, Some(4))), [cancel(Timer::Reply)]);
    assert_eq!(bench.lines, [card::REFERRED]);
    is(&bench, "Normal", Some(4));
    let mut bench = requesting(mended);
    assert_eq!(bench.hear(3, reply(2, None)), [cancel(Timer::Reply)]);
    assert_eq!(bench.lines, [card::SAYS_NOBODY]);
    is(&bench, "Normal", Some(3));
    for not_above in [1, 2, 9] {
        let mut bench = requesting(mended);
        assert_eq!(bench.hear(3, reply(2, Some(not_above))), after(vec![cancel(Timer::Reply)], asks(3)));
        assert_eq!(bench.lines, [card::REFERRED_WRONGLY, card::ASK]);
    }
}

#[test]
fn hole_2_mended_a_coordinator_gives_way() {
    let mut bench = electing(mended);
    bench.time_out(Timer::Answer);
    let asked = vec![set(Timer::Check, TIMING.check), send(4, request(2)), send(3, request(2))];
    assert_eq!(bench.time_out(Timer::Check), asked);
    assert_eq!(bench.lines, [card::LOOK_UP]);
    assert_eq!(bench.hear(3, reply(2, None)), [], "it is in an election, and will tell");
    is(&bench, "Normal", Some(2));
    assert_eq!(bench.hear(4, reply(2, Some(4))), after(vec![cancel(Timer::Reply)], asks(3)));
    assert_eq!(bench.lines, [card::OUTRANKED, card::ASK]);
    let mut bench = electing(to_the_letter);
    bench.time_out(Timer::Answer);
    assert_eq!(bench.time_out(Timer::Check), [set(Timer::Check, TIMING.check)], "to the letter it asks nobody");
}

#[test]
fn the_card_states_its_bounds() {
    let settings = Settings::defaults(card::CARD.settings, "1-4".parse().unwrap());
    let facts = card::CARD.facts(&TIMING, 4, &settings);
    assert_eq!((facts.time_bound, facts.quiet_bound), (Span::from_millis(1500), Span::from_millis(3300)));
    let forbidden = |timing: Timing, nodes: u16, settings: Settings| {
        let broken = card::CARD.periods.iter().filter(|rule| !(rule.holds)(&timing, nodes, &settings));
        broken.map(|rule| rule.key).collect::<Vec<_>>()
    };
    assert_eq!(forbidden(TIMING, 256, settings.clone()), [""; 0]);
    assert_eq!(forbidden(Timing { silence: T * 3, ..TIMING }, 4, settings.clone()), ["silence"]);
    assert_eq!(forbidden(Timing { check: T, ..TIMING }, 4, settings.clone()), ["check"]);
    let letter = |nodes| forbidden(TIMING, nodes, to_the_letter(settings.clone()));
    assert_eq!((letter(17), letter(18)), (vec![], vec!["nodes"]), "hole 3");
}
