//! What is expected, and what is not.

use super::stage::{BULLY, INVITATION, KING_NI, Session, excused};
use fault::LinkRule;
use protocol::{Assumption, CRITERION, Property, SettingValue, Status};
use record::{Body, BrokenBy, Missed, Origin};

fn parts() -> Option<LinkRule> {
    "partition 1,2|3-5".parse().ok()
}

#[test]
fn an_expectation_has_twice_the_time_and_never_under_ten_t() {
    let mut session = Session::new(&BULLY);
    session.agree(0.9, "1-5", 5, 1);
    session.crash(3.0, "crash 5", "5");
    session.agree(4.6, "1-4", 4, 1);
    session.end(9.0);
    let expected = session.expectations();
    assert_eq!(expected[0], ("coordinator 5".into(), None, 2.0));
    assert_eq!(expected[1], ("coordinator 4".into(), Some("crash 5".into()), 3.2));
}

#[test]
fn of_real_processes_a_step_comes_later_if_an_expectation_before_it_needs_the_time() {
    let mut session = Session::new(&BULLY);
    session.agree(0.9, "1-5", 5, 1);
    session.crash(3.0, "crash 5", "5");
    session.agree(4.6, "1-4", 4, 1);
    // Within 3.2 s of the crash, and 1.7 s after it something else is ordered, and 30 ms later again.
    session.crash(4.7, "crash 1", "1");
    session.order(4.73, "elect 2", "2", None);
    session.end(9.0);
    let times: Vec<f64> = session.steps().into_iter().map(|(at, _)| at).collect();
    assert_eq!(times, [3.0, 6.2, 6.23, 10.5]);
    assert!(session.after("crash 1").is_empty(), "30 ms later nobody can tell what comes of it");
    assert!(session.text().contains("the steps come later here: by 1.5s in all"));
}

#[test]
fn in_virtual_time_every_step_keeps_its_time_and_what_had_not_twice_as_long_is_left_out() {
    let mut session = Session::new(&BULLY);
    session.head.origin = Origin::Simulated;
    session.agree(0.9, "1-5", 5, 1);
    session.crash(3.0, "crash 5", "5");
    session.agree(4.6, "1-4", 4, 1);
    // It took 1.6 s, and 1.7 s after the crash something else is ordered, and 30 ms later again.
    session.crash(4.7, "crash 1", "1");
    session.order(4.73, "elect 2", "2", None);
    // It took 0.5 s, and has 1.2 s.
    session.agree(5.23, "2-4", 4, 2);
    session.order(5.93, "elect 3", "3", None);
    session.agree(7.0, "2-4", 4, 3);
    session.end(9.0);
    let times: Vec<f64> = session.steps().into_iter().map(|(at, _)| at).collect();
    assert_eq!(times, [3.0, 4.7, 4.73, 5.93, 9.0]);
    let nothing: [&str; 0] = [];
    assert_eq!((session.after("crash 5"), session.after("crash 1")), (nothing.map(str::to_owned).into(), Vec::new()));
    let until_next = session.expectations().into_iter().find(|(_, after, _)| after.as_deref() == Some("elect 2"));
    assert_eq!(until_next, Some(("coordinator 4".into(), Some("elect 2".into()), 1.2)));
    let text = session.text().replace("\n#  ", "");
    let told = "- `coordinator 4` is not expected at 3.000 s: it came after 1.6s, and the next order after 1.7s, which is \
                less than twice as long.";
    assert!(text.contains(told), "{text}");
}

#[test]
fn virtual_time_comes_again_to_the_nanosecond() {
    for (origin, at) in [(Origin::Live, 3.001), (Origin::Simulated, 3.001_234_567)] {
        let mut session = Session::new(&BULLY);
        session.head.origin = origin;
        session.crash(3.001_234_567, "crash 5", "5");
        session.end(9.0);
        assert_eq!(session.steps()[0].0, at);
    }
}

#[test]
fn where_chance_gives_the_capacities_nobody_is_expected_as_master() {
    for (criterion, expected) in [("id", vec!["master 5"]), ("random", vec![])] {
        let mut session = Session::new(&KING_NI);
        let word = SettingValue::Word(criterion.into());
        session.head.settings = session.head.settings.clone().with(CRITERION.name, word);
        session.order(1.0, "elect 1", "1", None);
        session.agree(2.0, "1-5", 5, 0);
        session.end(9.0);
        let conditions = session.conditions();
        let masters: Vec<&String> = conditions.iter().filter(|that| that.starts_with("master")).collect();
        assert_eq!(masters, expected, "{criterion}");
        assert_eq!(session.text().contains("The criterion is `random`"), criterion == "random");
    }
}

#[test]
fn a_world_that_has_not_settled_is_not_expected() {
    let mut session = Session::new(&BULLY);
    session.agree(0.9, "1-5", 5, 1);
    session.crash(3.0, "crash 5", "5");
    // All are Normal, and under the dead.
    session.crash(3.5, "crash 4", "4");
    session.state(5.0, 3, Status::Election, None, "Election");
    session.order(5.1, "elect 3", "3", None);
    session.agree(6.0, "1-3", 3, 1);
    session.end(9.0);
    assert_eq!(session.after("crash 5"), [""; 0]);
    assert_eq!(session.after("crash 4"), [""; 0]);
    assert_eq!(session.after("elect 3"), ["coordinator 3"]);
}

#[test]
fn a_cut_that_nobody_has_noticed_yet_is_not_expected_to_stay_unnoticed() {
    for (stands, expected) in [(1.9, vec![]), (5.0, vec!["group 1,2 under 2", "group 3-5 under 5"])] {
        let mut session = Session::new(&BULLY);
        session.agree(0.9, "1-5", 5, 1);
        session.order(3.0, "partition 1,2|3-5", "1-5", parts());
        session.agree(4.5, "1,2", 2, 1);
        session.order(4.5 + stands, "elect 1", "1", None);
        session.end(12.0);
        assert_eq!(session.after("partition 1,2|3-5"), expected, "{stands}");
    }
}

#[test]
fn groups_with_their_own_coordinators_are_expected_whole() {
    let mut session = Session::new(&INVITATION);
    session.agree(0.9, "1-5", 5, 1);
    session.crash(3.0, "crash 5", "5");
    session.agree(4.6, "1-4", 4, 1);
    session.order(8.0, "elect 1", "1", None);
    // One that leads others of a higher rank got there by a race.
    session.agree(9.0, "1-4", 3, 1);
    session.end(12.0);
    assert_eq!(session.after("crash 5"), ["group 1-4 under 4"]);
    assert_eq!(session.after("elect 1"), ["groups 1"]);
}

#[test]
fn under_dice_nothing_is_expected_and_afterwards_what_does_not_hang_on_them() {
    let loss = || "loss 1-5->1-5 30%".parse().ok();
    for (card, expected) in [(&BULLY, vec!["coordinator 5"]), (&INVITATION, vec!["groups 1"]), (&KING_NI, vec![])] {
        let mut session = Session::new(card);
        session.agree(0.9, "1-5", 5, 1);
        let id = session.order(3.0, "loss *->* 30%", "1-5", loss());
        session.order(13.0, "heal", "1-5", None);
        session.lift(13.0, id);
        session.agree(13.5, "1-4", 5, 1);
        session.order(18.0, "elect 2", "2", None);
        session.agree(18.5, "1-5", 5, 2);
        session.end(22.0);
        assert_eq!(session.after("loss *->* 30%"), [""; 0], "{}", card.name);
        assert_eq!(session.after("heal"), expected, "{}", card.name);
        let at_end: Vec<String> =
            session.expectations().into_iter().map(|(that, ..)| that).filter(|that| that == "no violation").collect();
        assert_eq!(at_end.len(), usize::from(card.name == "invitation"), "{}: it alone needs no delivery", card.name);
        if card.name == "king-ni-c" {
            assert_eq!(session.after("elect 2"), ["master 5"], "an election of all since wipes the dice out");
        }
    }
}

#[test]
fn a_master_is_expected_and_who_asks_for_help_and_the_idle_are_let_be() {
    let mut session = Session::new(&KING_NI);
    session.order(1.0, "elect 1", "1", None);
    session.agree(2.6, "1-5", 5, 0);
    session.crash(5.0, "crash coordinator", "5");
    session.agree(8.0, "1,2,4", 4, 0);
    session.state(8.0, 3, Status::Election, None, "help");
    session.order(10.0, "recover 5", "5", None);
    session.spawn(10.1, 5);
    session.end(15.0);
    assert_eq!(session.expectations()[0].1.as_deref(), Some("elect 1"), "before it nobody elects anybody");
    assert_eq!(session.after("elect 1"), ["master 5"]);
    assert_eq!(session.after("crash 5"), ["master 4"]);
    assert_eq!(session.after("recover 5"), ["coordinator 4 of 1,2,4"]);
    assert_eq!(session.after("end"), ["help 3"]);
}

/// What is expected at the end of a Bully lab in which this happens.
fn at_end(happens: impl Fn(&mut Session)) -> (Vec<String>, String) {
    let mut session = Session::new(&BULLY);
    session.agree(0.9, "1-5", 5, 1);
    happens(&mut session);
    session.end(30.0);
    let lab = session.lab();
    let conditions = lab.expectations.iter().filter(|one| one.that.is_at_end()).map(|one| one.text.clone());
    (conditions.collect(), session.text())
}

#[test]
fn violations_are_expected_for_the_causes_they_had() {
    let property = Property::Assertion1;
    assert_eq!(at_end(|_| {}).0, ["no violation"]);
    let delivery = at_end(|session| session.violation(5.0, property, Some(Assumption::DeliveryInTime)));
    assert_eq!(delivery.0, ["violation assertion-1 because 8"]);
    let both = at_end(|session| {
        session.violation(5.0, property, Some(Assumption::DeliveryInTime));
        session.violation(9.0, property, Some(Assumption::NoPauses));
    });
    assert_eq!(both.0, ["violation assertion-1"]);
}

#[test]
fn what_this_machine_or_dice_broke_is_not_expected_again() {
    let (conditions, text) = at_end(|session| {
        session.violation(5.0, Property::Assertion1, Some(Assumption::NoPauses));
        if let Some(Body::Violation(report)) = session.records.last_mut().map(|record| &mut record.body) {
            report.excuse = excused(Assumption::NoPauses, BrokenBy::ThisComputer);
        }
    });
    assert_eq!(conditions, [""; 0]);
    assert!(text.contains("# - 1 violations that this computer caused"), "{text}");
    let (conditions, text) = at_end(|session| {
        let loss = "loss 1->2 30%".parse().unwrap();
        session.order(3.0, "loss 1->2 30%", "1,2", Some(loss));
        session.violation(5.0, Property::Assertion1, Some(Assumption::DeliveryInTime));
    });
    assert_eq!(conditions, [""; 0]);
    assert!(text.contains("Dice caused the violation of assertion-1"), "{text}");
}

#[test]
fn a_hole_or_what_nobody_promised_is_expected_only_where_the_lab_claimed_it() {
    let (conditions, text) = at_end(|session| session.violation(5.0, Property::Assertion1, None));
    assert_eq!(conditions, [""; 0]);
    assert!(text.contains("This lab does not expect that"), "{text}");
    let (conditions, _) = at_end(|session| {
        session.head.lab_file = "[[expect]]\nthat = \"violation assertion-1 because hole B1\"".into();
        session.violation(5.0, Property::Assertion1, None);
    });
    assert_eq!(conditions, ["violation assertion-1 because hole B1"]);
    let (conditions, _) = at_end(|session| {
        session.head.lab_file = "[[expect]]\nthat = \"violation assertion-1 because unpromised\"".into();
        session.violation(5.0, Property::Assertion1, None);
    });
    assert_eq!(conditions, ["violation assertion-1 because unpromised"]);
}

#[test]
fn nothing_is_expected_where_records_are_missing() {
    let (conditions, text) = at_end(|session| {
        session.push(2.0, Some(3), Body::Gap(Missed { count: 4, place: "in the node's own buffer".into() }));
        session.order(3.0, "elect 1", "1", None);
    });
    assert!(text.contains("4 records are missing at 2.000 s"), "{text}");
    assert!(!text.contains("coordinator 5"), "{text}");
    assert_eq!(conditions, [""; 0]);
    let (conditions, text) = at_end(|session| {
        session.order(3.0, "elect 1", "1", None);
        session.records.remove(3);
    });
    assert!(text.contains("1 record is missing at 0.000 s"), "{text}");
    assert!(conditions.is_empty() && !text.contains("coordinator 5"), "{text}");
}
