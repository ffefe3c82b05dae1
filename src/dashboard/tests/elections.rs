//! The elections screen: its table, all about one election, and the way from there into the flow and along the session.
//!
//! Invariant: what is chosen stays chosen while other elections come.

use insta::assert_snapshot;

use super::stage::{MS, calm, crash, live, replay, sent, state, step};
use super::{hear, press, text};
use protocol::Status;
use record::Input;

#[test]
fn the_elections_of_a_lab_and_all_about_one() {
    let mut model = live(&crash());
    press(&mut model, "6");
    assert_snapshot!(text(&mut model, 80, 24));
    // What is pressed here concerns no node.
    press(&mut model, "c");
    assert!(text(&mut model, 80, 24).contains("No node is marked"), "{}", text(&mut model, 80, 24));
}

#[test]
fn an_election_that_goes_on_is_followed_until_another_one_is_chosen() {
    let mut model = live(&crash());
    press(&mut model, "6");
    let order = Input::Order { order: protocol::Order::Elect };
    hear(&mut model, step(9_000 * MS, 2, order.clone(), vec![], Some(state(Status::Election, None, None))));
    let screen = text(&mut model, 80, 24);
    assert!(screen.contains("› 2   9.000 s   2     hold an election -       goes on"), "{screen}");
    assert!(screen.contains("── election 2, which goes on ─"), "{screen}");
    press(&mut model, "k");
    hear(&mut model, step(9_100 * MS, 2, order.clone(), vec![], Some(state(Status::Normal, Some(2), None))));
    hear(&mut model, step(9_200 * MS, 3, order, vec![], Some(state(Status::Election, None, None))));
    let screen = text(&mut model, 60, 16);
    assert!(screen.contains("› 1   3.100 s   4") && screen.contains("── election 1 ─"), "{screen}");
    press(&mut model, "G");
    assert_eq!(model.places.election, None);
}

#[test]
fn enter_on_an_election_goes_to_its_first_row_of_the_flow() {
    let mut model = live(&crash());
    press(&mut model, "6 Enter");
    let screen = text(&mut model, 100, 30);
    assert!(screen.contains("[1 overview]") && screen.contains("5 was silent: 4→1-3 Halt"), "{screen}");
    press(&mut model, "Enter");
    assert!(text(&mut model, 100, 30).contains("│ 4 time-out: silence"), "{}", text(&mut model, 100, 30));
    let mut model = live(&calm());
    press(&mut model, "6 Enter");
    assert!(text(&mut model, 80, 24).contains("There was no election yet."));
}

#[test]
fn the_beginnings_of_elections_are_places_of_a_session() {
    let mut model = replay(&crash());
    press(&mut model, ")");
    assert_eq!(model.time.scene.at, 3_100 * MS);
    press(&mut model, ")");
    assert!(text(&mut model, 80, 24).contains("There is no election after this moment."));
    press(&mut model, "End (");
    assert_eq!(model.time.scene.at, 3_100 * MS);
}

#[test]
fn periodic_messages_of_an_election_are_counted_apart() {
    let mut model = live(&calm());
    let order = Input::Order { order: protocol::Order::Elect };
    let sent = vec![sent(2, 1, "AreYouNormal"), sent(2, 3, "Halt"), sent(2, 4, "Halt")];
    hear(&mut model, step(9_000 * MS, 2, order, sent, Some(state(Status::Election, None, None))));
    press(&mut model, "6");
    let screen = text(&mut model, 80, 24);
    assert!(screen.contains("messages  2: 2 Halt; periodic ones besides: 1 AreYouNormal"), "{screen}");
}
