//! FOR … CALL … ONTIMEOUT(T) of Garcia-Molina 1982, Appendix I, in the three forms a lab can choose.
//!
//! The paper makes one call after another and waits up to T for each silent node; the book makes those of one phase all
//! at once. Either way a loop's calls bear one number, and each node is called once in it.
//!
//! Invariant: an answer counts only while its call waits; one that comes after its ONTIMEOUT is ignored.

use std::collections::VecDeque;

use super::{Bully, Message, Timer};
use crate::protocol::{CallNumber, Effects, LineNumber, NodeId, NodeSet, Round, SettingCard, SettingKind, Settings};

/// How the calls of one phase are made: the setting `form`.
#[derive(Copy, Clone, Eq, PartialEq, Hash, Debug)]
pub(super) enum Form {
    /// All at once; Halts wait the whole of T.
    Parallel,
    /// One after another, as in 1982.
    Sequential,
    /// All at once, and Halts too end when all have answered: assertion 1 is then not safe.
    ParallelEarly,
}

impl Form {
    /// The setting's row in a Card.
    pub const SETTING: SettingCard = SettingCard {
        name: "form",
        kind: SettingKind::Word(&["parallel", "sequential", "parallel-early"]),
        about: "How the calls of one phase are made; in parallel: all at once, one T a phase, Halts the whole T; \
                sequential: one after another as in 1982, up to T for each silent node; parallel-early: in parallel, \
                but Halts end when all have answered, which breaks assertion 1.",
    };

    /// The form that the lab asks for.
    pub fn of(settings: &Settings) -> Form {
        match settings.word("form") {
            "parallel" => Form::Parallel,
            "sequential" => Form::Sequential,
            "parallel-early" => Form::ParallelEarly,
            other => unreachable!("the Card lists no form {other}"),
        }
    }
}

/// A FOR loop of calls, from its first to what stands after it.
#[derive(Clone, Eq, PartialEq, Hash, Debug)]
pub(super) struct Loop {
    /// Where it stands in the listing.
    line: LineNumber,
    question: Message,
    /// Whom it has still to call, in this order.
    left: VecDeque<NodeId>,
    /// The calls that wait.
    round: Round,
}

impl Loop {
    /// Who has been called and has not answered.
    pub fn silent(&self) -> NodeSet {
        self.round.silent()
    }
}

impl Bully {
    /// FOR each of these nodes, in this order: CALL. The timer names the loop and waits T for the answers.
    pub(super) fn call_each(
        &mut self,
        nodes: impl Iterator<Item = NodeId>,
        timer: Timer,
        line: LineNumber,
        fx: &mut Effects<Bully>,
        question: impl FnOnce(CallNumber) -> Message,
    ) {
        let number = self.numbers.give_out();
        let (question, left, round) = (question(number), nodes.collect(), Round::new(number, NodeSet::EMPTY));
        self.loops.insert(timer, Loop { line, question, left, round });
        fx.line(line);
        self.iterate(timer, fx);
    }

    /// Whether the loop runs.
    pub(super) fn is_calling(&self, timer: Timer) -> bool {
        self.loops.contains_key(&timer)
    }

    /// Whether this answers a call of the loop that waits.
    pub(super) fn take_answer(&mut self, timer: Timer, from: NodeId, call: CallNumber) -> bool {
        self.loops.get_mut(&timer).is_some_and(|calls| calls.round.take_answer(from, call))
    }

    /// After an answer: goes on as soon as no call waits any more.
    pub(super) fn go_on(&mut self, timer: Timer, fx: &mut Effects<Bully>) {
        let Some(calls) = self.loops.get(&timer).filter(|calls| calls.silent().is_empty()) else { return };
        if calls.left.is_empty() {
            fx.cancel_timer(timer);
        }
        self.next_iteration(timer, fx);
    }

    /// NEXT ITERATION: who has not answered is passed over.
    pub(super) fn next_iteration(&mut self, timer: Timer, fx: &mut Effects<Bully>) {
        if let Some(calls) = self.loops.get(&timer).filter(|calls| !calls.left.is_empty()) {
            fx.line(calls.line);
        }
        self.iterate(timer, fx);
    }

    /// The loop ends before its time: nothing more of it has any effect.
    pub(super) fn leave_loop(&mut self, timer: Timer) {
        self.loops.remove(&timer);
    }

    /// Calls the next node, or in parallel all of them; when none is left, what stands after the loop follows.
    fn iterate(&mut self, timer: Timer, fx: &mut Effects<Bully>) {
        let Some(calls) = self.loops.get_mut(&timer) else { return };
        let at_once = match self.form {
            Form::Sequential => calls.left.len().min(1),
            Form::Parallel | Form::ParallelEarly => calls.left.len(),
        };
        let called: Vec<NodeId> = calls.left.drain(..at_once).collect();
        if called.is_empty() {
            self.loops.remove(&timer);
            self.after_loop(timer, fx);
            return;
        }
        for node in &called {
            fx.send(*node, calls.question.clone());
        }
        calls.round = Round::new(calls.round.number(), called.into_iter().collect());
        fx.set_timer(timer, self.timing.t);
    }
}
