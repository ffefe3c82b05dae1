//! What a process has missed, the master's word, and the watch over it.
//!
//! A process that starts asks all, and takes part in no election for 2T. It believes what t+1 say alike: that a master
//! was elected, that there is none, or that an election is under way. Where fewer agree it asks again, and may begin
//! and start like the others. A master's claim makes a process ask that does not follow it; if no t+1 agree, for if t
//! is large there may be no t+1 that could, it begins an election after the claimed one, in which all can meet. An init
//! may come of an election that is later than its next one. Then it waits for the election after that, which whoever
//! sent the init begins if the earlier one has come to nothing.
//!
//! An election comes to nothing where too few lists are agreed on: more than t processes are down, have just started,
//! are parted from the others, or are in an election of another number. So who was in it asks who is there. If n-t are,
//! and no other election is under way, it begins another one, in which all can take part (`numbers`); if fewer are,
//! that needs a person's help.
//!
//! Invariant: no single word makes a master, or moves the number of a process that has one together with t others.

use super::super::table::TableMachine;
use super::super::watch::{self, Claim, WatchFinding};
use super::book::ElectionBook;
use super::question::{LastOutcome, OpenQuestion};
use super::{Algorithm53, AskingCause, ElectionNumber, Fx, Phase, Readiness, Timer, Word};
use protocol::{CallNumber, NodeId, NodeSet, Span};

/// Asking, and what is said at the end.
impl Algorithm53 {
    pub(super) fn on_word(&mut self, from: NodeId, word: Word, fx: &mut Fx) {
        match word {
            Word::Elected { election } => self.on_elected(from, election, fx),
            Word::Ask { call, spent } => {
                self.note_spent(from, spent);
                self.on_ask(from, call, fx);
            }
            Word::UnderWay { call, election } => {
                self.note_spent(from, election);
                self.on_answer(from, call, (election, LastOutcome::UnderWay), fx);
            }
            Word::Ended { call, election, master, spent } => {
                self.note_spent(from, spent);
                self.on_answer(from, call, (election, LastOutcome::Ended(master)), fx);
            }
            Word::Call { spent } => {
                self.note_spent(from, spent);
                if self.phase == Phase::Normal && spent > self.taken {
                    self.be_called(fx);
                }
            }
        }
    }

    pub(super) fn ask(&mut self, cause: AskingCause, fx: &mut Fx) {
        self.ask_within(self.t * 2, cause, fx);
    }

    fn ask_within(&mut self, span: Span, cause: AskingCause, fx: &mut Fx) {
        fx.line(105);
        self.readiness = Readiness::Asks(cause);
        let call = self.question.open();
        fx.broadcast(Word::Ask { call, spent: self.taken }.into());
        fx.set_timer(Timer::Ready, span);
    }

    fn on_ask(&mut self, from: NodeId, call: CallNumber, fx: &mut Fx) {
        fx.line(116);
        let spent = self.taken;
        let answer = match self.phase {
            _ if self.is_electing() => Word::UnderWay { call, election: self.election },
            Phase::Stop => Word::Ended { call, election: self.election, master: self.master, spent },
            _ => Word::Ended { call, election: self.taken, master: None, spent },
        };
        fx.send(from, answer.into());
    }

    fn on_answer(&mut self, from: NodeId, call: CallNumber, answer: (ElectionNumber, LastOutcome), fx: &mut Fx) {
        let Readiness::Asks(cause) = self.readiness else { return };
        if !self.question.take(from, call, answer) {
            return;
        }
        // In normal a liar and a process that is behind may be the first to answer: while anybody names a later
        // election, all have their 2T.
        let is_news = |election| match self.phase {
            Phase::Normal => !self.question.names_later(election),
            _ => election > self.election,
        };
        let agreed = self.question.agreed_master(self.enough()).filter(|(_, master)| *master != self.me);
        if let Some((election, master)) = agreed.filter(|(election, _)| is_news(*election)) {
            return self.follow(master, election, fx);
        }
        if let Some(election) = self.question.under_way(self.enough())
            && self.phase == Phase::Normal
            // A process whose election came to nothing still wants one. It asks until no election is under way.
            && !matches!(cause, AskingCause::AfterFailure | AskingCause::Again)
        {
            self.stand_aside(election, fx);
        }
    }

    /// That election is under way, and this process takes part in the next one.
    fn stand_aside(&mut self, election: ElectionNumber, fx: &mut Fx) {
        fx.line(109);
        self.learn(election.max(self.taken));
        self.question.close();
        self.question.waiting = None;
        self.readiness = Readiness::StandsAside;
        fx.set_timer(Timer::Ready, self.lasts());
    }

    /// How long an election may take, with the master's word.
    fn lasts(&self) -> Span {
        self.t * (2 * self.faulty as u64 + 6)
    }

    /// Into stop, under the master of an election in which this process took no part.
    fn follow(&mut self, master: NodeId, election: ElectionNumber, fx: &mut Fx) {
        fx.line(110);
        let waiting = self.question.waiting.take();
        if self.next.election() == election {
            self.next = ElectionBook::of(election.next());
        }
        self.belong_to(election, fx);
        self.announced = NodeSet::of(master);
        self.master = Some(master);
        self.enter(Phase::Stop, fx);
        if self.next.first_init().is_some() {
            self.take_up(fx);
        } else if waiting.is_some() {
            // The others may have ended that election just now, and begin no other one for 2T.
            self.question.waiting = waiting;
            fx.set_timer(Timer::Ready, self.t * 2);
        }
    }

    pub(super) fn on_ready(&mut self, fx: &mut Fx) {
        match self.readiness {
            // An order has waited until the others may begin too. Meanwhile an election may have begun.
            Readiness::Ready => {
                if !self.is_electing() {
                    self.take_up(fx);
                }
            }
            Readiness::Rests => {
                self.readiness = Readiness::Ready;
                if !self.take_up(fx) && self.question.is_overdue {
                    self.ask(AskingCause::InDoubt, fx);
                }
            }
            Readiness::StandsAside => {
                self.ask(AskingCause::InDoubt, fx);
                // Somebody wanted an election. One without this process may have had no candidate, and elected nobody.
                self.question.is_called_for = self.phase == Phase::Normal && fx.capacity() >= 0;
            }
            Readiness::Asks(cause) => self.end_asking(cause, fx),
        }
    }

    /// 2T after the question.
    fn end_asking(&mut self, cause: AskingCause, fx: &mut Fx) {
        let question = self.question.closed();
        self.readiness = Readiness::Ready;
        // An election that t+1 have ended is nobody's to end alone.
        let is_open = self.next.first_init().is_some() && !question.is_over(self.next.election(), self.enough());
        match cause {
            AskingCause::AfterFailure if is_open => {
                self.take_up(fx);
            }
            AskingCause::AfterFailure | AskingCause::Again => self.meet_again(cause, &question, fx),
            _ if self.phase == Phase::Stop => self.end_doubt(&question, fx),
            _ => self.end_asking_in_normal(cause, &question, fx),
        }
    }

    /// The election has come to nothing. If n-t processes are there, and none of them is in an election, it begins
    /// another one, above the highest number that any of them names, so that all can take part. If t+1 agree on a
    /// number below its own, it calls them, and they hold an election: without it they would stay one number behind. If
    /// fewer than n-t are there, it asks for help.
    fn meet_again(&mut self, cause: AskingCause, question: &OpenQuestion, fx: &mut Fx) {
        let agreed = question.agreed_master(self.enough()).filter(|(_, master)| *master != self.me);
        if let Some((election, master)) = agreed {
            return self.follow(master, election, fx);
        }
        // In the first 2T others may still be at the end of the same election.
        let own = Some(self.election).filter(|_| cause == AskingCause::AfterFailure);
        if question.is_another_under_way(own) {
            fx.line(112);
            return self.ask(AskingCause::Again, fx);
        }
        let (here, wanted) = (question.answered() + 1, self.lists_wanted());
        let none = question.agreed_on_none(self.enough());
        if here >= wanted && none.is_some_and(|election| election < self.spent) {
            fx.line(121);
            fx.broadcast(Word::Call { spent: self.spent }.into());
            return self.ask(AskingCause::Again, fx);
        }
        self.learn(self.highest_named(question.named()));
        if here >= wanted {
            fx.line(119);
            self.begin_after(self.taken, fx);
            return;
        }
        fx.line(120);
        fx.help(format!(
            "an election has come to nothing: it needs the lists of {wanted} processes (n-t), and {here} answer, this \
             one among them; recover or connect the others, or raise `t`, and order an election"
        ));
        if !self.take_up(fx) && none.is_none() {
            self.ask(AskingCause::Still, fx);
        }
    }

    /// A process that has a master gives it up if t+1 are elsewhere and no t+1 are with it.
    fn end_doubt(&mut self, question: &OpenQuestion, fx: &mut Fx) {
        let (enough, own) = (self.enough(), self.election);
        let is_confirmed = question.confirms(own, self.master, enough);
        let agreed = question.agreed_master(enough).filter(|(_, master)| !is_confirmed && *master != self.me);
        let none = question.agreed_on_none(enough).filter(|election| !is_confirmed && *election > own);
        let under_way = question.under_way(enough);
        if let Some((election, master)) = agreed {
            self.follow(master, election, fx);
        } else if let Some(election) = none {
            fx.line(111);
            self.meet_above(election, fx);
        } else if under_way.is_some_and(|election| election > own || question.is_overdue) {
            fx.line(112);
            self.question.is_overdue = question.is_overdue;
            self.ask(AskingCause::InDoubt, fx);
        } else if let Some(claimed) = question.claimed.filter(|_| !is_confirmed) {
            self.meet_claimed(claimed.max(own), fx);
        } else if question.is_called_for && !is_confirmed {
            self.meet_claimed(own, fx);
        } else if !self.take_up(fx) && question.is_overdue {
            self.begin(fx);
        }
    }

    fn end_asking_in_normal(&mut self, cause: AskingCause, question: &OpenQuestion, fx: &mut Fx) {
        let waits = self.question.waiting.is_some();
        let agreed = question.agreed_master(self.enough()).filter(|(_, master)| *master != self.me);
        let none = question.agreed_on_none(self.enough()).filter(|_| !question.has_missed);
        if let Some((election, master)) = agreed {
            self.follow(master, election, fx);
        } else if let Some(election) = none {
            fx.line(111);
            self.learn(election);
            if question.claimed.is_some() || question.is_called_for {
                self.meet_above(election, fx);
            } else if cause == AskingCause::AfterStart && waits {
                // Others may have started up to T later, and take part in no election before they have asked.
                self.ask_within(self.t, AskingCause::InDoubt, fx);
            } else {
                self.take_up(fx);
            }
        } else if let Some(claimed) = question.claimed {
            self.meet_claimed(claimed, fx);
        } else if cause == AskingCause::AfterStart && waits && question.under_way(1).is_some() {
            // An election may be under way: the order waits until that is over.
            fx.line(112);
            self.ask_within(self.lasts(), AskingCause::InDoubt, fx);
        } else if question.has_missed {
            fx.line(112);
            self.ask(AskingCause::InDoubt, fx);
        } else if question.is_called_for {
            self.meet_claimed(self.taken, fx);
        } else if !self.take_up_above(self.highest_named(question.named()), fx) {
            fx.line(112);
            self.ask(AskingCause::Still, fx);
        }
    }

    /// No t+1 agree, and somebody has claimed to be the master of this election, or wants one. If somebody has begun a
    /// later one, this process waits for its end; else it begins one.
    fn meet_claimed(&mut self, claimed: ElectionNumber, fx: &mut Fx) {
        if self.missed > claimed.max(self.taken) {
            self.stand_aside(self.missed, fx);
        } else {
            self.meet_above(claimed, fx);
        }
    }

    /// The election after that one. If somebody has begun it already, it is too late to start in it.
    fn meet_above(&mut self, election: ElectionNumber, fx: &mut Fx) {
        if self.missed == election.max(self.taken).next() {
            return self.stand_aside(self.missed, fx);
        }
        fx.line(114);
        self.begin_after(election, fx);
    }

    /// `elected` of this election: before stop it is remembered, for the master may stop first.
    fn on_elected(&mut self, from: NodeId, election: ElectionNumber, fx: &mut Fx) {
        if election != self.election {
            fx.line(103);
        } else if self.is_electing() {
            self.announced.insert(from);
        } else if self.phase == Phase::Stop && self.master == Some(from) && !self.announced.contains(from) {
            fx.line(206);
            self.announced.insert(from);
            self.question.is_overdue = false;
            fx.cancel_timer(Timer::Elected);
            self.watch.begin(from, fx);
        }
    }

    /// The master's word is overdue. Either it died as it was elected, or this process has started too early and come
    /// to the end before the others: then a new election would be too early again. So it asks.
    pub(super) fn miss_masters_word(&mut self, fx: &mut Fx) {
        if let (Phase::Stop, Some(master)) = (self.phase, self.master) {
            fx.line(207);
            self.watch.begin(master, fx);
            self.question.is_overdue = true;
            if self.readiness == Readiness::Ready {
                self.ask(AskingCause::InDoubt, fx);
            }
        }
    }

    pub(super) fn on_watch_timer(&mut self, timer: watch::Timer, fx: &mut Fx) {
        if self.watch.on_timer(timer, self.election, fx) == WatchFinding::MasterGone {
            self.begin(fx);
        }
    }

    pub(super) fn on_watch(&mut self, from: NodeId, message: watch::Message, fx: &mut Fx) {
        match message {
            watch::Message::Ask { call, election } => {
                self.watch.answer(from, call, fx);
                if self.phase == Phase::Stop && self.master == Some(self.me) && election != self.election {
                    fx.line(118);
                    self.claim_to(from, fx);
                }
            }
            watch::Message::Answer(number) => self.watch.take_answer(from, number, fx),
            watch::Message::Claim(claim) => self.on_claim(from, claim, fx),
        }
    }

    /// A master says under which election it is.
    fn on_claim(&mut self, from: NodeId, claim: Claim, fx: &mut Fx) {
        match self.phase {
            _ if self.is_electing() => {}
            _ if !self.may_be_honest(claim.election) => fx.line(103),
            Phase::Stop if claim.election < self.election => {
                fx.line(watch::COUNTERS.number);
                self.claim_to(from, fx);
                if self.master != Some(claim.master) {
                    self.doubt(claim.election, fx);
                }
            }
            Phase::Stop if claim.election == self.election => {
                if self.master != Some(claim.master) {
                    fx.line(210);
                    self.begin(fx);
                }
            }
            _ => self.doubt(claim.election, fx),
        }
    }

    /// There is a master of which this process knows nothing: it asks, and remembers the claim.
    fn doubt(&mut self, election: ElectionNumber, fx: &mut Fx) {
        self.doubt_own_place(fx);
        if let Readiness::Asks(AskingCause::InDoubt | AskingCause::Still) = self.readiness {
            self.question.claimed = Some(election);
        }
    }

    /// The others may be elsewhere: it asks.
    pub(super) fn doubt_own_place(&mut self, fx: &mut Fx) {
        if self.readiness == Readiness::Ready {
            fx.line(113);
            self.ask(AskingCause::InDoubt, fx);
        }
    }

    fn claim_to(&self, to: NodeId, fx: &mut Fx) {
        if let Some(master) = self.master {
            fx.send(to, watch::Message::Claim(Claim { election: self.election, master }).into());
        }
    }
}
