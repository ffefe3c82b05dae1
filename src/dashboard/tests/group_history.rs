//! Screen 7 and the row of an application that keeps the history of the groups.

use insta::assert_snapshot;

use super::stage::{calm, live, node, set, state, step};
use super::{hear, press, text};
use crate::model::Model;
use crate::model::places::Screen;
use protocol::{
    ApplicationFacts, FormedGroup, HistoryWork, Incarnation, NodeSet, Property, StateVector, Status, Task, TaskId, Work,
};
use record::{Input, Record};

/// The calm lab of five, whose processes keep a history.
fn lab() -> Model {
    let mut model = live(&calm());
    let head = model.head.as_mut().unwrap();
    head.facts.application = Some(ApplicationFacts {
        name: "history".into(),
        title: "Group history".into(),
        bystanders: 0,
        needs: Vec::new(),
        promises: vec![Property::History],
        shards: None,
        services: None,
        section: None,
        weights: Vec::new(),
        orders: Vec::new(),
    });
    model
}

fn number(author: u16, serial: u32) -> TaskId {
    TaskId { author: node(author), incarnation: Incarnation(1), serial }
}

/// The coordinator of this group comes to work in it, and knows so many groups; it fetches from these.
fn forms(at: i64, (author, serial): (u16, u32), members: &str, parents: &[TaskId], fetches: &str) -> Record {
    let members = set(members);
    let group = FormedGroup { number: number(author, serial), members, parents: parents.into(), depth: serial };
    let work = HistoryWork { group: Some(group), groups: serial, fetches: set(fetches), ..HistoryWork::default() };
    let up = members.minus(&NodeSet::of(node(author)));
    let after = StateVector {
        up,
        task: Some(Task { author: node(author), incarnation: Incarnation(1), serial, members: up }),
        work: Some(Box::new(Work::History(work))),
        ..state(Status::Normal, Some(author), Some((author, u64::from(serial))))
    };
    let input = Input::Timer { timer: "answers to Ready".into(), set: 0, due: 0, waited_for: Default::default() };
    step(at * 1_000_000, author, input, Vec::new(), Some(after))
}

#[test]
fn the_history_is_a_graph_with_a_lane_for_each_process() {
    let mut model = lab();
    press(&mut model, "7");
    assert!(text(&mut model, 80, 24).contains("No group has been formed yet."));
    hear(&mut model, forms(900, (5, 1), "1-5", &[], "-"));
    hear(&mut model, forms(1_900, (2, 1), "1,2", &[number(5, 1)], "-"));
    hear(&mut model, forms(2_000, (4, 1), "3-5", &[number(5, 1)], "-"));
    hear(&mut model, forms(3_000, (4, 2), "1-4", &[number(2, 1), number(4, 1)], "1,2"));
    assert_snapshot!(text(&mut model, 80, 24));
}

#[test]
fn a_long_history_follows_its_end_and_goes_back() {
    let mut model = lab();
    press(&mut model, "7");
    (1..=40).for_each(|serial| hear(&mut model, forms(900 + i64::from(serial), (5, serial), "1-5", &[], "-")));
    let sees = |model: &mut Model, serial: u32| text(model, 80, 24).contains(&format!(" 5.{serial}: "));
    assert!(sees(&mut model, 40) && !sees(&mut model, 1));
    press(&mut model, "Home");
    assert!(sees(&mut model, 1) && !sees(&mut model, 40));
    press(&mut model, "End");
    assert!(sees(&mut model, 40));
}

#[test]
fn a_lab_without_a_history_has_no_screen_for_it() {
    let mut model = live(&calm());
    press(&mut model, "7");
    assert_eq!(model.places.screen, Screen::Overview);
    assert!(text(&mut model, 100, 30).contains("This lab keeps no history of its groups."));
}
