//! What is expected, and what is not.

use super::stage::{BULLY, INVITATION, KING_NI, Session};
use crate::fault::LinkRule;
use crate::protocol::{Assumption, Property, Status};
use crate::record::{Body, Missed};

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
fn a_step_comes_later_if_an_expectation_before_it_needs_the_time() {
    let mut session = Session::new(&BULLY);
    session.agree(0.9, "1-5", 5, 1);
    session.crash(3.0, "crash 5", "5");
    session.agree(4.6, "1-4", 4, 1);
    // Within 3.2 s of the crash, and 1.7 s after it something else is ordered.
    session.crash(4.7, "crash 1", "1");
    session.end(9.0);
    let times: Vec<f64> = session.steps().into_iter().map(|(at, _)| at).collect();
    assert_eq!(times, [3.0, 6.2, 10.5]);
    assert!(session.text().contains("the steps come later here: by 1.5s in all"));
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
            report.by_machine = true;
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
fn a_hole_is_expected_only_where_the_lab_claimed_it() {
    let (conditions, text) = at_end(|session| session.violation(5.0, Property::Assertion1, None));
    assert_eq!(conditions, [""; 0]);
    assert!(text.contains("This lab does not expect that"), "{text}");
    let (conditions, _) = at_end(|session| {
        session.head.lab_file = "[[expect]]\nthat = \"violation assertion-1 because hole B1\"".into();
        session.violation(5.0, Property::Assertion1, None);
    });
    assert_eq!(conditions, ["violation assertion-1 because hole B1"]);
}

#[test]
fn nothing_is_expected_where_records_are_missing() {
    let (_, text) = at_end(|session| {
        session.push(2.0, Some(3), Body::Gap(Missed { count: 4, place: "in the node's own buffer".into() }));
        session.order(3.0, "elect 1", "1", None);
    });
    assert!(text.contains("4 records are missing at 2.000 s"), "{text}");
    assert!(!text.contains("coordinator 5"), "{text}");
}
