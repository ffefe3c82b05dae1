//! Assumptions that stay broken for a while: 10, by a clock that runs at another rate, and 14, by more processes that are
//! dead or lie than the algorithm allows. And 1, by each lie.
//!
//! Invariant: at most one clock is kept for each process, until the process runs at the common rate or is dead.

use super::super::breaks::{Break, Cause};
use super::super::liars::LiarChange;
use super::super::quiet::Scope;
use super::Meter;
use fault::ClockFault;
use protocol::{Assumption, NodeId, NodeSet, ToldLie};
use record::{BreakManner, Record};
use world::index;

impl Meter {
    /// From this record on the node's clock runs at this rate. Another rate is a bite at once: a timer is late or early
    /// by it before any record tells it.
    pub(super) fn take_clock(&mut self, node: NodeId, clock: Option<ClockFault>, record: &Record) {
        self.close_clock(node, record.at);
        self.timers[index(node)].set_rate(clock.map(|clock| clock.rate), record.at);
        let Some(ClockFault { by, rate }) = clock else { return };
        self.accounts[Assumption::OneClockRate as usize].by_faults += 1;
        self.open(Assumption::OneClockRate, Cause::Fault(by), record.at, None, BreakManner::OtherRate { node, rate });
        self.note_bitten(Assumption::OneClockRate, Cause::Fault(by), record.at);
        self.announce(Assumption::OneClockRate, Cause::Fault(by), record.at);
    }

    /// Whether a clock runs at another rate at this moment, too many processes are dead, or one lies, so that such a property
    /// cannot be judged.
    pub fn is_upset(&self, scope: Scope) -> bool {
        let upsets =
            |bite: &BreakManner| matches!(bite, BreakManner::OtherRate { .. } | BreakManner::TooManyFaulty { .. });
        let runs_so = |broken: &Break| broken.to.is_none() && upsets(&broken.bite);
        let counts = |broken: &Break| self.counts(scope, broken.assumption, broken.cause);
        let is_lied_to = self.counts(scope, Assumption::AllCooperate, Cause::Machine) && !self.lying().is_empty();
        is_lied_to || self.standing > 0 && self.breaks.iter().any(|broken| runs_so(broken) && counts(broken))
    }

    /// The node's process died from this cause, or another was started. While more are dead than the algorithm allows,
    /// assumption 14 is broken.
    pub(super) fn take_life(&mut self, node: NodeId, died_by: Option<Cause>, at: i64) {
        if !self.roster.elects(node) {
            return;
        }
        match died_by {
            Some(by) => self.dead.insert(node, by),
            None => self.dead.remove(&node),
        };
        self.count_faulty(died_by, at);
    }

    /// The record may tell that a process lies from here on, or no longer.
    pub(super) fn take_turn(&mut self, record: &Record) {
        let by = match (self.liars.take(record), record.node) {
            (Some(LiarChange::Liar), Some(node)) => self.liars.latest_of(node).map(Cause::Fault),
            (Some(_), _) => None,
            (None, _) => return,
        };
        self.count_faulty(by, record.at);
    }

    /// The lies that a process told in a step. One that could not be told breaks nothing.
    pub(super) fn take_lies(&mut self, node: NodeId, lies: &[ToldLie], at: i64) {
        for told in lies.iter().filter(|told| !told.to.is_empty()) {
            let Some(by) = self.liars.fault(node, told.lie).or_else(|| self.liars.latest()) else { continue };
            let bite = BreakManner::Lied { node, lie: told.lie, to: told.to, count: 1 };
            self.note(Assumption::AllCooperate, Cause::Fault(by), at, at, bite.clone());
            // Where some may be malicious, no process can speak in the name of another: the layer below says who speaks.
            if told.lie.breaks() != Assumption::AllCooperate && self.faulty_max.is_none() {
                self.note(told.lie.breaks(), Cause::Fault(by), at, at, bite);
            }
        }
    }

    /// Whether more are faulty now than the algorithm allows: dead, or liars.
    fn count_faulty(&mut self, by: Option<Cause>, at: i64) {
        let Some(most) = self.faulty_max else { return };
        self.close(at, |bite| matches!(bite, BreakManner::TooManyFaulty { .. }));
        let (dead, liars) = (self.dead.keys().copied().collect::<NodeSet>(), self.lying());
        let last = || self.dead.values().last().copied().or(self.liars.latest().map(Cause::Fault));
        if dead.len() + liars.len() > most
            && let Some(cause) = by.or_else(last)
        {
            let bite = BreakManner::TooManyFaulty { dead, liars, most, all: self.roster.electors().all() };
            let account = &mut self.accounts[Assumption::FaultyAtMostT as usize];
            match by {
                Some(Cause::Fault(_)) => account.by_faults += 1,
                Some(Cause::Machine) => account.by_machine += 1,
                None => {}
            }
            self.open(Assumption::FaultyAtMostT, cause, at, None, bite);
            self.note_bitten(Assumption::FaultyAtMostT, cause, at);
            self.announce(Assumption::FaultyAtMostT, cause, at);
        }
    }

    /// Those that lie and are not dead.
    fn lying(&self) -> NodeSet {
        self.liars.nodes().minus(&self.dead.keys().copied().collect())
    }

    pub(super) fn close_clock(&mut self, node: NodeId, at: i64) {
        self.close(at, |bite| matches!(bite, BreakManner::OtherRate { node: of, .. } if *of == node));
    }
}
