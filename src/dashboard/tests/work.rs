//! The row of a lab's application, and what its steps say in the log.

use insta::assert_snapshot;

use super::stage::{calm, live, node, set, state, step};
use super::{hear, press, text};
use crate::dashboard::model::Model;
use crate::protocol::{
    ApplicationFacts, ComputingGroups, DefinitionId, Incarnation, ShardFacts, ShardResult, ShardWork, StateVector,
    Status, TaskId, Work,
};
use crate::record::{EffectText, Input, Record};

/// The calm lab of five, with an application of 64 shards.
fn lab_with_shards() -> Model {
    let mut model = live(&calm());
    let head = model.head.as_mut().unwrap();
    head.facts.application = Some(ApplicationFacts {
        name: "shards".into(),
        title: "Shards".into(),
        bystanders: 0,
        needs: Vec::new(),
        promises: Vec::new(),
        shards: Some(ShardFacts { shards: 64, numbers: 1_000, groups: ComputingGroups::WithMajority }),
    });
    model
}

fn works(at: i64, who: u16, up: &str, [out, given, done]: [&str; 3], latest: Option<ShardResult>) -> Record {
    let task = TaskId { author: node(5), incarnation: Incarnation(1), serial: 1 };
    let work = ShardWork {
        under: Some(DefinitionId { task, round: 1 }),
        out: out.parse().unwrap(),
        given: given.parse().unwrap(),
        done: done.parse().unwrap(),
        primes: 0,
        latest,
    };
    let after = StateVector {
        up: set(up),
        work: Some(Box::new(Work::Shards(work))),
        ..state(Status::Normal, Some(5), Some((5, 2)))
    };
    let input = Input::Timer { timer: "next shard".into(), set: 0, due: 0, waited_for: Default::default() };
    step(at, who, input, vec![EffectText::Save { body: "00".into() }], Some(after))
}

#[test]
fn the_row_of_an_application_says_how_far_it_is_and_who_computes() {
    let mut model = lab_with_shards();
    hear(&mut model, works(900_000_000, 5, "1-4", ["60-64", "21-64", "1-20"], None));
    hear(&mut model, works(910_000_000, 2, "-", ["22,27", "-", "17"], Some(ShardResult { shard: 17, primes: 119 })));
    assert_snapshot!(text(&mut model, 80, 24));
    press(&mut model, "2");
    let screen = text(&mut model, 80, 24);
    assert!(screen.contains("2 computes shard 17: 119 primes"), "{screen}");
}

#[test]
fn a_group_without_a_majority_is_told_and_so_is_that_nobody_computes() {
    let mut model = lab_with_shards();
    let row = |model: &mut Model| text(model, 100, 30).lines().nth(2).unwrap().to_owned();
    assert_eq!(row(&mut model), "shards  nobody computes: no coordinator is at work");
    hear(&mut model, works(900_000_000, 5, "4", ["-", "-", "1-20"], None));
    assert_eq!(row(&mut model), "shards  5 has 20 of 64 ▮▮▮▯▯▯▯▯▯▯, and waits: 2 of 5 are no majority");
}
