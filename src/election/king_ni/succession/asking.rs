//! What a starting process has missed (mend of hole 5), the master's word, and the watch over it.
//!
//! Invariant: an answer makes nobody stand in an election; a master is taken from an answer only under the number of
//! the election that it was elected in; an order that waits is not lost by following a master.

use super::super::watch::{self, Claim, WatchFinding};
use super::super::{ElectionNumber, Hole};
use super::order;
use super::{ElectionOutcome, Heard, Message, Readiness, Stage, Succeeds, Succession, Timer, Trust};
use protocol::{Effects, NodeId, NodeSet, Span};

/// What is heard and asked beside the table.
impl Succession {
    /// A message came. `Some`: the table goes to stop under this master, of an election in which it took no part.
    pub fn on_message<A: Succeeds>(
        &mut self,
        from: NodeId,
        message: Message,
        stage: Stage,
        fx: &mut Effects<A>,
    ) -> Option<NodeId> {
        if from == self.me {
            return None;
        }
        match message {
            Message::Elected { election } => self.on_elected(from, election, stage, fx),
            _ if !self.mends(Hole::NoSecondElection) => None,
            Message::Ask { election } => {
                self.on_ask(from, election, stage, fx);
                None
            }
            Message::UnderWay { election } => {
                match (self.trust, self.is_asking()) {
                    (_, false) => {}
                    (Trust::MastersWord, true) => {
                        self.learn(election, fx);
                        self.stand_aside(fx);
                    }
                    // If a process has just come to its end without a master, processes that come to theirs a moment
                    // later may answer: they are in no other election.
                    (Trust::Agreement(_), true)
                        if self.readiness == Readiness::AskingAgain && election <= self.election => {}
                    (Trust::Agreement(enough), true) => {
                        self.hear_voice(from, election, enough, fx);
                        self.take_answered(enough, fx);
                    }
                }
                None
            }
            Message::Ended { election, master, taken } => self.on_ended(from, ((election, master), taken), stage, fx),
        }
    }

    /// A message of the watch came.
    pub fn on_watch<A: Succeeds>(
        &mut self,
        from: NodeId,
        message: watch::Message,
        stage: Stage,
        fx: &mut Effects<A>,
    ) -> Heard {
        match message {
            watch::Message::Ask { call, .. } => self.watch.answer(from, call, fx),
            watch::Message::Answer(number) => self.watch.take_answer(from, number, fx),
            watch::Message::Claim(claim) if self.mends(Hole::NoSecondElection) => {
                return self.on_claim(from, claim, stage, fx);
            }
            watch::Message::Claim(_) => {}
        }
        Heard::Nothing
    }

    /// Before an election a master's claim counts as its word. Among the malicious it is a reason to ask, and where t+1
    /// do not agree, a reason to begin: if t is large there may be no t+1 that could.
    fn on_claim<A: Succeeds>(&mut self, from: NodeId, claim: Claim, stage: Stage, fx: &mut Effects<A>) -> Heard {
        match (stage, self.master, self.trust) {
            (Stage::Stop, Some(master), _) => {
                let own = Claim { election: self.election, master };
                if self.is_within_reason(claim.election) && watch::meet(from, claim, own, fx) {
                    return Heard::Begin(claim.election);
                }
            }
            (Stage::Rest, _, Trust::MastersWord) if claim.master == from => {
                return self.on_elected(from, claim.election, stage, fx).map_or(Heard::Nothing, Heard::Master);
            }
            (Stage::Rest, _, Trust::Agreement(_)) => match self.readiness {
                Readiness::Ready => self.ask_again(fx),
                Readiness::StillAsking if self.is_within_reason(claim.election) => {
                    fx.line(155);
                    return Heard::Begin(claim.election);
                }
                _ => {}
            },
            _ => {}
        }
        Heard::Nothing
    }

    /// Timer `Ready` has run out. Returns whether the process must begin an election.
    pub fn on_ready<A: Succeeds>(&mut self, stage: Stage, fx: &mut Effects<A>) -> bool {
        match self.readiness {
            Readiness::StandingAside => {
                self.ask_again(fx);
                false
            }
            Readiness::Asking | Readiness::AskingAgain | Readiness::StillAsking
                if self.waiting.is_none() && !self.is_agreed() =>
            {
                fx.line(145);
                self.ask(Readiness::StillAsking, fx);
                false
            }
            // Too few to agree say that an election is under way, and it may be: an order waits until that election is
            // over.
            Readiness::Asking if !self.is_agreed() && !self.voices.is_empty() => {
                fx.line(145);
                self.ask_within(self.lasts, Readiness::AskingAgain, fx);
                false
            }
            _ => {
                if self.trust == Trust::MastersWord {
                    // Nobody has said how it ended, nor that it goes on: it has elected nobody.
                    self.missed = ElectionNumber::default();
                }
                if self.readiness == Readiness::Stopped {
                    // All have come to their end by now.
                    self.led_out = NodeSet::EMPTY;
                }
                self.readiness = Readiness::Ready;
                // Without this process the election that it stood aside from may have had no candidate.
                let is_missing = std::mem::take(&mut self.is_left_out) && stage == Stage::Rest && fx.capacity() >= 0;
                self.waiting.take().is_some() || is_missing
            }
        }
    }

    /// The master's word is overdue: it died as it was elected. A process that cannot begin asks it from now on. Returns
    /// whether the process must begin an election.
    pub fn miss_elected<A: Succeeds>(&mut self, stage: Stage, fx: &mut Effects<A>) -> bool {
        let Some(master) = self.master.filter(|_| stage == Stage::Stop) else { return false };
        fx.line(207);
        self.watch.begin(master, fx);
        true
    }

    /// A timer of the watch has run out. Returns whether the master is gone.
    pub fn on_watch_timer<A: Succeeds>(&mut self, timer: watch::Timer, fx: &mut Effects<A>) -> bool {
        self.watch.on_timer(timer, self.election, fx) == WatchFinding::MasterGone
    }

    /// The node whose answer the timer waits for.
    pub fn waits_for<const TABLE: u8>(&self, timer: super::super::Timer<TABLE>) -> NodeSet {
        match timer {
            super::super::Timer::Elected => self.master.map_or(NodeSet::EMPTY, NodeSet::of),
            super::super::Timer::Watch(timer) => self.watch.waits_for(timer),
            _ => NodeSet::EMPTY,
        }
    }

    /// The table has elected nobody. Others may have a master, if this process was alone; as far as it knows, it has
    /// heard all that there was to hear.
    pub fn ask_on<A: Succeeds>(&mut self, fx: &mut Effects<A>) {
        self.ask(Readiness::StillAsking, fx);
    }

    pub(super) fn ask<A: Succeeds>(&mut self, asking: Readiness, fx: &mut Effects<A>) {
        self.ask_within(self.t * 2, asking, fx);
    }

    fn ask_within<A: Succeeds>(&mut self, span: Span, asking: Readiness, fx: &mut Effects<A>) {
        fx.line(105);
        self.readiness = asking;
        self.outcomes.clear();
        self.voices.clear();
        fx.broadcast(Message::Ask { election: self.highest }.into());
        fx.set_timer(Timer::Ready.into(), span);
    }

    pub(super) fn stand_aside<A: Succeeds>(&mut self, fx: &mut Effects<A>) {
        fx.line(115);
        self.readiness = Readiness::StandingAside;
        self.is_left_out = true;
        self.waiting = None;
        self.voices.clear();
        fx.set_timer(Timer::Ready.into(), self.lasts);
    }

    fn is_asking(&self) -> bool {
        matches!(self.readiness, Readiness::Asking | Readiness::AskingAgain | Readiness::StillAsking)
    }

    /// Whether enough have answered alike: with one master of one election, or all of them with none.
    fn is_agreed(&self) -> bool {
        let Trust::Agreement(enough) = self.trust else { return true };
        let outcomes = || self.outcomes.values().map(|(outcome, _)| *outcome);
        let knows_a_master = |(_, master): &ElectionOutcome| master.is_some();
        let of_none = self.voices.is_empty() && !outcomes().any(|outcome| knows_a_master(&outcome));
        let alike = |one: ElectionOutcome| outcomes().filter(|other| *other == one).count();
        (of_none && outcomes().count() >= enough) || outcomes().filter(knows_a_master).any(|one| alike(one) >= enough)
    }

    /// Enough have answered, whatever they say: the number that they know of is taken.
    fn take_answered<A: Succeeds>(&mut self, enough: usize, fx: &mut Effects<A>) {
        self.take_vouched(self.answered(), enough, fx);
    }

    /// Of each process that has answered, the highest number that it says is taken.
    fn answered(&self) -> Vec<ElectionNumber> {
        let mut told = self.voices.clone();
        for (from, (_, taken)) in &self.outcomes {
            let highest = told.get_or_default(*from);
            *highest = (*highest).max(*taken);
        }
        told.into_values().collect()
    }

    fn on_ask<A: Succeeds>(&mut self, from: NodeId, election: ElectionNumber, stage: Stage, fx: &mut Effects<A>) {
        self.learn(election, fx);
        let election = self.election;
        // Among the malicious `highest` may be what one liar has said to this process.
        let taken = match self.trust {
            Trust::MastersWord => self.highest,
            Trust::Agreement(_) => self.ordered,
        };
        let answer = match stage {
            Stage::Beginning | Stage::Election => Message::UnderWay { election: taken },
            Stage::Stop => Message::Ended { election, master: self.master, taken },
            Stage::Rest => Message::Ended { election, master: None, taken },
        };
        fx.line(135);
        fx.send(from, answer.into());
    }

    fn on_ended<A: Succeeds>(
        &mut self,
        from: NodeId,
        (outcome, taken): (ElectionOutcome, ElectionNumber),
        stage: Stage,
        fx: &mut Effects<A>,
    ) -> Option<NodeId> {
        let (election, master) = outcome;
        match self.trust {
            // The others' word tells which numbers are taken.
            Trust::MastersWord => {
                // A garbled answer may tell of an election beyond all that are taken.
                self.learn(taken.max(election), fx);
                if master == Some(from) { self.on_elected(from, election, stage, fx) } else { None }
            }
            Trust::Agreement(enough) if self.is_asking() => {
                self.outcomes.insert(from, (outcome, taken));
                let agree = self.outcomes.values().filter(|(other, _)| *other == outcome).count();
                let is_old = stage == Stage::Stop && election <= self.election;
                let follows = master.filter(|master| agree >= enough && !is_old && *master != self.me);
                // A step saves once: the highest number that this answer makes known.
                let told = Some(taken.max(election)).filter(|told| self.is_within_reason(*told));
                let vouched = order::vouched(self.answered(), enough).max(follows.map(|_| election));
                self.ordered = self.ordered.max(vouched.unwrap_or_default());
                if let Some(highest) = told.max(vouched).filter(|highest| *highest > self.highest) {
                    self.raise_highest(highest, fx);
                }
                follows.map(|master| self.follow(master, election, fx))
            }
            Trust::Agreement(_) => None,
        }
    }

    /// `elected`, of this election or of one that this process took no part in.
    fn on_elected<A: Succeeds>(
        &mut self,
        from: NodeId,
        election: ElectionNumber,
        stage: Stage,
        fx: &mut Effects<A>,
    ) -> Option<NodeId> {
        let took_part = election == self.election && stage != Stage::Rest;
        if !self.mends(Hole::NoSecondElection) || took_part {
            self.hear_master(from, stage, fx);
            return None;
        }
        let is_news = if stage == Stage::Rest { election >= self.missed } else { election > self.election };
        match self.trust {
            Trust::MastersWord if is_news => {
                self.learn(election, fx);
                Some(self.follow(from, election, fx))
            }
            Trust::MastersWord => {
                fx.line(136);
                None
            }
            Trust::Agreement(_) => None,
        }
    }

    /// Shows the number of that election, not a higher number that is taken: this is not the master of the higher
    /// election.
    fn follow<A: Succeeds>(&mut self, master: NodeId, election: ElectionNumber, fx: &mut Effects<A>) -> NodeId {
        fx.line(125);
        // Enough processes may name this master without saying that its number is taken.
        self.take_number(election, fx);
        self.enter(election, fx);
        self.announced = NodeSet::of(master);
        master
    }

    /// `elected` of this election: before stop it is remembered, for the master may stop first. Another process that
    /// says it too does not cancel that word.
    fn hear_master<A: Succeeds>(&mut self, from: NodeId, stage: Stage, fx: &mut Effects<A>) {
        match stage {
            Stage::Beginning | Stage::Election => {
                self.announced.insert(from);
            }
            Stage::Stop if self.master == Some(from) && !self.announced.contains(from) => {
                fx.line(206);
                self.announced.insert(from);
                fx.cancel_timer(Timer::Elected.into());
                self.watch.begin(from, fx);
            }
            Stage::Rest | Stage::Stop => {}
        }
    }
}
