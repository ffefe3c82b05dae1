//! Who watches the master, for Algorithms A to C: the paper leaves that to the application (section 5.1 speaks of a
//! time-out of 2T on a silent master, section 6 of nothing).
//!
//! Every check period a process that follows a master asks it, by a numbered request to it alone, and waits 2T for
//! the answer. So many lost answers in a row, and the master counts as gone.
//!
//! Invariant: at most one request is open, and an answer counts only for the request whose number it bears.

use serde::{Deserialize, Serialize};

use crate::protocol::{
    Algorithm, CallNumber, CallNumbers, Described, Effects, Line, NodeId, NodeSet, PeriodRule, Round, Setup, Span,
};

/// What goes between a watcher and its master.
#[derive(Copy, Clone, Eq, PartialEq, Ord, PartialOrd, Hash, Debug, Serialize, Deserialize)]
pub enum Message {
    /// A follower asks: are you master?
    Ask(CallNumber),
    /// The master answers that request.
    Answer(CallNumber),
}

impl Described for Message {
    fn kind(&self) -> &'static str {
        match self {
            Message::Ask(_) => "query",
            Message::Answer(_) => "answer",
        }
    }

    fn fields(&self) -> Vec<(&'static str, String)> {
        let (Message::Ask(number) | Message::Answer(number)) = self;
        vec![("call", number.to_string())]
    }
}

/// The watch's timers.
#[derive(Copy, Clone, Eq, PartialEq, Ord, PartialOrd, Hash, Debug, Serialize, Deserialize)]
pub enum Timer {
    /// The next request is due.
    Ask,
    /// The answer to the open request is overdue.
    Answer,
}

/// What the watch has found at a timer.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
pub enum Finding {
    /// Nothing that asks for an election.
    Nothing,
    /// So many answers in a row are missing that the master counts as gone.
    MasterGone,
}

/// The listing's line of a request.
pub const ASKS: Line = Line { number: 200, procedure: "watch", text: "every check period: ask the master, timer 2T" };
/// The listing's line of an answer.
pub const ANSWERS: Line = Line { number: 201, procedure: "watch", text: "asked, and in phase master: answer" };
/// The listing's line of an answer that came.
pub const HEARS: Line = Line { number: 202, procedure: "watch", text: "the answer: no answer is missing" };
/// The listing's line of an answer that did not come.
pub const MISSES: Line = Line { number: 203, procedure: "watch", text: "2T without the answer: one more is missing" };
/// The listing's line of a master that is gone.
pub const GIVES_UP: Line = Line {
    number: 204,
    procedure: "watch",
    text: "so many missing in a row: the master is gone; mended, begin an election",
};

/// What the watch asks of the lab's periods. (Were both equal, the next request would always come before the answer is
/// overdue, and no answer would ever be missing.)
pub const CHECK: PeriodRule = PeriodRule {
    key: "check",
    text: "check must be longer than 2T: a master is asked again only when its last answer is overdue",
    holds: |timing, _, _| timing.check > timing.t * 2,
};

/// A follower's watch over its master. At rest it watches nobody and has no timer.
#[derive(Clone, Eq, PartialEq, Hash, Debug)]
pub struct Watch {
    check: Span,
    patience: Span,
    enough: u32,
    numbers: CallNumbers,
    master: Option<NodeId>,
    open: Option<Round>,
    missing: u32,
}

impl Watch {
    /// A watch at rest that gives a master up after `enough` lost answers in a row.
    pub fn new(setup: &Setup, enough: u32) -> Watch {
        Watch {
            check: setup.timing.check,
            patience: setup.timing.t * 2,
            enough,
            numbers: CallNumbers::new(setup.incarnation),
            master: None,
            open: None,
            missing: 0,
        }
    }

    /// Watches this master from now on; the first request goes out after one check period.
    pub fn begin<A: Watches>(&mut self, master: NodeId, fx: &mut Effects<A>) {
        self.master = Some(master);
        self.open = None;
        self.missing = 0;
        fx.set_timer(Timer::Ask.into(), self.check);
    }

    /// Watches nobody from now on.
    pub fn rest<A: Watches>(&mut self, fx: &mut Effects<A>) {
        if self.master.take().is_some() {
            self.open = None;
            fx.cancel_timer(Timer::Ask.into());
            fx.cancel_timer(Timer::Answer.into());
        }
    }

    /// An answer came. One that is late, or not to the open request, changes nothing.
    pub fn take_answer<A: Watches>(&mut self, from: NodeId, number: CallNumber, fx: &mut Effects<A>) {
        if self.open.as_mut().is_some_and(|round| round.take_answer(from, number)) {
            fx.line(HEARS.number);
            self.open = None;
            self.missing = 0;
            fx.cancel_timer(Timer::Answer.into());
        }
    }

    /// A timer of the watch ran out.
    pub fn on_timer<A: Watches>(&mut self, timer: Timer, fx: &mut Effects<A>) -> Finding {
        let Some(master) = self.master else { return Finding::Nothing };
        match timer {
            Timer::Answer => self.miss(fx),
            Timer::Ask => {
                fx.line(ASKS.number);
                let number = self.numbers.give_out();
                self.open = Some(Round::new(number, NodeSet::of(master)));
                fx.send(master, Message::Ask(number).into());
                fx.set_timer(Timer::Answer.into(), self.patience);
                fx.set_timer(Timer::Ask.into(), self.check);
                Finding::Nothing
            }
        }
    }

    /// Whose answer the timer waits for.
    pub fn waits_for(&self, timer: Timer) -> NodeSet {
        match (timer, &self.open) {
            (Timer::Answer, Some(round)) => round.silent(),
            _ => NodeSet::EMPTY,
        }
    }

    fn miss<A: Watches>(&mut self, fx: &mut Effects<A>) -> Finding {
        if self.open.take().is_none() {
            return Finding::Nothing;
        }
        fx.line(MISSES.number);
        self.missing += 1;
        if self.missing < self.enough {
            return Finding::Nothing;
        }
        // Whoever cannot begin an election counts anew and goes on asking.
        self.missing = 0;
        fx.line(GIVES_UP.number);
        Finding::MasterGone
    }
}

/// The master's side: answers a request.
pub fn answer<A: Watches>(from: NodeId, number: CallNumber, fx: &mut Effects<A>) {
    fx.line(ANSWERS.number);
    fx.send(from, Message::Answer(number).into());
}

/// An algorithm whose messages and timers embed the watch's.
pub trait Watches: Algorithm<Message: From<Message>, Timer: From<Timer>> {}

impl<A: Algorithm<Message: From<Message>, Timer: From<Timer>>> Watches for A {}
