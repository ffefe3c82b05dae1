//! The watch over the master, for Algorithms A to C: the paper leaves it to the application (section 5.1 speaks of a
//! time-out of 2T on a silent master, section 6 of nothing).
//!
//! Every check period a process that follows a master asks it, by a numbered request to it alone, and waits 2T for the
//! answer. After a fixed number of lost answers in a row the master counts as gone.
//!
//! So two groups that a partition has made would never hear of each other, and both would stay for ever (beside the
//! mend of hole 6). Mended, a master sends a claim, with the number of its election, to each process that has not asked
//! it for two check periods. A process at rest under another master compares the numbers: if its own election is not
//! the higher, it begins a new one, above both, and all take part in that; if it is, it answers with a claim of its
//! own.
//!
//! Invariant: at most one request is open, and an answer counts only for the request whose number it bears. Where all
//! follow one master nobody claims anything.

use serde::{Deserialize, Serialize};

use super::{ElectionNumber, Hole};
use protocol::{
    Algorithm, CallNumber, CallNumbers, Described, Effects, Line, Mends, NodeId, NodeSet, PeriodRule, Round, Setup,
    Span,
};

/// What goes between a watcher and its master, and between groups.
#[derive(Copy, Clone, Eq, PartialEq, Ord, PartialOrd, Hash, Debug, Serialize, Deserialize)]
pub enum Message {
    /// A follower asks: are you master?
    Ask {
        /// The request's number.
        call: CallNumber,
        /// The election in which it took the master.
        election: ElectionNumber,
    },
    /// The master answers that request.
    Answer(CallNumber),
    /// To a process that has not asked: how the sender stands.
    Claim(Claim),
}

/// How a process at rest stands.
#[derive(Copy, Clone, Eq, PartialEq, Ord, PartialOrd, Hash, Debug, Serialize, Deserialize)]
pub struct Claim {
    pub election: ElectionNumber,
    /// The master, perhaps itself.
    pub master: NodeId,
}

impl Described for Message {
    fn kind(&self) -> &'static str {
        match self {
            Message::Ask { .. } => "query",
            Message::Answer(_) => "answer",
            Message::Claim(_) => "claim",
        }
    }

    fn fields(&self) -> Vec<(&'static str, String)> {
        match self {
            Message::Ask { call, election } => vec![("call", call.to_string()), ("election", election.to_string())],
            Message::Answer(number) => vec![("call", number.to_string())],
            Message::Claim(Claim { election, master }) => {
                vec![("master", master.to_string()), ("election", election.to_string())]
            }
        }
    }
}

protocol::worded! {
    /// The watch's timers.
    #[derive(Copy, Clone, Eq, PartialEq, Ord, PartialOrd, Hash, Debug, Serialize, Deserialize)]
    pub enum Timer {
        /// The next request is due, or, at a master, the next claims are.
        Ask = "next check of the master",
        /// The answer to the open request is overdue.
        Answer = "answer of the master",
    }
}

/// What the watch has found at a timer.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
pub enum WatchFinding {
    /// Nothing that asks for an election.
    Nothing,
    /// So many answers in a row are missing that the master counts as gone.
    MasterGone,
}

/// The listing's line of a request.
pub const ASKS: Line = Line::new(200, "watch", "every check period: ask the master, timer 2T");
/// The listing's line of an answer.
pub const ANSWERS: Line = Line::new(201, "watch", "asked, and in phase master: answer");
/// The listing's line of an answer that came.
pub const HEARS: Line = Line::new(202, "watch", "the answer: no answer is missing");
/// The listing's line of an answer that did not come.
pub const MISSES: Line = Line::new(203, "watch", "2T without the answer: one more is missing");
/// The listing's line of a master that is gone.
pub const GIVES_UP: Line =
    Line::new(204, "watch", "so many missing in a row: the master is gone; mended, begin an election");

/// The listing's line of a master's claims.
pub const CLAIMS: Line = Line::new(
    209,
    "watch",
    "every check period, as master: to each that has not asked for two: claim, with the election number",
);
/// The listing's line of a claim that makes its receiver begin an election.
pub const MEETS: Line = Line::new(
    210,
    "watch",
    "at rest, claim of another master after this election or a higher one: begin one above both",
);
/// The listing's line of a claim that is answered.
pub const COUNTERS: Line = Line::new(
    211,
    "watch",
    "at rest, claim of another master after a lower election: answer with a claim, so that the other may begin",
);

/// All lines of the watch.
pub const LINES: [Line; 8] = [ASKS, ANSWERS, HEARS, MISSES, GIVES_UP, CLAIMS, MEETS, COUNTERS];

/// What the watch asks of the lab's periods. (If both were equal, the next request would always come before the answer
/// is overdue, and no answer would ever be missing.)
pub const CHECK: PeriodRule = PeriodRule {
    key: "check",
    must: "check must be longer than 2T",
    why: Some("a process asks its master again only when the last answer is overdue"),
    holds: |timing, _, _| timing.check > timing.t * 2,
};

/// A follower's watch over its master, and a master's watch over its askers. At rest it watches nobody and has no
/// timer.
#[derive(Clone, Eq, PartialEq, Hash, Debug)]
pub struct Watch {
    me: NodeId,
    others: NodeSet,
    mends: Mends,
    check: Span,
    patience: Span,
    enough: u32,
    numbers: CallNumbers,
    duty: Duty,
    open: Option<Round>,
    missing: u32,
}

#[derive(Clone, Eq, PartialEq, Hash, Debug)]
enum Duty {
    Rests,
    Follows(NodeId),
    /// The processes that have asked since the last claims, and those that asked between the claims before. (A request
    /// may come late, and two may come between the same claims.)
    Leads {
        asked: NodeSet,
        before: NodeSet,
    },
}

impl Watch {
    /// A watch at rest that gives a master up after `enough` lost answers in a row.
    pub fn new(setup: &Setup, mends: Mends, enough: u32) -> Watch {
        Watch {
            me: setup.me,
            others: setup.roster.others(setup.me),
            mends,
            check: setup.timing.check,
            patience: setup.timing.t * 2,
            enough,
            numbers: CallNumbers::new(setup.incarnation),
            duty: Duty::Rests,
            open: None,
            missing: 0,
        }
    }

    /// Watches this master from now on; the first request goes out after one check period.
    pub fn begin<A: Watches>(&mut self, master: NodeId, fx: &mut Effects<A>) {
        self.duty = Duty::Follows(master);
        self.open = None;
        self.missing = 0;
        fx.set_timer(Timer::Ask.into(), self.check);
    }

    /// Answers as the master from now on. Mended, its first claims go out when all its followers have asked: a follower
    /// may come to its end T later, and its request takes T.
    pub fn lead<A: Watches>(&mut self, fx: &mut Effects<A>) {
        self.duty = Duty::Leads { asked: NodeSet::EMPTY, before: NodeSet::EMPTY };
        if self.mends.has(Hole::NoSecondElection as u8) {
            fx.set_timer(Timer::Ask.into(), self.check + self.patience);
        }
    }

    /// Watches nobody from now on.
    pub fn rest<A: Watches>(&mut self, fx: &mut Effects<A>) {
        let before = std::mem::replace(&mut self.duty, Duty::Rests);
        if before != Duty::Rests {
            self.open = None;
            fx.cancel_timer(Timer::Ask.into());
        }
        if matches!(before, Duty::Follows(_)) {
            fx.cancel_timer(Timer::Answer.into());
        }
    }

    /// A request came. Only a master answers.
    pub fn answer<A: Watches>(&mut self, from: NodeId, number: CallNumber, fx: &mut Effects<A>) {
        if let Duty::Leads { asked, .. } = &mut self.duty {
            fx.line(ANSWERS.number);
            asked.insert(from);
            fx.send(from, Message::Answer(number).into());
        }
    }

    /// An answer came. A late answer, or one that is not to the open request, changes nothing.
    pub fn take_answer<A: Watches>(&mut self, from: NodeId, number: CallNumber, fx: &mut Effects<A>) {
        if self.open.as_mut().is_some_and(|round| round.take_answer(from, number)) {
            fx.line(HEARS.number);
            self.open = None;
            self.missing = 0;
            fx.cancel_timer(Timer::Answer.into());
        }
    }

    /// A timer of the watch ran out, in this election.
    pub fn on_timer<A: Watches>(
        &mut self,
        timer: Timer,
        election: ElectionNumber,
        fx: &mut Effects<A>,
    ) -> WatchFinding {
        match (timer, &mut self.duty) {
            (_, Duty::Rests) | (Timer::Answer, Duty::Leads { .. }) => WatchFinding::Nothing,
            (Timer::Answer, Duty::Follows(_)) => self.miss(fx),
            (Timer::Ask, Duty::Follows(master)) => {
                fx.line(ASKS.number);
                let number = self.numbers.give_out();
                self.open = Some(Round::new(number, NodeSet::of(*master)));
                fx.send(*master, Message::Ask { call: number, election }.into());
                fx.set_timer(Timer::Answer.into(), self.patience);
                fx.set_timer(Timer::Ask.into(), self.check);
                WatchFinding::Nothing
            }
            (Timer::Ask, Duty::Leads { asked, before }) => {
                let strangers = self.others.minus(&asked.union(before));
                *before = std::mem::replace(asked, NodeSet::EMPTY);
                if !strangers.is_empty() {
                    fx.line(CLAIMS.number);
                }
                for stranger in strangers.iter() {
                    fx.send(stranger, Message::Claim(Claim { election, master: self.me }).into());
                }
                fx.set_timer(Timer::Ask.into(), self.check);
                WatchFinding::Nothing
            }
        }
    }

    /// The node whose answer the timer waits for.
    pub fn waits_for(&self, timer: Timer) -> NodeSet {
        match (timer, &self.open) {
            (Timer::Answer, Some(round)) => round.silent(),
            _ => NodeSet::EMPTY,
        }
    }

    fn miss<A: Watches>(&mut self, fx: &mut Effects<A>) -> WatchFinding {
        if self.open.take().is_none() {
            return WatchFinding::Nothing;
        }
        fx.line(MISSES.number);
        self.missing += 1;
        if self.missing < self.enough {
            return WatchFinding::Nothing;
        }
        // A process that cannot begin an election counts anew and goes on asking.
        self.missing = 0;
        fx.line(GIVES_UP.number);
        WatchFinding::MasterGone
    }
}

/// A claim came to a process at rest, which stands as `own` says. Returns whether it must begin an election.
pub fn meet<A: Watches>(from: NodeId, claim: Claim, own: Claim, fx: &mut Effects<A>) -> bool {
    if claim.master == own.master {
        return false;
    }
    let is_later = claim.election >= own.election;
    fx.line(if is_later { MEETS.number } else { COUNTERS.number });
    if !is_later {
        fx.send(from, Message::Claim(own).into());
    }
    is_later
}

/// An algorithm whose messages and timers embed the watch's.
pub trait Watches: Algorithm<Message: From<Message>, Timer: From<Timer>> {}

impl<A: Algorithm<Message: From<Message>, Timer: From<Timer>>> Watches for A {}
