//! The detectors: what each input makes them want, and whom they report.
//!
//! Invariant: nothing is reported that is not watched, and nothing that a later Start has made void.

use super::*;
use crate::stoller::fd::BullyFd;
use protocol::{CallNumber, Incarnation, SettingValue};
use test_harness::{node, nodes, setup};

const T: Span = Span::from_millis(100);
const PERIOD: Span = Span::from_millis(500);
const TIMING: Timing = Timing { t: T, check: PERIOD, silence: PERIOD };

/// Node 2 of 4, which has just started; what it did at its start is forgotten.
fn begun(choice: &str) -> Detector {
    let word = SettingValue::Word(choice.to_owned());
    let mut detector = Detector::begin(&setup::<BullyFd>(2, 4, TIMING, |settings| settings.with(SETTING, word)));
    detector.acts.list.clear();
    detector
}

fn call(serial: u32) -> CallNumber {
    CallNumber { incarnation: Incarnation(1), serial }
}

/// What it has wanted since the last call.
fn acts(detector: &mut Detector) -> Vec<Act> {
    std::mem::take(&mut detector.acts.list)
}

fn downs(detector: &mut Detector) -> Vec<u16> {
    std::iter::from_fn(|| detector.take_down()).map(NodeId::get).collect()
}

mod asking {
    use super::*;

    #[test]
    fn a_watched_node_is_asked_and_reported() {
        let mut detector = begun("are-you-alive");
        detector.start(nodes("1"));
        assert_eq!(acts(&mut detector), [Act::Set(Timer::Ask(node(1)), PERIOD)]);
        detector.time_out(Timer::Ask(node(1)));
        let question = Message::AreYouAlive { call: call(1) };
        let expected = [
            Act::Send(node(1), question),
            Act::Set(Timer::Answer(node(1)), T * 2),
            Act::Set(Timer::Ask(node(1)), PERIOD),
        ];
        assert_eq!(acts(&mut detector), expected);
        assert_eq!(detector.waits_for(Timer::Answer(node(1))), nodes("1"));
        detector.hear(node(1), Message::Alive { call: call(1) });
        assert_eq!(acts(&mut detector), [Act::Cancel(Timer::Answer(node(1)))]);
        detector.time_out(Timer::Ask(node(1)));
        detector.hear(node(1), Message::Alive { call: call(1) });
        detector.time_out(Timer::Answer(node(1)));
        assert_eq!(downs(&mut detector), [1], "the answer to another question counts for nothing");
        detector.time_out(Timer::Answer(node(1)));
        assert_eq!(downs(&mut detector), [0; 0], "it is reported once");
    }

    #[test]
    fn start_voids_questions_and_stop_ends_them() {
        let mut detector = begun("are-you-alive");
        detector.start(nodes("1"));
        detector.time_out(Timer::Ask(node(1)));
        acts(&mut detector);
        detector.start(nodes("1"));
        let expected = [Act::Cancel(Timer::Answer(node(1))), Act::Set(Timer::Ask(node(1)), PERIOD)];
        assert_eq!(acts(&mut detector), expected);
        detector.stop(nodes("1,3"));
        assert_eq!(acts(&mut detector), [Act::Cancel(Timer::Ask(node(1)))]);
        detector.time_out(Timer::Answer(node(1)));
        assert_eq!(downs(&mut detector), [0; 0]);
    }

    #[test]
    fn who_plays_dead_answers_the_others() {
        let mut detector = begun("are-you-alive");
        detector.play_dead(nodes("3,4"));
        let question = || Message::AreYouAlive { call: call(9) };
        detector.hear(node(3), question());
        assert_eq!(acts(&mut detector), []);
        detector.hear(node(1), question());
        assert_eq!(acts(&mut detector), [Act::Send(node(1), Message::Alive { call: call(9) })]);
        detector.play_alive();
        detector.hear(node(3), question());
        assert_eq!(acts(&mut detector), [Act::Send(node(3), Message::Alive { call: call(9) })]);
    }

    #[test]
    fn a_start_makes_a_report_void() {
        let mut detector = begun("are-you-alive");
        detector.start(nodes("1,3,4"));
        for other in [4, 3, 1] {
            detector.time_out(Timer::Ask(node(other)));
            detector.time_out(Timer::Answer(node(other)));
        }
        detector.start(nodes("3"));
        assert_eq!(downs(&mut detector), [1, 4]);
    }
}

mod saying {
    use super::*;

    #[test]
    fn who_starts_tells_all_that_it_watches_nobody() {
        let settings = |settings: Settings| settings.with(SETTING, SettingValue::Word("i-am-alive".to_owned()));
        let mut detector = Detector::begin(&setup::<BullyFd>(2, 4, TIMING, settings));
        let told = |other| Act::Send(node(other), Message::Unwatch { call: call(1) });
        assert_eq!(acts(&mut detector), [told(1), told(3), told(4)]);
    }

    #[test]
    fn a_watched_node_is_told_and_reported() {
        let mut detector = begun("i-am-alive");
        detector.start(nodes("1"));
        let watch = Act::Send(node(1), Message::Watch { call: call(2) });
        assert_eq!(acts(&mut detector), [watch, Act::Set(Timer::Silence(node(1)), T * 2)]);
        detector.hear(node(1), Message::IAmAlive { call: call(2) });
        assert_eq!(acts(&mut detector), [Act::Set(Timer::Silence(node(1)), PERIOD + T + T / 2)]);
        assert_eq!(detector.waits_for(Timer::Silence(node(1))), nodes("1"));
        detector.time_out(Timer::Silence(node(1)));
        assert_eq!(downs(&mut detector), [1]);
        detector.hear(node(1), Message::IAmAlive { call: call(2) });
        assert_eq!(acts(&mut detector), [Act::Send(node(1), Message::Unwatch { call: call(2) })]);
    }

    /// Section 7: I'm alive rides on Norm?, where that comes often enough.
    #[test]
    fn what_comes_often_shows_it_alive() {
        let with_tau = |tau| {
            let word = SettingValue::Word("i-am-alive".to_owned());
            let timing = Timing { check: tau, ..TIMING };
            let mut detector =
                Detector::begin(&setup::<BullyFd>(2, 4, timing, |settings| settings.with(SETTING, word)));
            for (watcher, serial) in [(1, 7), (3, 5)] {
                detector.hear(node(watcher), Message::Watch { call: call(serial) });
            }
            detector.start(nodes("1"));
            acts(&mut detector);
            detector
        };
        for tau in [T, PERIOD] {
            let mut detector = with_tau(tau);
            detector.shown_to(nodes("3,4"));
            let alive = Act::Send(node(1), Message::IAmAlive { call: call(7) });
            assert_eq!(acts(&mut detector), [Act::Set(Timer::Say, PERIOD), alive], "3 has been shown");
            detector.shown_by(node(1));
            assert_eq!(acts(&mut detector), [Act::Set(Timer::Silence(node(1)), PERIOD + T + T / 2)]);
            detector.shown_by(node(4));
            assert_eq!(acts(&mut detector), [], "nobody watches 4");
            detector.hear(node(1), Message::Unwatch { call: call(7) });
            detector.hear(node(3), Message::Unwatch { call: call(5) });
            acts(&mut detector);
            detector.shown_to(nodes("3,4"));
            assert_eq!(acts(&mut detector), [], "nobody watches this node");
        }
        let mut detector = with_tau(PERIOD + Span::from_nanos(1));
        detector.shown_to(nodes("3,4"));
        detector.shown_by(node(1));
        assert_eq!(acts(&mut detector), [], "too seldom");
    }

    #[test]
    fn whoever_watches_is_told_once_a_period() {
        let mut detector = begun("i-am-alive");
        let alive = |to, serial| Act::Send(node(to), Message::IAmAlive { call: call(serial) });
        detector.hear(node(3), Message::Watch { call: call(5) });
        assert_eq!(acts(&mut detector), [Act::Set(Timer::Say, PERIOD), alive(3, 5)]);
        detector.hear(node(1), Message::Watch { call: call(7) });
        assert_eq!(acts(&mut detector), [alive(1, 7)]);
        detector.play_dead(nodes("3,4"));
        detector.time_out(Timer::Say);
        assert_eq!(acts(&mut detector), [Act::Set(Timer::Say, PERIOD), alive(1, 7)]);
        detector.play_alive();
        detector.time_out(Timer::Say);
        assert_eq!(acts(&mut detector), [Act::Set(Timer::Say, PERIOD), alive(1, 7), alive(3, 5)]);
        detector.hear(node(3), Message::Unwatch { call: call(4) });
        detector.hear(node(1), Message::Unwatch { call: call(7) });
        assert_eq!(acts(&mut detector), [], "an end of an earlier watch ends no later one");
        detector.hear(node(3), Message::Unwatch { call: call(5) });
        assert_eq!(acts(&mut detector), [Act::Cancel(Timer::Say)]);
    }
}

mod listing {
    use super::*;

    fn list(issuer: u16, lap: u32, attended: &str, before: &str) -> Message {
        let (attended, before) = (nodes(attended), nodes(before));
        Message::Attendance(Box::new(Attendance { issuer: node(issuer), lap, attended, before }))
    }

    fn due() -> Act {
        Act::Set(Timer::List, PERIOD + T * 5)
    }

    fn asks(to: u16, serial: u32) -> [Act; 2] {
        let question = Message::AreYouAlive { call: call(serial) };
        [Act::Send(node(to), question), Act::Set(Timer::Answer(node(to)), T * 2)]
    }

    #[test]
    fn who_starts_calls_the_roll() {
        let word = SettingValue::Word("attendance-list".to_owned());
        let settings = |settings: Settings| settings.with(SETTING, word);
        let mut detector = Detector::begin(&setup::<BullyFd>(2, 4, TIMING, settings));
        assert_eq!(acts(&mut detector), [&[due()][..], &asks(1, 1), &asks(3, 2), &asks(4, 3)].concat());
        detector.hear(node(3), Message::Alive { call: call(2) });
        detector.time_out(Timer::Answer(node(4)));
        acts(&mut detector);
        detector.time_out(Timer::Answer(node(1)));
        assert_eq!(downs(&mut detector), [0; 0], "nobody is watched");
        let expected = [Act::Set(Timer::Lap, PERIOD), Act::Send(node(3), list(2, 1, "2", "-"))];
        assert_eq!(acts(&mut detector), expected);
        detector.hear(node(3), list(2, 1, "2,3", "-"));
        assert_eq!(acts(&mut detector), [due()]);
        detector.time_out(Timer::Lap);
        let expected = [Act::Set(Timer::Lap, PERIOD), Act::Send(node(3), list(2, 2, "2", "2,3"))];
        assert_eq!(acts(&mut detector), expected);
        detector.hear(node(1), Message::AreYouAlive { call: call(1) });
        let answer = Act::Send(node(1), Message::Alive { call: call(1) });
        assert_eq!(acts(&mut detector), [answer, Act::Cancel(Timer::Lap)], "1 is there again: the list is its part");
    }

    /// Node 2, with everybody there, and 4 watched.
    fn ring() -> Detector {
        let mut detector = begun("attendance-list");
        for (other, serial) in [(1, 1), (3, 2), (4, 3)] {
            detector.hear(node(other), Message::Alive { call: call(serial) });
        }
        detector.start(nodes("4"));
        detector.hear(node(4), Message::Alive { call: call(4) });
        acts(&mut detector);
        detector
    }

    #[test]
    fn the_list_is_passed_on() {
        let mut detector = ring();
        detector.hear(node(1), list(1, 7, "1", "1-4"));
        assert_eq!(acts(&mut detector), [due(), Act::Send(node(3), list(1, 7, "1,2", "1-4"))]);
        detector.hear(node(1), list(1, 7, "1,2", "1-4"));
        assert_eq!(acts(&mut detector), [], "a list that has been here goes no further");
    }

    #[test]
    fn who_is_not_named_is_asked_and_reported() {
        let mut detector = ring();
        detector.hear(node(1), list(1, 8, "1", "1-3"));
        let expected = [&[due()][..], &asks(4, 5), &[Act::Send(node(3), list(1, 8, "1,2", "1-3"))]].concat();
        assert_eq!(acts(&mut detector), expected);
        detector.time_out(Timer::Answer(node(4)));
        assert_eq!(downs(&mut detector), [4]);
    }

    #[test]
    fn when_no_list_comes_everybody_is_asked() {
        let mut detector = ring();
        detector.time_out(Timer::List);
        assert_eq!(acts(&mut detector), [&[due()][..], &asks(1, 5), &asks(3, 6), &asks(4, 7)].concat());
        assert_eq!(detector.waits_for(Timer::Answer(node(4))), nodes("4"));
        detector.stop(nodes("4"));
        detector.time_out(Timer::Answer(node(4)));
        assert_eq!(downs(&mut detector), [0; 0], "it is watched no more");
    }

    #[test]
    fn a_lap_that_is_lost_has_all_asked() {
        let mut detector = ring();
        detector.time_out(Timer::List);
        detector.time_out(Timer::Answer(node(1)));
        for (other, serial) in [(3, 6), (4, 7)] {
            detector.hear(node(other), Message::Alive { call: call(serial) });
        }
        acts(&mut detector);
        detector.time_out(Timer::Lap);
        let asked = [asks(1, 8), asks(3, 9), asks(4, 10)].concat();
        let lap = [Act::Set(Timer::Lap, PERIOD), Act::Send(node(3), list(2, 2, "2", "-"))];
        assert_eq!(acts(&mut detector), [&asked[..], &lap].concat());
    }
}

/// What a watcher makes of the others' words, and what a node does for other watchers. A node that answers its watcher is
/// never asked about.
mod cooperating {
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
    fn the_others_are_asked_about_the_silent() {
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
    fn a_node_that_others_reach_stays() {
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
    fn a_word_counts_once_for_its_inquiry() {
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
    fn a_node_asks_in_the_name_of_another() {
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
    fn nobody_is_asked_about_itself() {
        let mut detector = cooperating(2);
        for about in [2, 9] {
            detector.hear(node(3), Message::CanYouReach { node: node(about), call: call(5) });
            assert_eq!(acts(&mut detector), []);
        }
    }

    #[test]
    fn who_plays_dead_is_silent_to_messengers() {
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
}
