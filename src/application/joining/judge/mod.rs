//! Members of a group: whether a newcomer is admitted only with the yes of a majority of the members, and whether one
//! member set is followed by one other (the property `majority`; King, Gendreau and Ni 1988, section 7, item 5).
//!
//! The votes are counted here, from the states of the voters in the past of the newcomer, and not from what it says: a
//! voter has said yes to an attempt if it has shown so while it knew the member set that is to be followed.
//!
//! Invariant: what is not known because of a gap, or is forgotten, proves nothing.

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, VecDeque};

use judge::{JudgedWork, ProcessLife, WorkGrade, WorkJudge, WrongWork};
use protocol::{Facts, JoinWork, MemberView, NodeId, NodeSet, PendingJoin, Property, Roster, StateVector, Work};
use record::WorkContradiction;
use world::index;
use world::moment::{CausalMoment, PastExtent};

/// The most votes of one node that are kept.
const VOTES_MAX: usize = 256;

/// The judge of a lab of these facts and nodes.
pub fn of(_: &Facts, roster: Roster) -> Option<Box<dyn WorkJudge>> {
    Some(Box::new(SharedMembers::new(roster)))
}

/// What is remembered of the members.
#[derive(Clone, Debug)]
struct SharedMembers {
    /// The members of each version, who knew them first, and since when.
    views: BTreeMap<u32, (NodeSet, NodeId, i64)>,
    nodes: Vec<VotingNode>,
}

#[derive(Clone, Default, Debug)]
struct VotingNode {
    /// The process's work after its last step.
    work: Option<JoinWork>,
    yes: VecDeque<YesVote>,
    /// The version that it was the first to know, by its last step.
    unsure: Option<u32>,
    memory: VoteMemory,
}

/// A vote, with the version of the members that its voter knew, and its turn.
#[derive(Copy, Clone, Debug)]
struct YesVote {
    to: PendingJoin,
    version: u32,
    turn: u64,
}

/// Whether all votes of a node are known.
#[derive(Copy, Clone, Default, Eq, PartialEq, Debug)]
enum VoteMemory {
    #[default]
    Whole,
    /// Some may be missing.
    HasGaps,
}

impl WorkJudge for SharedMembers {
    fn take_state(
        &mut self,
        moment: &CausalMoment,
        state: &StateVector,
        life: ProcessLife,
        at: i64,
    ) -> Option<JudgedWork> {
        let Some(Work::Joining(work)) = state.work.as_deref() else { return None };
        let node = moment.node;
        let own = &mut self.nodes[index(node)];
        let before = own.work.replace(work.clone()).filter(|_| life == ProcessLife::GoesOn);
        if let Some(to) = work.pending {
            let said = YesVote { to, version: work.view.version, turn: moment.own };
            own.say_yes(said);
        }
        let mut wrong = Vec::new();
        if let Some(before) = &before
            && before.view.version > work.view.version
        {
            let what = WorkContradiction::ForgottenMembers { node, members: before.view.members };
            wrong.push(WrongWork { nodes: NodeSet::of(node), since: at, what, grade: WorkGrade::Observed });
        }
        let is_first = !self.views.contains_key(&work.view.version);
        self.nodes[index(node)].unsure = Some(work.view.version).filter(|_| is_first);
        wrong.extend(self.take_view(node, work.view, at));
        let asked = before.and_then(|before| Some((before.view, before.poll?)));
        // Who hears of its own admission from others has not counted votes: it has lost its cells.
        let admitted = asked.filter(|(view, _)| {
            is_first && work.view.members.contains(node) && !view.members.contains(node) && work.view == view.with(node)
        });
        if let (Some((view, poll)), PastExtent::Whole) = (admitted, moment.chain) {
            let to = PendingJoin { newcomer: node, attempt: poll.attempt };
            // A garbled set may name a member that is no node.
            let has = |voter: &NodeId| {
                let node = self.nodes.get(index(*voter));
                node.is_some_and(|node| node.may_have_said(*voter, to, view.version, moment))
            };
            let yes: NodeSet = view.members.iter().filter(has).collect();
            if !view.is_majority(&yes) {
                let what = WorkContradiction::AdmittedByFew { node, yes: yes.len(), members: view.members.len() };
                wrong.push(WrongWork { nodes: NodeSet::of(node), since: at, what, grade: WorkGrade::Observed });
            }
        }
        (admitted.is_some() || !wrong.is_empty()).then(|| JudgedWork::of(Property::Majority, wrong, moment, at))
    }

    fn go_on(&mut self, node: NodeId) -> Option<JudgedWork> {
        self.nodes[index(node)].unsure = None;
        None
    }

    fn take_crash(&mut self, moment: &CausalMoment, _: i64) {
        let own = &mut self.nodes[index(moment.node)];
        own.work = None;
        // Nobody has heard of it, and it may not have come to the cells.
        if let Some(version) = own.unsure.take() {
            self.views.remove(&version);
        }
    }

    fn touch_gap(&mut self, node: NodeId) {
        self.nodes[index(node)] = VotingNode { memory: VoteMemory::HasGaps, ..VotingNode::default() };
    }

    /// What was once wrong in a member set stays in it.
    fn is_broken_for_ever(&self, property: Property) -> bool {
        property == Property::Majority
    }
}

impl SharedMembers {
    pub fn new(roster: Roster) -> SharedMembers {
        SharedMembers { views: BTreeMap::new(), nodes: vec![VotingNode::default(); usize::from(roster.len())] }
    }

    /// Two processes know other members by one version?
    fn take_view(&mut self, node: NodeId, view: MemberView, at: i64) -> Option<WrongWork> {
        let MemberView { version, members } = view;
        let (first, other, since) = *self.views.entry(version).or_insert((members, node, at));
        let what = WorkContradiction::TwoViews { other, by_other: first, version, node, by_node: members };
        let nodes = [other, node].into_iter().collect();
        (first != members).then_some(WrongWork { nodes, since, what, grade: WorkGrade::Observed })
    }
}

impl VotingNode {
    fn say_yes(&mut self, said: YesVote) {
        if self.yes.back().is_some_and(|last| (last.to, last.version) == (said.to, said.version)) {
            return;
        }
        self.yes.push_back(said);
        if self.yes.len() > VOTES_MAX {
            self.yes.pop_front();
            self.memory = VoteMemory::HasGaps;
        }
    }

    /// Whether, as far as that moment can know, the voter may have said yes.
    fn may_have_said(&self, voter: NodeId, to: PendingJoin, version: u32, moment: &CausalMoment) -> bool {
        let is_it = |said: &&YesVote| said.to == to && said.version == version;
        let is_known = self.yes.iter().find(is_it).is_some_and(|said| moment.knows(voter, said.turn));
        is_known || self.memory == VoteMemory::HasGaps
    }
}
