//! The phases of Tables 4a and 4b, and what a process does as it enters one.
//!
//! Invariant: the table's timer is set by those rows alone that set it in the paper; the others leave it running.

use super::candidates::HeardFrom;
use super::{AlgorithmC, Fx, Hole, Message, Timer};
use protocol::{Course, NodeId, Status};

protocol::worded! {
    /// A phase of Tables 4a and 4b.
    #[derive(Copy, Clone, Eq, PartialEq, Hash, Debug)]
    pub(super) enum Phase {
        Normal = "normal",
        Coll1 = "coll1",
        Coll2 = "coll2",
        Coll3 = "coll3",
        Wait1 = "wait1",
        Wait2 = "wait2",
        Wait3 = "wait3",
        Master = "master",
        Stop = "stop",
        Help = "help",
    }
}

impl Phase {
    pub(super) fn is_final(self) -> bool {
        matches!(self, Phase::Master | Phase::Stop | Phase::Help)
    }

    pub(super) fn status(self) -> Status {
        match self {
            Phase::Normal => Status::Down,
            Phase::Master | Phase::Stop => Status::Normal,
            _ => Status::Election,
        }
    }

    pub(super) fn course(self) -> Course {
        match self {
            Phase::Normal => Course::Idle,
            Phase::Master | Phase::Stop => Course::AtRest,
            Phase::Help => Course::Help,
            _ => Course::Electing,
        }
    }
}

/// The phases, as they are entered.
impl AlgorithmC {
    /// 1 and 2: into coll1, with the capacity of this moment.
    pub(super) fn become_collector(&mut self, fx: &mut Fx) {
        let capacity = fx.capacity();
        self.candidates.add(self.me);
        self.candidates.learn(self.me, capacity, HeardFrom::Itself);
        self.phase = Phase::Coll1;
        self.stands_with = Some(capacity);
        fx.broadcast(Message::Init { election: self.election, capacity });
        fx.set_timer(Timer::Table, self.t * 2);
    }

    /// 8 and 14: into coll2.
    pub(super) fn become_announcer(&mut self, fx: &mut Fx) {
        self.watch.rest(fx);
        self.candidates.reset_to(self.me);
        self.phase = Phase::Coll2;
        self.announcements = self.announcements.saturating_add(1);
        let capacity = self.name(self.me).capacity;
        fx.broadcast(Message::Elected { election: self.election, round: self.round, capacity });
        fx.set_timer(Timer::Table, self.t * 3);
    }

    /// 14: into coll2 again, with a new round when mended.
    pub(super) fn announce_again(&mut self, fx: &mut Fx) {
        self.round = self.round.saturating_add(u32::from(self.mends(Hole::H3)));
        self.become_announcer(fx);
    }

    /// From master into coll3, for the round's 3T.
    pub(super) fn become_contender(&mut self, fx: &mut Fx) {
        self.watch.rest(fx);
        self.phase = Phase::Coll3;
        fx.set_timer(Timer::Table, self.t * 3);
    }

    /// Into wait2, behind this master. Without a number of T the running timer is left alone.
    pub(super) fn become_follower(&mut self, master: NodeId, timer: Option<u64>, fx: &mut Fx) {
        self.master = Some(master);
        self.become_waiting(Phase::Wait2, timer, fx);
    }

    /// Into a waiting phase. Without a number of T the running timer is left alone.
    pub(super) fn become_waiting(&mut self, phase: Phase, timer: Option<u64>, fx: &mut Fx) {
        self.watch.rest(fx);
        self.asked = 0;
        self.phase = phase;
        if let Some(times) = timer {
            fx.set_timer(Timer::Table, self.t * times);
        }
    }

    pub(super) fn become_master(&mut self, fx: &mut Fx) {
        self.master = Some(self.me);
        self.phase = Phase::Master;
        self.watch.lead(fx);
    }

    pub(super) fn become_stopped(&mut self, fx: &mut Fx) {
        self.phase = Phase::Stop;
        if let Some(master) = self.master {
            self.watch.begin(master, fx);
        }
    }

    pub(super) fn become_helpless(&mut self, fx: &mut Fx) {
        self.phase = Phase::Help;
        fx.help("no master has announced itself in time, or none was heard; order a new election");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use protocol::Algorithm;

    #[test]
    fn the_card_lists_the_words_of_all_phases() {
        let (waits, ends) = ([Phase::Wait1, Phase::Wait2, Phase::Wait3], [Phase::Master, Phase::Stop, Phase::Help]);
        let begins = [Phase::Normal, Phase::Coll1, Phase::Coll2, Phase::Coll3];
        let words: Vec<&str> = begins.into_iter().chain(waits).chain(ends).map(Phase::word).collect();
        assert_eq!(AlgorithmC::CARD.words, words);
    }
}
