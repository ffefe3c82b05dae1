//! What states refer to by number: machines, safe cells, messages, timers; and what a machine does with an input, kept
//! so that it is asked only once.
//!
//! Numbers are given in the order in which machines are asked. Who only reads the tables gives none, and hears what is to
//! be learned first.
//!
//! Invariant: equal values have one number, and a number never changes its value.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hash};
use std::sync::Arc;

use super::state_hash::FoldedHash;
use judge::cut::CutClaim;
use protocol::{
    BoxedMachine, MachineKind, NodeId, Order, Payload, SavedCells, Setup, StepEffect, StepEffects, TimerKey,
};

/// Values by their numbers, and numbers by their values.
#[derive(Debug)]
pub struct Numbered<T> {
    values: Vec<Arc<T>>,
    numbers: HashMap<Arc<T>, u32>,
}

impl<T: Eq + Hash> Numbered<T> {
    fn new() -> Numbered<T> {
        Numbered { values: Vec::new(), numbers: HashMap::new() }
    }

    /// The value of this number.
    pub fn value(&self, number: u32) -> &T {
        &self.values[number as usize]
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.values.len()
    }

    fn number(&mut self, value: T) -> u32 {
        if let Some(number) = self.numbers.get(&value) {
            return *number;
        }
        let number = u32::try_from(self.values.len()).expect("fewer than 2^32 values fit into memory");
        let value = Arc::new(value);
        self.values.push(Arc::clone(&value));
        self.numbers.insert(value, number);
        number
    }
}

/// One thing that a machine does, by numbers.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
pub enum NumberedEffect {
    /// A message leaves, to the node at this place.
    Send {
        /// The receiver's place.
        to: u8,
        /// The message's number.
        message: u32,
    },
    /// A message leaves to all others.
    Broadcast {
        /// The message's number.
        message: u32,
    },
    /// A timer runs for so many ticks.
    Set {
        /// The number.
        timer: u8,
        /// How long.
        ticks: u8,
    },
    /// A timer stops.
    Cancel {
        /// The number.
        timer: u8,
    },
    /// The safe cells take this.
    Save {
        /// The number.
        saved: u32,
    },
}

/// What one input makes of a machine.
#[derive(Clone, Debug)]
pub struct Response {
    /// The machine afterwards.
    pub machine: u32,
    /// The effects, in order.
    pub effects: Box<[NumberedEffect]>,
}

/// What a machine is given, by numbers.
#[derive(Copy, Clone, Eq, PartialEq, Hash, Debug)]
pub enum NumberedInput {
    /// A message from the node at this place.
    Message {
        /// The sender's place.
        from: u8,
        /// The message's number.
        message: u32,
    },
    /// A timer has run out.
    Timer(u8),
    /// The operator orders an election.
    Elect,
}

/// The start of a node's process.
#[derive(Copy, Clone, Eq, PartialEq, Hash, Debug)]
pub struct NumberedStart {
    /// The node's place.
    pub node: u8,
    /// Which start it is.
    pub incarnation: u8,
    /// The safe cells, one more; 0 if it has never saved.
    pub saved: u32,
}

/// What no machine has been asked yet, and has to be before it is known.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
pub enum UnaskedStep {
    /// What an input makes of a machine.
    Input {
        /// The node's place.
        node: usize,
        /// The machine's number.
        machine: u32,
        input: NumberedInput,
    },
    /// How a process starts.
    Start(NumberedStart),
}

/// A timer that runs too long to be counted, or one too many.
#[derive(Clone, Eq, PartialEq, Debug, thiserror::Error)]
pub enum TimerOverflow {
    /// A span of so many ticks.
    #[error("a timer of {0} ticks is too long to be explored; give the lab shorter periods")]
    TooLong(u64),
    /// So many timers.
    #[error("the machines have too many timers to be explored; leave out nodes")]
    TooMany,
}

/// All tables of one exploration.
#[derive(Debug)]
pub struct StateTables {
    kind: MachineKind,
    machines: Numbered<BoxedMachine>,
    claims: Vec<Option<CutClaim>>,
    saved: Numbered<SavedCells>,
    messages: Numbered<Payload>,
    timers: Vec<TimerKey>,
    starts: HashMap<NumberedStart, Arc<Response>>,
    responses: HashMap<(u32, NumberedInput), Arc<Response>, BuildHasherDefault<FoldedHash>>,
    /// The capacity of each node.
    capacities: Vec<i64>,
    /// The length of a tick, in nanoseconds.
    tick: u64,
}

impl StateTables {
    /// Nothing is numbered yet.
    pub fn new(kind: MachineKind, capacities: Vec<i64>, tick: u64) -> StateTables {
        StateTables {
            kind,
            machines: Numbered::new(),
            claims: Vec::new(),
            saved: Numbered::new(),
            messages: Numbered::new(),
            timers: Vec::new(),
            starts: HashMap::new(),
            responses: HashMap::default(),
            capacities,
            tick,
        }
    }

    /// The kind of the machines.
    pub fn kind(&self) -> MachineKind {
        self.kind
    }

    pub fn machines(&self) -> &Numbered<BoxedMachine> {
        &self.machines
    }

    pub fn messages(&self) -> &Numbered<Payload> {
        &self.messages
    }

    /// The timer of this number.
    pub fn timer(&self, number: u8) -> TimerKey {
        self.timers[usize::from(number)]
    }

    /// What a machine claims.
    pub fn claim(&self, machine: u32) -> Option<&CutClaim> {
        self.claims[machine as usize].as_ref()
    }

    /// What this input makes of this machine of the node at this place.
    ///
    /// # Errors
    /// It is not known yet.
    pub fn response(&self, node: usize, machine: u32, input: NumberedInput) -> Result<&Arc<Response>, UnaskedStep> {
        self.responses.get(&(machine, input)).ok_or(UnaskedStep::Input { node, machine, input })
    }

    /// The same for a start.
    ///
    /// # Errors
    /// It is not known yet.
    pub fn started(&self, start: NumberedStart) -> Result<&Arc<Response>, UnaskedStep> {
        self.starts.get(&start).ok_or(UnaskedStep::Start(start))
    }

    /// Asks the machine of the node at this place.
    ///
    /// # Errors
    /// It sets a timer that cannot be counted.
    pub fn respond(&mut self, node: usize, machine: u32, input: NumberedInput) -> Result<(), TimerOverflow> {
        let mut fx = StepEffects::new(self.capacities[node]);
        let mut changed = self.machines.value(machine).clone();
        match input {
            NumberedInput::Message { from, message } => {
                changed.on_message(at_place(usize::from(from)), self.messages.value(message), &mut fx);
            }
            NumberedInput::Timer(timer) => changed.on_timer(self.timer(timer), &mut fx),
            NumberedInput::Elect => changed.on_order(Order::Elect, &mut fx),
        }
        let response = self.numbered(changed, fx)?;
        self.responses.insert((machine, input), response);
        Ok(())
    }

    /// Starts a process.
    ///
    /// # Errors
    /// Its machine sets a timer that cannot be counted.
    pub fn start(&mut self, start: NumberedStart, setup: &Setup) -> Result<(), TimerOverflow> {
        let mut fx = StepEffects::new(self.capacities[usize::from(start.node)]);
        let saved = start.saved.checked_sub(1).map(|saved| self.saved.value(saved));
        let machine = self.kind.start(setup, saved, &mut fx);
        let response = self.numbered(machine, fx)?;
        self.starts.insert(start, response);
        Ok(())
    }

    fn numbered(&mut self, machine: BoxedMachine, fx: StepEffects) -> Result<Arc<Response>, TimerOverflow> {
        let claim = CutClaim::of(&machine.state());
        let machine = self.machines.number(machine);
        if self.claims.len() < self.machines.len() {
            self.claims.push(claim);
        }
        let mut effects = Vec::new();
        for effect in fx.list {
            effects.push(match effect {
                StepEffect::Send { to, message } => {
                    NumberedEffect::Send { to: (to.get() - 1) as u8, message: self.messages.number(message) }
                }
                StepEffect::Broadcast { message } => {
                    NumberedEffect::Broadcast { message: self.messages.number(message) }
                }
                // The shortest span is the one that a paper allows at least.
                StepEffect::SetTimer { timer, shortest, .. } => {
                    let ticks = shortest.nanos().div_ceil(self.tick);
                    let counted = u8::try_from(ticks).ok().filter(|ticks| *ticks <= super::frame::TICKS_MAX);
                    let ticks = counted.ok_or(TimerOverflow::TooLong(ticks))?;
                    NumberedEffect::Set { timer: self.timer_number(timer)?, ticks }
                }
                StepEffect::CancelTimer { timer } => NumberedEffect::Cancel { timer: self.timer_number(timer)? },
                StepEffect::Save { saved } => NumberedEffect::Save { saved: self.saved.number(saved) + 1 },
                StepEffect::Help { .. } => continue,
            });
        }
        Ok(Arc::new(Response { machine, effects: effects.into() }))
    }

    fn timer_number(&mut self, timer: TimerKey) -> Result<u8, TimerOverflow> {
        let place = self.timers.iter().position(|other| *other == timer).unwrap_or_else(|| {
            self.timers.push(timer);
            self.timers.len() - 1
        });
        if place < super::frame::TIMERS_MAX { Ok(place as u8) } else { Err(TimerOverflow::TooMany) }
    }
}

/// The node at this place.
pub fn at_place(place: usize) -> NodeId {
    NodeId::new(place as u16 + 1).expect("a place is that of a node")
}
