//! Hand-made labs: a Bully lab of five nodes whose coordinator crashes and returns, and what else may happen to it.
//!
//! Invariant: every world comes of folding records, as it does outside of tests.

use std::path::PathBuf;
use std::time::Duration;

use crate::input::message::ScreenMessage;
use crate::input::update::update;
use crate::model::Model;
use crate::{Access, Colour, Glyphs, Keymap, Leaving, Mouse, Options, Rerun, Role, Source, Tour};
use fault::{FaultId, FaultLine};
use judge::why::Need;
use protocol::{
    Assumption, Channel, Facts, GroupNumber, Groups, Incarnation, Line, ListingForm, ListingLine, NodeId, NodeSet,
    Property, Rank, Roster, Settings, Span, StateVector, Status, TBounds, Task, Timing,
};
use record::{
    BetweenKind, Body, BreakManner, BrokenAssumption, BrokenBy, BrokenReport, CausalWay, Claim, ClaimedTask,
    Contradiction, Death, EffectText, EventBetween, EventsBetween, Excuse, FORMAT, Frame, Grade, Head, Input,
    MessageId, MessageText, Outcome, Record, SessionReader, Step, VERSION, VerdictAbout, ViolationReport, Words,
};
use world::World;

pub fn node(number: u16) -> NodeId {
    NodeId::new(number).unwrap()
}

pub fn set(text: &str) -> NodeSet {
    text.parse().unwrap()
}

/// Milliseconds as a stamp.
pub const MS: i64 = 1_000_000;

pub fn head() -> Head {
    let timing = Timing { t: Span::from_millis(200), check: Span::from_millis(200), silence: Span::from_millis(1000) };
    let line = |number, procedure, text| ListingLine::of(&Line::new(number, procedure, text));
    let facts = Facts {
        name: "bully".into(),
        title: "Bully".into(),
        paper: "Garcia-Molina 1982, section IV".into(),
        listing: vec![
            line(1, "Recovery", "start an election after a crash"),
            line(7, "Election", "halt every lower node and wait for its answer"),
            line(12, "Elected", "take the sender of Elected for coordinator"),
        ],
        listing_form: ListingForm::Procedures,
        holes: Vec::new(),
        rank: Rank::HigherId,
        periodic: vec!["AreYouNormal".into()],
        plays_dead: None,
        t_bounds: TBounds::CallAndAnswer,
        channel: Channel::Unicast,
        groups: Groups::Numbered,
        needs: vec![Assumption::DeliveryInTime, Assumption::NoPauses],
        promises: vec![Property::Assertion1],
        withheld: Vec::new(),
        application: None,
        one_way_bound: Span::from_millis(100),
        time_bound: Span::from_millis(1000),
        time_bound_text: "5T".into(),
        quiet_bound: Span::from_millis(2000),
        quiet_bound_text: "silence + 5T".into(),
        message_bound_text: "n^2".into(),
    };
    Head {
        format: FORMAT.into(),
        version: VERSION,
        lab_id: "0123456789abcdef0123456789abcdef".into(),
        name: "first".into(),
        about: "The coordinator crashes and returns.".into(),
        source: None,
        lab_file: String::new(),
        seed: 1,
        nodes: 5,
        timing,
        settings: Settings::default(),
        facts,
        base_port: 20_224,
        group: None,
        build: "0.1.0".into(),
        wall_clock: 1_760_000_000,
        origin: Default::default(),
        drawn: None,
    }
}

pub fn state(status: Status, coordinator: Option<u16>, group: Option<(u16, u64)>) -> StateVector {
    let group = group.map(|(maker, counter)| GroupNumber { node: node(maker), counter });
    StateVector {
        group,
        task: coordinator.filter(|_| status == Status::Normal).map(|author| Task {
            author: node(author),
            incarnation: Incarnation(1),
            serial: 1,
            members: set("1-4"),
        }),
        ..StateVector::new(status, status.to_string(), coordinator.map(node))
    }
}

pub fn message(kind: &str) -> MessageText {
    Words { kind: kind.to_owned().into(), fields: vec![("number".into(), "1.7".into())], body: "0a0b".into() }.into()
}

pub fn id(from: u16, to: u16, sequence: u64) -> MessageId {
    MessageId { from: node(from), incarnation: Incarnation(1), to: Some(node(to)), sequence }
}

pub fn step(at: i64, who: u16, input: Input, effects: Vec<EffectText>, state: Option<StateVector>) -> Record {
    let body = Step { capacity: i64::from(who), lines: vec![7, 12], effects, state, ..Step::first(input) };
    Record::of_node(at, node(who), Body::Step(body))
}

pub fn given(from: u16, to: u16, kind: &str) -> Input {
    Input::Message { id: id(from, to, 3), message: message(kind) }
}

pub fn sent(from: u16, to: u16, kind: &str) -> EffectText {
    EffectText::Send { id: id(from, to, 4), message: message(kind) }
}

fn normal(under: u16) -> StateVector {
    state(Status::Normal, Some(under), Some((under, 2)))
}

/// Five nodes become Normal under 5.
pub fn calm() -> Vec<Record> {
    let mut records = Vec::new();
    for who in 1..=5 {
        records.push(Record::of_node(-90 * MS, node(who), Body::Spawned { pid: 4000 + u32::from(who) }));
        records.push(Record::of_node(-50 * MS, node(who), Body::Ready { incarnation: Incarnation(1) }));
    }
    records.push(Record::of_host(0, Body::Began));
    for who in 1..=5_u16 {
        let down = state(Status::Down, None, None);
        records.push(step(i64::from(who), who, Input::Start { saved: false }, vec![], Some(down)));
    }
    for who in 1..=4 {
        records.push(step(
            400 * MS + i64::from(who),
            who,
            given(5, who, "Elected"),
            vec![sent(who, 5, "Yes")],
            Some(normal(5)),
        ));
    }
    let mut five = normal(5);
    five.up = set("1-4");
    records.push(step(420 * MS, 5, given(4, 5, "Yes"), vec![], Some(five)));
    numbered(records)
}

/// The coordinator crashes by hand, and 4 takes over.
pub fn crash() -> Vec<Record> {
    let mut records = calm();
    let id = FaultId(1);
    let ordered = Body::FaultOrdered { id, line: "crash 5".parse().unwrap(), nodes: set("5"), rule: None, step: None };
    records.push(Record::of_host(2000 * MS, ordered));
    records.push(Record::of_node(2001 * MS, node(5), Body::Died { death: Death::Killed { by: id } }));
    records.push(Record::of_host(2002 * MS, Body::FaultInForce { id }));
    records.push(step(
        3100 * MS,
        4,
        Input::Timer { timer: "silence".into(), set: 2_100_000_000, due: 3_100_000_000, waited_for: set("5") },
        vec![sent(4, 3, "Halt"), sent(4, 2, "Halt"), sent(4, 1, "Halt")],
        Some(state(Status::Election, None, None)),
    ));
    for who in 1..=4 {
        let given = given(4, who, "Elected");
        records.push(step(3300 * MS + i64::from(who), who, given, vec![], Some(normal(4))));
    }
    numbered(records)
}

/// Everything that has a look of its own: a partition that drops, a pause, a fault not in force, a violation, a verdict.
pub fn storm() -> Vec<Record> {
    let mut records = crash();
    let order = |id, line: &str, nodes, step: Option<&str>| Body::FaultOrdered {
        id: FaultId(id),
        line: line.parse().unwrap(),
        nodes: set(nodes),
        rule: line.parse().ok(),
        step: step.map(str::to_owned),
    };
    records.push(Record::of_host(5000 * MS, order(2, "partition 1,2|3-5", "1-5", Some("part"))));
    records.push(Record::of_host(5003 * MS, Body::FaultInForce { id: FaultId(2) }));
    for sequence in 0..3 {
        let dropped =
            Body::Dropped { id: id(4, 1, 9 + sequence), by: FaultId(2), message: Some(message("AreYouNormal")) };
        records.push(Record::of_node(5100 * MS, node(1), dropped));
    }
    records.push(Record::of_host(5200 * MS, order(3, "pause 3", "3", None)));
    records.push(Record::of_node(5201 * MS, node(3), Body::Stopped { by: FaultId(3) }));
    records.push(Record::of_host(5201 * MS, Body::FaultInForce { id: FaultId(3) }));
    records.push(Record::of_host(5300 * MS, order(4, "delay 2->1 5ms..9ms", "1,2", None)));
    let why = "no answer from 1".to_owned();
    records.push(Record::of_host(6300 * MS, Body::FaultNotInForce { id: FaultId(4), why }));
    records.push(step(6500 * MS, 2, given(1, 2, "Yes"), vec![], Some(normal(2))));
    records.push(step(6501 * MS, 1, given(2, 1, "Elected"), vec![], Some(normal(2))));
    records.push(Record::of_host(6700 * MS, Body::Violation(violation())));
    let verdict = Body::Verdict {
        about: VerdictAbout::Expectation(0),
        outcome: Outcome::Met,
        text: "met: coordinator 4 within 20T after crash".into(),
    };
    records.push(Record::of_host(6800 * MS, verdict));
    numbered(records)
}

fn claim(of: u16, coordinator: u16, since: i64) -> Claim {
    let (word, task) = ("Normal".into(), ClaimedTask::NotAsked);
    Claim { node: node(of), word, coordinator: node(coordinator), group: None, task, since, until: None }
}

fn of_partition() -> BrokenBy {
    BrokenBy::Fault { id: FaultId(2), line: Some(line("partition 1,2|3-5")) }
}

fn line(text: &str) -> FaultLine {
    text.parse().unwrap()
}

/// Three messages of 4 to 1 were lost.
pub fn lost(assumption: Assumption, by: BrokenBy) -> BrokenAssumption {
    let manner = BreakManner::Lost { from: node(4), to: node(1), count: 3 };
    BrokenAssumption { assumption, by, from: 5100 * MS, to: Some(6400 * MS), seen_at: 6501 * MS, manner }
}

pub fn violation() -> ViolationReport {
    let cut = BetweenKind::InForce { id: FaultId(2), line: Some(line("partition 1,2|3-5")) };
    ViolationReport {
        property: Property::Assertion1,
        nodes: set("1,4"),
        since: 6501 * MS,
        contradiction: Contradiction::Claims([claim(4, 4, 3301 * MS), claim(1, 2, 6501 * MS)]),
        grade: Grade::Observed,
        between: EventsBetween::of(vec![EventBetween { at: 5003 * MS, record: 9, what: cut }]),
        excuse: Excuse::Broken {
            broken: Box::new(lost(Assumption::DeliveryInTime, of_partition())),
            way: CausalWay { node: node(1), at: 5100 * MS, steps: Vec::new() },
        },
        text: "1 is Normal under 2 while 4 is Normal under 4; f2 had dropped 3 datagrams from 4 to 1 before.".into(),
    }
}

pub fn numbered(records: Vec<Record>) -> Vec<Record> {
    (1..).zip(records).map(|(number, record)| Record { number, ..record }).collect()
}

pub fn options(source: Source, role: Role) -> Options {
    let leaving = match role {
        Role::Owner => Leaving::AfterAsking,
        Role::Visitor => Leaving::AtOnce,
    };
    let rerun: Rerun = |_, _, _, faults| faults.iter().map(|fault| (*fault, Need::Needed)).collect();
    Options {
        source,
        access: Access::Full,
        role,
        leaving,
        glyphs: Glyphs::Unicode,
        colour: Colour::Ansi,
        keymap: Keymap::default(),
        mouse: Mouse::default(),
        told: None,
        rerun,
        tour: Tour::Hidden,
        remember: |_| Ok(()),
    }
}

pub fn lab(node: Option<NodeId>) -> Source {
    Source::Lab { directory: PathBuf::from("lab"), node }
}

/// The host's snapshot after these records.
pub fn snapshot(records: &[Record], missed: u64) -> Frame {
    let mut world = World::new(Roster::new(5).unwrap());
    records.iter().for_each(|record| world.fold(record));
    Frame::Snapshot {
        head: Box::new(head()),
        world: world.to_json(),
        recent: records.to_vec(),
        missed,
        session: Some(PathBuf::from("first.session")),
        steps_held: true,
    }
}

/// A snapshot after these records with the newest two alone, when so many have been missed.
pub fn snapshot_after_gap(records: &[Record], missed: u64) -> Frame {
    match snapshot(records, missed) {
        Frame::Snapshot { head, world, mut recent, missed, session, steps_held } => {
            recent.drain(..records.len() - 2);
            Frame::Snapshot { head, world, recent, missed, session, steps_held }
        }
        other => other,
    }
}

/// A live screen of an owner that has these records.
pub fn live(records: &[Record]) -> Model {
    live_with(options(lab(None), Role::Owner), records)
}

pub fn live_with(options: Options, records: &[Record]) -> Model {
    let mut model = Model::live(&options);
    update(&mut model, ScreenMessage::Tick(Duration::from_secs(1)));
    update(&mut model, ScreenMessage::Frame(Box::new(snapshot(records, 0))));
    model
}

/// A replay of these records, at its beginning.
pub fn replay(records: &[Record]) -> Model {
    let session = SessionReader { head: Some(head()), records: records.to_vec(), skipped: Vec::new() };
    super::replay_of(&options(Source::Session(PathBuf::from("first.session")), Role::Visitor), session)
}

/// What the judge tells of an assumption that was broken.
pub fn broken(at_ms: i64, assumption: Assumption, by: Option<u32>, text: &str) -> Record {
    let by = by.map_or(BrokenBy::ThisComputer, |id| BrokenBy::Fault { id: FaultId(id), line: None });
    let report = BrokenReport { broken: Box::new(lost(assumption, by)), text: text.to_owned() };
    Record::of_host(at_ms * MS, Body::AssumptionBroken(report))
}

/// The storm, and what it broke: 8 by a partition that stands, 9 by a pause that was over and by this computer, 4 by a
/// wipe long ago.
pub fn broken_storm() -> Vec<Record> {
    let mut records = storm();
    records.push(broken(6801, Assumption::DeliveryInTime, Some(2), "assumption 8 broken: 1 message lost (f2)"));
    records.push(broken(
        6802,
        Assumption::SafeCells,
        Some(5),
        "assumption 4 broken: node 3 found its safe cells empty (f5)",
    ));
    records.push(broken(
        6803,
        Assumption::NoPauses,
        None,
        "assumption 9 broken: node 4 stood still for 71 ms (this computer)",
    ));
    records.push(broken(6804, Assumption::Order, Some(6), "assumption 7 broken: 1 message overtaken (f6)"));
    // A second later this computer's stall is past, and so is what no fault that stands has done.
    records.push(step(8900 * MS, 4, given(3, 4, "Yes"), vec![], None));
    numbered(records)
}
