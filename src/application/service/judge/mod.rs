//! Services by election: whether a part comes to what it comes to alone, whether two processes do one part for the same
//! master, and whether the account at the asker goes back (the property `service`). What earlier parts come to is in the
//! account, which a garbled message may have spoilt long ago: so only the part itself is judged.
//!
//! A part is judged when its server has done it. For another master it may be done again: that one need not have heard of
//! it. So no order of events is needed, only the names of the groups.
//!
//! Invariant: after a gap the next state of a node is where its judging begins anew; a part is not judged twice.

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use judge::{JudgedWork, ProcessLife, WorkAtRest, WorkGrade, WorkJudge, WrongWork};
use protocol::{
    DonePart, Facts, NodeId, NodeMap, NodeSet, OrderId, Property, Roster, ServiceFacts, ServiceLog, Span, StateVector,
    TaskId, Work,
};
use record::{StalledWork, WorkContradiction};
use world::index;
use world::moment::CausalMoment;

/// The judge of a lab of these facts and nodes.
pub fn of(facts: &Facts, roster: Roster) -> Option<Box<dyn WorkJudge>> {
    let services = facts.application.as_ref()?.services?;
    Some(Box::new(SharedServices::new(services, roster)))
}

/// What is remembered of the services.
#[derive(Clone, Debug)]
struct SharedServices {
    facts: ServiceFacts,
    /// What the parts come to when they are done alone.
    alone: BTreeMap<u16, u32>,
    /// Of each asker's newest service: who has done which part for whom.
    done: NodeMap<(OrderId, PartsDone)>,
    /// After each node's last step, if no record of it is missing.
    nodes: Vec<Option<ServingNode>>,
    /// Whether somebody may have done a part that is not known.
    has_gaps: bool,
}

/// Who has done each part, and for which group.
type PartsDone = BTreeMap<u16, Vec<(TaskId, NodeId)>>;

#[derive(Copy, Clone, Default, Debug)]
struct ServingNode {
    /// The account of the service for its user, and since when.
    asked: Option<(ServiceLog, i64)>,
    /// The same after the step before: that one is in the safe cells for sure.
    kept: Option<(ServiceLog, i64)>,
    /// How many parts it has done.
    times: u32,
}

impl WorkJudge for SharedServices {
    fn take_state(
        &mut self,
        moment: &CausalMoment,
        state: &StateVector,
        life: ProcessLife,
        at: i64,
    ) -> Option<JudgedWork> {
        let Some(Work::Service(work)) = state.work.as_deref() else { return None };
        let own = &mut self.nodes[index(moment.node)];
        let asked = work.asked.map(|log| (log, at));
        let times = work.part.map_or(0, |part| part.times);
        let before = own.replace(ServingNode { asked, kept: None, times });
        let before = before?;
        let known = match life {
            ProcessLife::Begins => before.kept,
            ProcessLife::GoesOn => before.asked,
        };
        if let Some(own) = own {
            own.kept = known;
        }
        let mut wrong = Vec::new();
        let mut is_judged = false;
        if let (Some((known, since)), Some(log)) = (known, work.asked)
            && known.id == log.id
            && known != log
        {
            is_judged = true;
            if log < known {
                let node = moment.node;
                let what = WorkContradiction::AccountGoesBack { node, before: known, now: log };
                wrong.push(WrongWork { nodes: NodeSet::of(node), since, what, grade: WorkGrade::Observed });
            }
        }
        if let Some(part) = work.part.filter(|part| part.times != before.times) {
            is_judged = true;
            wrong.extend(self.take_part(moment.node, part, at));
        }
        is_judged.then(|| JudgedWork::of(Property::Service, wrong, moment, at))
    }

    fn take_crash(&mut self, moment: &CausalMoment, _: i64) {
        if let Some(own) = &mut self.nodes[index(moment.node)] {
            own.times = 0;
        }
    }

    fn touch_gap(&mut self, node: NodeId) {
        (self.nodes[index(node)], self.has_gaps) = (None, true);
    }

    /// Until a server has done a part for each process: so long a lost word of a new master shows.
    fn lasting(&self) -> i64 {
        i64::from(self.facts.pace_ms) * 1_000_000 * self.nodes.len() as i64
    }

    fn done_after(&self, check: Span) -> Span {
        self.facts.found_silent(check)
    }

    fn undone(&self, lab: &WorkAtRest<'_>) -> Option<StalledWork> {
        // One service may wait until another one has ended.
        let serving = lab.those(|work| matches!(work, Work::Service(work) if !work.serves.is_empty()));
        let unserved =
            lab.those(|work| matches!(work, Work::Service(work) if work.asked.is_some() || work.waiting > 0));
        (serving.is_empty() && !unserved.is_empty()).then_some(StalledWork::Service(unserved))
    }
}

impl SharedServices {
    pub fn new(facts: ServiceFacts, roster: Roster) -> SharedServices {
        let nodes = vec![Some(ServingNode::default()); usize::from(roster.len())];
        SharedServices { facts, alone: BTreeMap::new(), done: NodeMap::new(), nodes, has_gaps: false }
    }

    fn take_part(&mut self, node: NodeId, done: DonePart, at: i64) -> Vec<WrongWork> {
        let DonePart { id, part, primes, task, .. } = done;
        let mut wrong = Vec::new();
        let expected = *self.alone.entry(part).or_insert_with(|| self.facts.primes_of(part));
        if primes != expected {
            let what = WorkContradiction::WrongPart { node, primes, part, service: id, right: expected };
            wrong.push(WrongWork { nodes: NodeSet::of(node), since: at, what, grade: WorkGrade::Observed });
        }
        let (newest, parts) = self.done.get_or_insert_with(id.node, || (id, BTreeMap::new()));
        if *newest < id {
            (*newest, *parts) = (id, BTreeMap::new());
        }
        if *newest == id {
            let is_skipped = part > 1 && !parts.contains_key(&(part - 1));
            if part > self.facts.parts || is_skipped && !self.has_gaps {
                let what = match is_skipped {
                    true => WorkContradiction::SkippedPart { node, part, service: id },
                    false => WorkContradiction::PartBeyondEnd { node, part, service: id },
                };
                wrong.push(WrongWork { nodes: NodeSet::of(node), since: at, what, grade: WorkGrade::Inherited });
            }
            let servers = parts.entry(part).or_default();
            if let Some((_, other)) = servers.iter().find(|(of, _)| *of == task) {
                let nodes = [node, *other].into_iter().collect();
                let what = WorkContradiction::PartDoneTwice { node, part, service: id, other: *other };
                wrong.push(WrongWork { nodes, since: at, what, grade: WorkGrade::Observed });
            }
            servers.push((task, node));
        }
        wrong
    }
}
