//! What stands around the tables of Algorithms A and B.2, which end at `stop`: the number of an election (mend of hole
//! 6), what a starting process asks (mend of hole 5), the master's first word and the watch over it.
//!
//! A process that starts asks what it has missed, and takes part in no election meanwhile; if one is under way it
//! stands aside until that one is over, and asks again. Among the fail-stop the master's own word makes it the master.
//! Among the malicious one word is worth nothing: enough must say the same that at least one of them is correct, or all
//! must have heard it in one order (`order`). At the end of an election some still say that it is under way and some
//! already say how it ended, so too few may say the same: a process that has asked goes on asking until enough do.
//!
//! Invariant: the highest number seen never goes back, not across a crash either: it is saved before it is sent; a
//! call's number (Algorithm A) is saved when the call is delivered, by its sender too. To the letter nothing of this is
//! sent but the master's word and what the watch asks.

mod asking;
mod message;
mod order;

use super::watch::{Watch, Watches};
use super::{ElectionNumber, Hole};
use protocol::{Effects, Mends, NodeId, NodeMap, NodeSet, Order, Setup, Span};

pub use self::message::Message;

/// The timers around a table.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
pub enum Timer {
    /// The process may begin an election, or ask again.
    Ready,
    /// The master's first word is overdue.
    Elected,
}

impl<const TABLE: u8> From<Timer> for super::Timer<TABLE> {
    fn from(timer: Timer) -> super::Timer<TABLE> {
        match timer {
            Timer::Ready => super::Timer::Ready,
            Timer::Elected => super::Timer::Elected,
        }
    }
}

/// Where the table stands.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
pub enum Stage {
    /// Before the election.
    Rest,
    /// This process has begun one, and nothing of it has come yet, not even its own word.
    Beginning,
    /// Within it.
    Election,
    /// After it.
    Stop,
}

/// Whose word makes a master of an election that a process took no part in.
#[derive(Copy, Clone, Eq, PartialEq, Hash, Debug)]
pub enum Trust {
    /// The master's own.
    MastersWord,
    /// The word of this many processes.
    Agreement(usize),
}

/// What a message of the watch leads to.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
pub enum Heard {
    /// Nothing for the table to do.
    Nothing,
    /// The table goes to stop under this master, of an election in which it took no part.
    Master(NodeId),
    /// A new election must begin, above this one.
    Begin(ElectionNumber),
}

/// What the table does with a message of an election.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
pub enum Admission {
    /// Nothing.
    Drop,
    /// Is heard in the phase that the table is in.
    Hear,
    /// Opens a fresh machine, which hears it.
    Fresh,
    /// Is kept: its election begins when this one is over.
    Keep,
    /// Nothing; but its sender does not know that its number is taken: a new election must begin.
    BeginAnew,
}

/// Whether a process may begin an election, and whether it takes part in one, when mended.
///
/// | | may begin | takes part in A | takes part in B.2 |
/// |---|---|---|---|
/// | `Ready`, `StillAsking` | yes | yes | yes |
/// | `Stopped` | no | yes | yes |
/// | `Asking` | no | no | no |
/// | `AskingAgain`, `StandingAside` | no | no | in a new election |
#[derive(Copy, Clone, Eq, PartialEq, Hash, Debug)]
enum Readiness {
    Ready,
    /// Has started, does not know yet which numbers are taken, or whether an election is under way, and has asked.
    Asking,
    /// Asks how an election has ended. Since its start it has heard everything that was broadcast.
    AskingAgain,
    /// May, and still asks: too few have said the same, or it was alone in an election.
    StillAsking,
    /// An election is under way in which it takes no part.
    StandingAside,
    /// Has just stopped, and a peer may be T behind.
    Stopped,
}

/// How an election has ended for a process that was asked: its number, and the master.
type ElectionOutcome = (ElectionNumber, Option<NodeId>);

/// What one process knows of masters and elections, besides its table.
#[derive(Clone, Eq, PartialEq, Hash, Debug)]
pub struct Succession {
    me: NodeId,
    t: Span,
    mends: Mends,
    trust: Trust,
    /// How long an election and its master's word may take.
    lasts: Span,
    readiness: Readiness,
    /// An order to begin that came before its time.
    waiting: Option<Order>,
    /// `ms`; means something in stop.
    master: Option<NodeId>,
    /// The processes that have said in this election that they are the master.
    announced: NodeSet,
    /// The election that this process is in, or was in last.
    election: ElectionNumber,
    /// The capacity with which this process stands in that election.
    stands_with: Option<i64>,
    /// The highest number that this process knows to be taken. It is saved.
    highest: ElectionNumber,
    /// Among the malicious: the highest number that the one order has brought. It is the same at all that follow the
    /// order.
    ordered: ElectionNumber,
    /// The answer of each asked process, with the highest number that it knows to be taken.
    outcomes: NodeMap<(ElectionOutcome, ElectionNumber)>,
    /// Among the malicious: each process that has been heard in an election that this process takes no part in, or that
    /// speaks of one; with the highest number of it.
    voices: NodeMap<ElectionNumber>,
    /// The highest election that this process heard of and took no part in.
    missed: ElectionNumber,
    /// Has stood aside from an election, and has been in none and under no master since.
    is_left_out: bool,
    /// Among the malicious: the processes that have led this one out of an election since its last end.
    led_out: NodeSet,
    watch: Watch,
}

/// Which election, and who is master.
impl Succession {
    /// The succession of a process that starts; mended, it asks what it has missed. `lasts`: how long an election may
    /// take, with the master's word.
    pub fn start<A: Succeeds>(
        setup: &Setup,
        saved: Option<ElectionNumber>,
        (trust, lasts, lost_answers): (Trust, Span, u32),
        fx: &mut Effects<A>,
    ) -> Succession {
        let highest = saved.unwrap_or_default();
        let mends = Mends::of(&setup.settings, A::CARD.holes());
        let mut succession = Succession {
            me: setup.me,
            t: setup.timing.t,
            mends,
            trust,
            lasts,
            readiness: Readiness::Ready,
            waiting: None,
            master: None,
            announced: NodeSet::EMPTY,
            election: highest,
            stands_with: None,
            highest,
            // Below what the order has brought by now, and near enough for what it brings next.
            ordered: ElectionNumber(highest.0.saturating_sub(order::REACH / 2)),
            outcomes: NodeMap::new(),
            voices: NodeMap::new(),
            missed: ElectionNumber::default(),
            is_left_out: false,
            led_out: NodeSet::EMPTY,
            watch: Watch::new(setup, mends, lost_answers),
        };
        if succession.mends(Hole::NoSecondElection) {
            succession.ask(Readiness::Asking, fx);
        }
        succession
    }

    /// Whether the hole is mended.
    pub(super) fn mends(&self, hole: Hole) -> bool {
        self.mends.has(hole as u8)
    }

    /// `ms`.
    pub fn master(&self) -> Option<NodeId> {
        self.master
    }

    /// Which election this is; 0 to the letter, and before the first.
    pub fn election(&self) -> ElectionNumber {
        self.election
    }

    /// The capacity with which this process stands in that election.
    pub fn stands_with(&self) -> Option<i64> {
        self.stands_with
    }

    /// This process's capacity goes out to all; -1 is no candidate's.
    pub fn stand(&mut self, capacity: i64) {
        self.stands_with = (capacity >= 0).then_some(capacity);
    }

    /// The number that the next election would have.
    pub fn next_election(&self) -> ElectionNumber {
        self.highest.next()
    }

    /// The number to show, if elections have numbers.
    pub fn shown_election(&self) -> Option<u64> {
        self.mends(Hole::NoSecondElection).then_some(self.election.0)
    }

    /// Whether this process may begin an election now. If not, the order waits until it may; but where the process
    /// stands aside from an election that is under way, the order counts for nothing.
    pub fn may_begin<A: Succeeds>(&mut self, fx: &mut Effects<A>) -> bool {
        match self.readiness {
            Readiness::Ready | Readiness::StillAsking => true,
            // As in mid-election.
            Readiness::StandingAside => false,
            Readiness::Asking | Readiness::AskingAgain | Readiness::Stopped => {
                fx.line(156);
                self.waiting = Some(Order::Elect);
                false
            }
        }
    }

    /// A fresh machine for an election of this process's own.
    pub fn open_next<A: Succeeds>(&mut self, stage: Stage, fx: &mut Effects<A>) {
        self.open_above(self.highest, stage, fx);
    }

    /// The same, with a number above this one too.
    pub fn open_above<A: Succeeds>(&mut self, taken: ElectionNumber, stage: Stage, fx: &mut Effects<A>) {
        if self.mends(Hole::NoSecondElection) {
            if stage == Stage::Stop {
                fx.line(146);
            }
            self.raise_highest(self.highest.max(taken).next(), fx);
        }
        self.open(fx);
    }

    /// A fresh machine for the highest election; `ms` stays for display.
    pub fn open<A: Succeeds>(&mut self, fx: &mut Effects<A>) {
        self.open_as(self.highest, fx);
    }

    /// Opens the machine, and drops an order that waited: this election is the answer to it.
    fn open_as<A: Succeeds>(&mut self, election: ElectionNumber, fx: &mut Effects<A>) {
        self.waiting = None;
        self.enter(election, fx);
    }

    /// From now on this process belongs to that election, within it or under its master.
    fn enter<A: Succeeds>(&mut self, election: ElectionNumber, fx: &mut Effects<A>) {
        if election != self.election {
            self.stands_with = None;
        }
        self.election = election;
        self.is_left_out = false;
        self.announced = NodeSet::EMPTY;
        self.outcomes.clear();
        self.voices.clear();
        if self.readiness != Readiness::Ready {
            self.readiness = Readiness::Ready;
            fx.cancel_timer(Timer::Ready.into());
        }
        fx.cancel_timer(Timer::Elected.into());
        self.watch.rest(fx);
    }

    /// A process uses a number that is taken. T after this process's own stop, and at rest when this process asks
    /// nothing any more, the sender cannot be a latecomer of the same election.
    pub fn answer_to_taken<A: Succeeds>(&mut self, stage: Stage, fx: &mut Effects<A>) -> Admission {
        let is_ready = matches!(self.readiness, Readiness::Ready | Readiness::StillAsking);
        if matches!(stage, Stage::Beginning | Stage::Election) || !is_ready {
            return Admission::Drop;
        }
        fx.line(166);
        Admission::BeginAnew
    }

    /// Whether this process takes no part in elections for now: it has heard a message of this one, and stands aside.
    pub fn is_aside_from<A: Succeeds>(&mut self, election: ElectionNumber, fx: &mut Effects<A>) -> bool {
        let is_aside = !matches!(self.readiness, Readiness::Ready | Readiness::StillAsking | Readiness::Stopped);
        if is_aside {
            self.missed = self.missed.max(election);
            self.stand_aside(fx);
        }
        is_aside
    }

    /// Somebody says that this number is taken: this process will give out a higher one. Among the malicious it
    /// believes that only within reason.
    pub fn learn<A: Succeeds>(&mut self, election: ElectionNumber, fx: &mut Effects<A>) {
        if election > self.highest && self.is_within_reason(election) {
            self.raise_highest(election, fx);
        }
    }

    /// `ms` is the process that the table has elected, if it has elected any.
    pub fn elect(&mut self, master: Option<NodeId>) {
        self.master = master;
        if master.is_none() {
            self.led_out = NodeSet::EMPTY;
        }
    }

    /// The table has come to stop, perhaps without a master.
    pub fn stop<A: Succeeds>(&mut self, fx: &mut Effects<A>) {
        let Some(master) = self.master else { return };
        if self.mends(Hole::NoSecondElection) {
            self.readiness = Readiness::Stopped;
            fx.set_timer(Timer::Ready.into(), self.t);
        }
        if master == self.me {
            fx.line(205);
            fx.broadcast(Message::Elected { election: self.election }.into());
            self.watch.lead(fx);
        } else if self.announced.contains(master) {
            fx.line(206);
            self.watch.begin(master, fx);
        } else {
            fx.set_timer(Timer::Elected.into(), self.t * 2);
        }
    }

    /// Whether it may begin an election, and knows all that it has to.
    pub fn is_ready(&self) -> bool {
        self.readiness == Readiness::Ready
    }

    /// A fresh machine for an election that has waited for the end of the last one.
    pub fn open_kept<A: Succeeds>(&mut self, election: ElectionNumber, fx: &mut Effects<A>) {
        self.open_as(election, fx);
    }

    /// The table has come to its end without enough to elect anybody; the others may have had more.
    pub fn ask_again<A: Succeeds>(&mut self, fx: &mut Effects<A>) {
        self.ask(Readiness::AskingAgain, fx);
    }

    fn raise_highest<A: Succeeds>(&mut self, election: ElectionNumber, fx: &mut Effects<A>) {
        self.highest = election;
        fx.save(election);
    }
}

/// An algorithm whose messages and timers embed these, and whose safe cell is the highest election number.
pub trait Succeeds: Watches<Message: From<Message>, Timer: From<Timer>, Saved = ElectionNumber> {}

impl<A: Watches<Message: From<Message>, Timer: From<Timer>, Saved = ElectionNumber>> Succeeds for A {}
