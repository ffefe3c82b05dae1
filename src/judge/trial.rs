//! Hand-drawn traces: a lab in a few lines, and what the judge makes of it.
//!
//! Invariant: times here are milliseconds; T is 200 ms, one way 100 ms, the algorithm's time bound 800 ms.

#![expect(clippy::unwrap_used, reason = "a trace that cannot be drawn fails its test")]

use std::collections::BTreeMap;

use super::{AssumptionView, Judge, WorkJudge};
use fault::{ClockFault, FaultId};
use protocol::{
    ApplicationFacts, Assumption, Ballot, Channel, Course, Facts, GroupNumber, Groups, Incarnation, ListingForm,
    NodeId, NodeMap, NodeSet, OrderId, Property, Rank, Settings, Span, StateVector, Status, TBounds, Task, Timing,
    Work,
};
use record::{
    Body, Death, EffectText, FORMAT, Head, Input, MessageId, MessageText, Missed, Record, Step, VERSION,
    ViolationReport, Words,
};
use world::Tally;

pub const MS: i64 = 1_000_000;

pub fn node(number: u16) -> NodeId {
    NodeId::new(number).unwrap()
}

pub fn set(text: &str) -> NodeSet {
    text.parse().unwrap()
}

pub fn text() -> MessageText {
    Words { kind: "Word".into(), fields: Vec::new(), body: String::new() }.into()
}

pub fn head(nodes: u16, promises: &[Property], needs: &[Assumption]) -> Head {
    let facts = Facts {
        name: "drawn".into(),
        title: "Drawn by hand".into(),
        paper: "none".into(),
        listing: Vec::new(),
        listing_form: ListingForm::Procedures,
        holes: Vec::new(),
        rank: Rank::HigherId,
        periodic: Vec::new(),
        plays_dead: None,
        t_bounds: TBounds::CallAndAnswer,
        channel: Channel::Unicast,
        groups: Groups::ByCoordinator,
        needs: needs.to_vec(),
        promises: promises.to_vec(),
        withheld: Vec::new(),
        application: None,
        one_way_bound: Span::from_millis(100),
        time_bound: Span::from_millis(800),
        time_bound_text: "4T".into(),
        quiet_bound: Span::from_millis(3000),
        quiet_bound_text: "15T".into(),
        message_bound_text: "n".into(),
    };
    Head {
        format: FORMAT.into(),
        version: VERSION,
        lab_id: "0".repeat(32),
        name: "drawn".into(),
        about: "A trace.".into(),
        source: None,
        lab_file: String::new(),
        seed: 1,
        nodes,
        timing: Timing { t: Span::from_millis(200), check: Span::from_millis(200), silence: Span::from_millis(1000) },
        settings: Settings::default(),
        facts,
        base_port: 20_224,
        group: None,
        build: "test".into(),
        wall_clock: 0,
        origin: Default::default(),
        drawn: None,
    }
}

/// An application that promises this, and needs the first of the assumptions, so many.
pub fn application(name: &str, promises: &[Property], needs: usize) -> ApplicationFacts {
    ApplicationFacts {
        name: name.into(),
        title: name.into(),
        bystanders: 0,
        needs: Assumption::first(needs).to_vec(),
        promises: promises.to_vec(),
        shards: None,
        services: None,
        section: None,
        weights: Vec::new(),
        orders: Vec::new(),
    }
}

/// A lab with this application, whose algorithm needs what the application needs and promises nothing else.
pub fn head_with(nodes: u16, application: ApplicationFacts) -> Head {
    let mut head = head(nodes, &application.promises, &application.needs);
    head.facts.application = Some(application);
    head
}

/// The order of this serial that node 1 took.
pub fn order(serial: u32) -> OrderId {
    OrderId { node: node(1), incarnation: Incarnation(1), serial }
}

pub fn state(status: Status, word: &'static str, coordinator: Option<u16>) -> StateVector {
    StateVector {
        ballot: course(word)
            .map(|course| Box::new(Ballot { course, stands_with: None, announcements: 0, lists: None })),
        ..StateVector::new(status, word, coordinator.map(node))
    }
}

/// What King and Ni's words for their phases mean.
fn course(word: &str) -> Option<Course> {
    match word {
        "normal" | "start" => Some(Course::Idle),
        "coll1" => Some(Course::Electing),
        "stop" | "master" => Some(Course::AtRest),
        "help" => Some(Course::Help),
        _ => None,
    }
}

pub fn normal(coordinator: u16) -> StateVector {
    state(Status::Normal, "Normal", Some(coordinator))
}

pub fn reorganizing(coordinator: u16) -> StateVector {
    state(Status::Reorganization, "Reorganization", Some(coordinator))
}

pub fn electing() -> StateVector {
    state(Status::Election, "Election", None)
}

/// The state, in the election of this number.
pub fn numbered(state: StateVector, election: u64) -> StateVector {
    StateVector { election: Some(election), ..state }
}

pub fn electing_in(election: u64) -> StateVector {
    numbered(electing(), election)
}

/// The state, with this work of an application.
pub fn at_work(work: Work, state: StateVector) -> StateVector {
    StateVector { work: Some(Box::new(work)), ..state }
}

pub fn due(due: u64, held: u64, unknown: u64) -> Tally {
    Tally { due, held, unknown, ..Tally::default() }
}

/// King and Ni's processes: on the way through this election, which one cannot be elected in.
pub fn collecting(election: u64) -> StateVector {
    numbered(state(Status::Election, "coll1", None), election)
}

/// The same, as a candidate with this capacity.
pub fn standing_with(capacity: i64, election: u64) -> StateVector {
    ballot(collecting(election), |ballot| ballot.stands_with = Some(capacity))
}

/// The state, whose ballot is changed so.
pub fn ballot(mut state: StateVector, change: impl FnOnce(&mut Ballot)) -> StateVector {
    change(state.ballot.as_mut().unwrap());
    state
}

pub fn help(election: u64) -> StateVector {
    numbered(state(Status::Election, "help", None), election)
}

pub fn stopped(master: u16, election: u64) -> StateVector {
    numbered(state(Status::Normal, "stop", Some(master)), election)
}

/// In `normal`, since it started.
pub fn asleep() -> StateVector {
    state(Status::Down, "normal", None)
}

pub fn in_group(state: StateVector, owner: u16, counter: u64) -> StateVector {
    StateVector { group: Some(GroupNumber { node: node(owner), counter }), ..state }
}

pub fn with_task(state: StateVector, author: u16, serial: u32) -> StateVector {
    let task = Task { author: node(author), incarnation: Incarnation(1), serial, members: NodeSet::EMPTY };
    StateVector { task: Some(task), ..state }
}

/// Whether crashes make edges to the time-outs on them; without is how the bug would look.
#[derive(Copy, Clone, Eq, PartialEq)]
pub enum CrashEdges {
    Drawn,
    Missing,
}

/// A lab being drawn.
pub struct Trace {
    pub judge: Judge,
    pub reports: Vec<ViolationReport>,
    pub records: Vec<Record>,
    pub crash_edges: CrashEdges,
    /// What the criterion says at the next steps.
    pub capacity: i64,
    sequences: BTreeMap<(NodeId, Option<NodeId>), u64>,
    incarnations: NodeMap<u32>,
    faults: u32,
}

impl Trace {
    /// A lab in which nobody judges what an application does.
    pub fn new(head: &Head) -> Trace {
        Trace::of(head, None)
    }

    /// A lab in which this judge of its application takes part.
    pub fn of(head: &Head, work: Option<Box<dyn WorkJudge>>) -> Trace {
        Trace {
            judge: Judge::new(head, work),
            reports: Vec::new(),
            records: Vec::new(),
            crash_edges: CrashEdges::Drawn,
            capacity: 0,
            sequences: BTreeMap::new(),
            incarnations: head.roster().unwrap().all().iter().map(|node| (node, 1)).collect(),
            faults: 0,
        }
    }

    /// A lab of Bully's promises and needs.
    pub fn bully(nodes: u16) -> Trace {
        Trace::new(&head(nodes, &[Property::Assertion1], &Assumption::ALL))
    }

    /// The same, in which everybody has started an election.
    pub fn electing(nodes: u16) -> Trace {
        let mut trace = Trace::bully(nodes);
        trace.start_all(nodes, &electing());
        trace
    }

    /// So many start in this state, from node 1 on.
    pub fn start_all(&mut self, nodes: u16, state: &StateVector) {
        (1..=nodes).for_each(|of| self.start(of, 0, state.clone()));
    }

    pub fn take(&mut self, record: Record) {
        self.reports.extend(self.judge.take(&record));
        self.records.push(record);
    }

    fn body(&mut self, of: u16, at: i64, body: Body) {
        self.take(Record::of_node(at * MS, node(of), body));
    }

    pub fn step(
        &mut self,
        of: u16,
        at: i64,
        input: Input,
        to: &[Option<u16>],
        state: Option<StateVector>,
    ) -> Vec<MessageId> {
        let incarnation = Incarnation(self.incarnations[&node(of)]);
        let ids: Vec<MessageId> = to
            .iter()
            .map(|to| {
                let to = to.map(node);
                let sequence = self.sequences.entry((node(of), to)).or_default();
                *sequence += 1;
                MessageId { from: node(of), incarnation, to, sequence: *sequence }
            })
            .collect();
        let effects = ids.iter().map(|id| EffectText::Send { id: *id, message: text() }).collect();
        let (capacity, measured, lines) = (self.capacity, None, Vec::new());
        let lies = Vec::new();
        let step = Step { incarnation, step: 1, input, capacity, measured, lines, effects, lies, held: None, state };
        self.body(of, at, Body::Step(step));
        ids
    }

    pub fn start(&mut self, of: u16, at: i64, state: StateVector) {
        self.step(of, at, Input::Start { saved: false }, &[], Some(state));
    }

    /// Something of its own makes the node take on this state.
    pub fn become_state(&mut self, of: u16, at: i64, state: StateVector) {
        let order = Input::Order { order: protocol::Order::Elect };
        self.step(of, at, order, &[], Some(state));
    }

    /// A step that sends.
    pub fn send(&mut self, of: u16, at: i64, to: u16, state: Option<StateVector>) -> MessageId {
        let order = Input::Order { order: protocol::Order::Elect };
        self.step(of, at, order, &[Some(to)], state)[0]
    }

    /// A step that sends to all.
    pub fn broadcast(&mut self, of: u16, at: i64, state: Option<StateVector>) -> MessageId {
        let order = Input::Order { order: protocol::Order::Elect };
        self.step(of, at, order, &[None], state)[0]
    }

    /// A step with these effects.
    pub fn effects(&mut self, of: u16, at: i64, effects: Vec<EffectText>) {
        let (incarnation, input) = (Incarnation(1), Input::Order { order: protocol::Order::Elect });
        let (measured, lines) = (None, Vec::new());
        let lies = Vec::new();
        let step =
            Step { incarnation, step: 9, input, capacity: 0, measured, lines, effects, lies, held: None, state: None };
        self.body(of, at, Body::Step(step));
    }

    pub fn receive(&mut self, of: u16, at: i64, id: MessageId, state: Option<StateVector>) {
        self.step(of, at, Input::Message { id, message: text() }, &[], state);
    }

    /// A receive that is answered in the same step.
    pub fn answer(&mut self, of: u16, at: i64, id: MessageId, state: Option<StateVector>) -> MessageId {
        self.step(of, at, Input::Message { id, message: text() }, &[Some(id.from.get())], state)[0]
    }

    /// One node tells another something, and it takes 1 ms.
    pub fn tell(&mut self, from: u16, at: i64, to: u16, state: Option<StateVector>) {
        let id = self.send(from, at, to, None);
        self.receive(to, at + 1, id, state);
    }

    /// A time-out that was set, due and about as told.
    pub fn time_out(&mut self, of: u16, set_at: i64, due: i64, at: i64, about: &str, state: Option<StateVector>) {
        let waited_for = match self.crash_edges {
            CrashEdges::Drawn => set(about),
            CrashEdges::Missing => NodeSet::EMPTY,
        };
        let (set, due) = ((set_at * MS) as u64, (due * MS) as u64);
        self.step(of, at, Input::Timer { timer: "answer".into(), set, due, waited_for }, &[], state);
    }

    pub fn fault(&mut self, at: i64, line: &str, nodes: &str) -> FaultId {
        self.faults += 1;
        let id = FaultId(self.faults);
        let body = Body::FaultOrdered { id, line: line.parse().unwrap(), nodes: set(nodes), rule: None, step: None };
        self.take(Record::of_host(at * MS, body));
        id
    }

    /// A cut that is in force at once.
    pub fn cut(&mut self, at: i64, links: &str) -> FaultId {
        self.linked(at, &format!("cut {links}"))
    }

    /// A link fault that is in force at once.
    pub fn linked(&mut self, at: i64, line: &str) -> FaultId {
        self.faults += 1;
        let id = FaultId(self.faults);
        let nodes = set("1-3");
        let body = Body::FaultOrdered {
            id,
            line: line.parse().unwrap(),
            nodes,
            rule: Some(line.parse().unwrap()),
            step: None,
        };
        self.take(Record::of_host(at * MS, body));
        self.take(Record::of_host(at * MS, Body::FaultInForce { id }));
        id
    }

    pub fn crash(&mut self, of: u16, at: i64) {
        let by = self.fault(at, &format!("crash {of}"), &of.to_string());
        self.body(of, at, Body::Died { death: Death::Killed { by } });
    }

    pub fn recover(&mut self, of: u16, at: i64, state: StateVector) {
        *self.incarnations.get_mut(&node(of)).unwrap() += 1;
        self.sequences.retain(|(from, _), _| *from != node(of));
        self.body(of, at, Body::Spawned { pid: 1 });
        self.start(of, at + 1, state);
    }

    pub fn pause(&mut self, of: u16, at: i64) -> FaultId {
        let by = self.fault(at, &format!("pause {of}"), &of.to_string());
        self.body(of, at, Body::Stopped { by });
        by
    }

    pub fn resume(&mut self, of: u16, at: i64) {
        self.body(of, at, Body::Continued);
    }

    pub fn dropped(&mut self, of: u16, at: i64, id: MessageId, by: FaultId) {
        self.body(of, at, Body::Dropped { id, by, message: None });
    }

    pub fn held(&mut self, of: u16, at: i64, id: MessageId, by: FaultId, ms: u64) {
        self.body(of, at, Body::Held { id, by, span: Some(Span::from_millis(ms)), message: None });
    }

    pub fn happened(&mut self, of: u16, at: i64, body: Body) {
        self.body(of, at, body);
    }

    /// Something of this message was garbled at its receiver.
    pub fn garbled(&mut self, of: u16, at: i64, id: MessageId, by: FaultId) {
        self.body(of, at, Body::Garbled { id, by, was: text(), became: Some(text()) });
    }

    /// Three records of this node are missing, or of the host.
    pub fn gap(&mut self, of: Option<u16>, at: i64) {
        let body = Body::Gap(Missed { count: 3, place: "in the node's own buffer".into() });
        self.take(Record { node: of.map(node), ..Record::of_host(at * MS, body) });
    }

    /// The node's clock runs at this rate by that fault, or as the lab's.
    pub fn clock(&mut self, of: u16, at: i64, by: FaultId, rate: Option<&str>) {
        let clock = rate.map(|rate| ClockFault { by, rate: rate.parse().unwrap() });
        self.happened(of, at, Body::ClockSet { clock });
    }

    pub fn overflowed(&mut self, of: u16, at: i64, count: u64) {
        self.body(of, at, Body::Overflowed { count });
    }

    /// Each of these takes a step without any news: it speaks.
    pub fn speak(&mut self, at: i64, nodes: &str) {
        for of in set(nodes).iter() {
            self.step(of.get(), at, Input::Order { order: protocol::Order::Elect }, &[], None);
        }
    }

    /// Each of these takes on its state at that time, from node 1 on.
    pub fn states(&mut self, at: i64, states: &[StateVector]) {
        for (of, state) in (1..).zip(states) {
            self.become_state(of, at, state.clone());
        }
    }

    /// So many take on this state, from node 1 on.
    pub fn all(&mut self, nodes: u16, at: i64, state: &StateVector) {
        (1..=nodes).for_each(|of| self.become_state(of, at, state.clone()));
    }

    pub fn pass(&mut self, at: i64) {
        self.reports.extend(self.judge.ripen(at * MS));
    }

    pub fn due_at(&self) -> Option<i64> {
        self.judge.liveness_due_at().map(|due| due / MS)
    }

    pub fn tally(&self, property: Property) -> Tally {
        self.judge.tallies().get(property)
    }

    pub fn assumption(&self, assumption: Assumption) -> AssumptionView {
        self.judge.assumptions().into_iter().find(|view| view.assumption == assumption).unwrap()
    }

    /// The lab ends.
    pub fn close(&mut self, at: i64) {
        self.reports.extend(self.judge.close(at * MS));
    }

    /// Everybody is Normal under the highest, in order: its word reaches all.
    pub fn agree(&mut self, nodes: u16, at: i64) {
        self.start_all(nodes, &electing());
        self.become_state(nodes, at, reorganizing(nodes));
        for of in 1..nodes {
            self.tell(nodes, at + 1, of, Some(normal(nodes)));
        }
        self.become_state(nodes, at + 5, normal(nodes));
    }

    /// `coordinator` halts those, which answer, and they become Normal under it.
    pub fn take_over(&mut self, coordinator: u16, others: &str, at: i64) {
        for other in set(others).iter().rev() {
            let halt = self.send(coordinator, at, other.get(), Some(electing()));
            let answer = self.answer(other.get(), at + 1, halt, Some(electing()));
            self.receive(coordinator, at + 2, answer, None);
        }
        self.become_state(coordinator, at + 200, reorganizing(coordinator));
        for other in set(others).iter() {
            self.tell(coordinator, at + 201, other.get(), Some(reorganizing(coordinator)));
            self.tell(coordinator, at + 203, other.get(), Some(normal(coordinator)));
        }
        self.become_state(coordinator, at + 210, normal(coordinator));
    }

    pub fn texts(&self) -> Vec<&str> {
        self.reports.iter().map(|report| report.text.as_str()).collect()
    }

    /// The lab ends. What was told, without when and why.
    pub fn told(mut self) -> Vec<String> {
        self.close(9000);
        let what = |text: &&str| text.split("): ").nth(1).unwrap().split("; ").next().unwrap().to_owned();
        self.texts().iter().map(what).collect()
    }

    /// The lab ends. What was told as undone, without when and why.
    pub fn undone(mut self) -> Vec<String> {
        self.close(9000);
        let what = |text: &&str| text.split(", but ").nth(1).unwrap().split("; ").next().unwrap().to_owned();
        self.texts().iter().map(what).collect()
    }

    /// What each report gives for an excuse.
    pub fn causes(&self) -> Vec<Option<Assumption>> {
        self.reports.iter().map(|report| report.because()).collect()
    }

    /// The one report there must be.
    pub fn only(&self) -> &ViolationReport {
        assert_eq!(self.reports.len(), 1, "{:#?}", self.texts());
        &self.reports[0]
    }
}
