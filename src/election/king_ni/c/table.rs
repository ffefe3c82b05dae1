//! The rows of Tables 4a and 4b (section 6), by the phase in which they stand; `fx.line` cites the transition.
//!
//! Invariant: what has no row for the phase changes nothing and sends nothing; `dup` goes out at 9, 12 and 19 and
//! where a mend says so, never at 10, 13 and 20.

use super::candidates::HeardFrom;
use super::phase::Phase;
use super::{AlgorithmC, Early, Fx, Hole, Message, Name};
use protocol::{NodeId, NodeSet};

/// What comes in, phase by phase.
impl AlgorithmC {
    pub(super) fn on_init(&mut self, from: NodeId, capacity: i64, fx: &mut Fx) {
        match self.phase {
            Phase::Normal if fx.capacity() >= 0 => {
                fx.line(2);
                self.candidates.add(from);
                self.candidates.learn(from, capacity, HeardFrom::Itself);
                self.become_collector(fx);
            }
            Phase::Normal => {
                fx.line(3);
                self.become_waiting(Phase::Wait1, Some(5), fx);
            }
            Phase::Coll1 => {
                fx.line(6);
                self.candidates.add(from);
                self.candidates.learn(from, capacity, HeardFrom::Itself);
            }
            Phase::Coll2 | Phase::Coll3 | Phase::Master => self.hear_late_init(from, capacity, fx),
            _ => {}
        }
    }

    pub(super) fn on_elected(&mut self, announcer: Name, round: u32, fx: &mut Fx) {
        let age = self.take_round(round, fx);
        self.learn(&[announcer], HeardFrom::Itself, fx);
        let node = announcer.node;
        let Some(age) = age else { return self.hear_final_of_earlier_round(node, fx) };
        match self.phase {
            Phase::Normal => {
                fx.line(4);
                self.become_follower(node, Some(3), fx);
            }
            Phase::Coll1 => self.remember(NodeSet::of(node), NodeSet::EMPTY, fx),
            Phase::Coll2 | Phase::Coll3 => {
                if age == Age::Current || self.stands_against(node, fx) {
                    fx.line(if self.phase == Phase::Coll2 { 9 } else { 12 });
                    self.rival(node, fx);
                }
            }
            Phase::Wait1 | Phase::Wait2 | Phase::Wait3 if age == Age::Later => {
                fx.line(103);
                self.become_follower(node, Some(3), fx);
            }
            Phase::Wait1 => {
                fx.line(16);
                self.become_follower(node, None, fx);
            }
            Phase::Wait2 => match self.master {
                Some(master) if master != node => {
                    fx.line(19);
                    self.broadcast_dup(master, node, fx);
                    self.become_waiting(Phase::Wait3, None, fx);
                }
                _ => {}
            },
            Phase::Wait3 => {}
            Phase::Master | Phase::Stop | Phase::Help => self.hear_final_elected(node, age, fx),
        }
    }

    pub(super) fn on_dup(&mut self, k: Name, l: Name, round: u32, fx: &mut Fx) {
        let Some(age) = self.take_round(round, fx) else { return };
        self.learn(&[k, l], HeardFrom::Another, fx);
        let pair: NodeSet = [k.node, l.node].into_iter().collect();
        match self.phase {
            Phase::Normal => {
                fx.line(5);
                self.become_waiting(Phase::Wait3, Some(3), fx);
            }
            Phase::Coll1 => self.remember(NodeSet::EMPTY, pair, fx),
            Phase::Coll2 => {
                fx.line(10);
                self.add(pair);
                self.phase = Phase::Coll3;
            }
            Phase::Coll3 => {
                fx.line(13);
                self.add(pair);
            }
            Phase::Wait2 | Phase::Wait3 if age == Age::Later => {
                fx.line(113);
                self.become_waiting(Phase::Wait3, Some(2), fx);
            }
            Phase::Wait1 => {
                fx.line(17);
                self.become_waiting(Phase::Wait3, Some(2), fx);
            }
            Phase::Wait2 => {
                fx.line(20);
                self.become_waiting(Phase::Wait3, None, fx);
            }
            Phase::Wait3 => {}
            Phase::Master | Phase::Stop | Phase::Help => self.hear_final_dup(pair, fx),
        }
    }

    pub(super) fn on_time_out(&mut self, fx: &mut Fx) {
        match self.phase {
            Phase::Coll1 => self.end_coll1(fx),
            Phase::Coll2 => {
                fx.line(11);
                self.become_master(fx);
            }
            Phase::Coll3 if self.candidates.is_max(self.me) => {
                fx.line(14);
                self.announce_again(fx);
            }
            Phase::Coll3 => {
                fx.line(15);
                self.become_waiting(Phase::Wait1, Some(3), fx);
            }
            Phase::Wait1 => self.end_wait1(fx),
            Phase::Wait2 => {
                fx.line(21);
                self.become_stopped(fx);
            }
            Phase::Wait3 => {
                fx.line(22);
                self.become_waiting(Phase::Wait1, Some(3), fx);
            }
            Phase::Normal => self.ask_at_start(fx),
            Phase::Master | Phase::Stop | Phase::Help => {}
        }
    }

    /// Transitions 7 and 8, and what the mend of hole 2 makes of them when an announcement has come already.
    fn end_coll1(&mut self, fx: &mut Fx) {
        let Early { announcers, duplicated } = std::mem::take(&mut self.early);
        self.add(announcers.union(&duplicated));
        if self.candidates.is_max(self.me) {
            fx.line(8);
            self.become_announcer(fx);
            if !(announcers.is_empty() && duplicated.is_empty()) {
                fx.line(112);
                self.add(announcers.union(&duplicated));
                for announcer in announcers.iter() {
                    self.broadcast_dup(self.me, announcer, fx);
                }
                self.phase = Phase::Coll3;
            }
            return;
        }
        let mut heard = announcers.iter();
        match (heard.next(), heard.next()) {
            (None, _) if duplicated.is_empty() => {
                fx.line(7);
                self.become_waiting(Phase::Wait1, Some(3), fx);
            }
            (Some(announcer), None) if duplicated.is_empty() => {
                fx.line(122);
                self.become_follower(announcer, Some(3), fx);
            }
            (first, second) => {
                fx.line(132);
                if let (Some(k), Some(l), true) = (first, second, duplicated.is_empty()) {
                    self.broadcast_dup(k, l, fx);
                }
                self.become_waiting(Phase::Wait3, Some(3), fx);
            }
        }
    }

    /// What 9 and 12 do.
    fn rival(&mut self, node: NodeId, fx: &mut Fx) {
        self.candidates.add(node);
        self.broadcast_dup(self.me, node, fx);
        self.phase = Phase::Coll3;
    }

    pub(super) fn add(&mut self, nodes: NodeSet) {
        for node in nodes.iter() {
            self.candidates.add(node);
        }
    }

    /// Mend of hole 2; to the letter coll1 has no row for these.
    fn remember(&mut self, announcers: NodeSet, duplicated: NodeSet, fx: &mut Fx) {
        if self.mends(Hole::H2) {
            fx.line(102);
            self.early.announcers = self.early.announcers.union(&announcers);
            self.early.duplicated = self.early.duplicated.union(&duplicated);
        }
    }

    /// Mend of hole 3: how a message's round compares with the latest one, which it becomes; `None` for an earlier one.
    fn take_round(&mut self, round: u32, fx: &mut Fx) -> Option<Age> {
        if !self.mends(Hole::H3) || round == self.round {
            return Some(Age::Current);
        }
        if round < self.round {
            fx.line(123);
            return None;
        }
        self.round = round;
        // Messages that came in coll1 of an earlier round are out of date.
        self.early = Early::default();
        Some(Age::Later)
    }

    /// Mend of hole 4.
    fn learn(&mut self, names: &[Name], source: HeardFrom, fx: &mut Fx) {
        if !self.mends(Hole::H4) {
            return;
        }
        for name in names {
            if let Some(capacity) = name.capacity
                && self.candidates.learn(name.node, capacity, source)
            {
                fx.line(104);
            }
        }
    }

    pub(super) fn name(&self, node: NodeId) -> Name {
        let capacity = self.candidates.capacity(node).filter(|_| self.mends(Hole::H4));
        Name { node, capacity }
    }

    pub(super) fn broadcast_dup(&self, k: NodeId, l: NodeId, fx: &mut Fx) {
        let (k, l) = (self.name(k), self.name(l));
        fx.broadcast(Message::Dup { election: self.election, round: self.round, k, l });
    }
}

/// How a message's round compares with the latest one.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
pub(super) enum Age {
    Current,
    Later,
}
