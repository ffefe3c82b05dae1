//! The rows of Table 3 (section 5.2); `fx.line` cites the transition. And what the mends of holes 1, 8, 10 and 11
//! change in them: inits and lists count from the first init of the election to its end, the first of each sender only.
//!
//! Invariant: what has no row for the phase changes nothing and sends nothing; 4, 7, 10 and 11 are the process's own
//! death.

use super::{AlgorithmB2, Decision, Fx, Hole, List, Message, Phase, WalkedList, el};
use protocol::NodeId;

/// Table 3.
impl AlgorithmB2 {
    pub(super) fn on_init(&mut self, from: NodeId, capacity: i64, fx: &mut Fx) {
        if self.succession.mends(Hole::H11) && self.candidates.iter().any(|(node, _)| *node == from) {
            fx.line(111);
            return;
        }
        match self.phase {
            Phase::Normal => {
                self.candidates = vec![(from, capacity)];
                if fx.capacity() >= 0 {
                    fx.line(2);
                    self.broadcast_init(fx);
                } else {
                    fx.line(3);
                }
                self.become_collector(fx);
            }
            Phase::Coll1 => {
                fx.line(5);
                self.candidates.push((from, capacity));
            }
            Phase::Coll2 if self.succession.mends(Hole::H10) => {
                fx.line(110);
                self.candidates.push((from, capacity));
            }
            Phase::Coll2 | Phase::Stop | Phase::StopWithoutMaster => {}
        }
    }

    /// Transition 8.
    pub(super) fn on_vect(&mut self, from: NodeId, list: List, fx: &mut Fx) {
        let is_in_time = match self.phase {
            Phase::Coll2 => true,
            Phase::Coll1 => self.succession.mends(Hole::H1),
            Phase::Normal | Phase::Stop | Phase::StopWithoutMaster => false,
        };
        if !is_in_time {
            return;
        }
        if self.succession.mends(Hole::H8) && self.candidates.is_empty() {
            fx.line(108);
            return;
        }
        let mut list = list;
        if self.succession.mends(Hole::H11) {
            list = list.cut_to(&self.candidates);
            if list.is_empty() || self.lists.iter().any(|(node, _)| *node == from) {
                fx.line(111);
                return;
            }
        }
        fx.line(if self.phase == Phase::Coll1 { 101 } else { 8 });
        self.lists.push((from, list));
    }

    pub(super) fn on_time_out(&mut self, fx: &mut Fx) {
        match self.phase {
            Phase::Coll1 => {
                fx.line(6);
                self.phase = Phase::Coll2;
                let list = List::of(&self.candidates, self.form);
                fx.broadcast(Message::Vect { election: self.succession.election(), list });
                fx.set_timer(super::Timer::Table, self.t * 2);
            }
            Phase::Coll2 => self.decide(fx),
            Phase::Normal | Phase::Stop | Phase::StopWithoutMaster => {}
        }
    }

    /// Transition 9.
    fn decide(&mut self, fx: &mut Fx) {
        let walk = if self.succession.mends(Hole::H9) { WalkedList::LongestList } else { WalkedList::OwnList };
        let Decision { line, elected } = el(&self.candidates, &self.lists, self.enough, walk);
        fx.line(if elected.is_none() && self.succession.mends(Hole::H6) { 117 } else { 9 });
        if walk == WalkedList::LongestList && self.lists.len() >= self.enough {
            fx.line(109);
        }
        fx.line(line);
        match elected {
            Some((master, list)) => {
                self.decided = Some(list.to_vec());
                self.become_stopped(master, fx);
            }
            None if !self.succession.mends(Hole::H6) => {
                self.phase = Phase::StopWithoutMaster;
                self.succession.elect_nobody();
            }
            None => {
                self.phase = Phase::Normal;
                self.succession.elect_nobody();
                if !self.opens_kept(fx) && self.lists.len() < self.enough {
                    self.become_asking(fx);
                }
            }
        }
    }

    /// Too few lists: either the others are in another election, and tell how that ended; or more than t are down,
    /// nobody can be elected, and only the operator can help.
    fn become_asking(&mut self, fx: &mut Fx) {
        let (came, enough) = (self.lists.len(), self.enough);
        fx.help(format!(
            "only {came} of the {enough} lists came that n-t asks for: more than t processes are down or have just \
             started; recover them, or raise `t`, and order an election"
        ));
        self.succession.ask_again(fx);
    }

    /// Sends its capacity of this moment to all.
    pub(super) fn broadcast_init(&mut self, fx: &mut Fx) {
        self.succession.stand(fx.capacity());
        fx.broadcast(Message::Init { election: self.succession.election(), capacity: fx.capacity() });
    }

    pub(super) fn become_collector(&mut self, fx: &mut Fx) {
        self.phase = Phase::Coll1;
        fx.set_timer(super::Timer::Table, self.t * 2);
    }

    /// Into stop, under this master.
    pub(super) fn become_stopped(&mut self, master: NodeId, fx: &mut Fx) {
        self.phase = Phase::Stop;
        self.succession.stop(master, fx);
    }
}
