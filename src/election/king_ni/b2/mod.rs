//! Algorithm B.2 of King, Gendreau and Ni 1988, section 5.2, Table 3: election with partial synchrony, up to t
//! malicious.
//!
//! All tell all their capacities (`init`), collect for 2T, tell all what they have collected (`vect`), collect for
//! another 2T, and let the first n-t lists decide, which are the same everywhere, for the broadcast is ordered. The
//! table sends nothing from `stop`: here the master announces itself there, and its followers watch it. Mended are the
//! holes 1 and 8 to 11 (which inits and which lists count, and where), 5 (a process that was down never learns the
//! outcome), 6 (no second election) and 7 (only a candidate begins).
//!
//! The one order itself mends hole 8: lists count from the first init of their election on, and that init is at the
//! same place everywhere. A process that has just started takes no part, and is one of the t. `succession/order.rs`
//! says which election a process is in, and how far a liar's word counts for that.
//!
//! What a process does in a phase stands in `table`; here stands what is around the table, with `succession`.
//!
//! Invariant: the table's timer runs in coll1 and coll2 and nowhere else; `S` and `Y` are ordered by delivery, and
//! one's own entry comes by one's own broadcast; mended, both are prefixes of one order that all have in common.

mod card;
mod kept;
mod lists;
mod table;
#[cfg(test)]
mod tests;

use self::kept::KeptMessage;
use super::succession::{Admission, Heard, Stage, Succession, Trust};
use super::table::{Event, Phase, Row, TableMachine, step};
use super::{ElectionNumber, Hole};
use protocol::{Algorithm, Ballot, Card, Effects, Lists, NodeId, NodeSet, Setup, Span, StateVector};

pub use self::card::{LOST_ANSWERS, Message};
pub use self::lists::{Decision, Entry, List, ListForm, WalkedList, el};

/// The machine of Algorithm B.2 at one process.
#[derive(Clone, Eq, PartialEq, Hash, Debug)]
pub struct AlgorithmB2 {
    me: NodeId,
    t: Span,
    /// n-t: this many lists decide.
    enough: usize,
    form: ListForm,
    phase: Phase,
    /// `S`.
    candidates: Vec<Entry>,
    /// `Y`.
    lists: Vec<(NodeId, List)>,
    /// The list that decided, by `el(Y)`.
    decided: Option<Vec<Entry>>,
    /// Of elections that wait for the end of this one.
    kept: Vec<KeptMessage>,
    /// The number of the election, `ms`, and what the process asks and tells besides the table.
    succession: Succession,
}

/// What a message of the table says.
#[derive(Clone, Eq, PartialEq, Hash, Debug)]
pub(super) enum Word {
    Init(i64),
    Vect(List),
}

/// The timers of this algorithm.
pub type Timer = super::Timer<3>;

type Fx = Effects<AlgorithmB2>;

impl Algorithm for AlgorithmB2 {
    type Message = Message;
    type Timer = Timer;
    /// The highest election number seen, so that it never goes back (mend of hole 6).
    type Saved = ElectionNumber;
    const CARD: Card = card::CARD;

    /// A process starts in normal and begins nothing: starting an election is the application's doing. Mended, it asks
    /// what it has missed.
    fn start(setup: &Setup, saved: Option<ElectionNumber>, fx: &mut Fx) -> AlgorithmB2 {
        // The Card bounds t by n-1, and n by a number that fits.
        let faulty = setup.settings.number("t") as usize;
        let terms = (Trust::Agreement(faulty + 1), setup.timing.t * 6, LOST_ANSWERS);
        AlgorithmB2 {
            me: setup.me,
            t: setup.timing.t,
            enough: usize::from(setup.roster.len()) - faulty,
            form: if setup.settings.word("lists") == "full" { ListForm::Full } else { ListForm::Lengths },
            phase: Phase::Normal,
            candidates: Vec::new(),
            lists: Vec::new(),
            decided: None,
            kept: Vec::new(),
            succession: Succession::start(setup, saved, terms, fx),
        }
    }

    fn on_message(&mut self, from: NodeId, message: Message, fx: &mut Fx) {
        let stage = self.stage();
        match message {
            // A process's own words in normal are a dead incarnation's.
            Message::Init { .. } | Message::Vect { .. } if from == self.me && self.phase == Phase::Normal => {}
            Message::Init { election, capacity } => {
                let waits = self.waits(election);
                match self.succession.admits(from, election, waits, stage, fx) {
                    Admission::Drop => {}
                    Admission::Hear => self.hear(from, Word::Init(capacity), fx),
                    Admission::Keep => self.keep(election, from, Word::Init(capacity)),
                    Admission::Fresh => {
                        self.become_fresh(election, fx);
                        self.hear(from, Word::Init(capacity), fx);
                    }
                    Admission::BeginAnew => self.begin(fx),
                }
            }
            Message::Vect { election, list } => {
                if self.waits(election) {
                    self.keep(election, from, Word::Vect(list));
                } else if self.is_of_this(from, election, fx) {
                    self.hear(from, Word::Vect(list), fx);
                }
            }
            Message::Succession(message) => {
                let before = self.succession.election();
                if let Some(master) = self.succession.on_message(from, message, stage, fx) {
                    if self.succession.election() != before {
                        self.become_normal();
                    }
                    self.succession.elect(Some(master));
                    self.enter(Phase::Stop, fx);
                }
            }
            Message::Watch(message) => match self.succession.on_watch(from, message, stage, fx) {
                Heard::Nothing => {}
                Heard::Master(_) => unreachable!("one word makes no master here"),
                Heard::Begin(_) if fx.capacity() < 0 && !self.succession.mends(Hole::OnlyCandidatesBegin) => {}
                Heard::Begin(taken) if self.succession.may_begin(fx) => {
                    self.succession.open_above(taken, stage, fx);
                    self.become_beginner(fx);
                }
                Heard::Begin(taken) => self.succession.learn(taken, fx),
            },
        }
    }

    fn on_timer(&mut self, timer: Timer, fx: &mut Fx) {
        let begins = match timer {
            Timer::Table => {
                self.step_alone(Event::TimeOut, fx);
                false
            }
            Timer::Ready | Timer::Kept => {
                let begins = self.succession.on_ready(self.stage(), fx);
                !self.opens_kept(fx) && begins
            }
            Timer::Elected => {
                let begins = self.succession.miss_elected(self.stage(), fx);
                !self.opens_kept(fx) && begins
            }
            Timer::Watch(timer) => self.succession.on_watch_timer(timer, fx),
        };
        if begins {
            self.begin(fx);
        }
    }

    fn on_elect(&mut self, fx: &mut Fx) {
        self.begin(fx);
    }

    /// A phase of the table waits for nobody in particular; in stop a process waits for the master.
    fn waits_for(&self, timer: Timer) -> NodeSet {
        self.succession.waits_for(timer)
    }

    fn state(&self) -> StateVector {
        let (course, master) = (self.phase.course(), self.succession.master());
        let stands_with = self.succession.stands_with();
        StateVector {
            election: self.succession.shown_election(),
            ballot: Some(Box::new(Ballot { course, stands_with, announcements: 0, lists: self.lists_to_show() })),
            ..StateVector::new(self.phase.status_under(master), self.phase.word(), master)
        }
    }
}

impl TableMachine for AlgorithmB2 {
    /// `j`, and what it says.
    type Heard = (NodeId, Word);
    const PAPER: &'static [Row<AlgorithmB2>] = table::PAPER;
    const MENDS: &'static [Row<AlgorithmB2>] = table::MENDS;

    fn phase(&self) -> Phase {
        self.phase
    }

    fn mends(&self, hole: Hole) -> bool {
        self.succession.mends(hole)
    }

    fn enter(&mut self, phase: Phase, fx: &mut Fx) {
        self.phase = phase;
        match phase {
            Phase::Stop => self.succession.stop(fx),
            Phase::Normal => self.end_without_master(fx),
            _ => {}
        }
    }

    fn set_table_timer(&self, times: u64, fx: &mut Fx) {
        fx.set_timer(Timer::Table, self.t * times);
    }
}

impl AlgorithmB2 {
    /// A message of the table; mended, a list bears only the inits that were ordered before it.
    fn hear(&mut self, from: NodeId, word: Word, fx: &mut Fx) {
        let (event, word) = match word {
            Word::Init(_) => (Event::Init, word),
            Word::Vect(list) if self.mends(Hole::SaidTwice) => (Event::Vect, Word::Vect(list.cut_to(&self.candidates))),
            Word::Vect(_) => (Event::Vect, word),
        };
        step(self, event, &(from, word), fx);
    }

    /// An event that no other process is named in.
    fn step_alone(&mut self, event: Event, fx: &mut Fx) {
        step(self, event, &(self.me, Word::Init(fx.capacity())), fx);
    }

    /// Mended, nobody has been elected. Too few lists: either the others are in another election, and tell how that ended;
    /// or more than t are down, nobody can be elected, and only the operator can help.
    fn end_without_master(&mut self, fx: &mut Fx) {
        let (came, enough) = (self.lists.len(), self.enough);
        if !self.opens_kept(fx) && came < enough {
            fx.help(format!(
                "only {came} of the {enough} lists came that n-t asks for: more than t processes are down or have just \
                 started; recover them, or raise `t`, and order an election"
            ));
            self.succession.ask_again(fx);
        }
    }
}

impl Word {
    fn capacity(&self) -> Option<i64> {
        match self {
            Word::Init(capacity) => Some(*capacity),
            Word::Vect(_) => None,
        }
    }
}

/// Elections and their numbers (mend of hole 6), and who may begin one (mend of hole 7).
impl AlgorithmB2 {
    /// `begins`: to the letter a candidate's in normal; mended anybody's, and in stop too; never in mid-election.
    fn begin(&mut self, fx: &mut Fx) {
        let is_in_time = match self.stage() {
            Stage::Rest => true,
            Stage::Stop => self.succession.mends(Hole::NoSecondElection),
            Stage::Beginning | Stage::Election => false,
        };
        let may = fx.capacity() >= 0 || self.succession.mends(Hole::OnlyCandidatesBegin);
        if !(is_in_time && may && self.succession.may_begin(fx)) {
            return;
        }
        self.succession.open_next(self.stage(), fx);
        self.become_beginner(fx);
    }

    /// Into coll1, of an election of its own, which is above all that wait.
    fn become_beginner(&mut self, fx: &mut Fx) {
        self.become_normal();
        self.kept.clear();
        self.step_alone(Event::Begins, fx);
    }

    /// Whether a list is of the election that this process takes part in. A list of a higher election opens no fresh
    /// machine: an honest one never comes first, and no other can make anybody give up its master. But it is a voice:
    /// enough voices tell that an election is under way.
    fn is_of_this(&mut self, from: NodeId, election: ElectionNumber, fx: &mut Fx) -> bool {
        if !self.succession.mends(Hole::NoSecondElection) {
            return true;
        }
        match self.stage() {
            Stage::Beginning | Stage::Election => {
                if election < self.succession.election() {
                    fx.line(136);
                }
                election == self.succession.election()
            }
            stage @ (Stage::Rest | Stage::Stop) => {
                self.succession.hear_of(from, election, stage, fx);
                false
            }
        }
    }

    /// A fresh machine.
    fn become_normal(&mut self) {
        self.phase = Phase::Normal;
        self.candidates.clear();
        self.lists.clear();
        self.decided = None;
    }

    /// What it has collected; others' lists as they read in its own `S`.
    fn lists_to_show(&self) -> Option<Lists> {
        if self.candidates.is_empty() && self.lists.is_empty() {
            return None;
        }
        let shown = |(from, list): &(NodeId, List)| (*from, list.received(&self.candidates));
        let received = self.lists.iter().map(shown).collect();
        Some(Lists { candidates: self.candidates.clone(), received, decided: self.decided.clone() })
    }

    fn stage(&self) -> Stage {
        match self.phase {
            Phase::Normal => Stage::Rest,
            Phase::Coll1 | Phase::Coll2 if self.candidates.is_empty() => Stage::Beginning,
            Phase::Coll1 | Phase::Coll2 => Stage::Election,
            _ => Stage::Stop,
        }
    }
}
