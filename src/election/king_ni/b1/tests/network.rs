//! An ordered broadcast in virtual time: what is sent is delivered at stamp + Delta, to all that run since the stamp, in
//! the order of stamp and sender, to the sender too. A unicast takes 0.9T.
//!
//! Invariant: at one instant deliveries come before time-outs. Handling takes a little: a broadcast's stamp is up to
//! 0.01T later than what caused it.

use std::collections::{BTreeMap, BTreeSet};

use super::super::{AlgorithmB1, ElectionNumber, Message, Timer};
use super::{Xorshift, node, setup, t};
use crate::election::king_ni::Errata;
use crate::protocol::{Algorithm, Effect, Effects, Incarnation, LineNumber, NodeId, Order, Span, Status};

pub enum Event {
    Elect(u16),
    Crash(u16),
    Recover(u16),
    Deliver { to: u16, up_since: u32, from: NodeId, message: Message },
    TimeOut { node: u16, timer: Timer, set: u64 },
}

#[derive(Copy, Clone, Eq, PartialEq, Ord, PartialOrd)]
struct Moment {
    at: Span,
    class: u8,
    sender: u16,
    serial: u64,
}

struct Process {
    machine: Option<AlgorithmB1>,
    capacity: i64,
    saved: Option<ElectionNumber>,
    incarnation: u32,
    timers: BTreeMap<Timer, u64>,
}

pub struct Network {
    errata: Errata,
    delta: Span,
    handling: Xorshift,
    pub now: Span,
    serial: u64,
    events: BTreeMap<Moment, Event>,
    processes: BTreeMap<u16, Process>,
    /// When, who, to which phase.
    pub changes: Vec<(Span, u16, String)>,
    pub lines: Vec<(u16, LineNumber)>,
    /// Who has broadcast what.
    pub broadcasts: Vec<(u16, Message)>,
    /// The ends after which two processes name different masters of one election, as the judge sees them.
    pub two_masters: Vec<String>,
}

impl Network {
    /// Processes 1, 2 and so on with these capacities, which start at 0; Delta is so many T.
    pub fn new(errata: Errata, capacities: &[i64], delta: f64, seed: u64) -> Network {
        let process = |(index, capacity): (usize, &i64)| {
            let process =
                Process { machine: None, capacity: *capacity, saved: None, incarnation: 0, timers: BTreeMap::new() };
            (index as u16 + 1, process)
        };
        let mut network = Network {
            errata,
            delta: t(delta),
            handling: Xorshift(seed | 1),
            now: Span::ZERO,
            serial: 0,
            events: BTreeMap::new(),
            processes: capacities.iter().enumerate().map(process).collect(),
            changes: Vec::new(),
            lines: Vec::new(),
            broadcasts: Vec::new(),
            two_masters: Vec::new(),
        };
        for number in 1..=capacities.len() as u16 {
            network.happen(Event::Recover(number));
        }
        network
    }

    pub fn at(&mut self, at: Span, event: Event) {
        let (class, sender) = match &event {
            Event::TimeOut { .. } => (1, 0),
            Event::Deliver { from, .. } => (0, from.get()),
            _ => (0, 0),
        };
        self.serial += 1;
        self.events.insert(Moment { at, class, sender, serial: self.serial }, event);
    }

    /// Lets everything happen up to and including this instant.
    pub fn run_until(&mut self, end: Span) {
        while let Some(entry) = self.events.first_entry() {
            if entry.key().at > end {
                break;
            }
            let (moment, event) = entry.remove_entry();
            self.now = moment.at;
            self.happen(event);
        }
        self.now = end;
    }

    pub fn machine(&self, number: u16) -> &AlgorithmB1 {
        self.processes[&number].machine.as_ref().expect("it runs")
    }

    pub fn word(&self, number: u16) -> String {
        self.machine(number).state().word.into_owned()
    }

    /// Whom each process takes for master, if it is in stop.
    pub fn masters(&self) -> Vec<Option<u16>> {
        let master = |process: &Process| process.machine.as_ref()?.state().believes_in().map(NodeId::get);
        self.processes.values().map(master).collect()
    }

    /// When the process last entered that phase.
    pub fn entered(&self, number: u16, word: &str) -> Option<Span> {
        let last = self.changes.iter().rev().find(|change| change.1 == number && change.2 == word);
        last.map(|change| change.0)
    }

    fn happen(&mut self, event: Event) {
        match event {
            Event::Elect(number) => self.step(number, |machine, fx| machine.on_order(Order::Elect, fx)),
            Event::Deliver { to, up_since, from, message } => {
                if self.processes[&to].incarnation == up_since {
                    self.step(to, |machine, fx| machine.on_message(from, message, fx));
                }
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
            Event::Recover(number) => self.recover(number),
        }
    }

    fn recover(&mut self, number: u16) {
        let nodes = self.processes.len() as u16;
        let process = self.processes.get_mut(&number).expect("a process");
        if process.machine.is_some() {
            return;
        }
        process.incarnation += 1;
        let mut setup = setup(number, nodes, self.errata);
        setup.incarnation = Incarnation(process.incarnation);
        let mut fx = Effects::new(process.capacity);
        process.machine = Some(AlgorithmB1::start(&setup, process.saved, &mut fx));
        self.carry_out(number, fx);
    }

    fn step(&mut self, number: u16, input: impl FnOnce(&mut AlgorithmB1, &mut Effects<AlgorithmB1>)) {
        let process = self.processes.get_mut(&number).expect("a process");
        let Some(machine) = &mut process.machine else { return };
        let before = machine.state();
        let mut fx = Effects::new(process.capacity);
        input(machine, &mut fx);
        let after = machine.state();
        if (&after.word, after.election) != (&before.word, before.election) {
            self.changes.push((self.now, number, after.word.into_owned()));
            self.look_for_two_masters();
        }
        self.carry_out(number, fx);
    }

    fn look_for_two_masters(&mut self) {
        let machines = self.processes.values().filter_map(|process| process.machine.as_ref());
        let states: Vec<_> = machines.map(Algorithm::state).collect();
        if states.iter().any(|state| state.status == Status::Election) {
            return;
        }
        let naming = || states.iter().filter(|state| state.believes_in().is_some());
        let latest = naming().map(|state| state.election).max();
        let last = naming().filter(|state| Some(state.election) == latest);
        let masters: BTreeSet<_> = last.map(|state| state.believes_in()).collect();
        if masters.len() > 1 {
            self.two_masters.push(format!("{}: {masters:?} after election {latest:?}", self.now));
        }
    }

    fn carry_out(&mut self, number: u16, fx: Effects<AlgorithmB1>) {
        let (effects, lines) = fx.into_parts();
        for line in lines {
            assert!(AlgorithmB1::CARD.listing.iter().any(|known| known.number == line), "line {line} is not listed");
            self.lines.push((number, line));
        }
        for effect in effects {
            match effect {
                Effect::Send { to, message } => self.transmit(self.now + t(0.9), number, to.get(), message),
                Effect::Broadcast { message } => {
                    self.broadcasts.push((number, message));
                    let stamp = self.now + t(0.000_01) * (self.handling.below(1_000) + 1);
                    for to in 1..=self.processes.len() as u16 {
                        self.transmit(stamp + self.delta, number, to, message);
                    }
                }
                Effect::SetTimer { timer, shortest, .. } => {
                    let set = self.serial + 1;
                    self.process(number).timers.insert(timer, set);
                    self.at(self.now + shortest, Event::TimeOut { node: number, timer, set });
                }
                Effect::CancelTimer { timer } => {
                    self.process(number).timers.remove(&timer);
                }
                Effect::Save { saved } => self.process(number).saved = Some(saved),
                Effect::Help { text } => panic!("B.1 asks nobody for help: {text}"),
            }
        }
    }

    fn process(&mut self, number: u16) -> &mut Process {
        self.processes.get_mut(&number).expect("a process")
    }

    /// Who does not run now, or dies before it comes, never hears it.
    fn transmit(&mut self, at: Span, from: u16, to: u16, message: Message) {
        let up_since = self.processes[&to].incarnation;
        if self.processes[&to].machine.is_some() || from == to {
            self.at(at, Event::Deliver { to, up_since, from: node(from), message });
        }
    }
}
