//! Weighed copies of a counter: whether an update is acknowledged only when copies of more than half of all weight have
//! it, and whether one that was acknowledged is ever lost (the property `majority`; King, Gendreau and Ni 1988, section
//! 7, item 3).
//!
//! Who holds an update is counted here, from the states in the past of the process that acknowledges it, and not from
//! what the master says. A copy never goes back, so it has an update as long as it has this version or a later one. The
//! record of a step is written before its effects are carried out: what the last step of a process that was killed says
//! of its copy may not have come to its cells. Nobody has heard of it then either, so nobody has counted it.
//!
//! Invariant: what is not known because of a gap, or is forgotten, proves nothing.

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, VecDeque};

use judge::{JudgedWork, ProcessLife, WorkGrade, WorkJudge, WrongWork};
use protocol::{
    AcknowledgedCopy, ApplicationFacts, CopyVersion, CopyWork, Facts, HeldCopy, NodeId, NodeSet, Property, Roster,
    StateVector, WeightShare, Work,
};
use record::WorkContradiction;
use world::index;
use world::moment::{CausalMoment, PastExtent};

/// The most copies of one node that are kept, and the most writes whose content is kept.
const WRITES_MAX: usize = 512;

/// The judge of a lab of these facts and nodes.
pub fn of(facts: &Facts, roster: Roster) -> Option<Box<dyn WorkJudge>> {
    Some(Box::new(WeighedCopies::of(facts.application.as_ref()?, roster)?))
}

/// What is remembered of the copies.
#[derive(Clone, Debug)]
struct WeighedCopies {
    /// From node 1 on.
    weights: Vec<u64>,
    /// What was written with each version, who held that first, and since when.
    writes: BTreeMap<CopyVersion, (HeldCopy, NodeId, i64)>,
    /// What was acknowledged, by the version that it was written with.
    acknowledged: BTreeMap<CopyVersion, (AcknowledgedCopy, NodeId, i64)>,
    nodes: Vec<CopyNode>,
}

#[derive(Clone, Default, Debug)]
struct CopyNode {
    /// The process's work after its last step.
    work: Option<CopyWork>,
    /// The writes that it came to hold, oldest first, each with the node's turn.
    held: VecDeque<(CopyVersion, u64)>,
    /// The last of those that were forgotten.
    forgotten: Option<CopyVersion>,
    memory: CopyMemory,
    /// The turn of its last step. What a step says has come to the cells if another one follows it.
    last: Option<u64>,
    /// That with which its last process ended.
    unsure: Option<u64>,
}

/// Whether all that a node has told is known.
#[derive(Copy, Clone, Default, Eq, PartialEq, Debug)]
enum CopyMemory {
    #[default]
    Whole,
    /// Records are missing.
    HasGaps,
}

impl WorkJudge for WeighedCopies {
    fn take_state(
        &mut self,
        moment: &CausalMoment,
        state: &StateVector,
        life: ProcessLife,
        at: i64,
    ) -> Option<JudgedWork> {
        let Some(Work::Copies(work)) = state.work.as_deref() else { return None };
        let node = moment.node;
        let mut wrong = Vec::new();
        let own = &mut self.nodes[index(node)];
        let before = own.work.replace(work.clone());
        own.last = Some(moment.own);
        if let Some(lost) = own.take_held(work.held.version, moment.own) {
            let what = WorkContradiction::LostWrite { node, lost };
            wrong.push(WrongWork { nodes: NodeSet::of(node), since: at, what, grade: WorkGrade::Observed });
        }
        wrong.extend(self.take_write(node, work.held, at));
        let acknowledged = work.acknowledged.filter(|new| {
            let before = before.as_ref().and_then(|before| before.acknowledged);
            life == ProcessLife::GoesOn && before.is_none_or(|old| old.times < new.times)
        });
        if let Some(acknowledged) = acknowledged {
            wrong.extend(self.acknowledge(moment, acknowledged, at));
        }
        (acknowledged.is_some() || !wrong.is_empty()).then(|| JudgedWork::of(Property::Majority, wrong, moment, at))
    }

    fn go_on(&mut self, node: NodeId) -> Option<JudgedWork> {
        self.nodes[index(node)].last = None;
        None
    }

    fn take_crash(&mut self, moment: &CausalMoment, _: i64) {
        let own = &mut self.nodes[index(moment.node)];
        (own.work, own.unsure) = (None, own.last.take());
    }

    fn touch_gap(&mut self, node: NodeId) {
        self.nodes[index(node)] = CopyNode { memory: CopyMemory::HasGaps, ..CopyNode::default() };
    }

    /// What was once wrong in a copy stays in it.
    fn is_broken_for_ever(&self, property: Property) -> bool {
        property == Property::Majority
    }
}

impl WeighedCopies {
    /// Nothing is remembered yet, of an application that weighs its copies.
    pub fn of(application: &ApplicationFacts, roster: Roster) -> Option<WeighedCopies> {
        (!application.weights.is_empty()).then(|| WeighedCopies {
            weights: application.weights.iter().map(|weight| u64::from(*weight)).collect(),
            writes: BTreeMap::new(),
            acknowledged: BTreeMap::new(),
            nodes: vec![CopyNode::default(); usize::from(roster.len())],
        })
    }

    /// Two processes hold different copies of one write?
    fn take_write(&mut self, node: NodeId, held: HeldCopy, at: i64) -> Option<WrongWork> {
        let version = held.version?;
        let (first, other, since) = *self.writes.entry(version).or_insert((held, node, at));
        if self.writes.len() > WRITES_MAX {
            self.writes.pop_first();
        }
        let what = WorkContradiction::TwoCopies { version, other, first, node, second: held };
        let nodes = [other, node].into_iter().collect();
        (first != held).then_some(WrongWork { nodes, since, what, grade: WorkGrade::Observed })
    }

    fn acknowledge(&mut self, moment: &CausalMoment, new: AcknowledgedCopy, at: i64) -> Vec<WrongWork> {
        let (node, id, mut wrong) = (moment.node, new.id, Vec::new());
        let Some(version) = new.held.version else {
            let what = WorkContradiction::NeverWritten { node, order: id };
            return vec![WrongWork { nodes: NodeSet::of(node), since: at, what, grade: WorkGrade::Observed }];
        };
        if moment.chain == PastExtent::Whole {
            let has = |(place, _): &(u16, &u64)| {
                NodeId::new(*place).is_some_and(|other| self.nodes[index(other)].may_have(other, version, moment))
            };
            let have = (1..).zip(&self.weights).filter(has).map(|(_, weight)| *weight).sum();
            let share = WeightShare { have, of: self.weights.iter().sum() };
            if !share.is_majority() {
                let what = WorkContradiction::TooLightWrite { node, order: id, share };
                wrong.push(WrongWork { nodes: NodeSet::of(node), since: at, what, grade: WorkGrade::Observed });
            }
        }
        let earlier = self.acknowledged.range(..version).next_back().map(|(_, earlier)| *earlier);
        let later = self.acknowledged.range(version..).next().map(|(_, later)| *later);
        let both = [earlier.map(|earlier| (earlier, (new, node, at))), later.map(|later| ((new, node, at), later))];
        for ((first, one, of_one), (second, other, of_other)) in both.into_iter().flatten() {
            if first.held.count >= second.held.count {
                let what = WorkContradiction::AcknowledgedOutOfOrder {
                    node: other,
                    order: second.id,
                    place: second.held.count,
                    other: one,
                    before: first.id,
                    before_place: first.held.count,
                };
                let nodes = [one, other].into_iter().collect();
                wrong.push(WrongWork { nodes, since: of_one.min(of_other), what, grade: WorkGrade::Observed });
            }
        }
        self.acknowledged.insert(version, (new, node, at));
        if self.acknowledged.len() > WRITES_MAX {
            self.acknowledged.pop_first();
        }
        wrong
    }
}

impl CopyNode {
    /// The node holds this now. Returns what it has lost.
    fn take_held(&mut self, version: Option<CopyVersion>, turn: u64) -> Option<CopyVersion> {
        let unsure = self.unsure.take();
        let mut lost = None;
        while let Some((later, of)) = self.held.back().copied().filter(|(held, _)| Some(*held) > version) {
            if unsure != Some(of) {
                lost = Some(later);
            }
            self.held.pop_back();
        }
        match version {
            Some(version) if self.held.back().is_none_or(|(last, _)| *last < version) => {
                self.held.push_back((version, turn));
                if self.held.len() > WRITES_MAX {
                    self.forgotten = self.held.pop_front().map(|(version, _)| version);
                }
            }
            _ => {}
        }
        lost
    }

    /// Whether, as far as that moment can know, the node may have had this write or a later one.
    fn may_have(&self, node: NodeId, version: CopyVersion, moment: &CausalMoment) -> bool {
        let first = self.held.iter().find(|(held, _)| *held >= version);
        let is_known = first.is_some_and(|(_, turn)| moment.knows(node, *turn));
        is_known || self.memory == CopyMemory::HasGaps || self.forgotten.is_some_and(|forgotten| forgotten >= version)
    }
}
