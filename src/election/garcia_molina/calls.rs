//! FOR … CALL … ONTIMEOUT(T) of Garcia-Molina 1982: a loop of calls.
//!
//! The paper makes one call after another and waits up to T for each silent node; the book makes those of one loop all
//! at once. Either way a loop's calls bear one number, and each node is called once in it.
//!
//! Invariant: an answer counts only while its call waits; one that comes after its ONTIMEOUT is ignored.

use protocol::{
    Algorithm, CallNumber, Effects, LineNumber, NodeId, NodeSet, Round, SettingCard, SettingKind, Settings,
};

/// How the calls of a loop are made.
#[derive(Copy, Clone, Eq, PartialEq, Hash, Debug)]
pub enum CallPace {
    /// All at once.
    AllAtOnce,
    /// One after another, each when the one before it has been answered, or was silent for T.
    OneByOne,
}

impl CallPace {
    /// The row of `form` in a Card.
    pub const fn setting(about: &'static str) -> SettingCard {
        SettingCard { name: "form", kind: SettingKind::Word(&["parallel", "sequential"]), about }
    }

    /// The pace that the lab asks for.
    pub fn of(settings: &Settings) -> CallPace {
        match settings.word("form") {
            "parallel" => CallPace::AllAtOnce,
            "sequential" => CallPace::OneByOne,
            other => unreachable!("the Card lists no form {other}"),
        }
    }
}

/// In which order a loop calls.
#[derive(Copy, Clone, Eq, PartialEq, Hash, Debug)]
pub enum Sequence {
    /// The lowest id first.
    Upwards,
    /// The highest id first.
    Downwards,
}

/// A loop of calls, from its first call to the lines after it.
#[derive(Clone, Eq, PartialEq, Hash, Debug)]
pub struct Loop<M> {
    /// Where it stands in the listing.
    line: LineNumber,
    question: M,
    /// The nodes that it still has to call.
    left: NodeSet,
    order: Sequence,
    /// The calls that wait.
    round: Round,
}

impl<M: Clone> Loop<M> {
    /// A loop that has called nobody yet.
    pub fn new(line: LineNumber, question: M, (left, order): (NodeSet, Sequence), number: CallNumber) -> Loop<M> {
        Loop { line, question, left, order, round: Round::new(number, NodeSet::EMPTY) }
    }

    /// The line to cite at the next call, if there is one.
    pub fn next_line(&self) -> Option<LineNumber> {
        (!self.left.is_empty()).then_some(self.line)
    }

    /// Calls the next node, or all of them; `false` when none is left.
    pub fn call_next<A: Algorithm<Message = M>>(&mut self, pace: CallPace, fx: &mut Effects<A>) -> bool {
        let called = match (pace, self.order) {
            (CallPace::AllAtOnce, _) => self.left,
            (CallPace::OneByOne, Sequence::Upwards) => self.left.iter().take(1).collect(),
            (CallPace::OneByOne, Sequence::Downwards) => self.left.iter().rev().take(1).collect(),
        };
        match self.order {
            Sequence::Upwards => called.iter().for_each(|node| fx.send(node, self.question.clone())),
            Sequence::Downwards => fx.send_each(called, self.question.clone()),
        }
        self.left = self.left.minus(&called);
        self.round = Round::new(self.round.number(), called);
        !called.is_empty()
    }

    /// Whether this answers a call that waits; the call then waits no longer.
    pub fn take_answer(&mut self, from: NodeId, call: CallNumber) -> bool {
        self.round.take_answer(from, call)
    }

    /// This node's answer is not needed any more: where answers are counted (the book), another answer stands in for
    /// it.
    pub fn wait_no_longer_for(&mut self, node: NodeId) {
        self.round = Round::new(self.round.number(), self.silent().minus(&NodeSet::of(node)));
    }

    /// The number of its calls.
    pub fn number(&self) -> CallNumber {
        self.round.number()
    }

    /// Those that have been called and have not answered.
    pub fn silent(&self) -> NodeSet {
        self.round.silent()
    }
}
