//! The rows of Table 3 (section 5.2), and the rounds of the agreement in place of its coll2; `fx.line` cites the
//! transition, and from 400 on the agreement.
//!
//! All correct processes start within T, for whoever starts broadcasts the init that started it. So what a correct
//! process sends in its round k comes no later than the end of its receiver's round k, and may come before the receiver
//! has started.
//!
//! Invariant: a list that was taken in time with at most t signatures is signed and handed on at once, or at the start.

use std::sync::Arc;

use super::book::{InitFate, ListFate};
use super::message::{ListPart, Message, RelayedList};
use super::parts::messages_of;
use super::signed::SignedInit;
use super::walk::{Decision, el};
use super::{Algorithm53, AskingCause, ElectionNumber, Fx, Phase, Readiness, Timer};
use protocol::NodeId;

/// Table 3.
impl Algorithm53 {
    /// `init,w` of this election, in coll1 or later.
    pub(super) fn collect_init(&mut self, init: &SignedInit, fx: &mut Fx) {
        if self.phase != Phase::Coll1 {
            fx.line(413);
            return;
        }
        match self.book.take_init(init, &self.verifier) {
            InitFate::Entered => fx.line(5),
            InitFate::Again => fx.line(413),
            InitFate::Forged => fx.line(412),
        }
    }

    /// Transitions 2 and 3: this init is the first that came of its election.
    pub(super) fn start_by(&mut self, init: SignedInit, fx: &mut Fx) {
        if fx.capacity() >= 0 {
            fx.line(2);
            self.broadcast_own(fx);
        } else {
            fx.line(3);
        }
        fx.line(401);
        fx.broadcast(Message::Init { election: self.election, init: Arc::new(init) });
        self.become_collector(fx);
    }

    /// Transition 1, and a non-candidate's beginning.
    pub(super) fn start_alone(&mut self, fx: &mut Fx) {
        fx.line(if fx.capacity() >= 0 { 1 } else { 107 });
        self.broadcast_own(fx);
        self.become_collector(fx);
    }

    /// `vect`: a process's list, from whoever handed it on.
    pub(super) fn on_vect(&mut self, election: ElectionNumber, relay: Arc<RelayedList>, fx: &mut Fx) {
        if election == self.election && self.is_electing() {
            let fate = self.book.take_list(relay, self.round(), &self.verifier);
            self.meet_fate(fate, 8, fx);
        } else if election == self.next.election() {
            self.keep_early(fx);
            let fate = self.next.take_list(relay, 0, &self.verifier);
            self.meet_fate(fate, 402, fx);
        } else {
            fx.line(103);
        }
    }

    /// A part of one.
    pub(super) fn on_part(&mut self, from: NodeId, election: ElectionNumber, part: Arc<ListPart>, fx: &mut Fx) {
        fx.line(410);
        if election == self.election && self.is_electing() {
            let fate = self.book.take_part(from, part, self.round(), &self.verifier);
            self.meet_fate(fate, 8, fx);
        } else if election == self.next.election() {
            self.keep_early(fx);
            let fate = self.next.take_part(from, part, 0, &self.verifier);
            self.meet_fate(fate, 402, fx);
        } else {
            fx.line(103);
        }
    }

    pub(super) fn on_time_out(&mut self, fx: &mut Fx) {
        match self.phase {
            Phase::Coll1 => {
                fx.line(6);
                let own = self.book.sign_own(self.me, &self.verifier);
                self.broadcast_list(own, fx);
                self.become_in_round(1, fx);
            }
            Phase::Round(round) if (round as usize) < self.enough() => {
                fx.line(409);
                self.become_in_round(round + 1, fx);
            }
            Phase::Round(_) => self.decide(fx),
            Phase::Normal | Phase::Stop => {}
        }
    }

    /// The round; 0 before the first.
    fn round(&self) -> u32 {
        match self.phase {
            Phase::Round(round) => round,
            Phase::Normal | Phase::Coll1 | Phase::Stop => 0,
        }
    }

    /// `taken` is the listing's line of a list that is taken.
    fn meet_fate(&mut self, fate: ListFate, taken: u16, fx: &mut Fx) {
        match fate {
            ListFate::Taken(relay) => {
                fx.line(taken);
                if taken == 8 {
                    self.hand_on(&relay, fx);
                }
            }
            ListFate::Waits => {}
            ListFate::Known => fx.line(408),
            ListFate::Late => fx.line(405),
            ListFate::Malformed => fx.line(406),
            ListFate::Forged => fx.line(407),
        }
    }

    /// Signs a list and broadcasts it, if its next signature can still be in time.
    fn hand_on(&self, relay: &RelayedList, fx: &mut Fx) {
        if relay.signatures.len() > self.faulty {
            return;
        }
        if let Some(relay) = self.book.endorsed(relay, self.me, &self.verifier) {
            fx.line(404);
            self.broadcast_list(Arc::new(relay), fx);
        }
    }

    fn broadcast_list(&self, relay: Arc<RelayedList>, fx: &mut Fx) {
        let messages = messages_of(relay, self.election, &self.verifier.keyring);
        messages.into_iter().for_each(|message| fx.broadcast(message));
    }

    /// Sends its capacity of this moment to all.
    fn broadcast_own(&mut self, fx: &mut Fx) {
        let capacity = fx.capacity();
        self.stands_with = (capacity >= 0).then_some(capacity);
        let own = SignedInit::sign(&self.verifier.keyring, self.election, self.me, capacity);
        self.book.enter_own(own);
        fx.broadcast(Message::Init { election: self.election, init: Arc::new(own) });
    }

    /// Into coll1. Lists that came before the start are handed on now.
    fn become_collector(&mut self, fx: &mut Fx) {
        self.phase = Phase::Coll1;
        fx.set_timer(Timer::Table, self.t * 2);
        let early: Vec<Arc<RelayedList>> = self.book.lists().cloned().collect();
        early.iter().for_each(|relay| self.hand_on(relay, fx));
    }

    fn become_in_round(&mut self, round: u32, fx: &mut Fx) {
        self.phase = Phase::Round(round);
        fx.set_timer(Timer::Table, self.t * 2);
    }

    /// Transition 9.
    fn decide(&mut self, fx: &mut Fx) {
        if self.book.has_two_of_one() {
            fx.line(415);
        }
        let agreed = self.book.agreed();
        if agreed.len() < self.lists_wanted() {
            fx.line(301);
            self.become_masterless();
            self.ask(AskingCause::AfterFailure, fx);
            return;
        }
        let Decision { line, elected } = el(&agreed);
        fx.line(if elected.is_none() { 117 } else { 9 });
        fx.line(line);
        match elected {
            Some((master, list)) => {
                self.decided = Some(list.to_vec());
                self.become_stopped(master, fx);
            }
            None => self.become_masterless(),
        }
        self.readiness = Readiness::Rests;
        fx.set_timer(Timer::Ready, self.t * 2);
    }

    /// Into normal, at the end of an election that has elected nobody.
    fn become_masterless(&mut self) {
        self.phase = Phase::Normal;
        self.master = None;
        self.learn(self.taken);
    }

    /// Into stop, under this master.
    pub(super) fn become_stopped(&mut self, master: NodeId, fx: &mut Fx) {
        self.phase = Phase::Stop;
        self.master = Some(master);
        self.learn(self.taken);
        if master == self.me {
            fx.line(205);
            fx.broadcast(super::Word::Elected { election: self.election }.into());
            self.watch.lead(fx);
        } else if self.announced.contains(master) {
            fx.line(206);
            self.watch.begin(master, fx);
        } else {
            fx.set_timer(Timer::Elected, self.t * 2);
        }
    }
}
