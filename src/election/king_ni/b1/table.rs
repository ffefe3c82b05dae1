//! The rows of Table 2 (section 5.1); `fx.line` cites the transition. And what the lab adds in `stop`: the master
//! announces itself, and its followers wait 2T for that (it may stop T later, and its word takes T).
//!
//! Invariant: what has no row for the phase changes nothing and sends nothing; 4 and 7 are the process's own death.

use super::super::largest;
use super::{AlgorithmB1, Fx, Hole, Message, Phase, Readiness, Timer};
use protocol::NodeId;

/// Table 2.
impl AlgorithmB1 {
    pub(super) fn on_capacity(&mut self, from: NodeId, capacity: i64, fx: &mut Fx) {
        match self.phase {
            Phase::Normal => {
                self.candidates.insert(from, capacity);
                if fx.capacity() >= 0 {
                    fx.line(2);
                    self.stand(fx);
                } else {
                    fx.line(3);
                }
                self.become_collector(fx);
            }
            Phase::Collect => {
                fx.line(5);
                self.candidates.get_or_insert_with(from, || capacity);
            }
            Phase::Stop | Phase::StopWithoutMaster => {}
        }
    }

    /// Transition 6.
    pub(super) fn on_time_out(&mut self, fx: &mut Fx) {
        if self.phase != Phase::Collect {
            return;
        }
        match largest(self.candidates.iter().map(|(node, capacity)| (*node, *capacity))) {
            Some(master) => {
                fx.line(6);
                self.become_stopped(master, fx);
            }
            None if !self.mends(Hole::H6) => {
                fx.line(6);
                self.phase = Phase::StopWithoutMaster;
                self.master = None;
            }
            None => {
                fx.line(117);
                self.phase = Phase::Normal;
            }
        }
    }

    /// What 1 and 2 have in common: the process's capacity of this moment goes into `S` and to all.
    pub(super) fn stand(&mut self, fx: &mut Fx) {
        self.candidates.insert(self.me, fx.capacity());
        fx.broadcast(Message::Capacity { election: self.election, capacity: fx.capacity() });
    }

    pub(super) fn become_collector(&mut self, fx: &mut Fx) {
        self.phase = Phase::Collect;
        fx.set_timer(Timer::Table, self.t * 2);
    }

    /// Into stop, under this master.
    pub(super) fn become_stopped(&mut self, master: NodeId, fx: &mut Fx) {
        self.phase = Phase::Stop;
        self.master = Some(master);
        if self.mends(Hole::H6) {
            self.readiness = Readiness::Stopped;
            fx.set_timer(Timer::Ready, self.t);
        }
        if master == self.me {
            fx.line(205);
            fx.broadcast(Message::Elected { election: self.election });
            self.watch.lead(fx);
        } else if self.announced == Some(master) {
            fx.line(206);
            self.watch.begin(master, fx);
        } else {
            fx.set_timer(Timer::Elected, self.t * 2);
        }
    }

    /// `elected` of this election: in collect it is remembered, for the master may stop first.
    pub(super) fn hear_master(&mut self, from: NodeId, fx: &mut Fx) {
        match self.phase {
            Phase::Collect => self.announced = Some(from),
            Phase::Stop if self.master == Some(from) && self.announced != Some(from) => {
                fx.line(206);
                self.announced = Some(from);
                fx.cancel_timer(Timer::Elected);
                self.watch.begin(from, fx);
            }
            Phase::Normal | Phase::Stop | Phase::StopWithoutMaster => {}
        }
    }

    /// The master's word is overdue: it died as it was elected. A process that cannot begin an election asks it from
    /// now on.
    pub(super) fn miss_elected(&mut self, fx: &mut Fx) {
        if let (Phase::Stop, Some(master)) = (self.phase, self.master) {
            fx.line(207);
            self.watch.begin(master, fx);
            self.begin(fx);
        }
    }
}
