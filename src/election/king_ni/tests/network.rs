//! A broadcast network in virtual time, for the tests of all these algorithms. Either its broadcast is ordered: a
//! message is delivered at stamp + Delta, to all that run since the stamp, in the order of stamp and sender, to the
//! sender too, and a unicast takes 0.9T. Or it is bare, and each datagram takes as long as the test says.
//!
//! A test may send in the name of a process that it plays itself: a malicious one.
//!
//! Invariant: at one instant deliveries come before time-outs. A broadcast's stamp is up to 0.01T later than what
//! caused it.

use std::collections::{BTreeMap, BTreeSet};

use protocol::{
    Algorithm, Effect, Effects, Incarnation, LabKeys, LineNumber, NodeId, Order, Roster, SettingValue, Settings, Setup,
    Span, Status, Timing,
};
use test_harness::node;

/// One T in these tests, in nanoseconds.
pub const T_NANOS: u64 = 1_000_000;

/// This many T.
pub fn t(times: f64) -> Span {
    Span::from_nanos(T_NANOS).scaled(times)
}

pub fn timing() -> Timing {
    Timing { t: t(1.0), check: t(4.0), silence: t(10.0) }
}

/// Whether the tables are run to the letter, or with the paper's holes mended.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
pub enum Errata {
    /// The tables as they are printed.
    ToTheLetter,
    /// The tables with the mends of their holes.
    Mended,
}

/// The settings of that algorithm by its Card, to the letter or mended.
pub fn settings<A: Algorithm>(nodes: u16, errata: Errata) -> Settings {
    let all = Roster::new(nodes).unwrap().all();
    Settings::defaults(A::CARD.settings, all).with("errata", SettingValue::Flag(errata == Errata::Mended))
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

pub enum Event<A: Algorithm> {
    Elect(u16),
    Crash(u16),
    Recover(u16),
    Deliver {
        to: u16,
        /// The receiver's incarnation, if only that one hears it.
        up_since: Option<u32>,
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

/// A datagram on its way to one receiver.
pub struct Datagram<A: Algorithm> {
    pub from: u16,
    pub to: u16,
    pub message: A::Message,
}

/// How long a datagram takes; `None` if it is lost.
pub type Delay<A> = Box<dyn FnMut(&Datagram<A>) -> Option<Span>>;

/// How a message comes to others.
enum Way<A: Algorithm> {
    /// In one order, this long after its stamp, which comes a little after its cause.
    Ordered { delta: Span, handling: Xorshift },
    /// Each datagram by itself.
    Bare(Delay<A>),
}

/// A change of phase: when, of which process, to which phase, and the master that it then names.
#[derive(Clone, PartialEq, Debug)]
pub struct Change {
    pub at: Span,
    pub node: u16,
    pub word: String,
    pub master: Option<u16>,
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
    timing: Timing,
    way: Way<A>,
    pub now: Span,
    serial: u64,
    events: BTreeMap<Moment, Event<A>>,
    processes: BTreeMap<u16, Process<A>>,
    pub changes: Vec<Change>,
    pub lines: Vec<(u16, LineNumber)>,
    /// Each broadcast: when, by which process, and its message.
    pub broadcasts: Vec<(Span, u16, A::Message)>,
    /// The ends after which two processes name different masters of one election, as the judge sees them: no running
    /// process is in mid-election.
    pub two_masters: Vec<String>,
}

impl<A: Algorithm> Network<A> {
    /// Processes 1, 2 and so on with these capacities, which start at 0; Delta is this many T.
    pub fn new(errata: Errata, capacities: &[i64], delta: f64, seed: u64) -> Network<A> {
        Network::with(settings::<A>(capacities.len() as u16, errata), capacities, delta, seed)
    }

    /// The same with these settings.
    pub fn with(settings: Settings, capacities: &[i64], delta: f64, seed: u64) -> Network<A> {
        let way = Way::Ordered { delta: t(delta), handling: Xorshift(seed | 1) };
        Network::on(way, settings, timing(), capacities)
    }

    /// The same on a bare network; a process asks its master once in each `check`.
    pub fn bare(errata: Errata, capacities: &[i64], check: Span, delay: Delay<A>) -> Network<A> {
        let settings = settings::<A>(capacities.len() as u16, errata);
        Network::on(Way::Bare(delay), settings, Timing { check, ..timing() }, capacities)
    }

    /// The same with these settings.
    pub fn bare_with(settings: Settings, capacities: &[i64], check: Span, delay: Delay<A>) -> Network<A> {
        Network::on(Way::Bare(delay), settings, Timing { check, ..timing() }, capacities)
    }

    fn on(way: Way<A>, settings: Settings, timing: Timing, capacities: &[i64]) -> Network<A> {
        let process = |(index, capacity): (usize, &i64)| {
            let process =
                Process { machine: None, capacity: *capacity, saved: None, incarnation: 0, timers: BTreeMap::new() };
            (index as u16 + 1, process)
        };
        let mut network = Network {
            settings,
            timing,
            way,
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

    pub fn at(&mut self, at: Span, event: Event<A>) {
        let (class, sender) = match &event {
            Event::TimeOut { .. } => (1, 0),
            Event::Deliver { from, up_since: Some(_), .. } => (0, *from),
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

    /// Whether the process runs.
    pub fn is_up(&self, number: u16) -> bool {
        self.processes[&number].machine.is_some()
    }

    pub fn word(&self, number: u16) -> String {
        self.machine(number).state().word.into_owned()
    }

    /// The master of each process.
    pub fn masters(&self) -> Vec<Option<u16>> {
        self.processes.keys().map(|number| self.master(*number)).collect()
    }

    /// The master of the process; `None` outside stop and master, and of one that is down.
    pub fn master(&self, number: u16) -> Option<u16> {
        self.processes[&number].machine.as_ref()?.state().believes_in().map(NodeId::get)
    }

    fn happen(&mut self, event: Event<A>) {
        match event {
            Event::Elect(number) => self.step(number, |machine, fx| machine.on_order(Order::Elect, fx)),
            Event::Deliver { to, up_since, from, message } => {
                if up_since.is_none_or(|incarnation| self.processes[&to].incarnation == incarnation) {
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
        let (settings, timing) = (self.settings.clone(), self.timing);
        let process = self.process(number);
        if process.machine.is_some() {
            return;
        }
        process.incarnation += 1;
        let incarnation = Incarnation(process.incarnation);
        let keyring = LabKeys::asked_for(A::CARD.keys, 0, roster.len()).map(|keys| keys.keyring(node(number)));
        let setup = Setup { me: node(number), roster, timing, settings, incarnation, keyring };
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
            let master = after.believes_in().map(NodeId::get);
            self.changes.push(Change { at: self.now, node: number, word: after.word.into_owned(), master });
            self.look_for_two_masters();
        }
        self.carry_out(number, fx);
    }

    fn look_for_two_masters(&mut self) {
        let machines = self.processes.values().filter_map(|process| process.machine.as_ref());
        let states: Vec<_> = machines.map(Algorithm::state).collect();
        if states.iter().any(|state| state.status == Status::Election && state.word != "help") {
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
                Effect::Send { to, message } => {
                    let comes = self.now + t(0.9);
                    self.transmit(comes, number, to.get(), message);
                }
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
        let comes = match &mut self.way {
            Way::Ordered { delta, handling } => self.now + t(0.000_01) * (handling.below(1_000) + 1) + *delta,
            Way::Bare(_) => self.now,
        };
        // Multicast loops back: the sender's own broadcast comes too.
        for to in 1..=self.processes.len() as u16 {
            self.transmit(comes, number, to, message.clone());
        }
        self.broadcasts.push((self.now, number, message));
    }

    fn process(&mut self, number: u16) -> &mut Process<A> {
        self.processes.get_mut(&number).expect("a process")
    }

    /// In order, it comes at this moment, and a process that does not run now, or dies before that, never hears it.
    /// Bare, it comes when the test says.
    fn transmit(&mut self, at: Span, from: u16, to: u16, message: A::Message) {
        if let Way::Bare(delay) = &mut self.way {
            let datagram = Datagram { from, to, message };
            if let Some(delay) = delay(&datagram) {
                let message = datagram.message;
                self.at(self.now + delay, Event::Deliver { to, up_since: None, from, message });
            }
            return;
        }
        let up_since = Some(self.processes[&to].incarnation);
        if self.processes[&to].machine.is_some() || from == to {
            self.at(at, Event::Deliver { to, up_since, from, message });
        }
    }
}
