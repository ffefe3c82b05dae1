//! Table 3 (section 5.2) and the mends of its holes, row by row; below them what their words mean.
//!
//! Mended, inits and lists count from the first init of the election to its end, the first of each sender only.

use super::super::Hole::*;
use super::super::table::Event::*;
use super::super::table::Phase::*;
use super::super::table::{self, TableMachine, mend, row};
use super::{AlgorithmB2, Decision, Fx, List, Message, WalkedList, Word, el};

type Row = table::Row<AlgorithmB2>;
type Guard = table::Guard<AlgorithmB2>;
type Act = table::Act<AlgorithmB2>;

/// The rows of the paper.
#[rustfmt::skip]
pub(super) const PAPER: &[Row] = &[
    row( 1, Normal, Begins ).given(CANDIDATE)                   .sends(INIT)   .timer(2).to(Coll1),
    row( 2, Normal, Init   ).given(CANDIDATE)    .sets(S_IS_J)  .sends(INIT)   .timer(2).to(Coll1),
    row( 3, Normal, Init   ).given(NOT_CANDIDATE).sets(S_IS_J)                 .timer(2).to(Coll1),
    row( 4, Normal, Fault  )                                                            .to(Fail),
    row( 5, Coll1,  Init   )                     .sets(ADD_J)                           .to(Coll1),
    row( 6, Coll1,  TimeOut)                                    .sends(VECT)   .timer(2).to(Coll2),
    row( 7, Coll1,  Fault  )                                                            .to(Fail),
    row( 8, Coll2,  Vect   )                     .sets(ADD_LIST)                        .to(Coll2),
    row( 9, Coll2,  TimeOut)                     .sets(MS_IS_EL)                        .to(Stop),
    row(10, Coll2,  Fault  )                                                            .to(Fail),
    row(11, Fail,   TimeOut)                                    .sends(GARBAGE)         .to(Fail),
];

/// The mends, in the order in which they are tried.
#[rustfmt::skip]
pub(super) const MENDS: &[Row] = &[
    mend(OnlyCandidatesBegin, 107, &[Normal], Begins).given(NOT_CANDIDATE).sends(INIT_MINUS_1).timer(2).to(Coll1),
    mend(NoSecondElection, 117, &[Coll2], TimeOut).given(EL_NAMES_NOBODY).sets(MS_IS_NOBODY).to(Normal),
    mend(VectBeforeInit, 108, &[Coll1, Coll2], Vect).given(S_IS_EMPTY).sets(DROPPED),
    mend(SaidTwice, 111, &[Normal, Coll1, Coll2, Stop], Init).or(Vect).given(SAID_BEFORE).sets(DROPPED),
    mend(VectInColl1, 101, &[Coll1], Vect).sets(ADD_LIST),
    mend(InitInColl2, 110, &[Coll2], Init).sets(ADD_J),
];

const CANDIDATE: Guard = Guard::CANDIDATE;
const NOT_CANDIDATE: Guard = Guard::NOT_CANDIDATE;
const EL_NAMES_NOBODY: Guard = Guard::new("el(Y) names nobody", |b2, _, _| b2.el().elected.is_none());
const S_IS_EMPTY: Guard =
    Guard::new("before the first init of its election", |b2, _, _| b2.takes_lists() && b2.candidates.is_empty());
const SAID_BEFORE: Guard = Guard::new("another of the same j, or the list is empty", |b2, (j, word), _| match word {
    Word::Init(_) => b2.candidates.iter().any(|(node, _)| node == j),
    Word::Vect(list) => b2.takes_lists() && (list.is_empty() || b2.lists.iter().any(|(node, _)| node == j)),
});

const S_IS_J: Act = Act::new("S=[(j,w)]", |b2, (j, word), _| {
    b2.candidates.clear();
    b2.candidates.extend(word.capacity().map(|w| (*j, w)));
});
const ADD_J: Act = Act::new("S+=(j,w)", |b2, (j, word), _| b2.candidates.extend(word.capacity().map(|w| (*j, w))));
const ADD_LIST: Act = Act::new("Y+=(j,Sj)", |b2, (j, word), _| {
    if let Word::Vect(list) = word {
        b2.lists.push((*j, list.clone()));
    }
});
const MS_IS_EL: Act = Act::new("ms=el(Y)", |b2, _, fx| b2.decide(fx));
const MS_IS_NOBODY: Act = Act::new("nobody is elected", |b2, _, fx| b2.decide(fx));

const DROPPED: Act = Act::new("dropped", |_, _, _| {});

const INIT: Act = Act::new("broadcast init,v", |b2, _, fx| b2.broadcast_init(fx));
const INIT_MINUS_1: Act = Act::new("broadcast init,-1", |b2, _, fx| b2.broadcast_init(fx));
const VECT: Act = Act::new("broadcast vect,S", |b2, _, fx| {
    let list = List::of(&b2.candidates, b2.form);
    fx.broadcast(Message::Vect { election: b2.succession.election(), list });
});
const GARBAGE: Act = Act::new("broadcast garbage (none is sent: its timer is infinite)", |_, _, _| {});

impl AlgorithmB2 {
    /// Whether the phase has a row for lists.
    fn takes_lists(&self) -> bool {
        match self.phase {
            Coll1 => self.mends(VectInColl1),
            phase => phase == Coll2,
        }
    }

    fn el(&self) -> Decision<'_> {
        el(&self.candidates, &self.lists, self.enough, self.walked())
    }

    fn walked(&self) -> WalkedList {
        if self.mends(OwnListWalked) { WalkedList::LongestList } else { WalkedList::OwnList }
    }

    fn decide(&mut self, fx: &mut Fx) {
        if self.walked() == WalkedList::LongestList && self.lists.len() >= self.enough {
            fx.line(109);
        }
        let Decision { line, elected } = self.el();
        fx.line(line);
        let (master, decided) = elected.map(|(master, list)| (master, list.to_vec())).unzip();
        self.decided = decided;
        self.succession.elect(master);
    }

    /// Sends its capacity of this moment to all.
    fn broadcast_init(&mut self, fx: &mut Fx) {
        self.succession.stand(fx.capacity());
        fx.broadcast(Message::Init { election: self.succession.election(), capacity: fx.capacity() });
    }
}
