//! Cooperative detection (Stoller 1997, section 6): a node is declared faulty only if several nodes cannot reach it.
//!
//! A node asks those that it watches as `are_you_alive` does. When one leaves a question unanswered, the watcher asks
//! all others whether they can reach it. Each of them asks it once more, in the watcher's name, and tells the watcher
//! what came of that. The node is reported when as many as the lab's `unable` have not reached it, the watcher
//! included; if fewer answer the watcher, all of them must have failed. Otherwise the watch goes on.
//!
//! Those that do not answer are left out because the detector must stay complete (the paper's requirement 1): a node
//! that is down is reported however many others are down too. A node that plays dead to the watcher is silent to
//! whoever asks in the watcher's name, so that the others do not vouch for it.
//!
//! Where links are not transitive, a node that the watcher cannot reach and others can may never be reported. The proof
//! of theorem 1 needs that report, so the Asynchronous Bully promises no ALE2' with this detector.
//!
//! Invariant: a node is reported only if it has left a question of the watcher unanswered that was asked after the
//! latest Start.

use std::collections::BTreeMap;

use super::are_you_alive::{self, AreYouAlive};
use super::{Acts, FailureDetector, Message, Timer, UNABLE};
use protocol::{CallNumber, CallNumbers, NodeId, NodeMap, NodeSet, Round, Setup, Span, Timing};

/// What the node knows of the nodes that it watches, and which nodes it tries to reach for others.
#[derive(Clone, Eq, PartialEq, Hash, Debug)]
pub(super) struct Cooperative {
    timing: Timing,
    numbers: CallNumbers,
    others: NodeSet,
    /// How many must be unable to reach a node.
    unable: usize,
    /// Asks those that are watched. What it reports is looked into.
    alone: AreYouAlive,
    /// Those that have left a question unanswered.
    inquiries: NodeMap<OpenInquiry>,
    /// The watcher, the node that it cannot reach, and the watcher's number of that inquiry.
    errands: BTreeMap<(NodeId, NodeId), CallNumber>,
}

/// The nodes that were asked whether they can reach a node, and those that have reached it.
#[derive(Clone, Eq, PartialEq, Hash, Debug)]
struct OpenInquiry {
    round: Round,
    reached: NodeSet,
}

impl OpenInquiry {
    /// How many have not reached the node, the watcher included.
    fn unable(&self) -> usize {
        1 + self.round.answered().minus(&self.reached).len()
    }
}

/// An inquiry takes four delta: to the others, from there to the node and back, and back. A node may crash just after
/// it has answered one of them: then the next question finds it out, a period after the inquiry, by an inquiry of its
/// own.
pub(super) fn latency(timing: &Timing) -> Span {
    are_you_alive::latency(timing) + timing.t * 8
}

impl Cooperative {
    pub fn new(setup: &Setup) -> Cooperative {
        Cooperative {
            timing: setup.timing,
            numbers: CallNumbers::new(setup.incarnation),
            others: setup.roster.others(setup.me),
            unable: usize::try_from(setup.settings.number(UNABLE.name)).unwrap_or(usize::MAX),
            alone: AreYouAlive::new(setup),
            inquiries: NodeMap::new(),
            errands: BTreeMap::new(),
        }
    }

    /// The node has left a question unanswered.
    fn inquire(&mut self, node: NodeId, acts: &mut Acts) {
        let asked = self.others.minus(&NodeSet::of(node));
        if asked.is_empty() || self.unable <= 1 {
            acts.report(node);
            return;
        }
        let call = self.numbers.give_out();
        asked.iter().for_each(|other| acts.send(other, Message::CanYouReach { node, call }));
        acts.set(Timer::Inquiry(node), self.timing.t * 4);
        self.inquiries.insert(node, OpenInquiry { round: Round::new(call, asked), reached: NodeSet::EMPTY });
    }

    fn forget(&mut self, node: NodeId, acts: &mut Acts) {
        if self.inquiries.remove(&node).is_some() {
            acts.cancel(Timer::Inquiry(node));
        }
    }

    fn take_word(&mut self, from: NodeId, node: NodeId, call: CallNumber, reached: NodeSet, acts: &mut Acts) {
        let Some(inquiry) = self.inquiries.get_mut(&node) else { return };
        if !inquiry.round.take_answer(from, call) {
            return;
        }
        inquiry.reached = inquiry.reached.union(&reached);
        if inquiry.unable() >= self.unable || inquiry.round.silent().is_empty() {
            acts.cancel(Timer::Inquiry(node));
            self.conclude(node, acts);
        }
    }

    fn conclude(&mut self, node: NodeId, acts: &mut Acts) {
        let Some(inquiry) = self.inquiries.remove(&node) else { return };
        if inquiry.unable() >= self.unable || inquiry.reached.is_empty() {
            acts.report(node);
        } else {
            self.alone.start(node, acts);
        }
    }
}

/// For other watchers.
impl Cooperative {
    fn set_out(&mut self, watcher: NodeId, node: NodeId, call: CallNumber, acts: &mut Acts) {
        if self.others.contains(node) {
            self.errands.insert((watcher, node), call);
            acts.send(node, Message::AreYouAliveFor { watcher, call });
            acts.set(Timer::Errand(watcher, node), self.timing.t * 2);
        }
    }

    fn come_back(&mut self, watcher: NodeId, node: NodeId, call: CallNumber, acts: &mut Acts) {
        if self.errands.get(&(watcher, node)) == Some(&call) {
            self.errands.remove(&(watcher, node));
            acts.cancel(Timer::Errand(watcher, node));
            self.tell(watcher, Message::Reached { node, call }, acts);
        }
    }

    fn tell(&self, watcher: NodeId, word: Message, acts: &mut Acts) {
        if !self.alone.is_dead_to(watcher) {
            acts.send(watcher, word);
        }
    }
}

impl FailureDetector for Cooperative {
    fn begin(&mut self, acts: &mut Acts) {
        self.alone.begin(acts);
    }

    fn start(&mut self, node: NodeId, acts: &mut Acts) {
        self.forget(node, acts);
        self.alone.start(node, acts);
    }

    fn stop(&mut self, node: NodeId, acts: &mut Acts) {
        self.forget(node, acts);
        self.alone.stop(node, acts);
    }

    fn be_dead_to(&mut self, nodes: NodeSet) {
        self.alone.be_dead_to(nodes);
    }

    fn hear(&mut self, from: NodeId, message: Message, acts: &mut Acts) {
        match message {
            Message::CanYouReach { node, call } => self.set_out(from, node, call, acts),
            Message::AreYouAliveFor { watcher, call } if !self.alone.is_dead_to(watcher) => {
                acts.send(from, Message::AliveFor { watcher, call });
            }
            Message::AliveFor { watcher, call } => self.come_back(watcher, from, call, acts),
            Message::Reached { node, call } => self.take_word(from, node, call, NodeSet::of(from), acts),
            Message::NotReached { node, call } => self.take_word(from, node, call, NodeSet::EMPTY, acts),
            message => self.alone.hear(from, message, acts),
        }
    }

    fn time_out(&mut self, timer: Timer, acts: &mut Acts) {
        match timer {
            Timer::Inquiry(node) => self.conclude(node, acts),
            Timer::Errand(watcher, node) => {
                if let Some(call) = self.errands.remove(&(watcher, node)) {
                    self.tell(watcher, Message::NotReached { node, call }, acts);
                }
            }
            timer => {
                let mut of_alone = Acts::default();
                self.alone.time_out(timer, &mut of_alone);
                acts.list.append(&mut of_alone.list);
                of_alone.down.iter().for_each(|node| self.inquire(node, acts));
            }
        }
    }

    fn waits_for(&self, timer: Timer) -> NodeSet {
        match timer {
            Timer::Inquiry(node) => self.inquiries.get(&node).map_or(NodeSet::EMPTY, |inquiry| inquiry.round.silent()),
            Timer::Errand(_, node) => NodeSet::of(node),
            timer => self.alone.waits_for(timer),
        }
    }
}
