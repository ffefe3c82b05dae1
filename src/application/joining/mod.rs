//! Joining a group by election (King, Gendreau and Ni 1988, section 7, item 5): a process that is no member begins an
//! election in which it stands above all members, and is admitted if it collects a majority of yes.
//!
//! The paper says no more, so this is ours. The members vote when the newcomer is the master. A member that has said
//! yes keeps that, and says yes to no other newcomer before it knows what became of this one: so each member set is
//! followed by one other, which has one member more, and majorities of the two have a member in common. A newcomer that
//! dies after a yes blocks the others until it is back; one that is refused says so. It asks no more until a user
//! orders it, and begins another election, so that a member is the master. Of two newcomers the one with votes comes
//! first.
//!
//! Invariant: a newcomer keeps that it is admitted before it tells anybody, and only after a majority has said yes.

mod admission;
mod card;
mod conditions;
mod judge;
mod machine;
mod message;
#[cfg(test)]
mod tests;
mod words;

use self::card as line;
pub use self::conditions::MEMBERS;
pub use self::machine::{JoinCells, JoinTimer, Joining};
use self::machine::{JoinEffects, JoinHabit, JoinPhase, JoinRole};
pub use self::message::{JoinMessage, JoinVote};
use crate::LabApplication;
use protocol::{
    Application, ApplicationCard, ApplicationEntry, JoinAttempt, JoinState, JoinWork, MemberView, NodeId, NodeSet,
    Settings, Setup, StateVector, Status, TaskId, Work,
};

/// What a program has of it.
pub const ENTRY: LabApplication = LabApplication {
    machine: ApplicationEntry::of::<Joining>(),
    judge: judge::of,
    did: words::did,
    row: words::row,
    fields: words::fields,
};

/// The least capacity of a newcomer that lets another one come first: larger than all that a criterion gives.
const GIVES_WAY: i64 = 10_000_000_000;
/// The least capacity of a newcomer.
const ASKS: i64 = 2 * GIVES_WAY;

impl Application for Joining {
    type Message = JoinMessage;
    type Timer = JoinTimer;
    type Saved = JoinCells;
    const CARD: ApplicationCard = card::CARD;

    fn start(setup: &Setup, settings: &Settings, saved: Option<JoinCells>) -> Joining {
        let all = setup.roster.all();
        let members = settings.nodes(line::MEMBERS).unwrap_or(all);
        let first = JoinCells { view: MemberView { version: 0, members }, pending: None };
        let cells = saved.unwrap_or(first);
        let agrees = settings.nodes(line::AGREES).is_none_or(|nodes| nodes.contains(setup.me));
        let habit = if setup.is_candidate() { JoinHabit::MayAsk } else { JoinHabit::Abstains };
        let stance = match habit {
            _ if cells.view.members.contains(setup.me) => JoinState::Member,
            JoinHabit::MayAsk => JoinState::Asks,
            JoinHabit::Abstains => JoinState::Outside,
        };
        Joining {
            me: setup.me,
            others: setup.roster.others(setup.me),
            t: setup.timing.t,
            check: setup.timing.check,
            silence: setup.timing.silence,
            opinion: if agrees { JoinVote::Yes } else { JoinVote::No },
            cells,
            habit,
            stance,
            role: JoinRole::Away(Status::Down),
            attempt: JoinAttempt { incarnation: setup.incarnation, serial: 0 },
            refusals: 0,
            refused_by: None,
        }
    }

    fn on_state(&mut self, state: &StateVector, fx: &mut JoinEffects) {
        let now = TaskId::at_work(state);
        if self.task().is_some() && self.task() != now {
            fx.line(line::STOP);
            [JoinTimer::Again, JoinTimer::Tell, JoinTimer::Begin].into_iter().for_each(|timer| fx.cancel_timer(timer));
            self.role = JoinRole::Away(state.status);
        }
        match (&mut self.role, now, state.believes_in()) {
            (JoinRole::Away(_), Some(task), Some(master)) if master == self.me => self.become_master(task, fx),
            (JoinRole::Away(_), Some(task), Some(master)) => {
                self.role = JoinRole::Under { task, master };
                self.wait_to_begin(fx);
            }
            (JoinRole::Away(status), ..) => {
                *status = state.status;
                self.wait_to_begin(fx);
            }
            _ => {}
        }
    }

    fn on_message(&mut self, from: NodeId, message: JoinMessage, fx: &mut JoinEffects) {
        let is_of_master = matches!(&self.role, JoinRole::Under { master, .. } if *master == from);
        match message {
            JoinMessage::Join(attempt, view) if is_of_master => self.vote(from, attempt, view, fx),
            JoinMessage::Join(..) => {}
            JoinMessage::Vote(attempt, vote, view) => self.count(from, attempt, vote, view, fx),
            JoinMessage::Members(view) => self.hear_members(from, view, fx),
            JoinMessage::Blocks => self.answer_block(from, fx),
            JoinMessage::Withdraw(attempt) => self.forget(from, attempt, fx),
        }
    }

    fn on_timer(&mut self, timer: JoinTimer, fx: &mut JoinEffects) {
        match timer {
            JoinTimer::Begin => self.begin(fx),
            JoinTimer::Again => self.ask_again(fx),
            JoinTimer::Tell => self.tell_again(fx),
        }
    }

    fn on_request(&mut self, fx: &mut JoinEffects) {
        match (self.stance, self.habit) {
            (JoinState::Outside, JoinHabit::MayAsk) => {
                fx.line(line::WANT);
                self.stance = JoinState::Asks;
                if let JoinRole::Master { .. } = self.role { self.ask_all(1, fx) } else { self.wait_to_begin(fx) }
            }
            (JoinState::Member | JoinState::Outside, _) => fx.line(line::ABSTAIN),
            _ => {}
        }
    }

    fn capacity(&self, given: i64) -> i64 {
        match self.stance {
            // The lab says that it is no candidate.
            _ if given < 0 => given,
            JoinState::Outside => 0,
            JoinState::Member => 1 + given,
            JoinState::GivesWay => GIVES_WAY + given,
            JoinState::Asks => ASKS + given,
        }
    }

    fn waits_for(&self, timer: JoinTimer) -> NodeSet {
        match (timer, &self.role) {
            (JoinTimer::Again, JoinRole::Master { phase: JoinPhase::Asks { poll, .. }, .. }) => {
                self.cells.view.members.minus(&poll.yes).minus(&poll.no)
            }
            (JoinTimer::Tell, JoinRole::Master { phase: JoinPhase::Tells { knowing }, .. }) => {
                self.others.minus(knowing)
            }
            _ => NodeSet::EMPTY,
        }
    }

    fn work(&self) -> Work {
        let poll = match &self.role {
            JoinRole::Master { phase: JoinPhase::Asks { poll, .. }, .. } => Some(*poll),
            _ => None,
        };
        Work::Joining(JoinWork {
            view: self.cells.view,
            stance: self.stance,
            poll,
            pending: self.cells.pending,
            refusals: self.refusals,
            refused_by: self.refused_by,
        })
    }
}

impl Joining {
    /// Wants in, and no election is under way: it begins one after a while. If another newcomer is the master, that
    /// one gets the time that its votes take.
    fn wait_to_begin(&mut self, fx: &mut JoinEffects) {
        let newcomer_first = match &self.role {
            JoinRole::Away(Status::Election | Status::Reorganization) => return fx.cancel_timer(JoinTimer::Begin),
            JoinRole::Master { .. } => return,
            JoinRole::Away(_) => false,
            JoinRole::Under { master, .. } => !self.cells.view.members.contains(*master),
        };
        if self.wants_in() {
            let is_second = newcomer_first || self.stance == JoinState::GivesWay;
            fx.set_timer(JoinTimer::Begin, if is_second { self.silence } else { self.check });
        }
    }

    fn begin(&mut self, fx: &mut JoinEffects) {
        match &self.role {
            JoinRole::Master { phase: JoinPhase::Tells { .. }, .. } if self.stance != JoinState::Member => {
                fx.line(line::RESIGN);
            }
            JoinRole::Master { .. } => return,
            _ if self.wants_in() => fx.line(line::BEGIN),
            _ => return,
        }
        fx.elect();
        fx.set_timer(JoinTimer::Begin, self.silence);
    }
}
