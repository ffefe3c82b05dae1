//! The textbook's Bully: each line of the listing by a state, one input and its exact effects, and small networks.
//!
//! Invariant: every line of the listing is cited in a test of this file.

use std::collections::BTreeSet;

use super::card::{self, LISTING};
use super::{Message, TextbookBully, Timer};
use bench::network::Network;
use bench::node;
use bench::{Bench, call, cancel, send, set};
use protocol::{Algorithm, Effect, SettingValue, Settings, Span, Status, Timing};

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

/// It has recorded 3.
fn under_3(reading: fn(Settings) -> Settings) -> Machine {
    let mut bench = electing(reading);
    bench.hear(3, Message::Coordinator);
    bench
}

/// It has sent 3 a request.
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
fn every_line_of_the_listing_is_cited_by_a_test() {
    let tests = include_str!("tests.rs");
    let source = include_str!("card.rs");
    let cited: BTreeSet<&str> = tests
        .split("card::")
        .skip(1)
        .map(|rest| rest.split(|c: char| !c.is_ascii_uppercase() && c != '_').next().unwrap())
        .collect();
    for line in LISTING {
        let name =
            source.lines().find_map(|text| text.trim().split_once(&format!(" = {}, \"", line.number))).unwrap().0;
        assert!(cited.contains(name), "{name} is cited by no test");
    }
}

#[test]
fn who_starts_or_is_back_starts_an_election_at_once() {
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
fn after_t_without_an_answer_it_elects_itself_and_tells_all_lower() {
    let mut bench = electing(mended);
    assert_eq!(bench.time_out(Timer::Answer), [send(1, Message::Coordinator)]);
    assert_eq!(bench.lines, [card::ELECT_SELF, card::TELL]);
    is(&bench, "Normal", Some(2));
}

#[test]
fn an_answer_begins_the_wait_of_t_prime_and_another_changes_nothing() {
    let mut bench = electing(mended);
    assert_eq!(bench.hear(4, answer(9)), [], "it answers nothing that was asked");
    assert_eq!(bench.hear(4, answer(1)), [cancel(Timer::Answer), set(Timer::Coordinator, TIMING.silence)]);
    assert_eq!(bench.lines, [card::WAIT]);
    is(&bench, "Waiting", None);
    assert_eq!(bench.machine.waits_for(Timer::Coordinator), "4".parse().unwrap());
    assert_eq!(bench.hear(3, answer(1)), []);
}

#[test]
fn after_t_prime_without_a_word_it_starts_over() {
    let mut bench = electing(mended);
    bench.hear(4, answer(1));
    let over = after(vec![cancel(Timer::Coordinator)], asks(2));
    assert_eq!(bench.time_out(Timer::Coordinator), over);
    assert_eq!(bench.lines, [card::START_OVER, card::ASK]);
    is(&bench, "Election", None);
}

#[test]
fn the_word_of_a_higher_process_is_recorded_in_every_state() {
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
fn a_lower_ones_election_is_answered_where_one_runs() {
    let mut bench = electing(mended);
    assert_eq!(bench.hear(1, election(8)), [send(1, answer(8))]);
    assert_eq!(bench.lines, [card::ANSWER]);
    bench.hear(3, answer(1));
    assert_eq!(bench.hear(1, election(9)), [send(1, answer(9))], "it is waiting for the outcome");
    assert_eq!(bench.hear(3, election(1)), [], "the page knows no election of a higher process here");
}

#[test]
fn hole_3_to_the_letter_a_lower_ones_election_is_joined_by_whoever_is_at_rest() {
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
fn hole_3_mended_it_begins_none_before_its_coordinator_is_silent() {
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
fn hole_3_mended_a_coordinator_tells_the_one_that_asks() {
    let mut bench = electing(mended);
    bench.time_out(Timer::Answer);
    assert_eq!(bench.hear(1, election(7)), [send(1, answer(7)), send(1, Message::Coordinator)]);
    assert_eq!(bench.lines, [card::ANSWER, card::SAYS_ITSELF]);
    is(&bench, "Normal", Some(2));
}

#[test]
fn the_coordinator_is_sent_a_request_each_check_period() {
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
fn a_request_without_a_reply_for_t_starts_an_election() {
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
fn hole_1_to_the_letter_a_process_replies_because_it_is_up() {
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
fn hole_1_mended_who_is_asked_as_coordinator_and_is_none_says_who_is() {
    let mut bench = under_3(mended);
    assert_eq!(bench.hear(1, request(5)), [send(1, reply(5, Some(3)))]);
    assert_eq!(bench.lines, [card::REPLY, card::SAYS_WHO]);
    let mut bench = electing(mended);
    assert_eq!(bench.hear(1, request(5)), [send(1, reply(5, None))]);
    assert_eq!(bench.lines, [card::REPLY]);
}

#[test]
fn hole_1_mended_who_is_told_of_another_records_it() {
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
fn hole_2_mended_a_coordinator_asks_the_higher_ones_and_gives_way_to_a_reply() {
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
fn the_card_states_its_bounds_and_what_it_forbids() {
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

/// The page's eight steps.
#[test]
fn the_example_of_the_page() {
    let mut network = Network::<TextbookBully>::started(4, TIMING, to_the_letter);
    network.run(T * 3);
    assert!(network.normal_under("1-4", 4), "{}", network.picture());
    network.crash(1);
    network.crash(4);
    network.run_till(T * 5, "3 leads 2", |network| network.normal_under("2,3", 3));
    network.start(1);
    network.run_till(T, "3 is in an election", |network| network.state(3).status == Status::Election);
    network.run_till(T * 2, "3 leads 1 and 2", |network| network.normal_under("1-3", 3));
    let before = network.sent;
    network.start(4);
    network.run(T / 20);
    assert!(network.normal_under("1-4", 4), "{}", network.picture());
    assert_eq!(network.sent - before, 3, "4 sends no election requests");
}

/// The page counts n*n messages for an election. The highest has failed, and the lowest begins: each asks all higher
/// ones and gets answers from those that are up, and one tells all.
#[test]
fn an_election_takes_no_more_than_n_times_n_messages() {
    for of in 2..=17 {
        let mut network = Network::<TextbookBully>::started(of, Timing { check: T * 50, ..TIMING }, to_the_letter);
        network.run(T * 4);
        network.crash(of);
        let before = network.sent;
        network.elect(1);
        network.run(T * 4);
        assert!(network.normal_under(&format!("1-{}", of - 1), of - 1), "{}", network.picture());
        let n = usize::from(of);
        assert_eq!(network.sent - before, (n - 1) * (n - 1) + (n - 2));
        assert!(network.sent - before < n * n);
    }
}

/// 3 tells 2 slowly that it coordinates; 4 is back, and tells 2 fast.
fn slow_word(reading: fn(Settings) -> Settings) -> Network<TextbookBully> {
    let mut network = Network::<TextbookBully>::started(4, TIMING, reading);
    network.run(T * 3);
    network.delay(3, 2, T / 2);
    network.crash(4);
    network.elect(3);
    network.run(T + T / 20);
    assert_eq!(network.state(3).coordinator, Some(node(3)));
    network.start(4);
    network.run(T * 40);
    network
}

#[test]
fn hole_1_slow_word() {
    let network = slow_word(to_the_letter);
    assert!(network.normal_under("2", 3) && network.normal_under("1,3,4", 4), "{}", network.picture());
    let network = slow_word(mended);
    assert!(network.normal_under("1-4", 4), "{}", network.picture());
}

/// 1 and 2 cannot hear 3 and 4 for a while.
fn parted(reading: fn(Settings) -> Settings) -> Network<TextbookBully> {
    let mut network = Network::<TextbookBully>::started(4, TIMING, reading);
    network.run(T * 3);
    network.partition("1,2", "3,4");
    network.run(T * 10);
    assert!(network.normal_under("1,2", 2) && network.normal_under("3,4", 4), "{}", network.picture());
    network.heal();
    network.run(T * 40);
    network
}

#[test]
fn hole_2_parted() {
    let network = parted(to_the_letter);
    assert!(network.normal_under("1,2", 2) && network.normal_under("3,4", 4), "{}", network.picture());
    let network = parted(mended);
    assert!(network.normal_under("1-4", 4), "{}", network.picture());
}
