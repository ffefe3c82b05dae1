//! A broadcast network in virtual time, whose datagrams take what the test says.
//!
//! Invariant: at one instant deliveries come before time-outs; otherwise events happen in the order they were made.

use std::collections::{BTreeMap, BTreeSet};

use super::super::super::Errata;
use super::super::{AlgorithmC, ElectionNumber, Message, Timer};
use super::{T_NANOS, node, setup};
use crate::protocol::{Algorithm, Effect, Effects, Incarnation, LineNumber, NodeId, Order, Span, Status};

/// A datagram on its way to one receiver.
pub struct Datagram {
    pub from: u16,
    pub to: u16,
    pub message: Message,
}

/// How long a datagram takes; `None` if it is lost.
pub type Delay = Box<dyn FnMut(&Datagram) -> Option<Span>>;

/// A change of phase: when, who, to which, and whom it then takes for master.
#[derive(Clone, PartialEq, Debug)]
pub struct Change {
    pub at: Span,
    pub node: u16,
    pub word: String,
    pub master: Option<u16>,
}

#[derive(Clone)]
pub enum Event {
    Elect(u16),
    Crash(u16),
    Recover(u16),
    Deliver { to: u16, from: NodeId, message: Message },
    TimeOut { node: u16, timer: Timer, set: u64 },
}

struct Process {
    machine: Option<AlgorithmC>,
    capacity: i64,
    saved: Option<ElectionNumber>,
    incarnation: u32,
    timers: BTreeMap<Timer, u64>,
}

pub struct Network {
    errata: Errata,
    check: Span,
    now: Span,
    serial: u64,
    events: BTreeMap<(Span, u8, u64), Event>,
    processes: BTreeMap<u16, Process>,
    delay: Delay,
    pub changes: Vec<Change>,
    pub lines: Vec<(u16, LineNumber)>,
    /// When, who has broadcast what.
    pub broadcasts: Vec<(Span, u16, Message)>,
    /// The ends after which two processes name different masters of one election, as the judge sees them: nobody that
    /// runs is in mid-election.
    pub two_masters: Vec<String>,
}

impl Network {
    /// Processes 1, 2 and so on with these capacities, all in normal.
    pub fn new(errata: Errata, capacities: &[i64], check: Span, delay: Delay) -> Network {
        let process = |(index, capacity): (usize, &i64)| {
            let process =
                Process { machine: None, capacity: *capacity, saved: None, incarnation: 0, timers: BTreeMap::new() };
            (index as u16 + 1, process)
        };
        let mut network = Network {
            errata,
            check,
            now: Span::ZERO,
            serial: 0,
            events: BTreeMap::new(),
            processes: capacities.iter().enumerate().map(process).collect(),
            delay,
            changes: Vec::new(),
            lines: Vec::new(),
            broadcasts: Vec::new(),
            two_masters: Vec::new(),
        };
        for number in 1..=capacities.len() as u16 {
            network.happen(Event::Recover(number));
        }
        network.changes.clear();
        network
    }

    pub fn at(&mut self, at: Span, event: Event) {
        let class = u8::from(matches!(event, Event::TimeOut { .. }));
        self.serial += 1;
        self.events.insert((at, class, self.serial), event);
    }

    /// Lets everything happen up to and including this instant.
    pub fn run_until(&mut self, end: Span) {
        while let Some(entry) = self.events.first_entry() {
            if entry.key().0 > end {
                break;
            }
            let ((at, ..), event) = entry.remove_entry();
            self.now = at;
            self.happen(event);
        }
        self.now = end;
    }

    pub fn word(&self, number: u16) -> String {
        self.machine(number).state().word.into_owned()
    }

    /// Whom the process takes for master; `None` outside stop and master.
    pub fn master(&self, number: u16) -> Option<u16> {
        self.machine(number).state().believes_in().map(NodeId::get)
    }

    pub fn machine(&self, number: u16) -> &AlgorithmC {
        self.processes[&number].machine.as_ref().expect("it runs")
    }

    /// When the process entered that phase for the first time.
    pub fn entered(&self, number: u16, word: &str) -> Option<Span> {
        self.changes.iter().find(|change| change.node == number && change.word == word).map(|change| change.at)
    }

    /// Which phases the process came into, and when, in T: `coll1 0, coll2 2, master 5`.
    pub fn course(&self, number: u16) -> String {
        let own = self.changes.iter().filter(|change| change.node == number);
        let entry = |change: &Change| format!("{} {}", change.word, change.at.nanos() as f64 / T_NANOS as f64);
        own.map(entry).collect::<Vec<_>>().join(", ")
    }

    fn happen(&mut self, event: Event) {
        match event {
            Event::Elect(number) => self.step(number, |machine, fx| machine.on_order(Order::Elect, fx)),
            Event::Deliver { to, from, message } => {
                self.step(to, |machine, fx| machine.on_message(from, message, fx));
            }
            Event::TimeOut { node, timer, set } => {
                let process = self.processes.get_mut(&node).expect("a process");
                if process.timers.get(&timer) == Some(&set) {
                    process.timers.remove(&timer);
                    self.step(node, |machine, fx| machine.on_timer(timer, fx));
                }
            }
            Event::Crash(number) => {
                let process = self.processes.get_mut(&number).expect("a process");
                process.machine = None;
                process.timers.clear();
            }
            Event::Recover(number) => {
                let nodes = self.processes.len() as u16;
                let process = self.processes.get_mut(&number).expect("a process");
                if process.machine.is_some() {
                    return;
                }
                process.incarnation += 1;
                let mut setup = setup(number, nodes, self.errata, self.check);
                setup.incarnation = Incarnation(process.incarnation);
                let mut fx = Effects::new(process.capacity);
                process.machine = Some(AlgorithmC::start(&setup, process.saved, &mut fx));
                self.take_effects(number, fx);
            }
        }
    }

    fn step(&mut self, number: u16, input: impl FnOnce(&mut AlgorithmC, &mut Effects<AlgorithmC>)) {
        let process = self.processes.get_mut(&number).expect("a process");
        let Some(machine) = &mut process.machine else { return };
        let before = machine.state();
        let mut fx = Effects::new(process.capacity);
        input(machine, &mut fx);
        let after = machine.state();
        if after.word != before.word {
            let master = after.believes_in().map(NodeId::get);
            self.changes.push(Change { at: self.now, node: number, word: after.word.into_owned(), master });
            self.look_for_two_masters();
        }
        self.take_effects(number, fx);
    }

    fn look_for_two_masters(&mut self) {
        let states: Vec<_> =
            self.processes.values().filter_map(|process| Some(process.machine.as_ref()?.state())).collect();
        if states.iter().any(|state| state.status == Status::Election && state.word != "help") {
            return;
        }
        let naming = || states.iter().filter(|state| state.believes_in().is_some());
        let latest = naming().map(|state| state.election).max();
        let masters: BTreeSet<_> =
            naming().filter(|state| Some(state.election) == latest).map(|state| state.believes_in()).collect();
        if masters.len() > 1 {
            self.two_masters.push(format!("{}: {masters:?} after election {latest:?}", self.now));
        }
    }

    fn take_effects(&mut self, number: u16, fx: Effects<AlgorithmC>) {
        let (effects, lines) = fx.into_parts();
        self.lines.extend(lines.into_iter().map(|line| (number, line)));
        for effect in effects {
            self.carry_out(number, effect);
        }
    }

    fn carry_out(&mut self, number: u16, effect: Effect<AlgorithmC>) {
        match effect {
            Effect::Send { to, message } => self.transmit(number, to.get(), message),
            Effect::Broadcast { message } => {
                self.broadcasts.push((self.now, number, message));
                // Multicast loops back: one's own datagram comes too.
                for to in 1..=self.processes.len() as u16 {
                    self.transmit(number, to, message);
                }
            }
            Effect::SetTimer { timer, shortest, .. } => {
                let set = self.serial + 1;
                self.processes.get_mut(&number).expect("a process").timers.insert(timer, set);
                self.at(self.now + shortest, Event::TimeOut { node: number, timer, set });
            }
            Effect::CancelTimer { timer } => {
                self.processes.get_mut(&number).expect("a process").timers.remove(&timer);
            }
            Effect::Save { saved } => self.processes.get_mut(&number).expect("a process").saved = Some(saved),
            Effect::Help { .. } => {}
        }
    }

    fn transmit(&mut self, from: u16, to: u16, message: Message) {
        if let Some(delay) = (self.delay)(&Datagram { from, to, message }) {
            self.at(self.now + delay, Event::Deliver { to, from: node(from), message });
        }
    }
}

/// A xorshift generator: the same numbers for the same seed.
#[derive(Clone)]
pub struct Xorshift(pub u64);

impl Xorshift {
    /// A whole number from 0 up to but without `end`.
    pub fn below(&mut self, end: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        // The low bits of a xorshift are its weakest.
        (self.0 >> 11) % end
    }
}
