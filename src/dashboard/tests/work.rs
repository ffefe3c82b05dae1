//! The row of a lab's application, and what its steps say in the log.

use insta::assert_snapshot;

use super::stage::{calm, given, live, node, set, state, step};
use super::{hear, press, text};
use crate::model::Model;
use protocol::{
    ApplicationFacts, ComputingGroups, DefinitionId, FencingNumber, FencingWork, Incarnation, ResourceWork, ShardFacts,
    ShardResult, ShardWork, StateVector, Status, TaskId, TermId, Work, WriteFate, WriteProgress, WriteView, WriterWork,
};
use record::{Body, EffectText, Input, Record};

/// The calm lab of five, with an application of 64 shards.
pub(super) fn lab_with_shards() -> Model {
    let mut model = live(&calm());
    let head = model.head.as_mut().unwrap();
    head.facts.application = Some(ApplicationFacts {
        name: "shards".into(),
        title: "Shards".into(),
        bystanders: 0,
        needs: Vec::new(),
        promises: Vec::new(),
        shards: Some(ShardFacts { shards: 64, numbers: 1_000, groups: ComputingGroups::WithMajority }),
        services: None,
        section: None,
        weights: Vec::new(),
        orders: Vec::new(),
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

/// The calm lab of five, whose fifth node is a resource.
fn lab_with_a_resource() -> Model {
    let mut model = live(&calm());
    let head = model.head.as_mut().unwrap();
    head.nodes = 4;
    head.facts.application = Some(ApplicationFacts {
        name: "fencing".into(),
        title: "Fencing".into(),
        bystanders: 1,
        needs: Vec::new(),
        promises: Vec::new(),
        shards: None,
        services: None,
        section: None,
        weights: Vec::new(),
        orders: Vec::new(),
    });
    model
}

fn number(count: u64, of: u16) -> FencingNumber {
    FencingNumber { count, node: node(of) }
}

fn term(of: u16) -> TermId {
    TermId { node: node(of), incarnation: Incarnation(1), serial: 1 }
}

/// A process that coordinates with this number, and whose write is so far.
fn writes(at: i64, who: u16, count: u64, progress: WriteProgress) -> Record {
    let (term, number) = (Some(term(who)), Some(number(count, who)));
    let work = FencingWork::Writer(WriterWork { term, number, progress, landed: 0, refused: 0 });
    let after =
        StateVector { work: Some(Box::new(Work::Fencing(work))), ..state(Status::Normal, Some(who), Some((who, 2))) };
    step(at, who, given(5, who, "Content"), Vec::new(), Some(after))
}

/// The resource holds the value of that write, or has refused it.
fn takes(at: i64, who: u16, count: u64, (value, written): (u64, u64), fate: WriteFate) -> Record {
    let latest = Some(WriteView { term: term(who), number: number(count, who), value: written, fate });
    let (highest, refused) = (Some(number(2, 3)), u64::from(fate == WriteFate::Refused));
    let work = FencingWork::Resource(ResourceWork { value, highest, landed: value, refused, latest });
    let after = StateVector {
        work: Some(Box::new(Work::Fencing(work))),
        ..StateVector::new(Status::Normal, "Bystander", None)
    };
    step(at, 5, given(who, 5, "Write"), Vec::new(), Some(after))
}

#[test]
fn the_row_of_fencing_says_who_writes_with_which_number_and_what_was_refused() {
    let mut model = lab_with_a_resource();
    let row = |model: &mut Model| text(model, 140, 30).lines().nth(2).unwrap().to_owned();
    assert_eq!(row(&mut model), "fencing");
    hear(&mut model, writes(900_000_000, 4, 1, WriteProgress::Reads));
    hear(&mut model, takes(900_100_000, 3, 2, (6, 6), WriteFate::Landed));
    assert_eq!(row(&mut model), "fencing  5 holds 6, highest 2.3, written by 3  4 reads with 1.4");
    let stopped = Body::Stopped { by: fault::FaultId(1) };
    hear(&mut model, Record::of_node(900_200_000, node(4), stopped));
    hear(&mut model, writes(900_300_000, 3, 2, WriteProgress::Writes(7)));
    hear(&mut model, takes(900_400_000, 4, 1, (6, 2), WriteFate::Refused));
    let expected = "fencing  5 holds 6, highest 2.3, refused 1: 1.4 of 4 is lower  3 writes with 2.3  4 is paused \
                    amid a write with 1.4";
    assert_eq!(row(&mut model), expected);
    assert_snapshot!(text(&mut model, 80, 24));
    press(&mut model, "2");
    let screen = text(&mut model, 140, 40);
    for said in ["5 takes 6 of 3, number 2.3", "5 refuses 2 of 4: its number 1.4 is lower than 2.3"] {
        assert!(screen.contains(said), "{screen}");
    }
}

#[test]
fn all_about_the_resource_and_about_a_writer() {
    let mut model = lab_with_a_resource();
    hear(&mut model, writes(900_000_000, 3, 2, WriteProgress::Writes(7)));
    hear(&mut model, takes(900_100_000, 3, 2, (6, 6), WriteFate::Landed));
    hear(&mut model, takes(900_200_000, 4, 1, (6, 2), WriteFate::Refused));
    press(&mut model, "g Down Down Down Down Enter");
    let screen = text(&mut model, 80, 30);
    for said in
        ["what the resource holds", "number 2.3 of all writes that have landed", "2 of 4, number 1.4, term 4.1.1"]
    {
        assert!(screen.contains(said), "{screen}");
    }
    press(&mut model, "q g Down Down Enter");
    let screen = text(&mut model, 80, 30);
    for said in ["3.1.1, number 2.3", "it has sent 7"] {
        assert!(screen.contains(said), "{screen}");
    }
}

#[test]
fn the_key_of_updates_orders_one() {
    let mut model = lab_with_shards();
    model.head.as_mut().unwrap().facts.application.as_mut().unwrap().orders = vec!["update".into()];
    let ordered: Vec<String> = super::lines_of(&press(&mut model, "a"));
    assert_eq!(ordered.len(), 1, "{ordered:?}");
    assert!(ordered[0].starts_with("update ") && ordered[0].ends_with(" 1"), "{ordered:?}");
    let mut model = lab_with_shards();
    assert!(press(&mut model, "a").is_empty());
    let told = &model.toasts.back().unwrap().text;
    assert!(told.starts_with("Nothing in this lab takes orders"), "{told}");
}
