//! Table 2 (section 5.1) and the mends of its holes, row by row; below them what their words mean.

use super::super::Hole::*;
use super::super::largest;
use super::super::table::Event::*;
use super::super::table::Phase::*;
use super::super::table::{self, mend, row};
use super::{AlgorithmB1, Message};
use protocol::NodeId;

type Row = table::Row<AlgorithmB1>;
type Guard = table::Guard<AlgorithmB1>;
type Act = table::Act<AlgorithmB1>;

/// The rows of the paper.
#[rustfmt::skip]
pub(super) const PAPER: &[Row] = &[
    row(1, Normal,  Begins ).given(CANDIDATE)    .sets(S_IS_I)      .sends(V).timer(2).to(Collect),
    row(2, Normal,  Value  ).given(CANDIDATE)    .sets(S_IS_I_AND_J).sends(V).timer(2).to(Collect),
    row(3, Normal,  Value  ).given(NOT_CANDIDATE).sets(S_IS_J)               .timer(2).to(Collect),
    row(4, Normal,  Fault  )                                                          .to(Fail),
    row(5, Collect, Value  )                     .sets(ADD_J)                         .to(Collect),
    row(6, Collect, TimeOut)                     .sets(MS_IS_MAX)                     .to(Stop),
    row(7, Collect, Fault  )                                                          .to(Fail),
];

/// The mends.
#[rustfmt::skip]
pub(super) const MENDS: &[Row] = &[
    mend(OnlyCandidatesBegin, 107, &[Normal], Begins).given(NOT_CANDIDATE).sends(V_MINUS_1).timer(2).to(Collect),
    mend(NoSecondElection, 117, &[Collect], TimeOut).given(NOBODY_STANDS).sets(MS_IS_NOBODY).to(Normal),
];

const CANDIDATE: Guard = Guard::CANDIDATE;
const NOT_CANDIDATE: Guard = Guard::NOT_CANDIDATE;
const NOBODY_STANDS: Guard = Guard::new("nobody in S is a candidate", |b1, _, _| b1.max().is_none());

const S_IS_I: Act = Act::new("S={(i,v)}", |b1, _, fx| b1.enter_in_s(b1.me, fx.capacity()));
const S_IS_I_AND_J: Act = Act::new("S={(i,v),(j,w)}", |b1, (j, w), fx| {
    b1.enter_in_s(*j, *w);
    b1.enter_in_s(b1.me, fx.capacity());
});
const S_IS_J: Act = Act::new("S={(j,w)}", |b1, (j, w), _| b1.enter_in_s(*j, *w));
const ADD_J: Act = Act::new("S+=(j,w)", |b1, (j, w), _| {
    b1.candidates.get_or_insert_with(*j, || *w);
});
const MS_IS_MAX: Act = Act::new("ms=max(S)", |b1, _, _| b1.master = b1.max());
const MS_IS_NOBODY: Act = Act::new("nobody is elected", |_, _, _| {});

const V: Act = Act::new("broadcast v", |b1, _, fx| {
    fx.broadcast(Message::Capacity { election: b1.election, capacity: fx.capacity() });
});
const V_MINUS_1: Act = Act::new("broadcast -1", |b1, _, fx| {
    fx.broadcast(Message::Capacity { election: b1.election, capacity: -1 });
});

impl AlgorithmB1 {
    /// `max(S)`.
    fn max(&self) -> Option<NodeId> {
        largest(self.candidates.iter().map(|(node, capacity)| (*node, *capacity)))
    }

    fn enter_in_s(&mut self, node: NodeId, capacity: i64) {
        self.candidates.insert(node, capacity);
    }
}
