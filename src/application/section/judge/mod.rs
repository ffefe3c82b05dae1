//! The critical section: whether two are inside in one consistent cut (the property `mutual-exclusion`), and whether one
//! that waits is overtaken too often (the property `fairness`).
//!
//! A stay is the stretch of a process's states in which it is inside; of two stays of different nodes in one consistent
//! cut neither ends before the other begins, by happened-before. Only an entry that could have known of a wait, by
//! happened-before, overtakes it: so fairness is counted in entries, and no clock is asked. Where processes stand in a
//! waiting list, and each knows the next one, that is another matter: who waits while its request is under way has no
//! place yet, whoever knows of it. There only those overtake that stood before it in the list, in one consistent cut:
//! these get in once each, and then it is its turn. A crash ends a stay and a wait, and a process that returns overtakes
//! anew. One that has returned, and waits, is passed over as long as its algorithm keeps it out of the elections: its wait
//! counts from when it takes part. The dead are not inside: an entry with a later stamp than a crash comes after all stays
//! before that crash, whether it knows of it or not.
//!
//! Invariant: a stay or a wait whose past goes through a gap is not kept: it proves nothing.

#[cfg(test)]
mod tests;

use std::collections::VecDeque;

use judge::{JudgedWork, ProcessLife, WorkAtRest, WorkGrade, WorkJudge, WrongWork};
use protocol::{
    Facts, NodeId, NodeMap, NodeSet, Property, Roster, SectionFacts, SectionState, SectionWork, Span, StateVector,
    Status, Work,
};
use record::{StalledWork, WorkContradiction};
use world::index;
use world::moment::{CausalMoment, PastExtent};

/// The most ended stays of one node that are kept.
const ENDED_MAX: usize = 256;

/// The judge of a lab of these facts and nodes.
pub fn of(facts: &Facts, roster: Roster) -> Option<Box<dyn WorkJudge>> {
    let section = facts.application.as_ref()?.section?;
    Some(Box::new(SharedSection::new(section, roster)))
}

/// What is remembered of the critical section.
#[derive(Clone, Debug)]
struct SharedSection {
    facts: SectionFacts,
    precedence: Precedence,
    nodes: Vec<SectionNode>,
}

/// Which waits an entry may overtake, so that it is counted.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
enum Precedence {
    /// The waits that the entering process knows of.
    Known,
    /// The waits of those before which the process has stood in a waiting list.
    Listed,
}

#[derive(Clone, Default, Debug)]
struct SectionNode {
    /// After its last step, if no record of it is missing.
    section: Option<SectionWork>,
    open: Option<InsideSpan>,
    ended: VecDeque<InsideSpan>,
    wait: Option<SectionWait>,
    /// Who comes after it in the waiting list.
    next: Option<NodeId>,
}

/// How long a process is inside.
#[derive(Clone, Debug)]
struct InsideSpan {
    since: i64,
    /// The node's turn that ended it, and its stamp.
    end: Option<(u64, i64)>,
    /// The stamp of the first crash that ended it or came after it.
    crashed_at: Option<i64>,
}

/// How long a process waits, and how often others have entered meanwhile that must not overtake it.
#[derive(Clone, Debug)]
struct SectionWait {
    since: i64,
    /// The node's turn with which it began to count; absent while the process takes no part in elections.
    begin: Option<u64>,
    overtaken: NodeMap<u16>,
}

impl WorkJudge for SharedSection {
    fn take_state(
        &mut self,
        moment: &CausalMoment,
        state: &StateVector,
        _: ProcessLife,
        at: i64,
    ) -> Option<JudgedWork> {
        let work = state.work.as_deref()?;
        let judged = self.take_stance(moment, work.section()?, at);
        self.take_part(moment, state.status);
        if let Some(token) = work.token() {
            self.precedence = Precedence::Listed;
            self.take_next(moment, token.next);
        }
        judged
    }

    fn take_crash(&mut self, moment: &CausalMoment, at: i64) {
        let own = &mut self.nodes[index(moment.node)];
        own.end_stay(moment, at);
        own.ended.iter_mut().for_each(|stay| stay.crashed_at = stay.crashed_at.or(Some(at)));
        (own.section, own.wait, own.next) = (None, None, None);
        for wait in self.nodes.iter_mut().filter_map(|other| other.wait.as_mut()) {
            wait.overtaken.remove(&moment.node);
        }
    }

    fn touch_gap(&mut self, node: NodeId) {
        self.nodes[index(node)] = SectionNode::default();
    }

    fn let_go(&mut self, node: NodeId, known: u64) {
        self.nodes[index(node)].ended.retain(|stay| stay.end.is_none_or(|(end, _)| end > known));
    }

    /// A second token stays.
    fn is_broken_for_ever(&self, property: Property) -> bool {
        matches!(property, Property::MutualExclusion | Property::Fairness) && self.precedence == Precedence::Listed
    }

    fn done_after(&self, _: Span) -> Span {
        self.facts.inside
    }

    /// A token may be lost with a process that is down, and nothing is promised then: only a section that is entered by
    /// election is asked for.
    fn undone(&self, lab: &WorkAtRest<'_>) -> Option<StalledWork> {
        let those = |stance: SectionState| {
            lab.those(|work| matches!(work, Work::Exclusion(section) if section.stance == stance))
        };
        let (waiting, inside) = (those(SectionState::Waiting), those(SectionState::Inside));
        (!waiting.is_empty()).then_some(StalledWork::Section { waiting, inside })
    }
}

impl SharedSection {
    pub fn new(facts: SectionFacts, roster: Roster) -> SharedSection {
        SharedSection {
            facts,
            precedence: Precedence::Known,
            nodes: vec![SectionNode::default(); usize::from(roster.len())],
        }
    }

    fn take_stance(&mut self, moment: &CausalMoment, section: SectionWork, at: i64) -> Option<JudgedWork> {
        let own = &mut self.nodes[index(moment.node)];
        let before = own.section.replace(section).unwrap_or_default();
        // Who enters again has left in between, whatever it says.
        let enters_again = section.stance == SectionState::Inside && section.entries > before.entries;
        if before.stance == section.stance && !enters_again {
            return None;
        }
        own.end_stay(moment, at);
        let waited = own.wait.take();
        match section.stance {
            SectionState::Outside => None,
            SectionState::Waiting => {
                let begun = SectionWait { since: at, begin: None, overtaken: NodeMap::new() };
                own.wait = Some(begun).filter(|_| moment.chain == PastExtent::Whole);
                None
            }
            SectionState::Inside => self.enter(moment, waited.is_some(), at),
        }
    }

    /// What it waits for counts from its first state in which it takes part.
    fn take_part(&mut self, moment: &CausalMoment, status: Status) {
        if let Some(wait) = self.nodes[index(moment.node)].wait.as_mut()
            && status != Status::Down
        {
            wait.begin.get_or_insert(moment.own);
        }
    }

    fn enter(&mut self, moment: &CausalMoment, has_waited: bool, at: i64) -> Option<JudgedWork> {
        if moment.chain == PastExtent::Broken {
            return None;
        }
        let node = moment.node;
        self.nodes[index(node)].open = Some(InsideSpan { since: at, end: None, crashed_at: None });
        let mut judged = JudgedWork::of(Property::MutualExclusion, Vec::new(), moment, at);
        for (place, other) in (1..).zip(&mut self.nodes) {
            let Some(other_node) = NodeId::new(place).filter(|other| *other != node) else { continue };
            let nodes: NodeSet = [node, other_node].into_iter().collect();
            let is_unended = |stay: &&InsideSpan| {
                stay.crashed_at.is_none_or(|crash| at <= crash)
                    && stay.end.is_none_or(|(end, _)| !moment.knows(other_node, end))
            };
            if let Some(stay) = other.open.iter().chain(&other.ended).find(is_unended) {
                let other = other_node;
                let (what, grade) = match stay.end.filter(|(_, left)| *left < at) {
                    None => (WorkContradiction::TwoInside { node, other }, WorkGrade::Observed),
                    Some((_, left)) => (WorkContradiction::EntersUnknowing { node, other, left }, WorkGrade::Possible),
                };
                judged.wrong.push((Property::MutualExclusion, WrongWork { nodes, since: stay.since, what, grade }));
            }
            let precedence = self.precedence;
            let is_before = |wait: &&mut SectionWait| match precedence {
                Precedence::Known => wait.begin.is_some_and(|begin| moment.knows(other_node, begin)),
                Precedence::Listed => wait.overtaken.contains_key(&node),
            };
            let Some(wait) = other.wait.as_mut().filter(is_before) else { continue };
            let times = wait.overtaken.get_or_default(node);
            *times = times.saturating_add(1);
            // It goes on as long as the wait does, so it is told once.
            if *times == self.facts.overtakes.saturating_add(1) {
                let what = WorkContradiction::Overtakes { node, times: *times, waiting: other_node };
                judged.wrong.push((
                    Property::Fairness,
                    WrongWork { nodes, since: wait.since, what, grade: WorkGrade::Observed },
                ));
            }
        }
        let is_unfair = judged.wrong.iter().any(|(property, _)| *property == Property::Fairness);
        if has_waited || is_unfair {
            judged.judged.push(Property::Fairness);
        }
        Some(judged)
    }

    /// The given node comes after this one in the waiting list now: the node, and all before it, enter at most once before those
    /// that come after. For one that is inside, this is that time.
    fn take_next(&mut self, moment: &CausalMoment, next: Option<NodeId>) {
        let before = std::mem::replace(&mut self.nodes[index(moment.node)].next, next);
        let Some(next) = next.filter(|next| before != Some(*next) && moment.chain == PastExtent::Whole) else { return };
        let ahead = self.walk(moment.node, |section, node| section.before(node));
        for behind in self.walk(next, |section, node| section.nodes.get(index(node))?.next) {
            for node in ahead.iter().copied().filter(|node| *node != behind) {
                let is_inside = self.nodes[index(node)].section.is_some_and(|of| of.stance == SectionState::Inside);
                if let Some(wait) = self.nodes.get_mut(index(behind)).and_then(|node| node.wait.as_mut()) {
                    wait.overtaken.get_or_insert_with(node, || u16::from(is_inside));
                }
            }
        }
    }

    /// The node before that one in the waiting list.
    fn before(&self, node: NodeId) -> Option<NodeId> {
        let place = self.nodes.iter().position(|other| other.next == Some(node))?;
        NodeId::new(place as u16 + 1)
    }

    /// The nodes of the list from this one on, in this direction.
    fn walk(&self, from: NodeId, step: impl Fn(&SharedSection, NodeId) -> Option<NodeId>) -> Vec<NodeId> {
        let mut walked = vec![from];
        while let Some(next) = step(self, walked[walked.len() - 1]).filter(|next| !walked.contains(next)) {
            walked.push(next);
        }
        walked
    }
}

impl SectionNode {
    fn end_stay(&mut self, moment: &CausalMoment, at: i64) {
        let Some(mut ended) = self.open.take() else { return };
        ended.end = Some((moment.own, at));
        if self.ended.len() == ENDED_MAX {
            self.ended.pop_front();
        }
        self.ended.push_back(ended);
    }
}
