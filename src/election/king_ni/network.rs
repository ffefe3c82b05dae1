//! An ordered broadcast in virtual time, for the tests of Algorithms A, B.1 and B.2: what is sent is delivered at stamp +
//! Delta, to all that run since the stamp, in the order of stamp and sender, to the sender too. A unicast takes 0.9T.
//!
//! A test may let a sender's broadcasts of a kind take another time, up to T: the paper bounds the delay, and asks for
//! one order. And it may send in the name of a process that it plays itself, as the malicious one of a trace.
//!
//! Invariant: at one instant deliveries come before time-outs. A broadcast's stamp is up to 0.01T later than what caused
//! it, unless the test says how long the broadcast takes.

use std::collections::{BTreeMap, BTreeSet};

use super::Errata;
use crate::election::network::node;
use crate::protocol::{
    Algorithm, Described, Effect, Effects, Incarnation, LineNumber, Order, Roster, SettingValue, Settings, Setup, Span,
    Status, Timing,
};

/// So many nanoseconds are one T in these tests.
pub const T_NANOS: u64 = 1_000_000;

/// So many T.
pub fn t(times: f64) -> Span {
    Span::from_nanos(T_NANOS).scaled(times)
}

pub fn timing() -> Timing {
    Timing { t: t(1.0), check: t(4.0), silence: t(10.0) }
}

/// The settings of that algorithm by its Card, to the letter or mended.
pub fn settings<A: Algorithm>(nodes: u16, errata: Errata) -> Settings {
    let all = Roster::new(nodes).unwrap().all();
    Settings::defaults(A::CARD.settings, all).with("errata", SettingValue::Flag(errata == Errata::Mended))
}

/// A xorshift generator: the same numbers for the same seed.
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

pub enum Event<A: Algorithm> {
    Elect(u16),
    Crash(u16),
    Recover(u16),
    Deliver {
        to: u16,
        up_since: u32,
        from: u16,
        message: A::Message,
    },
    /// A broadcast of a process that the test plays, delivered to all at this moment.
    Broadcast {
        from: u16,
        message: A::Message,
    },
    TimeOut {
        node: u16,
        timer: A::Timer,
        set: u64,
    },
}

#[derive(Copy, Clone, Eq, PartialEq, Ord, PartialOrd)]
struct Moment {
    at: Span,
    class: u8,
    sender: u16,
    serial: u64,
}

struct Process<A: Algorithm> {
    machine: Option<A>,
    capacity: i64,
    saved: Option<A::Saved>,
    incarnation: u32,
    timers: BTreeMap<A::Timer, u64>,
}

pub struct Network<A: Algorithm> {
    settings: Settings,
    delta: Span,
    handling: Xorshift,
    pub now: Span,
    serial: u64,
    events: BTreeMap<Moment, Event<A>>,
    processes: BTreeMap<u16, Process<A>>,
    delays: BTreeMap<(u16, &'static str), Span>,
    /// When, who, to which phase.
    pub changes: Vec<(Span, u16, String)>,
    pub lines: Vec<(u16, LineNumber)>,
    /// Who has broadcast what.
    pub broadcasts: Vec<(u16, A::Message)>,
    /// The ends after which two processes name different masters of one election, as the judge sees them.
    pub two_masters: Vec<String>,
}

impl<A: Algorithm> Network<A> {
    /// Processes 1, 2 and so on with these capacities, which start at 0; Delta is so many T.
    pub fn new(errata: Errata, capacities: &[i64], delta: f64, seed: u64) -> Network<A> {
        Network::with(settings::<A>(capacities.len() as u16, errata), capacities, delta, seed)
    }

    /// The same with these settings.
    pub fn with(settings: Settings, capacities: &[i64], delta: f64, seed: u64) -> Network<A> {
        let process = |(index, capacity): (usize, &i64)| {
            let process =
                Process { machine: None, capacity: *capacity, saved: None, incarnation: 0, timers: BTreeMap::new() };
            (index as u16 + 1, process)
        };
        let mut network = Network {
            settings,
            delta: t(delta),
            handling: Xorshift(seed | 1),
            now: Span::ZERO,
            serial: 0,
            events: BTreeMap::new(),
            processes: capacities.iter().enumerate().map(process).collect(),
            delays: BTreeMap::new(),
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

    /// This process's broadcasts of that kind take so long from now on, to the nanosecond.
    pub fn delay(&mut self, from: u16, kind: &'static str, span: Span) {
        self.delays.insert((from, kind), span);
    }

    pub fn at(&mut self, at: Span, event: Event<A>) {
        let (class, sender) = match &event {
            Event::TimeOut { .. } => (1, 0),
            Event::Deliver { from, .. } => (0, *from),
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

    pub fn machine(&self, number: u16) -> &A {
        self.processes[&number].machine.as_ref().expect("it runs")
    }

    pub fn word(&self, number: u16) -> String {
        self.machine(number).state().word.into_owned()
    }

    /// Whom each process takes for master, if it is in stop.
    pub fn masters(&self) -> Vec<Option<u16>> {
        let master = |process: &Process<A>| process.machine.as_ref()?.state().believes_in().map(|master| master.get());
        self.processes.values().map(master).collect()
    }

    /// When the process last entered that phase.
    pub fn entered(&self, number: u16, word: &str) -> Option<Span> {
        let last = self.changes.iter().rev().find(|change| change.1 == number && change.2 == word);
        last.map(|change| change.0)
    }

    fn happen(&mut self, event: Event<A>) {
        match event {
            Event::Elect(number) => self.step(number, |machine, fx| machine.on_order(Order::Elect, fx)),
            Event::Deliver { to, up_since, from, message } => {
                if self.processes[&to].incarnation == up_since {
                    self.step(to, |machine, fx| machine.on_message(node(from), message, fx));
                }
            }
            Event::Broadcast { from, message } => {
                for to in (1..=self.processes.len() as u16).filter(|to| *to != from) {
                    self.step(to, |machine, fx| machine.on_message(node(from), message.clone(), fx));
                }
            }
            Event::TimeOut { node, timer, set } => {
                let process = self.process(node);
                if process.timers.get(&timer) == Some(&set) {
                    process.timers.remove(&timer);
                    self.step(node, |machine, fx| machine.on_timer(timer, fx));
                }
            }
            Event::Crash(number) => {
                let process = self.process(number);
                process.machine = None;
                process.timers.clear();
            }
            Event::Recover(number) => self.recover(number),
        }
    }

    fn recover(&mut self, number: u16) {
        let roster = Roster::new(self.processes.len() as u16).unwrap();
        let settings = self.settings.clone();
        let process = self.process(number);
        if process.machine.is_some() {
            return;
        }
        process.incarnation += 1;
        let incarnation = Incarnation(process.incarnation);
        let setup = Setup { me: node(number), roster, timing: timing(), settings, incarnation };
        let mut fx = Effects::new(process.capacity);
        process.machine = Some(A::start(&setup, process.saved.clone(), &mut fx));
        self.carry_out(number, fx);
    }

    fn step(&mut self, number: u16, input: impl FnOnce(&mut A, &mut Effects<A>)) {
        let process = self.process(number);
        let Some(machine) = &mut process.machine else { return };
        let before = machine.state();
        let mut fx = Effects::new(process.capacity);
        input(machine, &mut fx);
        let after = machine.state();
        assert!(A::CARD.words.contains(&after.word.as_ref()), "the Card has no word {}", after.word);
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

    fn carry_out(&mut self, number: u16, fx: Effects<A>) {
        let (effects, lines) = fx.into_parts();
        for line in lines {
            assert!(A::CARD.listing.iter().any(|known| known.number == line), "line {line} is not listed");
            self.lines.push((number, line));
        }
        for effect in effects {
            match effect {
                Effect::Send { to, message } => self.transmit(self.now + t(0.9), number, to.get(), message),
                Effect::Broadcast { message } => self.broadcast(number, message),
                Effect::SetTimer { timer, shortest, .. } => {
                    let set = self.serial + 1;
                    self.process(number).timers.insert(timer, set);
                    self.at(self.now + shortest, Event::TimeOut { node: number, timer, set });
                }
                Effect::CancelTimer { timer } => {
                    self.process(number).timers.remove(&timer);
                }
                Effect::Save { saved } => self.process(number).saved = Some(saved),
                Effect::Help { .. } => {}
            }
        }
    }

    fn broadcast(&mut self, number: u16, message: A::Message) {
        let comes = match self.delays.get(&(number, message.kind())) {
            Some(span) => self.now + *span,
            None => self.now + t(0.000_01) * (self.handling.below(1_000) + 1) + self.delta,
        };
        for to in 1..=self.processes.len() as u16 {
            self.transmit(comes, number, to, message.clone());
        }
        self.broadcasts.push((number, message));
    }

    fn process(&mut self, number: u16) -> &mut Process<A> {
        self.processes.get_mut(&number).expect("a process")
    }

    /// Who does not run now, or dies before it comes, never hears it.
    fn transmit(&mut self, at: Span, from: u16, to: u16, message: A::Message) {
        let up_since = self.processes[&to].incarnation;
        if self.processes[&to].machine.is_some() || from == to {
            self.at(at, Event::Deliver { to, up_since, from, message });
        }
    }
}
