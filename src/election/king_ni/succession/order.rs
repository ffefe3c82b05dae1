//! The election that a process is in, where up to t may lie (Algorithm B.2, mends of holes 5 and 6): what the one order
//! of the broadcast says, and what t+1 processes say, and nothing else.
//!
//! A broadcast comes to all or to none, and to all in one order. What all make of it alike cannot part them, whoever
//! sent it. So an election opens with the first init of a number above all that the order has brought; that number,
//! `ordered`, is the same at all that follow the order. A process's own beginning does not move it before it comes back
//! in the order. Neither does what a sender says to one process alone, or of itself (`ask`): that moves only the number
//! that this process would begin with, and a process that leaves numbers out parts nobody.
//!
//! All alike drop a number far beyond: the last possible number would end all elections, or make two of them one. What
//! t+1 say counts however far it is, so a process that has been away finds its way back.
//!
//! In mid-election an init of a higher number is followed at once, as in B.1, and not, as the notes have it, after the
//! end of this election. It comes to all at one place of the order, so a process that leaves for it starts within T of
//! the rest. A process that waited would find the first init gone, for `S` begins with that init everywhere, and could
//! only begin another election: two groups that wait for each other like this begin in turn for ever.
//!
//! A liar could send one such init after another, and keep every election from its end. So each process may lead the
//! others out of an election once, until they have come to an end: what it begins before that waits for the end, and is
//! kept (`b2/kept.rs`). The price: t liars may put an end off by t elections, and 5T is a bound only where no liar does.
//!
//! A process that has passed over the first init of an election takes no part in it, and is one of the t. That the
//! election is under way is certain when t+1 others take part: one of them is correct. Then this process stands aside,
//! and asks how it ended. One alone would make it stand aside for ever. It follows the first init above that election
//! with all others: two groups that let each other pass over their elections would never be enough.
//!
//! Invariant: `ordered` moves by what is delivered to all, or by what t+1 have said; and it never goes back.

use super::{Admission, ElectionNumber, Hole, Readiness, Stage, Succeeds, Succession, Trust};
use protocol::{Effects, NodeId};

/// How far a number may be above what the order has brought. A process that was alone has begun a few elections of
/// which nobody heard; and to come to the last number by such steps takes 2^40 elections.
pub(super) const REACH: u64 = 1 << 24;

/// Numbers among the malicious.
impl Succession {
    /// What to do with an init of that election; `waits`, if it is kept for the end of the present one.
    pub fn admits<A: Succeeds>(
        &mut self,
        from: NodeId,
        election: ElectionNumber,
        waits: bool,
        stage: Stage,
        fx: &mut Effects<A>,
    ) -> Admission {
        if !self.mends(Hole::NoSecondElection) {
            return Admission::Hear;
        }
        let is_first = election > self.ordered && election.0 - self.ordered.0 <= REACH;
        if is_first {
            self.take_number(election, fx);
        }
        // A process that stands aside knows from which election, and hears the order: it follows the first init above
        // that one with all others.
        let is_barred = self.readiness == Readiness::Asking;
        match stage {
            Stage::Beginning | Stage::Election if election == self.election => Admission::Hear,
            _ if (is_first || waits) && !is_barred => {
                // Whether it began that election or followed it: two liars could help each other out.
                if self.is_under_way(stage) && !self.led_out.insert(from) {
                    fx.line(176);
                    return Admission::Keep;
                }
                fx.line(if stage == Stage::Election { 116 } else { 106 });
                self.open_as(election, fx);
                Admission::Fresh
            }
            Stage::Rest | Stage::Stop if is_barred || self.has_missed(election) => {
                if is_first {
                    self.missed = election;
                }
                self.hear_of(from, election, stage, fx);
                Admission::Drop
            }
            _ => {
                if election < self.ordered {
                    fx.line(136);
                }
                if election > self.ordered { Admission::Drop } else { self.answer_to_taken(stage, fx) }
            }
        }
    }

    /// Whether an election is under way: at this process, or at another that is T behind.
    fn is_under_way(&self, stage: Stage) -> bool {
        match stage {
            Stage::Beginning | Stage::Election => true,
            Stage::Stop => self.readiness == Readiness::Stopped,
            Stage::Rest => false,
        }
    }

    fn has_missed(&self, election: ElectionNumber) -> bool {
        election == self.missed && self.missed > ElectionNumber::default()
    }

    /// A process takes part in that election. If this process takes no part in it, it stands aside when enough do.
    pub fn hear_of<A: Succeeds>(&mut self, from: NodeId, election: ElectionNumber, stage: Stage, fx: &mut Effects<A>) {
        let is_other = match stage {
            Stage::Rest => true,
            Stage::Stop => election > self.election,
            Stage::Beginning | Stage::Election => false,
        };
        if let Trust::Agreement(enough) = self.trust
            && is_other
        {
            self.hear_voice(from, election, enough, fx);
        }
    }

    /// Somebody speaks of an election under way.
    pub(super) fn hear_voice<A: Succeeds>(
        &mut self,
        from: NodeId,
        election: ElectionNumber,
        enough: usize,
        fx: &mut Effects<A>,
    ) {
        if from == self.me || self.readiness == Readiness::StandingAside {
            return;
        }
        let highest = self.voices.get_or_default(from);
        *highest = election.max(*highest);
        if self.take_vouched(self.voices.values().copied().collect(), enough, fx) {
            self.stand_aside(fx);
        }
    }

    /// The highest number of which `enough` speak is taken: at least one of them is correct. Returns whether enough
    /// speak.
    pub(super) fn take_vouched<A: Succeeds>(
        &mut self,
        told: Vec<ElectionNumber>,
        enough: usize,
        fx: &mut Effects<A>,
    ) -> bool {
        let vouched = vouched(told, enough);
        if let Some(vouched) = vouched {
            self.take_number(vouched, fx);
        }
        vouched.is_some()
    }

    /// That number is taken beyond doubt.
    pub(super) fn take_number<A: Succeeds>(&mut self, election: ElectionNumber, fx: &mut Effects<A>) {
        self.ordered = self.ordered.max(election);
        if election > self.highest {
            self.raise_highest(election, fx);
        }
    }

    /// Whether one word is enough for this process to begin with a higher number. The limit is half of the reach, for
    /// the others may be a little behind, and must still follow.
    pub(super) fn is_within_reason(&self, election: ElectionNumber) -> bool {
        match self.trust {
            Trust::MastersWord => true,
            Trust::Agreement(_) => election.0 <= self.ordered.0.saturating_add(REACH / 2),
        }
    }
}

/// The highest number of which at least `enough` speak, if enough speak.
pub(super) fn vouched(mut told: Vec<ElectionNumber>, enough: usize) -> Option<ElectionNumber> {
    told.sort();
    told.len().checked_sub(enough).map(|place| told[place])
}
