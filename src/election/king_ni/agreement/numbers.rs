//! Which election is which, and who takes part in it.
//!
//! Without an order a liar can tell one process of one election and another process of another, and part them. So the
//! number of the next election is no one's to choose: it is one above the last, and nobody starts in any other. Then all
//! correct processes that have ended the same election start in the same next one, within T; and end it within T.
//!
//! An init of the next election that comes before 2T after the process's own end is kept until then, and so is everything
//! else of it. These ends lie within T, so the starts do too. A liar may thus begin one election after the other; but
//! each comes to its end, and its master has 2T of it at least. What was kept for T is forgotten: it is of a process that
//! was not in the last election, or of a liar, and who started by it would start too late.
//!
//! A process signs nothing twice under one number, for who has signed two lists has none. So the highest number under
//! which it has signed is spent: it is in its safe cells, and nothing takes it back, neither that its election came to
//! nothing nor what others say. It takes part in elections after that alone. A number that t+1 name as spent is
//! spent for it too. Where up to t are ahead of the others, an election that misses them comes to nothing at worst: then
//! all ask, and meet above the highest number that anybody names (`asking`). A liar cannot make use of that unless more
//! than t are faulty, for otherwise no election comes to nothing.
//!
//! Processes that have different numbers begin different elections, and too few take part in each. Who ends the lower
//! one holds what it has kept of the higher one, and asks. If t+1 say that the higher one is over, it does not start in
//! it, for it would end it alone with lists that the others never had; it begins the election after that.
//!
//! Invariant: a process enters an election under the number after `taken`, which is never below `spent`.

use super::super::table::{Event, step};
use super::book::{ElectionBook, InitFate};
use super::signed::SignedInit;
use super::{Algorithm53, AskingCause, ElectionNumber, Fx, Heard, Phase, Readiness, Timer};
use protocol::{NodeId, NodeSet, Order};

/// No correct process is so many elections ahead of another one: a number further off is a liar's, who might bring the
/// numbers to their end.
const LEAD_MAX: u64 = 1 << 32;

/// Elections and their numbers.
impl Algorithm53 {
    /// `begins`: anybody's, in normal and in stop; never in mid-election.
    pub(super) fn begin(&mut self, fx: &mut Fx) {
        if self.is_electing() {
            return;
        }
        match self.readiness {
            Readiness::Ready => self.begin_after(self.taken, fx),
            // No t+1 have said which election was the last. One that others may have held is not held again.
            Readiness::Asks(AskingCause::Still) => self.begin_after(self.highest_named(std::iter::empty()), fx),
            Readiness::Rests | Readiness::StandsAside | Readiness::Asks(_) => {
                fx.line(115);
                self.question.waiting = Some(Order::Elect);
            }
        }
    }

    /// Begins the election after that one, under a number that is not spent.
    pub(super) fn begin_after(&mut self, taken: ElectionNumber, fx: &mut Fx) {
        self.learn(taken);
        self.take_part(fx);
        step(self, Event::Begins, &Heard::Nothing, fx);
    }

    /// `init`: a process takes part, whoever says so.
    pub(super) fn on_init(&mut self, election: ElectionNumber, init: &SignedInit, fx: &mut Fx) {
        if self.is_electing() && election == self.election {
            return self.collect_init(init, fx);
        }
        if election > self.next.election() && !self.heeds(election, init) {
            return self.miss_init(election, init, fx);
        }
        if election < self.next.election() {
            fx.line(103);
            return;
        }
        let fate = self.next.judge_init(init, &self.verifier);
        if fate == InitFate::New {
            self.next.enter_init(*init);
        }
        if fate == InitFate::Forged {
            fx.line(412);
        } else if self.is_electing() {
            self.keep_init(fx);
        } else {
            match self.readiness {
                Readiness::Rests | Readiness::Asks(AskingCause::AfterFailure) => self.keep_init(fx),
                Readiness::Asks(AskingCause::AfterStart) => {
                    fx.line(106);
                    self.question.has_missed = true;
                    self.learn(election);
                }
                Readiness::Ready
                | Readiness::StandsAside
                | Readiness::Asks(AskingCause::InDoubt | AskingCause::Still | AskingCause::Again) => {
                    self.take_part(fx);
                    self.start_by(*init, fx);
                }
            }
        }
    }

    /// An init of a later election than the next.
    fn miss_init(&mut self, election: ElectionNumber, init: &SignedInit, fx: &mut Fx) {
        fx.line(103);
        if !self.may_be_honest(election) || !self.verifier.has_signed(init, election) {
            return;
        }
        self.missed = self.missed.max(election);
        if self.is_electing() {
            return;
        }
        self.be_called(fx);
        if self.readiness == Readiness::Asks(AskingCause::AfterStart) {
            self.question.has_missed = true;
        }
    }

    /// Somebody wants an election, and is ahead of this process's next one.
    pub(super) fn be_called(&mut self, fx: &mut Fx) {
        self.doubt_own_place(fx);
        if let Readiness::Asks(AskingCause::InDoubt | AskingCause::Still) = self.readiness {
            self.question.is_called_for = true;
        }
    }

    /// Whether a process whose election has come to nothing takes part in that later one instead of the next: too few
    /// took part, and the others may be further.
    fn heeds(&mut self, election: ElectionNumber, init: &SignedInit) -> bool {
        let has_failed = matches!(self.readiness, Readiness::Asks(AskingCause::AfterFailure | AskingCause::Again));
        let heeds = has_failed && self.may_be_honest(election) && self.verifier.has_signed(init, election);
        if heeds {
            self.next = ElectionBook::of(election);
        }
        heeds
    }

    /// Keeps an init, and everything else of its election, for T from now on.
    fn keep_init(&mut self, fx: &mut Fx) {
        fx.line(101);
        fx.set_timer(Timer::Kept, self.t);
    }

    /// Keeps what came of the next election before any init of it, for T.
    pub(super) fn keep_early(&mut self, fx: &mut Fx) {
        if self.next.first_init().is_none() {
            fx.set_timer(Timer::Kept, self.t);
        }
    }

    /// What was kept is older than T, and starts nobody. Who has begun that election hears so when it asks.
    pub(super) fn forget_kept(&mut self, fx: &mut Fx) {
        if let Some(init) = self.next.first_init() {
            fx.line(104);
            if self.readiness == Readiness::Asks(AskingCause::AfterFailure) {
                self.question.hear_of(init.node, self.next.election());
            }
        }
        self.next = ElectionBook::of(self.next.election());
    }

    /// 2T after its end a process takes up what came meanwhile: the next election, or an order to begin it. Returns
    /// whether there was something.
    pub(super) fn take_up(&mut self, fx: &mut Fx) -> bool {
        self.take_up_above(self.taken, fx)
    }

    /// The same, but the order begins an election after that one.
    pub(super) fn take_up_above(&mut self, election: ElectionNumber, fx: &mut Fx) -> bool {
        if let Some(first) = self.next.first_init() {
            fx.line(102);
            self.take_part(fx);
            self.start_by(first, fx);
            return true;
        }
        let waits = self.question.waiting.take().is_some();
        if waits {
            self.begin_after(election, fx);
        }
        waits
    }

    /// A process has said which is the highest number under which it signs nothing any more: it has signed under it, or
    /// knows that the others have, or that somebody has begun that election without it.
    pub(super) fn note_spent(&mut self, from: NodeId, spent: ElectionNumber) {
        let noted = self.noted.get_or_default(from);
        *noted = spent.max(*noted);
        if !self.is_electing() && self.spent_by_enough() > self.taken {
            self.learn(self.taken);
        }
    }

    /// The last election of the others is that one; but what this process has spent, and what t+1 have, stays so.
    pub(super) fn learn(&mut self, taken: ElectionNumber) {
        self.taken = taken.max(self.spent).max(self.spent_by_enough());
        if self.next.election() != self.taken.next() {
            self.next = ElectionBook::of(self.taken.next());
        }
    }

    /// The highest number of which t+1 say that it is spent, or a higher one.
    fn spent_by_enough(&self) -> ElectionNumber {
        let mut numbers: Vec<ElectionNumber> = self.noted.values().copied().collect();
        numbers.sort();
        numbers.len().checked_sub(self.enough()).map_or(ElectionNumber::default(), |place| numbers[place])
    }

    /// The highest number that anybody has named, the process itself too.
    pub(super) fn highest_named(&self, told: impl Iterator<Item = ElectionNumber>) -> ElectionNumber {
        let named = self.noted.values().copied().chain(told);
        named.filter(|number| self.may_be_honest(*number)).max().unwrap_or_default().max(self.taken)
    }

    /// Whether a correct process may have come to that number.
    pub(super) fn may_be_honest(&self, number: ElectionNumber) -> bool {
        number.0.saturating_sub(self.taken.0) <= LEAD_MAX
    }

    /// Into the next election, as one that signs in it: from now on its number is spent.
    fn take_part(&mut self, fx: &mut Fx) {
        self.spent = self.next.election();
        self.belong_to(self.spent, fx);
        (self.phase, self.round) = (Phase::Normal, 0);
    }

    /// This init is the first that came of its election.
    fn start_by(&mut self, init: SignedInit, fx: &mut Fx) {
        step(self, Event::Init, &Heard::Init(init), fx);
    }

    /// From now on this process belongs to that election, within it or under its master; `ms` stays for display.
    pub(super) fn belong_to(&mut self, election: ElectionNumber, fx: &mut Fx) {
        let empty = ElectionBook::of(election);
        self.book = if self.next.election() == election { std::mem::replace(&mut self.next, empty) } else { empty };
        self.learn(election);
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
