//! A lab of Bully without time, as a model of stateright: any message may come, and any timer that waits for answers may
//! run out, at any moment. Checks and Timeouts never come, so a node holds an election at its start, when another
//! node is silent, and when another one makes it. The number of timers that run out is limited, so the lab is finite.
//!
//! Invariant: messages of a link come in the order in which they were sent.

use std::collections::BTreeSet;

use hustings::election::bully::{Bully, Message, SafeCells, Timer};
use hustings::explore::{ExploreTerms, Staged};
use hustings::protocol::{Algorithm, Effect, Effects, NodeId};
use stateright::{Model, Property};

/// The lab.
#[derive(Clone, Debug)]
pub struct Untimed {
    terms: ExploreTerms,
    crashes: u8,
    time_outs: u8,
}

/// One node: its machine, the timers that run, what it has saved.
#[derive(Clone, Eq, PartialEq, Hash, Debug)]
pub struct UntimedNode {
    machine: Option<Bully>,
    timers: BTreeSet<Timer>,
    saved: Option<SafeCells>,
}

/// A state: the nodes, the messages under way by sender and receiver, the crashes and time-outs that may still come.
#[derive(Clone, Eq, PartialEq, Hash, Debug)]
pub struct UntimedState {
    nodes: Vec<UntimedNode>,
    under_way: Vec<(NodeId, NodeId, Message)>,
    crashes: u8,
    time_outs: u8,
}

/// What happens next.
#[derive(Clone, Eq, PartialEq, Debug)]
pub enum UntimedAction {
    /// The message at this place comes.
    Deliver(usize),
    /// A timer of the node at this place runs out.
    TimeOut(usize, Timer),
    /// The node at this place is killed.
    Crash(usize),
}

impl Untimed {
    /// The lab of these terms. At most `crashes` nodes are killed, and at most `time_outs` timers run out.
    pub fn new(terms: ExploreTerms, crashes: u8, time_outs: u8) -> Untimed {
        Untimed { terms, crashes, time_outs }
    }

    fn carry_out(&self, state: &mut UntimedState, place: usize, fx: Effects<Bully>) {
        let me = node(place);
        for effect in fx.into_parts().0 {
            match effect {
                Effect::Send { to, message } => send(state, me, to, message),
                Effect::Broadcast { message } => {
                    let others: Vec<NodeId> = (0..state.nodes.len()).map(node).filter(|to| *to != me).collect();
                    others.into_iter().for_each(|to| send(state, me, to, message.clone()));
                }
                Effect::SetTimer { timer, .. } => drop(state.nodes[place].timers.insert(timer)),
                Effect::CancelTimer { timer } => drop(state.nodes[place].timers.remove(&timer)),
                Effect::Save { saved } => state.nodes[place].saved = Some(saved),
                Effect::Help { .. } => {}
            }
        }
    }
}

fn node(place: usize) -> NodeId {
    NodeId::new(place as u16 + 1).expect("a place is that of a node")
}

fn place_of(node: NodeId) -> usize {
    usize::from(node.get() - 1)
}

fn send(state: &mut UntimedState, from: NodeId, to: NodeId, message: Message) {
    let place = state.under_way.partition_point(|(sender, receiver, _)| (*sender, *receiver) <= (from, to));
    state.under_way.insert(place, (from, to, message));
}

impl Staged for Untimed {}

impl Model for Untimed {
    type State = UntimedState;
    type Action = UntimedAction;

    fn init_states(&self) -> Vec<UntimedState> {
        let count = usize::from(self.terms.lab.roster.len());
        let absent = UntimedNode { machine: None, timers: BTreeSet::new(), saved: None };
        let mut state = UntimedState {
            nodes: vec![absent; count],
            under_way: Vec::new(),
            crashes: self.crashes,
            time_outs: self.time_outs,
        };
        for place in 0..count {
            let mut fx = Effects::new(0);
            state.nodes[place].machine = Some(Bully::start(&self.terms.setup(node(place), 1), None, &mut fx));
            self.carry_out(&mut state, place, fx);
        }
        vec![state]
    }

    fn actions(&self, state: &UntimedState, actions: &mut Vec<UntimedAction>) {
        let mut before = None;
        for (place, (from, to, _)) in state.under_way.iter().enumerate() {
            if before != Some((from, to)) {
                actions.push(UntimedAction::Deliver(place));
            }
            before = Some((from, to));
        }
        for (place, of) in state.nodes.iter().enumerate() {
            if of.machine.is_none() {
                continue;
            }
            if state.time_outs > 0 {
                let waiting = of.timers.iter().filter(|timer| !matches!(timer, Timer::Check | Timer::Timeout));
                actions.extend(waiting.map(|timer| UntimedAction::TimeOut(place, *timer)));
            }
            if state.crashes > 0 {
                actions.push(UntimedAction::Crash(place));
            }
        }
    }

    fn next_state(&self, state: &UntimedState, action: UntimedAction) -> Option<UntimedState> {
        let mut next = state.clone();
        let mut fx = Effects::new(0);
        match action {
            UntimedAction::Deliver(at) => {
                let (from, to, message) = next.under_way.remove(at);
                if let Some(machine) = &mut next.nodes[place_of(to)].machine {
                    machine.on_message(from, message, &mut fx);
                    self.carry_out(&mut next, place_of(to), fx);
                }
            }
            UntimedAction::TimeOut(place, timer) => {
                next.time_outs -= 1;
                next.nodes[place].timers.remove(&timer);
                next.nodes[place].machine.as_mut()?.on_timer(timer, &mut fx);
                self.carry_out(&mut next, place, fx);
            }
            UntimedAction::Crash(place) => {
                next.crashes -= 1;
                (next.nodes[place].machine, next.nodes[place].timers) = (None, BTreeSet::new());
                next.under_way.retain(|(_, to, _)| place_of(*to) != place);
            }
        }
        Some(next)
    }

    fn properties(&self) -> Vec<Property<Untimed>> {
        // Stateright stops when it has nothing to look for. This one holds always.
        vec![Property::always("every node has its place", |model: &Untimed, state: &UntimedState| {
            state.nodes.len() == usize::from(model.terms.lab.roster.len())
        })]
    }
}
