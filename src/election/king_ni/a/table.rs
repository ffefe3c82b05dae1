//! Table 1 (section 4) and the mend of its hole, row by row; below them what their words mean.

use super::super::Hole::*;
use super::super::largest;
use super::super::table::Event::*;
use super::super::table::Phase::*;
use super::super::table::{self, mend, row};
use super::{AlgorithmA, Message};
use protocol::NodeId;

type Row = table::Row<AlgorithmA>;
type Guard = table::Guard<AlgorithmA>;
type Act = table::Act<AlgorithmA>;

/// The rows of the paper.
#[rustfmt::skip]
pub(super) const PAPER: &[Row] = &[
    row(1, Start, Begins )                                    .sends(V)      .timer(1).to(Wait),
    row(2, Wait,  Value  ).given(J_IS_NOT_IN_S).sets(ADD_J)                           .to(Wait),
    row(3, Wait,  TimeOut)                     .sets(MS_IS_MAX)                       .to(Stop),
    row(4, Wait,  Fault  )                                                            .to(Fail),
    row(5, Fail,  TimeOut)                                    .sends(GARBAGE)         .to(Fail),
];

/// The mend.
pub(super) const MENDS: &[Row] =
    &[mend(NoSecondElection, 208, &[Wait], TimeOut).given(NOBODY_STANDS).sets(MS_IS_NOBODY).to(Start)];

const J_IS_NOT_IN_S: Guard = Guard::new("j not in S", |a, (j, _), _| !a.candidates.contains_key(j));
const NOBODY_STANDS: Guard = Guard::new("nobody in S is a candidate", |a, _, _| a.max().is_none());

const ADD_J: Act = Act::new("S+=(j,w)", |a, (j, w), _| {
    a.candidates.insert(*j, *w);
});
const MS_IS_MAX: Act = Act::new("ms=max(S)", |a, _, _| a.succession.elect(a.max()));
const MS_IS_NOBODY: Act = Act::new("nobody is elected", |a, _, _| a.succession.elect(None));

const V: Act = Act::new("broadcast v (-1: not a candidate)", |a, _, fx| {
    a.succession.stand(fx.capacity());
    fx.broadcast(Message::Capacity { election: a.succession.election(), capacity: fx.capacity() });
});
const GARBAGE: Act = Act::new("garbage to somebody (none is sent: its timer is infinite)", |_, _, _| {});

impl AlgorithmA {
    /// `max(S)`.
    fn max(&self) -> Option<NodeId> {
        largest(self.candidates.iter().map(|(node, capacity)| (*node, *capacity)))
    }
}
