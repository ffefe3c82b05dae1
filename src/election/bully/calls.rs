//! FOR … CALL … ONTIMEOUT(T) of Garcia-Molina 1982, Appendix I, in the three forms a lab can choose.
//!
//! The paper makes one call after another and waits up to T for each silent node; the book makes those of one phase all
//! at once. Either way a loop's calls bear one number, and each node is called once in it.
//!
//! Invariant: an answer counts only while its call waits; one that comes after its ONTIMEOUT is ignored. (The book's
//! count of answers knows no calls: see `count_answer`.)

use super::{Bully, Message, Timer, card as line};
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
    /// Whom it has still to call.
    left: NodeSet,
    order: Sequence,
    /// The calls that wait.
    round: Round,
}

/// In which order a loop calls.
#[derive(Copy, Clone, Eq, PartialEq, Hash, Debug)]
pub(super) enum Sequence {
    /// The lowest id first.
    Upwards,
    /// The highest id first.
    Downwards,
}

/// The loops that run, in the order of their timers: there is room for them, whoever was called before.
#[derive(Clone, Default, Eq, PartialEq, Hash, Debug)]
pub(super) struct Loops(Vec<(Timer, Loop)>);

impl Loops {
    /// The loop whose answers this timer waits for.
    pub fn get(&self, timer: Timer) -> Option<&Loop> {
        self.0.iter().find(|(other, _)| *other == timer).map(|(_, calls)| calls)
    }

    /// All timers of loops; their loops run no more.
    pub fn take_timers(&mut self) -> impl Iterator<Item = Timer> {
        self.0.drain(..).map(|(timer, _)| timer)
    }

    fn get_mut(&mut self, timer: Timer) -> Option<&mut Loop> {
        self.0.iter_mut().find(|(other, _)| *other == timer).map(|(_, calls)| calls)
    }

    fn insert(&mut self, timer: Timer, calls: Loop) {
        self.remove(timer);
        let place = self.0.partition_point(|(other, _)| *other < timer);
        self.0.insert(place, (timer, calls));
    }

    fn remove(&mut self, timer: Timer) {
        self.0.retain(|(other, _)| *other != timer);
    }
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
        (left, order): (NodeSet, Sequence),
        timer: Timer,
        line: LineNumber,
        fx: &mut Effects<Bully>,
        question: impl FnOnce(CallNumber) -> Message,
    ) {
        let number = self.numbers.give_out();
        let (question, round) = (question(number), Round::new(number, NodeSet::EMPTY));
        self.loops.insert(timer, Loop { line, question, left, order, round });
        fx.line(line);
        self.iterate(timer, fx);
    }

    /// Whether the loop runs.
    pub(super) fn is_calling(&self, timer: Timer) -> bool {
        self.loops.get(timer).is_some()
    }

    /// Whether this answers a call of the loop that waits.
    pub(super) fn take_answer(&mut self, timer: Timer, from: NodeId, call: CallNumber) -> bool {
        self.loops.get_mut(timer).is_some_and(|calls| calls.round.take_answer(from, call))
    }

    /// num_answers + 1 of listing 10.20: one fewer is waited for, whoever answers, and whichever call.
    pub(super) fn count_answer(&mut self, timer: Timer, from: NodeId, fx: &mut Effects<Bully>) -> bool {
        let Some(calls) = self.loops.get_mut(timer) else { return false };
        fx.line(line::ELECTION_COUNT);
        let silent = calls.silent();
        let counted_for = if silent.contains(from) { Some(from) } else { silent.highest() };
        let counted_for = counted_for.map(NodeSet::of).unwrap_or_default();
        calls.round = Round::new(calls.round.number(), silent.minus(&counted_for));
        true
    }

    /// After an answer: goes on as soon as no call waits any more.
    pub(super) fn go_on(&mut self, timer: Timer, fx: &mut Effects<Bully>) {
        let Some(calls) = self.loops.get(timer).filter(|calls| calls.silent().is_empty()) else { return };
        if calls.left.is_empty() {
            fx.cancel_timer(timer);
        }
        self.next_iteration(timer, fx);
    }

    /// NEXT ITERATION: who has not answered is passed over.
    pub(super) fn next_iteration(&mut self, timer: Timer, fx: &mut Effects<Bully>) {
        if let Some(calls) = self.loops.get(timer).filter(|calls| !calls.left.is_empty()) {
            fx.line(calls.line);
        }
        self.iterate(timer, fx);
    }

    /// The loop ends before its time: nothing more of it has any effect.
    pub(super) fn leave_loop(&mut self, timer: Timer) {
        self.loops.remove(timer);
    }

    /// Calls the next node, or in parallel all of them; when none is left, what stands after the loop follows.
    fn iterate(&mut self, timer: Timer, fx: &mut Effects<Bully>) {
        let Some(calls) = self.loops.get_mut(timer) else { return };
        let called = match (self.form, calls.order) {
            (Form::Parallel | Form::ParallelEarly, _) => calls.left,
            (Form::Sequential, Sequence::Upwards) => calls.left.iter().take(1).collect(),
            (Form::Sequential, Sequence::Downwards) => calls.left.iter().rev().take(1).collect(),
        };
        if called.is_empty() {
            self.loops.remove(timer);
            self.after_loop(timer, fx);
            return;
        }
        match calls.order {
            Sequence::Upwards => called.iter().for_each(|node| fx.send(node, calls.question.clone())),
            Sequence::Downwards => fx.send_each(called, calls.question.clone()),
        }
        calls.left = calls.left.minus(&called);
        calls.round = Round::new(calls.round.number(), called);
        fx.set_timer(timer, self.timing.t);
    }
}
