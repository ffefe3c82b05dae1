//! A node of the workload for a simulator that brings tasks, time and sockets: the machine, its timers, its safe cells.
//!
//! Invariant: time is an argument, in nanoseconds since the lab began; a node that is down has no machine.

use hustings::election::bully::{Bully, Message, SafeCells, Timer};
use hustings::lab::Lab;
use hustings::protocol::{Algorithm, Effect, Effects, Incarnation, NodeId, Setup, StateVector};

/// A node, up or down.
pub struct Node {
    setup: Setup,
    machine: Option<Bully>,
    saved: Option<SafeCells>,
    timers: Vec<(Timer, u64)>,
    effects: Effects<Bully>,
    /// How many messages its machines were given.
    pub messages: u64,
}

impl Node {
    /// A node that has never been up.
    pub fn new(lab: &Lab, me: NodeId) -> Node {
        let Lab { roster, timing, settings, .. } = lab;
        let incarnation = Incarnation(0);
        let setup = Setup { me, roster: *roster, timing: *timing, settings: settings.clone(), incarnation, keyring: None };
        Node { setup, machine: None, saved: None, timers: Vec::new(), effects: Effects::new(0), messages: 0 }
    }

    /// The machine starts.
    pub fn become_up(&mut self, now: u64, sends: &mut Vec<(NodeId, Message)>) {
        self.setup.incarnation.0 += 1;
        self.timers.clear();
        self.effects.begin_anew(0);
        self.machine = Some(Bully::start(&self.setup, self.saved.clone(), &mut self.effects));
        self.carry_out(now, sends);
    }

    /// The machine is gone.
    pub fn become_down(&mut self) {
        self.machine = None;
    }

    /// A message has come.
    pub fn on_message(&mut self, now: u64, from: NodeId, message: Message, sends: &mut Vec<(NodeId, Message)>) {
        let Some(machine) = &mut self.machine else { return };
        self.messages += 1;
        self.effects.begin_anew(0);
        machine.on_message(from, message, &mut self.effects);
        self.carry_out(now, sends);
    }

    /// Runs the timers that are due.
    pub fn on_time(&mut self, now: u64, sends: &mut Vec<(NodeId, Message)>) {
        let due = |timers: &[(Timer, u64)]| timers.iter().position(|(_, due)| *due <= now);
        while let (Some(machine), Some(place)) = (&mut self.machine, due(&self.timers)) {
            let (timer, _) = self.timers.swap_remove(place);
            self.effects.begin_anew(0);
            machine.on_timer(timer, &mut self.effects);
            self.carry_out(now, sends);
        }
    }

    /// When its next timer is due.
    pub fn next_due(&self) -> u64 {
        self.timers.iter().map(|(_, due)| *due).min().unwrap_or(u64::MAX)
    }

    /// What its machine says of itself.
    pub fn state(&self) -> Option<StateVector> {
        self.machine.as_ref().map(Bully::state)
    }

    fn carry_out(&mut self, now: u64, sends: &mut Vec<(NodeId, Message)>) {
        for effect in self.effects.drain() {
            match effect {
                Effect::Send { to, message } => sends.push((to, message)),
                Effect::SetTimer { timer, shortest, .. } => {
                    self.timers.retain(|(other, _)| *other != timer);
                    self.timers.push((timer, now + shortest.nanos()));
                }
                Effect::CancelTimer { timer } => self.timers.retain(|(other, _)| *other != timer),
                Effect::Save { saved } => self.saved = Some(saved),
                Effect::Broadcast { .. } | Effect::Help { .. } => unreachable!("Bully does neither"),
            }
        }
    }
}
