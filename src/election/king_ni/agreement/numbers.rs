//! Which election is which, and who takes part in it.
//!
//! Without an order a liar can tell one process of one election and another process of another, and part them. So the
//! number of the next election is no one's to choose: it is one above the last, and nobody starts in any other. Then all
//! correct processes that have ended the same election start in the same next one, within T; and end it within T.
//!
//! An init of the next election that comes in mid-election is kept until 2T after the process's own end, and so is
//! everything else of it. These ends lie within T, so the starts do too. A liar may thus begin one election after the
//! other; but each comes to its end, and its master has 2T of it at least.
//!
//! Processes that have different numbers begin different elections, and too few take part in each. Who ends the lower
//! one holds what it has kept of the higher one, and asks. If t+1 say that the higher one is over, it does not start in
//! it, for it would end it alone with lists that the others never had; it begins the election after that.
//!
//! A process whose last election is another (it was down, or alone in elections of which nobody heard) is one of the t
//! until t+1 have told it where they are (`asking`). It may then use a number again that it has used alone. Should a liar
//! show the list that it signed at that time, it has two lists, and so none: it is one of the t for that election.
//!
//! Invariant: a process enters an election under the number after `taken`, or under one of which it was told.

use super::book::{ElectionBook, InitFate};
use super::signed::SignedInit;
use super::{Algorithm53, AskingCause, ElectionNumber, Fx, Readiness, Timer};
use crate::protocol::{NodeSet, Order};

/// Elections and their numbers.
impl Algorithm53 {
    /// `begins`: anybody's, in normal and in stop; never in mid-election.
    pub(super) fn begin(&mut self, fx: &mut Fx) {
        if self.is_electing() {
            return;
        }
        match self.readiness {
            Readiness::Ready | Readiness::Asks(AskingCause::Still) => self.begin_after(self.taken, fx),
            // As in mid-election.
            Readiness::StandsAside => {}
            Readiness::Rests | Readiness::Asks(_) => {
                fx.line(115);
                self.question.waiting = Some(Order::Elect);
            }
        }
    }

    /// Begins the election after that one.
    pub(super) fn begin_after(&mut self, taken: ElectionNumber, fx: &mut Fx) {
        self.enter(taken.next(), fx);
        self.start_alone(fx);
    }

    /// `init`: a process takes part, whoever says so.
    pub(super) fn on_init(&mut self, election: ElectionNumber, init: &SignedInit, fx: &mut Fx) {
        if self.is_electing() && election == self.election {
            return self.collect_init(init, fx);
        }
        if election != self.next.election() {
            fx.line(103);
            if election > self.next.election() && !self.is_electing() && self.verifier.has_signed(init, election) {
                self.doubt_own_place(fx);
            }
            return;
        }
        match self.next.take_init(init, &self.verifier) {
            InitFate::Again => fx.line(413),
            InitFate::Forged => fx.line(412),
            InitFate::Entered if self.is_electing() => fx.line(101),
            InitFate::Entered => match self.readiness {
                Readiness::Rests | Readiness::Asks(AskingCause::AfterFailure) => fx.line(101),
                Readiness::Asks(AskingCause::AfterStart) => {
                    fx.line(106);
                    self.question.has_missed = true;
                    self.next = ElectionBook::of(election);
                }
                Readiness::Ready
                | Readiness::StandsAside
                | Readiness::Asks(AskingCause::InDoubt | AskingCause::Still) => {
                    self.enter(election, fx);
                    self.start_by(*init, fx);
                }
            },
        }
    }

    /// 2T after its end a process takes up what came meanwhile: the next election, or an order to begin it. Returns
    /// whether there was something.
    pub(super) fn take_up(&mut self, fx: &mut Fx) -> bool {
        if let Some(first) = self.next.first_init() {
            fx.line(102);
            self.enter(self.next.election(), fx);
            self.start_by(first, fx);
            return true;
        }
        let waits = self.question.waiting.take().is_some();
        if waits {
            self.begin_after(self.taken, fx);
        }
        waits
    }

    /// The last election of the others is that one.
    pub(super) fn learn(&mut self, taken: ElectionNumber) {
        self.taken = taken;
        if self.next.election() != taken.next() {
            self.next = ElectionBook::of(taken.next());
        }
    }

    /// From now on this process belongs to that election, within it or under its master; `ms` stays for display.
    pub(super) fn enter(&mut self, election: ElectionNumber, fx: &mut Fx) {
        let next = std::mem::replace(&mut self.next, ElectionBook::of(election.next()));
        self.book = if next.election() == election { next } else { ElectionBook::of(election) };
        self.taken = election;
        self.election = election;
        self.decided = None;
        self.stands_with = None;
        self.announced = NodeSet::EMPTY;
        self.question.close();
        // This election is the answer to an order that waited.
        self.question.waiting = None;
        if self.readiness != Readiness::Ready {
            self.readiness = Readiness::Ready;
            fx.cancel_timer(Timer::Ready);
        }
        fx.cancel_timer(Timer::Elected);
        self.watch.rest(fx);
    }
}
