//! Mutual exclusion by election (King, Gendreau and Ni 1988, section 7, item 6): whenever a process leaves the critical
//! section, all processes that want in compete in an election, and the one that is elected enters.
//!
//! The criterion decides who is elected. With the time since a process was elected last, no process overtakes another
//! one twice. With ids, the largest that wants in always wins. The paper lets only those compete that want in. Here the
//! others stand too, below all of them: so an election whose last competitor has crashed still has a master, and that
//! one can be asked (ours). A process that is inside when somebody begins an election stands above all others: it is
//! still inside, and stays the master.
//!
//! Invariant: a process enters only in a step in which it has been elected anew, and while another is its master it is
//! not inside.

mod card;
mod message;
#[cfg(test)]
mod tests;
mod words;

use serde::{Deserialize, Serialize};

use self::card as line;
pub use self::message::ExclusionMessage;
use crate::LabApplication;
use crate::section::{self, EntryPolicy};
use protocol::{
    Application, ApplicationCard, ApplicationEffects, ApplicationEntry, NodeId, NodeSet, SectionState, SectionWork,
    Settings, Setup, Span, StateVector, Status, Work,
};

/// What a program has of it.
pub const ENTRY: LabApplication = LabApplication {
    machine: ApplicationEntry::of::<Exclusion>(),
    judge: section::judge::of,
    did: words::did,
    row: section::words::row,
    fields: words::fields,
};

/// The least capacity of a process that wants in: larger than all that a criterion gives.
const WAITING: i64 = 10_000_000_000;
/// The capacity of a process that is inside.
const INSIDE: i64 = 2 * WAITING;

protocol::worded! {
    /// The timers of mutual exclusion.
    #[derive(Copy, Clone, Eq, PartialEq, Ord, PartialOrd, Hash, Debug, Serialize, Deserialize)]
    pub enum ExclusionTimer {
        /// The time outside is over.
        Outside = "end of the time outside",
        /// The time inside is over.
        Inside = "end of the time inside",
        /// Still waits.
        Waiting = "next word to the master",
    }
}

/// One process's part.
#[derive(Clone, Eq, PartialEq, Hash, Debug)]
pub struct Exclusion {
    me: NodeId,
    check: Span,
    outside: Span,
    inside: Span,
    habit: EntryPolicy,
    stance: SectionState,
    entries: u64,
    /// Where its process stands in the elections.
    standing: ElectionStanding,
    /// How often it will enter because users have asked, beside the entry that it waits for.
    requests: u32,
}

/// Where a process stands in the elections, as far as it matters here.
#[derive(Copy, Clone, Eq, PartialEq, Hash, Debug)]
enum ElectionStanding {
    /// Has not come to an end of an election, or to one that elected nobody.
    Masterless,
    /// Is in one.
    Electing,
    /// Is in one, and may stand there as it was when it was inside: to win that one is no entry.
    ElectingAsInside,
    /// Follows this master.
    Under(NodeId),
    /// Is the master that this election has elected.
    Master(Option<u64>),
}

impl ElectionStanding {
    fn of(state: &StateVector, me: NodeId) -> ElectionStanding {
        match (state.status, state.coordinator) {
            (Status::Normal, Some(master)) if master == me => ElectionStanding::Master(state.election),
            (Status::Normal, Some(master)) => ElectionStanding::Under(master),
            (Status::Down | Status::Normal, _) => ElectionStanding::Masterless,
            (Status::Election | Status::Reorganization, _) => ElectionStanding::Electing,
        }
    }
}

type ExclusionEffects = ApplicationEffects<Exclusion>;

impl Application for Exclusion {
    type Message = ExclusionMessage;
    type Timer = ExclusionTimer;
    type Saved = ();
    const CARD: ApplicationCard = card::CARD;

    fn start(setup: &Setup, settings: &Settings, _: Option<()>) -> Exclusion {
        let habit = if setup.is_candidate() { EntryPolicy::of(setup.me, settings) } else { EntryPolicy::Abstains };
        let (outside, inside) = section::spans(settings);
        Exclusion {
            me: setup.me,
            check: setup.timing.check,
            outside,
            inside,
            habit,
            stance: if habit == EntryPolicy::Asks { SectionState::Waiting } else { SectionState::Outside },
            entries: 0,
            standing: ElectionStanding::Electing,
            requests: 0,
        }
    }

    fn on_state(&mut self, state: &StateVector, fx: &mut ExclusionEffects) {
        let (before, standing) = (self.standing, ElectionStanding::of(state, self.me));
        let goes_on = before == ElectionStanding::ElectingAsInside && standing == ElectionStanding::Electing;
        if before == standing || goes_on {
            return;
        }
        self.standing = standing;
        match (self.stance, standing) {
            (SectionState::Waiting, ElectionStanding::Master(_)) if before != ElectionStanding::ElectingAsInside => {
                self.enter(fx);
            }
            // Its algorithm may be asking what it has missed: if there is a master, it hears of that one first.
            (SectionState::Waiting, ElectionStanding::Masterless) => fx.set_timer(ExclusionTimer::Waiting, self.check),
            (SectionState::Waiting, _) => self.knock(fx),
            (SectionState::Inside, ElectionStanding::Master(_)) => fx.line(line::STAY),
            (SectionState::Inside, ElectionStanding::Under(_)) => {
                fx.line(line::OUSTED);
                fx.cancel_timer(ExclusionTimer::Inside);
                self.become_outside(fx);
            }
            (SectionState::Inside | SectionState::Outside, _) => {}
        }
    }

    fn on_message(&mut self, _: NodeId, message: ExclusionMessage, fx: &mut ExclusionEffects) {
        let ExclusionMessage::Wants = message;
        if let (ElectionStanding::Master(_), SectionState::Outside) = (self.standing, self.stance) {
            fx.line(line::GRANT);
            fx.elect();
        }
    }

    fn on_timer(&mut self, timer: ExclusionTimer, fx: &mut ExclusionEffects) {
        match (timer, self.stance) {
            (ExclusionTimer::Outside, SectionState::Outside) => self.become_waiting(fx),
            (ExclusionTimer::Inside, SectionState::Inside) => {
                fx.line(line::LEAVE);
                self.become_outside(fx);
                match self.standing {
                    ElectionStanding::Master(_) => fx.elect(),
                    ElectionStanding::Electing => self.standing = ElectionStanding::ElectingAsInside,
                    _ => {}
                }
            }
            (ExclusionTimer::Waiting, SectionState::Waiting) => self.knock(fx),
            _ => {}
        }
    }

    fn on_request(&mut self, fx: &mut ExclusionEffects) {
        match self.stance {
            _ if self.habit == EntryPolicy::Abstains => fx.line(line::ABSTAIN),
            SectionState::Outside => self.become_waiting(fx),
            SectionState::Waiting | SectionState::Inside => self.requests = self.requests.saturating_add(1),
        }
    }

    fn capacity(&self, given: i64) -> i64 {
        match self.stance {
            // The lab says that it is no candidate.
            _ if given < 0 => given,
            SectionState::Outside => 0,
            SectionState::Waiting => WAITING + given,
            SectionState::Inside => INSIDE,
        }
    }

    fn waits_for(&self, _: ExclusionTimer) -> NodeSet {
        NodeSet::EMPTY
    }

    fn work(&self) -> Work {
        Work::Exclusion(SectionWork { stance: self.stance, entries: self.entries })
    }
}

impl Exclusion {
    fn become_outside(&mut self, fx: &mut ExclusionEffects) {
        self.stance = SectionState::Outside;
        if self.requests > 0 {
            self.requests -= 1;
            fx.line(line::WANT);
            self.stance = SectionState::Waiting;
            fx.set_timer(ExclusionTimer::Waiting, self.check);
        } else if self.habit == EntryPolicy::Asks {
            fx.set_timer(ExclusionTimer::Outside, self.outside);
        }
    }

    fn become_waiting(&mut self, fx: &mut ExclusionEffects) {
        fx.line(line::WANT);
        fx.cancel_timer(ExclusionTimer::Outside);
        self.stance = SectionState::Waiting;
        self.knock(fx);
    }

    fn enter(&mut self, fx: &mut ExclusionEffects) {
        fx.line(line::ENTER);
        self.stance = SectionState::Inside;
        self.entries += 1;
        fx.cancel_timer(ExclusionTimer::Waiting);
        fx.set_timer(ExclusionTimer::Inside, self.inside);
    }

    /// Waits: what it does for it depends on who is master.
    fn knock(&mut self, fx: &mut ExclusionEffects) {
        match self.standing {
            ElectionStanding::Masterless | ElectionStanding::Master(_) => {
                fx.line(line::BEGIN);
                fx.elect();
            }
            ElectionStanding::Under(master) => {
                fx.line(line::ASK);
                fx.send(master, ExclusionMessage::Wants);
            }
            ElectionStanding::Electing | ElectionStanding::ElectingAsInside => {}
        }
        fx.set_timer(ExclusionTimer::Waiting, self.check);
    }
}
