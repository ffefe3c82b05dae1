//! Table 3 (section 5.2) with the rounds of the agreement in place of its coll2, row by row; below the rows what their
//! words mean.

use super::super::table::Event::*;
use super::super::table::Phase::*;
use super::super::table::{self, beside, row};
use super::message::{Message, RelayedList};
use super::parts::messages_of;
use super::signed::SignedInit;
use super::walk::{Decision, el};
use super::{Algorithm53, AskingCause, Fx, Heard};

use std::sync::Arc;

type Row = table::Row<Algorithm53>;
type Guard = table::Guard<Algorithm53>;
type Act = table::Act<Algorithm53>;

/// The rows of the paper.
#[rustfmt::skip]
pub(super) const PAPER: &[Row] = &[
    row( 1, Normal, Begins ).given(CANDIDATE)    .sets(ADD_I)   .sends(INIT)         .timer(2).to(Coll1),
    row( 2, Normal, Init   ).given(CANDIDATE)    .sets(ADD_I)   .sends(INIT_AND_J_S) .timer(2).to(Coll1),
    row( 3, Normal, Init   ).given(NOT_CANDIDATE)               .sends(J_S)          .timer(2).to(Coll1),
    row( 4, Normal, Fault  )                                                                  .to(Fail),
    row( 5, Coll1,  Init   )                     .sets(ADD_J)                                 .to(Coll1),
    row( 6, Coll1,  TimeOut)                     .sets(ROUND_1) .sends(VECT)         .timer(2).to(Rounds),
    row( 7, Coll1,  Fault  )                                                                  .to(Fail),
    beside("rounds", 8, &[Coll1, Rounds], Vect)  .sets(ADD_LIST).sends(HANDED_ON),
    row( 9, Rounds, TimeOut)                     .sets(MS_IS_EL)                              .to(Stop),
    row(10, Rounds, Fault  )                                                                  .to(Fail),
    row(11, Fail,   TimeOut)                                    .sends(GARBAGE)               .to(Fail),
];

/// The rows of the agreement, which are tried first.
#[rustfmt::skip]
pub(super) const AGREEMENT: &[Row] = &[
    beside("normal",    107, &[Normal], Begins ).given(NOT_CANDIDATE).sets(ADD_I).sends(INIT).timer(2).to(Coll1),
    beside("agreement", 409, &[Rounds], TimeOut).given(IS_NOT_LAST).sets(NEXT_ROUND).timer(2).to(Rounds),
    beside("agreement", 415, &[Rounds], TimeOut).given(TWO_OF_ONE).sets(NONE_OF_IT).goes_on(),
    beside("el(Y')",    301, &[Rounds], TimeOut).given(TOO_FEW_LISTS).sets(MS_IS_NOBODY).sends(ASK).to(Normal),
    beside("numbers",   117, &[Rounds], TimeOut).given(EL_NAMES_NOBODY).sets(EL_IS_NOBODY).to(Normal),
];

const CANDIDATE: Guard = Guard::CANDIDATE;
const NOT_CANDIDATE: Guard = Guard::NOT_CANDIDATE;
const IS_NOT_LAST: Guard = Guard::new("before round t+1", |a, _, _| (a.round as usize) < a.enough());
const TWO_OF_ONE: Guard = Guard::new("of round t+1, an owner has two lists in Y", |a, _, _| a.book.has_two_of_one());
const TOO_FEW_LISTS: Guard =
    Guard::new("of round t+1, fewer than n-t lists are agreed on", |a, _, _| a.book.agreed().len() < a.lists_wanted());
const EL_NAMES_NOBODY: Guard =
    Guard::new("of round t+1, el(Y') names nobody", |a, _, _| el(&a.book.agreed()).elected.is_none());

const ADD_I: Act = Act::new("S+=(i,v), signed", |a, _, fx| {
    let capacity = fx.capacity();
    a.stands_with = (capacity >= 0).then_some(capacity);
    a.book.enter_own(SignedInit::sign(&a.verifier.keyring, a.election, a.me, capacity));
});
const ADD_J: Act = Act::new("S+=(j,w)", |a, heard, _| {
    if let Heard::Init(init) = heard {
        a.book.enter_init(*init);
    }
});
const ADD_LIST: Act = Act::new("Y+=(j,Sj), with k signatures no later than the end of round k", |a, heard, _| {
    if let Heard::List(relay) = heard {
        a.book.enter_list(Arc::clone(relay));
    }
});
const ROUND_1: Act = Act::new("k=1", |a, _, _| a.round = 1);
const NEXT_ROUND: Act = Act::new("k=k+1", |a, _, _| a.round += 1);
const NONE_OF_IT: Act = Act::new("Y' has none of it", |_, _, _| {});
const MS_IS_EL: Act = Act::new("ms=el(Y')", |a, _, fx| a.decide(fx));
const EL_IS_NOBODY: Act = Act::new("nobody is elected", |a, _, fx| a.decide(fx));
const MS_IS_NOBODY: Act = Act::new("el(Y') is not defined, nobody is elected", |a, _, _| {
    a.master = None;
    a.learn(a.taken);
});

const INIT: Act = Act::new("broadcast init,v, signed", |a, _, fx| a.broadcast_own(fx));
const J_S: Act = Act::new("broadcast init,w of j", |a, heard, fx| a.broadcast_first(heard, fx));
const INIT_AND_J_S: Act = Act::new("broadcast init,v, signed, and init,w of j", |a, heard, fx| {
    a.broadcast_own(fx);
    a.broadcast_first(heard, fx);
});
const VECT: Act = Act::new("broadcast vect,S, signed", |a, _, fx| {
    let own = a.book.sign_own(a.me, &a.verifier);
    a.broadcast_list(own, fx);
});
const HANDED_ON: Act = Act::new("if k <= t, sign it, broadcast vect,Sj", |a, heard, fx| {
    if let Heard::List(relay) = heard {
        a.hand_on(relay, fx);
    }
});
const ASK: Act = Act::new("broadcast ask", |a, _, fx| a.ask(AskingCause::AfterFailure, fx));
const GARBAGE: Act = Act::new("broadcast garbage (none is sent: its timer is infinite)", |_, _, _| {});

impl Algorithm53 {
    fn broadcast_own(&self, fx: &mut Fx) {
        if let Some(own) = self.book.init_of(self.me) {
            fx.broadcast(Message::Init { election: self.election, init: Arc::new(own) });
        }
    }

    /// Whoever starts broadcasts the init that started it, so that all start within T.
    fn broadcast_first(&self, heard: &Heard, fx: &mut Fx) {
        if let Heard::Init(first) = heard {
            fx.line(401);
            fx.broadcast(Message::Init { election: self.election, init: Arc::new(*first) });
        }
    }

    /// Signs a list and broadcasts it, if its next signature can still be in time.
    pub(super) fn hand_on(&self, relay: &RelayedList, fx: &mut Fx) {
        if relay.signatures.len() > self.faulty {
            return;
        }
        if let Some(relay) = self.book.endorsed(relay, self.me, &self.verifier) {
            fx.line(404);
            self.broadcast_list(Arc::new(relay), fx);
        }
    }

    fn broadcast_list(&self, relay: Arc<RelayedList>, fx: &mut Fx) {
        let messages = messages_of(relay, self.election, &self.verifier.keyring);
        messages.into_iter().for_each(|message| fx.broadcast(message));
    }

    fn decide(&mut self, fx: &mut Fx) {
        let agreed = self.book.agreed();
        let Decision { line, elected } = el(&agreed);
        fx.line(line);
        let (master, decided) = elected.map(|(master, list)| (master, list.to_vec())).unzip();
        (self.master, self.decided) = (master, decided);
        self.learn(self.taken);
    }
}
