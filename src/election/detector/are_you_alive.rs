//! Are you alive? (Stoller 1997, section 2): the simplest detector asks each watched node once a period.
//!
//! The first question goes out one period after Start, and each later one a period after the one before it. A node that
//! does not answer within 2 delta, there and back, is reported.
//!
//! Invariant: one question to a node is open at a time, and an answer counts for the question whose number it has.

use super::{Acts, FailureDetector, Message, Timer};
use protocol::{CallNumber, CallNumbers, NodeId, NodeMap, NodeSet, Setup, Span, Timing};

/// What the node knows of the nodes that it watches.
#[derive(Clone, Eq, PartialEq, Hash, Debug)]
pub(super) struct AreYouAlive {
    timing: Timing,
    numbers: CallNumbers,
    /// The watched nodes, each with its open question.
    watched: NodeMap<Option<CallNumber>>,
    dead_to: NodeSet,
}

/// The next question finds out a crash just after an answer was sent, a period after the last question.
pub(super) fn latency(timing: &Timing) -> Span {
    timing.silence + timing.t * 2
}

impl AreYouAlive {
    pub fn new(setup: &Setup) -> AreYouAlive {
        AreYouAlive {
            timing: setup.timing,
            numbers: CallNumbers::new(setup.incarnation),
            watched: NodeMap::new(),
            dead_to: NodeSet::EMPTY,
        }
    }

    /// Whether this node plays dead to that one.
    pub fn is_dead_to(&self, node: NodeId) -> bool {
        self.dead_to.contains(node)
    }
}

impl FailureDetector for AreYouAlive {
    fn begin(&mut self, _: &mut Acts) {}

    fn start(&mut self, node: NodeId, acts: &mut Acts) {
        if let Some(Some(_)) = self.watched.insert(node, None) {
            acts.cancel(Timer::Answer(node));
        }
        acts.set(Timer::Ask(node), self.timing.silence);
    }

    fn stop(&mut self, node: NodeId, acts: &mut Acts) {
        if let Some(question) = self.watched.remove(&node) {
            acts.cancel(Timer::Ask(node));
            question.iter().for_each(|_| acts.cancel(Timer::Answer(node)));
        }
    }

    fn be_dead_to(&mut self, nodes: NodeSet) {
        self.dead_to = nodes;
    }

    fn hear(&mut self, from: NodeId, message: Message, acts: &mut Acts) {
        match message {
            Message::AreYouAlive { call } if !self.is_dead_to(from) => acts.send(from, Message::Alive { call }),
            Message::Alive { call } => {
                if let Some(question) = self.watched.get_mut(&from).filter(|question| **question == Some(call)) {
                    *question = None;
                    acts.cancel(Timer::Answer(from));
                }
            }
            _ => {}
        }
    }

    fn time_out(&mut self, timer: Timer, acts: &mut Acts) {
        match timer {
            Timer::Ask(node) => {
                let Some(question) = self.watched.get_mut(&node) else { return };
                let call = self.numbers.give_out();
                *question = Some(call);
                acts.send(node, Message::AreYouAlive { call });
                acts.set(Timer::Answer(node), self.timing.t * 2);
                acts.set(Timer::Ask(node), self.timing.silence);
            }
            Timer::Answer(node) if self.watched.contains_key(&node) => {
                self.watched.remove(&node);
                acts.cancel(Timer::Ask(node));
                acts.report(node);
            }
            _ => {}
        }
    }

    fn waits_for(&self, timer: Timer) -> NodeSet {
        match timer {
            Timer::Answer(node) => NodeSet::of(node),
            _ => NodeSet::EMPTY,
        }
    }
}
