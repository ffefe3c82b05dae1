//! Lets nodes come back during, or just after, an election that elects nobody.
//!
//! Some processes are kept out: dead, stopped or cut off. Another one begins an election. The simulator plays that, and
//! shows where a process comes out of an election and names nobody. Then those that were kept out return: within this
//! election, or soon after it. The returning nodes meet the state that the failed election left in the others. Usually
//! a new election then begins. If every election elects somebody, the nodes return at a random time.
//!
//! Invariant: all of this fits into the time that the fault schedule keeps free before its end. It draws from a random
//! stream of its own, so the rest of the schedule is the same as without a return.

use super::dice::Dice;
use super::drawn_lines::DrawnLines;
use super::fault_targeting::{DrawnRun, cut};
use fault::{FaultLine, Links, ProcessFault, Target};
use lab::Lab;
use protocol::{Assumption, Course, NodeMap, NodeSet, Span};
use record::{Body, Record};

/// Aims a return in a plot.
pub(super) struct ReturnAim<'a> {
    pub playing: DrawnRun<'a>,
    pub plot: &'a mut DrawnLines,
    pub dice: &'a mut Dice,
}

/// How the processes are kept out.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
enum KeptOut {
    Dead,
    Stopped,
    CutOff,
    Apart,
}

/// When a process's failed election began and ended.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
struct NothingElected {
    began: Span,
    ended: Span,
}

/// How much time before the end of the story a return takes: two elections, what lies between them, and the rest.
pub(super) fn room(lab: &Lab) -> Span {
    election(lab) * 6 + lab.timing.t * 2
}

impl ReturnAim<'_> {
    /// Aims one, if the lab has several processes.
    pub fn aim(&mut self) {
        let lab = self.playing.lab;
        let (all, until) = (lab.roster.electors().all(), self.plot.end());
        let out = self.dice.some(all);
        let left = all.minus(&out);
        let Some(begins) = until.nanos().checked_sub(room(lab).nanos()).map(Span::from_nanos) else { return };
        if left.is_empty() || begins == Span::ZERO {
            return;
        }
        let at = begins + self.dice.span(Span::ZERO, election(lab));
        let (goes, returns) = self.lines(out, left);
        self.plot.order(at, goes);
        let elected = at + if self.dice.chance(30) { Span::ZERO } else { self.dice.span(Span::ZERO, lab.timing.t * 2) };
        let who = self.beginners(left);
        self.plot.order(elected, who);
        let back = self.when_back(at, until).min(until.saturating_sub(Span::from_nanos(1_000)));
        self.plot.order(back, returns);
        if self.dice.chance(85) {
            let later = match self.dice.below(3) {
                0 => self.dice.span(Span::ZERO, lab.timing.t),
                1 => self.dice.span(Span::ZERO, election(lab)),
                _ => self.dice.span(election(lab), election(lab) * 2),
            };
            let who = self.beginners(all);
            if back + later < until {
                self.plot.order(back + later, who);
            }
        }
    }

    /// The line by which these are kept out, and the one by which they return. Usually the fault breaks no assumption
    /// that the algorithm needs. A fault that breaks one would excuse the violation that it causes, so the run would
    /// show nothing.
    fn lines(&mut self, out: NodeSet, left: NodeSet) -> (FaultLine, FaultLine) {
        const KINDS: [KeptOut; 6] =
            [KeptOut::Dead, KeptOut::Dead, KeptOut::Dead, KeptOut::Stopped, KeptOut::CutOff, KeptOut::Apart];
        let kind = self.dice.pick(&KINDS);
        let needs = self.playing.lab.card.needs;
        let breaks = match kind {
            KeptOut::Dead => None,
            KeptOut::Stopped => Some(Assumption::NoPauses),
            KeptOut::CutOff | KeptOut::Apart => Some(Assumption::DeliveryInTime),
        };
        let is_apt = breaks.is_none_or(|assumption| !needs.contains(&assumption)) || self.dice.chance(35);
        let those = Target::Nodes(out);
        let process =
            |goes, returns| (FaultLine::Process(goes, those.clone()), FaultLine::Process(returns, those.clone()));
        match kind {
            KeptOut::Stopped if is_apt => process(ProcessFault::Pause, ProcessFault::Resume),
            KeptOut::CutOff if is_apt => (cut(Links::Around(those)), FaultLine::Heal),
            KeptOut::Apart if is_apt => (cut(Links::Across(vec![those, Target::Nodes(left)])), FaultLine::Heal),
            _ => process(ProcessFault::Crash, ProcessFault::Recover),
        }
    }

    /// An order to elect: for one of these nodes in most cases; for all of them in most cases if the algorithm needs a
    /// common start.
    fn beginners(&mut self, able: NodeSet) -> FaultLine {
        let together = self.playing.lab.card.needs.contains(&Assumption::StartsTogether);
        let all = self.dice.chance(if together { 70 } else { 15 });
        let who = if all { able } else { NodeSet::of(self.dice.one(able)) };
        FaultLine::Process(ProcessFault::Elect, Target::Nodes(who))
    }

    /// When they return.
    fn when_back(&mut self, since: Span, until: Span) -> Span {
        let mut courses: NodeMap<Span> = NodeMap::new();
        let mut failed: Vec<NothingElected> = Vec::new();
        let mut watch = |record: &Record| {
            let (Some(node), Ok(at)) = (record.node, u64::try_from(record.at)) else { return };
            let at = Span::from_nanos(at);
            match &record.body {
                Body::Died { .. } => drop(courses.remove(&node)),
                Body::Step(step) => match &step.state {
                    Some(state) if state.course() == Course::Electing => drop(courses.get_or_insert_with(node, || at)),
                    Some(state) => {
                        let began = courses.remove(&node).filter(|_| state.believes_in().is_none() && at > since);
                        failed.extend(began.map(|began| NothingElected { began, ended: at }));
                    }
                    None => {}
                },
                _ => {}
            }
        };
        self.playing.play(self.plot, until, &mut watch);
        let lasts = election(self.playing.lab);
        match failed.as_slice() {
            [] => since + self.dice.span(Span::ZERO, lasts * 3),
            failed => {
                let NothingElected { began, ended } = self.dice.pick(failed);
                match self.dice.below(10) {
                    0..3 => self.dice.span(began.max(since), ended),
                    3..4 => ended,
                    4..7 => ended + self.dice.span(Span::ZERO, self.playing.lab.timing.t * 2),
                    _ => ended + self.dice.span(Span::ZERO, lasts),
                }
            }
        }
    }
}

/// How long one election may take.
fn election(lab: &Lab) -> Span {
    (lab.card.time_bound.value)(&lab.timing, lab.roster.electors().len(), &lab.settings)
}
