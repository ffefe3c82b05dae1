//! Capacities on the screen: those with which each node came into its latest election.
//!
//! Invariant: only a lab whose algorithm has a criterion shows any; the other screens' snapshots have none.

use std::path::PathBuf;

use insta::assert_snapshot;

use super::stage::{MS, given, head, node, numbered, options, set, state, step};
use super::{press, text};
use crate::model::Model;
use crate::{Role, Source};
use fault::FaultId;
use protocol::{
    Ballot, CAPACITIES, CRITERION, Course, Incarnation, Lists, NodeSet, Received, SettingValue, Settings, Status,
};
use record::{Body, Head, Input, Record, SessionReader, Step};

/// A step with this capacity, after which the node is so.
fn asked(at: i64, who: u16, capacity: i64, status: Status, word: &'static str, master: Option<u16>) -> Record {
    let mut after = state(status, master, None);
    (after.word, after.election, after.task) = (word.into(), Some(u64::from(status != Status::Down)), None);
    let input = if status == Status::Down { Input::Start { saved: false } } else { given(5, who, "init") };
    let record = step(at, who, input, vec![], Some(after));
    let Body::Step(step) = record.body else { panic!("a step") };
    Record { body: Body::Step(Step { capacity, ..step }), ..record }
}

/// Five nodes, an election by last win that 2 has won, and what their capacities have come to since.
fn elected() -> Vec<Record> {
    let mut records = vec![Record::of_host(0, Body::Began)];
    for who in 1..=5_u16 {
        records.push(Record::of_node(-50 * MS, node(who), Body::Ready { incarnation: Incarnation(1) }));
        records.push(asked(MS, who, 999_999_999, Status::Down, "normal", None));
    }
    for (who, capacity) in [(1, 2_150), (2, 999_999_999), (3, 1_150), (4, 150)] {
        records.push(asked(900 * MS, who, capacity, Status::Election, "collect", None));
        records.push(asked(1_300 * MS, who, capacity + 400, Status::Normal, "stop", Some(2)));
    }
    records.push(asked(1_310 * MS, 2, 10, Status::Normal, "stop", Some(2)));
    for (number, line) in [(1, "crash 5"), (2, "partition 1,2|3-5"), (3, "loss 2->* 30%")] {
        let nodes = if number == 1 { set("5") } else { set("1-5") };
        let ordered =
            Body::FaultOrdered { id: FaultId(number), line: line.parse().unwrap(), nodes, rule: None, step: None };
        records.push(Record::of_host(1_400 * MS, ordered));
    }
    numbered(records)
}

fn screen(settings: Settings) -> Model {
    let mut head = Head { settings, ..head() };
    (head.name, head.facts.title) = ("king-ni-last-win".into(), "King/Ni B.1".into());
    let session = SessionReader { head: Some(head), records: elected(), skipped: Vec::new() };
    let mut model = super::replay_of(&options(Source::Session(PathBuf::from("a.session")), Role::Visitor), session);
    model.size = (80, 24);
    press(&mut model, "End");
    model
}

fn by_last_win() -> Settings {
    Settings::defaults(&[CRITERION, CAPACITIES], NodeSet::EMPTY)
        .with("criterion", SettingValue::Word("last-win".into()))
}

#[test]
fn the_overview_of_a_lab_with_a_criterion() {
    assert_snapshot!(text(&mut screen(by_last_win()), 80, 24));
}

#[test]
fn a_node_in_all_its_detail_with_its_capacity() {
    let mut model = screen(by_last_win());
    press(&mut model, "g Down Enter");
    assert_snapshot!(text(&mut model, 80, 24));
}

/// As it stands after an election of Algorithm B.2 in which 5 sent the first two inits, and 3 the first and the third.
#[test]
fn a_node_with_the_lists_that_it_has_collected_and_the_one_that_decided() {
    let mut after = state(Status::Normal, Some(3), None);
    (after.word, after.election, after.task) = ("stop".into(), Some(1), None);
    let standing = |of: &[(u16, i64)]| of.iter().map(|(id, capacity)| (node(*id), *capacity)).collect::<Vec<_>>();
    let decided = standing(&[(3, 3), (1, 1)]);
    let lists = Lists {
        candidates: standing(&[(3, 3), (5, 5), (1, 1)]),
        received: vec![(node(5), Received::First(2)), (node(3), Received::Entries(decided.clone()))],
        decided: Some(decided),
    };
    let (course, stands_with) = (Course::AtRest, Some(1));
    after.ballot = Some(Box::new(Ballot { course, stands_with, announcements: 0, lists: Some(lists) }));
    let records =
        vec![Record::of_host(0, Body::Began), step(MS, 1, Input::Start { saved: false }, vec![], Some(after))];
    let mut head = head();
    (head.name, head.facts.title) = ("king-ni-b2".into(), "King/Ni B.2".into());
    let session = SessionReader { head: Some(head), records: numbered(records), skipped: Vec::new() };
    let mut model = super::replay_of(&options(Source::Session(PathBuf::from("a.session")), Role::Visitor), session);
    model.size = (80, 24);
    press(&mut model, "End g Enter");
    assert_snapshot!(text(&mut model, 80, 24));
}

#[test]
fn a_capacity_is_that_of_the_latest_election_and_fits_a_narrow_screen() {
    let mut model = screen(by_last_win());
    let narrow = text(&mut model, 60, 34);
    for (row, capacity) in [("1 ●", " 2150 "), ("2 ●", " 999999999 "), ("3 ●", " 1150 "), ("4 ●", " 150 ")] {
        let row = narrow.lines().find(|line| line.contains(row)).unwrap();
        assert!(row.contains(capacity), "{narrow}");
    }
    assert!(text(&mut model, 60, 16).contains("2150"), "the strip shows them too");
    assert!(!text(&mut screen(Settings::default()), 80, 24).contains("capacity"));
}
