//! Mutual exclusion with a token, by path compression and without an election (Chow and Johnson 1997, the page before
//! section 10.2).
//!
//! A process that wants the token asks its best guess of who has it. Whoever is asked forwards the request along its
//! own guess, and then points at the requester, which will have the token later than anybody that it knew of. The
//! requester is the last of the waiting list, and each process of the list knows the next one, to which it hands the
//! token.
//!
//! In an election all must know who is elected. Here nobody knows who has the token but the process that has it; each
//! other one only knows that it does not have it, and whom to ask. That works well while nothing fails: "failure
//! handling is usually an afterthought" (section 10.2). If the holder dies, the rest waits until it is back.
//!
//! The page does not say who has the token first, how requests and tokens that come again are told from new ones, and
//! what a process still knows when it starts again. Here the process with the lowest number has it first; both bear
//! numbers that rise; and a process keeps all that it knows of the token in safe cells, before anything of the step
//! leaves. All of this is ours.
//!
//! Invariant: a process is inside only with the token. It is the last of the waiting list if and only if it has no
//! guess.

mod card;
mod message;
#[cfg(test)]
mod tests;
mod words;

use serde::{Deserialize, Serialize};

use self::card as line;
pub use self::message::TokenMessage;
use crate::LabApplication;
use crate::section::{self, EntryPolicy};
use protocol::{
    Application, ApplicationCard, ApplicationEffects, ApplicationEntry, NodeId, NodeMap, NodeSet, SectionState,
    SectionWork, Settings, Setup, Span, StateVector, TokenWork, Work,
};

protocol::worded! {
    /// The timers of path compression.
    #[derive(Copy, Clone, Eq, PartialEq, Ord, PartialOrd, Hash, Debug, Serialize, Deserialize)]
    pub enum TokenTimer {
        /// The time outside is over.
        Outside = "end of the time outside",
        /// The time inside is over.
        Inside = "end of the time inside",
    }
}

/// What a program has of it.
pub const ENTRY: LabApplication = LabApplication {
    machine: ApplicationEntry::of::<PathCompression>(),
    judge: section::judge::of,
    did: words::did,
    row: words::row,
    fields: words::fields,
};

/// What a process knows of the token. It keeps all of it.
#[derive(Clone, Eq, PartialEq, Hash, Debug, Serialize, Deserialize)]
pub struct TokenCells {
    /// Whether it has it.
    pub place: TokenPlace,
    /// The highest number that it has seen of it.
    pub number: u64,
    /// The best guess of who has it, or comes last to it; absent if that is this process.
    pub guess: Option<NodeId>,
    /// To whom it hands it.
    pub next: Option<NodeId>,
    /// How often it has asked for it.
    pub asked: u64,
    /// The highest number of a request that it has seen, by requester.
    pub seen: NodeMap<u64>,
}

/// Where the token is, as a process knows it.
#[derive(Copy, Clone, Eq, PartialEq, Hash, Debug, Serialize, Deserialize)]
pub enum TokenPlace {
    /// The process has it.
    Here,
    Elsewhere,
}

impl TokenCells {
    /// What a process knows at its first start.
    fn first(me: NodeId, all: NodeSet) -> TokenCells {
        let first = all.iter().next().filter(|first| *first != me);
        let place = if first.is_some() { TokenPlace::Elsewhere } else { TokenPlace::Here };
        TokenCells { place, number: 0, guess: first, next: None, asked: 0, seen: NodeMap::new() }
    }

    /// Whether a request of its own is under way, or in the list.
    fn waits(&self) -> bool {
        self.place == TokenPlace::Elsewhere && (self.guess.is_none() || self.next.is_some())
    }
}

/// One process's part.
#[derive(Clone, Eq, PartialEq, Hash, Debug)]
pub struct PathCompression {
    me: NodeId,
    all: NodeSet,
    outside: Span,
    inside: Span,
    habit: EntryPolicy,
    stance: SectionState,
    entries: u64,
    /// How often it will enter because users have asked, beside the entry that it waits for.
    requests: u32,
    cells: TokenCells,
}

type TokenEffects = ApplicationEffects<PathCompression>;

impl Application for PathCompression {
    type Message = TokenMessage;
    type Timer = TokenTimer;
    type Saved = TokenCells;
    const CARD: ApplicationCard = card::CARD;

    fn start(setup: &Setup, settings: &Settings, saved: Option<TokenCells>) -> PathCompression {
        let (me, all) = (setup.me, setup.roster.all());
        let (outside, inside) = section::spans(settings);
        let cells = saved.unwrap_or_else(|| TokenCells::first(me, all));
        PathCompression {
            me,
            all,
            outside,
            inside,
            habit: EntryPolicy::of(me, settings),
            stance: if cells.waits() { SectionState::Waiting } else { SectionState::Outside },
            entries: 0,
            requests: 0,
            cells,
        }
    }

    fn on_start(&mut self, fx: &mut TokenEffects) {
        if self.cells != TokenCells::first(self.me, self.all) {
            fx.line(line::RETURN);
        }
        if self.stance == SectionState::Outside {
            self.become_outside(fx);
        }
    }

    fn on_state(&mut self, _: &StateVector, _: &mut TokenEffects) {}

    fn on_message(&mut self, _: NodeId, message: TokenMessage, fx: &mut TokenEffects) {
        match message {
            TokenMessage::Request { of, number } => self.take_request(of, number, fx),
            TokenMessage::Token { number } => self.take_token(number, fx),
        }
    }

    fn on_timer(&mut self, timer: TokenTimer, fx: &mut TokenEffects) {
        match (timer, self.stance) {
            (TokenTimer::Outside, SectionState::Outside) => self.become_waiting(fx),
            (TokenTimer::Inside, SectionState::Inside) => {
                fx.line(line::LEAVE);
                self.become_outside(fx);
            }
            _ => {}
        }
    }

    fn on_request(&mut self, fx: &mut TokenEffects) {
        match self.stance {
            SectionState::Outside => self.become_waiting(fx),
            SectionState::Waiting | SectionState::Inside => self.requests = self.requests.saturating_add(1),
        }
    }

    fn waits_for(&self, _: TokenTimer) -> NodeSet {
        NodeSet::EMPTY
    }

    fn work(&self) -> Work {
        let TokenCells { place, number, guess, next, .. } = self.cells;
        let section = SectionWork { stance: self.stance, entries: self.entries };
        let token = (place == TokenPlace::Here).then_some(number);
        Work::Token(TokenWork { section, token, guess, next })
    }
}

impl PathCompression {
    /// Does not need the token now: the next one gets it. Then it may want in again.
    fn become_outside(&mut self, fx: &mut TokenEffects) {
        self.stance = SectionState::Outside;
        if let Some(next) = self.cells.next.take() {
            fx.line(line::PASS);
            self.hand_to(next, fx);
        }
        if self.requests > 0 {
            self.requests -= 1;
            self.become_waiting(fx);
        } else if self.habit == EntryPolicy::Asks {
            fx.set_timer(TokenTimer::Outside, self.outside);
        }
    }

    /// One that is outside and has no guess has the token.
    fn become_waiting(&mut self, fx: &mut TokenEffects) {
        fx.line(line::WANT);
        fx.cancel_timer(TokenTimer::Outside);
        let Some(guess) = self.cells.guess.take() else { return self.become_inside(fx) };
        fx.line(line::ASK);
        self.stance = SectionState::Waiting;
        self.cells.asked += 1;
        fx.save(self.cells.clone());
        fx.send(guess, TokenMessage::Request { of: self.me, number: self.cells.asked });
    }

    fn become_inside(&mut self, fx: &mut TokenEffects) {
        fx.line(line::ENTER);
        self.stance = SectionState::Inside;
        self.entries += 1;
        fx.set_timer(TokenTimer::Inside, self.inside);
    }

    fn take_request(&mut self, of: NodeId, number: u64, fx: &mut TokenEffects) {
        let last = self.cells.seen.get(&of).copied().unwrap_or(0);
        if number <= last || of == self.me || !self.all.contains(of) {
            fx.line(line::SEEN);
            return;
        }
        self.cells.seen.insert(of, number);
        match (self.cells.guess.replace(of), self.stance) {
            (Some(guess), _) => {
                fx.line(line::FORWARD);
                fx.save(self.cells.clone());
                fx.send(guess, TokenMessage::Request { of, number });
            }
            (None, SectionState::Outside) => {
                fx.line(line::GIVE);
                self.hand_to(of, fx);
            }
            (None, SectionState::Waiting | SectionState::Inside) => {
                fx.line(line::APPEND);
                self.cells.next = Some(of);
                fx.save(self.cells.clone());
            }
        }
    }

    fn take_token(&mut self, number: u64, fx: &mut TokenEffects) {
        if number <= self.cells.number {
            fx.line(line::STALE);
            return;
        }
        let before = std::mem::replace(&mut self.cells.place, TokenPlace::Here);
        self.cells.number = number;
        if self.stance == SectionState::Waiting {
            self.become_inside(fx);
        } else {
            fx.line(line::KEEP);
            if before == TokenPlace::Elsewhere {
                self.cells.guess = None;
            }
        }
        fx.save(self.cells.clone());
    }

    fn hand_to(&mut self, to: NodeId, fx: &mut TokenEffects) {
        self.cells.place = TokenPlace::Elsewhere;
        self.cells.number = self.cells.number.saturating_add(1);
        fx.save(self.cells.clone());
        fx.send(to, TokenMessage::Token { number: self.cells.number });
    }
}
