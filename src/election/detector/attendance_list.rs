//! The attendance list (Stoller 1997, section 2, after Cristian 1991): a token goes round a ring of all nodes, and each
//! node that passes it on enters its name.
//!
//! The first of the present nodes sends the list on its way once a period; the whole list of the lap before goes with
//! it. A lap costs as many messages as there are nodes, however many watch however many, and takes longer to tell. A
//! node asks "are you alive?" of each watched node that the list does not name, and of every node when no list has come
//! for too long. A node that is silent for 2 delta is left out of the ring, and reported if it is watched. A node asks
//! all others when it starts: each asked node takes the asker back into the ring.
//!
//! A node on the list is alive for all: no node can play dead to some only.
//!
//! Invariant: the list vouches and never accuses: who is reported has left a question unanswered that was asked after
//! the latest Start.

use serde::{Deserialize, Serialize};

use super::{Acts, FailureDetector, Message, Timer};
use protocol::{CallNumber, CallNumbers, NodeId, NodeMap, NodeSet, Roster, Setup, Span, Timing};

/// The attendance list of one lap.
#[derive(Copy, Clone, Eq, PartialEq, Ord, PartialOrd, Hash, Debug, Serialize, Deserialize)]
pub struct Attendance {
    /// The node that has sent it on its way.
    pub issuer: NodeId,
    /// Which of the issuer's laps it is.
    pub lap: u32,
    /// The nodes that have passed it on in this lap.
    pub attended: NodeSet,
    /// The nodes that did so in the lap before, if that one came round; else none.
    pub before: NodeSet,
}

/// What the node knows of the ring and of those it watches.
#[derive(Clone, Eq, PartialEq, Hash, Debug)]
pub(super) struct AttendanceList {
    me: NodeId,
    roster: Roster,
    timing: Timing,
    numbers: CallNumbers,
    watched: NodeSet,
    /// The questions that are open.
    asked: NodeMap<CallNumber>,
    /// The nodes that were silent when asked, and have not been heard since.
    absent: NodeSet,
    lap: u32,
    laps: ListRound,
}

/// Whether this node sends the list on its way.
#[derive(Clone, Eq, PartialEq, Hash, Debug)]
enum ListRound {
    /// Another node does.
    Others,
    /// This node does, and waits for the latest lap's list to come round.
    Under,
    /// This node does, and the latest lap came round with these nodes.
    Round(NodeSet),
}

/// If a node dies just after it has passed the list on, the next list vouches for it, up to a period and a lap later.
/// After that no list names it: the next list, or the lack of one, makes the others ask it.
pub(super) fn latency(timing: &Timing, nodes: u16) -> Span {
    timing.silence + timing.t * u64::from(nodes) + list_due(timing, nodes) + timing.t * 2
}

/// How long after one list the next one may come: a period, a lap, and the lateness of a timer.
fn list_due(timing: &Timing, nodes: u16) -> Span {
    timing.silence + timing.t * (u64::from(nodes) + 1)
}

impl AttendanceList {
    pub fn new(setup: &Setup) -> AttendanceList {
        AttendanceList {
            me: setup.me,
            roster: setup.roster,
            timing: setup.timing,
            numbers: CallNumbers::new(setup.incarnation),
            watched: NodeSet::EMPTY,
            asked: NodeMap::new(),
            absent: NodeSet::EMPTY,
            lap: 0,
            laps: ListRound::Others,
        }
    }

    fn ask(&mut self, node: NodeId, acts: &mut Acts) {
        let call = self.numbers.give_out();
        self.asked.insert(node, call);
        acts.send(node, Message::AreYouAlive { call });
        acts.set(Timer::Answer(node), self.timing.t * 2);
    }

    fn ask_each(&mut self, nodes: NodeSet, acts: &mut Acts) {
        for node in nodes.iter() {
            if !self.asked.contains_key(&node) {
                self.ask(node, acts);
            }
        }
    }

    /// Sends the list on its way if that is this node's part now: all nodes that outrank it are absent.
    fn take_part(&mut self, acts: &mut Acts) {
        let is_first = self.roster.above(self.me).minus(&self.absent).is_empty();
        match (is_first, &self.laps) {
            (true, ListRound::Others) => self.begin_lap(acts),
            (false, ListRound::Under | ListRound::Round(_)) => {
                self.laps = ListRound::Others;
                acts.cancel(Timer::Lap);
            }
            _ => {}
        }
    }

    fn begin_lap(&mut self, acts: &mut Acts) {
        let before = match &self.laps {
            ListRound::Round(attended) => *attended,
            ListRound::Others | ListRound::Under => NodeSet::EMPTY,
        };
        self.lap += 1;
        acts.set(Timer::Lap, self.timing.silence);
        let attended = NodeSet::of(self.me);
        match self.next() {
            Some(next) => {
                self.laps = ListRound::Under;
                let list = Attendance { issuer: self.me, lap: self.lap, attended, before };
                acts.send(next, Message::Attendance(Box::new(list)));
            }
            None => {
                self.laps = ListRound::Round(attended);
                acts.set(Timer::List, list_due(&self.timing, self.roster.len()));
            }
        }
    }

    /// The node that gets the list after this one: the next present node of the ring.
    fn next(&self) -> Option<NodeId> {
        let there = self.roster.others(self.me).minus(&self.absent);
        there.iter().find(|node| *node > self.me).or(there.iter().next())
    }

    fn take_list(&mut self, mut list: Attendance, acts: &mut Acts) {
        let is_own = list.issuer == self.me;
        if is_own && (list.lap != self.lap || self.laps == ListRound::Others)
            || !is_own && list.attended.contains(self.me)
        {
            // A list of a past lap, or of an issuer that has left the ring, goes no further.
            return;
        }
        self.absent = self.absent.minus(&list.attended);
        acts.set(Timer::List, list_due(&self.timing, self.roster.len()));
        let named = list.attended.union(&list.before);
        self.ask_each(self.watched.minus(&named), acts);
        if is_own {
            self.laps = ListRound::Round(list.attended);
        } else {
            list.attended.insert(self.me);
            if let Some(next) = self.next() {
                acts.send(next, Message::Attendance(Box::new(list)));
            }
        }
    }

    fn call_the_roll(&mut self, acts: &mut Acts) {
        acts.set(Timer::List, list_due(&self.timing, self.roster.len()));
        self.ask_each(self.roster.others(self.me), acts);
    }
}

impl FailureDetector for AttendanceList {
    fn begin(&mut self, acts: &mut Acts) {
        self.call_the_roll(acts);
        self.take_part(acts);
    }

    fn start(&mut self, node: NodeId, acts: &mut Acts) {
        self.watched.insert(node);
        self.ask(node, acts);
    }

    fn stop(&mut self, node: NodeId, _: &mut Acts) {
        self.watched.remove(node);
    }

    fn be_dead_to(&mut self, _: NodeSet) {
        unreachable!("no Card that plays dead lists the attendance list");
    }

    fn hear(&mut self, from: NodeId, message: Message, acts: &mut Acts) {
        self.absent.remove(from);
        match message {
            Message::AreYouAlive { call } => acts.send(from, Message::Alive { call }),
            Message::Alive { call } if self.asked.get(&from) == Some(&call) => {
                self.asked.remove(&from);
                acts.cancel(Timer::Answer(from));
            }
            Message::Attendance(list) => self.take_list(*list, acts),
            _ => {}
        }
        self.take_part(acts);
    }

    fn time_out(&mut self, timer: Timer, acts: &mut Acts) {
        match timer {
            Timer::Answer(node) => {
                self.asked.remove(&node);
                self.absent.insert(node);
                if self.watched.remove(node) {
                    acts.report(node);
                }
            }
            Timer::List => self.call_the_roll(acts),
            Timer::Lap => {
                if self.laps == ListRound::Under {
                    // The list has been lost on its way: some node is not there any more.
                    self.ask_each(self.roster.others(self.me), acts);
                }
                self.begin_lap(acts);
            }
            _ => {}
        }
        self.take_part(acts);
    }

    fn waits_for(&self, timer: Timer) -> NodeSet {
        match timer {
            Timer::Answer(node) => NodeSet::of(node),
            _ => NodeSet::EMPTY,
        }
    }
}
