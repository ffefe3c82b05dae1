//! Hand-made sessions of five nodes, and the Card that reads back what is made of them.

use fault::{FaultId, LinkRule};
use lab::{Lab, parse};
use protocol::trial::registry_of;
use protocol::{
    Assumption, Ballot, Card, Channel, CoordinatorNumbers, Course, Delivery, Formula, GroupNumber, Groups, KeyUse,
    ListingForm, Mends, NodeId, NodeSet, Order, Property, Rank, SettingCard, SettingKind, SettingValue, Settings, Span,
    StateVector, Status, TBounds, Timing, holes,
};
use record::{
    Body, BreakManner, BrokenAssumption, BrokenBy, CausalWay, Contradiction, Death, EventsBetween, Excuse, FORMAT,
    Grade, Head, Input, Record, SessionReader, Step, VERSION, ViolationReport,
};

const SECOND: i64 = 1_000_000_000;
const NO_BOUND: Formula = Formula { text: "0", value: |_, _, _| Span::ZERO };

enum Hole {
    B1,
}

holes! {
    B1 = "B1", "Two coordinators stay.", "AreYouNormal", [], Lab("bully-pause");
}

pub const BULLY: Card = Card {
    name: "bully",
    title: "Bully",
    paper: "Garcia-Molina 1982",
    wire: 1,
    rank: Rank::HigherId,
    orders: &[Order::Elect, Order::StartOver],
    listing: &[],
    listing_form: ListingForm::Procedures,
    t_bounds: TBounds::CallAndAnswer,
    channel: Channel::Unicast,
    delivery: Delivery::InOrder,
    keys: KeyUse::None,
    lies: &[],
    groups: Groups::Numbered,
    numbers: CoordinatorNumbers::None("Nothing is numbered here."),
    needs: &Assumption::ALL,
    promises: &[Property::Assertion1],
    withholds: |_, _| &[],
    time_bound: NO_BOUND,
    quiet_bound: NO_BOUND,
    message_bound: "0",
    nodes_max: 256,
    messages: &[],
    hands_in: &[],
    hands_out: &[],
    periodic: &[],
    plays_dead: None,
    words: &[],
    settings: &[
        SettingCard { name: "form", kind: SettingKind::Word(&["parallel"]), about: "How a phase makes its calls." },
        Mends::setting(HOLES, "Mends the holes."),
        SettingCard { name: "candidates", kind: SettingKind::Nodes, about: "Who may be elected." },
    ],
    periods: &[],
};

pub const INVITATION: Card = Card {
    name: "invitation",
    needs: &[Assumption::SafeCells, Assumption::Order],
    promises: &[Property::Assertion3],
    ..BULLY
};

pub const KING_NI: Card = Card {
    name: "king-ni-c",
    groups: Groups::ByCoordinator,
    numbers: CoordinatorNumbers::None("Nothing is numbered here."),
    promises: &[Property::Uniqueness, Property::DeadlockFree],
    ..BULLY
};

pub fn set(text: &str) -> NodeSet {
    if text.is_empty() { NodeSet::EMPTY } else { text.parse().unwrap() }
}

pub fn node(number: u16) -> NodeId {
    NodeId::new(number).unwrap()
}

/// A session as it grows; times are in seconds.
pub struct Session {
    pub head: Head,
    pub records: Vec<Record>,
    faults: u32,
    serial: u64,
}

impl Session {
    /// A lab of this algorithm in which five processes run and nothing else has happened.
    pub fn new(card: &Card) -> Session {
        let millis = Span::from_millis;
        let timing = Timing { t: millis(200), check: millis(200), silence: millis(1_000) };
        let settings = Settings::defaults(card.settings, set("1-5")).with("errata", SettingValue::Flag(false));
        let facts = card.facts(&timing, 5, &settings);
        let head = Head {
            format: FORMAT.into(),
            version: VERSION,
            lab_id: "0123456789abcdef0123456789abcdef".into(),
            name: "first \"and\" last".into(),
            about: "By hand.".into(),
            source: Some("Garcia-Molina 1982, section III-A".into()),
            lab_file: String::new(),
            seed: 7,
            nodes: 5,
            timing,
            settings,
            facts,
            base_port: 20_224,
            group: None,
            build: "0.1.0".into(),
            wall_clock: 1_760_000_000,
            origin: Default::default(),
            drawn: None,
        };
        let mut session = Session { head, records: Vec::new(), faults: 0, serial: 0 };
        session.push(0.0, None, Body::Began);
        for number in 1..=5 {
            session.spawn(0.0, number);
        }
        session
    }

    pub fn push(&mut self, at: f64, about: Option<u16>, body: Body) {
        let at = (at * 1e9).round() as i64;
        let number = self.records.len() as u64 + 1;
        self.records.push(Record { number, node: about.map(node), ..Record::of_host(at, body) });
    }

    pub fn spawn(&mut self, at: f64, number: u16) {
        self.push(at, Some(number), Body::Spawned { pid: u32::from(number) });
        self.state(at, number, Status::Down, None, "Down");
    }

    /// A step after which the node is so; in `help` it asks for help.
    pub fn state(&mut self, at: f64, number: u16, status: Status, under: Option<(u16, u64)>, word: &str) {
        self.serial += 1;
        let group = under.filter(|_| self.head.facts.groups == Groups::Numbered);
        let state = StateVector {
            group: group.map(|(maker, counter)| GroupNumber { node: node(maker), counter }),
            ballot: ballot(word),
            ..StateVector::new(status, word.to_owned(), under.map(|(coordinator, _)| node(coordinator)))
        };
        let step = Step { step: self.serial, state: Some(state), ..Step::first(Input::Start { saved: false }) };
        self.push(at, Some(number), Body::Step(step));
    }

    /// These hold an election and are Normal at this time, under this coordinator in its group of that number.
    pub fn agree(&mut self, at: f64, nodes: &str, coordinator: u16, counter: u64) {
        for member in set(nodes).iter() {
            self.state(at - 0.1, member.get(), Status::Election, None, "Election");
        }
        for member in set(nodes).iter() {
            self.state(at, member.get(), Status::Normal, Some((coordinator, counter)), "Normal");
        }
    }

    /// An order by hand, in force at once.
    pub fn order(&mut self, at: f64, line: &str, nodes: &str, rule: Option<LinkRule>) -> FaultId {
        self.order_of_step(at, line, nodes, rule, None)
    }

    pub fn order_of_step(
        &mut self,
        at: f64,
        line: &str,
        nodes: &str,
        rule: Option<LinkRule>,
        step: Option<&str>,
    ) -> FaultId {
        let id = self.order_in_vain(at, line, nodes, rule, step);
        self.push(at, None, Body::FaultInForce { id });
        id
    }

    /// An order that nobody acknowledges.
    pub fn order_in_vain(
        &mut self,
        at: f64,
        line: &str,
        nodes: &str,
        rule: Option<LinkRule>,
        step: Option<&str>,
    ) -> FaultId {
        self.faults += 1;
        let id = FaultId(self.faults);
        let (line, step) = (line.parse().unwrap(), step.map(str::to_owned));
        self.push(at, None, Body::FaultOrdered { id, line, nodes: set(nodes), rule, step });
        id
    }

    pub fn crash(&mut self, at: f64, line: &str, nodes: &str) -> FaultId {
        let id = self.order(at, line, nodes, None);
        for member in set(nodes).iter() {
            self.push(at, Some(member.get()), Body::Died { death: Death::Killed { by: id } });
        }
        id
    }

    pub fn pause(&mut self, at: f64, line: &str, nodes: &str) -> FaultId {
        let id = self.order(at, line, nodes, None);
        for member in set(nodes).iter() {
            self.push(at, Some(member.get()), Body::Stopped { by: id });
        }
        id
    }

    pub fn lift(&mut self, at: f64, id: FaultId) {
        self.push(at, None, Body::FaultLifted { id });
    }

    pub fn violation(&mut self, at: f64, property: Property, because: Option<Assumption>) {
        let fault = BrokenBy::Fault { id: FaultId(1), line: None };
        let report = ViolationReport {
            property,
            nodes: set("1,4"),
            since: (at * 1e9) as i64,
            contradiction: Contradiction::SecondLeader { node: node(1), term: 1, other: node(4) },
            grade: Grade::Observed,
            between: EventsBetween::default(),
            excuse: because.map_or(Excuse::NoneBroken, |assumption| excused(assumption, fault)),
            text: "1 is Normal under 2 while 4 is Normal under 4".into(),
        };
        self.push(at, None, Body::Violation(report));
    }

    pub fn end(&mut self, at: f64) {
        self.push(at, None, Body::Ended { why: "it was told to end".into(), outcome: None });
    }

    /// The lab file that is made of it.
    pub fn text(&self) -> String {
        let (head, records) = (Some(self.head.clone()), self.records.clone());
        let session = SessionReader { head, records, skipped: Vec::new() };
        let mut text = Vec::new();
        super::super::write(&session, &[], &mut text).unwrap();
        String::from_utf8(text).unwrap()
    }

    /// The lab that it is.
    pub fn lab(&self) -> Lab {
        let text = self.text();
        parse("again.toml", &text, registry_of(&[BULLY, INVITATION, KING_NI], &[]))
            .unwrap_or_else(|errors| panic!("{:?}\n{text}", errors.list))
    }

    /// The lab's steps: seconds, lines.
    pub fn steps(&self) -> Vec<(f64, Vec<String>)> {
        let seconds = |when: &lab::When| match when {
            lab::When::At(span) => span.nanos() as f64 / SECOND as f64,
            lab::When::Condition { .. } => panic!("a step of an export has its time"),
            lab::When::Moment(moment) => panic!("this step has its time, and not {moment}"),
        };
        let steps = self.lab().steps;
        steps.iter().map(|step| (seconds(&step.when), step.lines.iter().map(ToString::to_string).collect())).collect()
    }

    /// The lines of all its steps.
    pub fn lines(&self) -> Vec<String> {
        self.steps().into_iter().flat_map(|(_, lines)| lines).collect()
    }

    /// What it expects: that, after which step, within how many seconds.
    pub fn expectations(&self) -> Vec<(String, Option<String>, f64)> {
        let lab = self.lab();
        let name = |step: usize| lab.steps[step].name.clone();
        lab.expectations
            .iter()
            .map(|one| (one.text.clone(), one.after.map(name), one.within.nanos() as f64 / SECOND as f64))
            .collect()
    }

    /// All conditions in the text that is made of it.
    pub fn conditions(&self) -> Vec<String> {
        let text = self.text();
        let that = |line: &str| Some(line.strip_prefix("that = \"")?.strip_suffix('"')?.to_owned());
        text.lines().filter_map(that).collect()
    }

    /// The conditions that it expects after a step of this name.
    pub fn after(&self, step: &str) -> Vec<String> {
        let all = self.expectations().into_iter();
        all.filter(|(_, after, _)| after.as_deref() == Some(step)).map(|(that, ..)| that).collect()
    }
}

fn ballot(word: &str) -> Option<Box<Ballot>> {
    (word == "help")
        .then(|| Box::new(Ballot { course: Course::Help, stands_with: None, announcements: 0, lists: None }))
}

/// What broke that assumption excuses it.
pub fn excused(assumption: Assumption, by: BrokenBy) -> Excuse {
    let manner = BreakManner::StoodStill { node: node(4) };
    let broken = BrokenAssumption { assumption, by, from: 0, to: Some(1_000_000), seen_at: 0, manner };
    Excuse::Broken { broken: Box::new(broken), way: CausalWay { node: node(4), at: 0, steps: Vec::new() } }
}
