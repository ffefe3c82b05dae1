//! Elections: when each began, who began it and why, what it cost, and how it ended.
//!
//! An election lasts as long as a running process is on its way through one. So two elections that overlap, in two
//! groups for example, count as one.
//!
//! Invariant: an election that has ended does not change; the elections are counted, and the latest are kept.

#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::collections::VecDeque;
use std::fmt;

use serde::{Deserialize, Serialize};

use super::node::NodeView;
use protocol::{Course, ELECTING_LINE, NodeId, NodeMap, NodeSet, Order, StateVector, Status};
use record::{Body, EffectText, Input, Record, Step};
use record::{between, stamp};

/// So many elections are kept.
const KEPT_MAX: usize = 64;

/// The elections of a lab.
#[derive(Clone, Default, Debug, PartialEq, Serialize, Deserialize)]
pub struct Elections {
    /// How many there were.
    pub count: u64,
    /// The latest of them, oldest first; the last one may still go on.
    pub latest: VecDeque<ElectionView>,
    /// The running processes on their way through one.
    electing: NodeSet,
    /// The processes that followed nobody, have heard from one at rest that it was elected, and come to follow it: they hold
    /// no election.
    #[serde(default)]
    led: NodeSet,
    /// The processes that have turned to another coordinator in the latest one.
    #[serde(default)]
    turned: NodeSet,
    /// When a process or a fault last changed.
    disturbed: Option<i64>,
    /// When a process last went on after a pause: the fault that lets it go on is in force only after that, when the process
    /// may have done something already.
    #[serde(default)]
    went_on: Option<i64>,
}

/// One election.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ElectionView {
    /// Which of the lab's elections it is, from 1.
    pub ordinal: u64,
    /// The stamp of the record with which it began, in nanoseconds since the lab began.
    pub began: i64,
    /// The number of that record.
    pub record: u64,
    /// The processes that began it: the first, and those that set out for the same reason without a message.
    pub by: NodeSet,
    /// Why they did.
    pub why: ElectionReason,
    /// When that happened which they noticed, if it is known.
    pub since: Option<i64>,
    /// The processes that have been on their way through it.
    pub took_part: NodeSet,
    /// How many messages were sent in it, by kind; a broadcast is one.
    pub sent: Vec<(Cow<'static, str>, u64)>,
    /// When it ended, if it has.
    pub ended: Option<i64>,
    /// The processes that running ones followed at its end which had a part in it, or turned to another one in it.
    pub elected: NodeSet,
    /// The running processes that followed nobody at its end.
    pub without: NodeSet,
    /// Where capacities decide: its rounds, which are the inits and each announcement of the master.
    pub rounds: Option<u64>,
}

/// Why a process set out on an election.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ElectionReason {
    /// Started.
    Start,
    /// The timer ran out.
    Timer {
        /// The timer.
        name: String,
        /// The processes from which it waited for a message.
        waited_for: NodeSet,
    },
    /// A message came.
    Message {
        kind: String,
        /// The sender.
        from: NodeId,
    },
    /// The operator ordered it.
    Order(Order),
    /// The application asked for it.
    Application,
    /// Was on its way already, and went on after a pause.
    Continued,
}

impl fmt::Display for ElectionReason {
    /// As a fragment: `nothing from 5`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ElectionReason::Start => f.write_str("start"),
            ElectionReason::Timer { waited_for, name } if waited_for.is_empty() => write!(f, "time-out of {name}"),
            ElectionReason::Timer { waited_for, .. } => write!(f, "nothing from {waited_for}"),
            ElectionReason::Message { kind, from } => write!(f, "{kind} from {from}"),
            ElectionReason::Order(order) => write!(f, "{}", order.says()),
            ElectionReason::Application => f.write_str("its application asked for it"),
            ElectionReason::Continued => f.write_str("went on after a pause"),
        }
    }
}

impl ElectionReason {
    fn of(body: &Body) -> ElectionReason {
        let Body::Step(step) = body else { return ElectionReason::Continued };
        match &step.input {
            Input::Order { order } => ElectionReason::Order(*order),
            _ if step.lines.contains(&ELECTING_LINE) => ElectionReason::Application,
            Input::Start { .. } => ElectionReason::Start,
            Input::Timer { timer, waited_for, .. } => {
                ElectionReason::Timer { name: timer.to_string(), waited_for: *waited_for }
            }
            Input::Message { id, message } => {
                ElectionReason::Message { kind: message.kind().into_owned(), from: id.from }
            }
        }
    }

    /// Whether a process that sets out for this reason began the election too that another one began for the other.
    fn is_like(&self, other: &ElectionReason) -> bool {
        match (self, other) {
            (ElectionReason::Timer { name, .. }, ElectionReason::Timer { name: other, .. }) => name == other,
            (ElectionReason::Message { .. } | ElectionReason::Continued, _) => false,
            _ => self == other,
        }
    }
}

impl Elections {
    /// Takes in the next record, after which the nodes are these; before it, its node followed this one.
    pub(super) fn take(&mut self, record: &Record, followed: Option<NodeId>, nodes: &NodeMap<NodeView>) {
        match &record.body {
            Body::FaultInForce { .. } | Body::FaultLifted { .. } => self.disturbed = Some(record.at),
            Body::Died { .. } | Body::Stopped { .. } => {
                self.disturbed = Some(record.at);
                self.take_course(record, followed, nodes);
            }
            Body::Continued => {
                self.went_on = Some(record.at);
                self.take_course(record, followed, nodes);
            }
            Body::Step(step) if step.state.is_some() => self.take_course(record, followed, nodes),
            _ => {}
        }
        let Some(election) = self.latest.back_mut().filter(|election| election.ended.is_none()) else { return };
        if let Body::Step(step) = &record.body {
            election.count_messages(step);
            let believed = step.state.as_ref().map(StateVector::believes_in);
            self.turned = match (record.node, believed) {
                (Some(node), Some(now)) if now != followed => self.turned.union(&NodeSet::of(node)),
                _ => self.turned,
            };
        }
        if self.electing.is_empty() {
            election.end(record.at, nodes, self.turned);
        }
    }

    /// The election that goes on.
    pub fn present(&self) -> Option<&ElectionView> {
        self.latest.back().filter(|election| election.ended.is_none())
    }

    fn take_course(&mut self, record: &Record, followed: Option<NodeId>, nodes: &NodeMap<NodeView>) {
        let Some(node) = record.node else { return };
        let view = nodes.get(&node).filter(|view| view.process.runs());
        let state = view.and_then(|view| view.state.as_ref());
        let Some(state) = state.filter(|state| state.course() == Course::Electing) else {
            self.electing.remove(node);
            self.led.remove(node);
            return;
        };
        if self.electing.contains(node) {
            return;
        }
        let is_led = self.led.contains(node) || followed.is_none() && is_of_coordinator(record, state);
        if is_led && is_after_an_election(state, nodes) {
            self.led.insert(node);
            return;
        }
        self.led.remove(node);
        self.electing.insert(node);
        let why = ElectionReason::of(&record.body);
        if let Some(election) = self.latest.back_mut().filter(|election| election.ended.is_none()) {
            election.took_part.insert(node);
            if why.is_like(&election.why) {
                election.join(node, &why);
            }
            return;
        }
        let disturbances = [self.disturbed.take(), self.went_on.take()];
        // A cause is not later than its effect.
        let disturbed = disturbances.into_iter().flatten().find(|at| *at <= record.at);
        let since = match &why {
            // These notice nothing.
            ElectionReason::Start | ElectionReason::Order(_) | ElectionReason::Application => None,
            _ => {
                let gone = followed.and_then(|node| nodes.get(&node)).filter(|view| !view.process.runs());
                gone.map(|view| view.since).or(disturbed)
            }
        };
        self.count += 1;
        self.turned = NodeSet::EMPTY;
        if self.latest.len() == KEPT_MAX {
            self.latest.pop_front();
        }
        self.latest.push_back(ElectionView {
            ordinal: self.count,
            began: record.at,
            record: record.number,
            by: NodeSet::of(node),
            why,
            since,
            took_part: NodeSet::of(node),
            sent: Vec::new(),
            ended: None,
            elected: NodeSet::EMPTY,
            without: NodeSet::EMPTY,
            rounds: None,
        });
    }
}

/// Whether the coordinator in this state is at rest, so that the election that made it one is over.
fn is_after_an_election(state: &StateVector, nodes: &NodeMap<NodeView>) -> bool {
    let Some(coordinator) = state.coordinator else { return false };
    let view = nodes.get(&coordinator).filter(|view| view.process.runs());
    let of_coordinator = view.and_then(|view| view.state.as_ref());
    of_coordinator.is_some_and(|of| of.course() == Course::AtRest && of.coordinates(coordinator))
}

/// Whether the coordinator in this state has just told of itself.
fn is_of_coordinator(record: &Record, state: &StateVector) -> bool {
    let Body::Step(step) = &record.body else { return false };
    matches!(&step.input, Input::Message { id, .. } if Some(id.from) == state.coordinator)
}

impl ElectionView {
    /// How long it took until somebody noticed what had happened, in nanoseconds.
    pub fn noticed_after(&self) -> Option<i64> {
        self.since.map(|since| self.began - since)
    }

    /// How many messages were sent in it so far, without those of these kinds.
    pub fn messages(&self, without: &[impl AsRef<str>]) -> u64 {
        self.kinds(without).map(|(_, count)| count).sum()
    }

    /// How many of each kind were sent in it so far, but of these kinds.
    pub fn kinds(&self, without: &[impl AsRef<str>]) -> impl Iterator<Item = (&str, u64)> {
        let counts = |kind: &str| !without.iter().any(|other| other.as_ref() == kind);
        self.sent.iter().filter(move |(kind, _)| counts(kind)).map(|(kind, count)| (&**kind, *count))
    }

    /// How it ended, as a fragment: `5 in 0.2s`, `3 and 5`, `nobody`; or since when it goes on.
    pub fn outcome(&self) -> String {
        match (self.ended, self.elected.is_empty()) {
            (None, _) => "goes on".to_owned(),
            (Some(_), true) => "nobody".to_owned(),
            (Some(_), false) => self.elected.to_string(),
        }
    }

    /// In one line; messages of these kinds do not count: `election 2 at 3.400 s: 4 began it (nothing from 5; noticed
    /// after 1.4s); 4 was elected after 205ms, with 18 messages`.
    pub fn in_a_line(&self, without: &[impl AsRef<str>]) -> String {
        let noticed =
            self.noticed_after().map_or_else(String::new, |after| format!("; noticed after {}", between(after)));
        let began =
            format!("election {} at {}: {} began it ({}{noticed})", self.ordinal, stamp(self.began), self.by, self.why);
        let Some(ended) = self.ended else { return format!("{began}; it goes on") };
        let messages = match self.messages(without) {
            1 => "1 message".to_owned(),
            count => format!("{count} messages"),
        };
        let rounds = match self.rounds {
            None => String::new(),
            Some(1) => " and 1 round".to_owned(),
            Some(rounds) => format!(" and {rounds} rounds"),
        };
        let outcome = match self.elected.len() {
            0 => "nobody was elected".to_owned(),
            1 => format!("{} was elected", self.elected),
            _ => format!("{} were elected", self.elected),
        };
        format!("{began}; {outcome} after {}, with {messages}{rounds}", between(ended - self.began))
    }

    fn join(&mut self, node: NodeId, why: &ElectionReason) {
        self.by.insert(node);
        if let (ElectionReason::Timer { waited_for, .. }, ElectionReason::Timer { waited_for: more, .. }) =
            (&mut self.why, why)
        {
            *waited_for = waited_for.union(more);
        }
    }

    fn count_messages(&mut self, step: &Step) {
        for effect in &step.effects {
            let EffectText::Send { message, .. } = effect else { continue };
            let kind = message.kind();
            match self.sent.iter_mut().find(|(other, _)| *other == kind) {
                Some((_, count)) => *count += 1,
                None => self.sent.push((kind, 1)),
            }
        }
    }

    fn end(&mut self, at: i64, nodes: &NodeMap<NodeView>, turned: NodeSet) {
        self.ended = Some(at);
        // Who had no part in it goes on as an earlier one has left it.
        let voters = self.took_part.union(&turned);
        for (&node, view) in nodes.iter().filter(|(_, view)| view.process.runs()) {
            let Some(state) = view.state.as_ref().filter(|state| !state.stands_by()) else { continue };
            match state.coordinator.filter(|_| state.status == Status::Normal) {
                Some(coordinator) if voters.contains(node) => {
                    self.elected.insert(coordinator);
                }
                Some(_) => {}
                None => {
                    self.without.insert(node);
                }
            }
            if let Some(ballot) = state.ballot.as_ref().filter(|_| state.coordinates(node)) {
                self.rounds = self.rounds.max(Some(1 + u64::from(ballot.announcements)));
            }
        }
    }
}
