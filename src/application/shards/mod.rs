//! Shards: a long computation that goes on from one coordinator to the next (Garcia-Molina 1982, section II).
//!
//! The primes in a range of numbers are counted shard by shard. A coming coordinator collects what the members of its
//! group have, divides what is left among all of them, and gives this definition out with the task. A process computes
//! one shard after another, keeps each result in its safe cells, and tells the coordinator until that keeps it too. So
//! the results outlive every coordinator, and the next one goes on with what is left.
//!
//! Invariant: under one definition each shard belongs to one process; a result is in the safe cells before anybody is
//! told of it; nothing is computed outside of Normal.

mod card;
mod conditions;
mod judge;
mod message;
#[cfg(test)]
mod tests;
mod words;

pub use self::conditions::DONE;
use card as line;
pub use message::ShardMessage;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

use crate::LabApplication;
use protocol::{
    Application, ApplicationCard, ApplicationEffects, ApplicationEntry, ComputingGroups, DefinitionId, NodeId, NodeSet,
    Settings, Setup, ShardFacts, ShardResult, ShardSet, ShardWork, Span, StateVector, TaskId, Work, prime_count,
};

/// What a program has of it.
pub const ENTRY: LabApplication = LabApplication {
    machine: ApplicationEntry::of::<Shards>(),
    judge: judge::of,
    did: words::did,
    row: words::row,
    fields: |_| Vec::new(),
};

/// One process's part in the computation.
#[derive(Clone, Eq, PartialEq, Hash, Debug)]
pub struct Shards {
    me: NodeId,
    nodes: usize,
    check: Span,
    silence: Span,
    facts: ShardFacts,
    pace: Span,
    /// Primes by shard: what is in the safe cells.
    results: BTreeMap<u16, u32>,
    /// The group's task while this process is at work in it, or prepares it as the coming coordinator.
    task: Option<TaskId>,
    coordinator: Option<NodeId>,
    is_at_work: bool,
    definition: Option<Division>,
    /// One's own shards under the definition, not computed yet.
    out: ShardSet,
    /// Results that the coordinator has not said that it keeps.
    untold: ShardSet,
    latest: Option<ShardResult>,
}

/// How what was left is divided: a definition, and at its coordinator what the others have not told yet.
#[derive(Clone, Eq, PartialEq, Hash, Debug)]
struct Division {
    round: u32,
    left: ShardSet,
    among: NodeSet,
    /// At the coordinator: from whom nothing has come since it last looked.
    silent: NodeSet,
}

/// What is kept in the safe cells.
#[derive(Clone, Default, Eq, PartialEq, Hash, Debug, Serialize, Deserialize)]
pub struct ShardCells {
    results: Vec<ShardResult>,
}

protocol::worded! {
    /// The timers of the shards.
    #[derive(Copy, Clone, Eq, PartialEq, Ord, PartialOrd, Hash, Debug, Serialize, Deserialize)]
    pub enum ShardTimer {
        /// The next shard is computed.
        Compute = "next shard",
        /// The coordinator has not said that it keeps the results.
        Kept = "Kept of the coordinator",
        /// At the coordinator: a member with shards out has been silent.
        Results = "Results of members with shards out",
    }
}

type ShardEffects = ApplicationEffects<Shards>;

impl Application for Shards {
    type Message = ShardMessage;
    type Timer = ShardTimer;
    type Saved = ShardCells;
    const CARD: ApplicationCard = card::CARD;

    fn start(setup: &Setup, settings: &Settings, saved: Option<ShardCells>) -> Shards {
        let results = saved.unwrap_or_default().results;
        Shards {
            me: setup.me,
            nodes: usize::from(setup.roster.len()),
            check: setup.timing.check,
            silence: setup.timing.silence,
            facts: card::facts(settings),
            pace: Span::from_millis(settings.number(card::PACE_MS)),
            results: results.into_iter().map(|result| (result.shard, result.primes)).collect(),
            task: None,
            coordinator: None,
            is_at_work: false,
            definition: None,
            out: ShardSet::EMPTY,
            untold: ShardSet::EMPTY,
            latest: None,
        }
    }

    fn on_state(&mut self, state: &StateVector, fx: &mut ShardEffects) {
        let (task, coordinates) = (state.task.as_ref().map(TaskId::of), state.coordinates(self.me));
        let at_work_on = TaskId::at_work(state);
        if self.is_at_work && at_work_on != self.task {
            self.stop(fx);
        }
        self.coordinator = state.believes_in();
        if !self.is_at_work && !coordinates {
            // That group did not come about, and another group needs another definition.
            (self.task, self.definition) = (at_work_on, None);
        } else if coordinates && task.is_some() && self.task != task {
            self.task = task;
            self.divide(state.up, fx);
        }
        if at_work_on.is_some() && !self.is_at_work {
            self.is_at_work = true;
            if coordinates {
                self.begin(fx);
            }
        }
    }

    fn on_message(&mut self, from: NodeId, message: ShardMessage, fx: &mut ShardEffects) {
        match message {
            ShardMessage::Definition { round, left, among } => self.take_definition(from, round, left, among, fx),
            ShardMessage::Results { results } => self.collect(from, &results, fx),
            ShardMessage::Kept { shards } => self.hear_kept(from, shards, fx),
            ShardMessage::Report { .. } => {}
        }
    }

    fn on_timer(&mut self, timer: ShardTimer, fx: &mut ShardEffects) {
        match timer {
            ShardTimer::Compute => self.compute(fx),
            ShardTimer::Kept => self.tell_again(fx),
            ShardTimer::Results => self.look_after_members(fx),
        }
    }

    fn report(&self) -> Option<ShardMessage> {
        Some(ShardMessage::Report { results: self.results_of(&self.done()) })
    }

    fn on_report(&mut self, _: NodeId, report: ShardMessage, fx: &mut ShardEffects) {
        let ShardMessage::Report { results } = report else { return };
        fx.line(line::REPORT);
        self.keep(&results, fx);
    }

    fn definition(&self) -> Option<ShardMessage> {
        let Division { round, left, among, .. } = self.definition.as_ref()?;
        Some(ShardMessage::Definition { round: *round, left: *left, among: *among })
    }

    fn waits_for(&self, timer: ShardTimer) -> NodeSet {
        match (timer, &self.definition) {
            (ShardTimer::Results, Some(division)) => division.silent,
            (ShardTimer::Kept, _) => self.coordinator.into_iter().collect(),
            _ => NodeSet::EMPTY,
        }
    }

    fn work(&self) -> Work {
        let under = self.task.filter(|_| self.is_at_work).zip(self.definition.as_ref());
        let gives = under.filter(|(_, division)| self.coordinator == Some(self.me) && self.may_compute(division.among));
        let done = self.done();
        Work::Shards(ShardWork {
            under: under.map(|(task, division)| DefinitionId { task, round: division.round }),
            out: self.out,
            given: gives.map_or(ShardSet::EMPTY, |(_, division)| division.left.minus(&done)),
            done,
            primes: self.results.values().map(|primes| u64::from(*primes)).sum(),
            latest: self.latest,
        })
    }
}

/// Reorganization, and what the coordinator does.
impl Shards {
    /// Divides what is left among this process and these members.
    fn divide(&mut self, members: NodeSet, fx: &mut ShardEffects) {
        fx.line(line::DIVIDE);
        let among = members.union(&NodeSet::of(self.me));
        let left = ShardSet::first(self.facts.shards).minus(&self.done());
        self.definition = Some(Division { round: 1, left, among, silent: NodeSet::EMPTY });
    }

    /// The coordinator is at work: it takes its own shards, and looks after the others.
    fn begin(&mut self, fx: &mut ShardEffects) {
        self.take_own_share(fx);
        self.await_results(fx);
    }

    /// The silence of each member with shards out is counted from now on.
    fn await_results(&mut self, fx: &mut ShardEffects) {
        let owing = self.owing();
        let Some(division) = &mut self.definition else { return };
        division.silent = owing;
        match owing.is_empty() {
            true => fx.cancel_timer(ShardTimer::Results),
            false => fx.set_timer(ShardTimer::Results, self.silence + self.pace),
        }
    }

    /// The other members that have shards out, as far as this coordinator knows.
    fn owing(&self) -> NodeSet {
        let Some(division) = &self.definition else { return NodeSet::EMPTY };
        let missing = |node: &NodeId| !division.share_of(*node).minus(&self.done()).is_empty();
        division.among.minus(&NodeSet::of(self.me)).iter().filter(missing).collect()
    }

    /// Those of whom nothing has come have failed: the others get what is left, in a new round.
    fn look_after_members(&mut self, fx: &mut ShardEffects) {
        let left = ShardSet::first(self.facts.shards).minus(&self.done());
        let (me, Some(division)) = (self.me, &mut self.definition) else { return };
        if !division.silent.is_empty() {
            fx.line(line::DIVIDE_AGAIN);
            let among = division.among.minus(&division.silent);
            *division = Division { round: division.round + 1, left, among, silent: NodeSet::EMPTY };
            for node in among.minus(&NodeSet::of(me)).iter() {
                fx.send(node, ShardMessage::Definition { round: self.round(), left, among });
            }
            self.take_own_share(fx);
        }
        self.await_results(fx);
    }

    fn collect(&mut self, from: NodeId, results: &[ShardResult], fx: &mut ShardEffects) {
        if self.coordinator != Some(self.me) {
            return;
        }
        fx.line(line::COLLECT);
        self.keep(results, fx);
        fx.send(from, ShardMessage::Kept { shards: results.iter().map(|result| result.shard).collect() });
        if let Some(division) = &mut self.definition {
            division.silent.remove(from);
        }
        // One that was left out, and lives: it learns that its shards are no longer its own.
        if let Some(definition) = self.definition().filter(|_| !self.is_among(from)) {
            fx.send(from, definition);
        }
        if self.owing().is_empty() {
            fx.cancel_timer(ShardTimer::Results);
        }
    }
}

/// What every member does.
impl Shards {
    fn take_definition(&mut self, from: NodeId, round: u32, left: ShardSet, among: NodeSet, fx: &mut ShardEffects) {
        if self.coordinator != Some(from) || self.round() >= round {
            return;
        }
        fx.line(line::TAKE);
        self.definition = Some(Division { round, left, among, silent: NodeSet::EMPTY });
        self.take_own_share(fx);
        // A result that the coordinator lacks is told, and not computed again.
        self.untold = self.done().intersection(&left);
        if !self.untold.is_empty() {
            self.tell_again(fx);
        }
    }

    fn take_own_share(&mut self, fx: &mut ShardEffects) {
        let Some(division) = &self.definition else { return };
        let may_compute = self.may_compute(division.among);
        self.out = match may_compute {
            true => division.share_of(self.me).minus(&self.done()),
            false => ShardSet::EMPTY,
        };
        if !may_compute {
            fx.line(line::MINORITY);
        }
        if self.out.is_empty() {
            fx.cancel_timer(ShardTimer::Compute)
        } else {
            fx.set_timer(ShardTimer::Compute, self.pace)
        }
    }

    fn compute(&mut self, fx: &mut ShardEffects) {
        let Some(shard) = self.out.iter().next() else { return };
        fx.line(line::COMPUTE);
        self.out.remove(shard);
        let first = u64::from(shard - 1) * self.facts.numbers;
        let result = ShardResult { shard, primes: prime_count(first..first + self.facts.numbers) };
        self.latest = Some(result);
        self.keep(&[result], fx);
        if !self.out.is_empty() {
            fx.set_timer(ShardTimer::Compute, self.pace);
        }
        if let Some(coordinator) = self.coordinator.filter(|coordinator| *coordinator != self.me) {
            self.untold.insert(shard);
            fx.send(coordinator, ShardMessage::Results { results: Box::new([result]) });
            fx.set_timer(ShardTimer::Kept, self.check);
        }
    }

    fn tell_again(&mut self, fx: &mut ShardEffects) {
        let Some(coordinator) = self.coordinator.filter(|coordinator| *coordinator != self.me) else { return };
        if self.untold.is_empty() {
            return;
        }
        fx.line(line::TELL_AGAIN);
        fx.send(coordinator, ShardMessage::Results { results: self.results_of(&self.untold) });
        fx.set_timer(ShardTimer::Kept, self.check);
    }

    fn hear_kept(&mut self, from: NodeId, shards: ShardSet, fx: &mut ShardEffects) {
        if self.coordinator != Some(from) {
            return;
        }
        fx.line(line::KEPT);
        self.untold = self.untold.minus(&shards);
        if self.untold.is_empty() {
            fx.cancel_timer(ShardTimer::Kept);
        }
    }

    fn stop(&mut self, fx: &mut ShardEffects) {
        fx.line(line::STOP);
        for timer in [ShardTimer::Compute, ShardTimer::Kept, ShardTimer::Results] {
            fx.cancel_timer(timer);
        }
        (self.is_at_work, self.task, self.definition) = (false, None, None);
        (self.out, self.untold) = (ShardSet::EMPTY, ShardSet::EMPTY);
    }

    /// Keeps these results in the safe cells, if some are new.
    fn keep(&mut self, results: &[ShardResult], fx: &mut ShardEffects) {
        let known = self.results.len();
        for result in results.iter().filter(|result| (1..=self.facts.shards).contains(&result.shard)) {
            self.results.entry(result.shard).or_insert(result.primes);
        }
        if self.results.len() > known {
            fx.save(ShardCells { results: self.results_of(&self.done()).to_vec() });
        }
    }

    fn done(&self) -> ShardSet {
        self.results.keys().copied().collect()
    }

    fn results_of(&self, shards: &ShardSet) -> Box<[ShardResult]> {
        let wanted = self.results.iter().filter(|(shard, _)| shards.contains(**shard));
        wanted.map(|(shard, primes)| ShardResult { shard: *shard, primes: *primes }).collect()
    }

    /// Whether a group of these processes computes.
    fn may_compute(&self, among: NodeSet) -> bool {
        self.facts.groups == ComputingGroups::All || 2 * among.len() > self.nodes
    }

    fn is_among(&self, node: NodeId) -> bool {
        self.definition.as_ref().is_some_and(|division| division.among.contains(node))
    }

    fn round(&self) -> u32 {
        self.definition.as_ref().map_or(0, |division| division.round)
    }
}

impl Division {
    /// The shards of one process: the processes take what is left in turn, lowest shard and lowest id first.
    fn share_of(&self, node: NodeId) -> ShardSet {
        let Some(place) = self.among.iter().position(|of| of == node) else { return ShardSet::EMPTY };
        self.left.iter().skip(place).step_by(self.among.len()).collect()
    }
}
