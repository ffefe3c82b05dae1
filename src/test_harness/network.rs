//! A network for the tests of the machines: virtual time, links of a fixed delay, crashes, pauses and cuts.
//!
//! Invariant: nothing is left to chance. Links keep their order; at one instant deliveries come before time-outs.

use std::collections::{BTreeMap, BTreeSet};

use crate::{capacity, node, nodes, setup};
use protocol::{
    Algorithm, Described, Effect, Effects, Incarnation, NodeId, NodeMap, Order, Property, Roster, Settings, Setup,
    Span, StateVector, Status, Timing,
};

#[derive(Copy, Clone, Eq, PartialEq, Ord, PartialOrd)]
enum Class {
    Delivery,
    TimeOut,
}

enum Event<A: Algorithm> {
    Delivery { from: NodeId, to: NodeId, message: A::Message },
    TimeOut { node: NodeId, timer: A::Timer, serial: u64 },
}

struct Slot<A: Algorithm> {
    setup: Setup,
    machine: Option<A>,
    saved: Option<A::Saved>,
    timers: BTreeMap<A::Timer, u64>,
    held: Option<Vec<(Class, Event<A>)>>,
}

/// All nodes of a lab and the links between them.
pub struct Network<A: Algorithm> {
    now: Span,
    one_way: Span,
    delays: BTreeMap<(NodeId, NodeId), Span>,
    cuts: BTreeSet<(NodeId, NodeId)>,
    slots: NodeMap<Slot<A>>,
    events: BTreeMap<(Span, Class, u64), Event<A>>,
    serial: u64,
    /// Each time that two states contradicted each other at one instant, by what the Card promises.
    pub violations: Vec<String>,
    /// How many messages were sent.
    pub sent: usize,
    /// Each message, in order, with its sender and its receiver.
    pub log: Vec<(NodeId, NodeId, A::Message)>,
    /// How many messages were sent, by their kind.
    pub sent_of: BTreeMap<&'static str, usize>,
}

impl<A: Algorithm> Network<A> {
    /// A network of `of` nodes, none of which has started. A message takes a twentieth of T.
    pub fn new(of: u16, timing: Timing, change: impl Fn(Settings) -> Settings) -> Network<A> {
        let slot = |me: NodeId| {
            let setup = Setup { incarnation: Incarnation(0), ..setup::<A>(me.get(), of, timing, &change) };
            (me, Slot { setup, machine: None, saved: None, timers: BTreeMap::new(), held: None })
        };
        Network {
            now: Span::ZERO,
            one_way: timing.t / 20,
            delays: BTreeMap::new(),
            cuts: BTreeSet::new(),
            slots: Roster::new(of).unwrap().all().iter().map(slot).collect(),
            events: BTreeMap::new(),
            serial: 0,
            violations: Vec::new(),
            sent: 0,
            log: Vec::new(),
            sent_of: BTreeMap::new(),
        }
    }

    /// The same, and all nodes have started at this instant.
    pub fn started(of: u16, timing: Timing, change: impl Fn(Settings) -> Settings) -> Network<A> {
        let mut network = Network::new(of, timing, change);
        let all: Vec<NodeId> = network.slots.keys().copied().collect();
        for node in all {
            network.start(node.get());
        }
        network
    }

    /// From now on the link takes this long.
    pub fn delay(&mut self, from: u16, to: u16, span: Span) {
        self.delays.insert((node(from), node(to)), span);
    }

    /// Starts a node, the first time or after a crash.
    pub fn start(&mut self, me: u16) {
        let slot = self.slots.get_mut(&node(me)).unwrap();
        slot.setup.incarnation.0 += 1;
        let mut fx = Effects::new(capacity(&slot.setup));
        slot.machine = Some(A::start(&slot.setup, slot.saved.clone(), &mut fx));
        self.carry_out(node(me), fx);
    }

    /// The node dies; its safe cells stay.
    pub fn crash(&mut self, me: u16) {
        let slot = self.slots.get_mut(&node(me)).unwrap();
        slot.machine = None;
        slot.timers.clear();
        slot.held = None;
    }

    /// The node is paused; what comes meanwhile waits.
    pub fn pause(&mut self, me: u16) {
        self.slots.get_mut(&node(me)).unwrap().held = Some(Vec::new());
    }

    /// The node goes on, deliveries first.
    pub fn resume(&mut self, me: u16) {
        for (class, event) in self.slots.get_mut(&node(me)).unwrap().held.take().unwrap() {
            self.schedule(Span::ZERO, class, event);
        }
    }

    /// Nothing passes from any of these to any of those.
    pub fn cut(&mut self, from: &str, to: &str) {
        for from in nodes(from).iter() {
            self.cuts.extend(nodes(to).iter().map(|to| (from, to)));
        }
    }

    /// Nothing passes between these and those.
    pub fn partition(&mut self, these: &str, those: &str) {
        self.cut(these, those);
        self.cut(those, these);
    }

    /// Every link is whole again.
    pub fn heal(&mut self) {
        self.cuts.clear();
    }

    /// The operator orders an election.
    pub fn elect(&mut self, me: u16) {
        self.order(me, Order::Elect);
    }

    /// The operator orders this.
    pub fn order(&mut self, me: u16, order: Order) {
        self.with_machine(node(me), |machine, fx| machine.on_order(order, fx));
    }

    /// A node hears a message that nobody sent: another message, garbled on its way.
    pub fn hear(&mut self, me: u16, from: u16, message: A::Message) {
        self.with_machine(node(me), |machine, fx| machine.on_message(node(from), message, fx));
    }

    /// Time passes.
    pub fn run(&mut self, span: Span) {
        let end = self.now + span;
        self.run_until(end, |_| false);
        self.now = end;
    }

    /// Time passes until this holds; returns for how long. Fails when it does not hold within the limit.
    pub fn run_till(&mut self, limit: Span, what: &str, holds: impl Fn(&Network<A>) -> bool) -> Span {
        let begin = self.now;
        assert!(self.run_until(begin + limit, holds), "not within {limit}: {what}\n{}", self.picture());
        self.now.saturating_sub(begin)
    }

    fn run_until(&mut self, end: Span, holds: impl Fn(&Network<A>) -> bool) -> bool {
        loop {
            if holds(self) {
                return true;
            }
            match self.events.first_entry() {
                Some(entry) if entry.key().0 <= end => {
                    let ((at, class, _), event) = entry.remove_entry();
                    self.now = at;
                    self.happen(class, event);
                    self.judge();
                }
                _ => return false,
            }
        }
    }

    fn happen(&mut self, class: Class, event: Event<A>) {
        let at = match &event {
            Event::Delivery { to, .. } => *to,
            Event::TimeOut { node, .. } => *node,
        };
        let slot = self.slots.get_mut(&at).unwrap();
        if let Some(held) = &mut slot.held {
            held.push((class, event));
            return;
        }
        match event {
            Event::Delivery { from, to, message } => {
                if !self.cuts.contains(&(from, to)) {
                    self.with_machine(to, |machine, fx| machine.on_message(from, message, fx));
                }
            }
            Event::TimeOut { node, timer, serial } => {
                if slot.timers.get(&timer) == Some(&serial) {
                    slot.timers.remove(&timer);
                    self.with_machine(node, |machine, fx| machine.on_timer(timer, fx));
                }
            }
        }
    }

    fn with_machine(&mut self, me: NodeId, input: impl FnOnce(&mut A, &mut Effects<A>)) {
        let slot = self.slots.get_mut(&me).unwrap();
        let Some(machine) = &mut slot.machine else { return };
        let mut fx = Effects::new(capacity(&slot.setup));
        input(machine, &mut fx);
        self.carry_out(me, fx);
    }

    fn carry_out(&mut self, me: NodeId, fx: Effects<A>) {
        let word = self.state(me.get()).word;
        assert!(A::CARD.words.contains(&word.as_ref()), "the Card has no word {word}");
        let (effects, lines) = fx.into_parts();
        for line in lines {
            assert!(A::CARD.listing.iter().any(|known| known.number == line), "line {line} is not in the listing");
        }
        let others = self.slots.keys().copied().filter(|other| *other != me).collect::<Vec<_>>();
        for effect in effects {
            match effect {
                Effect::Send { to, message } => self.send(me, to, message),
                Effect::Broadcast { message } => others.iter().for_each(|to| self.send(me, *to, message.clone())),
                Effect::SetTimer { timer, shortest, longest } => {
                    // A draw of a kind: the higher the node, the longer.
                    let share = f64::from(me.get()) / (others.len() + 2) as f64;
                    let span = shortest + longest.saturating_sub(shortest).scaled(share);
                    let serial = self.schedule(span, Class::TimeOut, Event::TimeOut { node: me, timer, serial: 0 });
                    self.slots.get_mut(&me).unwrap().timers.insert(timer, serial);
                }
                Effect::CancelTimer { timer } => {
                    self.slots.get_mut(&me).unwrap().timers.remove(&timer);
                }
                Effect::Save { saved } => self.slots.get_mut(&me).unwrap().saved = Some(saved),
                Effect::Help { .. } => {}
            }
        }
    }

    fn send(&mut self, from: NodeId, to: NodeId, message: A::Message) {
        assert_ne!(from, to, "a machine does not send to itself");
        self.sent += 1;
        self.log.push((from, to, message.clone()));
        *self.sent_of.entry(message.kind()).or_default() += 1;
        let span = self.delays.get(&(from, to)).copied().unwrap_or(self.one_way);
        self.schedule(span, Class::Delivery, Event::Delivery { from, to, message });
    }

    fn schedule(&mut self, span: Span, class: Class, mut event: Event<A>) -> u64 {
        self.serial += 1;
        // A time-out that a pause has held back keeps its number; by the number it is known to be still wanted.
        if let Event::TimeOut { serial: serial @ 0, .. } = &mut event {
            *serial = self.serial;
        }
        self.events.insert((self.now + span, class, self.serial), event);
        self.serial
    }

    fn judge(&mut self) {
        let states: Vec<StateVector> =
            self.slots.values().filter_map(|slot| Some(slot.machine.as_ref()?.state())).collect();
        let believes = |state: &StateVector| state.believes_in().is_some();
        for (index, a) in states.iter().enumerate() {
            for b in states[..index].iter().filter(|b| believes(a) && believes(b)) {
                let both_normal = a.status == Status::Normal && b.status == Status::Normal;
                let differ = a.coordinator != b.coordinator || (both_normal && a.task != b.task);
                let broken = A::CARD.promises.iter().any(|promise| match promise {
                    Property::Assertion1 => differ,
                    Property::Assertion3 => a.group == b.group && differ,
                    Property::Sle1 => both_normal && a.coordinator != b.coordinator,
                    Property::Ale1 => both_normal && a.group == b.group && a.coordinator != b.coordinator,
                    // The other properties are about ends, or about the state after a long quiet time.
                    _ => false,
                });
                if broken {
                    self.violations.push(format!("{}: {a:?} and {b:?}", self.now));
                }
            }
        }
    }

    /// How many messages of these kinds this sends.
    pub fn count(&mut self, kinds: &[&str], does: impl FnOnce(&mut Network<A>)) -> usize {
        let sent = |network: &Network<A>| kinds.iter().filter_map(|kind| network.sent_of.get(kind)).sum::<usize>();
        let before = sent(self);
        does(self);
        sent(self) - before
    }

    /// How many nodes there are.
    pub fn of(&self) -> u16 {
        self.slots.len() as u16
    }

    /// The periods of the lab.
    pub fn timing(&self) -> Timing {
        self.slots[&node(1)].setup.timing
    }

    /// Whether the node is up.
    pub fn is_up(&self, me: u16) -> bool {
        self.slots[&node(me)].machine.is_some()
    }

    /// The state of a node that is up.
    pub fn state(&self, me: u16) -> StateVector {
        self.slots[&node(me)].machine.as_ref().unwrap().state()
    }

    /// Whether each of these is Normal under the coordinator, in one group.
    pub fn normal_under(&self, these: &str, coordinator: u16) -> bool {
        let states: Vec<StateVector> = nodes(these).iter().map(|node| self.state(node.get())).collect();
        states.iter().all(|state| {
            state.status == Status::Normal
                && state.coordinator == Some(node(coordinator))
                && state.group == states[0].group
                && state.task == states[0].task
        })
    }

    /// Every node and its state, for a failed test.
    pub fn picture(&self) -> String {
        let line = |(node, slot): (&NodeId, &Slot<A>)| match &slot.machine {
            Some(machine) => format!("{node}: {:?}\n", machine.state()),
            None => format!("{node}: down\n"),
        };
        self.slots.iter().map(line).collect()
    }
}
