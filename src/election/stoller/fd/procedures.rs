//! The procedures of figure 1 (Stoller 1997), under the paper's names.
//!
//! Invariant: the status changes in `become_*` only.

use super::{BullyFd, ElectionId, Message, Reading, Said, Stage, line};
use crate::protocol::{Effects, NodeId, NodeSet};

type Fx = Effects<BullyFd>;

fn say(fx: &mut Fx, to: NodeId, said: Said) {
    fx.send(to, Message::Election(said));
}

/// An election of one's own.
impl BullyFd {
    pub(super) fn start_stage_1(&mut self, fx: &mut Fx) {
        fx.line(line::STAGE_1);
        self.become_asking();
        let lesser = self.roster.above(self.me);
        if lesser.is_empty() {
            fx.line(line::STAGE_1_FIRST);
            self.start_stage_2(fx);
        } else {
            fx.line(line::STAGE_1_WATCH);
            self.detector.start(lesser);
        }
    }

    fn start_stage_2(&mut self, fx: &mut Fx) {
        fx.line(line::STAGE_2);
        self.become_halting();
        self.continue_stage_2(fx);
    }

    fn continue_stage_2(&mut self, fx: &mut Fx) {
        let left = self.roster.below(self.pending_ack);
        match self.roster.rank().first_of(&left) {
            Some(next) => {
                fx.line(line::CONTINUE_HALT);
                self.pending_ack = next;
                self.detector.start(NodeSet::of(next));
                say(fx, next, Said::Halt { election: self.election });
            }
            None => {
                fx.line(line::CONTINUE_LEAD);
                self.become_leader();
                let election = self.election;
                self.acks.iter().for_each(|node| say(fx, node, Said::Ldr { election }));
                if self.reading == Reading::Mended {
                    fx.line(line::MEND_10_STOP);
                    self.detector.stop(self.roster.others(self.me));
                }
            }
        }
    }

    pub(super) fn ack(&mut self, from: NodeId, election: ElectionId, fx: &mut Fx) {
        if self.status == Stage::Elec2 && election == self.election && from == self.pending_ack {
            fx.line(line::ACK);
            self.acks.insert(from);
            self.continue_stage_2(fx);
        } else {
            fx.line(line::ACK_IGNORED);
        }
    }
}

/// An election of another.
impl BullyFd {
    pub(super) fn halt(&mut self, from: NodeId, election: ElectionId, fx: &mut Fx) {
        let is_meant = election.starter == from && self.roster.outranks(from, self.me);
        let is_mended = self.reading == Reading::Mended;
        if is_mended && !is_meant {
            fx.line(line::MEND_8_NO_HALT);
        } else if is_mended && self.stable.obeyed.get(&from) == Some(&election) {
            fx.line(line::MEND_9_OBEYED);
            say(fx, from, Said::Ack { election });
        } else {
            fx.line(line::HALT);
            self.down.remove(from);
            self.detector.start(NodeSet::of(from));
            self.become_halted(election);
            if is_mended {
                self.stable.obeyed.insert(from, election);
                fx.save(self.stable.clone());
            }
            say(fx, from, Said::Ack { election });
        }
    }

    pub(super) fn ldr(&mut self, from: NodeId, election: ElectionId, fx: &mut Fx) {
        if self.status == Stage::Wait && election == self.election {
            fx.line(line::LDR);
            self.become_member_of(from);
            self.detector.stop(self.roster.others(self.me));
            self.detector.start(NodeSet::of(from));
        } else {
            fx.line(line::LDR_IGNORED);
        }
    }
}

/// Failures, and what was missed.
impl BullyFd {
    pub(super) fn down_sig(&mut self, node: NodeId, fx: &mut Fx) {
        if self.roster.outranks(node, self.me) {
            self.down.insert(node);
            let waits_for_it = match self.status {
                Stage::Norm => self.leader == Some(node),
                Stage::Wait => self.election.starter == node,
                Stage::Elec1 | Stage::Elec2 => false,
            };
            let lesser_are_down = self.roster.above(self.me).minus(&self.down).is_empty();
            if waits_for_it {
                fx.line(line::DOWN_LEADER);
                self.start_stage_1(fx);
            } else if self.status == Stage::Elec1 && lesser_are_down {
                fx.line(line::DOWN_LESSER);
                self.start_stage_2(fx);
            } else {
                fx.line(line::DOWN_NOTED);
            }
        } else if self.status == Stage::Elec2 && node == self.pending_ack {
            fx.line(line::DOWN_PENDING);
            self.continue_stage_2(fx);
        } else {
            fx.line(line::DOWN_GREATER);
        }
    }

    pub(super) fn periodically(&mut self, fx: &mut Fx) {
        let election = self.election;
        if self.leads() {
            fx.line(line::PERIOD);
            let greater = self.roster.below(self.me);
            greater.iter().for_each(|node| say(fx, node, Said::IsNorm { election }));
            self.detector.shown_to(greater);
        } else if self.status == Stage::Elec2 && self.reading == Reading::Mended {
            fx.line(line::MEND_1_HALT_AGAIN);
            say(fx, self.pending_ack, Said::Halt { election });
        }
    }

    pub(super) fn is_norm(&mut self, from: NodeId, election: ElectionId, fx: &mut Fx) {
        self.detector.shown_by(from);
        let belongs = self.leader == Some(from) && self.election == election;
        if self.status != Stage::Norm {
            fx.line(line::IS_NORM_NOT);
        } else if self.reading == Reading::Mended && !belongs {
            fx.line(line::MEND_7_OTHER_LEADER);
        } else {
            fx.line(line::IS_NORM);
            return;
        }
        say(fx, from, Said::NotNorm { election });
    }

    pub(super) fn not_norm(&mut self, election: ElectionId, fx: &mut Fx) {
        if self.leads() && election == self.election {
            fx.line(line::NOT_NORM);
            self.start_stage_1(fx);
        } else {
            fx.line(line::NOT_NORM_IGNORED);
        }
    }

    fn leads(&self) -> bool {
        self.status == Stage::Norm && self.leader == Some(self.me)
    }
}

/// How the state changes.
impl BullyFd {
    fn become_asking(&mut self) {
        self.status = Stage::Elec1;
        self.election =
            ElectionId { starter: self.me, incarnation: self.stable.incarnation, sequence: self.next_election };
        self.next_election += 1;
        self.down = NodeSet::EMPTY;
    }

    fn become_halting(&mut self) {
        self.status = Stage::Elec2;
        self.acks = NodeSet::EMPTY;
        self.pending_ack = self.me;
    }

    fn become_leader(&mut self) {
        self.leader = Some(self.me);
        self.status = Stage::Norm;
    }

    fn become_halted(&mut self, election: ElectionId) {
        self.election = election;
        self.status = Stage::Wait;
    }

    fn become_member_of(&mut self, leader: NodeId) {
        self.leader = Some(leader);
        self.status = Stage::Norm;
    }
}
