//! A lab of drivers in virtual time. It writes a session, which the tests alter and feed to machines again.
//!
//! Invariant: a datagram takes a millisecond, and what falls on one moment happens in one order, so a stage played
//! twice writes one session.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::io;

use crate::{Armed, Driver, Environment, Stamp};
use fault::{ClockFault, FaultId, Passage};
use link::BroadcastId;
use protocol::*;
use protocol::{MachineKind, NodeMap, Payload, SavedCells};
use record::{Body, FORMAT, Head, MessageId, Record, SessionReader, VERSION};

pub const MS: u64 = 1_000_000;

/// What becomes of the save of a node's last step.
#[derive(Copy, Clone, Eq, PartialEq)]
pub enum LastSave {
    Done,
    CutOff,
}

pub struct Stage {
    kind: MachineKind,
    nodes: NodeMap<Option<Driver>>,
    setup: Setup,
    around: Around,
}

struct Around {
    now: u64,
    me: NodeId,
    all: NodeSet,
    armed: Armed,
    held: Option<String>,
    queue: BTreeMap<(u64, u64), (Passage, Payload)>,
    sent: u64,
    records: Vec<Record>,
    incarnations: NodeMap<Incarnation>,
    cells: NodeMap<Option<SavedCells>>,
    /// What the safe cells held before the node's last save.
    older: NodeMap<Option<SavedCells>>,
}

fn node(number: u16) -> NodeId {
    NodeId::new(number).unwrap()
}

impl Stage {
    /// A lab of three nodes, none of which runs.
    pub fn new(kind: MachineKind) -> Stage {
        let roster = Roster::new(3).unwrap();
        let settings = Settings::defaults(kind.card().settings, roster.all());
        let timing =
            Timing { t: Span::from_millis(20), check: Span::from_millis(100), silence: Span::from_millis(200) };
        let setup = Setup { me: node(1), roster, timing, settings, incarnation: Incarnation(0), keyring: None };
        let around = Around {
            now: 0,
            me: node(1),
            all: roster.all(),
            armed: Armed::default(),
            held: None,
            queue: BTreeMap::new(),
            sent: 0,
            records: Vec::new(),
            incarnations: NodeMap::new(),
            cells: NodeMap::new(),
            older: NodeMap::new(),
        };
        Stage { kind, nodes: roster.all().iter().map(|node| (node, None)).collect(), setup, around }
    }

    pub fn start(&mut self, number: u16) {
        let me = node(number);
        let incarnation = self.around.incarnations.get_or_default(me);
        incarnation.0 += 1;
        let setup = Setup { me, incarnation: *incarnation, ..self.setup.clone() };
        let saved = self.around.cells.get_or_default(me).clone();
        let now = self.around.turn_to(me);
        let Ok(driver) = Driver::start(self.kind, setup, 7, saved, None, now, &mut self.around);
        self.nodes.insert(me, Some(driver));
        self.reach_hold(me);
    }

    /// If the node's step is held, it comes to the hold at once.
    fn reach_hold(&mut self, me: NodeId) {
        if let Some(driver) = self.nodes.get_mut(&me).unwrap() {
            let Ok(()) = driver.reach_hold("moment", &mut self.around);
        }
    }

    pub fn crash(&mut self, number: u16, last_save: LastSave) {
        self.nodes.insert(node(number), None);
        self.around.held = None;
        if last_save == LastSave::CutOff {
            self.around.cells.insert(node(number), self.around.older[&node(number)].clone());
        }
    }

    pub fn elect(&mut self, number: u16) {
        let now = self.around.turn_to(node(number));
        let driver = self.nodes.get_mut(&node(number)).unwrap().as_mut().unwrap();
        let Ok(()) = driver.on_order(Order::Elect, now, &mut self.around);
        self.reach_hold(node(number));
    }

    /// The node's clock runs at this rate from now on.
    pub fn set_clock(&mut self, number: u16, rate: Option<&str>) {
        let rate = rate.map(|rate| rate.parse().unwrap());
        let now = self.around.turn_to(node(number));
        let clock = rate.map(|rate| ClockFault { by: FaultId(1), rate });
        self.around.record(now, Body::ClockSet { clock });
        self.nodes.get_mut(&node(number)).unwrap().as_mut().unwrap().set_rate(rate, now);
    }

    /// The next step in which that moment comes is held.
    pub fn arm(&mut self, moment: &str) {
        self.around.armed.arm("moment".into(), moment.parse().unwrap());
    }

    pub fn is_held(&self) -> bool {
        self.around.held.is_some()
    }

    /// Lets the held node go on after this many milliseconds, in which no other node does anything.
    pub fn go_on(&mut self, ms: u64) {
        self.around.now += ms * MS;
        let by = self.around.held.take().unwrap();
        let (me, held) =
            self.nodes.iter_mut().find(|(_, driver)| driver.as_ref().is_some_and(Driver::is_held)).unwrap();
        let now = self.around.turn_to(*me);
        let Ok(()) = held.as_mut().unwrap().go_on(&by, now, &mut self.around);
    }

    /// Lets this many milliseconds go by, or fewer if a node comes to a hold.
    pub fn pass(&mut self, ms: u64) {
        let until = self.around.now + ms * MS;
        while !self.is_held() && self.turn(until) {}
        if !self.is_held() {
            self.around.now = until;
        }
    }

    /// The next datagram or time-out until then, if there is one.
    fn turn(&mut self, until: u64) -> bool {
        let arrival = self.around.queue.keys().next().map(|(due, _)| *due);
        let dues = self.nodes.iter().filter_map(|(node, driver)| Some((driver.as_ref()?.next_due()?, *node)));
        let time_out = dues.min();
        let due = [arrival, time_out.map(|(due, _)| due)].into_iter().flatten().min();
        let Some(due) = due.filter(|due| *due <= until) else { return false };
        self.around.now = self.around.now.max(due);
        if arrival == Some(due) {
            let (_, (passage, message)) = self.around.queue.pop_first().unwrap();
            self.deliver(&passage, message);
        } else if let Some((_, me)) = time_out {
            let now = self.around.turn_to(me);
            let driver = self.nodes.get_mut(&me).unwrap().as_mut().unwrap();
            let Ok(rang) = driver.on_due_timer(due, now, &mut self.around);
            assert!(rang);
            self.reach_hold(me);
        }
        true
    }

    fn deliver(&mut self, passage: &Passage, message: Payload) {
        let Some(Some(driver)) = self.nodes.get_mut(&passage.to) else { return };
        let now = self.around.turn_to(passage.to);
        let Ok(()) = driver.on_message(passage, &message, now, &mut self.around);
        self.reach_hold(passage.to);
    }

    /// The next datagram arrives garbled: it is this message.
    pub fn garble_next(&mut self, became: Payload) {
        let ((due, _), (passage, was)) = self.around.queue.pop_first().unwrap();
        self.around.now = self.around.now.max(due);
        let now = self.around.turn_to(passage.to);
        let (id, by) = (crate::message_id(&passage), FaultId(1));
        let body = Body::Garbled { id, by, was: was.text(), became: Some(became.text()) };
        self.around.record(now, body);
        self.deliver(&passage, became);
    }

    /// The session, ended.
    pub fn session(mut self) -> SessionReader {
        let at = self.around.now as i64;
        self.around.records.push(Record::of_host(at, Body::Ended { why: "the test is over".into(), outcome: None }));
        let mut records = self.around.records;
        for (place, record) in records.iter_mut().enumerate() {
            record.number = place as u64 + 1;
        }
        let Setup { timing, settings, .. } = self.setup;
        let facts = self.kind.card().facts(&timing, 3, &settings);
        let head = Head {
            format: FORMAT.into(),
            version: VERSION,
            lab_id: "0".repeat(32),
            name: "stage".into(),
            about: "A test.".into(),
            source: None,
            lab_file: String::new(),
            seed: 7,
            nodes: 3,
            timing,
            settings,
            facts,
            base_port: 20_224,
            group: None,
            build: "test".into(),
            wall_clock: 0,
            origin: Default::default(),
            drawn: None,
        };
        SessionReader { head: Some(head), records, skipped: Vec::new() }
    }
}

impl Around {
    fn turn_to(&mut self, me: NodeId) -> Stamp {
        self.me = me;
        Environment::now(self)
    }
}

impl Environment for Around {
    type Error = Infallible;

    fn now(&self) -> Stamp {
        Stamp::of(self.now)
    }

    fn record(&mut self, stamp: Stamp, body: Body) -> bool {
        self.records.push(stamp.record(Some(self.me), body));
        true
    }

    fn send(&mut self, id: &MessageId, message: Payload) -> io::Result<()> {
        let MessageId { from, incarnation, to, sequence } = *id;
        for receiver in to.map_or(self.all.minus(&NodeSet::of(from)), NodeSet::of).iter() {
            let passage = Passage { from, to: receiver, multicast: to.is_none(), incarnation, sequence };
            self.sent += 1;
            self.queue.insert((self.now + MS, self.sent), (passage, message.clone()));
        }
        Ok(())
    }

    fn relay(&mut self, _: &BroadcastId, _: &Payload) -> io::Result<()> {
        Ok(())
    }

    fn take_own(&mut self) -> Vec<(BroadcastId, Payload)> {
        Vec::new()
    }

    fn save(&mut self, saved: SavedCells) -> Result<(), Infallible> {
        let older = self.cells.insert(self.me, Some(saved)).flatten();
        self.older.insert(self.me, older);
        Ok(())
    }

    fn armed(&mut self) -> &mut Armed {
        &mut self.armed
    }

    fn become_held(&mut self, by: &str) {
        self.held = Some(by.to_owned());
    }
}
