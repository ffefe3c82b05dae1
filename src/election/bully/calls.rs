//! Bully's loops of calls (Garcia-Molina 1982, Appendix I), in the four forms a lab can choose.
//!
//! Invariant: at most one loop waits for each timer. An answer counts only for the call that it answers, except where
//! the book counts answers (`count_answer`).

use super::{Bully, Message, Timer};
use crate::garcia_molina::{CallPace, Loop, Sequence};
use protocol::{CallNumber, Effects, LineNumber, NodeId, NodeSet, SettingCard, SettingKind, Settings};

/// How the calls of one phase are made: the setting `form`.
#[derive(Copy, Clone, Eq, PartialEq, Hash, Debug)]
pub(super) enum CallForm {
    /// All at once; Halts wait the whole of T.
    Parallel,
    /// One after another, as in 1982.
    Sequential,
    /// All at once, and Halts also end when all have answered: assertion 1 is then not safe.
    ParallelEarly,
    /// All at once, and a Halt is a NewCoordinator too: assertion 1 is then not safe.
    OneStep,
}

impl CallForm {
    /// The setting's row in a Card.
    pub const SETTING: SettingCard = SettingCard {
        name: "form",
        kind: SettingKind::Word(&["parallel", "sequential", "parallel-early", "one-step"]),
        about: "How a node makes the calls of one phase; parallel: all at once, one T a phase, the Halts always the \
                whole T; sequential: one after another as in 1982, up to T for each silent node; parallel-early: in \
                parallel, but the Halts end when all have answered, which breaks assertion 1; one-step: in parallel, \
                but a Halt also says who coordinates, and there is no NewCoordinator, which breaks assertion 1 \
                (section III-A).",
    };

    /// The form that the lab asks for.
    pub fn of(settings: &Settings) -> CallForm {
        match settings.word("form") {
            "parallel" => CallForm::Parallel,
            "sequential" => CallForm::Sequential,
            "parallel-early" => CallForm::ParallelEarly,
            "one-step" => CallForm::OneStep,
            other => unreachable!("the Card lists no form {other}"),
        }
    }

    fn pace(self) -> CallPace {
        match self {
            CallForm::Parallel | CallForm::ParallelEarly | CallForm::OneStep => CallPace::AllAtOnce,
            CallForm::Sequential => CallPace::OneByOne,
        }
    }
}

/// The running loops, sorted by their timers: machines in which the same loops run are equal, whichever began first.
#[derive(Clone, Default, Eq, PartialEq, Hash, Debug)]
pub(super) struct Loops(Vec<(Timer, Loop<Message>)>);

impl Loops {
    /// The loop whose answers this timer waits for.
    pub fn get(&self, timer: Timer) -> Option<&Loop<Message>> {
        self.0.iter().find(|(other, _)| *other == timer).map(|(_, calls)| calls)
    }

    /// Takes the timers of all loops; the loops end.
    pub fn take_timers(&mut self) -> impl Iterator<Item = Timer> {
        self.0.drain(..).map(|(timer, _)| timer)
    }

    fn get_mut(&mut self, timer: Timer) -> Option<&mut Loop<Message>> {
        self.0.iter_mut().find(|(other, _)| *other == timer).map(|(_, calls)| calls)
    }

    fn insert(&mut self, timer: Timer, calls: Loop<Message>) {
        self.remove(timer);
        let place = self.0.partition_point(|(other, _)| *other < timer);
        self.0.insert(place, (timer, calls));
    }

    fn remove(&mut self, timer: Timer) {
        self.0.retain(|(other, _)| *other != timer);
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
        self.loops.insert(timer, Loop::new(line, question(number), (left, order), number));
        fx.line(line);
        self.iterate(timer, fx);
    }

    /// Whether the loop runs.
    pub(super) fn is_calling(&self, timer: Timer) -> bool {
        self.loops.get(timer).is_some()
    }

    /// Those that the loop has called, and that have not answered.
    pub(super) fn silent(&self, timer: Timer) -> NodeSet {
        self.loops.get(timer).map_or(NodeSet::EMPTY, Loop::silent)
    }

    /// Whether this answers a waiting call of the loop.
    pub(super) fn take_answer(&mut self, timer: Timer, from: NodeId, call: CallNumber) -> bool {
        self.loops.get_mut(timer).is_some_and(|calls| calls.take_answer(from, call))
    }

    /// Counts an answer, as the book does: the loop waits for one answer fewer. An answer from a node that is no longer
    /// waited for counts for the highest one that is.
    pub(super) fn count_answer(&mut self, timer: Timer, from: NodeId) {
        let Some(calls) = self.loops.get_mut(timer) else { return };
        let silent = calls.silent();
        let counted_for = if silent.contains(from) { Some(from) } else { silent.highest() };
        counted_for.into_iter().for_each(|node| calls.wait_no_longer_for(node));
    }

    /// After an answer: goes on as soon as no call waits any more.
    pub(super) fn go_on(&mut self, timer: Timer, fx: &mut Effects<Bully>) {
        let Some(calls) = self.loops.get(timer).filter(|calls| calls.silent().is_empty()) else { return };
        if calls.next_line().is_none() {
            fx.cancel_timer(timer);
        }
        self.next_iteration(timer, fx);
    }

    /// NEXT ITERATION: a node that has not answered is passed over.
    pub(super) fn next_iteration(&mut self, timer: Timer, fx: &mut Effects<Bully>) {
        let next = self.loops.get(timer).and_then(Loop::next_line);
        next.into_iter().for_each(|line| fx.line(line));
        self.iterate(timer, fx);
    }

    /// The loop ends early: nothing more of it has any effect.
    pub(super) fn leave_loop(&mut self, timer: Timer) {
        self.loops.remove(timer);
    }

    /// Calls the next node, or in parallel all of them; when none is left, the lines after the loop follow.
    fn iterate(&mut self, timer: Timer, fx: &mut Effects<Bully>) {
        let pace = self.form.pace();
        let Some(calls) = self.loops.get_mut(timer) else { return };
        if calls.call_next(pace, fx) {
            fx.set_timer(timer, self.timing.t);
        } else {
            self.loops.remove(timer);
            self.after_loop(timer, fx);
        }
    }
}
