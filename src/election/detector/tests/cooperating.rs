//! Cooperative detection: what a watcher makes of the others' words, and what a node does for other watchers.
//!
//! Invariant: a node that answers its watcher is never asked about.

use super::*;

const INQUIRY: Timer = Timer::Inquiry(NodeId::new(1).unwrap());

/// 2 of 4, which reports a node when this many cannot reach it.
fn cooperating(unable: u64) -> Detector {
    let change = |settings: Settings| {
        let word = SettingValue::Word("cooperative".to_owned());
        settings.with(SETTING, word).with(UNABLE.name, SettingValue::Number(unable))
    };
    let mut detector = Detector::begin(&setup::<BullyFd>(2, 4, TIMING, change));
    assert_eq!(acts(&mut detector), []);
    detector
}

/// The same; 1 has left its question unanswered.
fn inquiring(unable: u64) -> Detector {
    let mut detector = cooperating(unable);
    detector.start(nodes("1"));
    detector.time_out(Timer::Ask(node(1)));
    acts(&mut detector);
    detector.time_out(Timer::Answer(node(1)));
    detector
}

fn reached(serial: u32) -> Message {
    Message::Reached { node: node(1), call: call(serial) }
}

fn not_reached(serial: u32) -> Message {
    Message::NotReached { node: node(1), call: call(serial) }
}

fn watches_on() -> Act {
    Act::Set(Timer::Ask(node(1)), PERIOD)
}

#[test]
fn the_others_are_asked_about_a_node_that_does_not_answer() {
    let mut detector = inquiring(2);
    let question = || Message::CanYouReach { node: node(1), call: call(1) };
    let expected = [
        Act::Cancel(Timer::Ask(node(1))),
        Act::Send(node(3), question()),
        Act::Send(node(4), question()),
        Act::Set(INQUIRY, T * 4),
    ];
    assert_eq!(acts(&mut detector), expected);
    assert_eq!((downs(&mut detector), detector.waits_for(INQUIRY)), (vec![], nodes("3,4")));
    detector.hear(node(3), not_reached(1));
    assert_eq!((acts(&mut detector), downs(&mut detector)), (vec![Act::Cancel(INQUIRY)], vec![1]));
    detector.hear(node(4), not_reached(1));
    detector.time_out(INQUIRY);
    assert_eq!((acts(&mut detector), downs(&mut detector)), (vec![], vec![]), "it is reported once");
}

#[test]
fn a_node_that_enough_others_reach_is_not_reported_and_is_asked_again_a_period_later() {
    let mut detector = inquiring(2);
    detector.hear(node(3), reached(1));
    acts(&mut detector);
    detector.hear(node(4), reached(1));
    assert_eq!((acts(&mut detector), downs(&mut detector)), (vec![Act::Cancel(INQUIRY), watches_on()], vec![]));
    let mut detector = inquiring(3);
    detector.hear(node(3), not_reached(1));
    assert_eq!(downs(&mut detector), [0; 0], "two of three");
    detector.hear(node(4), reached(1));
    assert_eq!(downs(&mut detector), [0; 0]);
    let mut detector = inquiring(3);
    detector.hear(node(4), not_reached(1));
    detector.hear(node(3), not_reached(1));
    assert_eq!(downs(&mut detector), [1]);
}

#[test]
fn those_that_do_not_answer_are_left_out() {
    for (heard, reported) in [(None, vec![1]), (Some(not_reached(1)), vec![1]), (Some(reached(1)), vec![])] {
        let mut detector = inquiring(3);
        heard.into_iter().for_each(|word| detector.hear(node(3), word));
        acts(&mut detector);
        detector.time_out(INQUIRY);
        let on = if reported.is_empty() { vec![watches_on()] } else { vec![] };
        assert_eq!((acts(&mut detector), downs(&mut detector)), (on, reported));
    }
}

#[test]
fn where_one_is_enough_nobody_else_is_asked() {
    let mut detector = inquiring(1);
    assert_eq!((acts(&mut detector), downs(&mut detector)), (vec![Act::Cancel(Timer::Ask(node(1)))], vec![1]));
}

#[test]
fn a_word_counts_once_and_for_its_own_inquiry_and_start_and_stop_end_that() {
    let mut detector = inquiring(3);
    for _ in 0..2 {
        detector.hear(node(3), not_reached(1));
    }
    detector.hear(node(4), not_reached(2));
    detector.hear(node(1), not_reached(1));
    assert_eq!(downs(&mut detector), [0; 0]);
    acts(&mut detector);
    detector.start(nodes("1"));
    assert_eq!(acts(&mut detector), [Act::Cancel(INQUIRY), watches_on()]);
    detector.hear(node(4), not_reached(1));
    assert_eq!(downs(&mut detector), [0; 0]);
    let mut detector = inquiring(2);
    acts(&mut detector);
    detector.stop(nodes("1"));
    assert_eq!(acts(&mut detector), [Act::Cancel(INQUIRY)]);
    detector.time_out(INQUIRY);
    assert_eq!(downs(&mut detector), [0; 0]);
}

const ERRAND: Timer = Timer::Errand(NodeId::new(3).unwrap(), NodeId::new(1).unwrap());

/// 2 tries to reach 1 for 3.
fn on_an_errand() -> Detector {
    let mut detector = cooperating(2);
    detector.hear(node(3), Message::CanYouReach { node: node(1), call: call(5) });
    detector
}

#[test]
fn a_node_asks_in_the_name_of_another_and_tells_what_came_of_it() {
    let mut detector = on_an_errand();
    let question = Message::AreYouAliveFor { watcher: node(3), call: call(5) };
    assert_eq!(acts(&mut detector), [Act::Send(node(1), question), Act::Set(ERRAND, T * 2)]);
    assert_eq!(detector.waits_for(ERRAND), nodes("1"));
    detector.hear(node(1), Message::AliveFor { watcher: node(3), call: call(4) });
    assert_eq!(acts(&mut detector), [], "of an earlier inquiry");
    detector.hear(node(1), Message::AliveFor { watcher: node(3), call: call(5) });
    assert_eq!(acts(&mut detector), [Act::Cancel(ERRAND), Act::Send(node(3), reached(5))]);
    detector.time_out(ERRAND);
    assert_eq!(acts(&mut detector), []);
    let mut detector = on_an_errand();
    acts(&mut detector);
    detector.time_out(ERRAND);
    assert_eq!(acts(&mut detector), [Act::Send(node(3), not_reached(5))]);
}

#[test]
fn nobody_is_asked_about_itself_or_about_a_node_that_does_not_exist() {
    let mut detector = cooperating(2);
    for about in [2, 9] {
        detector.hear(node(3), Message::CanYouReach { node: node(about), call: call(5) });
        assert_eq!(acts(&mut detector), []);
    }
}

#[test]
fn a_node_that_plays_dead_to_some_is_silent_to_those_that_ask_in_their_name() {
    let mut detector = on_an_errand();
    detector.play_dead(nodes("3,4"));
    acts(&mut detector);
    detector.hear(node(1), Message::AreYouAliveFor { watcher: node(4), call: call(7) });
    assert_eq!(acts(&mut detector), []);
    detector.hear(node(4), Message::AreYouAliveFor { watcher: node(1), call: call(7) });
    let answer = Message::AliveFor { watcher: node(1), call: call(7) };
    assert_eq!(acts(&mut detector), [Act::Send(node(4), answer)]);
    detector.hear(node(1), Message::AliveFor { watcher: node(3), call: call(5) });
    assert_eq!(acts(&mut detector), [Act::Cancel(ERRAND)], "3 is told nothing");
    detector.hear(node(3), Message::AreYouAlive { call: call(8) });
    assert_eq!(acts(&mut detector), []);
    detector.play_alive();
    detector.hear(node(1), Message::AreYouAliveFor { watcher: node(4), call: call(9) });
    assert_eq!(acts(&mut detector).len(), 1);
}
