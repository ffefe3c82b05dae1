//! The judges of applications: each looks at one kind of work.
//!
//! Invariant: a judge is there exactly if the session's head says that the lab has such work.

use super::copies::WeighedCopies;
use super::fencing::FencedWrites;
use super::history::SharedHistory;
use super::joining::SharedMembers;
use super::numbers::ProcessLife;
use super::section::SharedSection;
use super::service::SharedServices;
use super::updates::SharedUpdates;
use super::work::SharedWork;
use protocol::{Facts, NodeId, NodeSet, Property, Roster, StateVector};
use record::WorkContradiction;
use world::moment::{CausalMoment, PastExtent};

/// The judge of one kind of work.
pub(super) trait WorkJudge {
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
}

/// What was judged of a node's step.
#[derive(Clone, Debug)]
pub(super) struct JudgedWork {
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
pub(super) struct WrongWork {
    pub nodes: NodeSet,
    /// When the earlier of the states began.
    pub since: i64,
    pub what: WorkContradiction,
    pub grade: WorkGrade,
}

/// How sure it is that what is wrong really was so at one instant.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
pub(super) enum WorkGrade {
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

/// The judges that a lab needs.
#[derive(Clone, Debug)]
pub(super) struct WorkJudges {
    shards: Option<SharedWork>,
    history: Option<SharedHistory>,
    copies: Option<WeighedCopies>,
    members: Option<SharedMembers>,
    writes: Option<FencedWrites>,
    services: Option<SharedServices>,
    section: Option<SharedSection>,
    updates: Option<SharedUpdates>,
}

impl WorkJudges {
    pub fn new(facts: &Facts, roster: Roster) -> WorkJudges {
        let promised = |property| facts.promises.contains(&property);
        let application = facts.application.as_ref();
        WorkJudges {
            shards: application.and_then(|of| of.shards).map(|of| SharedWork::new(of, roster)),
            history: promised(Property::History).then(|| SharedHistory::new(roster)),
            copies: application.and_then(|of| WeighedCopies::of(of, roster)),
            members: promised(Property::Majority).then(|| SharedMembers::new(roster)),
            writes: promised(Property::Fencing).then(|| FencedWrites::new(roster)),
            services: application.and_then(|of| of.services).map(|of| SharedServices::new(of, roster)),
            section: application.and_then(|of| of.section).map(|of| SharedSection::new(of.overtakes, roster)),
            updates: promised(Property::AtomicCommit)
                .then(|| SharedUpdates::new(roster, facts.withheld.contains(&Property::Majority))),
        }
    }

    /// For how long, in nanoseconds, a broken assumption shows in services beside the bound of an election.
    pub fn service_lasting(&self) -> i64 {
        self.services.as_ref().map_or(0, SharedServices::lasting)
    }

    /// Whether it is about a critical section that a token opens: a second token stays for as long as the lab does.
    pub fn is_of_token(&self, property: Property) -> bool {
        matches!(property, Property::MutualExclusion | Property::Fairness)
            && self.section.as_ref().is_some_and(SharedSection::has_token)
    }

    /// A node's state after a step, at this stamp; all others know the node's turns up to that one.
    pub fn take_state(
        &mut self,
        moment: &CausalMoment,
        state: &StateVector,
        life: ProcessLife,
        at: i64,
        known: u64,
    ) -> Vec<JudgedWork> {
        let judged = self.all().filter_map(|judge| {
            judge.let_go(moment.node, known);
            judge.take_state(moment, state, life, at)
        });
        judged.collect()
    }

    /// [`WorkJudge::go_on`].
    pub fn go_on(&mut self, node: NodeId) -> Vec<JudgedWork> {
        self.all().filter_map(|judge| judge.go_on(node)).collect()
    }

    /// [`WorkJudge::take_crash`].
    pub fn take_crash(&mut self, moment: &CausalMoment, at: i64) {
        self.all().for_each(|judge| judge.take_crash(moment, at));
    }

    /// [`WorkJudge::touch_gap`].
    pub fn touch_gap(&mut self, node: NodeId) {
        self.all().for_each(|judge| judge.touch_gap(node));
    }

    fn all(&mut self) -> impl Iterator<Item = &mut dyn WorkJudge> {
        fn any<J: WorkJudge>(judge: &mut Option<J>) -> Option<&mut dyn WorkJudge> {
            judge.as_mut().map(|judge| judge as &mut dyn WorkJudge)
        }
        let WorkJudges { shards, history, copies, members, writes, services, section, updates } = self;
        let all = [
            any(shards),
            any(history),
            any(copies),
            any(members),
            any(writes),
            any(services),
            any(section),
            any(updates),
        ];
        all.into_iter().flatten()
    }
}
