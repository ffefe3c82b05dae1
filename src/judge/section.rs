//! The critical section: whether two are inside in one consistent cut (the property `mutual-exclusion`), and whether one
//! that waits is overtaken too often (the property `fairness`).
//!
//! A stay is the stretch of a process's states in which it is inside; of two stays of different nodes in one consistent
//! cut neither ends before the other begins, by happened-before. Only an entry that could have known of a wait, by
//! happened-before, overtakes it: so fairness is counted in entries, and no clock is asked. A crash ends a stay and a wait,
//! and a process that returns overtakes anew. The dead are not inside: an entry with a later stamp than a crash comes
//! after all stays before that crash, whether it knows of it or not.
//!
//! Invariant: a stay or a wait whose past goes through a gap is not kept: it proves nothing.

use std::collections::{BTreeMap, VecDeque};

use super::work::WrongWork;
use crate::protocol::{ApplicationFacts, NodeId, NodeSet, Property, Roster, SectionWork, Stance, StateVector};
use crate::world::index;
use crate::world::moment::{CausalMoment, Chain};

/// The most ended stays of one node that are kept.
const ENDED_MAX: usize = 256;

/// What is remembered of the critical section.
#[derive(Clone, Debug)]
pub(super) struct SharedSection {
    /// How often one process may enter while another waits that it knows of.
    overtakes: u16,
    nodes: Vec<SectionNode>,
}

#[derive(Clone, Default, Debug)]
struct SectionNode {
    /// After its last step, if no record of it is missing.
    section: Option<SectionWork>,
    open: Option<Stay>,
    ended: VecDeque<Stay>,
    wait: Option<SectionWait>,
}

/// How long a process is inside.
#[derive(Clone, Debug)]
struct Stay {
    since: i64,
    /// The node's turn that ended it.
    end: Option<u64>,
    /// The stamp of the first crash that ended it or came after it.
    crashed_at: Option<i64>,
}

/// How long a process waits, and how often others have entered that knew of it.
#[derive(Clone, Debug)]
struct SectionWait {
    since: i64,
    /// The node's turn with which it began.
    begin: u64,
    overtaken: BTreeMap<NodeId, u16>,
}

/// What a step says of the section: what is wrong, and which properties were judged.
#[derive(Clone, Default, Debug)]
pub(super) struct JudgedSection {
    pub wrong: Vec<(Property, WrongWork)>,
    pub judged: Vec<Property>,
}

impl SharedSection {
    /// Nothing is remembered yet, of an application with a critical section.
    pub fn of(application: &ApplicationFacts, roster: Roster) -> Option<SharedSection> {
        let nodes = vec![SectionNode::default(); usize::from(roster.len())];
        application.overtakes.map(|overtakes| SharedSection { overtakes, nodes })
    }

    /// A node's state after a step, at this stamp. Returns what is wrong, and what was judged.
    pub fn take_state(&mut self, moment: &CausalMoment, state: &StateVector, at: i64) -> JudgedSection {
        let Some(section) = state.work.as_deref().and_then(|work| work.section()) else {
            return JudgedSection::default();
        };
        let own = &mut self.nodes[index(moment.node)];
        let before = own.section.replace(section).map_or(Stance::Outside, |before| before.stance);
        if before == section.stance {
            return JudgedSection::default();
        }
        own.end_stay(moment);
        let waited = own.wait.take();
        match section.stance {
            Stance::Outside => JudgedSection::default(),
            Stance::Waiting => {
                let begun = SectionWait { since: at, begin: moment.own, overtaken: BTreeMap::new() };
                own.wait = Some(begun).filter(|_| moment.chain == Chain::Whole);
                JudgedSection::default()
            }
            Stance::Inside => self.enter(moment, waited.is_some(), at),
        }
    }

    /// The process of a node has died at this moment.
    pub fn take_crash(&mut self, moment: &CausalMoment, at: i64) {
        let own = &mut self.nodes[index(moment.node)];
        own.end_stay(moment);
        own.ended.iter_mut().for_each(|stay| stay.crashed_at = stay.crashed_at.or(Some(at)));
        (own.section, own.wait) = (None, None);
        for wait in self.nodes.iter_mut().filter_map(|other| other.wait.as_mut()) {
            wait.overtaken.remove(&moment.node);
        }
    }

    /// Records are missing here.
    pub fn touch_gap(&mut self, node: NodeId) {
        self.nodes[index(node)] = SectionNode::default();
    }

    /// Drops the stays of a node whose end all others know.
    pub fn let_go(&mut self, node: NodeId, known: u64) {
        self.nodes[index(node)].ended.retain(|stay| stay.end.is_none_or(|end| end > known));
    }

    fn enter(&mut self, moment: &CausalMoment, has_waited: bool, at: i64) -> JudgedSection {
        if moment.chain == Chain::Broken {
            return JudgedSection::default();
        }
        let node = moment.node;
        self.nodes[index(node)].open = Some(Stay { since: at, end: None, crashed_at: None });
        let mut judged = JudgedSection { wrong: Vec::new(), judged: vec![Property::MutualExclusion] };
        for (place, other) in (1..).zip(&mut self.nodes) {
            let Some(other_node) = NodeId::new(place).filter(|other| *other != node) else { continue };
            let nodes: NodeSet = [node, other_node].into_iter().collect();
            let is_unended = |stay: &&Stay| {
                stay.crashed_at.is_none_or(|crash| at <= crash)
                    && stay.end.is_none_or(|end| !moment.knows(other_node, end))
            };
            if let Some(stay) = other.open.iter().chain(&other.ended).find(is_unended) {
                let what = format!("{node} enters the critical section, and {other_node} is inside");
                judged.wrong.push((Property::MutualExclusion, WrongWork { nodes, since: stay.since, what }));
            }
            let Some(wait) = other.wait.as_mut().filter(|wait| moment.knows(other_node, wait.begin)) else { continue };
            let times = wait.overtaken.entry(node).or_default();
            *times = times.saturating_add(1);
            // It goes on as long as the wait does, so it is told once.
            if *times == self.overtakes.saturating_add(1) {
                let what = format!("{node} enters the critical section {times} times while {other_node} waits for it");
                judged.wrong.push((Property::Fairness, WrongWork { nodes, since: wait.since, what }));
            }
        }
        let is_unfair = judged.wrong.iter().any(|(property, _)| *property == Property::Fairness);
        if has_waited || is_unfair {
            judged.judged.push(Property::Fairness);
        }
        judged
    }
}

impl SectionNode {
    fn end_stay(&mut self, moment: &CausalMoment) {
        let Some(mut ended) = self.open.take() else { return };
        ended.end = Some(moment.own);
        if self.ended.len() == ENDED_MAX {
            self.ended.pop_front();
        }
        self.ended.push_back(ended);
    }
}
