//! Which assumptions of the running algorithm hold, and what broke the others.
//!
//! An assumption is broken while the fault that broke it is in force, and for the algorithm's own time bound after its
//! last effect. Lost safe cells do not come back, so assumption 4 stays broken for ever.
//!
//! Invariant: the same records give the same answer, live and replayed.

use super::model::Model;
use crate::protocol::Assumption;
use crate::record::Head;
use crate::world::BrokenView;

/// The state of one.
pub struct Mark<'a> {
    /// Which.
    pub assumption: Assumption,
    /// What broke it, and how it stands; absent if nothing ever did.
    pub by: Option<(&'a BrokenView, Now)>,
}

/// How an assumption stands that was broken.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
pub enum Now {
    /// It is broken.
    Broken,
    /// It was broken, and holds again.
    StandsAgain,
}

/// Each assumption of the algorithm of this head, in the order of their numbers.
pub fn marks<'a>(model: &'a Model, head: &Head) -> Vec<Mark<'a>> {
    let scene = model.seen();
    let bound = i64::try_from(head.facts.time_bound.nanos()).unwrap_or(i64::MAX);
    let now = |broken: &BrokenView| {
        let stands = |by| scene.world.active_faults().any(|fault| fault.id == by);
        let is_fresh = scene.at.saturating_sub(broken.at) <= bound;
        let is_broken =
            broken.report.assumption == Assumption::SafeCells || is_fresh || broken.report.by.is_some_and(stands);
        if is_broken { Now::Broken } else { Now::StandsAgain }
    };
    let mark = |assumption: Assumption| {
        let all = scene.world.broken.iter().filter(|broken| broken.report.assumption == assumption);
        // The latest of those that break it now; else the latest that did.
        let by = all.map(|broken| (broken, now(broken))).max_by_key(|(broken, now)| (*now == Now::Broken, broken.at));
        Mark { assumption, by }
    };
    let mut needs = head.facts.needs.clone();
    needs.sort_by_key(|assumption| assumption.number());
    needs.into_iter().map(mark).collect()
}
