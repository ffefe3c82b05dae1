//! Section 5.3 of King, Gendreau and Ni 1988: election with partial synchrony, up to t malicious, over a broadcast
//! without order.
//!
//! The paper sketches it in two paragraphs: exchange the lists as in Algorithm B.2, reach Byzantine agreement on each
//! of them, and let `el(Y')` choose as before. Table 3 stands, with its first round (coll1), and in place of its second
//! the t+1 rounds of an authenticated agreement (`book`). All correct processes then hold the same list of each
//! process, or none, so the walk of `el(Y')` runs over these lists alone, by id, for there is no order of arrival
//! (`walk`).
//!
//! What is ours, because the paper is silent: what is signed and how (`signed`, `sealing`), the form of the agreement
//! (Dolev and Strong), lists in parts (`parts`), that n-t lists must be agreed on (as B.2 asks for n-t), which number
//! an election has, and that it is never used again (`numbers`), and what a process does that has missed an election,
//! or was in one that came to nothing (`asking`).
//!
//! The holes of Table 3 that reach here are mended by construction: 1, 8 and 10, for lists are kept from before the
//! start on and bear their inits; 9, for the walk knows no `S` of its own; 11, for a first init counts and a second
//! list leaves its owner with none; 5, 6 and 7 as in the other algorithms. There is no setting to leave them in: no
//! text has them.
//!
//! All correct processes start within T, for whoever starts broadcasts the init that started it. So what a correct
//! process sends in its round k comes no later than the end of its receiver's round k, and may come before the receiver
//! has started.
//!
//! Invariant: what counts is signed, by whoever it counts for; the table's timer runs in coll1 and in the rounds, and
//! nowhere else; a list that was taken in time with at most t signatures is signed and handed on at once, or at the
//! start.

mod asking;
mod book;
mod card;
mod message;
mod numbers;
mod parts;
mod question;
mod sealing;
mod signed;
mod table;
#[cfg(test)]
mod tests;
mod walk;

use self::book::{ElectionBook, InitFate, ListFate};
use self::question::OpenQuestion;
use super::table::{Event, Phase, Row, TableMachine, step};
use super::watch::Watch;
use super::{ElectionNumber, Hole};
use protocol::{
    Algorithm, Ballot, Card, Effect, Effects, Lists, Mends, NodeId, NodeMap, NodeSet, Received, Setup, Span, Standing,
    StateVector,
};
use std::borrow::Cow;
use std::sync::Arc;

pub use self::card::LOST_ANSWERS;
pub use self::message::{ListPart, Message, RelayedList, Word};
pub use self::parts::{ITEMS_MAX, messages_of};
pub use self::sealing::{part_bytes, sealed};
pub use self::signed::{Endorsement, ListDigest, SignedInit, Verifier, WordSignature};

/// The machine of section 5.3 at one process.
#[derive(Clone, Eq, PartialEq, Hash, Debug)]
pub struct Algorithm53 {
    me: NodeId,
    t: Span,
    /// `t`, the number of processes that may be faulty.
    faulty: usize,
    verifier: Verifier,
    phase: Phase,
    /// `k`, the round of the agreement, from 1 to t+1; 0 outside of the rounds.
    round: u32,
    /// What it holds of this election.
    book: ElectionBook,
    /// What has come of the election after the last one that is taken.
    next: ElectionBook,
    /// The list that decided, by `el(Y')`.
    decided: Option<Vec<Standing>>,
    /// The capacity with which it stands in this election.
    stands_with: Option<i64>,
    /// `ms`; means something in stop.
    master: Option<NodeId>,
    /// The processes that have said in this election that they are the master.
    announced: NodeSet,
    /// The election that it is in, or was in last, or under whose master it is.
    election: ElectionNumber,
    /// The last election that the others have begun, as far as it knows. The next one has the number after it.
    taken: ElectionNumber,
    /// The highest number under which it has signed.
    spent: ElectionNumber,
    /// The highest number under which each of the others signs nothing any more, as it says.
    noted: NodeMap<ElectionNumber>,
    /// The highest election of which an init came too early for it, so that it did not start. It never begins that one,
    /// for it would start too late.
    missed: ElectionNumber,
    readiness: Readiness,
    question: OpenQuestion,
    watch: Watch,
}

/// Whether a process may begin an election, and whether it starts when another one does.
///
/// | | may begin | starts |
/// |---|---|---|
/// | `Ready` | yes | at once |
/// | `Rests` | later | later |
/// | `Asks(AfterStart)` | later | no |
/// | `Asks(AfterFailure)` | later | later |
/// | `Asks(Again)` | later | at once |
/// | `Asks(InDoubt)` | later | at once |
/// | `Asks(Still)` | yes | at once |
/// | `StandsAside` | later | at once, in an election after that |
#[derive(Copy, Clone, Eq, PartialEq, Hash, Debug)]
enum Readiness {
    Ready,
    /// The election has ended less than 2T ago.
    Rests,
    /// Has asked.
    Asks(AskingCause),
    /// An election is under way in which it takes no part.
    StandsAside,
}

/// Why a process asks.
#[derive(Copy, Clone, Eq, PartialEq, Hash, Debug)]
enum AskingCause {
    /// Has started.
    AfterStart,
    /// Too few lists were agreed on.
    AfterFailure,
    /// The same, and while it asked one said that another election is under way.
    Again,
    /// Has stood aside, or a master has claimed what it does not know of.
    InDoubt,
    /// Too few have said the same.
    Still,
}

/// Of which election a list is.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
enum WhichBook {
    This,
    Next,
}

/// The timers of this algorithm.
pub type Timer = super::Timer<3>;

type Fx = Effects<Algorithm53>;

/// What a row sees of an input.
#[derive(Debug)]
pub(super) enum Heard {
    Nothing,
    /// `(j,w)`.
    Init(SignedInit),
    /// `(j,Sj)`.
    List(Arc<RelayedList>),
}

impl TableMachine for Algorithm53 {
    type Heard = Heard;
    const PAPER: &'static [Row<Algorithm53>] = table::PAPER;
    const MENDS: &'static [Row<Algorithm53>] = table::AGREEMENT;

    fn phase(&self) -> Phase {
        self.phase
    }

    /// No text has the holes.
    fn mends(&self, _: Hole) -> bool {
        true
    }

    fn enter(&mut self, phase: Phase, fx: &mut Fx) {
        let before = std::mem::replace(&mut self.phase, phase);
        if phase != Phase::Rounds {
            self.round = 0;
        }
        match phase {
            Phase::Coll1 if before == Phase::Normal => self.hand_on_early(fx),
            Phase::Stop => self.stop(fx),
            _ => {}
        }
    }

    fn set_table_timer(&self, times: u64, fx: &mut Fx) {
        fx.set_timer(Timer::Table, self.t * times);
    }
}

impl Algorithm for Algorithm53 {
    type Message = Message;
    type Timer = Timer;
    /// The highest number under which the process has signed.
    type Saved = ElectionNumber;
    const CARD: Card = card::CARD;

    /// A process starts in normal and begins nothing: starting an election is the application's doing. It asks what it
    /// has missed.
    fn start(setup: &Setup, saved: Option<ElectionNumber>, fx: &mut Fx) -> Algorithm53 {
        let spent = saved.unwrap_or_default();
        let keyring = setup.keyring.clone().expect("the Card asks for keys");
        let mut machine = Algorithm53 {
            me: setup.me,
            t: setup.timing.t,
            // The Card bounds t by n-2, and n by a number that fits.
            faulty: setup.settings.number("t") as usize,
            verifier: Verifier { keyring, roster: setup.roster },
            phase: Phase::Normal,
            round: 0,
            book: ElectionBook::of(spent),
            next: ElectionBook::of(spent.next()),
            decided: None,
            stands_with: None,
            master: None,
            announced: NodeSet::EMPTY,
            election: spent,
            taken: spent,
            spent,
            noted: NodeMap::new(),
            missed: ElectionNumber::default(),
            readiness: Readiness::Ready,
            question: OpenQuestion::new(setup.incarnation),
            watch: Watch::new(setup, Mends::of(&setup.settings, &[]), LOST_ANSWERS),
        };
        machine.act(fx, |machine, fx| machine.ask(AskingCause::AfterStart, fx));
        machine
    }

    fn on_message(&mut self, from: NodeId, message: Message, fx: &mut Fx) {
        if from != self.me {
            self.act(fx, |machine, fx| machine.hear(from, message, fx));
        }
    }

    fn on_timer(&mut self, timer: Timer, fx: &mut Fx) {
        self.act(fx, |machine, fx| match timer {
            Timer::Table => machine.on_time_out(fx),
            Timer::Ready => machine.on_ready(fx),
            Timer::Kept => machine.forget_kept(fx),
            Timer::Elected => machine.miss_masters_word(fx),
            Timer::Watch(timer) => machine.on_watch_timer(timer, fx),
        });
    }

    fn on_elect(&mut self, fx: &mut Fx) {
        self.act(fx, Algorithm53::begin);
    }

    /// A phase of the table waits for nobody in particular; in stop a process waits for the master.
    fn waits_for(&self, timer: Timer) -> NodeSet {
        match timer {
            Timer::Table | Timer::Ready | Timer::Kept => NodeSet::EMPTY,
            Timer::Elected => self.master.map_or(NodeSet::EMPTY, NodeSet::of),
            Timer::Watch(timer) => self.watch.waits_for(timer),
        }
    }

    fn state(&self) -> StateVector {
        let (stands_with, lists) = (self.stands_with, self.lists_to_show());
        StateVector {
            election: Some(self.election.0),
            ballot: Some(Box::new(Ballot { course: self.phase.course(), stands_with, announcements: 0, lists })),
            ..StateVector::new(self.phase.status(), self.word(), self.master)
        }
    }
}

/// What every input has in common.
impl Algorithm53 {
    /// Does something, saves the number that is spent by it before anything goes out that is signed under it, and seals
    /// what goes out.
    fn act(&mut self, fx: &mut Fx, deed: impl FnOnce(&mut Algorithm53, &mut Fx)) {
        let (before, mut inner) = (self.spent, Effects::new(fx.capacity()));
        deed(self, &mut inner);
        if self.spent != before {
            fx.save(self.spent);
        }
        let (effects, lines) = inner.into_parts();
        lines.into_iter().for_each(|line| fx.line(line));
        let keyring = &self.verifier.keyring;
        for effect in effects {
            fx.add(match effect {
                Effect::Send { to, message } => Effect::Send { to, message: sealed(message, keyring, Some(to)) },
                Effect::Broadcast { message } => Effect::Broadcast { message: sealed(message, keyring, None) },
                effect => effect,
            });
        }
    }

    fn hear(&mut self, from: NodeId, message: Message, fx: &mut Fx) {
        let (me, keyring) = (self.me, &self.verifier.keyring);
        match message {
            Message::Init { election, init } => self.on_init(election, &init, fx),
            Message::Vect { election, relay } => self.on_vect(election, relay, fx),
            Message::Part { election, part } => self.on_part(from, election, part, fx),
            Message::Word { word, seal } if sealing::is_word_true(word, &seal, keyring, from, me) => {
                self.on_word(from, word, fx);
            }
            Message::Watch { message, seal } if sealing::is_watch_true(message, &seal, keyring, from, me) => {
                self.on_watch(from, message, fx);
            }
            Message::Word { .. } | Message::Watch { .. } => fx.line(414),
        }
    }

    /// `init,w` of this election, in coll1 or later.
    fn collect_init(&mut self, init: &SignedInit, fx: &mut Fx) {
        if self.phase != Phase::Coll1 {
            fx.line(413);
            return;
        }
        match self.book.judge_init(init, &self.verifier) {
            InitFate::New => step(self, Event::Init, &Heard::Init(*init), fx),
            InitFate::Again => fx.line(413),
            InitFate::Forged => fx.line(412),
        }
    }

    /// `vect`: a process's list, from whoever handed it on.
    fn on_vect(&mut self, election: ElectionNumber, relay: Arc<RelayedList>, fx: &mut Fx) {
        if election == self.election && self.is_electing() {
            let fate = self.book.judge_list(relay, self.round, &self.verifier);
            self.meet_fate(fate, WhichBook::This, fx);
        } else if election == self.next.election() {
            self.keep_early(fx);
            let fate = self.next.judge_list(relay, 0, &self.verifier);
            self.meet_fate(fate, WhichBook::Next, fx);
        } else {
            fx.line(103);
        }
    }

    /// A part of one.
    fn on_part(&mut self, from: NodeId, election: ElectionNumber, part: Arc<ListPart>, fx: &mut Fx) {
        fx.line(410);
        if election == self.election && self.is_electing() {
            let fate = self.book.judge_part(from, part, self.round, &self.verifier);
            self.meet_fate(fate, WhichBook::This, fx);
        } else if election == self.next.election() {
            self.keep_early(fx);
            let fate = self.next.judge_part(from, part, 0, &self.verifier);
            self.meet_fate(fate, WhichBook::Next, fx);
        } else {
            fx.line(103);
        }
    }

    fn meet_fate(&mut self, fate: ListFate, which: WhichBook, fx: &mut Fx) {
        match (fate, which) {
            (ListFate::New(relay), WhichBook::This) => step(self, Event::Vect, &Heard::List(relay), fx),
            (ListFate::New(relay), WhichBook::Next) => {
                fx.line(402);
                self.next.enter_list(relay);
            }
            (ListFate::Waits, _) => {}
            (ListFate::Known, _) => fx.line(408),
            (ListFate::Late, _) => fx.line(405),
            (ListFate::Malformed, _) => fx.line(406),
            (ListFate::Forged, _) => fx.line(407),
        }
    }

    fn on_time_out(&mut self, fx: &mut Fx) {
        let was_electing = self.is_electing();
        step(self, Event::TimeOut, &Heard::Nothing, fx);
        // The others may come to their end T later, and hear of it T after that.
        if was_electing && !self.is_electing() && self.readiness == Readiness::Ready {
            self.readiness = Readiness::Rests;
            fx.set_timer(Timer::Ready, self.t * 2);
        }
    }

    /// Lists that came before the start are handed on at the start.
    fn hand_on_early(&mut self, fx: &mut Fx) {
        let early: Vec<Arc<RelayedList>> = self.book.lists().cloned().collect();
        early.iter().for_each(|relay| self.hand_on(relay, fx));
    }

    /// In stop now, under a master.
    fn stop(&mut self, fx: &mut Fx) {
        self.learn(self.taken);
        let Some(master) = self.master else { return };
        if master == self.me {
            fx.line(205);
            fx.broadcast(Word::Elected { election: self.election }.into());
            self.watch.lead(fx);
        } else if self.announced.contains(master) {
            fx.line(206);
            self.watch.begin(master, fx);
        } else {
            fx.set_timer(Timer::Elected, self.t * 2);
        }
    }

    /// t+1: at least one of so many is correct.
    fn enough(&self) -> usize {
        self.faulty + 1
    }

    /// n-t: so many lists must be agreed on.
    fn lists_wanted(&self) -> usize {
        usize::from(self.verifier.roster.len()) - self.faulty
    }

    fn is_electing(&self) -> bool {
        matches!(self.phase, Phase::Coll1 | Phase::Rounds)
    }

    fn word(&self) -> Cow<'static, str> {
        match self.phase {
            Phase::Rounds => card::ROUNDS.get(self.round as usize - 1).copied().unwrap_or("round").into(),
            phase => phase.word().into(),
        }
    }

    /// What it has collected; lists as they read in its own `S`.
    fn lists_to_show(&self) -> Option<Lists> {
        let candidates: Vec<Standing> = self.book.inits().map(SignedInit::standing).collect();
        let agreed = self.book.agreed();
        if candidates.is_empty() && agreed.is_empty() {
            return None;
        }
        let shown = |list: Vec<Standing>| match u16::try_from(list.len()) {
            Ok(length) if candidates.starts_with(&list) => Received::First(length),
            _ => Received::Entries(list),
        };
        let received = agreed.into_iter().map(|(owner, list)| (owner, shown(list))).collect();
        Some(Lists { candidates, received, decided: self.decided.clone() })
    }
}
