//! How a message comes to the right neighbour, and past a dead one (of which the page says nothing).
//!
//! Every hand-over has a receipt. Without one for T the neighbour counts as dead, and all that it has no receipt for goes to
//! the next one, in the order in which it was to be sent. When nothing waits, the next message is tried at the neighbour
//! again: it may be back.
//!
//! Invariant: of what waits for a receipt, all has been sent to one neighbour, in order; the timer runs while anything
//! waits.

use std::collections::VecDeque;

use super::{Fx, Load, Message, Ring, Timer, card as line};
use crate::protocol::{CallNumber, NodeId, NodeSet};

/// What waits for a receipt.
#[derive(Clone, Eq, PartialEq, Hash, Debug)]
pub(super) struct InHand {
    waiting: VecDeque<(CallNumber, Load)>,
    /// Whose receipts it waits for.
    neighbour: NodeId,
}

impl InHand {
    /// Nothing waits; the first message goes to this neighbour.
    pub fn nothing(neighbour: NodeId) -> InHand {
        InHand { waiting: VecDeque::new(), neighbour }
    }

    /// Whose silence the timer of receipts tells.
    pub fn silent(&self) -> NodeSet {
        if self.waiting.is_empty() { NodeSet::EMPTY } else { NodeSet::of(self.neighbour) }
    }
}

impl Ring {
    /// Who comes behind this node on the ring: the next number, and after the last one the first.
    pub(super) fn right_of(&self, node: NodeId) -> NodeId {
        self.roster.above(node).iter().next().or_else(|| self.roster.all().iter().next()).expect("a roster has nodes")
    }

    /// Sends this to the right.
    pub(super) fn send_right(&mut self, load: Load, fx: &mut Fx) {
        if self.in_hand.waiting.is_empty() {
            self.in_hand.neighbour = self.right_of(self.me);
            if self.in_hand.neighbour == self.me {
                return self.come_round(load, fx);
            }
            fx.set_timer(Timer::Receipt, self.timing.t);
        }
        self.hand_over(load, fx);
    }

    fn hand_over(&mut self, load: Load, fx: &mut Fx) {
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
        } else {
            fx.set_timer(Timer::Receipt, self.timing.t);
        }
    }

    /// The receipt is overdue.
    pub(super) fn skip_neighbour(&mut self, fx: &mut Fx) {
        fx.line(line::SKIP);
        self.in_hand.neighbour = self.right_of(self.in_hand.neighbour);
        let waiting = std::mem::take(&mut self.in_hand.waiting);
        if self.in_hand.neighbour == self.me {
            waiting.into_iter().for_each(|(_, load)| self.come_round(load, fx));
            return;
        }
        fx.set_timer(Timer::Receipt, self.timing.t);
        waiting.into_iter().for_each(|(_, load)| self.hand_over(load, fx));
    }

    /// Nobody else is up, so it is back here; what another one has sent has nobody left to go to.
    fn come_round(&mut self, load: Load, fx: &mut Fx) {
        fx.line(line::ALONE);
        if load.of() == self.me {
            self.arrive(load, fx);
        }
    }
}
