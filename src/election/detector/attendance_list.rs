//! The attendance list (Stoller 1997, section 2, after Cristian 1991): a token goes round a ring of all nodes, and who
//! passes it on enters its name.
//!
//! The first node of those that are there sends the list on its way once a period; with it goes the whole list of the lap
//! before. A lap costs as many messages as there are nodes, however many watch however many, and takes longer to tell.
//! Whom the list does not name, and everybody when no list has come for too long, is asked "are you alive?"; who is
//! silent for 2 delta is left out of the ring, and reported if it is watched. A node asks all others when it starts: who
//! is asked takes the asker back into the ring.
//!
//! Being on the list is being there for all: nobody can play dead to some.
//!
//! Invariant: the list vouches and never accuses: who is reported has left a question unanswered that was asked after
//! the latest Start.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{Acts, FailureDetector, Message, Timer};
use crate::protocol::{CallNumber, CallNumbers, NodeId, NodeSet, Roster, Setup, Span, Timing};

/// The attendance list of one lap.
#[derive(Copy, Clone, Eq, PartialEq, Ord, PartialOrd, Hash, Debug, Serialize, Deserialize)]
pub struct Attendance {
    /// Who has sent it on its way.
    pub issuer: NodeId,
    /// Which of the issuer's laps it is.
    pub lap: u32,
    /// Who has passed it on in this lap.
    pub attended: NodeSet,
    /// Who did so in the lap before, if that one came round; else nobody.
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
    asked: BTreeMap<NodeId, CallNumber>,
    /// Who was silent when asked, and has not been heard since.
    absent: NodeSet,
    lap: u32,
    laps: Laps,
}

/// Whether this node sends the list on its way.
#[derive(Clone, Eq, PartialEq, Hash, Debug)]
enum Laps {
    /// Somebody else does.
    Others,
    /// It does, and waits for the latest lap's list to come round.
    Under,
    /// It does, and the latest lap came round with these.
    Round(NodeSet),
}

/// Someone who dies just after it has passed the list on is vouched for by the next one, up to a period and a lap later.
/// After that no list names it: the next one that comes, or the lack of one, has it asked.
pub(super) fn latency(timing: &Timing, nodes: u16) -> Span {
    timing.silence + timing.t * u64::from(nodes) + list_due(timing, nodes) + timing.t * 2
}

/// How long after one list the next one may come: a period, a lap, and what a timer may be late.
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
            asked: BTreeMap::new(),
            absent: NodeSet::EMPTY,
            lap: 0,
            laps: Laps::Others,
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

    /// Sends the list on its way if that is this node's part now: all that outrank it are absent.
    fn take_part(&mut self, acts: &mut Acts) {
        let is_first = self.roster.above(self.me).minus(&self.absent).is_empty();
        match (is_first, &self.laps) {
            (true, Laps::Others) => self.begin_lap(acts),
            (false, Laps::Under | Laps::Round(_)) => {
                self.laps = Laps::Others;
                acts.cancel(Timer::Lap);
            }
            _ => {}
        }
    }

    fn begin_lap(&mut self, acts: &mut Acts) {
        let before = match &self.laps {
            Laps::Round(attended) => *attended,
            Laps::Others | Laps::Under => NodeSet::EMPTY,
        };
        self.lap += 1;
        acts.set(Timer::Lap, self.timing.silence);
        let attended = NodeSet::of(self.me);
        match self.next() {
            Some(next) => {
                self.laps = Laps::Under;
                let list = Attendance { issuer: self.me, lap: self.lap, attended, before };
                acts.send(next, Message::Attendance(Box::new(list)));
            }
            None => {
                self.laps = Laps::Round(attended);
                acts.set(Timer::List, list_due(&self.timing, self.roster.len()));
            }
        }
    }

    /// Whom the list goes to after this node: the next one of the ring that is there.
    fn next(&self) -> Option<NodeId> {
        let there = self.roster.others(self.me).minus(&self.absent);
        there.iter().find(|node| *node > self.me).or(there.iter().next())
    }

    fn take_list(&mut self, mut list: Attendance, acts: &mut Acts) {
        let is_own = list.issuer == self.me;
        if is_own && (list.lap != self.lap || self.laps == Laps::Others) || !is_own && list.attended.contains(self.me) {
            // A lap of the past, or one whose issuer has left the ring: it goes no further.
            return;
        }
        self.absent = self.absent.minus(&list.attended);
        acts.set(Timer::List, list_due(&self.timing, self.roster.len()));
        let named = list.attended.union(&list.before);
        self.ask_each(self.watched.minus(&named), acts);
        if is_own {
            self.laps = Laps::Round(list.attended);
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
                if self.laps == Laps::Under {
                    // The list has been lost on its way: somebody is not there any more.
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
