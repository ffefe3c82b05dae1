//! The history of the groups (the property `history`): a group's parents are the groups in which its members were at
//! work before, all members are told the same of it, and what they fetch is what there was.
//!
//! A group that a process entered in the last step before its death may not have come to its safe cells: the process may
//! go on from the group before it.
//!
//! Invariant: of a node whose records have a gap nothing is told, until it enters a group again.

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};

use judge::{JudgedWork, ProcessLife, WorkGrade, WorkJudge, WrongWork};
use protocol::{
    Facts, FormedGroup, HistoryWork, NodeId, NodeSet, PARENTS_MAX, Property, Roster, StateVector, TaskId, Work,
};
use record::WorkContradiction;
use world::index;
use world::moment::CausalMoment;

/// The judge of a lab of these facts and nodes.
pub fn of(_: &Facts, roster: Roster) -> Option<Box<dyn WorkJudge>> {
    Some(Box::new(SharedHistory::new(roster)))
}

/// What is remembered of the groups.
#[derive(Clone, Debug)]
struct SharedHistory {
    /// The groups, each as it was told of first, and by whom.
    groups: BTreeMap<TaskId, (NodeId, FormedGroup)>,
    /// What a process that lacked nothing knew in each group.
    digests: BTreeMap<TaskId, (NodeId, String)>,
    nodes: Vec<HistoryNode>,
}

#[derive(Clone, Debug, Default)]
struct HistoryNode {
    knowledge: Knowledge,
    group: Option<TaskId>,
    /// The groups that its cells may hold for its last one; none if it was in none.
    last: Vec<Option<TaskId>>,
    /// The group that it entered in its latest step: its cells hold it if it takes another one.
    enters: Option<TaskId>,
    /// All groups in which it was at work.
    been: BTreeSet<TaskId>,
}

/// Whether records of a node are missing.
#[derive(Copy, Clone, Debug, Default, Eq, PartialEq)]
enum Knowledge {
    #[default]
    Whole,
    HasGap,
}

impl WorkJudge for SharedHistory {
    fn take_state(
        &mut self,
        moment: &CausalMoment,
        state: &StateVector,
        life: ProcessLife,
        at: i64,
    ) -> Option<JudgedWork> {
        let wrong = self.judge(moment.node, state, life, at)?;
        Some(JudgedWork::of(Property::History, wrong, moment, at))
    }

    fn go_on(&mut self, node: NodeId) -> Option<JudgedWork> {
        let own = &mut self.nodes[index(node)];
        if let Some(entered) = own.enters.take() {
            own.last = vec![Some(entered)];
        }
        None
    }

    fn take_crash(&mut self, moment: &CausalMoment, _: i64) {
        let own = &mut self.nodes[index(moment.node)];
        (own.group, own.enters) = (None, None);
    }

    fn touch_gap(&mut self, node: NodeId) {
        let own = &mut self.nodes[index(node)];
        (own.knowledge, own.group) = (Knowledge::HasGap, None);
    }

    /// What was once wrong in a history stays in it.
    fn is_broken_for_ever(&self, property: Property) -> bool {
        property == Property::History
    }
}

impl SharedHistory {
    pub fn new(roster: Roster) -> SharedHistory {
        let nodes = vec![HistoryNode::default(); usize::from(roster.len())];
        SharedHistory { groups: BTreeMap::new(), digests: BTreeMap::new(), nodes }
    }

    /// Returns what is wrong, or nothing if there was nothing to judge.
    fn judge(&mut self, node: NodeId, state: &StateVector, life: ProcessLife, at: i64) -> Option<Vec<WrongWork>> {
        let Some(Work::History(work)) = state.work.as_deref() else { return None };
        let own = &mut self.nodes[index(node)];
        if let ProcessLife::Begins = life {
            (own.group, own.enters) = (None, None);
        }
        let mut wrong = Vec::new();
        let mut is_judged = !work.learnt.is_empty();
        for group in &work.learnt {
            if let Some((first, known)) = self.groups.get(&group.number)
                && !is_piece_of(group, known)
            {
                let what = WorkContradiction::FalsePast { node, group: group.number };
                wrong.push((both(node, *first), what));
            }
        }
        let entered = work.group.as_ref().filter(|group| Some(group.number) != self.nodes[index(node)].group);
        if let Some(group) = entered {
            is_judged = true;
            wrong.extend(self.enter(node, state, group));
        }
        self.nodes[index(node)].group = work.group.as_ref().map(|group| group.number);
        wrong.extend(self.compare(node, work));
        let told = |(nodes, what)| WrongWork { nodes, since: at, what, grade: WorkGrade::Observed };
        (is_judged || !wrong.is_empty()).then(|| wrong.into_iter().map(told).collect())
    }

    /// A node is at work in a group in which it was not before.
    fn enter(&mut self, node: NodeId, state: &StateVector, group: &FormedGroup) -> Vec<(NodeSet, WorkContradiction)> {
        let number = group.number;
        let mut wrong = Vec::new();
        let of_task = state.task.map(|task| task.members.union(&NodeSet::of(task.author)));
        if TaskId::at_work(state) != Some(number) || of_task != Some(group.members) || !group.members.contains(node) {
            let what = WorkContradiction::WrongMembers { node, members: group.members, group: number };
            wrong.push((NodeSet::of(node), what));
        }
        match self.groups.get(&number) {
            Some((first, known)) if !is_piece_of(group, known) && !is_piece_of(known, group) => {
                let what = WorkContradiction::TwoPasts { node, group: number, other: *first };
                wrong.push((both(node, *first), what));
            }
            Some(_) => {}
            None => {
                if let Some(right) = self.depth_of(group).filter(|right| *right != group.depth) {
                    let what = WorkContradiction::WrongDepth { group: number, depth: group.depth, right };
                    wrong.push((group.members, what));
                }
                self.groups.insert(number, (node, group.clone()));
                wrong.extend(
                    self.strangers(group)
                        .into_iter()
                        .map(|parent| (group.members, WorkContradiction::StrangeParent { group: number, parent })),
                );
            }
        }
        let own = &mut self.nodes[index(node)];
        let is_parent = |last: &Option<TaskId>| last.is_none_or(|last| group.parents.contains(&last));
        let is_told = own.knowledge == Knowledge::Whole && group.parents.len() < PARENTS_MAX;
        if is_told && !own.last.is_empty() && !own.last.iter().any(is_parent) {
            let last = own.last.iter().rev().flatten().next().copied();
            let what = WorkContradiction::NoParent { node, last, group: number };
            wrong.push((both(node, group.coordinator()), what));
        }
        own.knowledge = Knowledge::Whole;
        if own.last.is_empty() {
            own.last.push(None);
        }
        own.last.push(Some(number));
        own.enters = Some(number);
        own.been.insert(number);
        wrong
    }

    /// The depth of the group by that of its parents, if all are known.
    fn depth_of(&self, group: &FormedGroup) -> Option<u32> {
        let depth = |parent: &TaskId| self.groups.get(parent).map(|(_, parent)| parent.depth);
        let is_whole = group.parents.len() < PARENTS_MAX;
        let depths: Option<Vec<u32>> = group.parents.iter().map(depth).collect();
        depths.filter(|_| is_whole).map(|depths| depths.into_iter().max().unwrap_or(0) + 1)
    }

    /// The parents of the group in which none of its members was.
    fn strangers(&self, group: &FormedGroup) -> Vec<TaskId> {
        let is_of = |parent: &TaskId, member: NodeId| {
            self.nodes
                .get(index(member))
                .is_none_or(|member| member.knowledge == Knowledge::HasGap || member.been.contains(parent))
        };
        let strangers = group.parents.iter().filter(|parent| !group.members.iter().any(|member| is_of(parent, member)));
        strangers.copied().collect()
    }

    /// What a process knows that lacks nothing, beside what another one knows in the same group.
    fn compare(&mut self, node: NodeId, work: &HistoryWork) -> Option<(NodeSet, WorkContradiction)> {
        let group = work.group.as_ref().filter(|_| work.fetches.is_empty())?;
        let (other, digest) = self.digests.entry(group.number).or_insert_with(|| (node, work.digest.clone()));
        if *digest == work.digest {
            return None;
        }
        let what = WorkContradiction::TwoHistories { other: *other, node, group: group.number };
        let wrong = (both(*other, node), what);
        // It is told once for each that differs from the first.
        (*other, *digest) = (node, work.digest.clone());
        Some(wrong)
    }
}

fn both(one: NodeId, other: NodeId) -> NodeSet {
    [one, other].into_iter().collect()
}

/// Whether this tells of the group what the other one tells, or a part of that.
fn is_piece_of(piece: &FormedGroup, whole: &FormedGroup) -> bool {
    let is_same = (piece.members, piece.depth) == (whole.members, whole.depth);
    let is_cut = piece.parents.len() >= PARENTS_MAX || whole.parents.len() >= PARENTS_MAX;
    is_same && (is_cut || piece.parents == whole.parents)
}
