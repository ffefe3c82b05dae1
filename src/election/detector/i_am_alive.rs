//! I'm alive (Stoller 1997, section 2): a watcher tells the watched node to begin, and that node sends by itself from
//! then on.
//!
//! The first I'm alive answers the Watch and is due within 2 delta; the later ones come once a period, the same to all
//! watchers. That is one message a period and pair, half of what asking takes. Two of them may arrive a period and
//! delta apart, and half a delta more is left to the sender's timer, which no assumption bounds more tightly.
//!
//! Where tau, the period of Norm?, is no longer than the detector's, a leader's Norm? stands for its I'm alive (section
//! 7). Section 7 asks for tau_FD >= tau + delta, which counts from the sending of a message. A watcher only knows when
//! it came, up to delta later, and leaves half a delta to the sender's timer: here that takes tau_FD >= tau + 5/2
//! delta.
//!
//! A node that starts tells all others that it watches nobody: its earlier process may have watched them.
//!
//! Invariant: an I'm alive counts for the watch whose number it has; one that nobody waits for is answered by Unwatch,
//! so that no node sends for ever to one that does not watch it.

use super::{Acts, FailureDetector, Message, Timer};
use protocol::{CallNumber, CallNumbers, NodeId, NodeMap, NodeSet, Setup, Span, Timing};

/// What the node knows of the nodes that it watches, and which nodes watch it.
#[derive(Clone, Eq, PartialEq, Hash, Debug)]
pub(super) struct IAmAlive {
    timing: Timing,
    numbers: CallNumbers,
    watched: NodeMap<CallNumber>,
    watchers: NodeMap<CallNumber>,
    dead_to: NodeSet,
    others: NodeSet,
}

/// A message sent just before a crash may take delta to arrive; the silence is counted from its arrival.
pub(super) fn latency(timing: &Timing) -> Span {
    timing.t + silence(timing)
}

/// How long after one I'm alive the next one may arrive.
fn silence(timing: &Timing) -> Span {
    timing.silence + timing.t + timing.t / 2
}

impl IAmAlive {
    pub fn new(setup: &Setup) -> IAmAlive {
        IAmAlive {
            timing: setup.timing,
            numbers: CallNumbers::new(setup.incarnation),
            watched: NodeMap::new(),
            watchers: NodeMap::new(),
            dead_to: NodeSet::EMPTY,
            others: setup.roster.others(setup.me),
        }
    }

    /// Whether Norm? comes as often as I'm alive must.
    fn rides_on_norm(&self) -> bool {
        self.timing.check <= self.timing.silence
    }

    fn say(&self, to: NodeId, call: CallNumber, acts: &mut Acts) {
        if !self.dead_to.contains(to) {
            acts.send(to, Message::IAmAlive { call });
        }
    }
}

impl FailureDetector for IAmAlive {
    /// The node no longer watches what it watched before a crash, and those nodes need not go on telling it.
    fn begin(&mut self, acts: &mut Acts) {
        let call = self.numbers.give_out();
        self.others.iter().for_each(|node| acts.send(node, Message::Unwatch { call }));
    }

    fn start(&mut self, node: NodeId, acts: &mut Acts) {
        let call = self.numbers.give_out();
        self.watched.insert(node, call);
        acts.send(node, Message::Watch { call });
        acts.set(Timer::Silence(node), self.timing.t * 2);
    }

    fn stop(&mut self, node: NodeId, acts: &mut Acts) {
        if let Some(call) = self.watched.remove(&node) {
            acts.cancel(Timer::Silence(node));
            acts.send(node, Message::Unwatch { call });
        }
    }

    /// The other watchers are told now too, so that one timer serves all.
    fn shown_to(&mut self, nodes: NodeSet, acts: &mut Acts) {
        if self.rides_on_norm() && !self.watchers.is_empty() {
            acts.set(Timer::Say, self.timing.silence);
            let others = self.watchers.iter().filter(|(watcher, _)| !nodes.contains(**watcher));
            others.for_each(|(watcher, call)| self.say(*watcher, *call, acts));
        }
    }

    fn shown_by(&mut self, node: NodeId, acts: &mut Acts) {
        if self.rides_on_norm() && self.watched.contains_key(&node) {
            acts.set(Timer::Silence(node), silence(&self.timing));
        }
    }

    fn be_dead_to(&mut self, nodes: NodeSet) {
        self.dead_to = nodes;
    }

    fn hear(&mut self, from: NodeId, message: Message, acts: &mut Acts) {
        match message {
            Message::Watch { call } => {
                if self.watchers.is_empty() {
                    acts.set(Timer::Say, self.timing.silence);
                }
                self.watchers.insert(from, call);
                self.say(from, call, acts);
            }
            Message::Unwatch { call } if self.watchers.get(&from).is_some_and(|watch| *watch <= call) => {
                self.watchers.remove(&from);
                if self.watchers.is_empty() {
                    acts.cancel(Timer::Say);
                }
            }
            Message::IAmAlive { call } if self.watched.get(&from) == Some(&call) => {
                acts.set(Timer::Silence(from), silence(&self.timing));
            }
            Message::IAmAlive { call } => acts.send(from, Message::Unwatch { call }),
            _ => {}
        }
    }

    fn time_out(&mut self, timer: Timer, acts: &mut Acts) {
        match timer {
            Timer::Say => {
                acts.set(Timer::Say, self.timing.silence);
                self.watchers.iter().for_each(|(watcher, call)| self.say(*watcher, *call, acts));
            }
            Timer::Silence(node) if self.watched.contains_key(&node) => {
                self.watched.remove(&node);
                acts.report(node);
            }
            _ => {}
        }
    }

    fn waits_for(&self, timer: Timer) -> NodeSet {
        match timer {
            Timer::Silence(node) => NodeSet::of(node),
            _ => NodeSet::EMPTY,
        }
    }
}
