//! Updates of a replicated counter: who decides, by whose votes, and whether all logs go together (the properties
//! `majority` and `atomic-commit`; Garcia-Molina 1982, section IV.B).
//!
//! The record of a step is written before its effects are carried out. So what the last step of a process that was
//! killed says of its log may not have come to its safe cells, and nobody may have been told. It counts once the process
//! takes another step, or another process has the same update in its log.
//!
//! Of two decisions of different coordinators one happened before the other: a voter of both has learned what became of
//! the first one before it said yes to the second. Two that are not ordered were made at once, in one consistent cut.
//!
//! Invariant: what is not known because of a gap proves nothing.

#[cfg(test)]
mod conflicts;
mod facts;
mod joined;
#[cfg(test)]
mod tests;

use std::collections::VecDeque;

use self::facts::{Attempts, CommonLog, DecidedUpdate};
use self::joined::{JoinedLogs, new_of};
use judge::{JudgedWork, ProcessLife, WorkAtRest, WorkGrade, WorkJudge, WrongWork};
use protocol::{
    AcknowledgedUpdate, Facts, LogDigest, LoggedUpdate, NodeId, NodeSet, PreparedUpdate, Property, Roster, StateVector,
    UpdateWork, Work,
};
use record::{StalledWork, WorkContradiction};
use world::index;
use world::moment::{CausalMoment, PastExtent};

/// The most decisions of one node that are kept.
const DECIDED_MAX: usize = 32;

/// The judge of a lab of these facts and nodes.
pub fn of(facts: &Facts, roster: Roster) -> Option<Box<dyn WorkJudge>> {
    let is_any_group = facts.withheld.contains(&Property::Majority);
    Some(Box::new(SharedUpdates::new(roster, is_any_group)))
}

/// What is remembered of the updates.
#[derive(Clone, Debug)]
struct SharedUpdates {
    roster: Roster,
    log: CommonLog,
    /// All logs, where groups without a majority do updates: then there is no common one.
    joined: Option<JoinedLogs>,
    attempts: Attempts,
    nodes: Vec<UpdatingNode>,
    /// Decisions in the last steps of processes that have died: they count if somebody knows of them.
    orphans: VecDeque<DecidedUpdate>,
}

#[derive(Clone, Default, Debug)]
struct UpdatingNode {
    /// The process's work after its last step, if no record of it is missing.
    work: Option<UpdateWork>,
    /// The process's work after the last step whose effects were carried out.
    kept: Option<UpdateWork>,
    /// What its last step says.
    unsure: Option<LastStep>,
    /// What this node has decided, oldest first.
    decided: VecDeque<DecidedUpdate>,
}

/// What a step says, which counts when the process goes on.
#[derive(Clone, Debug)]
struct LastStep {
    at: i64,
    chain: PastExtent,
    work: UpdateWork,
    /// By what its log has grown, as far as the step tells.
    new: Vec<LoggedUpdate>,
    decided: Option<DecidedUpdate>,
    /// What is no longer in doubt.
    settled: Option<PreparedUpdate>,
    acknowledged: Option<AcknowledgedUpdate>,
}

impl WorkJudge for SharedUpdates {
    fn go_on(&mut self, node: NodeId) -> Option<JudgedWork> {
        let own = &mut self.nodes[index(node)];
        let last = own.unsure.take()?;
        own.kept = Some(last.work.clone());
        Some(self.judge(node, last))
    }

    fn take_state(
        &mut self,
        moment: &CausalMoment,
        state: &StateVector,
        life: ProcessLife,
        at: i64,
    ) -> Option<JudgedWork> {
        let Some(Work::Updates(work)) = state.work.as_deref() else { return None };
        let node = moment.node;
        if let Some(prepared) = work.in_doubt {
            self.attempts.prepare(node, &prepared);
        }
        let own = &mut self.nodes[index(node)];
        let before = match life {
            // What the last step before says may not have come to the cells.
            ProcessLife::Begins => own.kept.take(),
            ProcessLife::GoesOn => own.work.take(),
        };
        own.work = Some(work.clone());
        let mut wrong = Vec::new();
        let known = before.as_ref().map_or((0, LogDigest::default()), |before| (before.length, before.digest));
        let is_changed = work.length == known.0 && work.digest != known.1 && before.is_some();
        if work.length < known.0 || is_changed {
            let what = match is_changed {
                true => WorkContradiction::ChangedLog { node, length: work.length },
                false => WorkContradiction::ShorterLog { node, before: known.0, now: work.length },
            };
            wrong.push((
                Property::AtomicCommit,
                WrongWork { nodes: NodeSet::of(node), since: at, what, grade: WorkGrade::Observed },
            ));
        }
        let ill = ill_formed(node, work);
        let ill = ill.map(|what| WrongWork { nodes: NodeSet::of(node), since: at, what, grade: WorkGrade::Observed });
        let more = match &mut self.joined {
            None => {
                let what = no_line(node, before.as_ref(), work);
                what.map(|what| WrongWork { nodes: NodeSet::of(node), since: at, what, grade: WorkGrade::Observed })
                    .into_iter()
                    .collect()
            }
            Some(joined) => joined.take(node, before.as_ref().filter(|_| life == ProcessLife::GoesOn), work, at),
        };
        wrong.extend(ill.into_iter().chain(more).map(|wrong| (Property::AtomicCommit, wrong)));
        let was_in_doubt = before.as_ref().and_then(|before| before.in_doubt);
        let grown = before.as_ref().map_or(0, |_| work.length.saturating_sub(known.0));
        let new = before.as_ref().filter(|_| grown > 0).map_or(&[][..], |_| new_of(known.0, work)).to_vec();
        // What a start finds in the cells was decided before, and what another log brings.
        let is_deciding = |last: &LoggedUpdate| {
            grown == 1 && work.learnt.is_empty() && last.by.task.author == node && life == ProcessLife::GoesOn
        };
        let decided = work.last.filter(is_deciding).map(|last| {
            let prepared = was_in_doubt.filter(|prepared| prepared.update.by == last.by);
            let group = state.task.map(|task| task.members.union(&NodeSet::of(task.author)));
            DecidedUpdate {
                by: last.by,
                position: work.length,
                moment: moment.clone(),
                at,
                voters: prepared.map(|prepared| prepared.voters),
                group: group.unwrap_or_default(),
                yes: self.attempts.prepared_by(last.by).union(&NodeSet::of(node)),
            }
        });
        let has_acknowledged = |new: &AcknowledgedUpdate| {
            before.as_ref().is_some_and(|before| before.acknowledged.is_none_or(|old| old.times < new.times))
        };
        let last = LastStep {
            at,
            chain: moment.chain,
            work: work.clone(),
            new,
            decided,
            settled: was_in_doubt.filter(|prepared| work.in_doubt != Some(*prepared)),
            acknowledged: work.acknowledged.filter(has_acknowledged),
        };
        // A start finds in the cells what was kept: that counts already.
        let own = &mut self.nodes[index(node)];
        let mut judged = match life {
            ProcessLife::Begins => {
                own.kept = Some(work.clone());
                self.judge(node, last)
            }
            ProcessLife::GoesOn => {
                own.unsure = Some(last);
                JudgedWork { wrong: Vec::new(), judged: Vec::new(), chain: moment.chain, at }
            }
        };
        judged.wrong.extend(wrong);
        (!judged.wrong.is_empty() || !judged.judged.is_empty()).then_some(judged)
    }

    fn take_crash(&mut self, moment: &CausalMoment, _: i64) {
        let own = &mut self.nodes[index(moment.node)];
        let last = own.unsure.take();
        own.work = None;
        if let Some(decided) = last.and_then(|last| last.decided) {
            if self.orphans.len() == DECIDED_MAX {
                self.orphans.pop_front();
            }
            self.orphans.push_back(decided);
        }
    }

    fn touch_gap(&mut self, node: NodeId) {
        self.nodes[index(node)] = UpdatingNode::default();
        self.attempts.touch_gap(node);
    }

    /// What was once wrong in a log stays in it.
    fn is_broken_for_ever(&self, property: Property) -> bool {
        matches!(property, Property::Majority | Property::AtomicCommit)
    }

    fn undone(&self, lab: &WorkAtRest<'_>) -> Option<StalledWork> {
        // One that is down may be the only one that knows an outcome, or one of a majority.
        if !lab.all_run {
            return None;
        }
        let in_doubt = lab.those(|work| matches!(work, Work::Updates(work) if work.in_doubt.is_some()));
        if !in_doubt.is_empty() {
            return Some(StalledWork::Doubt(in_doubt));
        }
        let holding = lab.those(|work| matches!(work, Work::Updates(work) if work.waiting > 0));
        (!holding.is_empty()).then_some(StalledWork::Orders(holding))
    }
}

impl SharedUpdates {
    /// The updates of a lab in which groups without a majority do some too, or do none.
    pub fn new(roster: Roster, is_any_group: bool) -> SharedUpdates {
        let nodes = vec![UpdatingNode::default(); usize::from(roster.len())];
        let (log, attempts) = (CommonLog::default(), Attempts::default());
        let joined = is_any_group.then(JoinedLogs::default);
        SharedUpdates { roster, log, joined, attempts, nodes, orphans: VecDeque::new() }
    }

    /// Judges what a step says, which was carried out.
    fn judge(&mut self, node: NodeId, last: LastStep) -> JudgedWork {
        let LastStep { at, chain, work, new, decided, settled, acknowledged } = last;
        let (mut wrong, mut judged) = (Vec::new(), Vec::new());
        let mut say = |property, nodes, since, what| {
            wrong.push((property, WrongWork { nodes, since, what, grade: WorkGrade::Observed }))
        };
        if !new.is_empty() {
            judged.push(Property::AtomicCommit);
            match &mut self.joined {
                None => {
                    if let Some((other, since, what)) = self.log.take(node, &work, at) {
                        say(Property::AtomicCommit, [other, node].into_iter().collect(), since, what);
                    }
                }
                Some(joined) => {
                    for update in &new {
                        if let Some(twice) = joined.note_done(node, update, at) {
                            let what = WorkContradiction::OrderByTwo { node, order: update.id, by: update.by, twice };
                            say(Property::AtomicCommit, NodeSet::of(node), at, what);
                        }
                    }
                }
            }
        }
        let orphan = self.orphans.iter().position(|orphan| new.iter().any(|update| orphan.by == update.by));
        let of_dead = orphan.and_then(|place| self.orphans.remove(place));
        for decided in decided.into_iter().chain(of_dead) {
            judged.push(Property::Majority);
            for (property, nodes, since, what) in self.decide(&decided) {
                say(property, nodes, since, what);
            }
        }
        for update in &new {
            if let Some((other, since)) = self.attempts.aborted_by(update.by) {
                let what = match &self.joined {
                    None => WorkContradiction::DoesAborted { other, position: work.length, node },
                    Some(_) => WorkContradiction::DoesAbortedOrder { other, order: update.id, node },
                };
                say(Property::AtomicCommit, [other, node].into_iter().collect(), since, what);
            }
        }
        if let Some(prepared) = settled
            && self.is_aborted(&prepared, &work)
        {
            judged.push(Property::AtomicCommit);
            self.attempts.abort(node, prepared.update.by, at);
            let by = prepared.update.by;
            let done = self.joined.as_ref().map_or_else(|| self.log.done_by(by), |joined| joined.done_by(by));
            if let Some((other, since)) = done {
                let what = WorkContradiction::AbortsDone { other, position: prepared.position, node };
                say(Property::AtomicCommit, [other, node].into_iter().collect(), since, what);
            }
        }
        let contradicts = |acknowledged: AcknowledgedUpdate| match &self.joined {
            None => self.log.contradicts(node, &acknowledged, work.length),
            Some(joined) => {
                let is_missing = joined.has_order(work.digest, acknowledged.id) == Some(false);
                is_missing.then_some(WorkContradiction::NotInLog { node, order: acknowledged.id })
            }
        };
        if let Some(what) = acknowledged.and_then(contradicts) {
            say(Property::AtomicCommit, NodeSet::of(node), at, what);
        }
        JudgedWork { wrong, judged, chain, at }
    }

    /// Whether a process that is no longer in doubt has aborted what it had prepared.
    fn is_aborted(&self, prepared: &PreparedUpdate, work: &UpdateWork) -> bool {
        let by = prepared.update.by;
        if let Some(joined) = &self.joined {
            return joined.has(work.digest, by) == Some(false);
        }
        match work.length.cmp(&prepared.position) {
            std::cmp::Ordering::Less => true,
            std::cmp::Ordering::Equal => work.last.is_some_and(|last| last.by != by),
            std::cmp::Ordering::Greater => self.log.by_at(prepared.position).is_some_and(|done| done != by),
        }
    }

    /// A decision was made: was it by a majority, and is it in order with all others?
    fn decide(&mut self, decided: &DecidedUpdate) -> Vec<(Property, NodeSet, i64, WorkContradiction)> {
        let (node, nodes, at) = (decided.moment.node, usize::from(self.roster.len()), decided.at);
        let mut wrong = Vec::new();
        let is_majority = |of: &NodeSet| 2 * of.len() > nodes;
        let position = decided.position;
        if decided.moment.chain == PastExtent::Whole {
            let unknown = self.attempts.unknown();
            let voters = decided.voters.unwrap_or(decided.yes);
            let missing = voters.minus(&decided.yes).minus(&unknown);
            let counted = [&decided.group, &voters, &decided.yes.union(&unknown)];
            if let Some(few) = counted.into_iter().find(|of| !is_majority(of)) {
                let what = WorkContradiction::DecidesWithFew { node, position, few: *few, nodes };
                wrong.push((Property::Majority, NodeSet::of(node), at, what));
            } else if !missing.is_empty() {
                let what = WorkContradiction::NotPrepared { node, position, missing };
                wrong.push((Property::AtomicCommit, missing.union(&NodeSet::of(node)), at, what));
            }
        }
        let mut latest = self.nodes.iter().flat_map(|other| &other.decided);
        let at_once = latest.rfind(|other| other.moment.node != node && other.is_apart_from(decided));
        if let Some(other) = at_once {
            let (of, since) = (other.moment.node, other.at);
            let what = WorkContradiction::DecidedAtOnce { other: of, by_other: other.position, node, position };
            wrong.push((Property::Majority, [of, node].into_iter().collect(), since, what));
        }
        let own = &mut self.nodes[index(node)].decided;
        if own.len() == DECIDED_MAX {
            own.pop_front();
        }
        own.push_back(decided.clone());
        wrong
    }
}

/// What no doubt of one process can be, whatever others have.
fn ill_formed(node: NodeId, work: &UpdateWork) -> Option<WorkContradiction> {
    let blocked = work.blocked.filter(|blocked| blocked.knows.is_empty())?;
    Some(WorkContradiction::BlockedForEver { node, position: blocked.position })
}

/// What no log, counter and doubt of one process can be, whatever others have, where all logs are parts of one.
fn no_line(node: NodeId, before: Option<&UpdateWork>, work: &UpdateWork) -> Option<WorkContradiction> {
    let doubtful = work.in_doubt.map(|prepared| prepared.position).filter(|position| *position != work.length + 1);
    if let Some(position) = doubtful {
        return Some(WorkContradiction::DoubtBesideLog { node, position, length: work.length });
    }
    let (before, last) = (before.filter(|before| before.length + 1 == work.length)?, work.last?);
    let right = before.counter + i64::from(last.value);
    (work.counter != right).then(|| WorkContradiction::Miscounts {
        node,
        counter: work.counter,
        added: i64::from(last.value),
        before: before.counter,
    })
}
