//! The Bully algorithm as textbooks tell it: election, answer and coordinator, with the time-outs T and T'.
//!
//! There is no halting round between the old coordinator and the new one, so this Bully promises an end state, not
//! assertion 1: two coordinators for a short time are no bug. The page takes requests to the coordinator for granted;
//! here each process sends one every check period.
//!
//! Three holes are mended. 1, *slow word*: 3 tells 2 slowly that it coordinates, 4 is back and tells 2 fast; 2 records
//! 4, then 3, and 3 goes on replying. 2, *parted*: processes that could not hear each other have two coordinators, and
//! when they can hear each other, neither coordinator ever asks anybody. 3, *storm*: 1 is back and asks all others;
//! each begins an election, is at rest again at the fast word of the highest, and begins another one at the next
//! question, for every question of those below it: 1 alone costs about 380 messages among 9, 5,900 among 17, and
//! 140,000 among 33. Mended, a process at rest answers, and begins an election only if its coordinator is silent to a
//! request: the page's own reason to begin one.
//!
//! Invariant: an answer, a reply or a time-out counts only for what is still waited for.

mod card;
mod message;
#[cfg(test)]
mod tests;

use card as line;
pub use message::Message;
use serde::{Deserialize, Serialize};

use protocol::{
    Algorithm, CallNumber, CallNumbers, Card, Effects, Mends, NodeId, NodeSet, Roster, Round, Setup, StateVector,
    Status, Timing,
};

/// The page's holes; 2 goes with 1, for a process that looks up must learn who coordinates.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
enum Hole {
    H1,
    H3,
}

/// One process of the textbook's Bully.
#[derive(Clone, Eq, PartialEq, Hash, Debug)]
pub struct TextbookBully {
    me: NodeId,
    roster: Roster,
    timing: Timing,
    mends: Mends,
    numbers: CallNumbers,
    phase: Phase,
    /// The latest request that may still be replied to.
    request: Option<Round>,
}

/// Where a process is in its election.
#[derive(Clone, Eq, PartialEq, Hash, Debug)]
enum Phase {
    /// Has sent election to all higher ones, and waits T for an answer.
    Election(Round),
    /// This process has answered; it waits T' for the word of the elected process.
    Waiting(NodeId),
    /// Has recorded this coordinator, or is the coordinator.
    Normal(NodeId),
}

protocol::worded! {
    /// The timers of the textbook's Bully.
    #[derive(Copy, Clone, Eq, PartialEq, Ord, PartialOrd, Hash, Debug, Serialize, Deserialize)]
    pub enum Timer {
        /// The next request to the coordinator is due.
        Check = "next check",
        /// The reply to it is overdue: T.
        Reply = "reply of the coordinator",
        /// No higher process has answered: T.
        Answer = "answers to the election",
        /// The word of the elected process is overdue: T'.
        Coordinator = "word of the elected process",
    }
}

type Fx = Effects<TextbookBully>;

impl Algorithm for TextbookBully {
    type Message = Message;
    type Timer = Timer;
    /// The page keeps nothing over a crash.
    type Saved = ();
    const CARD: Card = card::CARD;

    fn start(setup: &Setup, _: Option<()>, fx: &mut Fx) -> TextbookBully {
        let numbers = CallNumbers::new(setup.incarnation);
        let mut process = TextbookBully {
            me: setup.me,
            roster: setup.roster,
            timing: setup.timing,
            mends: Mends::of(&setup.settings, card::HOLES),
            numbers,
            phase: Phase::Normal(setup.me),
            request: None,
        };
        fx.line(line::RECOVERY);
        fx.set_timer(Timer::Check, process.timing.check);
        process.start_election(fx);
        process
    }

    fn on_message(&mut self, from: NodeId, message: Message, fx: &mut Fx) {
        match message {
            Message::Election { call } => self.on_election(from, call, fx),
            Message::Answer { call } => self.on_answer(from, call, fx),
            Message::Coordinator => self.on_coordinator(from, fx),
            Message::Request { call } => self.on_request(from, call, fx),
            Message::Reply { call, coordinator } => self.on_reply(from, call, coordinator, fx),
        }
    }

    fn on_timer(&mut self, timer: Timer, fx: &mut Fx) {
        match timer {
            Timer::Check => {
                fx.set_timer(Timer::Check, self.timing.check);
                self.check(fx);
            }
            Timer::Reply => {
                fx.line(line::FAILED);
                self.start_election(fx);
            }
            Timer::Answer => self.become_coordinator(fx),
            Timer::Coordinator => {
                fx.line(line::START_OVER);
                self.start_election(fx);
            }
        }
    }

    fn on_elect(&mut self, fx: &mut Fx) {
        if let Phase::Normal(_) = self.phase {
            fx.line(line::ORDER);
            self.start_election(fx);
        }
    }

    fn waits_for(&self, timer: Timer) -> NodeSet {
        match (timer, &self.phase) {
            (Timer::Answer, Phase::Election(round)) => round.silent(),
            (Timer::Coordinator, Phase::Waiting(answerer)) => NodeSet::of(*answerer),
            (Timer::Reply, _) => self.request.as_ref().map_or(NodeSet::EMPTY, Round::silent),
            _ => NodeSet::EMPTY,
        }
    }

    fn state(&self) -> StateVector {
        let (status, word, coordinator) = match self.phase {
            Phase::Election(_) => (Status::Election, "Election", None),
            Phase::Waiting(_) => (Status::Election, "Waiting", None),
            Phase::Normal(coordinator) => (Status::Normal, "Normal", Some(coordinator)),
        };
        StateVector::new(status, word, coordinator)
    }
}

/// An election.
impl TextbookBully {
    /// Sends election to every process with a higher number.
    fn start_election(&mut self, fx: &mut Fx) {
        self.end_waits(fx);
        let above = self.roster.above(self.me);
        if above.is_empty() {
            return self.become_coordinator(fx);
        }
        fx.line(line::ASK);
        let call = self.numbers.give_out();
        fx.send_each(above, Message::Election { call });
        fx.set_timer(Timer::Answer, self.timing.t);
        self.phase = Phase::Election(Round::new(call, above));
    }

    /// Elects itself, and tells all lower processes.
    fn become_coordinator(&mut self, fx: &mut Fx) {
        fx.line(line::ELECT_SELF);
        self.phase = Phase::Normal(self.me);
        fx.line(line::TELL);
        fx.send_each(self.roster.below(self.me), Message::Coordinator);
    }

    /// The first answer; the others say nothing new.
    fn on_answer(&mut self, from: NodeId, call: CallNumber, fx: &mut Fx) {
        let Phase::Election(round) = &mut self.phase else { return };
        if round.take_answer(from, call) {
            fx.line(line::WAIT);
            fx.cancel_timer(Timer::Answer);
            fx.set_timer(Timer::Coordinator, self.timing.silence);
            self.phase = Phase::Waiting(from);
        }
    }

    /// The page's first message. A lower one never tells a higher one.
    fn on_coordinator(&mut self, from: NodeId, fx: &mut Fx) {
        if self.roster.outranks(from, self.me) {
            fx.line(line::RECORD);
            self.become_normal_under(from, fx);
        }
    }

    /// The page's second message. A process answers it in every state, and starts an election if none runs; mended,
    /// only if it knows of no coordinator (hole 3).
    fn on_election(&mut self, from: NodeId, call: CallNumber, fx: &mut Fx) {
        if !self.roster.outranks(self.me, from) {
            return;
        }
        fx.line(line::ANSWER);
        fx.send(from, Message::Answer { call });
        match &self.phase {
            Phase::Election(_) | Phase::Waiting(_) => {}
            Phase::Normal(_) if !self.mends(Hole::H3) => {
                fx.line(line::JOIN);
                self.start_election(fx);
            }
            Phase::Normal(coordinator) if *coordinator == self.me => {
                fx.line(line::SAYS_ITSELF);
                fx.send(from, Message::Coordinator);
            }
            Phase::Normal(coordinator) => {
                let coordinator = *coordinator;
                if self.request.is_none() {
                    fx.line(line::ASKS_FIRST);
                    self.ask_coordinator(coordinator, fx);
                }
            }
        }
    }

    fn become_normal_under(&mut self, coordinator: NodeId, fx: &mut Fx) {
        self.end_waits(fx);
        self.phase = Phase::Normal(coordinator);
    }

    /// Ends the wait for a reply, or for the outcome of an election.
    fn end_waits(&mut self, fx: &mut Fx) {
        if self.request.take().is_some() {
            fx.cancel_timer(Timer::Reply);
        }
        match self.phase {
            Phase::Election(_) => fx.cancel_timer(Timer::Answer),
            Phase::Waiting(_) => fx.cancel_timer(Timer::Coordinator),
            Phase::Normal(_) => {}
        }
    }
}

/// Requests to the coordinator, by which its failure is noticed.
impl TextbookBully {
    fn mends(&self, hole: Hole) -> bool {
        self.mends.has(hole as u8)
    }

    fn check(&mut self, fx: &mut Fx) {
        let Phase::Normal(coordinator) = self.phase else { return };
        if coordinator != self.me {
            // A request that an election has made it send may be waiting for its reply.
            if self.request.is_none() {
                fx.line(line::REQUEST);
                self.ask_coordinator(coordinator, fx);
            }
        } else if self.mends(Hole::H1) && !self.roster.above(self.me).is_empty() {
            // Hole 2: it expects no reply, so nothing waits for one.
            fx.line(line::LOOK_UP);
            self.send_request(self.roster.above(self.me), fx);
        }
    }

    /// Without a reply within T the coordinator has failed.
    fn ask_coordinator(&mut self, coordinator: NodeId, fx: &mut Fx) {
        self.send_request(NodeSet::of(coordinator), fx);
        fx.set_timer(Timer::Reply, self.timing.t);
    }

    fn send_request(&mut self, to: NodeSet, fx: &mut Fx) {
        let call = self.numbers.give_out();
        fx.send_each(to, Message::Request { call });
        self.request = Some(Round::new(call, to));
    }

    /// To the letter a process replies because it is up: the page knows of no coordinator that has ceased to be one.
    fn on_request(&mut self, from: NodeId, call: CallNumber, fx: &mut Fx) {
        fx.line(line::REPLY);
        let coordinator = match &self.phase {
            Phase::Normal(coordinator) if self.mends(Hole::H1) => Some(*coordinator),
            _ => None,
        };
        if coordinator.is_some_and(|coordinator| coordinator != self.me) {
            fx.line(line::SAYS_WHO);
        }
        fx.send(from, Message::Reply { call, coordinator });
    }

    fn on_reply(&mut self, from: NodeId, call: CallNumber, says: Option<NodeId>, fx: &mut Fx) {
        let Phase::Normal(coordinator) = self.phase else { return };
        if !self.request.as_mut().is_some_and(|request| request.take_answer(from, call)) {
            return;
        }
        if coordinator == self.me {
            if says.is_some() {
                fx.line(line::OUTRANKED);
                self.start_election(fx);
            }
            return;
        }
        self.request = None;
        fx.cancel_timer(Timer::Reply);
        match says {
            _ if !self.mends(Hole::H1) || says == Some(from) => fx.line(line::REPLIED),
            None => fx.line(line::SAYS_NOBODY),
            Some(other) if self.roster.above(self.me).contains(other) => {
                fx.line(line::REFERRED);
                self.become_normal_under(other, fx);
            }
            Some(_) => {
                fx.line(line::REFERRED_WRONGLY);
                self.start_election(fx);
            }
        }
    }
}
