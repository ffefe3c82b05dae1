//! The procedures of figure 3 (Stoller 1997), under the paper's names.
//!
//! Invariant: the status changes in `become_*` only.

use super::{AsynchronousBully, ElectionId, Message, Reading, Said, Stage, line};
use crate::protocol::{Effects, NodeId, NodeSet};

type Fx = Effects<AsynchronousBully>;

fn say(fx: &mut Fx, to: NodeId, said: Said) {
    fx.send(to, Message::Election(said));
}

/// An election of one's own.
impl AsynchronousBully {
    pub(super) fn start_stage_2(&mut self, fx: &mut Fx) {
        fx.line(line::STAGE_2);
        self.detector.play_alive();
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

    pub(super) fn rej(&mut self, from: NodeId, election: ElectionId, fx: &mut Fx) {
        let is_awaited = self.status == Stage::Elec2 && from == self.pending_ack;
        if is_awaited && self.reading == Reading::Mended && election != self.election {
            fx.line(line::MEND_6_STALE_REJ);
        } else if is_awaited {
            fx.line(line::REJ);
            self.continue_stage_2(fx);
        } else {
            fx.line(line::REJ_IGNORED);
        }
    }
}

/// An election of another.
impl AsynchronousBully {
    /// A Halt that comes again is one like any other, and hole 9 is figure 1's alone: a node refuses it under a better
    /// leader, and in Norm ldr is the starter of elid, to whichever election the node goes back.
    pub(super) fn halt(&mut self, from: NodeId, election: ElectionId, fx: &mut Fx) {
        let is_meant = election.starter == from && self.roster.outranks(from, self.me);
        if self.reading == Reading::Mended && !is_meant {
            fx.line(line::MEND_8_NO_HALT);
            return;
        }
        let better = match self.status {
            Stage::Norm => self.leader,
            Stage::Wait => Some(self.election.starter),
            Stage::Elec1 | Stage::Elec2 => None,
        };
        if better.is_some_and(|better| self.roster.outranks(better, from)) {
            fx.line(line::HALT_REFUSED);
            fx.send(from, Message::Rej { election });
        } else {
            fx.line(line::HALTING);
            self.detector.play_dead(self.roster.below(self.me));
            self.detector.start(NodeSet::of(from));
            self.become_halted(election);
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
impl AsynchronousBully {
    pub(super) fn down_sig(&mut self, node: NodeId, fx: &mut Fx) {
        let waits_for_it = match self.status {
            Stage::Norm => self.leader == Some(node),
            Stage::Wait => self.election.starter == node,
            Stage::Elec1 | Stage::Elec2 => false,
        };
        if waits_for_it {
            fx.line(line::DOWN_LEADER);
            self.start_stage_2(fx);
        } else if self.status == Stage::Elec2 && node == self.pending_ack {
            fx.line(line::DOWN_PENDING);
            self.continue_stage_2(fx);
        } else {
            fx.line(line::DOWN_OTHER);
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
        let starter = self.election.starter;
        let is_mended = self.reading == Reading::Mended;
        let line = match self.status {
            Stage::Norm if self.leader.is_some_and(|leader| self.roster.outranks(from, leader)) => line::IS_NORM_BETTER,
            Stage::Norm if is_mended && self.leader == Some(from) && election != self.election => {
                line::MEND_4_OLDER_ELECTION
            }
            Stage::Norm => line::IS_NORM,
            _ if self.roster.outranks(from, starter) => line::IS_NORM_NOT,
            _ if is_mended && from == starter => line::MEND_3_OWN_STARTER,
            _ => line::IS_NORM,
        };
        fx.line(line);
        if line != line::IS_NORM {
            say(fx, from, Said::NotNorm { election });
        }
    }

    pub(super) fn not_norm(&mut self, election: ElectionId, fx: &mut Fx) {
        if self.leads() && election == self.election {
            fx.line(line::NOT_NORM);
            self.start_stage_2(fx);
        } else {
            fx.line(line::NOT_NORM_IGNORED);
        }
    }

    fn leads(&self) -> bool {
        self.status == Stage::Norm && self.leader == Some(self.me)
    }
}

/// How the state changes.
impl AsynchronousBully {
    fn become_halting(&mut self) {
        self.election = ElectionId { starter: self.me, incarnation: self.incarnation, sequence: self.next_election };
        self.next_election += 1;
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
