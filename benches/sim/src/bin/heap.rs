//! Row 1: a bare heap of events round hustings' Bully machine. No link, no order of it, no faults, no records.
//!
//! A timer is known by its name and the number of its setting: one that was cancelled or set anew comes out of the heap
//! and is passed over.
//!
//! Invariant: this is what any simulator of the machine must do at the least, and nothing more.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use hustings::election::bully::{Bully, Message, SafeCells, Timer};
use hustings::lab::Lab;
use hustings::protocol::{Algorithm, Effect, Effects, Incarnation, NodeId, Setup};
use hustings_sim_benches::{
    DELAY_LONGEST_MS, DELAY_SHORTEST_MS, Expected, Order, Report, agree, lab, node, place, report, turns,
};

const MILLISECOND: u64 = 1_000_000;

struct Event {
    at: u64,
    number: u64,
    node: NodeId,
    what: What,
}

enum What {
    Message { from: NodeId, message: Message },
    Timer { timer: Timer, setting: u64 },
}

struct Node {
    setup: Setup,
    machine: Option<Bully>,
    saved: Option<SafeCells>,
    /// The timers that run, each with the number of its setting.
    timers: Vec<(Timer, u64)>,
}

struct World {
    now: u64,
    entered: u64,
    dice: u64,
    events: BinaryHeap<Event>,
    nodes: Vec<Node>,
    effects: Effects<Bully>,
    messages: u64,
}

fn main() {
    let (labs, seed, _) = hustings_sim_benches::arguments();
    let lab = lab(Expected::Nothing);
    report(|| {
        let mut whole = Report { did: "nothing else".to_owned(), ..Report::default() };
        for seed in seed..seed + labs {
            let mut world = World::new(&lab, seed);
            whole.agreements += world.run();
            whole.messages += world.messages;
            whole.virtual_seconds += world.now as f64 / 1e9;
        }
        whole
    });
}

impl World {
    fn new(lab: &Lab, seed: u64) -> World {
        let Lab { roster, timing, settings, .. } = lab;
        let new = |me| {
            let incarnation = Incarnation(0);
            let setup = Setup { me, roster: *roster, timing: *timing, settings: settings.clone(), incarnation, keyring: None };
            Node { setup, machine: None, saved: None, timers: Vec::new() }
        };
        let nodes = roster.all().iter().map(new).collect();
        let (events, effects) = (BinaryHeap::new(), Effects::new(0));
        World { now: 0, entered: 0, dice: seed, events, nodes, effects, messages: 0 }
    }

    fn run(&mut self) -> u64 {
        let mut agreements = 0;
        (1..=hustings_sim_benches::NODES).for_each(|number| self.start(node(number)));
        let last = node(hustings_sim_benches::NODES);
        for turn in turns() {
            self.advance_to(turn.at_ms * MILLISECOND);
            let states = self.nodes.iter().map(|node| node.machine.as_ref().map(Bully::state));
            agreements += u64::from(agree(states, turn.coordinator));
            match turn.order {
                Order::Crash => self.nodes[place(last)].machine = None,
                Order::Recover => self.start(last),
                Order::End => {}
            }
        }
        agreements
    }

    fn start(&mut self, node: NodeId) {
        self.effects.begin_anew(0);
        let Node { setup, machine, saved, timers } = &mut self.nodes[place(node)];
        setup.incarnation.0 += 1;
        timers.clear();
        *machine = Some(Bully::start(setup, saved.clone(), &mut self.effects));
        self.carry_out(node);
    }

    fn advance_to(&mut self, until: u64) {
        while let Some(event) = self.events.peek() {
            if event.at > until {
                break;
            }
            let Some(Event { at, node, what, .. }) = self.events.pop() else { break };
            self.now = at;
            let Node { machine: Some(machine), timers, .. } = &mut self.nodes[place(node)] else { continue };
            self.effects.begin_anew(0);
            match what {
                What::Message { from, message } => {
                    self.messages += 1;
                    machine.on_message(from, message, &mut self.effects);
                }
                What::Timer { timer, setting } => {
                    let Some(running) = timers.iter().position(|running| *running == (timer, setting)) else {
                        continue;
                    };
                    timers.swap_remove(running);
                    machine.on_timer(timer, &mut self.effects);
                }
            }
            self.carry_out(node);
        }
        self.now = until;
    }

    fn carry_out(&mut self, me: NodeId) {
        let node = &mut self.nodes[place(me)];
        for effect in self.effects.drain() {
            self.entered += 1;
            let number = self.entered;
            match effect {
                Effect::Send { to, message } => {
                    let at = self.now + delay(&mut self.dice);
                    self.events.push(Event { at, number, node: to, what: What::Message { from: me, message } });
                }
                Effect::SetTimer { timer, shortest, .. } => {
                    node.timers.retain(|(other, _)| *other != timer);
                    node.timers.push((timer, number));
                    let (at, what) = (self.now + shortest.nanos(), What::Timer { timer, setting: number });
                    self.events.push(Event { at, number, node: me, what });
                }
                Effect::CancelTimer { timer } => node.timers.retain(|(other, _)| *other != timer),
                Effect::Save { saved } => node.saved = Some(saved),
                Effect::Broadcast { .. } | Effect::Help { .. } => unreachable!("Bully does neither"),
            }
        }
    }
}

/// A delay from the range, by splitmix64.
fn delay(dice: &mut u64) -> u64 {
    *dice = dice.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut mixed = *dice;
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^= mixed >> 31;
    let range = (DELAY_LONGEST_MS - DELAY_SHORTEST_MS) * MILLISECOND;
    DELAY_SHORTEST_MS * MILLISECOND + ((u128::from(mixed) * u128::from(range)) >> 64) as u64
}

/// The heap gives its greatest first: the greatest is the earliest.
impl Ord for Event {
    fn cmp(&self, other: &Event) -> Ordering {
        (other.at, other.number).cmp(&(self.at, self.number))
    }
}

impl PartialOrd for Event {
    fn partial_cmp(&self, other: &Event) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Event {
    fn eq(&self, other: &Event) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Event {}
