//! How a message comes to the right neighbour, and past a dead one (of which the page says nothing).
//!
//! The page's links are unidirectional, and only receipts go left. Only a missing answer tells that a neighbour has
//! failed, and an answer on the ring's own way would also be missing because of any dead process between here and
//! there. A receipt names its hand-over and carries nothing of an election.
//!
//! Every hand-over has a receipt. If none comes for T, the neighbour counts as dead, and all messages without a receipt
//! go to the next one, in the order in which they were to be sent. When nothing waits, the next message is tried at the
//! neighbour again: it may be back. On a busy ring something always waits. So when a message comes that a passed-over
//! process has sent, the next messages wait for the receipts, and then are tried at the neighbour. If they went there
//! at once, they could overtake what goes past it. The same happens when a neighbour has been passed over for nT: what
//! it sends may end at the others, as an elect of an earlier election does.
//!
//! Invariant: of what waits for a receipt, all has been sent to one neighbour, in order; the timer runs while anything
//! waits, and it is the oldest's.

use std::collections::VecDeque;

use super::{Fx, Hole, Message, Ring, RingPayload, Timer, card as line};
use protocol::{CallNumber, NodeId, NodeSet};

/// What waits for a receipt.
#[derive(Clone, Eq, PartialEq, Hash, Debug)]
pub(super) struct UnacknowledgedMessages {
    waiting: VecDeque<(CallNumber, RingPayload)>,
    /// The neighbour whose receipts it waits for.
    neighbour: NodeId,
    /// What waits until all receipts have come, because a process that was passed over is up or may be.
    held: Option<VecDeque<RingPayload>>,
    /// For how many check periods it has passed a neighbour over.
    checks: u32,
}

impl UnacknowledgedMessages {
    /// Nothing waits; the first message goes to this neighbour.
    pub fn nothing(neighbour: NodeId) -> UnacknowledgedMessages {
        UnacknowledgedMessages { waiting: VecDeque::new(), neighbour, held: None, checks: 0 }
    }

    fn len(&self) -> usize {
        self.waiting.len() + self.held.as_ref().map_or(0, VecDeque::len)
    }

    /// The node whose silence the timer of receipts tells.
    pub fn silent(&self) -> NodeSet {
        if self.waiting.is_empty() { NodeSet::EMPTY } else { NodeSet::of(self.neighbour) }
    }
}

impl Ring {
    /// The node behind this one on the ring: the next number, and after the last one the first.
    pub(super) fn right_of(&self, node: NodeId) -> NodeId {
        self.roster.above(node).iter().next().or_else(|| self.roster.all().iter().next()).expect("a roster has nodes")
    }

    /// Sends this to the right. Hole 2: copies must not fill the ring, as they could where receipts are garbled and
    /// each copy is another one.
    pub(super) fn send_right(&mut self, load: RingPayload, fx: &mut Fx) {
        if self.mends(Hole::H1) && self.in_hand.len() >= self.in_hand_max() {
            fx.line(line::FULL);
            return;
        }
        if let Some(held) = &mut self.in_hand.held {
            return held.push_back(load);
        }
        if self.in_hand.waiting.is_empty() {
            self.in_hand.neighbour = self.right_of(self.me);
            self.in_hand.checks = 0;
            if self.in_hand.neighbour == self.me {
                return self.come_round(load, fx);
            }
            fx.set_timer(Timer::Receipt, self.timing.t);
        }
        self.hand_over(load, fx);
    }

    /// The most that is in hand at once: more than an election, those that it overtakes, and the inquiries of all come
    /// to.
    fn in_hand_max(&self) -> usize {
        usize::from(self.roster.len()) * 8
    }

    fn hand_over(&mut self, load: RingPayload, fx: &mut Fx) {
        let hand_over = self.numbers.give_out();
        fx.send(self.in_hand.neighbour, Message::HandOver { load, hand_over });
        self.in_hand.waiting.push_back((hand_over, load));
    }

    pub(super) fn on_receipt(&mut self, hand_over: CallNumber, fx: &mut Fx) {
        let Some(place) = self.in_hand.waiting.iter().position(|(number, _)| *number == hand_over) else { return };
        fx.line(line::HANDED_OVER);
        self.in_hand.waiting.remove(place);
        if self.in_hand.waiting.is_empty() {
            fx.cancel_timer(Timer::Receipt);
            self.send_held(fx);
        } else if place == 0 {
            // Only the oldest one's receipt: if a later one's lengthened the wait, a lost one would be waited for for
            // ever.
            fx.set_timer(Timer::Receipt, self.timing.t);
        }
    }

    /// A message comes that process `of` has sent, so it is up.
    pub(super) fn notice_up(&mut self, of: NodeId, fx: &mut Fx) {
        if self.in_hand.held.is_none() && !self.in_hand.waiting.is_empty() && self.is_passed_over(of) {
            fx.line(line::UP_AGAIN);
            self.in_hand.held = Some(VecDeque::new());
        }
    }

    /// A check period is over.
    pub(super) fn try_neighbour_again(&mut self, fx: &mut Fx) {
        if self.in_hand.waiting.is_empty() || self.in_hand.neighbour == self.right_of(self.me) {
            return;
        }
        self.in_hand.checks = self.in_hand.checks.saturating_add(1);
        if self.in_hand.held.is_none() && self.in_hand.checks >= self.checks_a_lap() {
            fx.line(line::OVER_LONG);
            self.in_hand.held = Some(VecDeque::new());
        }
    }

    fn is_passed_over(&self, node: NodeId) -> bool {
        let passed = |of: &NodeId| *of != self.in_hand.neighbour;
        let behind = std::iter::successors(Some(self.right_of(self.me)), |of| Some(self.right_of(*of)));
        behind.take_while(passed).any(|of| of == node)
    }

    fn send_held(&mut self, fx: &mut Fx) {
        let held = self.in_hand.held.take().unwrap_or_default();
        held.into_iter().for_each(|load| self.send_right(load, fx));
    }

    /// The receipt is overdue.
    pub(super) fn skip_neighbour(&mut self, fx: &mut Fx) {
        fx.line(line::SKIP);
        self.in_hand.neighbour = self.right_of(self.in_hand.neighbour);
        let waiting = std::mem::take(&mut self.in_hand.waiting);
        if self.in_hand.neighbour == self.me {
            waiting.into_iter().for_each(|(_, load)| self.come_round(load, fx));
            return self.send_held(fx);
        }
        fx.set_timer(Timer::Receipt, self.timing.t);
        waiting.into_iter().for_each(|(_, load)| self.hand_over(load, fx));
    }

    /// Nobody else is up, so the message is back here; nobody is left to hand another process's message to.
    fn come_round(&mut self, load: RingPayload, fx: &mut Fx) {
        fx.line(line::ALONE);
        if load.of() == self.me {
            self.arrive(load, fx);
        }
    }
}
