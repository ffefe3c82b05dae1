//! The ring algorithm as textbooks tell it: unidirectional links, an active list at each process, n*n messages.
//!
//! The page leaves open how a dead neighbour is passed (`hand_over`), and gives one way for a process that is back to
//! learn who coordinates (`inquiry`), which also serves to notice a failed coordinator. The election itself is in
//! `elect`.
//!
//! Five holes are mended. 1, *second election*: "the first elect seen or sent" never happens again; elections are
//! numbered. 2, *orphan*: the number of a dead process goes round for ever. 3, *swallowed*: a message dies with the
//! process that has it in hand, and its sender waits for ever. 4, *latecomer*: a process that is back in the midst of
//! an election sends its number behind others that it has missed. 5, *parted*: two coordinators of two halves never
//! hear of each other.
//!
//! Invariant: at most one of a process's own messages is waited for: elect in an election, else an inquiry.

mod card;
mod elect;
mod hand_over;
mod inquiry;
mod message;
#[cfg(test)]
mod tests;

use card as line;
pub use message::{Message, ReceiptKind, RingPayload};
use serde::{Deserialize, Serialize};

use self::hand_over::UnacknowledgedMessages;
use self::inquiry::{Inquiry, Reply, SeenInquiries};
use crate::king_ni::ElectionNumber;
use protocol::{
    Algorithm, CallNumber, CallNumbers, Card, Effects, Incarnation, Mends, NodeId, NodeSet, Roster, Setup, StateVector,
    Status, Timing,
};

/// One process of the ring.
#[derive(Clone, Eq, PartialEq, Hash, Debug)]
pub struct Ring {
    me: NodeId,
    roster: Roster,
    timing: Timing,
    mends: Mends,
    incarnation: Incarnation,
    numbers: CallNumbers,
    phase: Phase,
    /// The active list; empty if it has taken part in no election, or not in the latest one that it knows of.
    list: NodeSet,
    /// The latest election it knows of; 0 to the letter, and before the first.
    election: ElectionNumber,
    /// The own inquiry that is under way.
    inquiry: Option<CallNumber>,
    passed: SeenInquiries,
    in_hand: UnacknowledgedMessages,
}

/// Where a process stands.
#[derive(Copy, Clone, Eq, PartialEq, Hash, Debug)]
enum Phase {
    /// Is back, and has asked who coordinates.
    Recovering,
    /// Has sent its own number round.
    Election,
    /// Knows the coordinator, or is the coordinator.
    Normal(NodeId),
}

protocol::worded! {
    /// The ring's timers.
    #[derive(Copy, Clone, Eq, PartialEq, Ord, PartialOrd, Hash, Debug, Serialize, Deserialize)]
    pub enum Timer {
        /// The next inquiry is due.
        Check = "next inquiry",
        /// The neighbour's receipt is overdue: T.
        Receipt = "receipt of the neighbour",
        /// What this process has sent round is overdue.
        Return = "return of what was sent round",
    }
}

type Fx = Effects<Ring>;

impl Algorithm for Ring {
    type Message = Message;
    type Timer = Timer;
    /// The page keeps nothing over a crash.
    type Saved = ();
    const CARD: Card = card::CARD;

    fn start(setup: &Setup, _: Option<()>, fx: &mut Fx) -> Ring {
        let mut process = Ring {
            me: setup.me,
            roster: setup.roster,
            timing: setup.timing,
            mends: Mends::of(&setup.settings, card::HOLES),
            incarnation: setup.incarnation,
            numbers: CallNumbers::new(setup.incarnation),
            phase: Phase::Recovering,
            list: NodeSet::EMPTY,
            election: ElectionNumber::default(),
            inquiry: None,
            passed: SeenInquiries::default(),
            in_hand: UnacknowledgedMessages::nothing(setup.me),
        };
        fx.set_timer(Timer::Check, process.timing.check);
        process.inquire(fx);
        process
    }

    fn on_message(&mut self, from: NodeId, message: Message, fx: &mut Fx) {
        match message {
            Message::HandOver { load, hand_over } => {
                fx.line(line::RECEIPT);
                fx.send(from, Message::Receipt { of: load.handed(), hand_over });
                self.arrive(load, fx);
            }
            Message::Receipt { hand_over, .. } => self.on_receipt(hand_over, fx),
        }
    }

    fn on_timer(&mut self, timer: Timer, fx: &mut Fx) {
        match timer {
            Timer::Check => {
                fx.set_timer(Timer::Check, self.timing.check);
                self.try_neighbour_again(fx);
                self.passed.grow_older();
                self.check(fx);
            }
            Timer::Receipt => self.skip_neighbour(fx),
            Timer::Return => self.miss_return(fx),
        }
    }

    fn on_elect(&mut self, fx: &mut Fx) {
        if self.phase != Phase::Election {
            fx.line(line::ORDER);
            self.start_election(fx);
        }
    }

    /// Any process may swallow what goes round.
    fn waits_for(&self, timer: Timer) -> NodeSet {
        match timer {
            Timer::Check => NodeSet::EMPTY,
            Timer::Receipt => self.in_hand.silent(),
            Timer::Return => self.roster.others(self.me),
        }
    }

    fn state(&self) -> StateVector {
        let (status, word) = match self.phase {
            Phase::Recovering => (Status::Down, "Recovering"),
            Phase::Election => (Status::Election, "Election"),
            Phase::Normal(_) => (Status::Normal, "Normal"),
        };
        StateVector {
            up: self.list,
            // To the letter elections have no numbers, and all show the same one: one can still tell which processes
            // take part.
            election: Some(self.election.0),
            ..StateVector::new(status, word, self.coordinator())
        }
    }
}

/// The page's holes. 2 and 4 go with 1: they ask in which election a number was sent.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
enum Hole {
    H1,
    H3,
    H5,
}

impl Ring {
    fn mends(&self, hole: Hole) -> bool {
        self.mends.has(hole as u8)
    }

    /// How many check periods last as long as anything may go round.
    fn checks_a_lap(&self) -> u32 {
        let checks = card::lap(&self.timing, self.roster.len()).nanos().div_ceil(self.timing.check.nanos().max(1));
        u32::try_from(checks).unwrap_or(u32::MAX)
    }

    fn coordinator(&self) -> Option<NodeId> {
        if let Phase::Normal(coordinator) = self.phase { Some(coordinator) } else { None }
    }

    /// Something has come round to here. If it names processes that do not exist, it was garbled, and ends here.
    fn arrive(&mut self, load: RingPayload, fx: &mut Fx) {
        if !load.nodes().minus(&self.roster.all()).is_empty() {
            return;
        }
        self.notice_up(load.of(), fx);
        match load {
            RingPayload::Elect { election, of, incarnation } => self.on_elect(election, of, incarnation, fx),
            RingPayload::Inquiry { of, call, election, after, hops } => {
                self.on_inquiry(Inquiry { of, call, election, after, hops }, fx);
            }
            RingPayload::Reply { of, call, coordinator, election, hops } => {
                self.on_reply(Reply { of, call, coordinator, election, hops }, fx);
            }
        }
    }
}
