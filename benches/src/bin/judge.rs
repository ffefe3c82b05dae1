//! The judge on line: 64 nodes, 10,000 records a second for 60 s, one node silent all the while.
//!
//! The traffic is drawn here: node 64 holds an election of the others every half second, Halt to Ready, and in between
//! everybody asks anybody whether it is there. The streams of the nodes are read up to 4 ms apart, so that a receive is
//! often read before its send. What is measured is the orderer and the judge, by the clock of the thread that runs them.
//! After the 60 s the traffic goes on without a pause, up to a million records, for the memory that they take.
//! Then the same traffic of five nodes as fast as it goes, without the orderer, as a simulator hands it over.

use std::collections::{BTreeMap, VecDeque};
use std::hint::black_box;
use std::time::{Duration, Instant};

use hustings::judge::Judge;
use hustings::protocol::{
    Incarnation, NodeId, NodeSet, Order, Roster, Settings, Span, StateVector, Status, Task, Timing,
};
use hustings::record::{
    Body, EffectText, FORMAT, Head, Input, MessageId, MessageText, Origin, Record, Step, VERSION, Words,
};
use hustings::registry::BUILT_IN;
use hustings::world::Orderer;
use hustings_benches::resident_kib;
use nix::time::{ClockId, clock_gettime};

const NODES: u16 = 64;
const RATE: usize = 10_000;
const MILLION: u64 = 1_000_000;
const MS: i64 = 1_000_000;
/// A message is under way for so long.
const UNDER_WAY: i64 = MS;
/// An election begins every so many milliseconds, and has a phase every so many.
const ELECTION_EVERY: i64 = 500;
const PHASE: i64 = 50;

fn main() {
    let seconds: i64 = std::env::args().nth(1).and_then(|text| text.parse().ok()).unwrap_or(60);
    on_line(seconds);
    at_full_speed();
}

fn on_line(seconds: i64) {
    let mut traffic = Traffic::new(NODES, RATE);
    let roster = Roster::new(NODES).expect("64 nodes are a lab");
    let (mut judge, mut orderer) = (Judge::new(&head(NODES), None), Orderer::new(roster));
    // What was written and not read yet, by the moment of its reading.
    let mut unread: BTreeMap<(i64, u64), Record> = BTreeMap::new();
    let (mut records, mut violations, mut spent, mut longest) = (0u64, 0, Duration::ZERO, Duration::ZERO);
    let memory = || resident_kib(std::process::id()).unwrap_or(0);
    let (mut begin_kib, begun) = (0, Instant::now());
    let (mut end_kib, mut lasted) = (0, 0.0);
    for tick in 0.. {
        let is_paced = tick < seconds * 1000;
        if tick == seconds * 1000 {
            (end_kib, lasted) = (memory(), begun.elapsed().as_secs_f64());
            println!("{NODES} nodes, one silent, {records} records in {lasted:.1} s");
            println!("  share of a core {:.2} %", spent.as_secs_f64() / lasted * 100.0);
            println!("  at most {longest:?} for the records of a millisecond");
        } else if !is_paced && records >= MILLION {
            break;
        }
        for record in traffic.tick(tick) {
            records += 1;
            let lag = record.node.map_or(0, |node| i64::from(node.get()) % 5);
            unread.insert((tick + lag, records), record);
        }
        let ahead = Duration::from_millis(tick as u64).checked_sub(begun.elapsed());
        if let Some(ahead) = ahead.filter(|_| is_paced) {
            std::thread::sleep(ahead);
        }
        let before = thread_time();
        while let Some(entry) = unread.first_entry().filter(|entry| entry.key().0 <= tick) {
            for record in orderer.take(entry.remove(), tick * MS) {
                violations += judge.take(&record).len();
            }
        }
        let took = thread_time() - before;
        (spent, longest) = (spent + took, longest.max(took));
        if tick == 1000 {
            begin_kib = memory();
        }
    }
    println!("  resident memory after the first second {begin_kib} KiB, after {lasted:.0} s {end_kib} KiB");
    println!("  and after {records} records {} KiB", memory());
    println!("  longest wait of a receive for its send {:.3} ms", orderer.longest_wait() as f64 / 1e6);
    println!("  violations {violations}, unknown {:?}, {:?}", judge.unknown(), judge.figures());
}

fn at_full_speed() {
    let mut traffic = Traffic::new(5, RATE);
    let records: Vec<Record> = (0..20_000).flat_map(|tick| traffic.tick(tick)).collect();
    for _ in 0..3 {
        let mut judge = Judge::new(&head(5), None);
        let begun = thread_time();
        for record in &records {
            black_box(judge.take(record));
        }
        let each = (thread_time() - begun).as_nanos() as f64 / records.len() as f64;
        println!("5 nodes, {} records at full speed: {each:.0} ns each", records.len());
    }
}

fn thread_time() -> Duration {
    clock_gettime(ClockId::CLOCK_THREAD_CPUTIME_ID).expect("Linux has a clock for each thread").into()
}

/// What a message of the traffic is.
#[derive(Copy, Clone, Eq, PartialEq)]
enum Kind {
    Ask,
    Answer,
    Halt,
    NewCoordinator,
    Ready,
}

/// A lab drawn in records.
struct Traffic {
    nodes: u16,
    each_tick: usize,
    under_way: VecDeque<(i64, MessageId, Kind)>,
    sequences: BTreeMap<(NodeId, NodeId), u64>,
    states: BTreeMap<NodeId, StateVector>,
    serial: u32,
    draws: u64,
}

impl Traffic {
    fn new(nodes: u16, rate: usize) -> Traffic {
        Traffic {
            nodes,
            each_tick: rate / 1000,
            under_way: VecDeque::new(),
            sequences: BTreeMap::new(),
            states: BTreeMap::new(),
            serial: 0,
            draws: 1,
        }
    }

    /// The records of one millisecond.
    fn tick(&mut self, tick: i64) -> Vec<Record> {
        let at = tick * MS;
        let mut records = Vec::new();
        if tick == 0 {
            let all = Roster::new(self.nodes).expect("few enough").all();
            for node in all.iter() {
                let state = state(Status::Election, None, None);
                self.states.insert(node, state.clone());
                records.push(self.step(node, at, Input::Start { saved: false }, &[], Some(state)));
            }
        }
        while self.under_way.front().is_some_and(|(due, ..)| *due <= at) {
            let (_, id, kind) = self.under_way.pop_front().expect("there is a first one");
            // Node 1 is there and says nothing: what is sent to it stays under way.
            let receiver = id.to.filter(|to| to.get() != 1);
            records.extend(receiver.map(|receiver| self.receive(receiver, at, id, kind)));
        }
        if tick % ELECTION_EVERY >= PHASE {
            records.extend(self.elect(tick, at));
        }
        while records.len() < self.each_tick {
            let (from, to) = (self.draw(2), self.draw(1));
            if from != to {
                records.push(self.step(from, at, Input::Order { order: Order::Elect }, &[(to, Kind::Ask)], None));
            }
        }
        records
    }

    /// The coordinator's part of an election.
    fn elect(&mut self, tick: i64, at: i64) -> Option<Record> {
        let coordinator = NodeId::new(self.nodes)?;
        let (kind, status) = match (tick % ELECTION_EVERY) / PHASE {
            1 => (Kind::Halt, Status::Election),
            2 => (Kind::NewCoordinator, Status::Reorganization),
            3 => (Kind::Ready, Status::Reorganization),
            4 => (Kind::Answer, Status::Normal),
            _ => return None,
        };
        if tick % PHASE != 0 {
            return None;
        }
        self.serial += u32::from(kind == Kind::Ready);
        let task = (status == Status::Normal).then(|| self.task(coordinator));
        let state = state(status, (status != Status::Election).then_some(coordinator), task);
        let others = (2..self.nodes).rev().filter_map(NodeId::new).map(|node| (node, kind));
        let sends: Vec<_> = if kind == Kind::Answer { Vec::new() } else { others.collect() };
        Some(self.step(coordinator, at, Input::Order { order: Order::Elect }, &sends, Some(state)))
    }

    fn receive(&mut self, node: NodeId, at: i64, id: MessageId, kind: Kind) -> Record {
        let input = Input::Message { id, message: text() };
        let answer = [(id.from, Kind::Answer)];
        let state = match kind {
            Kind::Halt => Some(state(Status::Election, None, None)),
            Kind::NewCoordinator => Some(state(Status::Reorganization, Some(id.from), None)),
            Kind::Ready => Some(state(Status::Normal, Some(id.from), Some(self.task(id.from)))),
            Kind::Ask | Kind::Answer => None,
        };
        self.step(node, at, input, if kind == Kind::Answer { &[] } else { &answer }, state)
    }

    fn step(
        &mut self,
        node: NodeId,
        at: i64,
        input: Input,
        sends: &[(NodeId, Kind)],
        state: Option<StateVector>,
    ) -> Record {
        let mut effects = vec![EffectText::SetTimer { timer: "Check".into(), span: Span::from_millis(200) }];
        for (to, kind) in sends {
            let sequence = self.sequences.entry((node, *to)).or_default();
            *sequence += 1;
            let id = MessageId { from: node, incarnation: Incarnation(1), to: Some(*to), sequence: *sequence };
            self.under_way.push_back((at + UNDER_WAY, id, *kind));
            effects.push(EffectText::Send { id, message: text() });
        }
        let step = Step { lines: vec![1, 2], effects, state, ..Step::first(input) };
        Record::of_node(at, node, Body::Step(step))
    }

    fn task(&self, author: NodeId) -> Task {
        Task { author, incarnation: Incarnation(1), serial: self.serial, members: NodeSet::EMPTY }
    }

    /// A node from this one on.
    fn draw(&mut self, first: u16) -> NodeId {
        self.draws = self.draws.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let among = u64::from(self.nodes + 1 - first);
        NodeId::new(first + ((self.draws >> 33) % among) as u16).expect("it is one of the lab")
    }
}

fn text() -> MessageText {
    Words { kind: "AreYouThere".into(), fields: vec![("call".into(), "1.7".into())], body: "00010007".into() }.into()
}

fn state(status: Status, coordinator: Option<NodeId>, task: Option<Task>) -> StateVector {
    StateVector {
        status,
        word: Status::WORDS[status as usize].into(),
        coordinator,
        group: None,
        task,
        up: NodeSet::EMPTY,
        halted_by: None,
        election: None,
        ballot: None,
        work: None,
    }
}

fn head(nodes: u16) -> Head {
    let card = BUILT_IN.card("bully").expect("Bully is in the table");
    let timing = Timing { t: Span::from_millis(200), check: Span::from_millis(200), silence: Span::from_millis(1000) };
    let roster = Roster::new(nodes).expect("few enough");
    let settings = Settings::defaults(card.settings, roster.all());
    Head {
        format: FORMAT.into(),
        version: VERSION,
        lab_id: "0".repeat(32),
        name: "bench".into(),
        about: "A lab to measure.".into(),
        source: None,
        lab_file: String::new(),
        seed: 1,
        drawn: None,
        nodes,
        timing,
        facts: card.facts(&timing, nodes, &settings),
        settings,
        base_port: 20_224,
        group: None,
        build: "bench".into(),
        wall_clock: 0,
        origin: Origin::Simulated,
    }
}
