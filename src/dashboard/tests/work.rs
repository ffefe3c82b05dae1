//! The row of a lab's application, and what its steps say in the log.

use insta::assert_snapshot;

use super::stage::{calm, given, live, node, set, state, step};
use super::{hear, press, text};
use crate::model::Model;
use protocol::{
    ACKNOWLEDGING_LINE, ADMITTING_LINE, AcknowledgedCopy, ApplicationFacts, COPY_WRITING_LINE, ComputingGroups,
    CopyVersion, CopyWork, DOUBTING_LINE, DefinitionId, DoubtedUpdate, ENTERING_LINE, FencingNumber, FencingWork,
    HeldCopy, Incarnation, JoinAttempt, JoinPoll, JoinState, JoinWork, LEAVING_LINES, LineNumber, MemberView, OrderId,
    Property, REFUSING_LINE, RefusalReason, RefusedUpdate, ResourceWork, SectionState, SectionWork, ShardFacts,
    ShardResult, ShardWork, StateVector, Status, TURNED_AWAY_LINE, TaskId, TermId, WANTING_LINE, WeightShare, Work,
    WriteFate, WriteProgress, WriteView, WriterWork,
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

#[test]
fn the_row_of_a_critical_section_says_who_is_inside_and_who_waits() {
    let mut model = lab_with_shards();
    let application = model.head.as_mut().unwrap().facts.application.as_mut().unwrap();
    (application.title, application.shards) = ("Mutual exclusion".into(), None);
    application.promises = vec![Property::MutualExclusion, Property::Fairness];
    let mut stands = |at: i64, who: u16, stance: SectionState, entries: u64, line: LineNumber| {
        let work = Some(Box::new(Work::Exclusion(SectionWork { stance, entries })));
        let after = StateVector { work, ..state(Status::Normal, Some(5), None) };
        let mut record = step(at, who, Input::Start { saved: false }, vec![], Some(after));
        let Body::Step(step) = &mut record.body else { panic!("a step") };
        step.lines.push(line);
        hear(&mut model, record);
        text(&mut model, 80, 24).lines().nth(2).unwrap().to_owned()
    };
    let row = stands(900_000_000, 2, SectionState::Waiting, 3, WANTING_LINE);
    assert_eq!(row, "mutual exclusion  nobody is inside, 2 waits  entered 2:3");
    let row = stands(910_000_000, 5, SectionState::Inside, 1, ENTERING_LINE);
    assert_eq!(row, "mutual exclusion  5 is inside, 2 waits  entered 2:3 5:1");
    let row = stands(920_000_000, 2, SectionState::Inside, 4, ENTERING_LINE);
    assert_eq!(row, "mutual exclusion  2,5 are inside  entered 2:4 5:1");
    stands(930_000_000, 5, SectionState::Outside, 1, LEAVING_LINES[0]);
    press(&mut model, "2");
    let screen = text(&mut model, 80, 24);
    for said in ["2 waits for the", "5 enters the critical section", "2 enters the", "5 leaves the critical section"] {
        assert!(screen.contains(said), "{screen}");
    }
}

#[test]
fn the_row_of_copies_says_who_has_control_and_what_is_refused() {
    let mut model = lab_with_shards();
    let application = model.head.as_mut().unwrap().facts.application.as_mut().unwrap();
    (application.title, application.shards, application.weights) = ("Copies".into(), None, vec![3, 1, 1, 1, 1]);
    let row = |model: &mut Model| text(model, 160, 30).lines().nth(2).unwrap().to_owned();
    assert_eq!(row(&mut model), "copies  nobody has control");
    let mut does = |at: i64, who: u16, master: u16, work: CopyWork, line: LineNumber| {
        let after =
            StateVector { work: Some(Box::new(Work::Copies(work))), ..state(Status::Normal, Some(master), None) };
        let mut record = step(at, who, Input::Start { saved: false }, vec![], Some(after));
        let Body::Step(step) = &mut record.body else { panic!("a step") };
        step.lines.push(line);
        hear(&mut model, record);
        row(&mut model)
    };
    let version = |number| Some(CopyVersion { number, author: node(1) });
    let held = HeldCopy { version: version(2), count: 2, counter: 12 };
    let control = Some(WeightShare { have: 7, of: 7 });
    let working = CopyWork { held, control, ..CopyWork::default() };
    let said = does(900_000_000, 1, 1, working.clone(), COPY_WRITING_LINE);
    assert_eq!(said, "copies  1 controls 7 of 7 of the weight  1: 2 updates, counter 12");
    let id = OrderId { node: node(3), incarnation: Incarnation(1), serial: 1 };
    let acknowledged = Some(AcknowledgedCopy { times: 1, id, held });
    does(910_000_000, 3, 1, CopyWork { held, acknowledged, ..CopyWork::default() }, ACKNOWLEDGING_LINE);
    let share = WeightShare { have: 3, of: 7 };
    let refused = Some(RefusedUpdate { times: 1, value: 7, why: RefusalReason::NoWeight(share) });
    let alone = CopyWork { control: Some(share), refused, ..working };
    let said = does(920_000_000, 1, 1, alone, REFUSING_LINE);
    let expected = "copies  1 has no majority of the weight: 3 of 7  1,3: 2 updates, counter 12  \
                    1 refused +7: 3 of 7: no majority of the weight";
    assert_eq!(said, expected);
    let doubted = Some(DoubtedUpdate { times: 1, value: 5 });
    let said = does(930_000_000, 3, 1, CopyWork { held, doubted, ..CopyWork::default() }, DOUBTING_LINE);
    assert!(said.ends_with("3 in doubt of +5"), "{said}");
    press(&mut model, "2");
    let screen = text(&mut model, 140, 40);
    for said in [
        "1 writes update 2, which makes 12",
        "3 acknowledges order 3.1.1: it is update 2",
        "1 refuses to add 7: 3 of 7: no majority of the weight",
        "3 does not know whether +5 is done",
    ] {
        assert!(screen.contains(said), "{screen}");
    }
    press(&mut model, "1 g Enter");
    let screen = text(&mut model, 80, 30);
    for said in ["counter 12 after 2 updates, of write 2.1", "of 3 of 7 of the weight", "once, the last +7"] {
        assert!(screen.contains(said), "{screen}");
    }
}

#[test]
fn the_row_of_joining_says_who_is_a_member_and_who_asks() {
    let mut model = lab_with_shards();
    let application = model.head.as_mut().unwrap().facts.application.as_mut().unwrap();
    (application.title, application.shards) = ("Joining a group".into(), None);
    let mut does = |at: i64, who: u16, work: JoinWork, line: LineNumber| {
        let after = StateVector { work: Some(Box::new(Work::Joining(work))), ..state(Status::Normal, Some(5), None) };
        let mut record = step(at, who, Input::Start { saved: false }, vec![], Some(after));
        let Body::Step(step) = &mut record.body else { panic!("a step") };
        step.lines.push(line);
        hear(&mut model, record);
        text(&mut model, 140, 30).lines().nth(2).unwrap().to_owned()
    };
    let (first, more) =
        (MemberView { version: 0, members: set("1-4") }, MemberView { version: 1, members: set("1-5") });
    does(900_000_000, 1, JoinWork { view: first, ..JoinWork::default() }, 0);
    let attempt = JoinAttempt { incarnation: Incarnation(1), serial: 1 };
    let poll = Some(JoinPoll { attempt, yes: set("1"), no: set("2,3") });
    let asks = JoinWork { view: first, stance: JoinState::Asks, poll, ..JoinWork::default() };
    let row = does(910_000_000, 5, asks.clone(), 0);
    assert_eq!(row, "joining a group  1,5 know the members 1-4  5 asks: yes 1, no 2,3");
    let stance = JoinState::Outside;
    let refused = JoinWork { stance, poll: None, refusals: 1, refused_by: poll, ..asks };
    let row = does(920_000_000, 5, refused, TURNED_AWAY_LINE);
    assert_eq!(row, "joining a group  1,5 know the members 1-4  5 was refused: yes 1, no 2,3");
    let row = does(930_000_000, 5, JoinWork { view: more, ..JoinWork::default() }, ADMITTING_LINE);
    assert_eq!(row, "joining a group  5 knows the members 1-5  1 knows the members 1-4");
    press(&mut model, "2");
    let screen = text(&mut model, 140, 40);
    for said in ["5 is refused: yes 1, no 2,3", "5 is admitted: the members are 1-5"] {
        assert!(screen.contains(said), "{screen}");
    }
    press(&mut model, "1 g Enter");
    let screen = text(&mut model, 80, 30);
    for said in ["1-4, after 0 admissions", "a member"] {
        assert!(screen.contains(said), "{screen}");
    }
}

#[test]
fn a_group_without_a_majority_is_told_and_so_is_that_nobody_computes() {
    let mut model = lab_with_shards();
    let row = |model: &mut Model| text(model, 100, 30).lines().nth(2).unwrap().to_owned();
    assert_eq!(row(&mut model), "shards  nobody computes: no coordinator is at work");
    hear(&mut model, works(900_000_000, 5, "4", ["-", "-", "1-20"], None));
    assert_eq!(row(&mut model), "shards  5 has 20 of 64 ▮▮▮▯▯▯▯▯▯▯, and waits: 2 of 5 are no majority");
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
