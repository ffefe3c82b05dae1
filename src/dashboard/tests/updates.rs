//! The row of updates, and what their steps say in the log.

use super::stage::{calm, live, node, set, state, step};
use super::work::lab_with_shards;
use super::{hear, press, text};
use crate::model::Model;
use protocol::{
    ACKNOWLEDGING_LINE, AcknowledgedUpdate, ApplicationFacts, BlockedUpdate, CONFLICTING_LINE, ConflictList,
    ConflictingUpdate, Incarnation, LineNumber, LoggedUpdate, OrderId, PreparedUpdate, Property, REFUSING_LINE,
    RefusalReason, RefusedUpdate, StateVector, Status, Task, TaskId, TransactionId, UpdateWork, Work,
};
use record::{Body, EffectText, Input, MessageId, Record, Words};

/// The calm lab of five, with updates.
fn lab_with_updates() -> Model {
    let mut model = live(&calm());
    let head = model.head.as_mut().unwrap();
    head.facts.application = Some(ApplicationFacts {
        name: "updates".into(),
        title: "Updates".into(),
        bystanders: 0,
        needs: Vec::new(),
        promises: vec![Property::Majority, Property::AtomicCommit],
        shards: None,
        services: None,
        section: None,
        weights: Vec::new(),
        orders: vec!["update".into()],
    });
    model
}

fn update(serial: u32) -> LoggedUpdate {
    let task = TaskId { author: node(5), incarnation: Incarnation(1), serial: 1 };
    let id = OrderId { node: node(2), incarnation: Incarnation(1), serial };
    LoggedUpdate { id, value: 7, by: TransactionId { task, attempt: serial } }
}

/// So many updates of 7.
fn logged(length: u32) -> UpdateWork {
    let last = (length > 0).then(|| update(length));
    UpdateWork { length, counter: i64::from(length) * 7, last, ..UpdateWork::default() }
}

/// A step of this process for this message, after which it keeps that work.
fn keeps(at: i64, who: u16, kind: &'static str, work: UpdateWork) -> Record {
    let after = StateVector {
        work: Some(Box::new(Work::Updates(work))),
        task: None,
        ..state(Status::Normal, Some(5), Some((5, 2)))
    };
    let message = Words { kind: kind.into(), fields: Vec::new(), body: String::new() }.into();
    let id = MessageId { from: node(5), incarnation: Incarnation(1), to: Some(node(who)), sequence: at as u64 };
    step(at, who, Input::Message { id, message }, vec![EffectText::Save { body: "00".into() }], Some(after))
}

#[test]
fn the_row_of_updates_says_who_has_how_many_what_is_in_doubt_and_what_blocks() {
    let mut model = lab_with_updates();
    let row = |model: &mut Model| text(model, 140, 30).lines().nth(2).unwrap().trim_end().to_owned();
    let knows = set("5");
    for who in [1, 2] {
        let in_doubt = Some(PreparedUpdate { update: update(17), position: 17, voters: set("1-5") });
        hear(&mut model, keeps(900_000_000 + i64::from(who), who, "Prepare", UpdateWork { in_doubt, ..logged(16) }));
    }
    hear(&mut model, keeps(910_000_000, 3, "Have", logged(15)));
    let blocked = Some(BlockedUpdate { position: 17, knows });
    hear(&mut model, keeps(920_000_000, 4, "Have", UpdateWork { blocked, ..logged(16) }));
    let told = "updates  1,2,4: 16 updates, counter 112  3: 15 updates, counter 105  4 is blocked: update 17, only 5 knows  \
                1,2 in doubt of 17";
    assert_eq!(row(&mut model), told);
    press(&mut model, "2");
    let screen = text(&mut model, 140, 30);
    assert!(screen.contains("2 prepares update 17: +7"), "{screen}");
}

#[test]
fn a_refusal_says_why_and_what_is_done_and_acknowledged_stands_in_the_log() {
    let mut model = lab_with_updates();
    let why = RefusalReason::NoMajority { have: 2, of: 5 };
    let refused = Some(RefusedUpdate { times: 1, value: 7, why });
    let mut record = keeps(900_000_000, 2, "Refuse", UpdateWork { refused, ..logged(0) });
    cite(&mut record, REFUSING_LINE);
    hear(&mut model, record);
    let screen = text(&mut model, 100, 30);
    assert!(screen.contains("updates  2: no update  2 refused +7: 2 of 5: no majority"), "{screen}");
    // In a group with a majority that reason is over.
    let mut record = keeps(905_000_000, 2, "Have", UpdateWork { refused, ..logged(1) });
    let Body::Step(step) = &mut record.body else { panic!("a step") };
    let members = set("1-4");
    step.state.as_mut().unwrap().task = Some(Task { author: node(5), incarnation: Incarnation(1), serial: 1, members });
    hear(&mut model, record);
    assert!(!text(&mut model, 100, 30).contains("2 refused"), "the group has a majority");
    let acknowledged = Some(AcknowledgedUpdate { times: 1, id: update(3).id, position: 3 });
    let mut record = keeps(910_000_000, 2, "Commit", UpdateWork { acknowledged, ..logged(3) });
    cite(&mut record, ACKNOWLEDGING_LINE);
    hear(&mut model, record);
    press(&mut model, "2");
    let screen = text(&mut model, 140, 30);
    assert!(screen.contains("2 refuses to add 7: 2 of 5: no majority"), "{screen}");
    let done = "2 does update 3: +7, which makes 21, and acknowledges order 2.1.3: it is update 3";
    assert!(screen.contains(done), "{screen}");
}

/// The step went through this line.
fn cite(record: &mut Record, line: LineNumber) {
    let Body::Step(step) = &mut record.body else { panic!("a step") };
    step.lines.push(line);
}

#[test]
fn the_key_of_an_update_orders_one_where_there_are_updates() {
    let mut model = lab_with_updates();
    let ordered: Vec<String> = super::lines_of(&press(&mut model, "a"));
    assert_eq!(ordered.len(), 1, "{ordered:?}");
    assert!(ordered[0].starts_with("update ") && ordered[0].ends_with(" 1"), "{ordered:?}");
    let mut model = lab_with_shards();
    assert!(press(&mut model, "a").is_empty());
    let told = &model.toasts.back().unwrap().text;
    assert!(told.starts_with("Nothing in this lab takes orders"), "{told}");
}

#[test]
fn updates_in_conflict_stand_in_the_row_the_log_and_the_details() {
    let mut model = lab_with_updates();
    let last = vec![
        ConflictingUpdate { position: 3, update: update(3), others: 1 },
        ConflictingUpdate { position: 4, update: update(4), others: 1 },
    ];
    let under = [(node(2), 1), (node(5), 1)].into();
    let conflicts = Some(Box::new(ConflictList { updates: 2, pairs: 1, under, last }));
    let joined = UpdateWork { conflicts, learnt: vec![update(3)], ..logged(4) };
    hear(&mut model, keeps(890_000_000, 5, "Have", logged(3)));
    for who in 1..=5 {
        let mut record = keeps(900_000_000 + i64::from(who), who, "Lacking", joined.clone());
        cite(&mut record, CONFLICTING_LINE);
        hear(&mut model, record);
        if who == 2 {
            let screen = text(&mut model, 100, 30);
            let told =
                "1,2: 4 updates, counter 28  5: 3 updates, counter 21  1,2 list 2 in conflict: 1 under 2, 1 under 5";
            assert!(screen.contains(&told[..89]), "{screen}");
        }
    }
    let screen = text(&mut model, 80, 24);
    assert!(screen.contains("updates  1-5: 4 updates, counter 28  2 in conflict: 1 under 2, 1 under 5"), "{screen}");
    press(&mut model, "Enter");
    let screen = text(&mut model, 140, 45);
    assert!(
        screen.contains("2 in conflict: 1 under 2, 1 under 5; 1 pair of which neither builds on the other"),
        "{screen}"
    );
    assert!(screen.contains("update 4: +7, order 2.1.4, done under 5, against 1"), "{screen}");
    press(&mut model, "Esc 2");
    let screen = text(&mut model, 140, 30);
    let told = "2 takes in 1 update of another log: 4 make 28, and lists 2 in conflict: 1 under 2, 1 under 5";
    assert!(screen.contains(told), "{screen}");
}
