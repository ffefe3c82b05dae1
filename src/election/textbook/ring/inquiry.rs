//! The inquiry that goes round to the coordinator: how a process that is back learns who coordinates, and how all
//! notice that the coordinator has failed.
//!
//! With the corrections, a coordinator also sends inquiries. Of two coordinators, the one of the later election stays,
//! and if both are of the same election, the larger (hole 5): it answers the other one's inquiry, and the other's reply
//! never reaches it. The one that stays may be the smaller of the two. The textbook also allows a coordinator that is
//! smaller than a process that came back: that one inquires and follows. The largest of all has its turn at the next
//! election, which nobody holds while there is a coordinator.
//!
//! Invariant: an inquiry is open until it is answered, comes back to its sender, times out, or its process joins an
//! election.

use std::collections::VecDeque;

use super::{Fx, Hole, Phase, Ring, RingPayload, card as line};
use crate::king_ni::ElectionNumber;
use protocol::{CallNumber, NodeId, NodeMap, NodeSet};

/// The most inquiries of another process that are remembered: more than can be on their way at once, since each goes
/// round once, and the next one waits for it or for its reply.
const PASSED_MAX: usize = 64;

/// The inquiries of other processes that were in hand here, or the replies to them.
#[derive(Clone, Default, Eq, PartialEq, Hash, Debug)]
pub(super) struct SeenInquiries {
    /// By the process that inquires, the latest first; each with the check periods for which it is still remembered.
    of: NodeMap<VecDeque<(CallNumber, u32)>>,
}

impl SeenInquiries {
    /// Remembers the inquiry for this many check periods. True if it was remembered before.
    fn had(&mut self, of: NodeId, call: CallNumber, checks: u32) -> bool {
        let passed = self.of.get_or_default(of);
        if passed.iter().any(|(other, _)| *other == call) {
            return true;
        }
        passed.truncate(PASSED_MAX - 1);
        passed.push_front((call, checks));
        false
    }

    /// A check period is over.
    pub fn grow_older(&mut self) {
        for passed in self.of.values_mut() {
            passed.retain_mut(|(_, checks)| {
                *checks = checks.saturating_sub(1);
                *checks > 0
            });
        }
    }
}

/// An inquiry on its way.
#[derive(Copy, Clone)]
pub(super) struct Inquiry {
    pub of: NodeId,
    pub call: CallNumber,
    pub election: ElectionNumber,
    pub after: Option<NodeId>,
    pub hops: u16,
}

/// A reply on its way.
#[derive(Copy, Clone)]
pub(super) struct Reply {
    pub of: NodeId,
    pub call: CallNumber,
    pub coordinator: NodeId,
    pub election: ElectionNumber,
    pub hops: u16,
}

impl Ring {
    pub(super) fn inquire(&mut self, fx: &mut Fx) {
        fx.line(line::INQUIRE);
        let call = self.numbers.give_out();
        let (election, after) = (self.election, self.coordinator());
        self.inquiry = Some(call);
        self.await_return(fx);
        self.send_right(RingPayload::Inquiry { of: self.me, call, election, after, hops: self.roster.len() }, fx);
    }

    /// A check period is over.
    pub(super) fn check(&mut self, fx: &mut Fx) {
        let asks = match self.phase {
            Phase::Normal(coordinator) => coordinator != self.me || self.mends(Hole::H5),
            Phase::Recovering | Phase::Election => false,
        };
        if asks && self.inquiry.is_none() {
            self.inquire(fx);
        }
    }

    pub(super) fn on_inquiry(&mut self, inquiry: Inquiry, fx: &mut Fx) {
        let Inquiry { of, call, election, after, hops } = inquiry;
        if of == self.me {
            return self.on_own_inquiry(call, fx);
        }
        if self.is_copy(of, call, fx) {
            return;
        }
        let coordinates = self.coordinator() == Some(self.me);
        let is_outranked = self.mends(Hole::H5) && (self.election, Some(self.me)) < (election, after);
        if coordinates && !is_outranked {
            fx.line(line::INQUIRY_ANSWERED);
            let (coordinator, election) = (self.me, self.election);
            return self
                .send_right(RingPayload::Reply { of, call, coordinator, election, hops: self.roster.len() }, fx);
        }
        let line = if coordinates { line::OUTRANKED } else { line::INQUIRY_PASSED };
        let passed = |hops| RingPayload::Inquiry { of, call, election, after, hops };
        self.pass_once(hops, line, passed, fx);
    }

    pub(super) fn on_reply(&mut self, reply: Reply, fx: &mut Fx) {
        let Reply { of, call, coordinator, election, hops } = reply;
        if of != self.me {
            if self.is_copy(of, call, fx) {
                return;
            }
            let passed = |hops| RingPayload::Reply { of, call, coordinator, election, hops };
            return self.pass_once(hops, line::REPLY_PASSED, passed, fx);
        }
        // No other process can say that this one coordinates.
        let is_later = election >= self.election && coordinator != self.me;
        if self.inquiry != Some(call) || !is_later {
            return;
        }
        fx.line(line::TOLD);
        self.inquiry = None;
        self.forget_return(fx);
        if election > self.election {
            self.election = election;
            self.list = NodeSet::EMPTY;
        }
        self.phase = Phase::Normal(coordinator);
    }

    fn on_own_inquiry(&mut self, call: CallNumber, fx: &mut Fx) {
        if self.inquiry != Some(call) {
            return;
        }
        self.inquiry = None;
        self.forget_return(fx);
        if self.coordinator() == Some(self.me) {
            fx.line(line::STILL_MINE);
        } else {
            fx.line(line::UNANSWERED);
            self.start_election(fx);
        }
    }

    /// Hole 3: what this process has sent round was swallowed.
    pub(super) fn miss_return(&mut self, fx: &mut Fx) {
        if self.phase == Phase::Election {
            fx.line(line::SWALLOWED);
            self.start_election(fx);
        } else if self.inquiry.take().is_some() && self.coordinator() != Some(self.me) {
            fx.line(line::INQUIRY_SWALLOWED);
            self.start_election(fx);
        }
    }

    /// Hole 2: a message that has visited every process has no receiver left. What is here again is a copy, made where
    /// a receipt was missed; if copies of copies went on, one inquiry could fill the ring.
    fn pass_once(&mut self, hops: u16, line: u16, load: impl FnOnce(u16) -> RingPayload, fx: &mut Fx) {
        if !self.mends(Hole::H1) {
            fx.line(line);
            self.send_right(load(hops), fx);
        } else if hops <= 1 {
            fx.line(line::SPENT);
        } else {
            fx.line(line);
            self.send_right(load(hops.min(self.roster.len()) - 1), fx);
        }
    }

    /// Whether this process has had an inquiry of that number, or the reply to it, in hand before. It must remember
    /// more than one inquiry: copies of two alternating ones would circulate and multiply without end. A message with a
    /// smaller number is not always a copy: the larger number may have come from a corrupted message. For the same
    /// reason the inquiry is forgotten when no copy can be under way: a later inquiry may bear its number.
    fn is_copy(&mut self, of: NodeId, call: CallNumber, fx: &mut Fx) -> bool {
        if !self.mends(Hole::H1) {
            return false;
        }
        // The check period that is running may be over at once.
        let checks = self.checks_a_lap().saturating_add(1);
        let had = self.passed.had(of, call, checks);
        if had {
            fx.line(line::COPY);
        }
        had
    }
}
