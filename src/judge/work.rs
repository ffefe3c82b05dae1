//! What the judge asks of a lab's application: each application judges its own work.
//!
//! Invariant: who judges a work knows its application alone; what excuses what is found, the judge finds out.

use std::fmt::Debug;

pub use super::numbers::ProcessLife;
use protocol::{NodeId, NodeSet, Property, Span, StateVector, Work};
use record::{StalledWork, WorkContradiction};
use world::moment::{CausalMoment, PastExtent};

/// The judge of one application's work.
pub trait WorkJudge: CopiedJudge + Debug + Send + Sync {
    /// A node's state after a step, at this stamp. Returns nothing if there was nothing to judge.
    fn take_state(
        &mut self,
        moment: &CausalMoment,
        state: &StateVector,
        life: ProcessLife,
        at: i64,
    ) -> Option<JudgedWork>;
    /// A node has taken another step: what the step before it wanted has been carried out.
    fn go_on(&mut self, _node: NodeId) -> Option<JudgedWork> {
        None
    }
    /// The process of a node has died at this moment: what its last step wanted may not have been carried out.
    fn take_crash(&mut self, moment: &CausalMoment, at: i64);
    /// Records of a node are missing.
    fn touch_gap(&mut self, node: NodeId);
    /// All others know this turn of the node: nothing that has ended before it needs to be kept.
    fn let_go(&mut self, _node: NodeId, _known: u64) {}
    /// For how long, in nanoseconds, a broken assumption shows in its work beside the bound of an election.
    fn lasting(&self) -> i64 {
        0
    }
    /// Whether what breaks this property stays for as long as the lab does.
    fn is_broken_for_ever(&self, _: Property) -> bool {
        false
    }
    /// How long, after elections have ended, everything may take that can be done, in a lab of this check period.
    fn done_after(&self, _check: Span) -> Span {
        Span::ZERO
    }
    /// What is undone although all that it takes is there (the property `progress`).
    fn undone(&self, _: &WorkAtRest<'_>) -> Option<StalledWork> {
        None
    }
}

/// A judge that can be copied, whatever its type.
pub trait CopiedJudge {
    /// A judge that goes on from the same state.
    fn copied(&self) -> Box<dyn WorkJudge>;
}

impl<J: WorkJudge + Clone + 'static> CopiedJudge for J {
    fn copied(&self) -> Box<dyn WorkJudge> {
        Box::new(self.clone())
    }
}

impl Clone for Box<dyn WorkJudge> {
    fn clone(&self) -> Box<dyn WorkJudge> {
        (**self).copied()
    }
}

/// The work of a lab that should be at rest: its running processes are at work in one group, and the work of none has
/// changed for a while.
pub struct WorkAtRest<'a> {
    /// The work of each running process.
    pub works: Vec<(NodeId, &'a Work)>,
    /// Whether all processes of the lab run.
    pub all_run: bool,
}

impl WorkAtRest<'_> {
    /// The processes whose work is so.
    pub fn those(&self, is_so: impl Fn(&Work) -> bool) -> NodeSet {
        self.works.iter().filter(|(_, work)| is_so(work)).map(|(node, _)| *node).collect()
    }
}

/// What was judged of a node's step.
#[derive(Clone, Debug)]
pub struct JudgedWork {
    /// What is wrong, and with which property.
    pub wrong: Vec<(Property, WrongWork)>,
    /// Which properties were looked at.
    pub judged: Vec<Property>,
    pub chain: PastExtent,
    /// The stamp of the step.
    pub at: i64,
}

/// What is wrong with a work.
#[derive(Clone, Debug)]
pub struct WrongWork {
    pub nodes: NodeSet,
    /// When the earlier of the states began.
    pub since: i64,
    pub what: WorkContradiction,
    pub grade: WorkGrade,
}

/// How sure it is that what is wrong really was so at one instant.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
pub enum WorkGrade {
    /// The clock that all processes share says so.
    Observed,
    /// So it does, and what led to it may have lain in an account for as long as the lab goes.
    Inherited,
    /// By that clock one state had ended, but nobody could know it.
    Possible,
}

impl JudgedWork {
    /// One property was looked at, and this is wrong.
    pub fn of(property: Property, wrong: Vec<WrongWork>, moment: &CausalMoment, at: i64) -> JudgedWork {
        let wrong = wrong.into_iter().map(|wrong| (property, wrong)).collect();
        JudgedWork { wrong, judged: vec![property], chain: moment.chain, at }
    }
}
